"""What programs in other languages are told about the component: the package's schema, in Pulumi's form."""

from importlib.metadata import version
from typing import Any

from loco.components.package_arguments import ARGUMENTS

TOKEN = "loco:index:ModelServingStack"

_ANY = {"$ref": "pulumi.json#/Any"}
# "plain" keeps Outputs away: what a plan is made from must be known before the update.
_INPUTS: dict[str, dict[str, Any]] = {
    "documents": {
        "type": "array",
        "items": {**_ANY, "plain": True},
        "plain": True,
        "description": "LLMInferenceService, LiteLLMGateway, ExternalModel and the other kinds, as in model files.",
    },
    "config": {
        "type": "object",
        "additionalProperties": {**_ANY, "plain": True},
        "plain": True,
        "description": "The stack config: namespace, cluster, platform, credentials and the other settings.",
    },
    "credentials": {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "plain": True,
        "description": "Secret values, by the names that config.credentials has for its sources.",
    },
}
_OUTPUTS: dict[str, dict[str, Any]] = {
    "version": {"type": "integer", "description": "Of the form of the other two."},
    "models": {
        "type": "object",
        "additionalProperties": _ANY,
        "description": "Addresses, names and workloads of each model, by <namespace>/<name>.",
    },
    "gateways": {
        "type": "object",
        "additionalProperties": _ANY,
        "description": "Addresses of each LiteLLM gateway and where its master key lies, by <namespace>/<name>.",
    },
}
OUTPUTS = tuple(_OUTPUTS)


def schema() -> dict[str, Any]:
    """The package's schema."""
    return {
        "name": "loco",
        "version": version("loco"),
        "description": "An LLM serving stack on Kubernetes, planned from documents.",
        "resources": {
            TOKEN: {
                "isComponent": True,
                "description": "Everything that the documents ask for, on one cluster.",
                "inputProperties": {name: _INPUTS[name] for name in ARGUMENTS},
                "requiredInputs": ["documents", "config"],
                "properties": _OUTPUTS,
                "required": list(_OUTPUTS),
            }
        },
        # Otherwise a generated SDK asks for a plugin of its own version rather than this one.
        "language": {name: {"respectSchemaVersion": True} for name in ("nodejs", "python", "go", "csharp", "java")},
    }
