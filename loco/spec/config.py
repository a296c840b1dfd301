"""The stack config as a tree with the lines of its file, and the layers that it holds: defaults and overrides."""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from loco.model import Finding, Origin, errors_of
from loco.spec.chart_leftovers import chart_leftovers
from loco.spec.document import LAYERED, Document, Kind, check_spec
from loco.spec.files import read_text
from loco.spec.service import Spec
from loco.spec.stack import CONFIG, Override
from loco.spec.suggest import close_to
from loco.spec.tree import Branch, Leaf, Node, Row, at, dotted, plant, relayered
from loco.spec.validate import check_directives, check_model, mistyped, origin_of
from loco.spec.yaml_reader import read_yaml


class _LayerMetadata(Spec):
    """What a layer may say of a document's metadata."""

    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None


class _Default(Spec):
    """One entry of ``defaults``."""

    metadata: _LayerMetadata | None = None
    spec: dict[str, object] | None = None


class _Override(_Default):
    """One entry of ``overrides``."""

    enabled: bool | None = None


def config_tree(
    config: Mapping[str, Any], root: Path, config_file: Path | None, project: str, secrets: Collection[str] = ()
) -> tuple[Branch, dict[str, Origin], list[Finding]]:
    """The config with the lines of its file, and those of its secrets. What the file doesn't hold (``--config``) has none."""
    file_tree: Node | None = None
    if config_file is not None and os.path.isfile(config_file):
        shown = _relative(config_file, root)
        text, _ = read_text(config_file, shown, "config")  # the engine has read it already
        trees, _ = read_yaml(text or "", shown, "config")
        file_tree = at(trees[0], ("config",)) if trees else None

    def written(key: str) -> Node | None:
        return at(file_tree, (f"{project}:{key}",)) or at(file_tree, (key,))

    items: dict[str, Node] = {}
    findings: list[Finding] = []
    for key, value in config.items():
        where = written(key)
        try:
            items[key] = _located(plant(value, CONFIG, (key,)), where)
        except TypeError as error:
            cure = "text, numbers, booleans, lists and mappings only"
            findings.append(Finding("LOCO-TYPE", "error", key, str(error), cure, origin_of(where, CONFIG)))
    lines = {name: node.origin for name in secrets if (node := written(name)) is not None}
    return Branch(items, origin_of(file_tree, CONFIG)), lines, findings


def defaults_of(tree: Branch) -> tuple[dict[str, Branch], list[Finding]]:
    """``defaults`` by kind, each spec checked like a document's own."""
    findings: list[Finding] = []
    defaults: dict[str, Branch] = {}
    for kind, layer in _entries(tree, "defaults"):
        path = ("defaults", kind)
        known_kind = _layered(kind)
        if known_kind is None:
            findings.append(_unknown_kind(kind, path, layer, tree, ()))
            continue
        checked = _check_layer(layer, path, tree, _Default, known_kind)
        findings += checked
        if not errors_of(checked) and isinstance(named := relayered(layer, "defaults"), Branch):
            defaults[kind] = named
    return defaults, findings


def overrides_of(
    tree: Branch, documents: Sequence[Document], complete: bool
) -> tuple[tuple[Override, ...], list[Finding]]:
    """``overrides`` in config order, checked likewise.

    Args:
        complete: whether every document could be read, so that a name that isn't there is an error.
    """
    findings: list[Finding] = []
    overrides: list[Override] = []
    for target, layer in _entries(tree, "overrides"):
        path = ("overrides", target)
        kind, *names = target.split("/")
        known_kind = _layered(kind)
        if known_kind is None or len(names) not in (1, 2):
            findings.append(_unknown_kind(target, path, layer, tree, documents))
            continue
        namespace, name = (names[0], names[1]) if len(names) == 2 else (None, names[0])
        known = [document for document in documents if document.kind == kind]
        if complete and not any(d.name == name and namespace in (None, d.namespace) for d in known):
            findings.append(_unknown_document(target, name, known, path, layer))
        checked = _check_layer(layer, path, tree, _Override, known_kind)
        if (enabled := at(layer, ("enabled",))) is not None and isinstance(enabled, Leaf) and enabled.value is None:
            checked.append(mistyped(enabled, (*path, "enabled"), "true or false", None, tree))
        findings += checked
        if not errors_of(checked) and isinstance(named := relayered(layer, "overrides"), Branch):
            on = not (isinstance(enabled, Leaf) and enabled.value is False)
            overrides.append(Override(kind, namespace, name, named, on))
    return tuple(overrides), findings


def _located(node: Node, where: Node | None) -> Node:
    """The node's values with the file's lines, wherever the two agree in shape."""
    origin = origin_of(where, node.origin)
    if isinstance(node, Leaf):
        return Leaf(node.value, origin, spelling=where.spelling if isinstance(where, Leaf) else None)
    if isinstance(node, Row):
        return Row(tuple(_located(item, at(where, (index,))) for index, item in enumerate(node.items)), origin)
    return Branch({key: _located(item, at(where, (key,))) for key, item in node.items.items()}, origin)


def _entries(tree: Branch, key: str) -> list[tuple[str, Node]]:
    node = tree.items.get(key)
    return list(node.items.items()) if isinstance(node, Branch) else []


def _layered(kind: str) -> Kind | None:
    return next((known for known in LAYERED if known == kind), None)


def _check_layer(layer: Node, path: tuple[str, ...], root: Node, model: type[_Default], kind: Kind) -> list[Finding]:
    subject = dotted(path)
    findings = check_model(layer, model, path=path, root=root, directives=False)
    for key in ("spec", "metadata"):
        if isinstance(part := at(layer, (key,)), Leaf) and part.value is None:
            findings.append(mistyped(part, (*path, key), "a mapping", None, root))
    if isinstance(spec := at(layer, ("spec",)), Branch):
        findings += check_spec(spec, subject, root, (*path, "spec"), kind)
    findings += chart_leftovers(layer, subject, root, path)
    for key in ("labels", "annotations"):
        if (texts := at(layer, ("metadata", key))) is not None:
            findings += check_directives(texts, (*path, "metadata", key), subject, root, ("metadata", key))
    return findings


def _unknown_kind(
    target: str, path: tuple[str, ...], layer: Node, root: Node, documents: Sequence[Document]
) -> Finding:
    """Of a default or an override whose key can't be right. A name without a kind is looked for among the documents."""
    kinds = ", ".join(LAYERED)
    form = f"one of {kinds}" if path[0] == "defaults" else f"KIND/NAME or KIND/NAMESPACE/NAME, KIND one of {kinds}"
    kind, *names = target.split("/")
    called = [f"{document.kind}/{document.name}" for document in documents if document.name == target]
    if called:
        meant = called[0]
    else:
        near = close_to(kind, LAYERED)
        meant = "/".join([near, *(names or (["NAME"] if path[0] == "overrides" else []))]) if near else ""
    message = f"{target or 'an empty key'} names no kind of document that takes {path[0]}"
    cure = f"{meant}; {form}" if meant else form
    return Finding("LOCO-KIND", "error", dotted(path, root), message, cure, layer.origin, value=target)


def _unknown_document(target: str, name: str, known: Sequence[Document], path: tuple[str, ...], layer: Node) -> Finding:
    kind = target.partition("/")[0]
    names = sorted({document.name for document in known})
    near = close_to(name, names)
    places = [document.namespace for document in known if document.name == name]
    if places:
        cure = " or ".join(f"{kind}/{place}/{name}" for place in places)
    else:
        cure = f"{kind}/{near}" if near else f"one of {', '.join(names) or 'the documents of the stack'}"
    message = f"no document is called {target}"
    return Finding("LOCO-REFERENCE", "error", dotted(path), message, cure, layer.origin, value=target)


def _relative(path: Path, root: Path) -> str:
    try:
        return str(path.resolve().relative_to(root.resolve()))
    except ValueError:
        return path.name
