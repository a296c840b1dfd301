"""The gateway's pods: unprivileged, patient, and without anything that LiteLLM would take for its own."""

from typing import Any

import pytest

from loco.pods.restricted import weaknesses
from tests.gateway.configs import env_of
from tests.plan.stacks import gateway, one, plan_of, service


def deployment(spec: dict[str, Any] | None = None, **config: Any) -> Any:
    plan = plan_of(service(), gateway(spec), **config)
    assert not plan.errors
    return one(plan, "Deployment", "main-litellm")


def test_passes_where_restricted_is_enforced() -> None:
    pod = deployment().data["spec"]["template"]["spec"]
    assert list(weaknesses(pod)) == []
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is pod["enableServiceLinks"] is False
    (container,) = pod["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert [mount["mountPath"] for mount in container["volumeMounts"]] == ["/etc/litellm", "/tmp"]


def test_says_goodbye_slowly() -> None:
    pod = deployment().data["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    env = {variable["name"]: variable.get("value") for variable in container["env"]}
    pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] > pause + int(env["GRACEFUL_SHUTDOWN_TIMEOUT"])


@pytest.mark.parametrize(
    ("probe", "path", "patience"),
    [
        ("startupProbe", "/health/readiness", 300),
        ("readinessProbe", "/health/readiness", 30),
        ("livenessProbe", "/health/liveliness", 90),
    ],
)
def test_probes_call_no_model_and_wait(probe: str, path: str, patience: int) -> None:
    (container,) = deployment().data["spec"]["template"]["spec"]["containers"]
    found = container[probe]
    assert found["httpGet"] == {"path": path, "port": 4000}
    assert found["timeoutSeconds"] >= 5
    assert found["periodSeconds"] * found["failureThreshold"] == patience


def test_environment_keeps_it_off_the_network_and_of_one_worker() -> None:
    env = env_of(plan_of(service(), gateway()))
    assert env["LITELLM_LOCAL_MODEL_COST_MAP"]["value"] == "True"
    assert env["LITELLM_MODE"]["value"] == "PRODUCTION"
    (container,) = deployment().data["spec"]["template"]["spec"]["containers"]
    assert container["args"][container["args"].index("--num_workers") + 1] == "1"


@pytest.mark.parametrize(("replicas", "ignored"), [(None, ("spec.replicas",)), (0, ()), (3, ())])
def test_replicas(replicas: int | None, ignored: tuple[str, ...]) -> None:
    made = deployment({} if replicas is None else {"replicas": replicas})
    assert made.data["spec"].get("replicas") == replicas
    assert made.ignore_changes == ignored
    assert made.data["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    assert not made.wait.skip


def test_image_of_the_users_own_and_mirrors() -> None:
    def image(spec: dict[str, Any], **config: Any) -> str:
        return str(deployment(spec, **config).data["spec"]["template"]["spec"]["containers"][0]["image"])

    assert image({}).startswith("ghcr.io/berriai/litellm-non_root:v")
    assert image({"image": "x.y/z:1"}) == "x.y/z:1"
    mirrors = {"platform": {"registries": {"ghcr.io": "mirror.x"}}}
    assert image({}, **mirrors).startswith("mirror.x/berriai/")


@pytest.mark.parametrize("name", ["a", "n" * 63])
def test_names_fit_and_agree(name: str) -> None:
    plan = plan_of(service(), gateway(name=name))
    assert not plan.errors
    (made,) = (m for m in plan.manifests if m.id.kind == "Deployment" and "litellm" in m.name)
    pod = made.data["spec"]["template"]["spec"]
    assert pod["volumes"][0]["configMap"]["name"] == one(plan, "ConfigMap").name
    reference = pod["containers"][0]["env"][-1]["valueFrom"]["secretKeyRef"]
    assert reference["name"] == one(plan, "Secret").name
    assert all(len(manifest.name) <= 63 for manifest in plan.manifests)


def test_gateway_and_service_of_one_name() -> None:
    plan = plan_of(service(), gateway(name="chat"))
    assert not plan.findings
