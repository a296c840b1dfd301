"""Plain Kubernetes objects beside the models that need them: accounts, ConfigMaps and claims.

Model files of KServe users hold such objects next to their services. loco applies them as they are, before the pods
that name them. A Secret is not among them: its values never stand in a file.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from loco.model import Finding
from loco.spec.texts import LABEL_RULE, NAMESPACE_RULE, is_label_value, is_namespace, is_qualified
from loco.spec.tree import Branch, Leaf, Node, at, dotted, text_of
from loco.spec.validate import check_kubernetes, origin_of

COMPANION_API = "v1"
SECRET_CURE = (
    "credentials: {SECRET: {KEY: {config: NAME}}} in the stack config, and `pulumi config set --secret NAME`; "
    "or {existing: true} for a Secret that somebody else makes"
)
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST_NAME = 253
_DATA_KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")
_DEFAULTED = ("metadata.name", "metadata.namespace")  # an empty one is as good as none, and is judged below
_NOT_WRITTEN = ("status",)  # what the cluster says of an object


def check_companion(tree: Branch, kind: str, namespace: str | None) -> tuple[str | None, str | None, list[Finding]]:
    """Name, namespace and findings of one: a field that Kubernetes doesn't have, a value or name that it refuses.

    The two are None where an error stands in the way.
    """
    name = text_of(at(tree, ("metadata", "name"))) or None
    place = text_of(at(tree, ("metadata", "namespace"))) or namespace
    subject = "/".join(part for part in (kind, place, name) if part)
    findings = check_kubernetes(tree, kind, path=(), subject=subject, root=tree, complete=True, directives=False)
    findings = [finding for finding in findings if finding.path not in _DEFAULTED or finding.value is not None]
    metadata = at(tree, ("metadata",))
    here = origin_of(metadata, tree.origin)
    if not name and not findings:
        cure = "metadata: {name: …}, a name that stays the same"
        findings.append(
            Finding("LOCO-VALUE", "error", "metadata.name", "the document has no name", cure, here, subject)
        )
    elif name and (not _SUBDOMAIN.fullmatch(name) or len(name) > _LONGEST_NAME):
        message = f"a {kind}'s name is small letters, digits, dashes and dots, a letter or digit first and last"
        origin = origin_of(at(tree, ("metadata", "name")), here)
        findings.append(Finding("LOCO-VALUE", "error", "metadata.name", message, "such a name", origin, subject, name))
    if place and place != namespace and not is_namespace(place):
        origin = origin_of(at(tree, ("metadata", "namespace")), here)
        cure = "a namespace that Kubernetes accepts"
        findings.append(
            Finding("LOCO-VALUE", "error", "metadata.namespace", NAMESPACE_RULE, cure, origin, subject, place)
        )
    findings += [*_refused_keys(tree, subject), *_refused_labels(metadata, subject)]
    if place is None and not findings:
        message = "the document has no namespace, and the stack names none"
        cure = "metadata: {namespace: …}, or namespace: … in the stack config"
        findings.append(Finding("LOCO-VALUE", "error", "metadata.namespace", message, cure, here, subject))
    for key in _NOT_WRITTEN:
        if (node := at(tree, (key,))) is not None:
            message = "this is the cluster's to say, and nobody reads it here"
            cure = "the document without it"
            findings.append(Finding("LOCO-NO-EFFECT", "warning", key, message, cure, node.origin, subject))
    return name, place, findings


def _refused_keys(tree: Branch, subject: str) -> Iterator[Finding]:
    """Keys of a ConfigMap's data, which become names of files."""
    data = at(tree, ("data",))
    for field in ("data", "binaryData"):
        part = at(tree, (field,))
        for key, node in (part.items if isinstance(part, Branch) else {}).items():
            message, cure = "", "a key such as config.yaml"
            if not _DATA_KEY.fullmatch(key) or key == "." or key.startswith(".."):
                message = "a key is letters, digits, dashes, underscores and dots, at most 253"
            elif field == "binaryData" and isinstance(data, Branch) and key in data.items:
                message, cure = "this key stands in data too", "it in one of the two"
            if message:
                where = dotted((field, key))
                yield Finding("LOCO-VALUE", "error", where, message, cure, node.origin, subject)


def _refused_labels(metadata: Node | None, subject: str) -> Iterator[Finding]:
    for field in ("labels", "annotations"):
        part = at(metadata, (field,))
        for key, node in (part.items if isinstance(part, Branch) else {}).items():
            value, message = node.value if isinstance(node, Leaf) else None, ""
            if not is_qualified(key):
                message = f"{key!r} can't be the key of one of the {field}"
            elif field == "labels" and isinstance(value, str) and not is_label_value(value):
                message = f"{value!r} can't be a label's value"
            if message:
                where = dotted(("metadata", field, key))
                yield Finding("LOCO-VALUE", "error", where, message, LABEL_RULE, node.origin, subject, value)


def written(tree: Branch, namespace: str) -> Branch:
    """The object as it is applied: with its namespace, without what the cluster says."""
    metadata = at(tree, ("metadata",))
    items = dict(metadata.items) if isinstance(metadata, Branch) else {}
    placed = {**items, "namespace": Leaf(namespace, tree.origin)}
    kept = {key: node for key, node in tree.items.items() if key not in _NOT_WRITTEN}
    return replace(tree, items={**kept, "metadata": Branch(placed, tree.origin)})
