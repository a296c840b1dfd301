"""What differs between two configs of LiteLLM: which models, which settings."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from loco.cli.report.cause import Cause, cause_between, value_text
from loco.cli.report.origins import Origins
from loco.cli.report.structure import differences
from loco.gateway.pod import CONFIG_FILE

_KINDS = {"externalmodel": "ExternalModel", "llminferenceservice": "LLMInferenceService"}


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One model of a gateway that is added, changed or deleted.

    Attributes:
        model: its document, ``Kind/namespace/name``; None for an entry of nobody's.
    """

    model: str | None
    change: str
    causes: tuple[Cause, ...]


def config_changes(
    old: Mapping[str, Any], new: Mapping[str, Any], gateway: str, now: Origins, then: Origins | None
) -> tuple[list[EntryChange], list[Cause]]:
    """Changes of models, and causes beside them, between the ConfigMaps of two editions.

    Args:
        gateway: the gateway's subject.
        then: the places of the old revision, where they are known.
    """
    before, after = (_parsed(data) for data in (old, new))
    if before is None or after is None:
        return [], [Cause("config of the gateway")]
    entries = [_by_identity(config.pop("model_list", None)) for config in (before, after)]
    changes = list(_entry_changes(entries[0], entries[1], gateway, now, then))
    causes = []
    for each in differences(before, after):
        texts = (value_text(value, ".".join(each.path)) for value in (each.old, each.new))
        then_at = then.gateway_setting(gateway, each.path) if then else None
        places = (now.gateway_setting(gateway, each.path), then_at)
        causes.append(cause_between(f"config {'.'.join(each.path)}", texts, places))
    return changes, causes


def _entry_changes(
    old: Mapping[str, Any], new: Mapping[str, Any], gateway: str, now: Origins, then: Origins | None
) -> Iterator[EntryChange]:
    for identity in dict.fromkeys((*old, *new)):
        before, after = old.get(identity), new.get(identity)
        if before == after:
            continue
        model = _document(identity)
        called = str((after or before or {}).get("model_name", identity))
        change = "added" if before is None else "deleted" if after is None else "changed"
        if change != "changed":
            origins = (now.document(model or ""), then.document(model or "") if then else None)
            yield EntryChange(
                model, change, (cause_between(f"config: model {called} {change}", (None, None), origins),)
            )
            continue
        causes = []
        for each in differences(before, after):
            path = ".".join(each.path)
            texts = (value_text(value, path) for value in (each.old, each.new))
            places = (
                source.gateway_entry(gateway, model or "", each.path) if source else None for source in (now, then)
            )
            causes.append(cause_between(f"config: {path} of model {called}", texts, places))
        yield EntryChange(model, change, tuple(causes))


def _parsed(data: Mapping[str, Any]) -> dict[str, Any] | None:
    text = (data.get("data") or {}).get(CONFIG_FILE) if isinstance(data.get("data"), Mapping) else None
    try:
        found = yaml.safe_load(text) if isinstance(text, str) else None
    except yaml.YAMLError:
        return None
    return found if isinstance(found, dict) else None


def _by_identity(entries: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, entry in enumerate(entries if isinstance(entries, list) else []):
        info = entry.get("model_info") if isinstance(entry, dict) else None
        found[str((info or {}).get("id", number))] = entry
    return found


def _document(identity: str) -> str | None:
    """The document that an entry comes from."""
    kind, *names = identity.split("/", 3)
    return "/".join((_KINDS[kind], *names[:2])) if kind in _KINDS and len(names) >= 2 else None
