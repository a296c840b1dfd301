"""One node or several, prefill apart or not: which objects there are, and what holds for every pod of them."""

from pathlib import Path
from typing import Any

import pytest

from loco.checks import check_manifests
from loco.model.pod_templates import pod_templates
from loco.plan import Plan
from tests.plan.stacks import found, one, plan_of, plan_text, planned, service
from tests.workloads.topologies import (
    GROUPS,
    MAIN,
    PREFILL,
    PREFILL_GROUPS,
    TOPOLOGIES,
    main_of,
    several_nodes,
    sidecar_in,
    templates,
)

PROFILES = ("safe", "kserve")
WORKLOADS = ("Deployment", "LeaderWorkerSet")
ALL = pytest.mark.parametrize("topology", TOPOLOGIES)


def pods(plan: Plan) -> list[dict[str, Any]]:
    return [template["spec"] for manifest in plan.manifests for _, template in pod_templates(manifest.data)]


@ALL
@pytest.mark.parametrize("profile", PROFILES)
def test_each_side_has_its_object(topology: str, profile: str) -> None:
    spec, expected = TOPOLOGIES[topology]
    plan = planned(spec, profile=profile)
    assert {m.name: m.id.kind for m in plan.manifests if m.id.kind in WORKLOADS} == expected
    output = plan.outputs["models"]["llm/chat"]["workloads"]
    primary, *prefill = [{"kind": kind, "name": name} for name, kind in expected.items()]
    assert output["primary"] == primary
    assert [output["prefill"]] == prefill if prefill else "prefill" not in output
    assert one(plan, "Service", output["service"])


@ALL
def test_every_pod_passes_the_restricted_standard_and_has_its_model(topology: str) -> None:
    plan = planned(TOPOLOGIES[topology][0])
    for pod in pods(plan):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["enableServiceLinks"] is False
        for container in [*pod["initContainers"], *pod["containers"]]:
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert "ALL" in container["securityContext"]["capabilities"]["drop"]
        assert "storage-initializer" in [container["name"] for container in pod["initContainers"]]


@ALL
@pytest.mark.parametrize("tls", [False, True])
def test_every_pod_that_serves_mounts_the_certificate_with_tls_only(topology: str, tls: bool) -> None:
    plan = planned(TOPOLOGIES[topology][0], platform={"tls": tls})
    for pod in pods(plan):
        serving = [c for c in [*pod["initContainers"], *pod["containers"]] if c["name"] != "storage-initializer"]
        for container in serving:
            mounted = [mount["name"] for mount in container.get("volumeMounts", []) if mount["name"] == "tls-certs"]
            assert mounted == (["tls-certs"] if tls else [])
    if tls:
        secret = one(plan, "Secret").id
        after = {edge.after for edge in plan.edges if edge.before == secret}
        assert after == {manifest.id for manifest in plan.manifests if manifest.id.kind in WORKLOADS}
        hosts = plan.certificates[0].dns_names
        services = [manifest.name for manifest in plan.manifests if manifest.id.kind == "Service"]
        assert all(f"{name}.llm.svc" in hosts for name in services)


@ALL
@pytest.mark.parametrize("profile", PROFILES)
def test_services_and_pool_select_the_pods_that_serve_and_no_others(topology: str, profile: str) -> None:
    router = {"router": {"scheduler": {}, "route": {}}}
    gateway = {"gateway": {"name": "shared"}}
    plan = planned({**TOPOLOGIES[topology][0], **router}, profile=profile, platform=gateway)
    serving, idle = [], []
    for name in TOPOLOGIES[topology][1]:
        for key, template in templates(plan, name).items():
            (idle if key == "worker" else serving).append(template["metadata"]["labels"])
    picker = [m for m in plan.manifests if m.id.kind == "Deployment" and m.name == "chat-kserve-router-scheduler"]
    idle += [manifest.data["spec"]["template"]["metadata"]["labels"] for manifest in picker]
    assert picker
    pool = one(plan, "InferencePool").data["spec"]["selector"]["matchLabels"]
    whole = one(plan, "Service", "chat-kserve-workload-svc").data["spec"]["selector"]
    for selector in (pool, whole):
        assert all(selector.items() <= labels.items() for labels in serving)
        assert not any(selector.items() <= labels.items() for labels in idle)


def test_labels_of_each_object_and_its_pods() -> None:
    common = {"app.kubernetes.io/name": "chat", "app.kubernetes.io/part-of": "llminferenceservice"}

    def of(component: str, role: str | None) -> dict[str, str]:
        serving = {"kserve.io/component": "workload", "llm-d.ai/role": role} if role else {}
        return {**common, "app.kubernetes.io/component": f"llminferenceservice-workload{component}", **serving}

    single, multi = planned({"prefill": {}}), planned(several_nodes(prefill=several_nodes()))
    for name, labels in ((MAIN, of("", "decode")), (PREFILL, of("-prefill", "prefill"))):
        deployment = one(single, "Deployment", name).data
        assert deployment["metadata"]["labels"] == labels
        assert deployment["spec"]["selector"]["matchLabels"] == labels
        assert templates(single, name)["pod"]["metadata"]["labels"] == labels
    for name, end, role in ((GROUPS, "", "decode"), (PREFILL_GROUPS, "-prefill", "prefill")):
        made = templates(multi, name)
        assert one(multi, "LeaderWorkerSet", name).data["metadata"]["labels"] == of(f"-worker{end}", None)
        assert made["worker"]["metadata"]["labels"] == of(f"-worker{end}", None)
        assert made["leader"]["metadata"]["labels"] == of(f"-leader{end}", role)
    assert templates(planned(several_nodes()), GROUPS)["leader"]["metadata"]["labels"]["llm-d.ai/role"] == "both"


@pytest.mark.parametrize("several", [False, True])
def test_metadata_of_the_sides_stays_apart(several: bool) -> None:
    more = several_nodes if several else dict
    added = {"labels": {"team": "m"}, "annotations": {"note": "m"}}
    own = {"labels": {"team": "p"}, "annotations": {"note": "p"}}
    annotations = {"leaderworkerset.sigs.k8s.io/exclusive-topology": "rack", "kueue.x-k8s.io/a": "1"}
    document = service(
        more(**added, prefill=more(**own)), annotations=annotations, labels={"kueue.x-k8s.io/queue-name": "q"}
    )
    plan = plan_of(document)
    assert not plan.errors
    main, prefill = (GROUPS, PREFILL_GROUPS) if several else (MAIN, PREFILL)
    kept = annotations if several else {"kueue.x-k8s.io/a": "1"}
    for name, value in ((main, "m"), (prefill, "p")):
        (workload,) = (m for m in plan.manifests if m.name == name and m.id.kind in WORKLOADS)
        assert workload.data["metadata"]["annotations"] == kept
        for template in (workload.data, *templates(plan, name).values()):
            labels = template["metadata"]["labels"]
            assert (labels["team"], labels["kueue.x-k8s.io/queue-name"]) == (value, "q")
        for template in templates(plan, name).values():
            assert template["metadata"]["annotations"] == {**kept, "note": value}
    assert one(plan, "Service", "chat-kserve-workload-svc").data["metadata"]["annotations"] == {"note": "m"}
    unused = [finding.path for finding in found(plan, "LOCO-NO-EFFECT") if finding.path.startswith("metadata")]
    assert bool(unused) is not several


@pytest.mark.parametrize("side", ["", "prefill"])
@pytest.mark.parametrize("several", [False, True])
def test_replicas_of_a_side(side: str, several: bool) -> None:
    names = {(False, ""): MAIN, (True, ""): GROUPS, (False, "prefill"): PREFILL, (True, "prefill"): PREFILL_GROUPS}
    for replicas in (None, 0, 3):
        written = {"replicas": replicas} if replicas is not None else {}
        chosen = several_nodes(**written) if several else written
        plan = planned({"prefill": chosen} if side else chosen)
        (workload,) = (m for m in plan.manifests if m.name == names[several, side] and m.id.kind in WORKLOADS)
        assert workload.data["spec"].get("replicas") == replicas
        assert workload.ignore_changes == (("spec.replicas",) if replicas is None else ())


@pytest.mark.parametrize("prefill", [False, True])
def test_a_workload_takes_the_place_of_the_other_kind(prefill: bool) -> None:
    """Whoever gives a service workers needs the GPUs of the old pods for the new ones."""
    made = []
    for workload in ({}, several_nodes()):
        plan = planned({"prefill": workload} if prefill else workload)
        names = (PREFILL, PREFILL_GROUPS) if prefill else (MAIN, GROUPS)
        made += [m for m in plan.manifests if m.name in names and m.id.kind in WORKLOADS]
    deployment, groups = made
    assert deployment.takes_over == (groups.id,)
    assert groups.takes_over == (deployment.id,)


DOCUMENT = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat}
spec:
  model: {uri: hf://org/tiny}
  parallelism: {data: 4, dataLocal: 2}
  worker: {}
  prefill:
    parallelism: {data: 4, dataLocal: 2}
    worker: {}
"""
PLACES = ("template", "worker", "prefill.template", "prefill.worker")
# What is written into a pod, the finding's code, and where it points below the pod.
FAULTS = [
    (
        "{name: main, volumeMounts: [{name: none, mountPath: /x}]}",
        "LOCO-VALUE",
        "containers[main].volumeMounts[none].name",
    ),
    (
        "{name: main, securityContext: {privileged: true, allowPrivilegeEscalation: true}}",
        "LOCO-WEAK-SECURITY",
        "containers[main].securityContext.privileged",
    ),
    (
        "{name: main, livenessProbe: {initialDelaySeconds: 900, httpGet: {path: /, port: 8000, scheme: HTTPS}}}",
        "LOCO-PROBE",
        "containers[main].livenessProbe.httpGet.scheme",
    ),
    (
        "{name: main, env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]}",
        "LOCO-CREDENTIAL",
        "containers[main].env[A]",
    ),
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("container", "code", "path"), FAULTS, ids=[code for _, code, _ in FAULTS])
def test_findings_point_into_the_pod_that_they_are_about(
    tmp_path: Path, place: str, container: str, code: str, path: str
) -> None:
    side, _, field = place.rpartition(".")
    indent = "    " if side else "  "
    pod = f"{indent}{field}:\n{indent}  containers:\n{indent}  - {container}\n"
    text = DOCUMENT.replace(f"{indent}worker: {{}}\n", "", 1) + "" if field == "worker" else DOCUMENT
    if side:
        text += pod
    else:
        text = text.replace("  prefill:\n", f"{pod}  prefill:\n")
    plan = plan_text(tmp_path, text)
    (finding,) = found(plan, code)
    assert finding.path == f"spec.{place}.{path}"
    assert finding.origin is not None
    assert finding.origin.line == text.splitlines().index(pod.splitlines()[-1]) + 1


@pytest.mark.parametrize("place", PLACES)
def test_pod_without_an_engine_is_an_error_at_its_place(place: str) -> None:
    spec = several_nodes(prefill=several_nodes(), replicas=1)
    side, _, field = place.rpartition(".")
    target = spec["prefill"] if side else spec
    target[field] = {"containers": [{"$patch": "replace"}, {"name": "other", "image": "x"}]}
    plan = plan_of(service(spec))
    assert [(error.code, error.path) for error in plan.errors] == [("LOCO-VALUE", f"spec.{place}.containers")]


def test_every_pod_reads_its_credentials() -> None:
    variable = {"name": "A", "valueFrom": {"secretKeyRef": {"name": "tools", "key": "k"}}}
    pod = {"containers": [{"name": "main", "env": [variable]}]}
    spec = several_nodes(worker=pod, template=pod, prefill={"template": pod})
    plan = planned(spec, credentials={"tools": {"k": {"existing": True}}})
    assert [(use.reader.kind, use.reader.name) for use in plan.credential_uses] == [
        ("LeaderWorkerSet", GROUPS),
        ("Deployment", PREFILL),
    ]


def test_mirrors_serve_every_pod() -> None:
    plan = planned(several_nodes(prefill={}), platform={"registries": {"ghcr.io": "mirror.x"}})
    images = [main_of(t)["image"] for name in (GROUPS, PREFILL) for t in templates(plan, name).values()]
    assert len(images) == 3
    assert all(image.startswith("mirror.x/") for image in images)


def test_ports() -> None:
    plan = planned({"prefill": {}})
    decode, prefill = templates(plan, MAIN)["pod"], templates(plan, PREFILL)["pod"]
    assert [port["containerPort"] for port in main_of(decode)["ports"]] == [8001]
    assert [port["containerPort"] for port in sidecar_in(decode)["ports"]] == [8000]
    assert [port["containerPort"] for port in main_of(prefill)["ports"]] == [8000]
    probes = [main_of(decode)[probe]["httpGet"]["port"] for probe in ("livenessProbe", "readinessProbe")]
    assert probes == [8001, 8001]


def test_label_that_makes_workers_serve_is_refused() -> None:
    plan = plan_of(service(several_nodes(labels={"kserve.io/component": "workload"})))
    (error,) = found(plan, "LOCO-SELECTOR", "error")
    assert "take no requests" in error.message


def test_finished_pods_of_groups_are_checked_like_those_of_deployments() -> None:
    plan = planned(several_nodes())
    assert not check_manifests(plan.manifests)
    workload = one(plan, "LeaderWorkerSet")
    workload.data["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"]["containers"][0]["imagee"] = "x"
    (finding,) = check_manifests(plan.manifests)
    assert finding.path.startswith("spec.leaderWorkerTemplate.workerTemplate.spec.containers[0]")
