"""Presets of the user's own: a folder of base configs and scripts, templated like the shipped ones."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from loco.model import Finding, Origin, errors_of
from loco.spec.document import BASE_CONFIG, Document, read_document
from loco.spec.files import read_each, read_text
from loco.spec.tree import Branch, Node, at, plain, relayered
from loco.spec.validate import origin_of

PRESET_NAMES = "config-llm-"  # what the names of presets begin with
PREFIX = "kserve-"  # what KServe puts before them
_LAYER = "presets"


@dataclass(frozen=True, slots=True)
class Script:
    """What presets may include; ``file`` is its path, for messages."""

    text: str
    file: str


@dataclass(frozen=True, slots=True)
class OwnPresets:
    """What stands in the folder, as plain data.

    Attributes:
        folder: as the config names it; None where it names none.
        specs: by name, KServe's names without their prefix; their leaves are those of ``preset:NAME``.
        scripts: by file name, for presets to include.
    """

    folder: str | None = None
    specs: Mapping[str, Node] = field(default_factory=dict)
    scripts: Mapping[str, Script] = field(default_factory=dict)


NO_PRESETS = OwnPresets()


def without_prefix(name: str) -> str:
    """A preset's name as loco has it; KServe's have ``kserve-`` before it."""
    return name.removeprefix(PREFIX) if name.startswith(PREFIX + PRESET_NAMES) else name


def read_presets(root: Path, folder: str | None, where: Node | None) -> tuple[OwnPresets, list[Finding]]:
    """The presets of ``*.yaml`` and the scripts of ``scripts/*.sh`` in a folder, and what is wrong with them.

    Args:
        root: what the folder is relative to.
        folder: none has no presets.
        where: the folder's name in the config, for the finding that there is no such folder.
    """
    if folder is None:
        return NO_PRESETS, []
    listed = _listed(root, folder)
    if isinstance(listed, str):
        cure = "a folder of presets, relative to Pulumi.yaml's folder"
        origin = origin_of(where, Origin("config"))
        return NO_PRESETS, [Finding("LOCO-FILE", "error", "presets.folder", listed, cure, origin, value=folder)]
    shown = Path(folder)
    files = [name for name in listed if Path(name).suffix in (".yaml", ".yml")]
    trees, findings = read_each(((root / folder / name, str(shown / name)) for name in files), _LAYER)
    documents: dict[str, Document] = {}
    for tree in trees:
        document, reading = _preset_of(tree)
        findings += reading
        if document is None:
            continue
        name = without_prefix(document.name)
        if name in documents:
            message = f"the preset {name} is written twice, first at {documents[name].origin}"
            cure, subject = "each preset once", f"{document.kind}/{document.name}"
            findings.append(
                Finding("LOCO-DUPLICATE", "error", "metadata.name", message, cure, document.origin, subject)
            )
            continue
        documents[name] = document
    scripts: dict[str, Script] = {}
    for path in sorted((root / folder / "scripts").glob("*.sh")):
        file = str(shown / "scripts" / path.name)
        text, reading = read_text(path, file, _LAYER)
        findings += reading
        if text is not None:
            scripts[path.name] = Script(text, file)
    specs = {name: relayered(documents[name].spec, f"preset:{name}") for name in sorted(documents)}
    return OwnPresets(folder, specs, scripts), findings


def _listed(root: Path, folder: str) -> list[str] | str:
    """The names in a folder, or what is wrong with it."""
    if folder:
        try:
            return sorted(os.listdir(root / folder))
        except PermissionError:
            return f"the folder {folder} may not be read"
        except (OSError, ValueError):  # ValueError: a NUL in the name
            pass
    return f"there is no folder {folder or 'without a name'} in {root.name or root}"


def _preset_of(tree: Node) -> tuple[Document | None, list[Finding]]:
    """The document of one preset. A value that a template makes is judged once it has been made."""
    _, reading = read_document(tree, _LAYER)
    findings = [
        replace(finding, subject=_bare(finding.subject)) for finding in reading if not _awaits_template(finding)
    ]
    place = at(tree, ("metadata", "namespace"))
    if errors_of(findings):
        return None, findings
    values = plain(tree)
    kind, name = values["kind"], values["metadata"]["name"]
    if kind != BASE_CONFIG:
        message = f"a preset is an {BASE_CONFIG}, and this is another kind of document"
        cure = f"kind: {BASE_CONFIG}; other documents belong into files"
        finding = Finding("LOCO-KIND", "error", "kind", message, cure, tree.origin, f"{kind}/{name}", kind)
        return None, [*findings, finding]
    if place is not None:
        message = "a preset serves services of every namespace, whatever it says here"
        cure = "the preset without it; a base config for one namespace belongs into files"
        subject = f"{kind}/{name}"
        findings.append(
            Finding("LOCO-NO-EFFECT", "warning", "metadata.namespace", message, cure, place.origin, subject)
        )
    assert isinstance(tree, Branch)
    return Document(kind, _LAYER, name, tree), findings


def _awaits_template(finding: Finding) -> bool:
    is_template = isinstance(finding.value, str) and any(mark in finding.value for mark in ("{{", "{%"))
    return finding.code == "LOCO-VALUE" and finding.path.startswith("spec.") and is_template


def _bare(subject: str | None) -> str | None:
    """A document's subject without the namespace that it doesn't have."""
    return subject.replace(f"/{_LAYER}/", "/", 1) if subject is not None else None
