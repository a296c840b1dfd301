"""`make up CONTEXT=... STACK=...`: a cluster of the user's own, which has to be named.

Nothing is built and no cluster started or stopped here. The kubeconfig is the user's, the
Pulumi is the installed one, and whatever backend or passphrase the user has set up is used.
"""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from dev.commands.checkout import EMBEDDED_STACK, Checkout
from dev.commands.environment import QUIET, dev_passphrase, in_venv, local_backend
from dev.commands.pulumi import Stack
from dev.commands.recovery import forget_pending, release
from dev.commands.stack_files import generated, remembered_context
from dev.commands.venv import ensure_venv
from dev.messages import Problem, WrongUsage, say
from dev.toolchain.tools import which


@dataclass(frozen=True)
class Target:
    stack: str
    context: str
    generated_file: Path | None  # None: the checkout has a Pulumi.STACK.yaml


def up(checkout: Checkout, context: str, stack_name: str) -> None:
    target = choose(checkout, context, stack_name)
    stack = _ready_stack(checkout, target)
    if _is_local(checkout, stack):
        forget_pending(stack)
    say(f"applying stack {target.stack} to cluster context {target.context}")
    stack.up()
    stack.show_outputs()


def preview(checkout: Checkout, context: str, stack_name: str) -> None:
    _ready_stack(checkout, choose(checkout, context, stack_name)).preview()


def down(checkout: Checkout, context: str, stack_name: str) -> None:
    target = choose(checkout, context, stack_name)
    stack = _stack(checkout, target)
    if not stack.exists():
        say(f"there is no stack {target.stack}, so there is nothing to destroy")
        return
    if _is_local(checkout, stack):
        release(stack, checkout.backend)
        forget_pending(stack)
    stack.destroy()


def choose(checkout: Checkout, context: str, stack: str) -> Target:
    """Decide which stack and cluster are meant; refuse whatever could hit another cluster."""
    if not stack or stack == EMBEDDED_STACK:
        raise WrongUsage(
            f"CONTEXT={context} needs a stack of its own: add STACK=name"
            f" ({EMBEDDED_STACK} is the embedded cluster's stack)"
        )
    if stack != Path(stack).name or stack.startswith((".", "-")):
        raise WrongUsage(f"STACK={stack} is not the name of a stack")
    own = checkout.stack_file(stack)
    if own.exists():
        remembered = remembered_context(own.read_text())
        if not context and not remembered:
            raise WrongUsage(f"{own.name} names no cluster context; add CONTEXT=name")
        if context and not remembered:
            raise Problem(
                f"{own.name} names no cluster context, so it would not reach {context};"
                f" add `loco:cluster: {{context: {context}, identifier: {context}}}` to it"
            )
        _must_agree(stack, remembered, context, own)
        return Target(stack, remembered or context, None)
    if not context:
        raise WrongUsage(
            f"STACK={stack} names no cluster: there is no {own.name} with a cluster context; add CONTEXT=name"
        )
    made = checkout.stacks / own.name
    if made.exists():
        _must_agree(stack, remembered_context(made.read_text()), context, made)
    return Target(stack, context, made)


def _must_agree(stack: str, remembered: str | None, context: str, file: Path) -> None:
    if context and remembered != context:
        raise Problem(
            f"stack {stack} remembers cluster context {remembered}; refused {context};"
            f" use CONTEXT={remembered}, or another STACK for {context} (remembered in {file})"
        )


def _ready_stack(checkout: Checkout, target: Target) -> Stack:
    installed_pulumi()  # complain before anything slow or lasting happens
    ensure_venv(checkout)
    if target.generated_file and not target.generated_file.exists():
        _generate(checkout, target, target.generated_file)
    stack = _stack(checkout, target)
    if not stack.exists():
        local = _is_local(checkout, stack)
        project = _project_copy(checkout, target.generated_file)
        stack.create("passphrase" if local else "default", project)
    if _is_local(checkout, stack):
        release(stack, checkout.backend)
    return stack


def _generate(checkout: Checkout, target: Target, file: Path) -> None:
    text = generated(checkout, target.context, keep_salt=not _own_passphrase())
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    say(f"made {file} for context {target.context}; to keep it, copy it to {file.name}")


def _project_copy(checkout: Checkout, file: Path | None) -> Path | None:
    """Let `pulumi stack init` write next to the generated file, never into the checkout."""
    if file is None:
        return None
    shutil.copyfile(checkout.root / "Pulumi.yaml", file.parent / "Pulumi.yaml")
    return file.parent


def _stack(checkout: Checkout, target: Target) -> Stack:
    env = {**os.environ, **environment(checkout, target)}
    return Stack(installed_pulumi(), target.stack, checkout.root, env, target.generated_file)


def environment(checkout: Checkout, target: Target) -> dict[str, str]:
    """Return what is added to the user's environment: only what they have not set up."""
    added = {**in_venv(checkout), **QUIET}
    if not _own_backend():
        added |= local_backend(checkout)
    if not _own_passphrase() and _opens_with_dev_passphrase(checkout, target):
        added |= dev_passphrase(checkout)
    return added


def installed_pulumi() -> Path:
    found = which("pulumi")
    if not found:
        raise Problem(
            "no pulumi on PATH; a cluster of your own needs an installed Pulumi"
            " (see https://www.pulumi.com/docs/install/), only the embedded cluster builds one"
        )
    return found


def _is_local(checkout: Checkout, stack: Stack) -> bool:
    return stack.env.get("PULUMI_BACKEND_URL") == f"file://{checkout.backend}"


def _own_passphrase() -> bool:
    names = ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE")
    return any(name in os.environ for name in names)


def _own_backend() -> bool:
    """Say whether the user has chosen a backend: by the environment or by `pulumi login`."""
    if os.environ.get("PULUMI_BACKEND_URL") or os.environ.get("PULUMI_ACCESS_TOKEN"):
        return True
    home = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi")
    try:
        return bool(json.loads((home / "credentials.json").read_text()).get("current"))
    except (OSError, ValueError, AttributeError):
        return False


def _opens_with_dev_passphrase(checkout: Checkout, target: Target) -> bool:
    """Say whether the stack's file has the dev stack's salt, or none yet on our own backend."""
    file = target.generated_file or checkout.stack_file(target.stack)
    salt = _salt(file)
    return salt == _salt(checkout.stack_file(EMBEDDED_STACK)) or (not salt and not _own_backend())


def _salt(file: Path) -> str:
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith("encryptionsalt:")), "")
