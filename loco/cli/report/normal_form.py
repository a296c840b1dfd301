"""A pod template as the API server keeps it: what it adds by itself, or spells otherwise, is no difference."""

from collections.abc import Mapping
from typing import Any

from loco.spec.kubernetes.resources import amount

# Its own defaults, by the field that holds the mapping; a value that equals one is as good as none.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "spec": {
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    },
    "containers": {
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    },
    "ports": {"protocol": "TCP"},
    "probe": {"failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1},
    "httpGet": {"scheme": "HTTP"},
    "fieldRef": {"apiVersion": "v1"},
    "configMap": {"defaultMode": 420},
    "secret": {"defaultMode": 420},
    "projected": {"defaultMode": 420},
    "hostPath": {"type": ""},
    "metadata": {"annotations": {}, "labels": {}},
    "volumeMounts": {"readOnly": False},
}
_DEFAULTS["initContainers"] = _DEFAULTS["containers"]
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_AMOUNTS = ("limits", "requests")
_FREE = ("annotations", "labels", "nodeSelector", "matchLabels")  # maps whose every entry says something


def normal(value: Any, key: str = "") -> Any:
    """The value of a field in its normal form.

    Args:
        key: the field's name, of a list's item that of the list.
    """
    if isinstance(value, list):
        return [normal(item, key) for item in value]
    if not isinstance(value, Mapping):
        return value
    if key in _AMOUNTS:
        return {name: _amount(item) for name, item in value.items()}
    kept = {name: normal(item, name) for name, item in value.items() if item is not None}
    if key in _FREE:
        return kept
    defaults = _DEFAULTS.get("probe" if key in _PROBES else key, {})
    kept = {
        name: item for name, item in kept.items() if item != [] and not (name in defaults and defaults[name] == item)
    }
    if key in ("containers", "initContainers") and kept.get("imagePullPolicy") == _pull_policy(
        str(kept.get("image", ""))
    ):
        del kept["imagePullPolicy"]
    if key == "env" and kept.get("value") == "":
        del kept["value"]
    if key == "spec":
        kept.pop("serviceAccount", None)  # the older name of serviceAccountName
    return kept


def _amount(quantity: object) -> str:
    try:
        return str(amount(quantity))
    except (ValueError, KeyError, ZeroDivisionError):
        return str(quantity)


def _pull_policy(image: str) -> str:
    tag = "" if "@" in image else image.rpartition("/")[2].partition(":")[2] or "latest"
    return "Always" if tag == "latest" else "IfNotPresent"
