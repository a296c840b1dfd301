"""How Prometheus may read endpoint pickers' metrics: an account with that right alone, and its token.

A picker asks the Kubernetes API whose token it is shown, and whether that account may get ``/metrics``. The token's
Secret is made empty: Kubernetes fills it, keeps it as long as the account is there, and nobody else needs to know it.
"""

from collections.abc import Iterable
from typing import Any

from loco import names
from loco.gateway.documents import Observability
from loco.model import Edge, Manifest, Parts

_RBAC = "rbac.authorization.k8s.io"


def picker_access(observability: Observability, component: str, namespaces: Iterable[str]) -> Parts:
    """The account and the Secret with its token in each namespace that has pickers; the right, which is cluster-wide."""
    places = sorted(set(namespaces))
    if not places:
        return Parts()
    labels = names.observability_labels(observability.name)
    reader = names.metrics_reader(observability.namespace, observability.name)
    account, secret = _account(observability), token_secret(observability)
    origin = observability.origin_at("metrics")
    role = Manifest(
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRole",
            "metadata": {"name": reader, "labels": labels},
            "rules": [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}],
        },
        component,
        origin,
    )
    binding = Manifest(
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": reader, "labels": labels},
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": reader},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": place} for place in places],
        },
        component,
        origin,
        replace_on=("roleRef",),
    )
    parts = Parts(manifests=[role, binding], edges=[Edge(role.id, binding.id, "the binding refers to it")])
    for place in places:
        owner: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": account, "namespace": place, "labels": labels},
            "automountServiceAccountToken": False,
        }
        token = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "name": secret,
                "namespace": place,
                "labels": labels,
                "annotations": {"kubernetes.io/service-account.name": account},
            },
            "type": "kubernetes.io/service-account-token",
        }
        made = [Manifest(data, component, origin) for data in (owner, token)]
        parts.manifests += made
        parts.edges.append(Edge(made[0].id, made[1].id, "Kubernetes refuses a token without its account"))
    return parts


def token_secret(observability: Observability) -> str:
    """The name of the Secret with the token, in each namespace that has pickers."""
    return names.monitor(observability.name, "metrics-reader-token")


def _account(observability: Observability) -> str:
    return names.monitor(observability.name, "metrics-reader")
