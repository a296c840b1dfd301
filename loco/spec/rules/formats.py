"""Text that must be of one form wherever it stands: quantities, schemes, names.

Judged in every document, so that a base config which no service uses is right too, and once more on the merged spec.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from loco.model import Finding
from loco.spec.kubernetes import scalars
from loco.spec.tree import Leaf, Node, Path, Row, child, dotted

SCHEMES = ("hf", "s3", "pvc", "oci", "oci+native")
ADAPTER_SCHEMES = ("hf", "s3", "pvc")
_COST = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
_RESOURCE = re.compile(r"kbs:///[-_.A-Za-z0-9]+/[-_.A-Za-z0-9]+/[-_.A-Za-z0-9]+")
_TEMPLATE = "{{"  # a config's text may be one, and is judged when it has been expanded


@dataclass(frozen=True, slots=True)
class Format:
    """What a value must look like, and how to say so."""

    holds: Callable[[object], bool]
    message: str
    cure: str


def _amount(value: object) -> bool:
    return scalars.wrong(value, "quantity") is None and not str(value).startswith("-")


def _uri(schemes: tuple[str, ...]) -> Callable[[object], bool]:
    def holds(value: object) -> bool:
        scheme, separator, place = str(value).partition("://")
        claimless = scheme == "pvc" and place.startswith("/")
        return bool(separator and place) and scheme in schemes and not claimless and not re.search(r"\s", place)

    return holds


_QUANTITY = Format(_amount, "this isn't an amount of bytes", "a quantity such as 10Gi")
_EVERY: dict[Path, Format] = {
    ("model", "uri"): Format(
        _uri(SCHEMES),
        "a model's uri has a scheme that loco knows, and a place",
        "hf://organization/model, s3://bucket/path, pvc://claim/path, oci://image or oci+native://image; from elsewhere "
        "storageInitializer: {enabled: false} beside it, and an init container of your own that brings the files",
    ),
    ("model", "lora", "adapters", "*", "uri"): Format(
        _uri(ADAPTER_SCHEMES),
        "an adapter's uri has one of the schemes hf, s3 and pvc, and a place",
        "hf://organization/adapter, s3://bucket/path or pvc://claim/path",
    ),
    ("model", "confidential", "resourceId"): Format(
        lambda value: _RESOURCE.fullmatch(str(value)) is not None,
        "this isn't the id of a key",
        "kbs:///repository/type/tag, each of letters, digits, dashes, underscores and dots",
    ),
    ("router", "route", "group"): Format(
        lambda value: scalars.is_dns_label(str(value)), f"a group's name is {scalars.DNS_LABEL}", "a name such as chat"
    ),
}
_PER_WORKLOAD: dict[Path, Format] = {
    ("kvCacheOffloading", "cpu"): _QUANTITY,
    ("kvCacheOffloading", "secondary", "*", "fileSystem", "emptyDir", "size"): _QUANTITY,
    ("kvCacheOffloading", "evictionPolicy"): Format(
        lambda value: value in ("lru", "arc"), "there is no such policy", "lru, or arc"
    ),
    ("scaling", "wva", "variantCost"): Format(
        lambda value: _COST.fullmatch(str(value)) is not None, "a cost is a number without sign, in quotes", '"10.0"'
    ),
}
_FORMATS = {
    **_EVERY,
    **_PER_WORKLOAD,
    **{("prefill", *path): form for path, form in _PER_WORKLOAD.items()},
}


def check_formats(spec: Node, subject: str, path: Path = ("spec",), *, templates: bool) -> Iterator[Finding]:
    """An error for each value of another form; one of a wrong type is for others to say.

    Args:
        spec: the spec of one document or layer, or the merged one.
        path: where it stands.
        templates: whether text that holds a template is passed over.
    """
    for pattern, form in _FORMATS.items():
        for where, leaf in _matching(spec, pattern):
            value = leaf.value
            if value is None or isinstance(value, bool) or (templates and _TEMPLATE in str(value)):
                continue
            if not form.holds(value):
                place = dotted((*path, *where))
                yield Finding("LOCO-VALUE", "error", place, form.message, form.cure, leaf.origin, subject, value)


def _matching(node: Node | None, pattern: Path, path: Path = ()) -> Iterator[tuple[Path, Leaf]]:
    if not pattern:
        if isinstance(node, Leaf):
            yield path, node
        return
    key, rest = pattern[0], pattern[1:]
    if key == "*":
        for index, item in enumerate(node.items if isinstance(node, Row) else ()):
            yield from _matching(item, rest, (*path, index))
    else:
        yield from _matching(child(node, key), rest, (*path, key))
