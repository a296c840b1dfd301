"""loco: an LLM serving stack on Kubernetes as a Pulumi program.

The names below are loaded when first used, so that the pure rooms (and the command line) never import Pulumi.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loco.components import LLMInferenceService, ModelServingStack, make_provider, stack_from_config, stack_outputs
    from loco.plan import Plan, plan_stack
    from loco.spec import StackSpec, read_stack
    from loco.spec.outputs import StackOutputs, read_outputs

__version__ = "0.1.0"

_HOMES = {
    "LLMInferenceService": "loco.components",
    "ModelServingStack": "loco.components",
    "make_provider": "loco.components",
    "stack_from_config": "loco.components",
    "stack_outputs": "loco.components",
    "Plan": "loco.plan",
    "plan_stack": "loco.plan",
    "StackSpec": "loco.spec",
    "read_stack": "loco.spec",
    "StackOutputs": "loco.spec.outputs",
    "read_outputs": "loco.spec.outputs",
}

__all__ = [
    "LLMInferenceService",
    "ModelServingStack",
    "Plan",
    "StackOutputs",
    "StackSpec",
    "make_provider",
    "plan_stack",
    "read_outputs",
    "read_stack",
    "stack_from_config",
    "stack_outputs",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
