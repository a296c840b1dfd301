"""schema: the checked-in files are those that the models give, and they judge documents as loco does."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from loco.cli.schema import schema_text
from loco.model import Origin
from loco.spec.document import SPEC_OF, check_spec
from loco.spec.kubernetes.scalars import SCALARS
from loco.spec.schema import _SCALARS, SCHEMAS
from loco.spec.tree import plant
from tests.cli.conftest import BROKEN, SERVICE, WARNED

Run = Callable[..., Any]
ROOT = Path(__file__).resolve().parent.parent.parent
CHECKED_IN = {kind: json.loads((ROOT / "schemas" / f"{kind}.json").read_text("utf-8")) for kind in SCHEMAS}
REGISTRY: Registry[Any] = Registry().with_resources(
    (f"{kind}.json", Resource.from_contents(schema)) for kind, schema in CHECKED_IN.items()
)


def faults(document: Any, kind: str = "Document") -> list[str]:
    """The paths and messages of everything that a schema has against a document."""
    validator = Draft202012Validator(CHECKED_IN[kind], registry=REGISTRY)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def service(**spec: Any) -> dict[str, Any]:
    document = yaml.safe_load(SERVICE.replace("NAME", "chat"))
    document["spec"] |= spec
    return dict(document)


def container(**fields: Any) -> dict[str, Any]:
    return service(template={"containers": [{"name": "main", **fields}]})


@pytest.mark.parametrize("kind", SCHEMAS)
def test_the_files_are_up_to_date(kind: str) -> None:
    text = (ROOT / "schemas" / f"{kind}.json").read_text("utf-8")
    assert text == schema_text(kind), "run: loco schema --write schemas"


def test_no_other_file_lies_beside_them() -> None:
    assert {path.name for path in (ROOT / "schemas").iterdir()} == {f"{kind}.json" for kind in SCHEMAS}


@pytest.mark.parametrize("kind", SCHEMAS)
def test_each_is_a_schema(kind: str) -> None:
    Draft202012Validator.check_schema(CHECKED_IN[kind])
    assert CHECKED_IN[kind]["description"]


@pytest.mark.parametrize(
    "path", sorted([*ROOT.glob("models/*.yaml"), *ROOT.glob("presets/*.yaml")]), ids=lambda p: p.name
)
def test_shipped_documents(path: Path) -> None:
    text = path.read_text("utf-8").replace("{{ scheme }}", "HTTP")  # presets alone have templates, in place of words
    for document in yaml.safe_load_all(text):
        assert faults(document) == []
        assert faults(document, document["kind"]) == []


def test_the_stack_config() -> None:
    config = yaml.safe_load((ROOT / "Pulumi.dev.yaml").read_text("utf-8"))
    assert faults(config, "StackConfig") == []
    good = {
        "loco:defaults": {"LLMInferenceService": {"spec": {"labels": {"team": "search"}}}},
        "loco:overrides": {
            "LLMInferenceService/opt-125m": {"spec": {"replicas": 2}},
            "LLMInferenceService/llm/chat": {"enabled": False, "metadata": {"labels": {"a": None}}},
            "ExternalModel/gpt": {"spec": {"url": "https://example.com"}},
        },
        "aws:region": "eu-central-1",
    }
    assert faults({"config": good}, "StackConfig") == []
    for bad in (
        {"loco:profil": "safe"},
        {"loco:profile": "unsafe"},
        {"loco:platform": {"spareGpu": 1}},
        {"loco:defaults": {"LLMInferenceServiceConfig": {}}},
        {"loco:overrides": {"LLMInferenceService/chat": {"spec": {"replica": 2}}}},
        {"loco:overrides": {"chat": {"spec": {}}}},
        {"loco:credentials": {"openai": {"token": "abc"}}},
    ):
        assert faults({"config": bad}, "StackConfig"), bad


@pytest.mark.parametrize(
    "document",
    [
        service(),
        yaml.safe_load(WARNED.replace("NAME", "warned")),
        service(replicas=None, labels={"a": None}, router={"route": {}, "gateway": {}, "scheduler": {}}),
        service(
            template={"$patch": "replace", "containers": [{"name": "x", "$patch": "delete"}], "$retainKeys": ["a"]}
        ),
        service(rolloutStrategy={"maxSurge": "25%", "maxUnavailable": 0}),
        service(router={"route": {"http": {"spec": {"hostnames": ["a.b"], "rules": [{"name": "x"}]}}}}),
        service(router={"scheduler": {"config": {"inline": {"$any": [None], "plugins": {}}}}}),
        container(resources={"limits": {"cpu": 2, "memory": "1Gi", "nvidia.com/gpu": None}}),
        container(env=[{"valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}], readinessProbe=None),
    ],
)
def test_what_loco_accepts(document: dict[str, Any]) -> None:
    tree = plant(document["spec"], Origin("service"))
    assert check_spec(tree, "LLMInferenceService/llm/x", tree) == []
    assert faults(document) == []


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (service(replicsa=1), "$.spec"),
        (service(replicas="1"), "$.spec.replicas"),
        (service(replicas=-1), "$.spec.replicas"),
        (service(model={"url": "hf://a/b"}), "$.spec.model"),
        (service(labels={"a": True}), "$.spec.labels.a"),
        (service(prefill={"parallelism": {"tensor": 0}}), "$.spec.prefill.parallelism.tensor"),
        (service(baseRefs=[None]), "$.spec.baseRefs[0]"),
        (service(template={"containers": {"name": "main"}}), "$.spec.template.containers"),
        (service(template={"containers": [None]}), "$.spec.template.containers[0]"),
        (container(imgae="x"), "$.spec.template.containers[0]"),
        (container(imagePullPolicy="Sometimes"), "$.spec.template.containers[0].imagePullPolicy"),
        (container(env=[{"name": "A", "value": 1}]), "$.spec.template.containers[0].env[0].value"),
        (container(**{"$patch": "remove"}), "$.spec.template.containers[0]['$patch']"),
        (service() | {"status": {}}, "$"),
        (service() | {"apiVersion": "v1"}, "$.apiVersion"),
        (service() | {"kind": "Service"}, "$.kind"),
        (service() | {"metadata": {}}, "$.metadata"),
        (service() | {"metadata": {"name": "No"}}, "$.metadata.name"),
        (service() | {"spec": None}, "$.spec"),
        (service(baseRefs=[{"name": "a"}]) | {"kind": "LLMInferenceServiceConfig"}, "$.spec"),
        (yaml.safe_load(BROKEN.replace("NAME", "broken")), "$.spec"),
    ],
)
def test_what_loco_refuses(document: dict[str, Any], place: str) -> None:
    assert any(fault.startswith(f"{place}: ") for fault in faults(document)), faults(document)


@pytest.mark.parametrize("name", ["gpt", "gateway"])
def test_an_unknown_key_anywhere_in_the_other_kinds(name: str) -> None:
    document = yaml.safe_load((ROOT / "models" / f"{name}.yaml").read_text("utf-8"))
    for path in (("spec",), ("metadata",), ()):
        bad = deepcopy(document)
        at = bad
        for key in path:
            at = at[key]
        at["unknown"] = 1
        assert faults(bad), path


def test_every_scalar_of_the_tables_has_a_type() -> None:
    assert _SCALARS.keys() == SCALARS.keys()


def test_fields_have_descriptions() -> None:
    for kind, model in SPEC_OF.items():
        fields = CHECKED_IN[kind]["$defs"][model.__name__]["properties"]
        described = {info.alias or name for name, info in model.model_fields.items() if info.description}
        assert {key for key, field in fields.items() if field.get("description")} == described & fields.keys()


def test_print(loco: Run) -> None:
    done = loco("schema", "ExternalModel")
    assert (done.status, done.err) == (0, "")
    assert done.out == schema_text("ExternalModel")
    assert json.loads(loco("schema").out) == CHECKED_IN


def test_write(loco: Run, folder: Path) -> None:
    assert loco("schema", "--write", "new/schemas") == (0, "", "")
    assert {path.name for path in (folder / "new/schemas").iterdir()} == {f"{kind}.json" for kind in SCHEMAS}
    assert loco("schema", "Document", "--write", "one") == (0, "", "")
    assert (folder / "one" / "Document.json").read_text("utf-8") == schema_text("Document")
    assert len(list((folder / "one").iterdir())) == 1


def test_a_folder_that_cannot_be_written(loco: Run) -> None:
    done = loco("schema", "--write", "good.yaml")
    assert (done.status, done.out) == (1, "")
    assert "LOCO-FILE" in done.err


def test_an_unknown_kind(loco: Run) -> None:
    done = loco("schema", "Deployment")
    assert (done.status, done.out) == (2, "")
    assert "invalid choice" in done.err
