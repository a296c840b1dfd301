"""Where two pieces of plain data differ. Lists are matched by what names their items, where something does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Path = tuple[str, ...]
_KEYS = ("mountPath", "name", "containerPort", "id", "model_name", "port", "topologyKey")
ORDER = "the order"


@dataclass(frozen=True, slots=True)
class Difference:
    """One value, or one whole item, that is another.

    Attributes:
        path: keys; of a list's item its name.
        old: None where there was none.
        new: None where there is none any more.
    """

    path: Path
    old: Any
    new: Any


def differences(old: Any, new: Any, path: Path = ()) -> Iterator[Difference]:
    """What differs, in the order of the old data, then what the new one has more. None counts as nothing."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys((*old, *new)):
            yield from differences(old.get(key), new.get(key), (*path, str(key)))
        return
    if isinstance(old, list) or isinstance(new, list):
        old, new = ([] if side is None else side for side in (old, new))
    if isinstance(old, list) and isinstance(new, list):
        by = key_of(old, new)
        if by is not None:
            one, other = ({str(item[by]): item for item in items} for items in (old, new))
            for name in dict.fromkeys((*one, *other)):
                yield from differences(one.get(name), other.get(name), (*path, name))
            common = [[name for name in side if name in one and name in other] for side in (one, other)]
            if common[0] != common[1]:
                yield Difference((*path, ORDER), ", ".join(common[0]), ", ".join(common[1]))
            return
    if old != new or type(old) is not type(new):
        yield Difference(path, old, new)


def key_of(*lists: Sequence[Any]) -> str | None:
    """The key by which the items of all lists are told apart; None where there is none, or no items."""
    items = [item for each in lists for item in each]
    if not items or not all(isinstance(item, Mapping) for item in items):
        return None
    for key in _KEYS:
        if all(isinstance(item.get(key), (str, int)) for item in items) and all(
            len({str(item[key]) for item in each}) == len(each) for each in lists
        ):
            return key
    return None
