"""Kinds of text that documents of several kinds hold, and what each must look like."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

_OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_HOSTNAME = re.compile(r"(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_SECRET_KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")
_HEADER_NAME = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z]+")
_PROVIDER = re.compile(r"[a-z0-9][-_a-z0-9]*")
_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_QUALIFIED = re.compile(r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
LABEL_RULE = "letters, digits, dashes, dots and underscores, at most 63, a letter or digit first and last"
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_REFERENCE = "os.environ/"  # LiteLLM puts a variable of its own environment in the place of such a text
NAMESPACE_RULE = "a namespace is at most 63 small letters, digits and dashes, a letter or digit first and last"
URL_RULE = "a URL such as https://api.openai.com/v1: a scheme, a host, a path; no user, password, query or fragment"


def _object_name(value: str) -> str:
    if not _OBJECT_NAME.fullmatch(value) or len(value) > 253:
        raise ValueError("an object's name is small letters, digits, dashes and dots, a letter or digit first and last")
    return value


def _dns_label(value: str) -> str:
    if not is_namespace(value):
        raise ValueError(NAMESPACE_RULE)
    return value


def _hostname(value: str) -> str:
    if not _HOSTNAME.fullmatch(value) or len(value) > 253:
        raise ValueError("a host's name in small letters such as llm.example.com, or *.example.com; no scheme or port")
    return value


def _secret_key(value: str) -> str:
    if not _SECRET_KEY.fullmatch(value) or value.startswith(".."):
        raise ValueError("a Secret's key is letters, digits, dashes, underscores and dots")
    return value


def _http_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError(URL_RULE) from None
    extra = "@" in parts.netloc or "?" in value or "#" in value
    if parts.scheme not in ("http", "https") or not host or extra or not _is_one_line(value) or " " in value:
        raise ValueError(URL_RULE)
    return value


def _model_name(value: str) -> str:
    if not is_model_name(value):
        raise ValueError(f"a model's name is one line without a *, and does not begin with {_REFERENCE}")
    return value


def _model_pattern(value: str) -> str:
    if not _is_one_line(value) or value.startswith(_REFERENCE):
        raise ValueError(f"a model's name is one line, and does not begin with {_REFERENCE}")
    return value


def _provider(value: str) -> str:
    if not _PROVIDER.fullmatch(value):
        raise ValueError("a provider is LiteLLM's prefix alone, such as openai, azure or anthropic")
    return value


def _header_name(value: str) -> str:
    if not _HEADER_NAME.fullmatch(value):
        raise ValueError("a header's name is letters, digits and dashes")
    return value


def _header_value(value: str) -> str:
    if value.startswith(_REFERENCE):
        raise ValueError(f"a value that begins with {_REFERENCE} would send a variable of the gateway: use valueFrom")
    if _REFERENCE in value:
        raise ValueError(
            f"{_REFERENCE} inside of a value would be sent as it is: valueFrom, and the whole value in the Secret"
        )
    if not value.isascii() or (value and not _is_one_line(value)):
        raise ValueError("a header's value is one line of ASCII, without spaces at its ends")
    return value


def _variable_name(value: str) -> str:
    if not _VARIABLE.fullmatch(value):
        raise ValueError("a variable's name is capitals, digits and underscores: a shell drops any other")
    return value


def _labels(value: dict[str, str]) -> dict[str, str]:
    for text in _annotations(value).values():
        if not is_label_value(text):
            raise ValueError(f"values of {LABEL_RULE}, and not {text!r}")
    return value


def _annotations(value: dict[str, str]) -> dict[str, str]:
    for key in value:
        if not is_qualified(key):
            raise ValueError(f"keys of {LABEL_RULE}, or DOMAIN/ before such a one, and not {key!r}")
    return value


def is_qualified(key: str) -> bool:
    """Whether Kubernetes accepts a label or annotation of this key."""
    return _QUALIFIED.fullmatch(key) is not None


def is_label_value(text: str) -> bool:
    """Whether Kubernetes accepts a label of this value."""
    return _LABEL_VALUE.fullmatch(text) is not None


def is_namespace(text: str) -> bool:
    """Whether Kubernetes accepts a namespace of this name."""
    return _DNS_LABEL.fullmatch(text) is not None


def is_model_name(value: str) -> bool:
    """Whether a gateway can serve a model under this name: a * would match others, a reference become something else."""
    return _is_one_line(value) and "*" not in value and not value.startswith(_REFERENCE)


def _is_one_line(value: str) -> bool:
    return bool(value) and value.isprintable() and value == value.strip()


ObjectName = Annotated[str, AfterValidator(_object_name)]
DNSLabel = Annotated[str, AfterValidator(_dns_label)]
Hostname = Annotated[str, AfterValidator(_hostname)]
SecretKeyName = Annotated[str, AfterValidator(_secret_key)]
HTTPURL = Annotated[str, AfterValidator(_http_url)]
ModelName = Annotated[str, AfterValidator(_model_name)]
ModelPattern = Annotated[str, AfterValidator(_model_pattern)]
Provider = Annotated[str, AfterValidator(_provider)]
HeaderName = Annotated[str, AfterValidator(_header_name)]
HeaderValue = Annotated[str, AfterValidator(_header_value)]
VariableName = Annotated[str, AfterValidator(_variable_name)]
Labels = Annotated[dict[str, str], AfterValidator(_labels)]
Annotations = Annotated[dict[str, str], AfterValidator(_annotations)]
