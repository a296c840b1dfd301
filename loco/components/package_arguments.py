"""What a program in another language hands over: documents and config as plain data, credentials as secrets.

Documents and config end in objects that others may read, so a secret among them is refused, and so is a value that
isn't known before the update: a plan holds plain values only. Values that come from other resources and are known, such
as a stack reference's, are taken.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

from loco.components.whole_numbers import with_integers
from loco.model import Finding, Origin
from loco.spec.stack import CONFIG
from loco.spec.suggest import close_to
from loco.spec.tree import Path, dotted

ARGUMENTS = ("documents", "config", "credentials")
_EXACT = 2**53  # beyond it not every whole number is a float
_FOLDERS: tuple[Path, ...] = (("files",), ("presets", "folder"))


@dataclass(frozen=True, slots=True)
class Arguments:
    """The component's arguments.

    Attributes:
        documents: plain data, one mapping for each document.
        config: the stack config, without the project's prefix.
        credentials: values by the names that ``credentials`` in the config has for its sources.
    """

    documents: list[Any] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    credentials: dict[str, pulumi.Input[str]] = field(default_factory=dict)


async def read_arguments(inputs: Mapping[str, Any]) -> tuple[Arguments, list[Finding]]:
    """The arguments, and whatever is wrong with them; what is refused is left out.

    Args:
        inputs: as the engine hands them over: numbers are floats, what depends on resources is an Output.
    """
    findings = [_unknown(name) for name in inputs if name not in ARGUMENTS]
    documents = await _plain(inputs.get("documents"), ("documents",), findings)
    config = await _plain(inputs.get("config"), ("config",), findings)
    credentials = await _credentials(inputs.get("credentials"), findings)
    if not isinstance(documents, (list, type(None))):
        findings.append(_mistyped("documents", "a list of documents"))
        documents = None
    if not isinstance(config, (dict, type(None))):
        findings.append(_mistyped("config", "a mapping of settings"))
        config = None
    config = config or {}
    findings += [_no_folder(path) for path in _FOLDERS if _given(config, path)]
    return Arguments(with_integers(documents or []), with_integers(config), credentials), findings


async def _plain(value: Any, path: Path, findings: list[Finding]) -> Any:
    """The value without any Output; None in the place of what is refused."""
    if isinstance(value, pulumi.Output):
        if await value.is_secret():
            findings.append(_secret(path))
            return None
        value = await value.future() if await value.is_known() else pulumi.UNKNOWN
    if value is pulumi.UNKNOWN:
        findings.append(_not_yet_known(path))
        return None
    if isinstance(value, Mapping):
        return {key: await _plain(item, (*path, key), findings) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [await _plain(item, (*path, index), findings) for index, item in enumerate(value)]
    if isinstance(value, float) and value.is_integer() and abs(value) > _EXACT:
        findings.append(_inexact(path, value))
    return value


async def _credentials(value: Any, findings: list[Finding]) -> dict[str, pulumi.Input[str]]:
    """Each value by its name. The names are no secret, but some languages call a mapping secret for what is in it."""
    if isinstance(value, pulumi.Output):
        whole: pulumi.Output[Any] = value
        value = await whole.future() if await whole.is_known() else pulumi.UNKNOWN
    if value is None:
        return {}
    if value is pulumi.UNKNOWN:
        findings.append(_not_yet_known(("credentials",)))
        return {}
    if not isinstance(value, Mapping):
        findings.append(_mistyped("credentials", "a mapping from names to values"))
        return {}
    credentials: dict[str, pulumi.Input[str]] = {}
    for name, item in value.items():
        known = item
        if isinstance(item, pulumi.Output):
            known = await item.future() if await item.is_known() else pulumi.UNKNOWN
        if not isinstance(known, str) and known is not pulumi.UNKNOWN:
            findings.append(_no_text(name))
        credentials[name] = item
    return credentials


def _given(config: Mapping[str, Any], path: Path) -> bool:
    value: Any = config
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return bool(value)


def _unknown(name: str) -> Finding:
    near = close_to(name, ARGUMENTS)
    cure = near or f"one of {', '.join(ARGUMENTS)}; the stack's settings stand under config"
    return Finding("LOCO-UNKNOWN-KEY", "error", name, f"{name} is no argument of ModelServingStack", cure)


def _mistyped(name: str, form: str) -> Finding:
    return Finding("LOCO-TYPE", "error", name, f"the argument {name} must be {form}", form)


def _no_folder(path: Path) -> Finding:
    where = dotted(path)
    message = f"{where} names files, and the package doesn't see the folder of your program"
    cure = "documents and base configs, read by the program, under the argument documents"
    return Finding("LOCO-UNSUPPORTED", "error", where, message, cure, CONFIG)


def _secret(path: Path) -> Finding:
    message = "a secret stands where it would end in objects that others may read"
    cure = (
        "the name and key of a Secret instead; credentials: {SECRET: {KEY: {config: NAME}}} in config; and the value as "
        "NAME in the argument credentials"
    )
    return Finding("LOCO-SECRET", "error", *_place(path, message, cure))


def _not_yet_known(path: Path) -> Finding:
    message = "this value isn't known before the update, and a plan is made before it"
    return Finding("LOCO-TYPE", "error", *_place(path, message, "a plain value, or one that another stack exports"))


def _inexact(path: Path, value: float) -> Finding:
    message = "a whole number beyond 2^53, which programs in other languages can't hand over exactly"
    return Finding("LOCO-VALUE", "error", *_place(path, message, "a smaller one, or text"), value=value)


def _no_text(name: str) -> Finding:
    message = f"the value of the credential {name} must be text"
    return Finding(
        "LOCO-TYPE",
        "error",
        dotted(("credentials", name)),
        message,
        "text, also where it is read as a number or a boolean",
    )


def _place(path: Path, message: str, cure: str) -> tuple[str, str, str, Origin | None]:
    """Within a document or the config as findings about them have it; the argument itself where it is all of it."""
    if path[0] == "documents" and len(path) > 1:
        return dotted(path[2:]), message, cure, Origin("service", dotted(path[:2]))
    if path[0] == "config" and len(path) > 1:
        return dotted(path[1:]), message, cure, CONFIG
    return dotted(path), message, cure, None
