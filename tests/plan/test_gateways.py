"""Gateways among services: what comes before them, what never does, and what goes when a model goes."""

from collections import defaultdict
from typing import Any

import pytest

from loco.plan import Plan
from tests.gateway.configs import EXISTING, config_of, key
from tests.plan.stacks import external, found, gateway, one, plan_of, service

ROUTED = {"router": {"route": {}, "scheduler": {}}}
PLATFORM = {"gateway": {"name": "shared", "namespace": "infra", "internalURL": "http://gw"}}


def full(*documents: Any, **config: Any) -> Plan:
    plan = plan_of(*documents, **{"platform": PLATFORM, **config})
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


def reachable(plan: Plan, start: Any) -> set[str]:
    """All that comes after an object, however indirectly."""
    after = defaultdict(list)
    for edge in plan.edges:
        after[edge.before].append(edge.after)
    seen, waiting = set(), [start]
    while waiting:
        for follower in after[waiting.pop()]:
            if follower not in seen:
                seen.add(follower)
                waiting.append(follower)
    return {str(found) for found in seen}


def test_what_pods_read_comes_before_every_gateway() -> None:
    config = {
        "cluster": {"context": "c", "createNamespaces": True},
        "credentials": {"openai": {"token": {"config": "x"}}},
    }
    gateways = [gateway(name=name, namespace=space) for name in ("a", "b") for space in ("x", "y")]
    plan = full(service(ROUTED), external({"auth": key("openai")}), *gateways, **config)
    order = [str(manifest.id) for manifest in plan.manifests]
    edges = {(str(edge.before), str(edge.after)) for edge in plan.edges}
    for name in ("a", "b"):
        for space in ("x", "y"):
            front = f"Deployment/{space}/{name}-litellm"
            for before in (
                f"Namespace/{space}",
                f"Secret/{space}/{name}-litellm-master-key",
                f"Secret/{space}/openai",
                f"ConfigMap/{space}/{name}-litellm-config",
            ):
                assert (before, front) in edges
                assert order.index(before) < order.index(front)


def test_gateway_never_waits_for_a_model() -> None:
    plan = full(service(ROUTED), service(name="plain"), external(), gateway())
    for manifest in plan.manifests:
        if manifest.component and manifest.component.startswith("LLMInferenceService/"):
            assert not [after for after in reachable(plan, manifest.id) if "litellm" in after]


def test_model_that_goes_takes_its_entry_along() -> None:
    before, after = full(service(), external(), gateway()), full(external(), gateway())
    names = [[entry["model_name"] for entry in config_of(plan)["model_list"]] for plan in (before, after)]
    assert names == [["gpt", "tiny"], ["gpt"]]


@pytest.mark.parametrize(
    "gone",
    [
        {"documents": [external()]},
        {"documents": [service(), external()], "overrides": {"LLMInferenceService/chat": {"enabled": False}}},
        {"documents": [service(annotations={"serving.kserve.io/stop": "true"}), external()]},
    ],
    ids=["deleted", "disabled", "stopped"],
)
def test_fallback_to_a_model_that_went_is_an_error(gone: dict[str, Any]) -> None:
    documents = gone.pop("documents")
    plan = plan_of(*documents, gateway({"fallbacks": [{"gpt": ["tiny"]}]}), **gone)
    assert [error.code for error in plan.errors] == ["LOCO-REFERENCE"]


def test_disabled_documents_are_left_out() -> None:
    off = {"ExternalModel/gpt": {"enabled": False}, "LiteLLMGateway/second": {"enabled": False}}
    plan = full(service(), external(), gateway(), gateway(name="second"), overrides=off)
    assert list(plan.outputs["gateways"]) == ["llm/main"]
    assert len(config_of(plan)["model_list"]) == 1


def test_defaults_and_overrides_of_both_kinds() -> None:
    layers = {
        "defaults": {"ExternalModel": {"metadata": {"labels": {"a": "b"}}, "spec": {"mode": "embedding"}}},
        "overrides": {"LiteLLMGateway/main": {"spec": {"replicas": 4, "models": {"matchLabels": {"a": "b"}}}}},
    }
    plan = full(external(), external({"mode": "chat"}, "b"), gateway({"replicas": 1}), **layers)
    assert [entry["model_info"]["mode"] for entry in config_of(plan)["model_list"]] == ["chat", "embedding"]
    assert one(plan, "Deployment").data["spec"]["replicas"] == 4


@pytest.mark.parametrize("namespace", ["default", "kube-system", "kube-public", "kube-flannel"])
def test_kubernetes_own_namespaces_are_never_made(namespace: str) -> None:
    cluster = {"context": "c", "createNamespaces": True}
    plan = full(service(), gateway(namespace=namespace), cluster=cluster)
    assert [m.name for m in plan.manifests if m.id.kind == "Namespace"] == ["llm"]


def test_selectors_are_checked() -> None:
    same = {"labels": {"app.kubernetes.io/name": "same"}}
    plan = plan_of(service(same, name="a"), service(same, name="b"))
    assert len(found(plan, "LOCO-SELECTOR", "error")) == 2


def test_outputs_name_gateways_and_their_key() -> None:
    reference = {"masterKey": {"secretRef": {"name": "mine", "key": "k"}}}
    plan = full(
        external({"auth": key("openai")}),
        gateway(),
        gateway(reference, "b", namespace="far"),
        credentials={**EXISTING, "mine": {"k": {"existing": True}}},
    )
    assert plan.outputs["gateways"] == {
        "llm/main": {
            "name": "main",
            "namespace": "llm",
            "url": "http://main-litellm.llm.svc.cluster.local:4000",
            "externalURLs": [],
            "masterKey": {"namespace": "llm", "name": "main-litellm-master-key", "key": "master-key"},
        },
        "far/b": {
            "name": "b",
            "namespace": "far",
            "url": "http://b-litellm.far.svc.cluster.local:4000",
            "externalURLs": [],
            "masterKey": {"namespace": "far", "name": "mine", "key": "k"},
        },
    }


def test_object_that_two_documents_ask_for_is_told() -> None:
    """The picker's Service may be called anything, and so like a gateway's."""
    pool = {"spec": {"endpointPickerRef": {"name": "main-litellm"}}}
    plan = plan_of(service({"router": {"scheduler": {"pool": pool}}}), gateway(), platform=PLATFORM)
    assert found(plan, "LOCO-DUPLICATE", "error")


def test_faults_of_workload_and_route_are_told_together() -> None:
    template = {"$patch": "replace", "containers": [{"name": "engine", "image": "x"}]}
    plan = plan_of(service({"template": template, "router": {"route": {}}}))
    assert sorted(error.path for error in plan.errors) == ["spec.router.route", "spec.template.containers"]
