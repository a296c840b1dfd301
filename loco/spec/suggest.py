"""What an unknown key was meant to be: a known one nearby, or the place where it belongs."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin

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

_SHORTEST_STEM = 4  # letters


def close_to(word: str, known: Iterable[str]) -> str | None:
    """The known word nearest to a mistyped one, whatever its case or separators; None if none is near."""
    by_lower = {_bare(name): name for name in sorted(known, reverse=True)}
    match = difflib.get_close_matches(_bare(word), by_lower, n=1, cutoff=0.65)
    return by_lower[match[0]] if match else None


def _begun(word: str, known: Iterable[str]) -> str | None:
    """The longest known key that a word begins with, or else the only one that begins with it."""
    bare = {_bare(name): name for name in known}
    if begins := [name for name in bare if len(name) >= _SHORTEST_STEM and _bare(word).startswith(name)]:
        return bare[max(begins, key=len)]
    longer = [name for name in bare if len(_bare(word)) >= _SHORTEST_STEM and name.startswith(_bare(word))]
    return bare[longer[0]] if len(longer) == 1 else None


def _inflected(word: str, known: Iterable[str]) -> str | None:
    """The known key that is the word but for a plural's s, its case or its separators."""
    return next((name for name in known if _bare(name).removesuffix("s") == _bare(word).removesuffix("s")), None)


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
    members = tuple(node.items) if isinstance(node, Branch) else ()
    lifted = bool(members) and all(member in here for member in members)
    homes = [home for home in _all_paths(model) if home[-1] == key and home[:-1] != parent]
    if "template" in here and key in kubernetes.definition("PodSpec"):
        homes.append((*parent, "template", key))
    if lifted:  # then a place of that name must fit better than the level above
        homes = [home for home in homes if _fields(_model_at(model, home)).keys() >= set(members)]
    below = {home for home in homes if home[: len(parent)] == parent}
    meant = len({home[1:] if home[0] == "prefill" else home for home in below}) == 1  # whatever key is near
    if inflected := _inflected(key, here):  # nearer than a place of that very name
        return f"there is no field {shown} here; the nearest known key is {inflected}", inflected
    if not meant and (near := close_to(key, here) or (None if homes else _begun(key, here))):
        return f"there is no field {shown} here; the nearest known key is {near}", near
    if homes:
        home = min(
            homes,
            key=lambda home: (home[: len(parent)] != parent, _through_lists(model, home), len(home), str(home)),
        )
        return f"{key} doesn't belong here", f"it as {_written(model, base, home)}"
    if "template" in here and key in kubernetes.definition("Container"):
        return f"{key} doesn't belong here", f"it as {dotted((*base, *parent, 'template'))}.containers[main].{key}"
    if lifted:
        listed = ", ".join(dotted((*base, *path[:-1], member)) for member in members)
        return f"there is no field {shown} here; what stands in it belongs one level up", listed
    known = ", ".join(sorted(here)) or "none"
    return f"there is no field {shown} here", f"one of the known keys: {known}"


def kubernetes_suggestion(node: Node, inside: Path, pod: Path, model: type[BaseModel]) -> tuple[str, str] | None:
    """The same for a key that a pod doesn't have and that belongs into its containers, or beside it, or out of them.

    Args:
        node: what stands under the key.
        inside: the key's path within the pod.
        pod: where the pod stands in its document.
        model: of the spec in which it stands.
    """
    key = str(inside[-1])
    spec = next((index for index, part in enumerate(pod) if part == "spec"), len(pod)) + 1
    beside = _fields(_model_at(model, _without_indexes(pod[spec:-1])))
    members = tuple(node.items) if isinstance(node, Branch) else ()
    fields = kubernetes.definition("PodSpec")
    if len(inside) > 1:
        of_container = len(inside) == 3 and inside[0] in ("containers", "initContainers")
        return (f"{key} is the pod's", f"it as {dotted((*pod, key))}") if of_container and key in fields else None
    if members and all(member in fields for member in members):
        listed = ", ".join(dotted((*pod, member)) for member in members)
        return f"a pod has no field {key}; what stands in it belongs one level up", listed
    if members and all(member in beside for member in members):
        listed = ", ".join(dotted((*pod[:-1], member)) for member in members)
        return f"a pod has no field {key}; what stands in it belongs beside the pod", listed
    if key in beside:
        return f"{key} isn't the pod's", f"it as {dotted((*pod[:-1], key))}"
    if key in kubernetes.definition("Container"):
        return f"{key} is a container's", f"it as {dotted(pod)}.containers[main].{key}"
    return None


def _written(model: type[BaseModel], base: Path, home: tuple[str, ...]) -> str:
    """A field's path, with an item wherever it leads through a list."""
    path: list[str | int] = []
    for index, key in enumerate(home):
        path.append(key)
        at_model = _model_at(model, home[:index])
        info = next((i for n, i in at_model.model_fields.items() if (i.alias or n) == key), None) if at_model else None
        if index + 1 < len(home) and info is not None and _is_list(info.annotation):
            path.append(0)
    return dotted((*base, *path))


def _through_lists(model: type[BaseModel], home: tuple[str, ...]) -> int:
    """How many lists a field's path leads through: one of a list's items is seldom what was meant."""
    return _written(model, (), home).count("[0]")


def _is_list(annotation: Any) -> bool:
    return get_origin(annotation) is list or any(map(_is_list, get_args(annotation)))


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
