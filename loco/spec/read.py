"""Files and a config mapping in, a StackSpec out: everything is read, and everything wrong with it is collected."""

import glob
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from loco.model import Finding, Origin, errors_of
from loco.spec.config import config_tree, defaults_of, overrides_of
from loco.spec.document import Document, read_document
from loco.spec.files import read_each
from loco.spec.models_from import models_of_others
from loco.spec.outputs import StackOutputs
from loco.spec.presets import read_presets
from loco.spec.stack import CONFIG, StackConfig, StackSpec
from loco.spec.tree import Branch, Leaf, Node, NotPlain, at, dotted, plant
from loco.spec.validate import check_model, origin_of, valid_part


def read_stack(
    root: Path | str,
    config: Mapping[str, Any],
    *,
    stack: str = "dev",
    config_file: Path | None = None,
    project: str = "loco",
    documents: Sequence[Mapping[str, Any]] = (),
    secrets: Collection[str] = (),
    outputs: Mapping[str, StackOutputs | Mapping[str, Any]] | None = None,
) -> StackSpec:
    """The spec of one stack.

    Args:
        root: the folder of Pulumi.yaml; ``files`` are relative to it.
        config: the stack config as the engine gives it, without the project's prefix.
        stack: the stack's name.
        config_file: Pulumi.<stack>.yaml; only read for the lines of the config's values.
        project: the project's name, the prefix of its keys in that file.
        documents: what a program gives; then ``files`` has no default, and only files that the config names are read.
        secrets: names of the config's secrets, which ``config`` must not hold.
        outputs: by the names that ``modelsFrom`` has, what these stacks export: ``await loco.stack_outputs(NAME)``.

    Returns:
        A StackSpec that holds whatever could be read; its findings say what could not.
    """
    root = Path(root)
    if documents and "files" not in config:
        config = {**config, "files": []}
    tree, secret_origins, findings = config_tree(config, root, config_file, project, secrets)
    findings += check_model(tree, StackConfig, directives=False)
    chosen = valid_part(tree, StackConfig)
    folder = chosen.presets.folder
    trees, reading = _read_files(root, chosen.files, at(tree, ("files",)), folder)
    planted, planting = _plant_documents(documents)
    read, documenting = _read_documents([*trees, *planted], _namespace(tree, chosen))
    own_presets, presetting = read_presets(root, folder, at(tree, ("presets", "folder")))
    reading += [*planting, *documenting, *presetting]
    complete = not errors_of(reading)
    defaults, defaulting = defaults_of(tree)
    overrides, overriding = overrides_of(tree, read, complete)
    other_models, taking = models_of_others(
        chosen.models_from, at(tree, ("modelsFrom",)), outputs or {}, (project, stack)
    )
    findings += [*reading, *defaulting, *overriding, *taking]
    return StackSpec(
        stack,
        chosen,
        tree,
        tuple(read),
        defaults=defaults,
        overrides=overrides,
        own_presets=own_presets,
        findings=tuple(findings),
        secrets=frozenset(secrets),
        secret_origins=secret_origins,
        complete=complete,
        other_models=other_models,
    )


def read_files(paths: Sequence[Path], namespace: str | None, config: Mapping[str, Any]) -> StackSpec:
    """A stack of just these files, as ``loco render FILE…`` plans it. Missing files are findings."""
    tree = plant({**config, **({"namespace": namespace} if namespace is not None else {})}, CONFIG)
    assert isinstance(tree, Branch)
    findings = check_model(tree, StackConfig, directives=False)
    chosen = valid_part(tree, StackConfig)
    trees, reading = read_each((path, str(path)) for path in paths)
    documents, documenting = _read_documents(trees, _namespace(tree, chosen))
    reading += documenting
    findings += reading
    complete = not errors_of(reading)
    return StackSpec(None, chosen, tree, tuple(documents), findings=tuple(findings), complete=complete)


def _namespace(tree: Branch, chosen: StackConfig) -> str | None:
    """The stack's namespace; a faulty one, which is a finding already, stands for itself rather than for none."""
    written = at(tree, ("namespace",))
    if chosen.namespace is None and written is not None and not (isinstance(written, Leaf) and written.value is None):
        return "faulty"
    return chosen.namespace


def _read_files(
    root: Path, patterns: Sequence[str], where: Node | None, presets: str | None
) -> tuple[list[Node], list[Finding]]:
    """Every file of the patterns, in sorted order, but for those in the folder of presets."""
    aside = Path(os.path.realpath(root / presets)) if presets and "\0" not in presets else None
    findings: list[Finding] = []
    names: set[str] = set()
    for index, pattern in enumerate(patterns):
        found = [name for name in _matching(root, pattern) if os.path.isfile(root / name)]
        found = [name for name in found if aside is None or aside not in Path(os.path.realpath(root / name)).parents]
        names.update(os.path.normpath(name) for name in found)
        if not found:
            origin = origin_of(at(where, (index,)), CONFIG)
            message = f"no file matches {pattern or 'an empty pattern'} in {root.name or root}"
            cure = "a path or glob of model files, relative to Pulumi.yaml's folder"
            if "\0" not in pattern and pattern and (root / pattern).is_dir():
                cure = os.path.join(pattern, "*.yaml")
            findings.append(Finding("LOCO-FILE", "error", f"files[{index}]", message, cure, origin, value=pattern))
    trees, reading = read_each((root / name, name) for name in sorted(names))
    return trees, findings + reading


def _matching(root: Path, pattern: str) -> list[str]:
    """What a glob matches. ``**`` is every folder once: glob's own walks links in circles."""
    parts = pattern.split("/")
    if "\0" in pattern:
        return []
    if "**" not in parts:
        return glob.glob(pattern, root_dir=root)
    first = parts.index("**")
    above, below = "/".join(parts[: first + 1]).removesuffix("**"), "/".join(parts[first + 1 :]) or "*"
    found: list[str] = []
    for start in glob.glob(above, root_dir=root) if above else [""]:
        for folder in _folders(root, start):
            found += _matching(root, os.path.join(glob.escape(folder), below))
    return found


def _folders(root: Path, start: str) -> Iterator[str]:
    """A folder and those below it, but for hidden ones, each once, however many links lead to it."""
    seen = {os.path.realpath(root / start)}
    for folder, below, _ in os.walk(root / start, followlinks=True):
        yield os.path.join(start, os.path.relpath(folder, root / start)) if folder != str(root / start) else start
        below.sort()
        real = {name: os.path.realpath(os.path.join(folder, name)) for name in below}
        below[:] = [name for name in below if not name.startswith(".") and real[name] not in seen]
        seen.update(real[name] for name in below)


def _plant_documents(documents: Sequence[Mapping[str, Any]]) -> tuple[list[Node], list[Finding]]:
    trees: list[Node] = []
    findings: list[Finding] = []
    for number, document in enumerate(documents):
        origin = Origin("service", f"documents[{number}]")
        try:
            trees.append(plant(document, origin))
        except NotPlain as error:
            message = f"in document {number} of the program, {error}"
            cure, where = "plain data; an Output is awaited before planning", dotted(error.path)
            findings.append(Finding("LOCO-TYPE", "error", where, message, cure, origin))
    return trees, findings


def _read_documents(trees: Sequence[Node], namespace: str | None) -> tuple[list[Document], list[Finding]]:
    documents: dict[tuple[str, str, str], Document] = {}
    findings: list[Finding] = []
    for tree in trees:
        document, reading = read_document(tree, namespace)
        findings += reading
        if document is None:
            continue
        key = (document.kind, document.namespace, document.name)
        if key in documents:
            message = f"{document.subject} is written twice, first at {documents[key].origin}"
            cure = "each document once, or another name or namespace for one of them"
            findings.append(
                Finding("LOCO-DUPLICATE", "error", "metadata.name", message, cure, document.origin, document.subject)
            )
            continue
        documents[key] = document
    return [documents[key] for key in sorted(documents)], findings
