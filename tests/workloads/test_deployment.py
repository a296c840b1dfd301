"""The Deployment of a single-node service, its Service and its labels."""

from typing import Any

import pytest

from tests.plan.stacks import container_of, found, one, plan_of, planned, pod_of, service

PROFILES = ("safe", "kserve")
OWN_LABELS = {
    "app.kubernetes.io/component": "llminferenceservice-workload",
    "app.kubernetes.io/name": "chat",
    "app.kubernetes.io/part-of": "llminferenceservice",
    "kserve.io/component": "workload",
    "llm-d.ai/role": "both",
}
SELECTOR = {key: OWN_LABELS[key] for key in OWN_LABELS if key.endswith(("name", "part-of", "kserve.io/component"))}
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def main_with(**fields: Any) -> dict[str, Any]:
    return {"template": {"containers": [{"name": "main", **fields}]}}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("labels", [{}, {"team": "a"}, {"app.kubernetes.io/name": "other", "llm-d.ai/role": "x"}])
def test_labels_reach_deployment_and_pods_and_never_leave_the_selector_behind(
    profile: str, labels: dict[str, str]
) -> None:
    deployment = one(planned({"labels": labels}, profile=profile), "Deployment").data
    expected = {**OWN_LABELS, **labels}
    assert deployment["metadata"]["labels"] == expected
    own = expected if profile == "kserve" else {key: expected[key] for key in OWN_LABELS}
    assert deployment["spec"]["selector"] == {"matchLabels": own}
    assert deployment["spec"]["template"]["metadata"]["labels"] == expected


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("replicas", [0, 1, 4])
def test_written_replicas_are_loco_s(profile: str, replicas: int) -> None:
    deployment = one(planned({"replicas": replicas}, profile=profile), "Deployment")
    assert deployment.data["spec"]["replicas"] == replicas
    assert deployment.ignore_changes == ()


@pytest.mark.parametrize("profile", PROFILES)
def test_unwritten_replicas_belong_to_whoever_scales(profile: str) -> None:
    deployment = one(planned(profile=profile), "Deployment")
    assert "replicas" not in deployment.data["spec"]
    assert deployment.ignore_changes == ("spec.replicas",)


def test_selector_is_replaced_not_patched() -> None:
    assert one(planned(), "Deployment").replace_on == ("spec.selector",)


@pytest.mark.parametrize(
    ("probe", "seconds"),
    [
        ({}, 60 * 10 + 600),
        ({"failureThreshold": 360}, 360 * 10 + 600),
        ({"failureThreshold": 4, "periodSeconds": 5, "initialDelaySeconds": 30}, 30 + 20 + 600),
        (None, 30 + 600),
    ],
)
def test_start_up_budget_is_the_time_out(probe: dict[str, int] | None, seconds: int) -> None:
    spec = main_with(startupProbe=probe)
    deployment = one(planned(spec), "Deployment")
    assert deployment.wait.timeout_seconds == seconds
    assert deployment.data["spec"]["progressDeadlineSeconds"] == seconds
    reference = one(planned(spec, profile="kserve"), "Deployment")
    assert reference.wait.timeout_seconds == seconds
    assert "progressDeadlineSeconds" not in reference.data["spec"]


@pytest.mark.parametrize("probe", PROBES)
def test_users_probe_overrides_the_presets(probe: str) -> None:
    tuned = container_of(planned(main_with(**{probe: {"periodSeconds": 7}})))[probe]
    assert tuned["periodSeconds"] == 7
    assert tuned["httpGet"] == {"path": "/health", "port": 8000, "scheme": "HTTP"}
    other = container_of(planned(main_with(**{probe: {"exec": {"command": ["true"]}}})))[probe]
    assert "httpGet" not in other
    assert other["exec"] == {"command": ["true"]}
    assert probe not in container_of(planned(main_with(**{probe: None})))


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("profile", PROFILES)
def test_service_and_probes_speak_one_scheme(tls: bool, profile: str) -> None:
    plan = planned(profile=profile, platform={"tls": tls})
    scheme = "https" if tls else "http"
    found_service = one(plan, "Service").data
    assert found_service["metadata"]["name"] == "chat-kserve-workload-svc"
    port = {"name": scheme, "port": 8000, "targetPort": 8000, "protocol": "TCP", "appProtocol": scheme}
    assert found_service["spec"] == {"type": "ClusterIP", "selector": SELECTOR, "ports": [port]}
    assert one(plan, "Service").wait.skip
    assert {container_of(plan)[probe]["httpGet"]["scheme"] for probe in PROBES} == {scheme.upper()}


def test_probe_of_the_other_scheme_is_a_warning() -> None:
    plan = planned(main_with(livenessProbe={"httpGet": {"scheme": "HTTPS"}}))
    (warning,) = found(plan, "LOCO-PROBE", "warning")
    assert warning.path == "spec.template.containers[main].livenessProbe.httpGet.scheme"
    assert not found(planned(main_with(livenessProbe={"httpGet": {"scheme": "HTTP"}})), "LOCO-PROBE")
    assert not found(planned(main_with(livenessProbe={"httpGet": {"scheme": "HTTPS", "port": 9000}})), "LOCO-PROBE")
    assert not found(planned(platform={"tls": True}), "LOCO-PROBE")


def test_flags_of_the_preset_are_missed_by_a_command_of_the_user() -> None:
    spec = {"parallelism": {"tensor": 2}, **main_with(command=["vllm", "serve"])}
    (warning,) = found(planned(spec), "LOCO-NO-EFFECT")
    assert warning.path == "spec.parallelism.tensor"
    assert not planned(main_with(command=["vllm", "serve"])).findings
    assert container_of(planned(main_with(command=["x"], args=["y"])))["command"] == ["x"]


METADATA: dict[str, Any] = {
    "annotations": {
        "kueue.x-k8s.io/a": "1",
        "k8s.v1.cni.cncf.io/networks": "2",
        "prometheus.io/scrape": "true",
        "internal.serving.kserve.io/localmodel-pvc-name": "3",
        "leaderworkerset.sigs.k8s.io/x": "4",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "example.com/mine": "5",
    },
    "labels": {"kueue.x-k8s.io/queue-name": "q", "example.com/mine": "6"},
}


@pytest.mark.parametrize("profile", PROFILES)
def test_metadata_propagates_by_prefix(profile: str) -> None:
    plan = plan_of(service(**METADATA), profile=profile)
    assert not plan.errors
    deployment = one(plan, "Deployment").data
    expected = {
        "kueue.x-k8s.io/a": "1",
        "k8s.v1.cni.cncf.io/networks": "2",
        "prometheus.io/scrape": "true",
        "internal.serving.kserve.io/localmodel-pvc-name": "3",
    }
    labels = {**OWN_LABELS, "kueue.x-k8s.io/queue-name": "q"}
    assert deployment["metadata"] == {
        "name": "chat-kserve",
        "namespace": "llm",
        "labels": labels,
        "annotations": expected,
    }
    assert deployment["spec"]["selector"]["matchLabels"] == (labels if profile == "kserve" else OWN_LABELS)
    assert deployment["spec"]["template"]["metadata"] == {"labels": labels, "annotations": expected}
    assert "annotations" not in one(plan, "Service").data["metadata"]
    assert [finding.path for finding in found(plan, "LOCO-NO-EFFECT", "warning")] == [
        'metadata.annotations["leaderworkerset.sigs.k8s.io/x"]',
        'metadata.annotations["example.com/mine"]',
    ]


def test_the_routing_mark_belongs_under_spec() -> None:
    key = "serving.kserve.io/model-based-routing-enabled"
    (error,) = plan_of(service(annotations={key: "false"})).errors
    assert (error.code, error.cure) == ("LOCO-UNSUPPORTED", f'spec: {{annotations: {{{key}: "false"}}}}')


@pytest.mark.parametrize("profile", PROFILES)
def test_spec_metadata_reaches_pods_and_service_and_wins(profile: str) -> None:
    spec = {
        "labels": {"team": "a", "kueue.x-k8s.io/queue-name": "spec"},
        "annotations": {
            "note": "b",
            "prometheus.io/port": "9",
            "serving.kserve.io/model-based-routing-enabled": "false",
        },
    }
    document = service(spec, annotations={"prometheus.io/port": "8"}, labels={"kueue.x-k8s.io/queue-name": "metadata"})
    plan = plan_of(document, profile=profile)
    deployment, workload_service = one(plan, "Deployment").data, one(plan, "Service").data
    kept = {"note": "b", "prometheus.io/port": "9"}
    assert deployment["metadata"]["annotations"] == {"prometheus.io/port": "8"}
    assert deployment["spec"]["template"]["metadata"]["annotations"] == kept
    assert deployment["spec"]["template"]["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "spec"
    assert workload_service["metadata"]["annotations"] == kept
    assert workload_service["metadata"]["labels"] == {
        "app.kubernetes.io/component": "llminferenceservice-workload",
        "app.kubernetes.io/name": "chat",
        "app.kubernetes.io/part-of": "llminferenceservice",
        "team": "a",
        "kueue.x-k8s.io/queue-name": "spec",
    }


@pytest.mark.parametrize(
    ("metadata", "path"),
    [
        ({"annotations": {"serving.kserve.io/x": "s"}}, 'annotations["serving.kserve.io/x"]'),
        ({"labels": {"serving.kserve.io/x": "s"}}, 'labels["serving.kserve.io/x"]'),
    ],
)
def test_metadata_with_a_meaning_for_kserve_is_refused(metadata: dict[str, Any], path: str) -> None:
    (finding,) = found(plan_of(service(**metadata)), "LOCO-UNSUPPORTED", "error")
    assert finding.path == f"metadata.{path}"


@pytest.mark.parametrize("value", ["true", "True"])
def test_stopped_service_has_no_objects(value: str) -> None:
    plan = plan_of(service(annotations={"serving.kserve.io/stop": value}))
    assert not plan.findings
    assert not plan.manifests
    assert not plan.certificates
    assert plan.outputs["models"] == {}


def test_service_that_is_not_stopped() -> None:
    plan = plan_of(service(annotations={"serving.kserve.io/stop": "false"}))
    assert not plan.findings
    assert one(plan, "Deployment")


def test_stopped_service_is_still_judged() -> None:
    bad = plan_of(service(main_with(ports=[{"containerPort": 0}]), annotations={"serving.kserve.io/stop": "true"}))
    assert bad.errors


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a" * 56, "a" * 56 + "-kserve"), ("a" * 63, "a" * 24 + "b06521f39153d618550606be297466d5" + "-kserve")],
)
def test_long_names_fit(name: str, expected: str) -> None:
    plan = plan_of(service(name=name), platform={"tls": True})
    assert not plan.errors
    assert one(plan, "Deployment").name == expected
    assert all(len(manifest.name) <= 63 for manifest in plan.manifests)
    assert one(plan, "Deployment").data["metadata"]["labels"]["app.kubernetes.io/name"] == name
    assert pod_of(plan)["volumes"][-2]["secret"]["secretName"] == one(plan, "Secret").name


@pytest.mark.parametrize(("profile", "served"), [("safe", "tiny publishers/llm/models/tiny"), ("kserve", "tiny")])
def test_names_that_prefill_on_one_node_serves(profile: str, served: str) -> None:
    plan = plan_of(service({"prefill": {}}), profile=profile)
    pod = one(plan, "Deployment", "chat-kserve-prefill").data["spec"]["template"]["spec"]
    (engine,) = (container for container in pod["containers"] if container["name"] == "main")
    assert f"--served-model-name {served} --port" in engine["command"][2].replace("'", "")
