"""LoRA adapters: each with a name of its own and a place that it comes from."""

from collections.abc import Iterator

from loco.model import Finding
from loco.spec.rules.judged import Judged

_FORBIDDEN = (".", "..")


def lora(judged: Judged) -> Iterator[Finding]:
    """Of the model's adapters."""
    model = judged.spec.model
    adapters = judged.spec.adapters
    base = (model.name if model else None) or judged.name
    where = ("spec", "model", "lora", "adapters")
    seen: dict[str, int] = {}
    for index, adapter in enumerate(adapters):
        place = (*where, index, "name")
        name = adapter.name
        if not name:
            yield judged.finding(place, "the adapter has no name to be asked for by", "name: …")
        elif name in _FORBIDDEN:
            yield judged.finding(place, "an adapter's name is part of a path, and this one leads elsewhere", "a name")
        elif name in seen:
            message = f"the adapters {seen[name]} and {index} have the same name"
            yield judged.finding(place, message, "a name that no other adapter has")
        elif name == base:
            message = "the adapter can't be told from the model itself, which has this name"
            yield judged.finding(place, message, f"another name, such as {base}-lora")
        if name:
            seen.setdefault(name, index)
        if adapter.uri is None:
            yield judged.finding((*where, index, "uri"), "the adapter has no uri", "uri: hf://organization/adapter")
        for field in ("lora", "confidential"):
            if getattr(adapter, field) is not None:
                message = f"an adapter's {field} has no effect"
                yield judged.finding(
                    (*where, index, field), message, f"the adapter without {field}", code="LOCO-NO-EFFECT"
                )
    storage = judged.spec.storage_initializer
    if adapters and storage is not None and storage.enabled is False:
        message = "with storageInitializer.enabled false nothing brings the adapters to the engine"
        yield judged.finding(where, message, "storageInitializer without enabled: false, or the model without adapters")
