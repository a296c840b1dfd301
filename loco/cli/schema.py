"""``loco schema``: JSON Schemas of what users write, printed or written to files."""

import argparse
import json
from pathlib import Path

from loco.cli.findings import show
from loco.model import Finding, Origin
from loco.spec.schema import SCHEMAS, schema_of


def declare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "schema",
        help="print JSON Schemas of model files and of a stack's config, for editors; and of its outputs",
        description="Prints the schema (draft 2020-12) of a KIND; without KIND one object with all, by kind. Document "
        "is any kind of a model file, and refers to the others' files; StackConfig is Pulumi.<stack>.yaml, StackOutputs "
        "what a stack exports.",
    )
    parser.add_argument("kind", nargs="?", choices=SCHEMAS, metavar="KIND", help=f"one of {', '.join(SCHEMAS)}")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write DIR/KIND.json instead of printing")
    parser.set_defaults(run=_run)


def schema_text(kind: str) -> str:
    """The text of a schema's file."""
    return json.dumps(schema_of(kind), indent=1, ensure_ascii=False) + "\n"


def _run(options: argparse.Namespace) -> int:
    folder: Path | None = options.write
    kinds = [options.kind] if options.kind else SCHEMAS
    if folder is None:
        found = schema_of(options.kind) if options.kind else {kind: schema_of(kind) for kind in SCHEMAS}
        print(json.dumps(found, indent=1, ensure_ascii=False))
        return 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for kind in kinds:
            (folder / f"{kind}.json").write_text(schema_text(kind), encoding="utf-8", newline="\n")
    except OSError as error:
        message, cure = f"{folder} can't be written: {error.strerror}", "the path of a folder that you may write"
        show([Finding("LOCO-FILE", "error", "", message, cure, Origin("config", str(folder)))])
        return 1
    return 0
