"""Writes loco/spec/kubernetes/v1_35.json from the schemas of the package kubernetes-validate and from knowledge.py.

    python -m dev.kubernetes_tables.generate           # write the table
    python -m dev.kubernetes_tables.generate --check   # exit 1 when the committed table is not what would be written

The table holds one definition per line, so that the diff of a version bump lists what Kubernetes changed. A field is
one string, which `loco.spec.kubernetes.tables` reads back:

    <element>[[] | {}] [key=<merge key>] [retain] [required] [enum=<a>|<b>]

The element is a primitive (lower case), `object` for free-form data, or the name of a definition (upper case); [] is a
list of it and {} a map from strings to it.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from dev.kubernetes_tables.knowledge import ENUMS, ROOTS, UNIONS

VERSION = "1.35"
TABLE = Path(__file__).resolve().parents[2] / "loco" / "spec" / "kubernetes" / f"v{VERSION.replace('.', '_')}.json"

Schema = Mapping[str, Any]

# Definitions that are one value in a manifest, whatever they are in Go.
_SCALARS: Mapping[str, str] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "object",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "time",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "time",
    "io.k8s.apimachinery.pkg.runtime.RawExtension": "object",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "int-or-string",
}
_FORMATS: Mapping[tuple[str, str | None], str] = {
    ("boolean", None): "boolean",
    ("integer", None): "integer",
    ("integer", "int32"): "int32",
    ("integer", "int64"): "integer",
    ("number", None): "number",
    ("number", "double"): "number",
    ("string", None): "string",
    ("string", "byte"): "bytes",
    ("string", "date-time"): "time",
}


def schemas() -> dict[str, Schema]:
    """The definitions of kubernetes-validate by full name, e.g. io.k8s.api.core.v1.PodSpec."""
    folder = resources.files("kubernetes_validate") / "kubernetes-json-schema" / f"v{VERSION}.0-local"
    definitions: dict[str, Schema] = json.loads((folder / "_definitions.json").read_text("utf-8"))["$defs"]
    return definitions


def table(definitions: Mapping[str, Schema]) -> dict[str, dict[str, Any]]:
    """The sections of the table, each by name: a kind's definition, a union's members, a definition's fields.

    LookupError when knowledge.py names something that this version of Kubernetes does not have.
    """
    names = short_names(reachable(definitions))
    tables = {short: fields(definitions[full], short, names) for full, short in names.items()}
    for path in ENUMS:
        name, _, field = path.partition(".")
        if field not in tables.get(name, {}):
            raise LookupError(f"not in Kubernetes {VERSION}: {path} of ENUMS")
    for name, others in UNIONS.items():
        if missing := others - tables[name].keys():
            raise LookupError(f"not in Kubernetes {VERSION}: {sorted(missing)} of {name} in UNIONS")
    return {
        "kinds": {kind: names[full] for full in ROOTS for kind in kinds(definitions[full])},
        "oneOf": {name: sorted(tables[name].keys() - others) for name, others in UNIONS.items()},
        "definitions": tables,
    }


def reachable(definitions: Mapping[str, Schema]) -> list[str]:
    """Full names of all definitions with fields that ROOTS lead to, sorted."""
    found: set[str] = set()
    waiting = list(ROOTS)
    while waiting:
        full = waiting.pop()
        if full not in found and full not in _SCALARS:
            found.add(full)
            waiting.extend(references(definitions[full]))
    return sorted(found)


def references(schema: object) -> Iterator[str]:
    """Full names of the definitions that a schema mentions at any depth."""
    if isinstance(schema, Mapping):
        if "$ref" in schema:
            yield target(schema)
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def target(schema: Schema) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def short_names(full_names: list[str]) -> dict[str, str]:
    """Full name to the shortest tail that no other name shares: PodSpec; v2.MetricSpec if v1 had one too."""
    tails = {full: [full.split(".")[-n:] for n in range(1, full.count(".") + 2)] for full in full_names}
    taken = [tuple(tail) for choices in tails.values() for tail in choices]
    return {full: next(".".join(tail) for tail in tails[full] if taken.count(tuple(tail)) == 1) for full in full_names}


def fields(schema: Schema, name: str, names: Mapping[str, str]) -> dict[str, str]:
    """The fields of one definition in the notation of the table."""
    required = set(schema.get("required", ()))
    properties: Mapping[str, Schema] = schema["properties"]
    return {field: notation(properties[field], f"{name}.{field}", field in required, names) for field in properties}


def notation(schema: Schema, path: str, required: bool, names: Mapping[str, str]) -> str:
    item, shape = schema, ""
    if "items" in schema:
        item, shape = schema["items"], "[]"
    elif "additionalProperties" in schema:
        item, shape = schema["additionalProperties"], "{}"
    words = [element(item, path, names) + shape]
    strategies = schema.get("x-kubernetes-patch-strategy", "").split(",")
    # Without the strategy, or in a list of primitives, the key says nothing: strategic merge replaces such a list.
    if "merge" in strategies and "x-kubernetes-patch-merge-key" in schema:
        words.append(f"key={schema['x-kubernetes-patch-merge-key']}")
    if "retainKeys" in strategies:
        words.append("retain")
    if required:
        words.append("required")
    if choices := schema.get("enum") or ENUMS.get(path):
        words.append("enum=" + "|".join(choices))
    return " ".join(words)


def element(schema: Schema, path: str, names: Mapping[str, str]) -> str:
    if "$ref" in schema:
        full = target(schema)
        return _SCALARS.get(full) or names[full]
    declared = schema.get("type")
    if declared is None:
        return "any"
    # ["string", "null"] means that the API server takes null for absent; check.py has its own rule for null.
    concrete = [declared] if isinstance(declared, str) else [word for word in declared if word != "null"]
    found = _FORMATS.get((concrete[0], schema.get("format"))) if len(concrete) == 1 else None
    if found is None:
        raise NotImplementedError(f"{path}: the notation has no word for {dict(schema)}")
    return found


def kinds(schema: Schema) -> Iterator[str]:
    """The "apps/v1 Deployment" of a definition that is a kind; nothing for others."""
    for entry in schema.get("x-kubernetes-group-version-kind", ()):
        yield f"{entry['group']}/{entry['version']} {entry['kind']}".removeprefix("/")


def render(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """The text of the file: sorted, one entry per line, no spaces that only cost bytes."""
    sections = [f'"version":{json.dumps(VERSION)}']
    for section, entries in tables.items():
        lines = (f"{json.dumps(key)}:{dense(entries[key])}" for key in sorted(entries))
        sections.append(f"{json.dumps(section)}:{{\n" + ",\n".join(lines) + "\n}")
    return "{" + ",\n".join(sections) + "}\n"


def dense(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m dev.kubernetes_tables.generate")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the committed table differs")
    options = parser.parse_args(arguments)
    text = render(table(schemas()))
    if not options.check:
        TABLE.write_text(text, "utf-8")
        return 0
    if TABLE.exists() and TABLE.read_text("utf-8") == text:
        return 0
    print(f"{TABLE} is not what the generator writes; run python -m dev.kubernetes_tables.generate", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
