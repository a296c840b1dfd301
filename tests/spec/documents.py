"""Documents as users may write them, built from the models that judge them."""

import types
from collections.abc import Callable
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le
from hypothesis import strategies as st
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from loco.spec.document import OBSERVABILITY, SPEC_OF, Kind
from loco.spec.external_model import ExternalModelSpec
from loco.spec.litellm_gateway import LiteLLMGatewaySpec
from loco.spec.observability import ObservabilitySpec
from loco.spec.service import Spec

Documents = st.SearchStrategy[dict[str, Any]]

# Text that some reader of YAML takes for something else, or that its syntax could swallow.
_WORDS = (
    "yes no on off y n true False NULL null ~ 1 1e3 1E3 0755 0o755 0x1F 0b11 1_000 08 -1 +1 1.0 .5 1. -.inf .nan 1:30 "
    "190:20:30 2001-01-01 2001-01-01T12:00:00Z = << - -- --- ... ? : * & ! | > % @ ` # { } [ ] , {} [] *a &a !a %a @a "
    "'x' \"x\" a:b {{x}} $(A) $$ \\ ü 模型 🙂 \t \r \0 \x85 \u2028 \ufeff \x07"
)
_LINES = ("", " ", " a", "a ", "\n", "a\n", "\na", "a\n\n", " a\n b", "a\n  b\nc ", "a\r\nb", "---\na", "a\n---\nb")
_PHRASES = (
    "a: b",
    "a #b",
    "# a",
    "- a",
    "? a",
    "a\tb",
    "{{ .Spec.Model.Name }}",
    "{% if x %}",
    '{"a": [1]}',
    "x " * 99,
)
ODD = (*_WORDS.split(" "), *_LINES, *_PHRASES, "x" * 300)
TEXT = st.sampled_from(ODD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LINE = TEXT.filter(lambda text: bool(text) and text.isprintable() and text == text.strip() and "*" not in text)
FREE = st.recursive(
    TEXT
    | st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
_CONTAINERS = st.lists(
    st.fixed_dictionaries(
        {"name": st.just("main")},
        optional={
            "image": TEXT,
            "args": st.lists(TEXT, max_size=3),
            "env": st.lists(st.fixed_dictionaries({"name": st.just("A"), "value": TEXT}), max_size=1),
            "tty": st.booleans(),
            "resources": st.just({"limits": {"nvidia.com/gpu": 2, "memory": "1e3"}}),
        },
    ),
    max_size=1,
)
POD = st.fixed_dictionaries(
    {},
    optional={
        "containers": _CONTAINERS,
        "nodeSelector": st.dictionaries(TEXT, TEXT, max_size=2),
        "hostNetwork": st.booleans(),
    },
)
_FREE_FORM = ("inline", "expose")
# Text of a stated form: by the function that checks it.
_FORMS: dict[str, st.SearchStrategy[str]] = {
    "_object_name": st.sampled_from(["a", "0x1", "1e3", "0755", "on", "a.b"]),
    "_secret_key": st.sampled_from(["key", "yes", "null", "1.0", "0755", "-", "tls.key", "2001-01-01"]),
    "_http_url": st.sampled_from(["https://api.example.com/v1", "http://10.0.0.1:8000"]),
    "_duration": st.sampled_from(["30s", "5m", "1h30m", "1d"]),
    "_environment": st.sampled_from(["production", "no", "1e3", "0755", "2001-01-01"]),
    "_model_name": LINE,
    "_model_pattern": LINE,
    "_variable_name": st.sampled_from(["A", "NO", "ON", "_", "NULL", "A_1"]),
    "_provider": st.sampled_from(["openai", "1e3", "null", "on", "0755"]),
    "_header_name": st.sampled_from(["X-Team", "~", "1", "null", "!a", "#a", "&a", "%a", "`a"]),
    "_header_value": LINE.filter(str.isascii),
}


def documents() -> Documents:
    """Documents of every kind."""
    return st.sampled_from(sorted(SPEC_OF)).flatmap(_document)


def _document(kind: Kind) -> Documents:
    group = (
        "locostack.com/v1alpha1"
        if SPEC_OF[kind] in (ExternalModelSpec, LiteLLMGatewaySpec, ObservabilitySpec)
        else "serving.kserve.io/v1alpha2"
    )
    stem = "observability-" if kind == OBSERVABILITY else ""
    texts = st.dictionaries(TEXT, TEXT, max_size=3)
    metadata = st.fixed_dictionaries(
        {"name": st.sampled_from([f"{stem}{end}" for end in ("on", "chat", "y")])},
        optional={"labels": texts, "annotations": texts},
    )
    spec = of_model(SPEC_OF[kind])
    if kind == "LLMInferenceServiceConfig":
        spec = spec.map(lambda made: {key: item for key, item in made.items() if key != "baseRefs"})
    return st.fixed_dictionaries(
        {"apiVersion": st.just(group), "kind": st.just(kind), "metadata": metadata, "spec": spec}
    )


def of_model(model: type[Spec], depth: int = 0) -> Documents:
    """Mappings that a model accepts; below some depth only what it demands."""
    required, optional = {}, {}
    for name, field in model.model_fields.items():
        key = field.alias or name
        if field.is_required():
            required[key] = _of_field(key, field, depth)
        elif depth < 5:
            optional[key] = _of_field(key, field, depth)
    return st.fixed_dictionaries(required, optional=optional).filter(_accepted_by(model))


def _of_field(key: str, field: FieldInfo, depth: int) -> st.SearchStrategy[Any]:
    if key in ("template", "worker"):
        return POD
    if field.annotation == dict[str, Any] | None and key not in _FREE_FORM:
        return st.just({})  # a shape of Kubernetes' or another project's, held against its own rules
    if field.annotation is str and any(getattr(item, "pattern", None) for item in field.metadata):
        return LINE.filter(lambda text: " " not in text)
    return _of(Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation, depth)


def _of(wanted: Any, depth: int) -> st.SearchStrategy[Any]:
    origin, inside = get_origin(wanted), get_args(wanted)
    if origin is Annotated:
        return _of_annotated(inside[0], inside[1:], depth)
    if origin in (Union, types.UnionType):
        return st.one_of(*(_of(one, depth) for one in inside if one is not type(None)))
    if origin is Literal:
        return st.sampled_from(inside)
    if origin is list:
        return st.lists(_of(inside[0], depth + 1), max_size=2)
    if origin is dict:
        return st.dictionaries(
            TEXT.filter(lambda key: not key.startswith("$")),
            FREE if inside[1] is Any else _of(inside[1], depth + 1),
            max_size=3,
        )
    if isinstance(wanted, type) and issubclass(wanted, Spec):
        return of_model(wanted, depth + 1)
    simple: dict[Any, st.SearchStrategy[Any]] = {str: TEXT, int: st.integers(-5, 10**6), bool: st.booleans()}
    return simple[wanted]


def _of_annotated(wanted: Any, marks: tuple[Any, ...], depth: int) -> st.SearchStrategy[Any]:
    for mark in marks:
        if (form := _FORMS.get(getattr(getattr(mark, "func", None), "__name__", ""))) is not None:
            return form
    limits = [item for mark in marks for item in getattr(mark, "metadata", [mark])]
    if wanted is int:
        least = max((int(item.ge) for item in limits if isinstance(item, Ge)), default=0)
        most = min((int(item.le) for item in limits if isinstance(item, Le)), default=10**6)
        return st.integers(least, most)
    if wanted is float:
        most = min((float(item.le) for item in limits if isinstance(item, Le)), default=10.0**6)
        return st.floats(0, most, exclude_min=True)
    if any(getattr(item, "pattern", None) for item in limits):
        return LINE.filter(lambda text: " " not in text)
    return _of(wanted, depth)


def _accepted_by(model: type[Spec]) -> Callable[[dict[str, Any]], bool]:
    def accepted(data: dict[str, Any]) -> bool:
        try:
            model.model_validate(data)
        except ValidationError:
            return False
        return True

    return accepted
