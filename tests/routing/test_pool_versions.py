"""InferencePool in the version that the platform's Gateway knows, and everybody who must call it by its group."""

from typing import Any

import jsonschema
import pytest
import yaml

from loco.plan import Plan
from tests.conftest import REPOSITORY
from tests.plan.stacks import found, one, plan_of, service

NEW, OLD = "inference.networking.k8s.io", "inference.networking.x-k8s.io"
GROUPS = [(None, NEW, "v1"), ("v1", NEW, "v1"), ("v1alpha2", OLD, "v1alpha2")]
ROUTED: dict[str, Any] = {"router": {"route": {}, "scheduler": {}}}
LABELS = {
    "app.kubernetes.io/name": "chat",
    "app.kubernetes.io/part-of": "llminferenceservice",
    "kserve.io/component": "workload",
}


def plan(*documents: Any, api: str | None = "v1alpha2", **config: Any) -> Plan:
    platform = {"gateway": {"name": "shared"}, **({"inferencePoolAPI": api} if api else {})}
    return plan_of(*documents, platform=platform, **config)


def words(made: Plan, workload: str, container: str) -> list[str]:
    pod = one(made, "Deployment", workload).data["spec"]["template"]["spec"]
    (each,) = (c for c in [*pod.get("initContainers", []), *pod["containers"]] if c["name"] == container)
    return [*each.get("command", []), *each.get("args", [])]


@pytest.mark.parametrize(("api", "group", "version"), GROUPS)
def test_everybody_calls_the_pool_by_its_group(api: str | None, group: str, version: str) -> None:
    made = plan(service({**ROUTED, "prefill": {}}), api=api)
    assert not made.errors
    pool, route = one(made, "InferencePool"), one(made, "HTTPRoute")
    assert pool.id.api_version == f"{group}/{version}"
    backends = [backend for rule in route.data["spec"]["rules"] for backend in rule["backendRefs"]]
    assert {backend["group"] for backend in backends if backend["kind"] == "InferencePool"} == {group}
    assert {edge.before for edge in made.edges if edge.before.kind == "InferencePool"} == {pool.id}
    assert any(edge.before == pool.id and edge.after == route.id for edge in made.edges)
    assert f"--pool-group={group}" in words(made, "chat-kserve", "llm-d-routing-sidecar")
    picker = words(made, "chat-kserve-router-scheduler", "main")
    assert ("--pool-group" in picker) is (group == OLD)
    assert group == NEW or picker[picker.index("--pool-group") + 1] == OLD
    assert not found(made, "LOCO-SELECTOR")


@pytest.mark.parametrize("api", ["v1", "v1alpha2"])
@pytest.mark.parametrize("topology", [{}, {"parallelism": {"data": 4, "dataLocal": 2}, "worker": {}}])
def test_reference_has_one_group_for_sidecars(api: str, topology: dict[str, Any]) -> None:
    made = plan(service({**ROUTED, **topology, "prefill": {}}), api=api, profile="kserve")
    shown = repr(
        [manifest.data for manifest in made.manifests if manifest.id.kind in ("Deployment", "LeaderWorkerSet")]
    )
    assert f"--pool-group={OLD}" in shown
    assert f"--pool-group={NEW}" not in shown


def test_words_of_the_older_version() -> None:
    made = plan(service(ROUTED))
    assert one(made, "InferencePool").data["spec"] == {
        "selector": LABELS,
        "targetPortNumber": 8000,
        "extensionRef": {
            "kind": "Service",
            "name": "chat-epp-service",
            "portNumber": 9002,
            "failureMode": "FailOpen",
        },
    }


def test_selector_that_finds_no_pods_is_told_of_either() -> None:
    pool = {"pool": {"spec": {"selector": {"matchLabels": {"app.kubernetes.io/name": "other"}}}}}
    for api in ("v1", "v1alpha2"):
        made = plan(service({"router": {"scheduler": pool}}), api=api)
        assert [w.subject for w in found(made, "LOCO-SELECTOR", "warning")] == ["InferencePool/llm/chat-inference-pool"]


@pytest.mark.parametrize(
    ("pool", "path"),
    [
        ({"targetPorts": [{"number": 8000}, {"number": 8001}]}, "targetPorts"),
        ({"targetPorts": [{"number": 8000, "name": "a"}]}, "targetPorts[0].name"),
        ({"selector": {"matchExpressions": []}}, "selector.matchExpressions"),
        ({"endpointPickerRef": {"port": {"number": 9002, "name": "grpc"}}}, "endpointPickerRef.port.name"),
        ({"appProtocol": "http"}, "appProtocol"),
    ],
)
def test_what_the_older_version_cant_say_is_refused(pool: dict[str, Any], path: str) -> None:
    made = plan(service({"router": {"scheduler": {"pool": {"spec": pool}}}}))
    (error,) = made.errors
    assert (error.code, error.path) == ("LOCO-VALUE", f"spec.router.scheduler.pool.spec.{path}")
    assert error.origin
    assert error.origin.layer == "service"
    assert "inferencePoolAPI" in error.cure


@pytest.mark.parametrize(("api", "group", "version"), GROUPS)
def test_traffic_groups_and_pools_of_others_follow(api: str | None, group: str, version: str) -> None:
    def member(name: str, scheduler: dict[str, Any]) -> dict[str, Any]:
        return service({"router": {"route": {"group": "g", "weight": 1}, "scheduler": scheduler}}, name)

    made = plan(member("a", {}), member("b", {"pool": {"ref": {"name": "theirs"}}}), api=api)
    rules = one(made, "HTTPRoute", "a-kserve-route").data["spec"]["rules"]
    shared = [b for rule in rules for b in rule["backendRefs"] if b["kind"] == "InferencePool"]
    assert {backend["name"] for backend in shared} == {"a-inference-pool", "theirs"}
    assert {backend["group"] for backend in shared} == {group}
    known = {manifest.id for manifest in made.manifests}
    assert {edge.before for edge in made.edges} <= known


def test_a_pool_group_that_a_user_gives_the_picker_stays() -> None:
    template = {"containers": [{"name": "main", "args": [f"--pool-group={OLD}"]}]}
    made = plan(service({"router": {"scheduler": {"template": template}}}))
    picker = words(made, "chat-kserve-router-scheduler", "main")
    assert [word for word in picker if "pool-group" in word] == [f"--pool-group={OLD}"]


def test_unknown_version_is_refused() -> None:
    (error,) = plan(service(ROUTED), api="v2").errors
    assert error.path == "platform.inferencePoolAPI"


@pytest.mark.parametrize(("group", "version"), [(NEW, "v1"), (OLD, "v1alpha2")])
def test_spec_is_one_of_its_version(group: str, version: str) -> None:
    text = (REPOSITORY / f"dev/cluster/crds/inferencepools.{group}.yaml").read_text()
    (served,) = yaml.safe_load(text)["spec"]["versions"]
    schema = served["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec = one(plan(service(ROUTED), api=version), "InferencePool").data["spec"]
    jsonschema.validate(spec, schema)
    assert spec.keys() <= schema["properties"].keys()
