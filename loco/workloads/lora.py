"""LoRA adapters: where their files stand, and the flags by which the engine serves them."""

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from posixpath import join
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding
from loco.pods.attaching import add_mount, add_volume, mount_at
from loco.pods.model_uri import ModelURI, parsed
from loco.pods.reading import in_template
from loco.spec.rules.formats import ADAPTER_SCHEMES
from loco.spec.tree import Path
from loco.workloads.command import index_of, runs_script, says
from loco.workloads.side import Side

_FOLDER = "/mnt/lora"
_MODULES = "--lora-modules"
_WHERE: Path = ("model", "lora")


@dataclass(frozen=True, slots=True)
class Adapter:
    """One adapter: its served name, where it comes from, and where the engine finds it."""

    name: str
    uri: ModelURI
    path: str


def attach_lora(
    pod: dict[str, Any], container: dict[str, Any], resolved: Resolved, side: Side, place: Path
) -> list[Finding]:
    """Mounts adapters that lie in claims and puts the engine's flags before its own arguments.

    Adapters that are downloaded come with the model. With a command of the user's own there are no flags, since
    nothing says how it would read them; a warning names them.
    """
    adapters, findings = adapters_of(resolved)
    if not adapters:
        return findings or _without_adapters(resolved)
    for adapter in adapters:
        if adapter.uri.scheme == "pvc":
            findings += _mount(pod, container, adapter, resolved, place)
    script = runs_script(pod, container, resolved, place)
    if says(container, _MODULES, script):
        message = f"{_MODULES} among your own arguments takes the place of these adapters' flags"
        return [*findings, _unread(resolved, message, f"your arguments without {_MODULES}")]
    flags = engine_flags(resolved, adapters)
    if not script:
        message = "with a command of your own nothing turns the adapters into flags of the engine"
        return [*findings, _unread(resolved, message, f"in your command: {' '.join(flags)}")]
    container["args"] = [*flags, *(container.get("args") or [])]
    return findings


def adapters_of(resolved: Resolved) -> tuple[list[Adapter], list[Finding]]:
    """A service's adapters, sorted by name, each with a path of its own; and errors about the others.

    That each has a name and the names differ has been checked before.
    """
    findings: list[Finding] = []
    found: dict[str, ModelURI] = {}
    for index, item in enumerate(resolved.spec.adapters):
        where: Path = (*_WHERE, "adapters", index)
        name = item.name or ""
        if name.startswith("-") or not name.isprintable() or name != name.strip():
            message, cure = "an adapter can't be served under this name", "a name such as my-adapter"
            findings.append(in_template(resolved, (*where, "name"), message, cure, place=(), value=name))
        uri, refused = parsed(item.uri or "", resolved, (*where, "uri"), ADAPTER_SCHEMES)
        findings += refused
        if uri is not None:
            found[name] = uri
    folders = _folders(sorted(found))
    return [Adapter(name, found[name], join(_FOLDER, folders[name])) for name in sorted(found)], findings


def engine_flags(resolved: Resolved, adapters: list[Adapter]) -> list[str]:
    """vLLM's flags; each adapter is served under its own name and the fully qualified one.

    An adapter is a JSON object in single quotes, which the start script takes off.
    """
    flags = ["--enable-lora"]
    lora = resolved.spec.model.lora if resolved.spec.model else None
    for flag, value in (
        ("--max-lora-rank", lora.max_rank if lora else None),
        ("--max-loras", lora.max_adapters if lora else None),
        ("--max-cpu-loras", lora.max_cpu_adapters if lora else None),
    ):
        if value is not None:
            flags.append(f"{flag}={value}")
    flags.append(_MODULES)
    for adapter in adapters:
        for name in names.served_names(resolved.namespace, adapter.name):
            flags.append(f"'{_json({'name': name, 'path': adapter.path})}'")
    return flags


def _json(value: dict[str, str]) -> str:
    """Without what the script (a quote) or Kubernetes (a ``$(NAME)``) would take for something else."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("'", "\\u0027").replace("$", "\\u0024")


def _folders(adapters: list[str]) -> dict[str, str]:
    """A folder's name for each adapter. Names that differ only in signs which a folder can't have get a hash."""
    plain = {name: _folder(name) for name in adapters}
    shared = Counter(plain.values())
    return {
        name: folder if shared[folder] == 1 or folder == name else f"{folder}-{_hash(name)}"
        for name, folder in plain.items()
    }


def _folder(name: str) -> str:
    folder = re.sub(r"[^A-Za-z0-9._-]", "-", name)
    return folder if folder not in ("", ".", "..") else "adapter"


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def _mount(
    pod: dict[str, Any], container: dict[str, Any], adapter: Adapter, resolved: Resolved, place: Path
) -> list[Finding]:
    volume = volume_name(adapter.name)
    there = mount_at(container, adapter.path)
    if there is not None and there[1].get("name") != volume:
        message = f"{adapter.path} is where the adapter {adapter.name} is put, and something else is mounted there"
        where: Path = ("containers", index_of(pod, container), "volumeMounts", there[0])
        return [in_template(resolved, where, message, "another mountPath", place=place)]
    add_volume(pod, {"name": volume, "persistentVolumeClaim": {"claimName": adapter.uri.claim}})
    mount = {"name": volume, "mountPath": adapter.path, "readOnly": True}
    if adapter.uri.path_in_claim:
        mount["subPath"] = adapter.uri.path_in_claim
    add_mount(container, mount)
    return []


def volume_name(adapter: str) -> str:
    """The volume of an adapter's claim: its name where that is a DNS label, else what of it can be one and a hash."""
    label = adapter
    if not re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", adapter):
        label = f"{re.sub(r'[^a-z0-9]+', '-', adapter.lower())}-{_hash(adapter)}".lstrip("-")
    return names.child_name("lora-pvc-", label)


def _without_adapters(resolved: Resolved) -> list[Finding]:
    lora = resolved.spec.model.lora if resolved.spec.model else None
    if lora is None or lora.model_dump(exclude_none=True).keys() <= {"adapters"}:
        return []
    message = "the model has no adapters, so nothing follows from this"
    cure = "adapters: [{name: …, uri: …}], or a model without lora"
    return [in_template(resolved, _WHERE, message, cure, place=(), code="LOCO-NO-EFFECT", severity="warning")]


def _unread(resolved: Resolved, message: str, cure: str) -> Finding:
    where: Path = (*_WHERE, "adapters")
    return in_template(resolved, where, message, cure, place=(), code="LOCO-NO-EFFECT", severity="warning")
