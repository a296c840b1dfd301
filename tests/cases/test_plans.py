"""Reports that take more than one plan, or more than the service's own document."""

from pathlib import Path
from typing import Any

import pytest

from loco.cli.cluster.need import StorageClass, Thing
from loco.cli.cluster.needs import needs_of
from loco.model.pod_templates import pod_templates
from loco.plan import Plan
from loco.pods.restricted import weaknesses
from tests.cases.references import pods
from tests.cases.rows import PLATFORM, ROUTED, about, engine, of_kind, spec_of
from tests.plan.stacks import external, found, gateway, one, plan_of, plan_text, planned, service
from tests.workloads.topologies import TOPOLOGIES, several_nodes

TOKENS = {"kind": "EndpointPickerConfig", "plugins": [{"type": "token-producer"}]}
TOKENIZING = {"router": {"route": {}, "scheduler": {"config": {"inline": TOKENS}}}}
EVENTS = {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]}


def claim(*modes: str, **spec: Any) -> dict[str, Any]:
    resources = {"requests": {"storage": "50Gi"}}
    about = {"accessModes": list(modes), "resources": resources, **spec}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "weights"}, "spec": about}


def templates_of(plan: Plan) -> list[tuple[str, Any]]:
    return [(m.name, template) for m in plan.manifests for _, template in pod_templates(m.data)]


@about("D27", "D28")
@pytest.mark.parametrize("replicas", [1, 2])
def test_the_pickers_role_has_all_that_it_watches_and_writes(replicas: int) -> None:
    plan = planned({"router": {"route": {}, "scheduler": {"replicas": replicas}}}, platform=PLATFORM)
    rules = one(plan, "Role", "chat-epp-role").data["rules"]
    assert EVENTS in rules
    watched = {resource for rule in rules if "watch" in rule["verbs"] for resource in rule["resources"]}
    assert watched >= {"pods", "inferencepools", "inferencemodelrewrites", "inferencepoolimports"}


@about("D30")
def test_the_tokenizer_is_there_before_the_picker_asks_it() -> None:
    plan = planned(TOKENIZING, platform=PLATFORM)
    edges = {(edge.before.kind, edge.before.name, edge.after.name) for edge in plan.edges}
    assert ("Service", "chat-tokenizer", "chat-kserve-router-scheduler") in edges
    order = [(m.id.kind, m.name) for m in plan.manifests]
    assert order.index(("Service", "chat-tokenizer")) < order.index(("Deployment", "chat-kserve-router-scheduler"))


@about("T28", "V17")
def test_the_tokenizer_runs_as_a_user_that_is_not_root() -> None:
    pod = spec_of(planned(TOKENIZING, platform=PLATFORM), "Deployment", "chat-tokenizer")["template"]["spec"]
    assert pod["containers"][0]["securityContext"]["runAsUser"] == 1000


@about("V17")
@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("storage", ["hf://org/m", "pvc://claim", "oci://registry/m:1", "oci+native://registry/m:1"])
def test_every_pod_passes_the_restricted_standard(topology: str, storage: str) -> None:
    """Engines with their init containers and sidecars, endpoint pickers, tokenizers, gateways."""
    spec = {"model": {"uri": storage, "name": "m"}, **TOPOLOGIES[topology][0], **TOKENIZING}
    plan = plan_of(service(spec), external(), gateway({}), platform={**PLATFORM, "tls": True})
    assert not [error for error in plan.errors if error.code != "LOCO-CREDENTIAL"]
    every = templates_of(plan)
    assert len(every) >= 4
    for name, template in every:
        assert not list(weaknesses(template["spec"])), name
        pod = template["spec"]["securityContext"]
        for container in (*template["spec"].get("initContainers", []), *template["spec"]["containers"]):
            own = container["securityContext"]
            assert own.get("runAsNonRoot", pod.get("runAsNonRoot")) is True, name
            assert own.get("seccompProfile", pod.get("seccompProfile")) == {"type": "RuntimeDefault"}, name
            assert own["allowPrivilegeEscalation"] is False, name
            assert own["capabilities"] == {"drop": ["ALL"]}, name


@about("V12", "kubeai#433")
def test_pull_secrets_of_the_platform_reach_every_pod_of_the_stack() -> None:
    spec = {**TOKENIZING, "prefill": several_nodes(), "template": {"imagePullSecrets": [{"name": "mine"}]}}
    documents = service(spec), gateway({})
    with_secrets = plan_of(*documents, platform={**PLATFORM, "imagePullSecrets": ["regcred", "mine"]})
    assert not with_secrets.errors
    found = {name: template["spec"]["imagePullSecrets"] for name, template in templates_of(with_secrets)}
    assert set(found) == {
        *("chat-kserve", "chat-kserve-mn-prefill", "chat-kserve-router-scheduler", "chat-tokenizer", "main-litellm")
    }
    assert found.pop("chat-kserve") == [{"name": "mine"}, {"name": "regcred"}]
    assert {str(secrets) for secrets in found.values()} == {str([{"name": "regcred"}, {"name": "mine"}])}
    needed = {need.what for need in needs_of(with_secrets.manifests)}
    assert Thing("", "Secret", "llm", "regcred") in needed
    without = dict(templates_of(plan_of(*documents, platform=PLATFORM)))
    assert [name for name, template in without.items() if "imagePullSecrets" in template["spec"]] == ["chat-kserve"]


@about("V12")
@pytest.mark.parametrize("written", ["regcred", [{"name": "regcred"}], ["Not A Name"]])
def test_pull_secrets_that_cannot_be_are_refused(written: Any) -> None:
    (error, *_) = plan_of(service(), platform={"imagePullSecrets": written}).errors
    assert error.path.startswith("platform.imagePullSecrets")


@about("V11")
@pytest.mark.parametrize(
    ("replicas", "modes", "severity"),
    [
        (2, ["ReadWriteOnce"], "error"),
        (2, ["ReadWriteMany"], None),
        (2, ["ReadOnlyMany"], None),
        (1, ["ReadWriteOnce"], "warning"),
    ],
)
def test_a_claim_of_one_node_for_several_pods(replicas: int, modes: list[str], severity: str | None) -> None:
    spec = {"model": {"uri": "pvc://weights", "name": "m"}, "replicas": replicas}
    plan = plan_of(service(spec), claim(*modes))
    told = found(plan, "LOCO-CLAIM")
    assert [finding.severity for finding in told] == ([severity] if severity else [])
    for finding in told:
        assert finding.subject == "PersistentVolumeClaim/llm/weights"
        assert finding.path == "spec.accessModes"
        assert "Deployment/llm/chat-kserve" in finding.message


@about("kubeai#286")
def test_a_claims_class_is_asked_for_in_the_cluster() -> None:
    plan = plan_of(service({"model": {"uri": "pvc://weights"}}), claim("ReadWriteMany", storageClassName="fast"))
    assert StorageClass("fast") in {need.what for need in needs_of(plan.manifests)}


@about("V16")
@pytest.mark.parametrize(
    "scaling", [{"wva": {"hpa": {}}}, {"wva": {"keda": {}}}, {"keda": {"triggers": [{"type": "cron", "metadata": {}}]}}]
)
def test_one_owner_of_the_replicas_and_each_takes_the_others_place(scaling: dict[str, Any]) -> None:
    plan = planned({"scaling": {"maxReplicas": 2, **scaling}}, platform=PLATFORM)
    (scaler,) = of_kind(plan, "HorizontalPodAutoscaler", "ScaledObject")
    kinds = {"HorizontalPodAutoscaler": "chat-kserve-hpa", "ScaledObject": "chat-kserve-keda"}
    del kinds[scaler.id.kind]
    assert {(other.kind, other.name) for other in scaler.takes_over} == set(kinds.items())


@about("E38", "kserve#5527", "LLMKube#1881", "T36")
@pytest.mark.parametrize("side", ["main", "prefill"])
@pytest.mark.parametrize("worker", [True, False])
def test_replicas_of_an_autoscaler_are_neither_written_nor_compared(side: str, worker: bool) -> None:
    workload = {"scaling": {"maxReplicas": 2, "wva": {"hpa": {}}}, **(several_nodes() if worker else {})}
    plan = planned(workload if side == "main" else {"prefill": workload}, platform=PLATFORM)
    name = f"chat-kserve{'-mn' if worker else ''}{'-prefill' if side == 'prefill' else ''}"
    manifest = one(plan, "LeaderWorkerSet" if worker else "Deployment", name)
    assert "replicas" not in manifest.data["spec"]
    assert "spec.replicas" in manifest.ignore_changes


@about("E41")
@pytest.mark.parametrize(
    ("spec", "path", "words"),
    [
        ({"workload": {"kvCacheOffloading": {"cpu": "1Gi"}}}, "spec.workload", []),
        ({"kvCacheOffload": {"cpu": "1Gi"}}, "spec.kvCacheOffload", ["kvCacheOffloading"]),
        ({"prefill": {"kvCacheOffloading": {"cpus": "1Gi"}}}, "spec.prefill.kvCacheOffloading.cpus", ["cpu"]),
        ({"template": {"containers": [{"name": "main", "arg": []}]}}, "spec.template.containers[main].arg", ["args"]),
    ],
)
def test_a_field_that_nobody_knows_is_an_error(spec: dict[str, Any], path: str, words: list[str]) -> None:
    errors = [error for error in plan_of(service(spec)).errors if error.code == "LOCO-UNKNOWN-KEY"]
    assert [error.path for error in errors] == [path]
    assert all(word in errors[0].cure for word in words)


def changed(before: Plan, after: Plan) -> set[str]:
    """The workloads whose pods roll from one plan to the next."""
    old, new = dict(templates_of(before)), dict(templates_of(after))
    return {name for name in new if old.get(name) != new[name]}


@about("V18")
def test_a_change_rolls_the_pods_that_read_it_and_no_others() -> None:
    def plan(level: str = "a", other: str = "x", env: str = "1", inline: int = 1) -> Plan:
        config = {"kind": "ConfigMap", "apiVersion": "v1"}
        documents = [
            {**config, "metadata": {"name": "settings"}, "data": {"level": level}},
            {**config, "metadata": {"name": "unread"}, "data": {"x": other}},
            service({"template": engine(envFrom=[{"configMapRef": {"name": "settings"}}]), **ROUTED}, name="reader"),
            service(
                {
                    "template": engine(env=[{"name": "A", "value": env}]),
                    "router": {"route": {}, "scheduler": {"config": {"inline": {"kind": "X", "n": inline}}}},
                },
                name="other",
            ),
        ]
        result = plan_of(*documents, platform=PLATFORM)
        assert not result.errors, "\n".join(map(str, result.errors))
        return result

    first = plan()
    assert changed(first, plan()) == set()
    assert changed(first, plan(level="b")) == {"reader-kserve"}
    assert changed(first, plan(other="y")) == set()
    assert changed(first, plan(env="2")) == {"other-kserve"}
    assert changed(first, plan(inline=2)) == {"other-kserve-router-scheduler"}
    why = {(edge.before.name, edge.after.name): edge.why for edge in first.edges}
    assert "ConfigMap" in why["settings", "reader-kserve"], "the raw plan says which pods read what"
    notes = dict(templates_of(first))["reader-kserve"]["metadata"]["annotations"]
    assert [key for key in notes if "settings" in key], "one annotation for each source, so that a diff names the cause"


@about("V18")
def test_the_plan_says_which_pods_read_which_secret() -> None:
    reference = {"valueFrom": {"secretKeyRef": {"name": "keys", "key": "api"}}}
    spec = {"template": engine(env=[{"name": "API", **reference}]), **ROUTED}
    plan = planned(spec, platform=PLATFORM, credentials={"keys": {"api": {"existing": True}}})
    (use,) = plan.credential_uses
    assert (use.reader.name, use.secret, use.key, use.rolls) == ("chat-kserve", "keys", "api", True)


@about("V8", "T29")
@pytest.mark.parametrize("gated", [True, False])
def test_one_token_feeds_every_container_that_downloads(gated: bool) -> None:
    """The engine's, in all pods of a replica; without one nothing asks for a Secret."""
    token = {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}}
    pod = engine(env=[token]) if gated else engine()
    plan = planned({**several_nodes(template=pod, worker=pod), "prefill": {"template": pod}})
    for name, template in templates_of(plan):
        (download,) = (c for c in template["spec"]["initContainers"] if c["name"] == "storage-initializer")
        assert [v for v in download["env"] if v["name"] == "HF_TOKEN"] == ([token] if gated else []), name
    assert not found(plan, "LOCO-CREDENTIAL", "error")


@about("T31")
def test_a_change_of_role_replaces_what_selects_by_it() -> None:
    """A selector is immutable; under the profile safe it holds the role, so it changes with prefill."""
    before, after = (one(planned(spec), "Deployment", "chat-kserve") for spec in ({}, {"prefill": {}}))
    selectors = [m.data["spec"]["selector"]["matchLabels"]["llm-d.ai/role"] for m in (before, after)]
    assert selectors == ["both", "decode"]
    assert "spec.selector" in after.replace_on


@about("T23")
@pytest.mark.parametrize(
    ("parallelism", "path"),
    [({"pipeline": 2}, "pipeline"), ({"data": 2, "dataLocal": 1}, "data"), ({"expert": True}, "expert")],
)
def test_parallelism_that_one_pod_does_nothing_with_is_told(parallelism: dict[str, Any], path: str) -> None:
    plan = plan_of(service({"parallelism": parallelism}))
    assert f"spec.parallelism.{path}" in [finding.path for finding in found(plan, "LOCO-NO-EFFECT")]


@about("opendatahub-kserve#999", "kserve#5096", "T36")
def test_a_pinned_version_of_the_presets_is_a_plan_of_its_own(tmp_path: Path) -> None:
    """That pods stay what they are within a version is a test of the presets'."""
    text = "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: {name: chat}\nspec: {model: {uri: hf://a/b}}\n"
    pinned = plan_text(tmp_path, text, presets="1")
    assert templates_of(pinned) == templates_of(plan_text(tmp_path, text, presets={"version": 1}))
    (error,) = plan_text(tmp_path, text, presets="0").errors
    assert error.code == "LOCO-REFERENCE"


@about("T34")
def test_pods_of_groups_of_the_longest_name_fit() -> None:
    plan = plan_of(service({**several_nodes(prefill=several_nodes())}, name="s" * 63))
    for group in of_kind(plan, "LeaderWorkerSet"):
        assert len(f"{group.name}-999-0123456789") <= 63
        assert {labels["leaderworkerset.sigs.k8s.io/name"] for w, _, labels in pods(plan) if w is group} == {group.name}


@about("C21")
def test_nothing_waits_for_a_gateway() -> None:
    router = {"scheduler": {}, "gateway": {"refs": [{"name": "g"}]}}
    pool = one(planned({"router": router}, platform=PLATFORM), "InferencePool")
    assert pool.wait.skip or pool.wait.timeout_seconds is None
