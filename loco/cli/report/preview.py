"""Reads what ``pulumi preview --json`` prints: one JSON object, or one event per line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from loco import names
from loco.cli.report.change import Change, Data, Operation, World
from loco.model import Manifest, ManifestId
from loco.spec import GATEWAY, SERVICE
from loco.spec.document import LAYERED

_REPLACING = ("create-replacement", "delete-replaced")  # parts of a replacement, which is a step of its own
_KUBERNETES = "kubernetes:"
_STAYS = ("create", "update", "replace", "create-replacement")
_OPERATIONS: tuple[Operation, ...] = ("create", "update", "replace", "delete")
_AUTONAMED = "pulumi.com/autonamed"


class NoPreview(ValueError):
    """The text isn't a preview; its message says why."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What the engine would do.

    Attributes:
        stack: whose preview it is; None where the engine names no resource.
        steps: as the engine has them, without what stays the same.
        errors: what the engine calls errors; then the preview is incomplete.
    """

    stack: str | None
    steps: tuple[Mapping[str, Any], ...]
    errors: tuple[str, ...]

    @property
    def kept(self) -> frozenset[str]:
        """Services and gateways that are there afterwards, as far as the steps name them: ``Kind/namespace/name``."""
        found = (owner for step in self.steps if step.get("op") in _STAYS for owner in _named_in(step))
        return frozenset(owner for owner in found if owner.partition("/")[0] in (SERVICE, GATEWAY))


def read_preview(text: str) -> Preview:
    """The preview that stands in a text. Raises NoPreview where none does."""
    if not text.strip():
        raise NoPreview("it is empty: the preview ended before it began")
    try:
        found = json.loads(text)
    except RecursionError:
        raise NoPreview("it is nested too deeply") from None
    except ValueError:
        return _of_events(_lines(text))
    if (
        isinstance(found, dict)
        and isinstance(found.get("steps", []), list)
        and {"steps", "changeSummary"} & found.keys()
    ):
        messages = [entry for entry in found.get("diagnostics") or [] if isinstance(entry, dict)]
        steps = [step for step in found.get("steps", []) if isinstance(step, dict) and isinstance(step.get("urn"), str)]
        return _preview(steps, [str(m.get("message", "")) for m in messages if m.get("severity") == "error"])
    if isinstance(found, dict):
        return _of_events([found])
    raise NoPreview("it holds no steps")


def _lines(text: str) -> list[dict[str, Any]]:
    events = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                event = json.loads(line)
            except ValueError as error:
                raise NoPreview(f"line {number} isn't JSON: {error}") from None
            if not isinstance(event, dict):
                raise NoPreview(f"line {number} is no event of the engine")
            events.append(event)
    return events


def _of_events(events: Iterable[Mapping[str, Any]]) -> Preview:
    """The same from the engine's events, which have other words for the same things."""
    steps: list[dict[str, Any]] = []
    errors: list[str] = []
    ended = False
    for event in events:
        metadata = (event.get("resourcePreEvent") or {}).get("metadata")
        if isinstance(metadata, dict) and isinstance(metadata.get("urn"), str):
            step = {**metadata, "oldState": metadata.get("old"), "newState": metadata.get("new")}
            step["replaceReasons"] = metadata.get("keys") if metadata.get("op") == "replace" else None
            steps.append(step)
        diagnostic = event.get("diagnosticEvent") or {}
        if diagnostic.get("severity") == "error":
            errors.append(str(diagnostic.get("message", "")))
        if "summaryEvent" in event:
            ended = True
            if event["summaryEvent"].get("result") not in (None, "succeeded") and not errors:
                errors.append("the preview failed")
    if not ended and not errors:
        raise NoPreview("it holds no steps" if not steps else "it ends before the engine's summary")
    return _preview(steps, errors)


def _preview(steps: list[Any], errors: list[str]) -> Preview:
    urns = [step["urn"].split("::") for step in steps]
    stack = next((parts[0].removeprefix("urn:pulumi:") for parts in urns if len(parts) > 3), None)
    return Preview(stack, tuple(step for step in steps if step.get("op") != "same"), tuple(errors))


def world_of(preview: Preview, manifests: Iterable[Manifest]) -> tuple[World, tuple[str, ...]]:
    """The stack before and after, and what happens to resources that are no Kubernetes objects, in words.

    Args:
        manifests: of the plan; what the preview doesn't mention is as they say, before and after.
    """
    planned = {manifest.id: manifest for manifest in manifests}
    editions = {names.edition_name(identity): identity for identity, found in planned.items() if found.editions}
    replaced = {step["urn"] for step in preview.steps if step.get("op") == "replace"}
    changes: list[Change] = []
    others: list[str] = []
    components: dict[str, set[str]] = {"create": set(), "delete": set()}
    for step in preview.steps:
        operation: Any = step.get("op")
        urn = step["urn"]
        if operation in _REPLACING:
            if urn in replaced:
                continue
            operation, replaced = "replace", {*replaced, urn}
        if operation not in _OPERATIONS:
            continue
        token, name = urn.split("::")[-2].rpartition("$")[2], urn.rpartition("::")[2]
        if (owner := _owner(urn)) is not None and operation in components:
            components[operation].add(owner)
        if token.startswith(_KUBERNETES):
            changes.append(_change(step, operation, name, editions))
        elif token.startswith("pulumi:providers:") and operation != "create":
            others.append(f"{operation} of the provider {name}")
    before: dict[ManifestId, Data] = {identity: found.data for identity, found in planned.items()}
    after = dict(before)
    for change in changes:
        before.pop(change.id, None)
        if change.before is not None:
            before[change.was or change.id] = change.before
        after.pop(change.was or change.id, None)
        if change.after is not None:
            after[change.id] = change.after
    added, deleted = (frozenset(components[operation]) for operation in ("create", "delete"))
    return World(tuple(changes), before, after, added, deleted), tuple(others)


def _change(step: Mapping[str, Any], operation: Operation, name: str, editions: Mapping[str, ManifestId]) -> Change:
    old, new = step.get("oldState") or {}, step.get("newState") or {}
    before = old.get("inputs") if operation != "create" else None
    after = new.get("inputs") if operation != "delete" else None
    shown: Data = after or before or {}
    metadata = shown.get("metadata") or {}
    identity = editions.get(name)
    if identity is None:
        called = None if _AUTONAMED in (metadata.get("annotations") or {}) else metadata.get("name")
        identity = ManifestId(
            str(shown.get("apiVersion", "")),
            str(shown.get("kind", "")),
            str(metadata.get("namespace", "")),
            str(called or name.rpartition("/")[2].partition(".")[0]),
        )
    before, after = (_named(data, identity.name) for data in (before, after))
    paths = step.get("detailedDiff")
    return Change(
        operation,
        identity,
        _owner(str((new or old).get("parent") or "")),
        before,
        after,
        tuple(paths) if paths else None,
        tuple(step.get("replaceReasons") or ()),
        retained=operation == "delete" and bool(old.get("retainOnDelete")),
    )


def _named(data: Data | None, name: str) -> Data | None:
    """The object under the plan's name where the provider has made one up."""
    metadata = (data or {}).get("metadata") or {}
    if data is None or (metadata.get("name") and _AUTONAMED not in (metadata.get("annotations") or {})):
        return data
    return {**data, "metadata": {**metadata, "name": name}}


def _named_in(step: Mapping[str, Any]) -> Iterator[str]:
    """The document that a step is of, as a component or as the owner of an object."""
    state = step.get("newState") or {}
    for urn in (step["urn"], str(state.get("parent") or "")):
        if (owner := _owner(urn)) is not None:
            yield owner


def _owner(urn: str) -> str | None:
    """The document of a component's URN, None for other resources."""
    parts = urn.split("::")
    kind = parts[-2].rpartition("$")[2].removeprefix("loco:index:") if len(parts) > 3 else ""
    return f"{kind}/{parts[-1]}" if kind in LAYERED else None
