"""Models of other stacks: which stacks a config names, and what their outputs make of it for the gateways of this one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from loco import names
from loco.model import Finding, ServedModel
from loco.model.origin import Origin
from loco.spec.base import Spec
from loco.spec.outputs import ModelOutput, StackOutputs, check_outputs
from loco.spec.stack_name import StackName, is_possible
from loco.spec.suggest import close_to
from loco.spec.tree import Node, at
from loco.spec.validate import origin_of

_CONFIG = Origin("config")


class ModelsFrom(Spec):
    """A stack whose models the LiteLLM gateways of this one serve like its own."""

    stack: StackName = Field(description="organization/project/stack.")
    match_labels: dict[str, str] = Field(
        default_factory=dict, description="Labels of the models' metadata; none takes all that the stack has."
    )
    exclude: list[str] = Field(
        default_factory=list, description="NAMESPACE/NAME of models to leave out, such as one that is about to go."
    )

    @model_validator(mode="before")
    @classmethod
    def _stack_alone(cls, value: Any) -> Any:
        return {"stack": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        mapping = handler.resolve_ref_schema(handler(schema))
        return {"description": mapping.pop("description"), "anyOf": [{"type": "string"}, mapping]}


@dataclass(frozen=True, slots=True)
class OtherModels:
    """What the other stacks give.

    Attributes:
        models: in the order of the config, then of their names.
        awaited: stacks whose outputs aren't known here, since only the engine has them.
    """

    models: tuple[ServedModel, ...] = ()
    awaited: tuple[str, ...] = ()


NO_OTHER_MODELS = OtherModels()


def models_of_others(
    sources: Sequence[ModelsFrom],
    where: Node | None,
    outputs: Mapping[str, StackOutputs | Mapping[str, Any]],
    own: tuple[str, str],
) -> tuple[OtherModels, list[Finding]]:
    """The models of other stacks.

    Args:
        sources: ``modelsFrom`` of the config.
        where: the same with origins.
        outputs: by the stack's name as the config writes it, what is known of its outputs.
        own: project and name of this stack.

    Returns:
        The models, and findings: outputs that are missing or of another version, a stack that is named twice or has no
        such model, a model of two stacks.
    """
    models: dict[str, ServedModel] = {}
    awaited: list[str] = []
    findings: list[Finding] = []
    seen: set[str] = set()
    for index, source in enumerate(sources):
        path, origin = f"modelsFrom[{index}]", origin_of(at(where, (index,)), _CONFIG)
        if (wrong := _not_another(source.stack, seen, own)) is not None:
            code, message, cure = wrong
            findings.append(Finding(code, "error", path, message, cure, origin, value=source.stack))
            continue
        seen.add(source.stack)
        if source.stack not in outputs:
            awaited.append(source.stack)
            continue
        given = outputs[source.stack]
        read, reading = (
            (given, []) if isinstance(given, StackOutputs) else check_outputs(given, source.stack, path, origin)
        )
        findings += reading
        if read is None:
            continue
        taken = [
            model for _, model in sorted(read.models.items()) if source.match_labels.items() <= model.labels.items()
        ]
        if not taken:
            findings.append(_without_models(source, bool(read.models), path, origin))
        findings += _idle_exclusions(source, taken, at(where, (index, "exclude")), path, origin)
        for model in taken:
            key = names.component_name(model.namespace, model.name)
            if key in source.exclude:
                continue
            if (other := models.get(key)) is not None:
                message = f"the stacks {other.stack} and {source.stack} both have a model {key}"
                cure = "another name or namespace for one of them, or matchLabels that take one"
                findings.append(Finding("LOCO-DUPLICATE", "error", path, message, cure, origin, value=key))
                continue
            models[key] = _served(model, source.stack, origin)
    return OtherModels(tuple(models.values()), tuple(awaited)), findings


def stacks_to_await(sources: Any, own: tuple[str, str]) -> list[str]:
    """Names of stacks, each once, of a ``modelsFrom`` that isn't checked yet.

    The engine ends a program that asks for a stack of no possible name, or that isn't there. So what reading refuses,
    with its place and a cure, is left to that: such a name, and the stack itself.
    """
    named = [
        source.get("stack") if isinstance(source, Mapping) else source
        for source in (sources if isinstance(sources, list) else [])
    ]
    return [
        stack
        for stack in dict.fromkeys(name for name in named if isinstance(name, str))
        if is_possible(stack) and not _is_own(stack, own)
    ]


def _is_own(stack: str, own: tuple[str, str]) -> bool:
    """ORGANIZATION/STACK, and STACK alone, are of this project."""
    *before, name = stack.split("/")
    return (before[1] if len(before) == 2 else own[0], name) == own


def _not_another(stack: str, seen: set[str], own: tuple[str, str]) -> tuple[str, str, str] | None:
    """Code, message and cure for a stack that is named twice, or is this one."""
    if stack in seen:
        return "LOCO-DUPLICATE", f"the stack {stack} is named twice", "each stack once"
    if _is_own(stack, own):
        cure = "other stacks alone; gateways serve the models of their own stack anyway"
        return "LOCO-REFERENCE", f"{stack} is this stack itself", cure
    return None


def _without_models(source: ModelsFrom, has_others: bool, path: str, origin: Origin) -> Finding:
    message = (
        f"no model of the stack {source.stack} has these labels"
        if has_others
        else f"the stack {source.stack} has no models"
    )
    cure = "labels that the models' metadata have" if has_others else "a stack with models that aren't stopped"
    value = source.match_labels if has_others else source.stack
    return Finding("LOCO-NO-EFFECT", "warning", path, message, cure, origin, value=value)


def _idle_exclusions(
    source: ModelsFrom, taken: Sequence[ModelOutput], where: Node | None, path: str, origin: Origin
) -> list[Finding]:
    """``LOCO-NO-EFFECT`` for a name that would not be there anyway."""
    there = {names.component_name(model.namespace, model.name) for model in taken}
    findings = []
    for index, name in enumerate(source.exclude):
        if name not in there:
            message = f"there is no model {name} of the stack {source.stack} to leave out"
            close = close_to(name, there)
            cure = f"{close}, or exclude without it" if close else "exclude without it"
            line = origin_of(at(where, (index,)), origin)
            place = f"{path}.exclude[{index}]"
            findings.append(Finding("LOCO-NO-EFFECT", "warning", place, message, cure, line, value=name))
    return findings


def _served(model: ModelOutput, stack: str, origin: Origin) -> ServedModel:
    return ServedModel(
        model.namespace,
        model.name,
        tuple(model.served_names),
        model.labels,
        model.upstream.service,
        model.upstream.gateway,
        model.upstream.routed,
        model.upstream.scheduled,
        origin,
        adapters=tuple(model.adapters),
        group=model.group.name if model.group is not None else None,
        weight=model.group.weight if model.group is not None else None,
        stack=stack,
    )
