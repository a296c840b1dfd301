"""What Kubernetes lets nobody change in place is replaced, for every kind that a plan can hold."""

import pytest

from tests.e2e.topology_table import DOCUMENTS, PROFILES, plan_for

_SELECTOR, _ROLE = {"spec.selector"}, {"roleRef"}
# By kind; where the provider knows by itself that it must replace, that is said.
REPLACED: dict[str, set[str]] = {
    "ClusterRoleBinding": _ROLE,
    "ConfigMap": set(),  # one of the user's may be made immutable
    "Deployment": _SELECTOR,
    "HTTPRoute": set(),
    "HorizontalPodAutoscaler": set(),
    "InferencePool": set(),
    "Ingress": set(),
    "Job": set(),  # provider: its template, selector and parallelism
    "LeaderWorkerSet": {"spec.leaderWorkerTemplate.size", "spec.leaderWorkerTemplate.subGroupPolicy"},
    "NetworkPolicy": set(),
    "PersistentVolumeClaim": {"spec.dataSource", "spec.dataSourceRef", "spec.volumeMode"},  # provider: class, modes, …
    "PodDisruptionBudget": set(),  # its selector may change since policy/v1
    "ResourceClaimTemplate": {"spec"},
    "Role": set(),
    "RoleBinding": _ROLE,
    "ScaledObject": set(),
    "Secret": set(),  # provider: type
    "Service": set(),  # provider: clusterIP, which no layer writes; a load balancer's class the API server guards
    "ServiceAccount": set(),
}
USERS_OWN = {"ConfigMap": {"immutable"}}


@pytest.mark.parametrize("profile", PROFILES)
def test_every_kind_says_what_of_it_is_immutable(profile: str) -> None:
    seen = set()
    for name in DOCUMENTS:
        for manifest in plan_for(name, profile).manifests:
            kind = manifest.id.kind
            seen.add(kind)
            wanted = REPLACED[kind] | (USERS_OWN.get(kind, set()) if manifest.component is None else set())
            assert set(manifest.replace_on) == wanted, f"{name}: {manifest.id}"
    # The budget of an endpoint picker with replicas is made under every profile, and so is a gateway's policy.
    assert seen == REPLACED.keys()
