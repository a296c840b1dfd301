"""The outputs of a stack as types: a contract for other projects, plain values without any secret (docs/outputs.md).

The planner builds these models and dumps them; whoever reads another stack's outputs validates them with the same.
Keys that aren't known are passed over on reading, since a later loco may add some without another version.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from loco.model import Finding, Origin, Refused
from loco.spec.tree import Path, dotted

OUTPUTS_VERSION: Final = 1
OUTPUTS = ("version", "models", "gateways")

_URL = re.compile(r"https?://[^\s/]+(?:/\S*)?")
_SAME = "what ModelServingStack.outputs holds, as it is"
_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}


def _whole(value: Any) -> Any:
    """The engine hands over every number of another stack as a float."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole)]


class _Output(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        strict=True,
        alias_generator=to_camel,
        populate_by_name=True,
        protected_namespaces=(),
    )


class Address(_Output):
    """One base URL of a model; requests go to ``<url>/v1/…``."""

    name: str = Field(description="Which way it goes, such as `gateway-external` or `service`.")
    url: str
    header: str | None = Field(None, description="The header that must name the model, where the path doesn't.")
    values: dict[str, str] | None = Field(None, description="What it says, by the plain name of model or adapter.")


class WorkloadObject(_Output):
    """An object that runs pods."""

    kind: str
    name: str


class Workloads(_Output):
    """Names of a model's objects, all in its namespace."""

    primary: WorkloadObject = Field(description="What runs the engine; where there is prefill, that of decode.")
    prefill: WorkloadObject | None = Field(None, description="The same of the prefill engine, where there is one.")
    service: str = Field(description="The Service whose every pod answers a whole request.")
    scheduler: WorkloadObject | None = Field(None, description="The endpoint picker, where the service has one.")
    pool: str | None = Field(None, description="The InferencePool's name, where there is a scheduler.")


class Upstream(_Output):
    """How a LiteLLM gateway reaches the model, be it of this stack or of another."""

    service: str = Field(description="Base URL of the Service inside the cluster.")
    gateway: str | None = Field(None, description="Base URL through the platform's Gateway, where it has one inside.")
    routed: bool = Field(description="Whether the model has a route.")
    scheduled: bool = Field(description="Whether an endpoint picker stands behind the route.")


class TrafficGroup(_Output):
    """The traffic group that a model is a member of."""

    name: str
    weight: Whole | None = Field(None, description="Its share of the group's requests.")


class ModelOutput(_Output):
    """One LLMInferenceService that isn't stopped."""

    name: str
    namespace: str
    url: str = Field(description="The best base URL, the first of `addresses`.")
    addresses: list[Address] = Field(description="All base URLs, best first.")
    served_names: list[str] = Field(description="What a request may give as `model`; the plain name first.")
    presets: list[str] = Field(description="Presets that took part, in merge order.")
    base_refs: list[str] = Field(description="Base configs that took part, in merge order.")
    workloads: Workloads
    labels: dict[str, str] = Field(description="Of the document's metadata; gateways select by them.")
    adapters: list[str] = Field(description="Names of LoRA adapters, each a model to clients.")
    upstream: Upstream
    group: TrafficGroup | None = Field(None, description="Its traffic group, where it has one.")


class SecretKeyOutput(_Output):
    """Where a key is; the key itself is read from the cluster, by whoever may."""

    namespace: str
    name: str
    key: str


class GatewayOutput(_Output):
    """One LiteLLMGateway."""

    name: str
    namespace: str
    url: str = Field(description="Base URL inside the cluster.")
    external_urls: list[str] = Field(alias="externalURLs", description="By the hostnames of `expose`.")
    master_key: SecretKeyOutput = Field(description="The Secret that holds the admin key.")


class StackOutputs(_Output):
    """What a stack of loco exports: ``models`` and ``gateways`` are mappings by ``<namespace>/<name>``."""

    version: Annotated[Literal[1], BeforeValidator(_whole)] = Field(
        description="Grows when a field changes its meaning or goes away, not when one is added."
    )
    models: dict[str, ModelOutput] = Field(description="Every LLMInferenceService that isn't stopped.")
    gateways: dict[str, GatewayOutput] = Field(description="Every LiteLLMGateway.")

    def as_dict(self) -> dict[str, Any]:
        """Plain values in the contract's spelling; what a model hasn't isn't there."""
        return self.model_dump(by_alias=True, exclude_none=True)


def read_outputs(values: Mapping[str, Any], stack: str = "the other stack") -> StackOutputs:
    """The outputs of a stack, as a StackReference gives them, checked against the contract.

    Args:
        values: by name: ``version``, ``models`` and ``gateways``; others are passed over.
        stack: what messages call the stack, such as ``organization/models/prod``.

    Raises:
        Refused: an output is missing, or of another version or form; each finding names the stack and the key.
    """
    outputs, findings = check_outputs(values, stack)
    if outputs is None:
        raise Refused(findings)
    return outputs


def check_outputs(
    values: Mapping[str, Any], stack: str, path: str = "", origin: Origin | None = None
) -> tuple[StackOutputs | None, list[Finding]]:
    """The same without an exception: None where there are findings, which are about the config's value at ``path``."""

    def refused(message: str, cure: str) -> Finding:
        return Finding("LOCO-REFERENCE", "error", path, message, cure, origin, value=stack)

    if missing := [name for name in OUTPUTS if values.get(name) is None]:
        named = f"{'the output' if len(missing) == 1 else 'the outputs'} {' and '.join(missing)} of the stack {stack}"
        message = f"{named} {'is' if len(missing) == 1 else 'are'} missing"
        return None, [refused(message, f"that stack to export {_SAME}, and be updated first")]
    version = _whole(values["version"])
    if type(version) is int and version > OUTPUTS_VERSION:
        message = f"the output version of the stack {stack} is {version}, and this loco knows {OUTPUTS_VERSION}"
        return None, [refused(message, "a newer loco for this stack, as new as that one's")]
    if type(version) is not int or version != OUTPUTS_VERSION:
        message = f"the output version of the stack {stack} is {version!r}, and this loco knows {OUTPUTS_VERSION}"
        return None, [refused(message, f"that stack to be updated with this loco, and to export {_SAME}")]
    try:
        read = StackOutputs.model_validate({name: values[name] for name in OUTPUTS})
    except ValidationError as error:
        details = error.errors(include_url=False)
    else:
        faults = [
            refused(
                f"the output {dotted(key)} of the stack {stack} should be {wanted}", f"that stack to export {_SAME}"
            )
            for key, wanted in _faults(read)
        ]
        return (None, faults) if faults else (read, [])
    findings = []
    for alike in _alike(details):
        kind = alike[0]["type"]
        more = f", and so in {len(alike) - 1} more" if len(alike) > 1 else ""
        key = dotted(alike[0]["loc"])
        if kind == "missing":
            message = f"the output {key} of the stack {stack} is missing{more}: an older loco has made it"
            findings.append(refused(message, "`pulumi up` of that stack with this loco, before this one"))
        else:
            wanted = _EXPECTED.get(kind, str(alike[0]["msg"]))
            message = f"the output {key} of the stack {stack} should be {wanted}{more}"
            findings.append(refused(message, f"that stack to export {_SAME}"))
    return None, findings


def _faults(read: StackOutputs) -> Iterator[tuple[Path, str]]:
    """What has the right type and can't be used: keys, and what they should be. No loco exports such things."""
    for place, values in (("models", read.models), ("gateways", read.gateways)):
        for key, value in values.items():
            if key != f"{value.namespace}/{value.name}" or not (value.namespace and value.name):
                yield (place, key), "under NAMESPACE/NAME as it calls itself"
    for key, model in read.models.items():
        at = ("models", key)
        if not model.served_names or not all(model.served_names):
            yield (*at, "servedNames"), "a list of one name or more"
        if not all(model.adapters):
            yield (*at, "adapters"), "a list of names"
        for way in ("service", "gateway"):
            url: str | None = getattr(model.upstream, way)
            if url is not None and not _URL.fullmatch(url):
                yield (*at, "upstream", way), "a URL such as http://HOST"
        if model.group is not None and (model.group.weight or 0) < 0:
            yield (*at, "group", "weight"), "a whole number of 0 or more"


def _alike(details: list[ErrorDetails]) -> list[list[ErrorDetails]]:
    """Errors by field and kind: what one model lacks, all models of an older stack do."""
    found: dict[tuple[Path, str], list[ErrorDetails]] = {}
    for detail in details:
        location = detail["loc"]
        field = (location[0], *location[2:]) if location[0] in ("models", "gateways") else location
        found.setdefault((field, detail["type"]), []).append(detail)
    return list(found.values())
