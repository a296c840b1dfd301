"""The preset files: each is known by name and renders for a sample service under every profile, with TLS and without."""

from typing import Any

import pytest

from loco.layers.catalog import NEWEST, PRESETS, ROOT, preset, profile
from loco.pods.restricted import weaknesses
from loco.spec.tree import Branch, at, leaves, plain
from tests.plan.stacks import service as document
from tests.presets.layered import DATA, PIPELINE, container, documents_resolved, names, pods, resolved

PREDICTING = {"router": {"scheduler": {"config": {"inline": {"plugins": [{"type": "predicted-latency-producer"}]}}}}}
EVERYTHING: dict[str, Any] = {"router": {"route": {}, "scheduler": {"tokenizer": {}}}, "tracing": {}}
GPU = {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]}
# Services that take every preset between them.
SAMPLES: dict[str, dict[str, Any]] = {
    "plain": {},
    "everything": EVERYTHING,
    "predicting": PREDICTING,
    "disaggregated": {"prefill": {"template": GPU}, "template": GPU},
    "data": DATA,
    "pipeline": PIPELINE,
    "data with data": {**DATA, "prefill": DATA},
    "pipeline with pipeline": {**PIPELINE, "prefill": PIPELINE},
    "offloading": {"kvCacheOffloading": {"cpu": "1Gi"}, "prefill": {"kvCacheOffloading": {"cpu": "2Gi"}}},
}
GROUPS = ("data", "pipeline", "data with data", "pipeline with pipeline")


def test_every_file_is_known_and_every_name_has_a_file() -> None:
    assert sorted(path.stem for path in ROOT.glob("*.yaml")) == sorted(PRESETS)
    for name in PRESETS:
        assert preset(name, NEWEST).origin.layer == f"preset:{name}"


def test_samples_take_every_preset() -> None:
    older = names(resolved(EVERYTHING, platform={"routes": {"form": "tenRules"}}))
    assert {*older, *(name for spec in SAMPLES.values() for name in names(resolved(spec)))} == {*PRESETS}


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("profile_name", ["safe", "kserve"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_preset_renders(sample: str, profile_name: str, tls: bool) -> None:
    service = resolved(SAMPLES[sample], profile=profile_name, platform={"tls": tls})
    texts = [plain(leaf) for _, leaf in leaves(service.tree) if isinstance(plain(leaf), str)]
    assert not [text for text in texts if "{{" in text or "{%" in text]
    for word, pod in pods(service):
        command = container(service, word)["command"]
        assert command[:2] == ["/bin/bash", "-c"]
        assert command[3:] == ["--"]
        assert ("--ssl-certfile" in command[2]) is tls
        schemes = {
            probe["httpGet"]["scheme"]
            for item in [*pod.get("initContainers", []), *pod["containers"]]
            for probe in (item.get(f"{kind}Probe") for kind in ("liveness", "readiness", "startup"))
            if probe
        }
        assert schemes <= {"HTTPS" if tls else "HTTP"}
        # Rooms mount the certificate, and only where there is one.
        assert "tls-certs" not in {volume["name"] for volume in pod["volumes"]}


@pytest.mark.parametrize("sample", SAMPLES)
def test_safe_pods_pass_the_restricted_standard(sample: str) -> None:
    for word, pod in pods(resolved(SAMPLES[sample])):
        # What no layer writes, the pods' own room fills in.
        filled = {"securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}, **pod}
        assert list(weaknesses(filled)) == [], word
        assert pod.get("enableServiceLinks") is False, word


@pytest.mark.parametrize("sample", GROUPS)
def test_the_reference_adds_capabilities_to_groups_alone(sample: str) -> None:
    added = {"add": ["IPC_LOCK", "SYS_RAWIO", "NET_RAW"], "drop": ["ALL"]}
    reference, safe = resolved(SAMPLES[sample], profile="kserve"), resolved(SAMPLES[sample])
    for word, _ in pods(reference):
        assert container(reference, word)["securityContext"]["capabilities"] == added
        assert container(safe, word)["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    single = resolved(SAMPLES["disaggregated"], profile="kserve")
    for word, _ in pods(single):
        assert container(single, word)["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_capabilities_of_the_user_stand_under_safe_too() -> None:
    mine = {"containers": [{"name": "main", "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}]}
    context = container(resolved({**DATA, "template": mine}))["securityContext"]
    assert context["capabilities"] == {"add": ["IPC_LOCK"], "drop": ["ALL"]}


def test_amendments_are_of_presets_that_there_are() -> None:
    assert profile("safe", NEWEST).amendments.keys() < {*PRESETS}
    assert not profile("kserve", NEWEST).amendments


def test_a_profile_amends_no_preset_of_the_users_own_writing() -> None:
    engine = {"name": "main", "securityContext": {"capabilities": {"add": ["X"]}}}
    base = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceServiceConfig",
        "metadata": {"name": "config-llm-worker-data-parallel"},
        "spec": {"template": {"containers": [engine]}, "worker": {"containers": [engine]}},
    }
    (service,) = documents_resolved(base, document(DATA))
    assert container(service, "worker")["securityContext"] == {"capabilities": {"add": ["X"]}}


def test_predictor_stands_behind_the_picker() -> None:
    service = resolved(PREDICTING)
    template = plain(at(service.tree, ("router", "scheduler", "template")) or Branch({}, service.origin))
    assert [item["name"] for item in template["containers"]] == ["main", "training-server", "prediction-server"]
    main = template["containers"][0]
    assert main["image"].startswith("ghcr.io/llm-d/llm-d-router-endpoint-picker:")
    assert {"PREDICTION_SERVER_URL", "SSL_CERT_DIR"} <= {variable["name"] for variable in main["env"]}


@pytest.mark.parametrize("sample", ["disaggregated", "data with data", "pipeline with pipeline"])
@pytest.mark.parametrize("tls", [False, True])
def test_sidecar_stands_before_decode_alone(sample: str, tls: bool) -> None:
    service = resolved(SAMPLES[sample], profile="kserve", platform={"tls": tls})
    holders = [word for word, pod in pods(service) if pod.get("initContainers")]
    assert holders == ["main"]
    sidecar = container(service, "main", "llm-d-routing-sidecar")
    flags = ["--cert-path=/var/run/kserve/tls", "--enable-tls=decoder", "--enable-tls=prefiller"]
    assert sidecar["command"][-5:] == [
        "--inference-pool=llm/chat-inference-pool",
        f"--secure-proxy={'true' if tls else 'false'}",
        *(flags if tls else [""] * 3),
    ]
    assert sidecar["restartPolicy"] == "Always"
    for word in ("main", "worker"):
        if word in dict(pods(service)):
            assert container(service, word)["ports"] == [{"containerPort": 8001, "protocol": "TCP"}]


def test_sidecar_serves_a_pool_of_somebody_else() -> None:
    service = resolved({"prefill": {}, "router": {"scheduler": {"pool": {"ref": {"name": "theirs"}}}}})
    assert "--inference-pool=llm/theirs" in container(service, "main", "llm-d-routing-sidecar")["command"]


@pytest.mark.parametrize("sample", GROUPS)
def test_leaders_are_probed_and_workers_are_not(sample: str) -> None:
    service = resolved(SAMPLES[sample])
    probes = ("livenessProbe", "readinessProbe", "startupProbe")
    for word, pod in pods(service):
        engine = container(service, word)
        port = {p["containerPort"] for p in engine["ports"]}
        expected = set() if word.endswith("worker") else port
        assert {engine[probe]["httpGet"]["port"] for probe in probes if probe in engine} == expected, word
        assert engine["lifecycle"]["preStop"]
        assert pod["terminationGracePeriodSeconds"] == 60
