"""The endpoint picker's config from a ConfigMap of the model files: ``router.scheduler.config.ref``.

Its text takes the reference's place before presets are chosen, since what the picker's plugins need decides some of
them. KServe reads the ConfigMap from the cluster, later, and so can only warn about such needs.
"""

from dataclasses import replace
from typing import Any

from loco.model import Finding
from loco.spec import CONFIG_MAP, StackSpec
from loco.spec.suggest import close_to
from loco.spec.tree import Branch, Leaf, Node, Path, at, plain, plant, text_of
from loco.spec.validate import origin_of
from loco.spec.yaml_reader import read_yaml

_CONFIG: Path = ("router", "scheduler", "config")
_REF = "spec.router.scheduler.config.ref"
_KEY = "epp"  # where KServe looks by default


def with_config_map(spec: Node, stack: StackSpec, namespace: str, subject: str) -> tuple[Node, list[Finding]]:
    """The spec with the text that its reference names, as an inline config; the spec itself where it has none."""
    config = at(spec, _CONFIG)
    ref = at(config, ("ref",))
    name = text_of(at(ref, ("name",)))
    if not isinstance(config, Branch) or name is None:
        return spec, []
    where = origin_of(at(ref, ("name",)), config.origin)
    maps = {d.name: d for d in stack.documents if d.kind == CONFIG_MAP and d.namespace == namespace}
    if name not in maps:
        if not stack.complete:  # it may be the document that could not be read
            return spec, []
        message = f"no ConfigMap of the model files is called {name} in the namespace {namespace}"
        cure = close_to(name, maps) or "a ConfigMap document beside the service, or the config inline"
        return spec, [Finding("LOCO-REFERENCE", "error", f"{_REF}.name", message, cure, where, subject, name)]
    data = at(maps[name].tree, ("data",))
    keys = list(data.items) if isinstance(data, Branch) else []
    key = text_of(at(ref, ("key",))) or _KEY
    text = at(data, (key,))
    if not isinstance(text, Leaf):
        where = origin_of(at(ref, ("key",)), where)
        message = f"the ConfigMap {name} has no key {key}"
        cure = close_to(key, keys) or f"one of {', '.join(keys) or 'the keys that it is to have'}"
        return spec, [Finding("LOCO-REFERENCE", "error", f"{_REF}.key", message, cure, where, subject, key)]
    value, reason = _mapping(str(text.value))
    if value is None:
        message = f"the text under {key} is no EndpointPickerConfig{reason}"
        cure = "YAML with apiVersion, kind and plugins"
        return spec, [Finding("LOCO-VALUE", "error", f"data.{key}", message, cure, text.origin, maps[name].subject)]
    return _replaced(spec, _CONFIG, Branch({"inline": plant(value, text.origin)}, config.origin)), []


def _mapping(text: str) -> tuple[dict[str, Any] | None, str]:
    """What a text holds, or why it is no mapping."""
    trees, findings = read_yaml(text, "", "")
    if findings:
        return None, f": in its line {findings[0].origin.line if findings[0].origin else 1}, {findings[0].message}"
    value = plain(trees[0]) if len(trees) == 1 else None
    return (value, "") if isinstance(value, dict) and value else (None, "")


def _replaced(node: Node, path: Path, value: Node) -> Node:
    if not path:
        return value
    assert isinstance(node, Branch)
    key = str(path[0])
    return replace(node, items={**node.items, key: _replaced(node.items[key], path[1:], value)})
