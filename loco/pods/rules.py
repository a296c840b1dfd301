"""What an API server refuses in a Deployment's pod although every field of it is well-formed.

Only rules that a user may stumble over are here; the tables of loco/spec/kubernetes hold fields and types.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.field_rules import PORT_NAME, Refusal, refused_fields
from loco.pods.reading import TEMPLATE, amount, containers_of, in_template, is_sidecar
from loco.spec.texts import LABEL_RULE, is_label_value, is_qualified
from loco.spec.tree import Path, at, dotted, plain

_COMPUTE = ("cpu", "memory", "ephemeral-storage")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def refused_pod(pod: Mapping[str, Any], resolved: Resolved, place: Path = TEMPLATE) -> list[Finding]:
    """An error for each thing in the finished pod, which stands at ``place`` of the spec, that would be refused."""
    return [in_template(resolved, path, message, cure, place=place) for path, message, cure in refusals(pod)]


def refused_metadata(resolved: Resolved) -> list[Finding]:
    """An error for each label and annotation of the spec that the API server would refuse."""
    return refused_labels(resolved, (), {})


def refused_labels(resolved: Resolved, place: Path, selector: Mapping[str, str]) -> list[Finding]:
    """The same of those at ``place`` of the spec, whose pods a Deployment finds by the labels of ``selector``."""
    findings = []
    for field in ("labels", "annotations"):
        node = at(resolved.tree, (*place, field))
        for key, value in (plain(node) if node is not None else {}).items():
            problem, cure = None, LABEL_RULE
            if not is_qualified(key):
                problem = f"{key!r} can't be the key of one of the {field}"
            elif field == "labels" and not is_label_value(value):
                problem = f"{value!r} can't be a label's value"
            elif field == "labels" and selector.get(key, value) != value:
                problem, cure = f"the Deployment finds its pods by {key}: {selector[key]}", f"the {field} without it"
            if problem:
                origin = resolved.origin_at(*place, field, key)
                path = dotted(("spec", *place, field, key))
                findings.append(Finding("LOCO-VALUE", "error", path, problem, cure, origin, resolved.subject, value))
    return findings


def refusals(pod: Mapping[str, Any]) -> Iterator[Refusal]:
    """Where in a Deployment's pod it stands, why it would be refused, what to write instead."""
    if pod.get("restartPolicy", "Always") != "Always":
        yield ("restartPolicy",), "the pods of a Deployment always restart", "the pod without restartPolicy"
    if "activeDeadlineSeconds" in pod:
        yield ("activeDeadlineSeconds",), "the pods of a Deployment have no deadline", "the pod without it"
    if pod.get("ephemeralContainers"):
        yield ("ephemeralContainers",), "only a running pod takes ephemeral containers", "kubectl debug"
    yield from refused_fields(pod, "PodSpec")
    volumes = {volume.get("name") for volume in pod.get("volumes") or []}
    for path, container in containers_of(pod):
        name = container.get("name")
        if not container.get("image"):
            yield (
                (*path, "image"),
                f"the container {name} has no image",
                "image: registry/name:tag; or name: main, if it is meant to be the engine",
            )
        for index, mount in enumerate(container.get("volumeMounts") or []):
            if mount.get("name") not in volumes:
                message = f"the pod has no volume called {mount.get('name')}"
                known = ", ".join(sorted(str(volume) for volume in volumes))
                yield (*path, "volumeMounts", index, "name"), message, f"one of {known or 'none'}; or add the volume"
        for index, variable in enumerate(container.get("env") or []):
            if not variable.get("name") or "=" in variable["name"]:
                yield (*path, "env", index, "name"), "a variable's name isn't empty and holds no =", "another name"
        yield from _ports(container, path)
        yield from _probes(container, path)
        yield from _resources(container.get("resources") or {}, (*path, "resources"))
        context: Mapping[str, Any] = container.get("securityContext") or {}
        if context.get("privileged") and context.get("allowPrivilegeEscalation") is False:
            where: Path = (*path, "securityContext", "privileged")
            yield where, "a privileged container can't refuse privilege escalation", "allowPrivilegeEscalation: true"


def _ports(container: Mapping[str, Any], path: Path) -> Iterator[Refusal]:
    seen = set()
    for index, port in enumerate(container.get("ports") or []):
        for field in ("containerPort", "hostPort"):
            number = port.get(field)
            if number is not None and not (0 if field == "hostPort" else 1) <= number <= 65535:
                yield (*path, "ports", index, field), f"{number} is no port", "a number from 1 to 65535"
        name = port.get("name")
        if not name:
            continue
        if not PORT_NAME.fullmatch(name):
            cure = "at most 15 small letters, digits and dashes, with a letter among them"
            yield (*path, "ports", index, "name"), f"a port can't be called {name!r}", cure
        if name in seen:
            yield (*path, "ports", index, "name"), f"two ports of the container are called {name}", "another name"
        seen.add(name)


def _probes(container: Mapping[str, Any], path: Path) -> Iterator[Refusal]:
    runs_once = path[0] == "initContainers" and not is_sidecar(container)
    for field in (*_PROBES, "lifecycle"):
        if field in container and runs_once:
            yield (*path, field), f"an init container that ends has no {field}", "restartPolicy: Always for a sidecar"
    for field in _PROBES:
        probe = container.get(field)
        if probe is None:
            continue
        for key, number in probe.items():
            if isinstance(number, int) and number < 0:
                yield (*path, field, key), f"{key} can't be negative", "0 or more"
        grace = probe.get("terminationGracePeriodSeconds")
        if grace is not None and (grace == 0 or field == "readinessProbe"):
            where: Path = (*path, field, "terminationGracePeriodSeconds")
            yield where, "a probe that kills its container has a grace period above 0, any other none", "1 or more"
        if field != "readinessProbe" and probe.get("successThreshold", 1) not in (0, 1):
            yield (*path, field, "successThreshold"), "a probe of this kind succeeds at once", "successThreshold: 1"


def _resources(resources: Mapping[str, Any], path: Path) -> Iterator[Refusal]:
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    for kind, amounts in (("requests", requests), ("limits", limits)):
        for name, quantity in amounts.items():
            where: Path = (*path, kind, name)
            if amount(quantity) < 0:
                yield where, "an amount can't be negative", "0 or more"
            if "/" not in name and name not in _COMPUTE and not name.startswith("hugepages-"):
                yield where, f"Kubernetes has no resource {name}", f"its full name, such as nvidia.com/{name}"
            elif name.startswith("hugepages-") and not ({"cpu", "memory"} & (requests.keys() | limits.keys())):
                yield where, "huge pages go with an amount of cpu or memory", "memory beside them"
            elif _is_extended(name) and amount(quantity).denominator != 1:
                yield where, "a device can't be asked for in parts", "a whole number"
    for name, quantity in requests.items():
        where = (*path, "requests", name)
        device = _is_extended(name) or name.startswith("hugepages-")
        if device and name not in limits:
            yield where, f"{name} can't be overcommitted, so it has a limit too", f"limits: {{{name}: {quantity}}}"
        elif device and amount(quantity) != amount(limits[name]):
            yield where, f"{name} can't be overcommitted, so request and limit are equal", f"{limits[name]} for both"
        elif not device and name in limits and amount(quantity) > amount(limits[name]):
            yield where, f"the request is above the limit of {limits[name]}", "a request of at most the limit"


def _is_extended(resource: str) -> bool:
    """Whether a resource is not Kubernetes' own: a device, which can't be overcommitted."""
    return "/" in resource and not resource.partition("/")[0].endswith("kubernetes.io")
