"""Devices that a service's annotations claim for its engines."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import container_of, one, plan_of, pod_of, service

PREFIX = "serving.kserve.io/exp-dra-"
CLAIM = [{"name": "managed-device", "resourceClaimTemplateName": "chat-managed-dra"}]


def claiming(spec: dict[str, Any] | None = None, *, claimed: str = "gpu.nvidia.com", **annotations: str) -> Plan:
    written = {"device-class": claimed, **{key.replace("_", "-"): value for key, value in annotations.items()}}
    return plan_of(service(spec, annotations={f"{PREFIX}{key}": value for key, value in written.items()}))


def request_of(plan: Plan) -> dict[str, Any]:
    template = one(plan, "ResourceClaimTemplate").data
    assert template["apiVersion"] == "resource.k8s.io/v1"
    assert template["metadata"] == {"name": "chat-managed-dra", "namespace": "llm"}
    (request,) = template["spec"]["spec"]["devices"]["requests"]
    assert request["name"] == "device"
    found: dict[str, Any] = request["exactly"]
    return found


def test_engine_claims_a_device() -> None:
    plan = claiming()
    assert not plan.findings
    assert request_of(plan) == {"deviceClassName": "gpu.nvidia.com"}
    assert pod_of(plan)["resourceClaims"] == CLAIM
    assert container_of(plan)["resources"]["claims"] == [{"name": "managed-device"}]


def test_count_and_selectors() -> None:
    plan = claiming(device_count=" 2 ", cel_selector="\n a == 'b' \n\n  c >= 1\n")
    assert request_of(plan) == {
        "deviceClassName": "gpu.nvidia.com",
        "count": 2,
        "selectors": [{"cel": {"expression": "a == 'b'"}}, {"cel": {"expression": "c >= 1"}}],
    }
    assert request_of(claiming(device_count="1")) == {"deviceClassName": "gpu.nvidia.com"}


def test_template_stands_before_the_pods_that_claim_by_it() -> None:
    kinds = [manifest.id.kind for manifest in claiming({"prefill": {}}).manifests]
    assert kinds.index("ResourceClaimTemplate") < kinds.index("Deployment")
    assert one(claiming(), "ResourceClaimTemplate").replace_on == ("spec",)


def test_engine_gets_them_though_a_sidecar_stands_before_it() -> None:
    side = {"containers": [{"name": "side", "image": "x"}, {"name": "main"}]}
    assert "resources" not in container_of(claiming({"template": side}), "side")
    assert container_of(claiming({"template": side}))["resources"]["claims"]
    chosen = claiming({"template": side}, container_name="side")
    assert container_of(chosen, "side")["resources"]["claims"]
    assert "claims" not in container_of(chosen).get("resources", {})


def test_container_that_is_not_there_is_an_error() -> None:
    (error,) = claiming(container_name="engine").errors
    assert error.path == f'metadata.annotations["{PREFIX}container-name"]'
    assert "main" in error.cure


def test_every_engine_pod_of_both_sides_claims() -> None:
    group = {"parallelism": {"data": 2, "dataLocal": 1}, "worker": {"containers": [{"name": "main"}]}}
    plan = claiming({**group, "prefill": {"template": {}}})
    pods = []
    for manifest in plan.manifests:
        if manifest.id.kind == "LeaderWorkerSet":
            template = manifest.data["spec"]["leaderWorkerTemplate"]
            pods += [template[key]["spec"] for key in ("leaderTemplate", "workerTemplate") if key in template]
        elif manifest.id.kind == "Deployment":
            pods.append(manifest.data["spec"]["template"]["spec"])
    assert len(pods) >= 2
    assert all(pod["resourceClaims"] == CLAIM for pod in pods)


def test_claims_of_the_users_own_stay() -> None:
    own = {"name": "nic", "resourceClaimName": "nics"}
    template = {"resourceClaims": [own], "containers": [{"name": "main", "resources": {"claims": [{"name": "nic"}]}}]}
    plan = claiming({"template": template})
    assert pod_of(plan)["resourceClaims"] == [own, *CLAIM]
    assert container_of(plan)["resources"]["claims"] == [{"name": "nic"}, {"name": "managed-device"}]


@pytest.mark.parametrize(
    ("tensor", "count", "fits"), [(1, "1", True), (2, "2", True), (2, "1", False), (4, "2", False)]
)
def test_fewer_devices_than_the_engine_spans_are_an_error(tensor: int, count: str, fits: bool) -> None:
    plan = claiming({"parallelism": {"tensor": tensor}}, device_count=count)
    assert [error.path for error in plan.errors] == ([] if fits else [f'metadata.annotations["{PREFIX}device-count"]'])


def test_engine_with_gpus_of_another_kind_may_claim_what_it_likes() -> None:
    gpus = {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": 2}}}]}
    plan = claiming({"parallelism": {"tensor": 2}, "template": gpus, "replicas": 2}, claimed="nic.example.com")
    assert not plan.errors


def test_without_the_annotations_nothing_is_claimed() -> None:
    plan = plan_of(service())
    assert "resourceClaims" not in pod_of(plan)
    assert "ResourceClaimTemplate" not in [manifest.id.kind for manifest in plan.manifests]
