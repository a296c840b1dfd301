"""The names that Go templates call a service's fields by, and which fields there are: from the models and tables.

A Go field is called like its key with a capital first, but for initialisms: ``kvCacheOffloading`` is
``KVCacheOffloading``, ``httpGet`` is ``HTTPGet``.
"""

import re
import types
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from urllib.parse import unquote

from pydantic import BaseModel

from loco.spec import LLMInferenceServiceSpec, kubernetes
from loco.spec.service import Model
from loco.spec.validate import KUBERNETES_SHAPES

_FIRST_WORDS = {
    "aws": "AWS", "cephfs": "CephFS", "cpu": "CPU", "csi": "CSI", "dns": "DNS", "fc": "FC", "fs": "FS", "gce": "GCE",
    "gmsa": "GMSA", "grpc": "GRPC", "hpa": "HPA", "http": "HTTP", "ip": "IP", "iqn": "IQN", "iscsi": "ISCSI",
    "keda": "KEDA", "kv": "KV", "lora": "LoRA", "nfs": "NFS", "os": "OS", "pd": "PD", "pvc": "PVC", "rbd": "RBD",
    "se": "SE", "ssl": "SSL", "tcp": "TCP", "tty": "TTY", "uid": "UID", "uri": "URI", "wva": "WVA", "wwids": "WWIDs",
}  # fmt: skip
_LATER_WORDS = re.compile(r"(Cpu|Id)(?![a-z])")  # maxCpuAdapters, resourceId
_POD_KEYS = {path[-1]: definition for path, definition in KUBERNETES_SHAPES}

Kind = Literal["struct", "map", "list", "number", "scalar", "url", "any"]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a field holds.

    Attributes:
        kind: ``any`` is free-form data, whose fields nobody knows.
        of: of a struct its model, its Kubernetes definition or one of ``_OWN``; of a map or list the shape of an item.
    """

    kind: Kind
    of: "type[BaseModel] | str | Shape | None" = None


SCALAR, NUMBER, ANY, URL = Shape("scalar"), Shape("number"), Shape("any"), Shape("url")
_TEXTS = Shape("map", SCALAR)
ROOT = Shape("struct", "root")
_OWN: Mapping[str, Mapping[str, tuple[str, Shape]]] = {
    "root": {
        "ObjectMeta": ("ObjectMeta", Shape("struct", "ObjectMeta")),
        "Spec": ("Spec", Shape("struct", LLMInferenceServiceSpec)),
        "GlobalConfig": ("GlobalConfig", Shape("struct", "GlobalConfig")),
    },
    "ObjectMeta": {
        "Name": ("name", SCALAR),
        "Namespace": ("namespace", SCALAR),
        "Labels": ("labels", _TEXTS),
        "Annotations": ("annotations", _TEXTS),
    },
    "GlobalConfig": {
        name: (name, SCALAR)
        for name in (
            "SystemNamespace",
            "IngressGatewayName",
            "IngressGatewayNamespace",
            "EnableTLS",
            "ModelBasedRoutingHeaderName",
            "InferencePoolNamespacedName",
        )
    },
}
_URL_PARTS = ("Scheme", "Host", "Path")
_URL = re.compile(r"(?:(?P<Scheme>[A-Za-z][A-Za-z0-9+.-]*):)?(?://(?:[^/?#@]*@)?(?P<Host>[^/?#]*))?(?P<Path>[^?#]*)")


@cache
def fields_of(shape: Shape) -> Mapping[str, tuple[str, Shape]]:
    """A struct's fields by their Go names, each with its key and shape; a URL's parts; none of anything else."""
    if shape.kind == "url":
        return {part: (part, SCALAR) for part in _URL_PARTS}
    if shape.kind != "struct":
        return {}
    if isinstance(shape.of, str):
        own = _OWN.get(shape.of)
        return own if own is not None else _kubernetes(shape.of)
    assert isinstance(shape.of, type)
    fields = {}
    for name, info in shape.of.model_fields.items():
        key = info.alias or name
        below = URL if (shape.of, key) == (Model, "uri") else _of_annotation(info.annotation, key)
        fields[go_name(key)] = (key, below)
    return fields


def go_name(key: str) -> str:
    """A key's name in Go."""
    first = re.match("[a-z]*", key)
    word = first.group() if first is not None else ""
    return _FIRST_WORDS.get(word, word.capitalize()) + _LATER_WORDS.sub(_upper, key[len(word) :])


def url_part(url: str, part: str) -> str:
    """Scheme, host (with port) or path of a model's URI, as Go reads them; "" for one that isn't there."""
    match = _URL.match(url)
    text = (match[part] if match is not None else None) or ""
    return text.lower() if part == "Scheme" else unquote(text) if part == "Path" else text


def _upper(match: re.Match[str]) -> str:
    return match.group().upper()


def _kubernetes(name: str) -> dict[str, tuple[str, Shape]]:
    return {go_name(key): (key, _of_field(field)) for key, field in kubernetes.definition(name).items()}


def _of_field(field: kubernetes.Field) -> Shape:
    item = Shape("struct", field.of) if field.of else ANY if field.type in ("object", "any") else SCALAR
    if field.type in ("integer", "int32"):
        item = NUMBER
    return item if field.shape == "one" else Shape("list" if field.shape == "list" else "map", item)


def _of_annotation(annotation: Any, key: str) -> Shape:
    """The shape of a model's field: what is left of its type without None and constraints."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _of_annotation(arguments[0], key)
    if origin in (Union, types.UnionType):
        members = [argument for argument in arguments if argument is not type(None)]
        return _of_annotation(members[0], key) if len(members) == 1 else SCALAR
    if origin is list:
        return Shape("list", _of_annotation(arguments[0], key))
    if origin is dict:
        if arguments[1] is str:
            return _TEXTS
        return Shape("struct", _POD_KEYS[key]) if key in _POD_KEYS else ANY
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return Shape("struct", annotation)
    return NUMBER if annotation is int else SCALAR
