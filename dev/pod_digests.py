"""Keeps a digest of every pod template that the examples get, for each version of the presets.

A digest that moves means that pods restart which nobody asked to restart. Run it as ``python -m dev.pod_digests`` to see
what has moved, with ``--write`` to record the digests of versions that have not been released. docs/presets.md says when
a new version is due.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from loco.layers import catalog
from loco.model.pod_templates import pod_templates
from loco.plan import plan_stack
from loco.pods.reading import amount
from loco.spec import StackSpec, kubernetes, read_stack

_REPOSITORY = Path(__file__).resolve().parent.parent
_FOLDER = _REPOSITORY / "tests/layers/pod_templates"
RECORD = _FOLDER / "digests.yaml"
PROFILES = ("safe", "kserve")
_HEAD = """\
# Written by `python -m dev.pod_digests --write`: a digest of each pod template, by version of the presets and example.
# `released: true` is set by hand when a version goes out; from then on its digests never change.
"""

Digests = dict[str, dict[str, str]]


def digests_of(version: str) -> Digests:
    """By example and profile, the digest of each pod template of its plan by object. RuntimeError for one that fails."""
    found: Digests = {}
    for name, stack in _examples(version):
        plan = plan_stack(stack)
        if plan.errors:
            raise RuntimeError(f"{name} has no plan: " + "; ".join(map(str, plan.errors)))
        found[name] = {
            f"{manifest.id.kind} {manifest.namespace}/{manifest.name} {path[-1]}": digest(template)
            for manifest in plan.manifests
            for path, template in pod_templates(manifest.data)
        }
    return found


def digest(template: Mapping[str, Any]) -> str:
    """Of a pod template, whatever the order of its keys and the spelling of its quantities."""
    canonical = {**template, "spec": _canonical(template["spec"], "PodSpec")}
    return hashlib.sha256(json.dumps(canonical, sort_keys=True).encode()).hexdigest()[:16]


def recorded() -> dict[str, Any]:
    """By version, ``released`` and ``pods``."""
    record: dict[str, Any] = yaml.safe_load(RECORD.read_text("utf-8")) if RECORD.is_file() else {}
    return record


def moved(version: str, record: Mapping[str, Any]) -> list[str]:
    """What differs from the record. Of a released version only what was recorded counts: examples are added later."""
    entry = record.get(version, {"released": False, "pods": {}})
    before, now = _flat(entry["pods"]), _flat(digests_of(version))
    keys = before if entry["released"] else before | now
    return [key for key in keys if before.get(key) != now.get(key)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m dev.pod_digests", description=__doc__)
    parser.add_argument("--write", action="store_true", help="record the digests of versions not yet released")
    write = parser.parse_args().write
    record, status = recorded(), 0
    for version in catalog.versions():
        entry = record.setdefault(version, {"released": False, "pods": {}})
        changed = moved(version, record)
        if write and not entry["released"]:
            entry["pods"] = digests_of(version)
        elif changed:
            status = 1
        print(*(f"version {version}: {key}" for key in changed or ["as recorded"]), sep="\n")
    if write:
        RECORD.write_text(_HEAD + yaml.safe_dump(record, width=120), "utf-8")
    return status


def _examples(version: str) -> Iterator[tuple[str, StackSpec]]:
    """The stack dev of this repository, and small ones under each profile."""
    stack_file = yaml.safe_load((_REPOSITORY / "Pulumi.dev.yaml").read_text("utf-8"))["config"]
    own = {key.removeprefix("loco:"): value for key, value in stack_file.items()}
    secrets = {key for key, value in own.items() if isinstance(value, dict) and "secure" in value}
    config = {key: value for key, value in own.items() if key not in secrets}
    yield "dev", read_stack(_REPOSITORY, {**config, "presets": version}, secrets=secrets)
    for file in sorted((_FOLDER / "examples").glob("*.yaml")):
        example = yaml.safe_load(file.read_text("utf-8"))
        fixed = {"files": [], "namespace": "llm", "cluster": {"context": "test"}, "presets": version}
        for profile in PROFILES:
            settings = {**fixed, "profile": profile, **example.get("config", {})}
            yield f"{file.stem} {profile}", read_stack(_REPOSITORY, settings, documents=example["documents"])


def _canonical(value: Any, definition: str) -> Any:
    """A Kubernetes object with every quantity as its number: 4000m and 4 are one."""
    fields = kubernetes.definition(definition)

    def one(item: Any, field: kubernetes.Field) -> Any:
        if field.type == "quantity":
            return str(amount(item))
        return _canonical(item, field.of) if field.of is not None and isinstance(item, Mapping) else item

    def every(item: Any, field: kubernetes.Field | None) -> Any:
        if field is None:
            return item
        if field.shape == "list" and isinstance(item, list):
            return [one(member, field) for member in item]
        if field.shape == "map" and isinstance(item, Mapping):
            return {key: one(member, field) for key, member in item.items()}
        return one(item, field)

    return {key: every(item, fields.get(key)) for key, item in value.items()}


def _flat(pods: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {f"{example}: {pod}": value for example, found in pods.items() for pod, value in found.items()}


if __name__ == "__main__":
    raise SystemExit(main())
