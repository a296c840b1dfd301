"""What users of such systems reported, row by row: each has a test that bears its id, and none is forgotten."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from loco.layers import Resolved, resolve
from loco.model import Finding, errors_of
from loco.spec import read_stack
from loco.spec.stack import StackSpec
from loco.spec.tree import Leaf, Row, at, plain
from tests.layers.merge_tables import merge_tables
from tests.plan.stacks import MODEL, base, one, plan_of, service
from tests.presets.stand_in import Run, StandIn

HERE = Path(__file__).parent
CASES = [entry for file in sorted((HERE / "cases").glob("*.yaml")) for entry in yaml.safe_load(file.read_text())]
TABLES = [entry for entries in merge_tables().values() for entry in entries]
PLATFORM = {"gateway": {"name": "shared", "namespace": "infra", "internalURL": "http://gateway.infra.svc"}}

# Rows of cases/llm-inference-service.md A and B; of cases/peers.md those of the kinds PAR and MRG, spares included.
ROWS = [*(f"A{number}" for number in range(1, 11)), "B11", "B12", "B14", "B15", "V1", "V2", "V3", "V4"]
SPARES = ["kserve#3453", "dynamo#6794", "kserve#5047"]
MERGES = ["A2", "A4", "A5", "A6", "A7", "A8", "A9", "A10"]

# Rules of facts/kserve.md 8, as the tables' ideas name them.
MATCHED = (
    "containers initContainers ephemeralContainers env ports volumeMounts volumeDevices volumes imagePullSecrets hostAliases "
    "topologySpreadConstraints resourceClaims schedulingGates maps order duplicates"
)
REPLACED = (
    "command args envFrom tolerations capabilities readinessGates affinity nodeSelectorTerms supplementalGroups sysctls "
    "dnsConfig projected items claims httpHeaders adapters baseRefs gateway.refs http.refs ingress.refs HTTPRoute targetPorts "
    "triggers policies secondary"
)
NOUGHT = (
    "absent pointer plain list map entry object quantity kvCacheOffloading.cpu scaling.maxReplicas emptyDir.size "
    "confidential.enabled keda.triggers tokenizer.containers"
)
UNIONS = "volume env probe lifecycle resourceClaims pool.ref pool.spec config.ref config.inline http"
RULES = [
    *("8.1", "8.2", "8.6", "8.7"),
    *(f"8.3/{name}" for name in f"{MATCHED} {REPLACED}".split()),
    *(f"8.4/{name}" for name in NOUGHT.split()),
    *(f"8.5/{name}" for name in UNIONS.split()),
    *(f"8.8/{number}" for number in range(1, 29)),  # 29 is a preset's, and a test of its own below
]


def ids(idea: str) -> list[str]:
    """The rows and rules that an idea is about: what stands before its text, each with a comma."""
    known = re.compile(r"[AB]\d+|V\d+|8\.\d(/[\w.]+)?")
    found = []
    for part in idea.split(", "):
        if not known.fullmatch(part):
            break
        found.append(part)
    return found


def test_every_row_has_a_test() -> None:
    cases = {case["id"] for case in CASES}
    tables = {name for entry in TABLES for name in ids(entry["idea"])}
    assert cases <= {*ROWS, *SPARES}
    assert [row for row in (*ROWS, *SPARES) if row not in cases] == []
    assert [row for row in MERGES if row not in tables] == []


def test_every_rule_of_the_merge_has_a_test() -> None:
    found = {name for entry in TABLES for name in ids(entry["idea"])}
    assert [rule for rule in RULES if rule not in found] == []
    assert [name for name in found if name.startswith("8.") and name not in RULES] == []


def documents(case: dict[str, Any]) -> list[dict[str, Any]]:
    bases = [base(spec, f"base-{number}") for number, spec in enumerate(case.get("bases", []))]
    refs = {"baseRefs": [{"name": item["metadata"]["name"]} for item in bases]} if bases else {}
    return [service({"model": case.get("model", MODEL), **refs, **case["service"]}), *bases]


def stack_of(case: dict[str, Any]) -> StackSpec:
    config = {"namespace": "llm", "cluster": {"context": "test"}, "platform": case.get("platform", PLATFORM)}
    stack = read_stack(Path("/nonexistent"), config, documents=documents(case))
    assert not errors_of(stack.findings), list(map(str, stack.findings))
    return stack


def resolved(case: dict[str, Any]) -> tuple[Resolved | None, list[Finding]]:
    stack = stack_of(case)
    [document] = [document for document in stack.documents if document.name == "chat"]
    return resolve(document, stack)


def accepted(case: dict[str, Any]) -> Resolved:
    found, findings = resolved(case)
    assert found is not None, "\n".join(map(str, findings))
    return found


def stands(spec: Any, path: str) -> Any:
    """What stands at a path of a spec, None where there is nothing; an item of a list by its name or number."""
    for key in path.split("."):
        if isinstance(spec, list):
            named = [item for item in spec if isinstance(item, dict) and item.get("name") == key]
            spec = named[0] if named else spec[int(key)] if key.isdigit() and int(key) < len(spec) else None
        else:
            spec = spec.get(key) if isinstance(spec, dict) else None
    return spec


def engine(stand_in: StandIn, spec: Any, pod: str) -> Run:
    """The engine of a pod, started for real."""
    run = stand_in.run_container(stands(spec, f"{pod}.containers.main"))
    assert run.argv is not None, run.errors
    return run


def value_of(argv: list[str], flag: str) -> Any:
    """What follows a flag, which must stand there once; JSON is read."""
    assert argv.count(flag) == 1, f"{flag} in {argv}"
    text = argv[argv.index(flag) + 1]
    return json.loads(text) if text.startswith("{") else text


def named(case: dict[str, Any]) -> str:
    return f"{case['id']}: {case['idea']}"


def having(*keys: str) -> Any:
    """Those cases that say something of one of the keys."""
    return pytest.mark.parametrize("case", [case for case in CASES if case.keys() & set(keys)], ids=named)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_form(case: dict[str, Any]) -> None:
    says = {"spec", "runs", "without", "environment", "size", "refused"}
    assert case.keys() <= {"id", "idea", "bases", "service", "model", "platform", *says}
    assert case.keys() & says, "a case that says nothing can't fail"


@having("spec")
def test_merged_spec(case: dict[str, Any]) -> None:
    spec = plain(accepted(case).tree)
    assert {path: stands(spec, path) for path in case["spec"]} == case["spec"]


@having("runs", "without", "environment")
def test_engine(stand_in: StandIn, case: dict[str, Any]) -> None:
    spec = plain(accepted(case).tree)
    for pod, flags in case.get("runs", {}).items():
        argv = engine(stand_in, spec, pod).argv or []
        for flag, value in flags.items():
            assert flag in argv
            assert value is None or value_of(argv, flag) == value
    for pod, flags in case.get("without", {}).items():
        assert not set(engine(stand_in, spec, pod).argv or []) & set(flags)
    for pod, variables in case.get("environment", {}).items():
        assert variables.items() <= engine(stand_in, spec, pod).env.items()


@having("size")
def test_pods_of_a_replica(case: dict[str, Any]) -> None:
    plan = plan_of(*documents(case), platform=PLATFORM)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    spec = one(plan, "LeaderWorkerSet").data["spec"]
    assert spec["leaderWorkerTemplate"]["size"] == case["size"]
    assert spec.get("replicas", 1) == case["service"].get("replicas", 1)


@having("refused")
def test_refusal(case: dict[str, Any]) -> None:
    wanted = case["refused"]
    plan = plan_of(*documents(case), platform=PLATFORM)
    said = [f"{error.message}; {error.cure}" for error in plan.errors if error.path == wanted["path"]]
    assert any(all(word in text for word in wanted["words"]) for text in said), list(map(str, plan.errors))


def test_v2_explain_says_where_each_came_from() -> None:
    [case, _] = [case for case in CASES if case["id"] == "V2"]
    tree = accepted(case).tree
    tensor, expert = at(tree, ("parallelism", "tensor")), at(tree, ("parallelism", "expert"))
    assert isinstance(tensor, Leaf)
    assert isinstance(expert, Leaf)
    assert tensor.origin.layer == "baseRef:base-0"
    assert (expert.origin.layer, expert.value) == ("service", False)
    assert isinstance(expert.overrode, Leaf)
    assert (expert.overrode.origin.layer, expert.overrode.value) == ("baseRef:base-0", True)


def test_v3_explain_says_what_args_took_the_place_of() -> None:
    [case] = [case for case in CASES if case["id"] == "V3"]
    args = at(accepted(case).tree, ("template", "containers", 0, "args"))
    assert isinstance(args, Row)
    assert args.overrode is not None
    assert (args.overrode.origin.layer, plain(args.overrode)) == ("baseRef:base-0", ["--dtype", "half"])


def test_8_8_29_default_selector_of_a_pool() -> None:
    spec = plain(accepted({"service": {"router": {"scheduler": {}}}}).tree)
    assert stands(spec, "router.scheduler.pool.spec.selector.matchLabels") == {
        "app.kubernetes.io/name": "chat",
        "app.kubernetes.io/part-of": "llminferenceservice",
        "kserve.io/component": "workload",
    }
