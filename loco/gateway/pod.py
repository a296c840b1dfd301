"""The gateway's Deployment: LiteLLM as an unprivileged process with a read-only root, one worker, a slow goodbye."""

from collections.abc import Mapping, Sequence
from typing import Any

from loco import names
from loco.gateway.config import MASTER_KEY
from loco.gateway.variables import Variable
from loco.spec.external_model import SecretKey

IMAGE = "ghcr.io/berriai/litellm-non_root:v1.108.7"
PORT = 4000
CONFIG_FILE = "config.yaml"
_CONFIG_PATH = "/etc/litellm"
_USER = 65534
_PRE_STOP_SECONDS = 10  # LiteLLM stops listening at once, before every endpoint list has lost the pod
_DRAIN_SECONDS = 120  # how long a stream may still run
# It would fetch its price list at start, read a .env file, and take worker counts or ports from the environment.
_ENVIRONMENT = {
    "GRACEFUL_SHUTDOWN_TIMEOUT": str(_DRAIN_SECONDS),
    "HOME": "/tmp",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOG": "INFO",
    "LITELLM_MODE": "PRODUCTION",
    "PYTHONDONTWRITEBYTECODE": "1",
}


def pod_template(
    labels: Mapping[str, str],
    config_map: str,
    config_digest: str,
    master_key: SecretKey,
    variables: Sequence[Variable],
    image: str | None,
) -> dict[str, Any]:
    """The template, without the digests of secrets; those are added where secrets may be read."""
    probe = {"timeoutSeconds": 10}
    container = {
        "name": "litellm",
        "image": image or IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "args": [
            "--config",
            f"{_CONFIG_PATH}/{CONFIG_FILE}",
            "--host",
            "0.0.0.0",
            "--port",
            str(PORT),
            "--num_workers",
            "1",
        ],
        "env": _env(master_key, variables),
        "ports": [{"name": "http", "containerPort": PORT, "protocol": "TCP"}],
        "resources": {"requests": {"cpu": "500m", "memory": "512Mi"}, "limits": {"memory": "1Gi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "startupProbe": {**_get("/health/readiness"), **probe, "periodSeconds": 5, "failureThreshold": 60},
        "readinessProbe": {**_get("/health/readiness"), **probe, "periodSeconds": 10, "failureThreshold": 3},
        "livenessProbe": {**_get("/health/liveliness"), **probe, "periodSeconds": 15, "failureThreshold": 6},
        "lifecycle": {"preStop": {"exec": {"command": ["/bin/sleep", str(_PRE_STOP_SECONDS)]}}},
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            {"name": "config", "mountPath": _CONFIG_PATH, "readOnly": True},
            {"name": "tmp", "mountPath": "/tmp"},
        ],
    }
    pod = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,  # a Service called redis or port would set variables that LiteLLM reads
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "runAsGroup": _USER,
            "fsGroup": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "terminationGracePeriodSeconds": _PRE_STOP_SECONDS + _DRAIN_SECONDS + 10,
        "containers": [container],
        "volumes": [
            {"name": "config", "configMap": {"name": config_map}},
            {"name": "tmp", "emptyDir": {"sizeLimit": "500Mi"}},
        ],
    }
    metadata = {"labels": dict(labels), "annotations": {names.CONFIG_DIGEST: config_digest}}
    return {"metadata": metadata, "spec": pod}


def _env(master_key: SecretKey, variables: Sequence[Variable]) -> list[dict[str, Any]]:
    """Model credentials are optional: one that is missing must not keep the others from being served."""
    env: list[dict[str, Any]] = [{"name": name, "value": value} for name, value in _ENVIRONMENT.items()]
    env.append({"name": MASTER_KEY, "valueFrom": {"secretKeyRef": {"name": master_key.name, "key": master_key.key}}})
    for variable in variables:
        reference = {"name": variable.source.name, "key": variable.source.key, "optional": True}
        env.append({"name": variable.name, "valueFrom": {"secretKeyRef": reference}})
    return env


def _get(path: str) -> dict[str, Any]:
    return {"httpGet": {"path": path, "port": PORT}}
