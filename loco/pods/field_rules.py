"""Rules of single Kubernetes shapes, wherever in a pod they stand, beyond their fields and types.

The API server refuses what they forbid; of some names of other objects it only finds out later that none can exist.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from loco.pods.reading import amount
from loco.spec import kubernetes
from loco.spec.tree import Path

Refusal = tuple[Path, str, str]
_Rule = Callable[[Mapping[str, Any]], Iterator[Refusal]]

_OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
PORT_NAME = re.compile(r"(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?")
_HIGHEST_ID = 2**31 - 1
_HIGHEST_MODE = 0o777
_LONGEST_WINDOW, _LONGEST_PERIOD = 3600, 1800  # of a HorizontalPodAutoscaler's behavior
# Where another object is named, and where it must be.
_NAMES = {
    "ConfigMapEnvSource": "name",
    "ConfigMapKeySelector": "name",
    "ConfigMapProjection": "name",
    "ConfigMapVolumeSource": "name",
    "LocalObjectReference": "name",
    "PersistentVolumeClaimVolumeSource": "claimName",
    "PodSpec": "serviceAccountName",
    "SecretEnvSource": "name",
    "SecretKeySelector": "name",
    "SecretProjection": "name",
    "SecretVolumeSource": "secretName",
}
_IDS = ("runAsUser", "runAsGroup", "fsGroup")
_MODES = ("defaultMode", "mode")
# Of these exactly one member must be there; a Volume without a source is an emptyDir, a variable without a value empty.
_NEVER_EMPTY = {
    "EnvVarSource": "secretKeyRef: {name: …, key: …}",
    "LifecycleHandler": "exec, httpGet, sleep or tcpSocket",
    "PodResourceClaim": "resourceClaimName or resourceClaimTemplateName",
    "Probe": "httpGet, tcpSocket, exec or grpc",
}


def refused_fields(value: Mapping[str, Any], definition: str, path: Path = ()) -> Iterator[Refusal]:
    """Everything refused in an object of a definition and in all that it holds: the place, why, what to write."""
    for below, message, cure in _here(value, definition):
        yield (*path, *below), message, cure
    for key, field in kubernetes.definition(definition).items():
        item = value.get(key)
        if field.of is None or item is None:
            continue
        if field.shape == "list":
            for index, part in enumerate(item):
                yield from refused_fields(part, field.of, (*path, key, index))
        elif field.shape == "map":
            for name, part in item.items():
                yield from refused_fields(part, field.of, (*path, key, name))
        else:
            yield from refused_fields(item, field.of, (*path, key))


def _here(value: Mapping[str, Any], definition: str) -> Iterator[Refusal]:
    rivals = sorted(value.keys() & kubernetes.ONE_OF.get(definition, frozenset()))
    if len(rivals) > 1:
        yield (rivals[-1],), f"{' and '.join(rivals)} exclude each other", f"one of {', '.join(rivals)}"
    if not rivals and definition in _NEVER_EMPTY:
        yield (), f"one of {', '.join(sorted(kubernetes.ONE_OF[definition]))} is missing", _NEVER_EMPTY[definition]
    named = _NAMES.get(definition)
    name = value.get(named) if named else None
    if named and name and not _OBJECT_NAME.fullmatch(name):
        cure = "small letters, digits, dashes and dots, a letter or digit first and last"
        yield (named,), f"no object can be called {name!r}", cure
    for key in _IDS:
        if key in value and not 0 <= value[key] <= _HIGHEST_ID:
            yield (key,), f"{value[key]} is no user or group", f"a number from 0 to {_HIGHEST_ID}"
    for key in _MODES:
        if key in value and not 0 <= value[key] <= _HIGHEST_MODE:
            message = f"{value[key]} is more than 0777 can say; the number is read as a decimal one"
            yield (key,), message, f"0{value[key]}, with a zero in front" if _is_octal(value[key]) else "0644"
    if definition in _RULES:
        yield from _RULES[definition](value)


def _is_octal(number: int) -> bool:
    return re.fullmatch(r"[0-7]{3}", str(number)) is not None


def _exec(action: Mapping[str, Any]) -> Iterator[Refusal]:
    if not action.get("command"):
        yield ("command",), "there is no command to run", "command: [program, argument]"


def _port(action: Mapping[str, Any]) -> Iterator[Refusal]:
    port = action.get("port")
    fits = 1 <= port <= 65535 if isinstance(port, int) else PORT_NAME.fullmatch(str(port))
    if not fits:
        yield ("port",), f"{port!r} is no port", "a number from 1 to 65535, or the name of one of the container's ports"


def _profile(profile: Mapping[str, Any]) -> Iterator[Refusal]:
    if (profile.get("type") == "Localhost") != bool(profile.get("localhostProfile")):
        yield ("localhostProfile",), "a profile's name goes with the type Localhost, and with no other", "both, or none"


def _mount(mount: Mapping[str, Any]) -> Iterator[Refusal]:
    if not mount.get("mountPath"):
        yield ("mountPath",), "the mount has no place", "mountPath: /a/path"
    elif ":" in mount["mountPath"]:
        yield ("mountPath",), "a mount's path has no :", "mountPath: /a/path"
    for key in ("subPath", "subPathExpr"):
        if _leaves(mount.get(key)):
            yield (key,), "the path must stay within the volume", "a relative path without .."


def _item(item: Mapping[str, Any]) -> Iterator[Refusal]:
    if not item.get("path") or _leaves(item["path"]):
        yield ("path",), "the path must stay within the volume", "a relative path without .."


def _leaves(path: str | None) -> bool:
    return bool(path) and (str(path).startswith("/") or ".." in str(path).split("/"))


def _empty_dir(source: Mapping[str, Any]) -> Iterator[Refusal]:
    if "sizeLimit" in source and amount(source["sizeLimit"]) < 0:
        yield ("sizeLimit",), "a size can't be negative", "1Gi"


def _toleration(toleration: Mapping[str, Any]) -> Iterator[Refusal]:
    exists = toleration.get("operator") == "Exists"
    if not toleration.get("key") and not exists:
        yield (), "without a key a toleration is of everything", "operator: Exists, or a key"
    if exists and toleration.get("value"):
        yield ("value",), "with operator Exists there is no value", "operator: Equal, or no value"
    if "tolerationSeconds" in toleration and toleration.get("effect") != "NoExecute":
        yield ("tolerationSeconds",), "only pods that NoExecute evicts have seconds left", "effect: NoExecute"


def _scaling(rules: Mapping[str, Any]) -> Iterator[Refusal]:
    window = rules.get("stabilizationWindowSeconds")
    if window is not None and not 0 <= window <= _LONGEST_WINDOW:
        yield ("stabilizationWindowSeconds",), f"{window} seconds are no window", f"0 to {_LONGEST_WINDOW} seconds"
    if "policies" in rules and not rules["policies"]:
        yield ("policies",), "without a policy nothing scales", "one policy or more, or none written"


def _scaling_policy(policy: Mapping[str, Any]) -> Iterator[Refusal]:
    value, period = policy.get("value"), policy.get("periodSeconds")
    if value is not None and value < 1:
        yield ("value",), f"a policy of {value} lets nothing scale", "1 or more"
    if period is not None and not 1 <= period <= _LONGEST_PERIOD:
        yield ("periodSeconds",), f"{period} seconds are no period", f"1 to {_LONGEST_PERIOD} seconds"


def _dns(pod: Mapping[str, Any]) -> Iterator[Refusal]:
    if pod.get("dnsPolicy") == "None" and not (pod.get("dnsConfig") or {}).get("nameservers"):
        yield ("dnsPolicy",), "with dnsPolicy None the pod finds no name server", "dnsConfig: {nameservers: […]}"


_RULES: Mapping[str, _Rule] = {
    "AppArmorProfile": _profile,
    "EmptyDirVolumeSource": _empty_dir,
    "ExecAction": _exec,
    "GRPCAction": _port,
    "HPAScalingPolicy": _scaling_policy,
    "HPAScalingRules": _scaling,
    "HTTPGetAction": _port,
    "KeyToPath": _item,
    "PodSpec": _dns,
    "SeccompProfile": _profile,
    "TCPSocketAction": _port,
    "Toleration": _toleration,
    "VolumeMount": _mount,
}
