"""Values that another stack exports, awaited before anything is planned: a spec holds plain values only."""

from collections.abc import Mapping
from typing import Any

import pulumi

from loco.components.findings import refuse
from loco.components.organization import check_organization
from loco.components.whole_numbers import with_integers
from loco.model import Finding, Origin
from loco.spec.plain_data import laid_over
from loco.spec.stack import CONFIG, Platform
from loco.spec.stack_name import is_possible
from loco.spec.tree import plant
from loco.spec.validate import check_model

_OUTPUT = "platform"


async def with_platform(config: Mapping[str, Any]) -> dict[str, Any]:
    """The config whose ``platform`` has the values of the stack that it names under ``from``, below its own.

    A name that no stack can have stays where it is, for reading refuses it with its place.
    """
    platform = config.get("platform")
    if not isinstance(platform, Mapping) or not isinstance(source := platform.get("from"), str):
        return dict(config)
    if not is_possible(source):
        return dict(config)
    own = {key: value for key, value in platform.items() if key != "from"}
    return {**config, "platform": laid_over(await platform_of(source), own)}


async def platform_of(stack: str) -> dict[str, Any]:
    """The output ``platform`` of another stack, in the form of the config's own ``platform``.

    Args:
        stack: ``organization/project/stack``.

    Raises:
        pulumi.RunError: there is no such output, it is secret, or it isn't what the config takes: by a stack that is
            older or newer than this loco, or by mistake. Stack and key are named. The engine itself ends an update that
            refers to a stack that isn't there.
    """
    check_organization(stack, "platform.from")
    # Under a name of its own: a program may refer to the same stack, and the engine's errors show which key it was.
    reference = pulumi.StackReference(f"platform.from/{stack}", stack)
    details = await reference.get_output_details(_OUTPUT)
    if details.secret_value is not None:
        raise pulumi.RunError(str(_refused(stack, "is a secret, and a plan holds plain values only")))
    if details.value is None:
        raise pulumi.RunError(str(_refused(stack, "isn't there")))
    value = with_integers(details.value)
    if not isinstance(value, dict):
        raise pulumi.RunError(str(_refused(stack, "isn't a mapping")))
    refuse(check_platform(stack, value))
    return value


def check_platform(stack: str, value: Mapping[str, Any]) -> list[Finding]:
    """What of another stack's output ``platform`` the config doesn't take; the stack is named as its origin."""
    tree = plant(value, Origin("config", f"the output {_OUTPUT} of {stack}"), (_OUTPUT,))
    findings = check_model(tree, Platform, path=(_OUTPUT,), directives=False, partial=True)
    if "from" in value:
        message, cure = "values are taken from one stack, not from one behind it", "the values themselves"
        findings.append(
            Finding("LOCO-VALUE", "error", "platform.from", message, cure, tree.origin, value=value["from"])
        )
    return findings


def _refused(stack: str, why: str) -> Finding:
    message = f"the output {_OUTPUT} of the stack {stack} {why}"
    cure = f"the stack to export {_OUTPUT}, such as {{gateway: {{name: …, namespace: …}}}}, and be updated first"
    return Finding("LOCO-REFERENCE", "error", "platform.from", message, cure, CONFIG, value=stack)
