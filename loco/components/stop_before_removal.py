"""A protected stack remembers what runs, and refuses to lose the document of it: stop it first, then remove it."""

from collections.abc import Collection, Mapping
from typing import Any

import pulumi

from loco.components.findings import warn
from loco.model import Finding
from loco.spec import GATEWAY

_CURES = {
    GATEWAY: "{name} back with replicas: 0, update, then remove it",
    "": 'the annotation serving.kserve.io/stop: "true" on {name}, update, then remove it',
}


def stop_before_removal(
    name: str, running: Mapping[str, bool], protected: bool, parent: pulumi.Resource
) -> pulumi.Output[pulumi.Resource]:
    """What every object of the stack depends on, and what fails, in a preview too, where a running document is gone.

    Kept in the state, because only the last update knows what ran. It is the state's own protection that counts, as
    with everything that the engine protects: an update lifts it, and the next one may remove.

    Its hook sees the state before it changes. In an update with a target it doesn't change, and no hook runs: the engine
    hands back what it remembers, which is looked at in an apply.

    Args:
        name: of the stack's component.
        running: every document of the plan by ``Kind/namespace/name``: whether it is to run.
        protected: whether the next update refuses what this one would have run.
        parent: the stack's component.

    Returns:
        The resource, once nothing speaks against this update. Everything that may end the run with an error must wait
        for it, because a run that ends before its hooks are registered ends without a word.
    """
    # A mapping and no list: a diff of a list would name documents that have only moved.
    wanted = {"protected": protected, "running": {subject: True for subject, runs in sorted(running.items()) if runs}}

    def check(args: pulumi.ResourceHookArgs) -> None:
        refuse_removals((args.old_inputs or {}).get("input"), running)

    hook = pulumi.ResourceHook(f"{name}/stop-before-removal", check, pulumi.ResourceHookOptions(on_dry_run=True))
    memory = pulumi.Stash(
        f"{name}/stop-before-removal",
        input=wanted,
        opts=pulumi.ResourceOptions(parent=parent, hooks=pulumi.ResourceHookBinding(before_update=[hook])),
    )

    def check_target(remembered: Mapping[str, Any]) -> pulumi.Resource:
        if remembered != wanted:
            refuse_removals(remembered, running)
            refuse_stops(remembered, wanted["running"])  # type: ignore[arg-type]
            warn([left_out(remembered, wanted)], parent)
        return memory

    return memory.input.apply(check_target)


def refuse_removals(before: Mapping[str, Any] | None, documents: Collection[str]) -> None:
    """Ends the update where a document is gone that ran under protection.

    Args:
        before: what the last update remembered, ``protected`` and ``running``.
        documents: those of today, running or stopped.

    Raises:
        pulumi.RunError: with a finding for each.
    """
    if before is None or not before["protected"]:
        return
    gone = [subject for subject in sorted(before["running"]) if subject not in documents]
    _refuse([_removal(subject) for subject in gone])


def refuse_stops(before: Mapping[str, Any], running: Collection[str]) -> None:
    """Ends an update with a target that would stop what ran under protection.

    Such an update deletes nothing, so the pods would go on without anybody who knows of them: the plan has them no
    longer, and the guard against a destroy would no longer depend on them.

    Args:
        before: what the last update without a target remembered.
        running: the documents that are to run.

    Raises:
        pulumi.RunError: with a finding for each.
    """
    if before["protected"]:
        _refuse([_stop(subject) for subject in sorted(before["running"]) if subject not in running])


def left_out(before: Mapping[str, Any], wanted: Mapping[str, Any]) -> Finding:
    """What to know of an update with a target: its outputs, and what isn't protected yet.

    Args:
        before: what the last update without a target remembered.
        wanted: what this one would have remembered.
    """
    old, new = set(before["running"]), set(wanted["running"])
    differences = [f"{subject} is new" for subject in sorted(new - old)]
    differences += [f"{subject} is stopped or gone" for subject in sorted(old - new)]
    if before["protected"] is not wanted["protected"]:
        differences.append(f"deletionProtection is {str(wanted['protected']).lower()}")
    unprotected = "; until then what is new may be removed while it runs" if new - old else ""
    return Finding(
        "LOCO-PROTECTED",
        "warning",
        "",
        "this update has a target and leaves out what the stack remembers of itself "
        f"({', '.join(differences)}): the outputs say what the files say, applied or not",
        f"an update without a target afterwards{unprotected}",
        None,
    )


def _refuse(findings: list[Finding]) -> None:
    if findings:
        raise pulumi.RunError("\n\n".join(["nothing was applied", *map(str, findings)]))


def _removal(subject: str) -> Finding:
    kind, _, name = subject.partition("/")
    cure = _CURES.get(kind, _CURES[""]).format(name=name.rpartition("/")[2])
    return Finding(
        "LOCO-PROTECTED",
        "error",
        "",
        f"{subject} still runs, and this update would remove it",
        f"{cure}; or deletionProtection: false, update, then remove it",
        None,
        subject,
    )


def _stop(subject: str) -> Finding:
    return Finding(
        "LOCO-PROTECTED",
        "error",
        "",
        f"{subject} still runs, and an update with a target can't stop it",
        "the files as they were for now, or update without a target",
        None,
        subject,
    )
