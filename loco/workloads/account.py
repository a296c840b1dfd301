"""The service accounts of engine pods, and what a routing sidecar may do by them."""

from collections.abc import Mapping
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest
from loco.pods.reading import in_template
from loco.workloads.routing_sidecar import sidecar_of
from loco.workloads.side import Side, sides

_RBAC = "rbac.authorization.k8s.io"
_READ = ["get", "list", "watch"]
_POOL_GROUPS = ["inference.networking.x-k8s.io", "inference.networking.k8s.io"]
_FIELD = "serviceAccountName"


def account_of(resolved: Resolved, side: Side) -> str | None:
    """The account of a side's pods: the user's own, else loco's, None where they need none of their own.

    The pods of a LeaderWorkerSet always have one, and all of a group the same.
    """
    return _users_account(side) or _own_account(resolved, side)


def overruled_account(resolved: Resolved, side: Side) -> list[Finding]:
    """A warning where the leader's account takes the place of the one that a worker names."""
    if not side.multi_node:
        return []
    leader, worker = _named(side.workload.template), _named(side.workload.worker)
    if leader is None or worker in (None, leader):
        return []
    message = f"the pods of a group act with one account, the leader's, which is {leader}"
    cure, place = f"{_FIELD}: {leader}, or one of the two without it", side.worker
    warning = in_template(
        resolved, (_FIELD,), message, cure, place=place, code="LOCO-NO-EFFECT", severity="warning", value=worker
    )
    return [warning]


def accounts_and_rights(resolved: Resolved, component: str) -> list[Manifest]:
    """Accounts that loco makes, and the Role of the decode pods' sidecar with its binding.

    An account of the user's own gets the rights instead, and none is made. Pull secrets of the namespace's default
    account are not copied onto a new one, which would need the cluster: pods name theirs in ``imagePullSecrets``.
    """
    objects: list[dict[str, Any]] = []
    for side in sides(resolved):
        own = _own_account(resolved, side)
        if own is not None and account_of(resolved, side) == own:
            objects.append(_account(own, resolved, side.multi_node))
    main = next(sides(resolved))
    account = account_of(resolved, main)
    if account is not None and any(sidecar_of(pod or {}) for pod in (main.workload.template, main.workload.worker)):
        objects += _rights(account, resolved, main.multi_node)
    if _has_unused_set(resolved, main):
        user = _named(main.workload.template)
        unused = names.workload(resolved.name)
        objects += [] if user else [_account(unused, resolved, False)]
        objects += _rights(user or unused, resolved, False)
    # Of a binding Kubernetes lets nobody change the role; the subjects may change in place.
    return [
        Manifest(data, component, resolved.origin, replace_on=("roleRef",) if "roleRef" in data else ())
        for data in objects
    ]


def _users_account(side: Side) -> str | None:
    return _named(side.workload.template) or (_named(side.workload.worker) if side.multi_node else None)


def _own_account(resolved: Resolved, side: Side) -> str | None:
    if side.multi_node:
        own = names.prefill_groups_account if side.role == "prefill" else names.groups_account
        return own(resolved.name)
    needed = side.role != "prefill" and sidecar_of(side.workload.template or {}) is not None
    return names.workload(resolved.name) if needed else None


def _named(pod: Mapping[str, Any] | None) -> str | None:
    return (pod or {}).get(_FIELD) or None


def _has_unused_set(resolved: Resolved, main: Side) -> bool:
    """The reference gives a multi-node service the single-node rights too, which no pod acts with."""
    kept = resolved.profile.settings.unused_rights == "kept"
    return kept and main.multi_node and sidecar_of(main.workload.template or {}) is not None


def _account(name: str, resolved: Resolved, multi_node: bool) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": _metadata(name, resolved, multi_node)}


def _rights(account: str, resolved: Resolved, multi_node: bool) -> list[dict[str, Any]]:
    """A Role to read pods and pools, which is how the sidecar knows to whom it may send a prompt."""
    role = names.sidecar_role(resolved.name, multi_node)
    binding = names.sidecar_role_binding(resolved.name, multi_node)
    return [
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "Role",
            "metadata": _metadata(role, resolved, multi_node),
            "rules": [
                {"apiGroups": [""], "resources": ["pods"], "verbs": list(_READ)},
                {"apiGroups": list(_POOL_GROUPS), "resources": ["inferencepools"], "verbs": list(_READ)},
            ],
        },
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": _metadata(binding, resolved, multi_node),
            "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": role},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": resolved.namespace}],
        },
    ]


def _metadata(name: str, resolved: Resolved, multi_node: bool) -> dict[str, Any]:
    labels = names.account_labels(resolved.name) if multi_node else names.service_labels(resolved.name)
    return {"name": name, "namespace": resolved.namespace, "labels": labels}
