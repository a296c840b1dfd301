"""The endpoint picker (llm-d router): Deployment, Service, account and rights."""

from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest, Wait
from loco.pods.certificate import mount_certificate, needs_certificate
from loco.pods.rules import refused_pod
from loco.pods.security import restrict
from loco.routing.inference_pool import picker_service_name
from loco.routing.picker_config import default_config
from loco.routing.picker_flags import config_flag_in, has_flag
from loco.spec.tree import at, plain

_PICKER = "main"
_TEMPLATE = ("router", "scheduler", "template")
_SERVED_PORTS = ("grpc", "grpc-health", "metrics", "zmq")
_START_SECONDS = 600
_READ = ["get", "list", "watch"]
_POOL_GROUPS = ["inference.networking.k8s.io", "inference.networking.x-k8s.io"]
# What the picker's informers list and watch; leader election writes leases.
_RULES: tuple[dict[str, Any], ...] = (
    {"apiGroups": [""], "resources": ["pods"], "verbs": _READ},
    {
        "apiGroups": _POOL_GROUPS,
        "resources": ["inferencepools", "inferenceobjectives", "inferencemodels"],
        "verbs": _READ,
    },
    {
        "apiGroups": ["inference.networking.x-k8s.io"],
        "resources": ["inferencemodelrewrites", "inferencepoolimports"],
        "verbs": _READ,
    },
    {"apiGroups": ["llm-d.ai"], "resources": ["inferenceobjectives", "inferencemodelrewrites"], "verbs": _READ},
    {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": _READ},
    {
        "apiGroups": ["coordination.k8s.io"],
        "resources": ["leases"],
        "verbs": [*_READ, "create", "update", "patch", "delete"],
    },
)
_EVENTS = {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]}


def picker_deployment(resolved: Resolved, component: str) -> tuple[Manifest, list[Finding]]:
    """One picker at a time (Recreate): two of them would each believe to know the load of all engines.

    With ``router.scheduler.replicas`` above 1 the others stand by, by leader election.
    """
    scheduler = resolved.spec.router.scheduler if resolved.spec.router else None
    template = at(resolved.tree, ("router", "scheduler", "template"))
    pod: dict[str, Any] = plain(template) if template is not None else {}
    containers = pod.get("containers") or []
    picker = next((container for container in containers if container.get("name") == _PICKER), None)
    replicas = scheduler.replicas if scheduler else None
    if picker is not None:
        _assemble_arguments(picker, resolved, replicas)
        if needs_certificate(resolved):
            mount_certificate(pod, picker, resolved)
    findings = restrict(pod, resolved, _TEMPLATE)
    findings += refused_pod(pod, resolved, _TEMPLATE)
    labels = names.picker_labels(resolved.name)
    metadata: dict[str, Any] = {"labels": labels | ((scheduler.labels if scheduler else None) or {})}
    if scheduler and scheduler.annotations:
        metadata["annotations"] = dict(scheduler.annotations)
    spec: dict[str, Any] = {
        "selector": {"matchLabels": dict(labels)},
        "strategy": {"type": "Recreate"},
        "template": {"metadata": metadata, "spec": pod},
    }
    if replicas is not None:
        spec["replicas"] = replicas
    data = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _metadata(names.picker(resolved.name), resolved),
        "spec": spec,
    }
    # Pickers that stand by are never ready, so there is nothing to wait for.
    wait = Wait(skip=True) if (replicas or 1) > 1 else Wait(timeout_seconds=_START_SECONDS)
    ignored = () if replicas is not None else ("spec.replicas",)
    return Manifest(data, component, resolved.origin, wait, ignored, ("spec.selector",)), findings


def picker_service(resolved: Resolved, component: str) -> Manifest:
    """Every port of the picker's containers that goes by one of the four known names."""
    template = at(resolved.tree, ("router", "scheduler", "template"))
    pod: dict[str, Any] = plain(template) if template is not None else {}
    ports = [
        {
            "name": port["name"],
            "port": port["containerPort"],
            "targetPort": port["name"],
            "protocol": port.get("protocol", "TCP"),
        }
        for container in pod.get("containers") or []
        for port in container.get("ports") or []
        if port.get("name") in _SERVED_PORTS
    ]
    data = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata(picker_service_name(resolved), resolved),
        "spec": {
            "selector": names.picker_labels(resolved.name),
            "ports": sorted(ports, key=lambda port: str(port["name"])),
        },
    }
    return Manifest(data, component, resolved.origin, wait=Wait(skip=True))


def picker_rbac(resolved: Resolved, component: str) -> list[Manifest]:
    """Account, Role and its binding, and the cluster-wide binding for authenticated metrics."""
    namespace = resolved.namespace
    account = names.picker_account(resolved.name)
    subject = {"kind": "ServiceAccount", "name": account, "namespace": namespace}
    rules = [dict(rule) for rule in _RULES]
    if resolved.profile.settings.picker_events == "allowed":
        rules.append(dict(_EVENTS))
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": names.picker_role(resolved.name)}
    delegator = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:auth-delegator"}
    cluster_wide = _metadata(names.picker_auth_binding(namespace, resolved.name), resolved)
    del cluster_wide["namespace"]
    objects: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": _metadata(account, resolved)},
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "Role",
            "metadata": _metadata(names.picker_role(resolved.name), resolved),
            "rules": rules,
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": _metadata(names.picker_role_binding(resolved.name), resolved),
            "roleRef": role,
            "subjects": [subject],
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": cluster_wide,
            "roleRef": delegator,
            "subjects": [dict(subject)],
        },
    ]
    return [Manifest(data, component, resolved.origin) for data in objects]


def _assemble_arguments(picker: dict[str, Any], resolved: Resolved, replicas: int | None) -> None:
    """The user's own args first, then leader election and the config, each unless the args have it already."""
    arguments = list(picker.get("args") or [])
    if (replicas or 1) > 1 and not has_flag(arguments, "ha-enable-leader-election"):
        arguments.append("--ha-enable-leader-election")
    if not config_flag_in(arguments):
        arguments += ["--config-text", default_config(resolved.tls)]
    picker["args"] = arguments
    if picker.get("command") and (resolved.tls or resolved.profile.settings.empty_arguments == "dropped"):
        picker["command"] = [word for word in picker["command"] if word != ""]


def _metadata(name: str, resolved: Resolved) -> dict[str, Any]:
    return {"name": name, "namespace": resolved.namespace, "labels": names.picker_labels(resolved.name)}
