"""JSON Schemas of what users write, for editors: completion, descriptions, and faults while one types.

A document is one layer of several, so a schema asks for nothing that another layer may give, takes null wherever that
removes, and lets a merge's directives stand. It never refuses what loco accepts. What it doesn't say (the grammar of
names and URLs, choices that exclude each other) is left to ``loco check``.
"""

from typing import Any

from pydantic import BaseModel

from loco.spec import kubernetes
from loco.spec.companion import COMPANION_API
from loco.spec.document import (
    BASE_CONFIG,
    COMPANION_KINDS,
    EXTERNAL_MODEL,
    KSERVE_API,
    LAYERED,
    LOCO_API,
    OLDER_KSERVE_API,
    SERVICE,
    SPEC_OF,
    Kind,
    Metadata,
)
from loco.spec.outputs_schema import outputs_schema
from loco.spec.service import LLMInferenceServiceSpec
from loco.spec.stack import StackConfig
from loco.spec.tree import Path
from loco.spec.validate import FREE_FORM, KUBERNETES_SHAPES

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ANY_DOCUMENT = "Document"
STACK_CONFIG = "StackConfig"
STACK_OUTPUTS = "StackOutputs"
SCHEMAS: tuple[str, ...] = (*SPEC_OF, ANY_DOCUMENT, STACK_CONFIG, STACK_OUTPUTS)

_KSERVE = [KSERVE_API, OLDER_KSERVE_API]
_PROJECT = "loco:"
_NAME = {"type": "string", "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}
_DIRECTIVES: Schema = {
    r"^\$patch$": {"enum": ["merge", "replace", "delete"]},
    r"^\$retainKeys$": {"type": "array", "items": {"type": "string"}},
}
_SCALARS: dict[str, Schema] = {
    "any": {},
    "boolean": {"type": "boolean"},
    "bytes": {"type": "string"},
    "int-or-string": {"type": ["integer", "string"]},
    "int32": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "object": {"type": "object"},
    "quantity": {"type": ["string", "number"]},
    "string": {"type": "string"},
    "time": {"type": "string"},
}


def schema_of(name: str) -> Schema:
    """The schema of a kind's whole document, of ``Document`` (any of the kinds), ``StackConfig`` or ``StackOutputs``.

    ``Document`` refers to the others as files beside it. KeyError for a name that isn't in SCHEMAS.
    """
    if name == ANY_DOCUMENT:
        return _any_document()
    if name == STACK_CONFIG:
        return _stack_config()
    if name == STACK_OUTPUTS:
        return {"$schema": DIALECT, "title": STACK_OUTPUTS, **outputs_schema()}
    return _document({str(kind): kind for kind in SPEC_OF}[name])


def _any_document() -> Schema:
    """Told apart by kind, so that an editor judges a document by its own schema alone."""
    kinds = list(SPEC_OF)
    definitions: Schema = {}
    for kind in COMPANION_KINDS:
        _kubernetes(kind, definitions)
    return {
        "$schema": DIALECT,
        "title": ANY_DOCUMENT,
        "description": "One document of a model file.",
        "type": "object",
        "required": ["apiVersion", "kind"],
        "properties": {
            "apiVersion": {"enum": [KSERVE_API, OLDER_KSERVE_API, LOCO_API, COMPANION_API]},
            "kind": {"enum": [*kinds, *COMPANION_KINDS]},
        },
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
                "then": {"$ref": f"{kind}.json"},
            }
            for kind in kinds
        ]
        + [
            {
                "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
                "then": {"$ref": f"#/$defs/{_kubernetes_name(kind)}"},
            }
            for kind in COMPANION_KINDS
        ],
        "$defs": definitions,
    }


def _document(kind: Kind) -> Schema:
    definitions: Schema = {}
    spec = _spec(kind, definitions)
    if kind == BASE_CONFIG:
        definitions[spec]["properties"].pop("baseRefs")  # base configs refer to no others
    metadata = _model(Metadata, definitions, directives=False)
    definitions[metadata]["properties"] |= {"name": _NAME}
    definitions[metadata]["required"] = ["name"]
    return {
        "$schema": DIALECT,
        "title": kind,
        "description": definitions[spec]["description"],
        "type": "object",
        "required": ["apiVersion", "kind", "metadata", *(["spec"] if kind in (SERVICE, EXTERNAL_MODEL) else [])],
        "properties": {
            "apiVersion": {"enum": _KSERVE} if SPEC_OF[kind] is LLMInferenceServiceSpec else {"const": LOCO_API},
            "kind": {"const": kind},
            "metadata": _never_null(_ref(metadata)),
            "spec": _never_null(_ref(spec)),
        },
        "additionalProperties": False,
        "$defs": definitions,
    }


def _stack_config() -> Schema:
    """Pulumi.<stack>.yaml as a whole: the project's own keys, its secrets, and whatever else the engine keeps there."""
    definitions: Schema = {}
    settings = definitions.pop(_model(StackConfig, definitions, directives=False))
    settings["properties"]["modelsFrom"]["items"] = _ref("ModelsFrom")  # text or a mapping
    layers: dict[Kind, Schema] = {}
    for kind in LAYERED:
        metadata = {key: _or_null(_map({"type": "string"})) for key in ("labels", "annotations")}
        layers[kind] = {
            "metadata": _or_null(_closed(metadata)),
            "spec": _or_null(_ref(_spec(kind, definitions))),
        }
    settings["properties"]["defaults"] |= _or_null(_closed({kind: _closed(layers[kind]) for kind in LAYERED}))
    settings["properties"]["overrides"] |= _or_null(
        {
            "type": "object",
            "additionalProperties": False,
            "patternProperties": {
                f"^{kind}/([^/]+/)?[^/]+$": _closed({"enabled": {"type": "boolean"}, **layers[kind]})
                for kind in LAYERED
            },
        }
    )
    secret = {"type": "object", "required": ["secure"], "description": "pulumi config set --secret NAME"}
    return {
        "$schema": DIALECT,
        "title": STACK_CONFIG,
        "description": "Pulumi.<stack>.yaml of a project that is called loco.",
        "type": "object",
        "properties": {
            "config": {
                "type": "object",
                "description": settings["description"],
                "properties": {_PROJECT + key: value for key, value in settings["properties"].items()},
                "patternProperties": {f"^(?!{_PROJECT})": {}},  # other packages' keys
                "additionalProperties": secret,
            }
        },
        "$defs": definitions,
    }


def _spec(kind: Kind, definitions: Schema) -> str:
    """Adds the definitions of a kind's spec; returns its name."""
    name = _model(SPEC_OF[kind], definitions)
    if SPEC_OF[kind] is LLMInferenceServiceSpec:
        for path, shape in KUBERNETES_SHAPES:
            _kubernetes(shape, definitions)
            place = _property(definitions, name, path)
            description = {"description": place["description"]} if "description" in place else {}
            place.clear()
            place |= description | _or_null(_ref(_kubernetes_name(shape)))
        for path in FREE_FORM:
            _property(definitions, name, path).pop("patternProperties", None)
    return name


def _property(definitions: Schema, name: str, path: Path) -> Schema:
    """The schema of a field, which is the same wherever its model is used."""
    for key in path[:-1]:
        name = definitions[name]["properties"][key]["$ref"].rpartition("/")[2]
    found: Schema = definitions[name]["properties"][path[-1]]
    return found


def _model(model: type[BaseModel], definitions: Schema, directives: bool = True) -> str:
    """Adds the definitions of a model and of all below it; returns its name."""
    schema = model.model_json_schema(by_alias=True)
    for name, definition in {**schema.pop("$defs", {}), model.__name__: schema}.items():
        definitions[name] = _or_null(_layer(definition, directives))
    return model.__name__


def _layer(schema: Schema, directives: bool) -> Schema:
    """What pydantic writes of a model, as one layer may write it, without what says nothing to an author."""
    kept = {key: value for key, value in schema.items() if key not in ("title", "default", "required")}
    if "anyOf" in kept:
        choices = [_layer(choice, directives) for choice in kept.pop("anyOf") if choice != {"type": "null"}]
        return kept | (choices[0] if len(choices) == 1 else {"anyOf": choices})
    if "properties" in kept:
        kept["properties"] = {key: _or_null(_layer(item, directives)) for key, item in kept["properties"].items()}
    if isinstance(kept.get("additionalProperties"), dict):
        kept["additionalProperties"] = _or_null(_layer(kept["additionalProperties"], directives))
    if "items" in kept:
        kept["items"] = _never_null(_layer(kept["items"], directives))
    if kept.get("type") == "object" and directives and kept.get("additionalProperties") is not True:
        kept["patternProperties"] = _DIRECTIVES
    return kept


def _kubernetes(name: str, definitions: Schema) -> None:
    """Adds a definition of the Kubernetes tables and all below it."""
    key = _kubernetes_name(name)
    if key in definitions:
        return
    definitions[key] = {}  # some definitions hold themselves
    properties: Schema = {}
    for field_name, field in kubernetes.definition(name).items():
        if field.of is not None:
            _kubernetes(field.of, definitions)
        one = _ref(_kubernetes_name(field.of)) if field.of is not None else dict(_SCALARS[field.type])
        if field.enum:
            one = {"enum": list(field.enum)}
        shapes = {"one": one, "list": {"type": "array", "items": _never_null(one)}, "map": _map(one)}
        properties[field_name] = _or_null(shapes[field.shape])
    definitions[key] |= {
        "description": f"{name} of Kubernetes {kubernetes.KUBERNETES_VERSION}.",
        **_or_null(_closed(properties)),
        "patternProperties": _DIRECTIVES,
    }


def _kubernetes_name(name: str) -> str:
    return f"kubernetes.{name}"


def _closed(properties: Schema) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _map(value: Schema) -> Schema:
    return {"type": "object", "additionalProperties": _or_null(value), "patternProperties": _DIRECTIVES}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _or_null(schema: Schema) -> Schema:
    """The same, or null, which removes what a lower layer set.

    Definitions take null themselves: were it a choice beside the reference, every fault below would be reported as
    a value that fits neither.
    """
    kept = dict(schema)
    if "anyOf" in kept:
        kept["anyOf"] = [*kept["anyOf"], {"type": "null"}]
    if "enum" in kept:
        kept["enum"] = [*kept["enum"], None]
    if "type" in kept:
        kept["type"] = [*(kept["type"] if isinstance(kept["type"], list) else [kept["type"]]), "null"]
    return kept


def _never_null(schema: Schema) -> Schema:
    """A reference where null removes nothing, such as a list's item."""
    return {**schema, "type": "object"} if "$ref" in schema else schema
