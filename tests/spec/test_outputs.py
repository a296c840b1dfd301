"""The contract of a stack's outputs: what is read, what is refused and how, and that page and schema say the same."""

import json
import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from loco.model import Refused
from loco.spec.outputs import GatewayOutput, ModelOutput, StackOutputs, read_outputs
from loco.spec.outputs_schema import outputs_schema
from tests.conftest import REPOSITORY
from tests.plan.stacks import gateway, plan_of, service

PLATFORM = {"gateway": {"name": "shared", "namespace": "infra", "url": "https://x", "internalURL": "http://gw"}}
GROUPED = {"router": {"route": {"group": "g", "weight": 3}, "scheduler": {}}}
GPU = {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}
WIDE = {**GROUPED, "prefill": {"template": GPU}, "template": GPU}
STACK = "organization/models/prod"


def exported() -> dict[str, Any]:
    """What a stack of everything exports, as another stack gets it: every number is a float."""
    expose = {"hostnames": ["llm.example.com"]}
    lora = {"uri": "hf://org/m", "name": "wide", "lora": {"adapters": [{"name": "legal", "uri": "hf://org/legal"}]}}
    documents = [
        service({**WIDE, "model": lora}, "wide", labels={"tier": "a"}),
        service({}, "plain"),
        gateway({"expose": expose}),
    ]
    plan = plan_of(*documents, platform=PLATFORM)
    assert not plan.errors
    values: dict[str, Any] = json.loads(json.dumps(plan.outputs), parse_int=float)
    return values


VALUES = exported()


def test_what_is_exported_is_read_whole() -> None:
    outputs = read_outputs(VALUES)
    assert outputs.as_dict() == VALUES
    wide = outputs.models["llm/wide"]
    assert (wide.labels, wide.adapters, wide.served_names[0]) == ({"tier": "a"}, ["legal"], "wide")
    assert (wide.upstream.gateway, wide.upstream.scheduled) == ("http://gw/llm/wide", True)
    assert wide.group is not None
    assert (wide.group.name, wide.group.weight, type(wide.group.weight)) == ("g", 3, int)
    assert wide.workloads.prefill is not None
    plain = outputs.models["llm/plain"]
    assert (plain.group, plain.upstream.gateway, plain.workloads.pool) == (None, None, None)
    assert outputs.gateways["llm/main"].master_key.key == "master-key"


def test_what_a_later_loco_adds_is_passed_over() -> None:
    values = deepcopy(VALUES)
    values |= {"more": 1}
    values["models"]["llm/wide"] |= {"more": {}}
    values["models"]["llm/wide"]["upstream"]["more"] = None
    assert read_outputs(values) == read_outputs(VALUES)


def _change(*path: str, to: Any = None) -> Callable[[dict[str, Any]], None]:
    """Sets the value at a path, or takes it away."""

    def change(values: dict[str, Any]) -> None:
        for key in path[:-1]:
            values = values[key]
        if to is None:
            del values[path[-1]]
        else:
            values[path[-1]] = to

    return change


def _older(values: dict[str, Any]) -> None:
    for model in values["models"].values():
        del model["upstream"]


@pytest.mark.parametrize(
    ("change", "message", "cure"),
    [
        (_change("version"), f"the output version of the stack {STACK} is missing", "be updated first"),
        (_change("models"), f"the output models of the stack {STACK} is missing", "ModelServingStack.outputs"),
        (lambda v: v.clear(), f"the outputs version and models and gateways of the stack {STACK} are missing", "export"),
        (_change("version", to=2.0), f"version of the stack {STACK} is 2, and this loco knows 1", "a newer loco"),
        (_change("version", to=0.0), f"version of the stack {STACK} is 0, and this loco knows 1", "updated with this"),
        (_change("version", to="1"), f"version of the stack {STACK} is '1'", "updated with this loco"),
        (_change("version", to=True), f"version of the stack {STACK} is True", "updated with this loco"),
        (_older, f"models.llm/plain.upstream of the stack {STACK} is missing, and so in 1 more", "before this one"),
        (
            _change("models", "llm/wide", "workloads", "primary", "kind"),
            f"models.llm/wide.workloads.primary.kind of the stack {STACK} is missing: an older loco",
            "`pulumi up` of that stack",
        ),
        (_change("gateways", "llm/main", "masterKey"), f"gateways.llm/main.masterKey of the stack {STACK}", "older"),
        (_change("models", "llm/wide", "labels", to=[]), "models.llm/wide.labels of the stack", "should be a mapping"),
        (_change("models", "llm/wide", "group", "weight", to=1.5), "models.llm/wide.group.weight", "whole number"),
        (_change("models", "llm/wide", "url", to=3.0), "models.llm/wide.url", "should be text"),
        (_change("models", to=[]), f"the output models of the stack {STACK}", "should be a mapping"),
        (_change("models", "llm/wide", "adapters", to={}), "models.llm/wide.adapters", "should be a list"),
        (_change("models", "llm/wide", "upstream", "routed", to=1.0), "models.llm/wide.upstream.routed", "true or false"),
        (_change("models", "llm/wide", "servedNames", to=[]), f"models.llm/wide.servedNames of the stack {STACK}", "one name or more"),
        (_change("models", "llm/wide", "servedNames", to=["a", ""]), "models.llm/wide.servedNames", "one name or more"),
        (_change("models", "llm/wide", "adapters", to=[""]), "models.llm/wide.adapters", "a list of names"),
        (_change("models", "llm/wide", "name", to="other"), f"models.llm/wide of the stack {STACK}", "NAMESPACE/NAME"),
        (_change("models", "llm/wide", "upstream", "service", to="host:80"), "models.llm/wide.upstream.service", "http://HOST"),
        (_change("models", "llm/wide", "upstream", "gateway", to="http://"), "models.llm/wide.upstream.gateway", "http://HOST"),
        (_change("models", "llm/wide", "group", "weight", to=-1.0), "models.llm/wide.group.weight", "0 or more"),
        (_change("gateways", "llm/main", "namespace", to=""), "gateways.llm/main of the stack", "NAMESPACE/NAME"),
    ],
)  # fmt: skip
def test_what_is_refused_names_stack_and_key(change: Callable[[dict[str, Any]], None], message: str, cure: str) -> None:
    values = deepcopy(VALUES)
    change(values)
    with pytest.raises(Refused) as refused:
        read_outputs(values, STACK)
    (finding,) = refused.value.findings
    assert (finding.code, finding.severity) == ("LOCO-REFERENCE", "error")
    assert message in finding.message
    assert cure in f"{finding.message}; {finding.cure}"


def test_several_faults_are_told_together() -> None:
    values = deepcopy(VALUES)
    _older(values)
    del values["gateways"]["llm/main"]["url"]
    with pytest.raises(Refused) as refused:
        read_outputs(values, STACK)
    assert len(refused.value.findings) == 2


def test_the_schema_takes_what_is_exported() -> None:
    validator = Draft202012Validator(outputs_schema())
    assert list(validator.iter_errors(json.loads(json.dumps(VALUES)))) == []
    for change in (_change("version", to=2), _change("models", "llm/wide", "upstream"), _change("models", to=[])):
        values = deepcopy(VALUES)
        change(values)
        assert not validator.is_valid(values)
    assert "null" not in json.dumps(outputs_schema())


@pytest.mark.parametrize(
    ("head", "model"),
    [("output", StackOutputs), ("field of a model", ModelOutput), ("field of a gateway", GatewayOutput)],
)
def test_the_page_has_every_field_and_no_other(head: str, model: type[BaseModel]) -> None:
    page = (REPOSITORY / "docs/outputs.md").read_text()
    table = page.partition(f"| {head} |")[2].partition("\n\n")[0]
    written = {name for row in table.splitlines()[2:] for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])}
    assert written == set(_fields(model))


def _fields(model: type[BaseModel]) -> list[str]:
    """The names of a model's fields; those of a mapping among them with a dot."""
    found = []
    for name, field in model.model_fields.items():
        alias = field.alias or name
        below = [kind for kind in (field.annotation, *get_args(field.annotation)) if _is_model(kind)]
        nested = [] if str(field.annotation).startswith(("list", "dict")) else below
        found += [
            f"{alias}.{key}" for kind in nested for key in (f.alias or n for n, f in kind.model_fields.items())
        ] or [alias]
    return found


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
