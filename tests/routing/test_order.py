"""What comes before what, and that every reference is to an object of the plan, however long the names are."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loco.model import Manifest
from loco.plan import Plan
from tests.plan.stacks import one, plan_of, planned, service

FULL = {"router": {"route": {}, "scheduler": {}}}
PLATFORM = {"gateway": {"name": "shared", "namespace": "infra", "internalURL": "http://gw"}, "tls": True}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("ServiceAccount/llm/chat-epp-sa", "Deployment/llm/chat-kserve-router-scheduler"),
        ("Role/llm/chat-epp-role", "Deployment/llm/chat-kserve-router-scheduler"),
        ("RoleBinding/llm/chat-epp-rb", "Deployment/llm/chat-kserve-router-scheduler"),
        ("ClusterRoleBinding/llm-chat-epp-auth-rb", "Deployment/llm/chat-kserve-router-scheduler"),
        ("Secret/llm/chat-kserve-self-signed-certs", "Deployment/llm/chat-kserve-router-scheduler"),
        ("Service/llm/chat-epp-service", "InferencePool/llm/chat-inference-pool"),
        ("InferencePool/llm/chat-inference-pool", "HTTPRoute/llm/chat-kserve-route"),
        ("Service/llm/chat-kserve-workload-svc", "HTTPRoute/llm/chat-kserve-route"),
    ],
)
def test_edges(before: str, after: str) -> None:
    plan = planned(FULL, platform=PLATFORM)
    assert (before, after) in {(str(edge.before), str(edge.after)) for edge in plan.edges}
    order = [str(manifest.id) for manifest in plan.manifests]
    assert order.index(before) < order.index(after)


def test_without_a_scheduler_there_is_a_route_only() -> None:
    plan = planned({"router": {"route": {}}}, platform={"gateway": {"name": "g"}})
    kinds = sorted(manifest.id.kind for manifest in plan.manifests)
    assert kinds == ["Deployment", "HTTPRoute", "PodDisruptionBudget", "Service"]


def test_empty_router_is_no_router() -> None:
    assert [m.data for m in planned({"router": {}}).manifests] == [m.data for m in planned().manifests]


def referred(plan: Plan, manifest: Manifest) -> Iterator[tuple[str, str, str]]:
    """Kind, namespace and name of every object that a manifest refers to by name."""
    spec: Any = manifest.data.get("spec") or {}
    if manifest.id.kind == "HTTPRoute":
        for rule in spec["rules"]:
            for backend in rule["backendRefs"]:
                yield backend["kind"], manifest.namespace, backend["name"]
    elif manifest.id.kind == "InferencePool":
        yield spec["endpointPickerRef"]["kind"], manifest.namespace, spec["endpointPickerRef"]["name"]
    elif manifest.id.kind in ("RoleBinding", "ClusterRoleBinding"):
        for subject in manifest.data["subjects"]:
            yield subject["kind"], subject["namespace"], subject["name"]
        if manifest.data["roleRef"]["kind"] == "Role":
            yield "Role", manifest.namespace, manifest.data["roleRef"]["name"]
    elif manifest.id.kind == "Deployment":
        pod = spec["template"]["spec"]
        if account := pod.get("serviceAccountName"):
            yield "ServiceAccount", manifest.namespace, account
        for volume in pod.get("volumes") or []:
            if "secret" in volume:
                yield "Secret", manifest.namespace, volume["secret"]["secretName"]
        for container in pod["containers"]:
            command = container.get("command") or []
            if "--pool-name" in command:
                yield (
                    "InferencePool",
                    command[command.index("--pool-namespace") + 1],
                    command[command.index("--pool-name") + 1],
                )


@given(st.integers(1, 63), st.sampled_from(["a", "ab-", "model-0"]), st.integers(1, 63))
@settings(max_examples=60, deadline=None)
def test_names_agree_at_every_length(length: int, stem: str, space: int) -> None:
    name = ((stem * 63)[: length - 1] + "z") if length > 1 else "a"
    plan = plan_of(service(FULL, name=name, namespace="n" * space), platform=PLATFORM)
    assert not plan.errors
    existing = {(m.id.kind, m.namespace, m.name) for m in plan.manifests}
    references = [reference for manifest in plan.manifests for reference in referred(plan, manifest)]
    assert len(references) == 20
    assert len({kind for kind, _, _ in references}) == 5
    assert set(references) <= existing
    assert all(len(m.name) <= 63 for m in plan.manifests)
    workloads = plan.outputs["models"][f"{'n' * space}/{name}"]["workloads"]
    assert one(plan, "InferencePool", workloads["pool"])
    assert one(plan, "Deployment", workloads["scheduler"]["name"])
