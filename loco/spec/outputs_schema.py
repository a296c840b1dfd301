"""The JSON Schema of a stack's outputs, for whoever reads them."""

from typing import Any

from loco.spec.outputs import StackOutputs


def outputs_schema() -> dict[str, Any]:
    """Unlike what users write, an output is complete: a field that may be left out is never null."""
    schema = StackOutputs.model_json_schema(by_alias=True)
    definitions = {name: _without_null(definition) for name, definition in schema.pop("$defs").items()}
    return {**_without_null(schema), "$defs": definitions}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in schema.items() if key not in ("title", "default")}
    if "anyOf" in kept:
        (one,) = (choice for choice in kept.pop("anyOf") if choice != {"type": "null"})
        kept |= one
    if "properties" in kept:
        kept["properties"] = {key: _without_null(item) for key, item in kept["properties"].items()}
    return kept
