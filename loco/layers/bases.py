"""Where a preset or a base config is found, and what to say of one that isn't.

The order is KServe's with loco's presets in place of its system namespace: the service's namespace, the user's own
presets, those that loco ships. A namespace called kserve is one like any other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from loco.layers import catalog
from loco.layers.catalog import preset, preset_names, profile, scripts, versions
from loco.layers.merge import merge_trees
from loco.layers.template import check_templates
from loco.model import Finding
from loco.spec import BASE_CONFIG, Document, StackSpec
from loco.spec.presets import PREFIX, PRESET_NAMES, Script, without_prefix
from loco.spec.stack import ProfileName
from loco.spec.suggest import close_to
from loco.spec.tree import Leaf, Node, Row, at, relayered
from loco.spec.validate import origin_of

_MOST_LISTED = 5  # names in a cure


@dataclass(frozen=True, slots=True)
class Base:
    """A preset or base config as a layer.

    Attributes:
        where: ``namespace NS``, ``folder FOLDER`` of the user's own presets, or ``presets VERSION``.
    """

    name: str
    spec: Node
    where: str


def version_of(stack: StackSpec) -> str:
    """The version of the presets that a stack uses: the one that it pins, else the newest."""
    pinned = stack.config.presets.version
    return pinned if pinned in versions() else versions()[-1]


def scripts_of(stack: StackSpec) -> dict[str, Script]:
    """What presets may include, by file name: loco's scripts, and the user's own beside or in place of them."""
    return {**scripts(version_of(stack)), **stack.own_presets.scripts}


def check_presets(stack: StackSpec) -> list[Finding]:
    """``LOCO-REFERENCE`` for a version of the presets that there is not; and what is wrong with the user's own."""
    findings = check_templates(stack.own_presets, scripts_of(stack))
    pinned = stack.config.presets.version
    if pinned is None or pinned in versions():
        return findings
    written = at(stack.config_tree, ("presets",))
    inner = at(written, ("version",))
    path = "presets" if inner is None else "presets.version"
    origin = origin_of(inner or written, stack.config_tree.origin)
    message = f"there is no version {pinned or 'without a name'} of the presets"
    cure = f"one of {', '.join(versions())}; without it the newest, {versions()[-1]}"
    return [*findings, Finding("LOCO-REFERENCE", "error", path, message, cure, origin, value=pinned)]


def chosen_presets(names: Iterable[str], document: Document, stack: StackSpec) -> tuple[list[Base], list[Finding]]:
    """The presets that a service gets, each replaced by a base config of its name in the service's namespace."""
    found: list[Base] = []
    findings: list[Finding] = []
    for name in names:
        own = _documents(stack, document.namespace)
        # With the prefix it is the preset's name in KServe, without it maybe just another base config.
        replacing = own.get(PREFIX + name) or own.get(name)
        base = _preset(name, stack)
        if replacing is not None:
            spec = relayered(replacing.spec, f"config:{replacing.name}")
            found.append(Base(name, spec, f"namespace {document.namespace}"))
        elif base is not None:
            found.append(base)
        elif stack.complete:  # otherwise it may be the document that could not be read
            message = f"this service takes the preset {name}, which isn't there; searched {_places(document, stack)}"
            cure = f"an {BASE_CONFIG} of that name, or a service of another shape"
            findings.append(
                Finding("LOCO-REFERENCE", "error", "spec", message, cure, document.origin, document.subject, name)
            )
    return found, findings


def referred(document: Document, stack: StackSpec, refs: Node | None) -> tuple[list[Base], list[Finding]]:
    """The base configs that a service asks for, in order."""
    found: list[Base] = []
    findings: list[Finding] = []
    for index, ref in enumerate(refs.items if isinstance(refs, Row) else ()):
        node = at(ref, ("name",))
        name = node.value if isinstance(node, Leaf) and isinstance(node.value, str) else ""
        path, origin = f"spec.baseRefs[{index}].name", origin_of(node, ref.origin)
        if not name:
            message, cure = "a base reference names nothing", "- name: …, a base config of the stack"
            findings.append(Finding("LOCO-VALUE", "error", path, message, cure, origin, document.subject))
        elif (base := _base(name, document.namespace, stack)) is not None:
            found.append(base)
        elif stack.complete:  # otherwise it may be the document that could not be read
            message, cure = _not_found(name, document, stack)
            findings.append(Finding("LOCO-REFERENCE", "error", path, message, cure, origin, document.subject, name))
    return found, findings


def _base(name: str, namespace: str, stack: StackSpec) -> Base | None:
    own = _documents(stack, namespace)
    for called in _spellings(name):
        if called in own:
            return Base(called, relayered(own[called].spec, f"baseRef:{called}"), f"namespace {namespace}")
    return next((base for called in _spellings(name) if (base := _preset(called, stack)) is not None), None)


def _preset(name: str, stack: StackSpec) -> Base | None:
    """A preset of the user's own, else a shipped one."""
    own, version = stack.own_presets, version_of(stack)
    if name in own.specs:
        return Base(name, own.specs[name], f"folder {own.folder}")
    if name not in preset_names(version):
        return None
    spec = _amended(catalog.ROOT, name, version, stack.config.profile)
    return Base(name, spec, f"presets {version}")


@cache
def _amended(root: Path, name: str, version: str, profile_name: ProfileName) -> Node:
    """A shipped preset with what the profile changes of it. ``root`` is where they are read from."""
    spec, amendment = preset(name, version), profile(profile_name, version).amendments.get(name)
    return spec if amendment is None else merge_trees([spec, amendment])[0]


def _documents(stack: StackSpec, namespace: str) -> Mapping[str, Document]:
    return stack.base_configs.get(namespace, {})


def _spellings(name: str) -> tuple[str, ...]:
    """The name as written, and of a preset the name with or without KServe's prefix."""
    bare = without_prefix(name)
    other = bare if bare != name else PREFIX + name
    return (name, other) if bare.startswith(PRESET_NAMES) else (name,)


def _not_found(name: str, document: Document, stack: StackSpec) -> tuple[str, str]:
    """Message and cure."""
    message = f"no {BASE_CONFIG} is called {name}; searched {_places(document, stack)}"
    elsewhere = [d.namespace for d in stack.documents if d.kind == BASE_CONFIG and d.name in _spellings(name)]
    if elsewhere:
        there = f"the namespace{'s' if len(elsewhere) > 1 else ''} {', '.join(elsewhere)}"
        message += f"; there is one in {there}, and a base config is found by the services of its own namespace"
        return message, f"metadata.namespace: {document.namespace} in it, or the document in the folder of presets"
    own = {*_documents(stack, document.namespace), *stack.own_presets.specs}
    near = close_to(name, own) or close_to(name, {*own, *preset_names(version_of(stack))})
    place = f"an {BASE_CONFIG} of that name in the namespace {document.namespace}"
    others = sorted(own - {near})
    listed = [*([near] if near else []), *others][:_MOST_LISTED]
    return message, f"{', '.join(listed)}; or {place}" if listed else place


def _places(document: Document, stack: StackSpec) -> str:
    folder = f"the folder {stack.own_presets.folder}" if stack.own_presets.folder else None
    places = [f"the namespace {document.namespace}", *([folder] if folder else [])]
    return f"{', '.join(places)} and the presets"
