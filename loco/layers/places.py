"""What the merge must know of each place: which list is keyed, which members exclude each other, what is free-form."""

from dataclasses import dataclass
from functools import cache

from loco.spec import EXTERNAL_MODEL, GATEWAY, kubernetes
from loco.spec.tree import Path
from loco.spec.validate import FREE_FORM, KUBERNETES_SHAPES

_SHAPE_AT = dict(KUBERNETES_SHAPES)

# Members of which a later layer's choice stands alone. Kubernetes' own are in its tables.
_ONE_OF: dict[Path, frozenset[str]] = {
    ("scaling",): frozenset({"wva", "keda"}),
    ("scaling", "wva"): frozenset({"hpa", "keda"}),
    ("prefill", "scaling"): frozenset({"wva", "keda"}),
    ("prefill", "scaling", "wva"): frozenset({"hpa", "keda"}),
    ("router", "scheduler", "config"): frozenset({"inline", "ref"}),
    ("router", "scheduler", "pool"): frozenset({"spec", "ref"}),
    # Of loco's own kinds, whose paths begin with the kind.
    (EXTERNAL_MODEL, "auth"): frozenset({"apiKey", "bearerToken"}),
    (GATEWAY, "masterKey"): frozenset({"generate", "secretRef"}),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a spec: a path as long as the spec's own fields last, then a Kubernetes definition."""

    path: Path | None = ()
    definition: str | None = None


SPEC = Place()
_ELSEWHERE = Place(None)


@cache
def below(place: Place, key: str) -> Place:
    """The place of a member, or of each item of a list member."""
    if place.definition is not None:
        field = kubernetes.definition(place.definition).get(key)
        return Place(None, field.of) if field is not None and field.of is not None else _ELSEWHERE
    if place.path is None:
        return _ELSEWHERE
    path = (*place.path, key)
    definition = _SHAPE_AT.get(path)
    return Place(None, definition) if definition else Place(path)


@cache
def merge_key(place: Place, key: str) -> str | None:
    """The key by which items of the list member ``key`` are matched; None where the list is replaced whole."""
    if place.definition is None:
        return None
    field = kubernetes.definition(place.definition).get(key)
    return field.merge_key if field is not None else None


@cache
def exclusive(place: Place) -> frozenset[str]:
    """Members of which at most one may stand."""
    if place.definition is not None:
        return kubernetes.ONE_OF.get(place.definition, frozenset())
    return _ONE_OF.get(place.path, frozenset()) if place.path is not None else frozenset()


def free_form(place: Place) -> bool:
    """Whether a later layer's value replaces an earlier one's as a whole, since the merge can't know its lists."""
    return place.path in FREE_FORM
