"""What an unknown key was meant to be: a known one nearby, or the place where it belongs."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from loco.spec import kubernetes
from loco.spec.tree import Branch, Node, Path, dotted

# What a cluster writes into an object; it comes along when one is exported.
_OF_THE_CLUSTER = {
    ("status",),
    *(
        ("metadata", key)
        for key in (
            "creationTimestamp",
            "deletionGracePeriodSeconds",
            "deletionTimestamp",
            "finalizers",
            "generation",
            "managedFields",
            "ownerReferences",
            "resourceVersion",
            "selfLink",
            "uid",
        )
    ),
}


def close_to(word: str, known: Iterable[str]) -> str | None:
    """The known word nearest to a mistyped one, whatever its case or separators; None if none is near."""
    by_lower = {_bare(name): name for name in sorted(known, reverse=True)}
    match = difflib.get_close_matches(_bare(word), by_lower, n=1, cutoff=0.65)
    return by_lower[match[0]] if match else None


def suggestion(node: Node, path: Path, base: Path, model: type[BaseModel]) -> tuple[str, str]:
    """Message and cure for a key that its model doesn't know.

    Args:
        node: what stands under the key.
        path: the key's path within the part that the model describes.
        base: where that part stands in its document.
    """
    key, parent = str(path[-1]), _without_indexes(path[:-1])
    here = _fields(_model_at(model, parent))
    shown = key if key else '""'
    if (*base, *path) in _OF_THE_CLUSTER:
        return f"{key} is written by a cluster, not by an author", "the document without it"
    if near := close_to(key, here):
        return f"there is no field {shown} here; the nearest known key is {near}", near
    members = tuple(node.items) if isinstance(node, Branch) else ()
    lifted = bool(members) and all(member in here for member in members)
    homes = [home for home in _all_paths(model) if home[-1] == key and home[:-1] != parent]
    if "template" in here and key in kubernetes.definition("PodSpec"):
        homes.append((*parent, "template", key))
    if lifted:  # then a place of that name must fit better than the level above
        homes = [home for home in homes if _fields(_model_at(model, home)).keys() >= set(members)]
    if homes:
        home = min(homes, key=lambda home: (home[: len(parent)] != parent, len(home), str(home)))
        return f"{key} doesn't belong here", f"it as {dotted((*base, *home))}"
    if lifted:
        listed = ", ".join(dotted((*base, *path[:-1], member)) for member in members)
        return f"there is no field {shown} here; what stands in it belongs one level up", listed
    known = ", ".join(sorted(here)) or "none"
    return f"there is no field {shown} here", f"one of the known keys: {known}"


def _bare(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "")


def _without_indexes(path: Path) -> tuple[str, ...]:
    return tuple(key for key in path if isinstance(key, str))


def _model_at(model: type[BaseModel] | None, path: tuple[str, ...]) -> type[BaseModel] | None:
    for key in path:
        model = _fields(model).get(key)
    return model


@cache
def _fields(model: type[BaseModel] | None) -> Mapping[str, type[BaseModel] | None]:
    """The keys that a model knows, with the model behind each, if one is."""
    if model is None:
        return {}
    return {info.alias or name: next(_models_in(info.annotation), None) for name, info in model.model_fields.items()}


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


@cache
def _all_paths(model: type[BaseModel]) -> tuple[tuple[str, ...], ...]:
    """Every field of a model and of the models below it, without indexes."""

    def walk(
        at_model: type[BaseModel] | None, path: tuple[str, ...], seen: tuple[type[BaseModel], ...]
    ) -> Iterator[tuple[str, ...]]:
        for key, below in _fields(at_model).items():
            yield (*path, key)
            if below is not None and below not in seen:
                yield from walk(below, (*path, key), (*seen, below))

    return tuple(walk(model, (), (model,)))
