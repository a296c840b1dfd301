"""What happens between two plans, told without an engine: what depends on a secret's value stays unknown."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from loco import names
from loco.cli.report.change import Change, Data, World
from loco.cli.report.normal_form import normal
from loco.model import Manifest, ManifestId
from loco.model.pod_templates import pod_templates
from loco.plan import Plan


def world_between(old: Plan | None, new: Plan) -> World:
    """The stack as the two plans say; without an old one all of it is new."""
    before, after = (_with_digests(plan) if plan else {} for plan in (old, new))
    was, is_now = ({manifest.id: manifest for manifest in plan.manifests} if plan else {} for plan in (old, new))
    changes: list[Change] = []
    gone = {identity for identity in before if identity not in after}
    for identity, manifest in is_now.items():
        data = after[identity]
        earlier = identity if identity in before else next((i for i in manifest.takes_over if i in gone), None)
        if earlier is None:
            changes.append(Change("create", identity, manifest.component, None, data))
            continue
        gone.discard(earlier)
        if earlier != identity:
            changes.append(Change("replace", identity, manifest.component, before[earlier], data, None, ("kind",)))
        elif normal(before[identity]) != normal(data):
            reasons = tuple(_immutable(manifest, before[identity], data))
            operation: Any = "replace" if reasons or manifest.editions else "update"
            changes.append(Change(operation, identity, manifest.component, before[identity], data, None, reasons))
    for identity in before:
        if identity in gone:
            changes.append(Change("delete", identity, was[identity].component, before[identity], None))
    subjects = [set(plan.running) if plan else set() for plan in (old, new)]
    return World(
        tuple(changes), before, after, frozenset(subjects[1] - subjects[0]), frozenset(subjects[0] - subjects[1])
    )


def readers_of(plan: Plan, config: str) -> list[ManifestId]:
    """Whose pods restart when the stack's secret of this name has another value."""
    made = {
        (value.secret.namespace, value.secret.name, value.key) for value in plan.secret_values if value.config == config
    }
    uses = [use for use in plan.credential_uses if use.rolls and (use.namespace, use.secret, use.key) in made]
    return list(dict.fromkeys(use.reader for use in uses))


def _with_digests(plan: Plan) -> dict[ManifestId, Data]:
    """Every object; on pod templates, in place of a digest, where the values that the pods read come from."""
    sources = {
        (v.secret.namespace, v.secret.name, v.key): (v.config, v.generated, v.rotation) for v in plan.secret_values
    }
    read: dict[ManifestId, dict[str, dict[str, Any]]] = {}
    for use in plan.credential_uses:
        if use.rolls:
            annotation = f"{names.DIGEST_PREFIX}{use.credential}"
            source = sources.get((use.namespace, use.secret, use.key), ("existing", use.namespace, use.secret))
            read.setdefault(use.reader, {}).setdefault(annotation, {})[use.key] = source
    signers = {certificate.secret: certificate.authority_edition for certificate in plan.certificates}
    for authority in plan.authorities:
        trusted = read.setdefault(authority.reader, {}).setdefault(names.AUTHORITIES_DIGEST, {})
        trusted[authority.key] = signers.get(authority.secret)
    return {manifest.id: _annotated(manifest, read.get(manifest.id, {})) for manifest in plan.manifests}


def _annotated(manifest: Manifest, digests: Mapping[str, Any]) -> Data:
    if not digests:
        return manifest.data
    data = json.loads(json.dumps(manifest.data))
    for _, template in pod_templates(data):
        metadata: Any = template.setdefault("metadata", {})  # type: ignore[attr-defined]
        stated = {name: json.dumps(source, sort_keys=True) for name, source in digests.items()}
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **stated}
    found: Data = data
    return found


def _immutable(manifest: Manifest, old: Data, new: Data) -> Iterator[str]:
    """The properties that differ and can't be changed."""
    for path in manifest.replace_on:
        if normal(_at(old, path)) != normal(_at(new, path)):
            yield path


def _at(data: Any, path: str) -> Any:
    for key in path.split("."):
        data = data.get(key) if isinstance(data, Mapping) else None
    return data
