"""Files and a config mapping in, a StackSpec out: everything is read, and everything wrong with it is collected."""

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loco.model import Finding, Origin
from loco.spec.document import SERVICE, Document, check_spec, read_document
from loco.spec.stack import CONFIG, Override, StackConfig, StackSpec
from loco.spec.tree import Branch, Leaf, Node, Row, at, dotted, plain, plant
from loco.spec.validate import check_model, close_to, mistyped, origin_of
from loco.spec.yaml_reader import read_yaml

_LAYER_KEYS = ("spec", "metadata")


def read_stack(
    root: Path,
    config: Mapping[str, Any],
    *,
    stack: str = "dev",
    config_file: Path | None = None,
    project: str = "loco",
    documents: Sequence[Mapping[str, Any]] = (),
) -> StackSpec:
    """The spec of one stack.

    Args:
        root: the folder of Pulumi.yaml; ``files`` are relative to it.
        config: the stack config as the engine gives it, without the project's prefix.
        stack: the stack's name.
        config_file: Pulumi.<stack>.yaml; only read for the lines of the config's values.
        project: the project's name, the prefix of its keys in that file.
        documents: further documents, as a program gives them.

    Returns:
        A StackSpec that holds whatever could be read; its findings say what could not.
    """
    tree, findings = _config_tree(config, root, config_file, project)
    config_findings = check_model(tree, StackConfig, root=tree)
    findings += config_findings
    chosen = StackConfig() if config_findings else StackConfig.model_validate(plain(tree))

    trees: list[Node] = []
    if not config_findings:
        trees, reading = _read_files(root, chosen.files, at(tree, ("files",)))
        findings += reading
    for document in documents:
        trees.append(plant(document, Origin("service")))
    read, reading = _read_documents(trees, chosen.namespace)
    findings += reading

    defaults, overrides, layering = _layers_of_config(
        tree, read, complete=not any(f.severity == "error" for f in reading)
    )
    return StackSpec(stack, chosen, tree, tuple(read), defaults, overrides, tuple(findings + layering))


def read_files(paths: Sequence[Path], namespace: str | None, config: Mapping[str, Any]) -> StackSpec:
    """A stack of just these files, as ``loco render FILE…`` plans it. Missing files are findings."""
    trees, findings = [], []
    for path in paths:
        found, reading = _read_file(path, str(path))
        trees += found
        findings += reading
    documents, reading = _read_documents(trees, namespace)
    tree = plant({**config, **({"namespace": namespace} if namespace else {})}, CONFIG)
    assert isinstance(tree, Branch)
    checked = check_model(tree, StackConfig, root=tree)
    chosen = StackConfig() if checked else StackConfig.model_validate(plain(tree))
    return StackSpec(None, chosen, tree, tuple(documents), findings=tuple(findings + reading + checked))


def _config_tree(
    config: Mapping[str, Any], root: Path, config_file: Path | None, project: str
) -> tuple[Branch, list[Finding]]:
    """The config with the lines of its file. What the file doesn't hold (``--config``) has no line."""
    file_tree: Node | None = None
    if config_file is not None and config_file.is_file():
        trees, _ = read_yaml(
            config_file.read_text(encoding="utf-8", errors="replace"), _relative(config_file, root), "config"
        )
        file_tree = at(trees[0], ("config",)) if trees else None
    items = {}
    for key, value in config.items():
        where = None
        if isinstance(file_tree, Branch):
            where = file_tree.items.get(f"{project}:{key}", file_tree.items.get(key))
        items[key] = _located(plant(value, CONFIG), where)
    return Branch(items, origin_of(file_tree, CONFIG)), []


def _located(node: Node, where: Node | None) -> Node:
    """The node's values with the file's lines, wherever the two agree in shape."""
    origin = origin_of(where, node.origin)
    if isinstance(node, Leaf):
        return Leaf(node.value, origin)
    if isinstance(node, Row):
        return Row(tuple(_located(item, at(where, (index,))) for index, item in enumerate(node.items)), origin)
    return Branch({key: _located(item, at(where, (key,))) for key, item in node.items.items()}, origin)


def _read_files(root: Path, patterns: list[str], where: Node | None) -> tuple[list[Node], list[Finding]]:
    """Every file of the patterns, once each, in sorted order."""
    findings: list[Finding] = []
    names: set[str] = set()
    for index, pattern in enumerate(patterns):
        found = [name for name in glob.glob(pattern, root_dir=root, recursive=True) if (root / name).is_file()]
        names.update(found)
        if not found:
            origin = origin_of(at(where, (index,)), CONFIG)
            message = f"no file matches {pattern} in {root.name or root}"
            cure = "a path or glob of model files, relative to Pulumi.yaml's folder"
            findings.append(Finding("LOCO-FILE", "error", f"files[{index}]", message, cure, origin, value=pattern))
    trees: list[Node] = []
    for name in sorted(names):
        found_trees, reading = _read_file(root / name, name)
        trees += found_trees
        findings += reading
    return trees, findings


def _read_file(path: Path, shown: str) -> tuple[list[Node], list[Finding]]:
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        message = f"{shown} can't be read: {error.strerror}"
        return [], [Finding("LOCO-FILE", "error", "", message, "the path of a readable file", Origin("service", shown))]
    except UnicodeDecodeError as error:
        message = f"{shown} isn't UTF-8: {error.reason} at byte {error.start}"
        return [], [Finding("LOCO-YAML", "error", "", message, "the file in UTF-8", Origin("service", shown))]
    return read_yaml(text, shown, "service")


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


def _layers_of_config(
    tree: Branch, documents: Sequence[Document], complete: bool
) -> tuple[dict[str, Branch], tuple[Override, ...], list[Finding]]:
    """``defaults`` and ``overrides`` as layers, each spec checked like a document's own."""
    findings: list[Finding] = []
    defaults: dict[str, Branch] = {}
    for kind, layer in _entries(tree, "defaults"):
        path = ("defaults", kind)
        if kind != SERVICE:
            findings.append(_unknown_kind(kind, path, layer, tree))
        elif (checked := _check_layer(layer, path, tree, ())) or not isinstance(layer, Branch):
            findings += checked
        else:
            defaults[kind] = _relayered(layer, "defaults")
    overrides: list[Override] = []
    for target, layer in _entries(tree, "overrides"):
        path = ("overrides", target)
        kind, *names = target.split("/")
        if kind != SERVICE or len(names) not in (1, 2):
            findings.append(_unknown_kind(target, path, layer, tree))
            continue
        namespace, name = (names[0], names[1]) if len(names) == 2 else (None, names[0])
        matching = [d for d in documents if d.kind == kind and d.name == name and namespace in (None, d.namespace)]
        if complete and not matching:
            known = [d.name for d in documents if d.kind == kind]
            near = close_to(name, known)
            cure = f"{kind}/{near}" if near else f"one of {', '.join(sorted(known)) or 'the documents of the stack'}"
            message = f"no document is called {target}"
            findings.append(Finding("LOCO-REFERENCE", "error", dotted(path), message, cure, layer.origin, value=target))
        checked = _check_layer(layer, path, tree, ("enabled",))
        findings += checked
        if not checked and isinstance(layer, Branch):
            enabled = at(layer, ("enabled",))
            on = not (isinstance(enabled, Leaf) and enabled.value is False)
            overrides.append(Override(kind, namespace, name, _relayered(layer, "overrides"), on))
    return defaults, tuple(overrides), findings


def _entries(tree: Branch, key: str) -> list[tuple[str, Node]]:
    node = tree.items.get(key)
    return list(node.items.items()) if isinstance(node, Branch) else []


def _check_layer(layer: Node, path: tuple[str, ...], root: Node, extra: tuple[str, ...]) -> list[Finding]:
    if not isinstance(layer, Branch):
        return [mistyped(layer, path, "a mapping", None, root)]
    findings: list[Finding] = []
    for key, value in layer.items.items():
        if key == "enabled" and key in extra:
            if not (isinstance(value, Leaf) and isinstance(value.value, bool)):
                findings.append(mistyped(value, (*path, key), "true or false", None, root))
        elif key not in _LAYER_KEYS:
            cure = close_to(key, (*_LAYER_KEYS, *extra)) or "one of " + ", ".join((*_LAYER_KEYS, *extra))
            message = f"there is no field {key} here"
            findings.append(
                Finding(
                    "LOCO-UNKNOWN-KEY", "error", dotted((*path, key)), message, cure, value.origin, value=plain(value)
                )
            )
        elif key == "spec":
            findings += check_spec(value, ".".join(path), root, (*path, "spec"))
        elif not isinstance(value, Branch):
            findings.append(mistyped(value, (*path, key), "a mapping", None, root))
        else:
            for below, maps in value.items.items():
                if below not in ("labels", "annotations"):
                    message = f"a layer may set labels and annotations, not {below}"
                    findings.append(
                        Finding(
                            "LOCO-UNKNOWN-KEY",
                            "error",
                            dotted((*path, key, below)),
                            message,
                            "labels or annotations",
                            maps.origin,
                        )
                    )
    return findings


def _unknown_kind(target: str, path: tuple[str, ...], layer: Node, root: Node) -> Finding:
    cure = f"{SERVICE}" if path[0] == "defaults" else f"{SERVICE}/NAME or {SERVICE}/NAMESPACE/NAME"
    message = f"{target} names no kind of document that takes {path[0]}"
    return Finding("LOCO-KIND", "error", dotted(path, root), message, cure, layer.origin, value=target)


def _relayered(node: Branch, layer: str) -> Branch:
    """The same values, known by the layer that they act as."""

    def again(node: Node) -> Node:
        origin = Origin(layer, node.origin.file, node.origin.line)
        if isinstance(node, Leaf):
            return Leaf(node.value, origin)
        if isinstance(node, Row):
            return Row(tuple(again(item) for item in node.items), origin)
        return Branch({key: again(item) for key, item in node.items.items()}, origin)

    result = again(node)
    assert isinstance(result, Branch)
    return result


def _relative(path: Path, root: Path) -> str:
    try:
        return str(path.resolve().relative_to(root.resolve()))
    except ValueError:
        return path.name
