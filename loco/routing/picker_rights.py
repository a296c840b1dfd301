"""What the endpoint picker may do: its account, Role and bindings."""

from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Manifest
from loco.routing.endpoint_picker import picker_metadata
from loco.spec.tree import at, plain

_READ = ["get", "list", "watch"]
_POOL_GROUPS = ["inference.networking.k8s.io", "inference.networking.x-k8s.io"]
_RBAC = "rbac.authorization.k8s.io"
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


def picker_rights(resolved: Resolved, component: str) -> list[Manifest]:
    """Account, Role and its binding, and the cluster-wide binding for authenticated metrics.

    An account of the user's own in the picker's pod gets the rights instead, and none is made.
    """
    namespace = resolved.namespace
    own = names.picker_account(resolved.name)
    written = at(resolved.tree, ("router", "scheduler", "template", "serviceAccountName"))
    account = (plain(written) if written is not None else None) or own
    subject = {"kind": "ServiceAccount", "name": account, "namespace": namespace}
    rules = [{key: list(words) for key, words in rule.items()} for rule in _RULES]
    if resolved.profile.settings.picker_events == "allowed":
        rules.append(dict(_EVENTS))
    role = {"apiGroup": _RBAC, "kind": "Role", "name": names.picker_role(resolved.name)}
    delegator = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": "system:auth-delegator"}
    cluster_wide = picker_metadata(names.picker_auth_binding(namespace, resolved.name), resolved)
    del cluster_wide["namespace"]
    objects: list[dict[str, Any]] = [
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "Role",
            "metadata": picker_metadata(names.picker_role(resolved.name), resolved),
            "rules": rules,
        },
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": picker_metadata(names.picker_role_binding(resolved.name), resolved),
            "roleRef": role,
            "subjects": [subject],
        },
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": cluster_wide,
            "roleRef": delegator,
            "subjects": [dict(subject)],
        },
    ]
    if account == own:
        metadata = picker_metadata(own, resolved)
        objects.insert(0, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
    # Of a binding Kubernetes lets nobody change the role; the subjects may change in place.
    return [
        Manifest(data, component, resolved.origin, replace_on=("roleRef",) if "roleRef" in data else ())
        for data in objects
    ]
