"""What in a pod stands against Kubernetes' restricted pod security standard (which includes the baseline one)."""

from collections.abc import Iterator, Mapping
from typing import Any

from loco.pods.reading import containers_of
from loco.spec.tree import Path

_VOLUMES = frozenset(
    {
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    }
)
_HOST = ("hostNetwork", "hostPID", "hostIPC")
_SYSCTLS = frozenset(
    {
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.ping_group_range",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.tcp_wmem",
    }
)
_SELINUX_TYPES = frozenset({"", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"})
_HANDLERS = (
    ("livenessProbe",),
    ("readinessProbe",),
    ("startupProbe",),
    ("lifecycle", "postStart"),
    ("lifecycle", "preStop"),
)


def weaknesses(pod: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Each setting that the standard refuses, with what the pod does by it.

    What the standard wants to see written, such as ``runAsNonRoot: true``, is filled in before and not asked for here.
    """
    for field in _HOST:
        if pod.get(field):
            yield (field,), "shares a namespace with the host"
    for index, volume in enumerate(pod.get("volumes") or []):
        for source in sorted(volume.keys() - {"name"} - _VOLUMES):
            yield ("volumes", index, source), f"mounts a volume of the kind {source}"
    context: Mapping[str, Any] = pod.get("securityContext") or {}
    yield from _in_any_context(context, ("securityContext",))
    for index, sysctl in enumerate(context.get("sysctls") or []):
        if sysctl.get("name") not in _SYSCTLS:
            yield ("securityContext", "sysctls", index), f"sets the kernel parameter {sysctl.get('name')}"
    for path, container in containers_of(pod):
        yield from _in_container(container, path)


def _in_container(container: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    context: Mapping[str, Any] = container.get("securityContext") or {}
    where: Path = (*path, "securityContext")
    yield from _in_any_context(context, where)
    capabilities: Mapping[str, Any] = context.get("capabilities") or {}
    added = set(capabilities.get("add") or []) - {"NET_BIND_SERVICE"}
    if context.get("privileged"):
        yield (*where, "privileged"), "is privileged"
    elif context.get("allowPrivilegeEscalation") and "CAP_SYS_ADMIN" not in added:  # which brings it along
        yield (*where, "allowPrivilegeEscalation"), "may gain privileges"
    if context.get("procMount") not in (None, "Default"):
        yield (*where, "procMount"), "sees an unmasked /proc"
    if "ALL" not in (capabilities.get("drop") or []):
        yield (*where, "capabilities", "drop"), "keeps capabilities"
    if added:
        yield (*where, "capabilities", "add"), f"adds {', '.join(sorted(added))}"
    for number, port in enumerate(container.get("ports") or []):
        if port.get("hostPort"):
            yield (*path, "ports", number, "hostPort"), "takes a port of the host"
    for handler in _HANDLERS:
        actions: Any = container
        for key in handler:
            actions = (actions or {}).get(key)
        for action in ("httpGet", "tcpSocket"):
            if ((actions or {}).get(action) or {}).get("host"):
                yield (*path, *handler, action, "host"), "lets the node call another host"


def _in_any_context(context: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    """What pods' and containers' contexts have in common."""
    if context.get("runAsUser") == 0:
        yield (*path, "runAsUser"), "runs as root"
    elif context.get("runAsNonRoot") is False:
        yield (*path, "runAsNonRoot"), "may run as root"
    for field, system in (("seccompProfile", "seccomp"), ("appArmorProfile", "AppArmor")):
        if (context.get(field) or {}).get("type") == "Unconfined":
            yield (*path, field, "type"), f"is not confined by {system}"
    options: Mapping[str, Any] = context.get("seLinuxOptions") or {}
    if (options.get("type") or "") not in _SELINUX_TYPES:
        yield (*path, "seLinuxOptions", "type"), f"has the SELinux type {options['type']}"
    for field in ("user", "role"):
        if options.get(field):
            yield (*path, "seLinuxOptions", field), f"has an SELinux {field} of its own"
    if (context.get("windowsOptions") or {}).get("hostProcess"):
        yield (*path, "windowsOptions", "hostProcess"), "is a process of the host"
