"""What users add to a gateway's pods: metadata, an account, volumes, containers; none may take the place of loco's own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import normpath
from typing import Any

from pydantic import ValidationError

from loco.gateway.documents import Gateway
from loco.gateway.variables import Variable
from loco.model import Finding
from loco.spec.external_model import SecretKey
from loco.spec.tree import Path

_HARDENED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def mounted_volumes(gateway: Gateway) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The user's volumes and LiteLLM's mounts of them."""
    more = gateway.spec.pod
    if more is None:
        return [], []
    return [dict(each) for each in more.volumes or []], [dict(each) for each in more.volume_mounts or []]


def add_to_pods(gateway: Gateway, template: dict[str, Any]) -> list[Finding]:
    """Adds them to the template of the servers' pods.

    ``LOCO-DUPLICATE`` for a container, volume, port or mount path that loco has too, ``LOCO-VALUE`` for a path that
    isn't one, ``LOCO-REFERENCE`` for a mount of no volume. What else an API server refuses of them, or weakens the pods,
    is told across rooms (``loco.checks``).
    """
    more = gateway.spec.pod
    if more is None:
        return []
    metadata, pod = template["metadata"], template["spec"]
    (litellm,) = pod["containers"]
    if findings := [*_taken(gateway, pod), *_hiding(gateway, pod), *_ports(gateway, litellm), *_nowhere(gateway, pod)]:
        return findings  # without them, or the finished object would be refused for the same once more
    metadata["labels"] |= more.labels or {}
    metadata["annotations"] |= more.annotations or {}
    volumes, mounts = mounted_volumes(gateway)
    pod["volumes"] += volumes
    litellm["volumeMounts"] += mounts
    if more.init_containers:
        pod["initContainers"] = [*pod.get("initContainers", []), *map(hardened, more.init_containers)]
    pod["containers"] += map(hardened, more.containers or [])
    return []


def hardened(container: Mapping[str, Any]) -> dict[str, Any]:
    """A container with what the restricted standard wants to see written, as far as it says nothing else."""
    own = container.get("securityContext") or {}
    filled = {**_HARDENED, **own}
    added = (own.get("capabilities") or {}).get("add") or []
    if "allowPrivilegeEscalation" not in own and (own.get("privileged") or {"SYS_ADMIN", "CAP_SYS_ADMIN"} & set(added)):
        del filled["allowPrivilegeEscalation"]  # which such a container can't refuse
    return {**container, "securityContext": filled}


def _taken(gateway: Gateway, pod: Mapping[str, Any]) -> Iterator[Finding]:
    more = gateway.spec.pod
    assert more is not None
    containers = [each["name"] for each in (*pod["containers"], *pod.get("initContainers", []))]
    kinds: Sequence[tuple[str, str, Sequence[Mapping[str, Any]], list[str]]] = (
        ("volumes", "name", more.volumes or [], [each["name"] for each in pod["volumes"]]),
        ("initContainers", "name", more.init_containers or [], containers),
        ("containers", "name", more.containers or [], containers),
    )
    for field, key, added, there in kinds:
        for index, each in enumerate(added):
            name = str(each.get(key) or "")
            if name in there:
                message, cure = f"{name} is taken in the gateway's pods", f"another {key}"
                yield _finding(gateway, (field, index, key), message, cure, name, "LOCO-DUPLICATE")
            there.append(name)


def _nowhere(gateway: Gateway, pod: Mapping[str, Any]) -> Iterator[Finding]:
    more = gateway.spec.pod
    assert more is not None
    volumes = [each["name"] for each in (*pod["volumes"], *(more.volumes or []))]
    mounting: list[tuple[Path, Sequence[Mapping[str, Any]]]] = [((), more.volume_mounts or [])]
    for field, added in (("initContainers", more.init_containers), ("containers", more.containers)):
        mounting += [((field, index), each.get("volumeMounts") or []) for index, each in enumerate(added or [])]
    for path, mounts in mounting:
        for index, mount in enumerate(mounts):
            if (name := mount["name"]) not in volumes:
                message, cure = f"the pods have no volume {name}", f"volumes: [{{name: {name}, …}}]"
                where: Path = (*path, "volumeMounts", index, "name")
                yield _finding(gateway, where, message, cure, name, "LOCO-REFERENCE")


def _hiding(gateway: Gateway, pod: Mapping[str, Any]) -> Iterator[Finding]:
    """A mount in the place of LiteLLM's own, or of the image's root; one within a directory for scratch files is fine."""
    more = gateway.spec.pod
    assert more is not None
    there = {each["mountPath"]: each.get("readOnly", False) for each in pod["containers"][0]["volumeMounts"]}
    for index, mount in enumerate(more.volume_mounts or []):
        written = str(mount.get("mountPath") or "")
        path: Path = ("volumeMounts", index, "mountPath")
        place = normpath(f"/{written.lstrip('/')}")
        if not written or ":" in written:
            continue  # which no pod may have
        if not written.startswith("/") or ".." in written.split("/"):
            message, cure = "a mount's path is absolute, without ..", "mountPath: /a/path"
            yield _finding(gateway, path, message, cure, written, "LOCO-VALUE")
        elif place == "/":
            message, cure = "a volume at / would hide LiteLLM itself", "a directory below"
            yield _finding(gateway, path, message, cure, written, "LOCO-VALUE")
        elif place in there or any(fixed and place.startswith(f"{own}/") for own, fixed in there.items()):
            message, cure = f"{written} is taken in the gateway's pods", "another mountPath"
            yield _finding(gateway, path, message, cure, written, "LOCO-DUPLICATE")
        else:
            there[place] = False


def _ports(gateway: Gateway, litellm: Mapping[str, Any]) -> Iterator[Finding]:
    """The containers of a pod share its ports, and Services find one by its name."""
    more = gateway.spec.pod
    assert more is not None
    names = {port["name"] for port in litellm["ports"]}
    numbers = {port["containerPort"] for port in litellm["ports"]}
    for field, added in (("initContainers", more.init_containers), ("containers", more.containers)):
        for index, container in enumerate(added or []):
            for number, port in enumerate(container.get("ports") or []):
                for key, taken in (("containerPort", numbers), ("name", names)):
                    if port.get(key) in taken:
                        message, cure = f"{port[key]} is taken in the gateway's pods", f"another {key}"
                        path: Path = (field, index, "ports", number, key)
                        yield _finding(gateway, path, message, cure, port[key], "LOCO-DUPLICATE")


def variables_of_containers(gateway: Gateway) -> Iterator[Variable]:
    """What the containers of one's own read from Secrets, key by key; like all of the pods' it is in a digest."""
    more = gateway.spec.pod
    fields: Iterable[tuple[str, list[dict[str, Any]] | None]] = ()
    if more is not None:
        fields = (("initContainers", more.init_containers), ("containers", more.containers))
    for field, added in fields:
        for index, container in enumerate(added or []):
            for number, variable in enumerate(container.get("env") or []):
                reference = (variable.get("valueFrom") or {}).get("secretKeyRef") or {}
                try:
                    source = SecretKey.model_validate({key: reference.get(key) for key in ("name", "key")})
                except ValidationError:
                    continue  # what isn't a reference, or a wrong one, of which the pod's own rules tell
                path: Path = ("pod", field, index, "env", number, "valueFrom", "secretKeyRef")
                yield Variable(variable["name"], source, gateway, path, required=not reference.get("optional", False))


def _finding(gateway: Gateway, path: Path, message: str, cure: str, value: object, code: str) -> Finding:
    return gateway.finding(("pod", *path), message, cure, value, code=code)
