"""Models of other stacks that this one has too, or that no gateway of it takes."""

from collections.abc import Sequence

from loco import names
from loco.gateway import Gateway
from loco.layers import Resolved
from loco.model import Finding
from loco.spec.stack import StackSpec
from loco.spec.tree import at
from loco.spec.validate import origin_of


def check_other_models(
    stack: StackSpec, own: Sequence[Resolved], gateways: Sequence[Gateway], complete: bool
) -> list[Finding]:
    """``LOCO-DUPLICATE`` for a model of this stack and of another, ``LOCO-NO-EFFECT`` where nobody serves the others'.

    ``complete`` is whether ``gateways`` are all; if not, one that isn't there may be among those that could not be read.
    """
    here = {names.component_name(service.namespace, service.name) for service in own}
    findings = []
    for model in stack.other_models.models:
        key = names.component_name(model.namespace, model.name)
        if key in here:
            message = f"this stack has a model {key}, and so has the stack {model.stack}"
            cure = "another name or namespace for one of them, or matchLabels that leave that one out"
            findings.append(Finding("LOCO-DUPLICATE", "error", "modelsFrom", message, cure, model.origin, value=key))
    return [*findings, *(_unserved(stack, gateways) if complete else [])]


def _unserved(stack: StackSpec, gateways: Sequence[Gateway]) -> list[Finding]:
    if stack.config.models_from and not gateways:
        message = "this stack has no gateway that could serve the models of others"
        origin = origin_of(at(stack.config_tree, ("modelsFrom",)), stack.config_tree.origin)
        cure = "a LiteLLMGateway, or no modelsFrom"
        return [Finding("LOCO-NO-EFFECT", "warning", "modelsFrom", message, cure, origin)]
    models = stack.other_models.models
    served = {model.stack for model in models if any(gateway.takes(model.labels) for gateway in gateways)}
    cure = "a LiteLLMGateway whose selector takes some"
    return [
        Finding("LOCO-NO-EFFECT", "warning", "modelsFrom", f"no gateway serves any model of {name}", cure, origin)
        for name, origin in {model.stack: model.origin for model in models}.items()
        if name not in served
    ]
