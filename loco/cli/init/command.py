"""``loco init``: arguments in, a project's folder out."""

import argparse
import os
import shlex
from pathlib import Path

from loco.cli.findings import show
from loco.cli.init.choices import Choices
from loco.cli.init.existing import PROJECT, project_there
from loco.cli.init.project import project_files
from loco.cli.init.requirement import Requirement, own_requirement
from loco.cli.init.workflow import workflow_text
from loco.cli.init.writing import blocked, place, taken
from loco.layers.catalog import NEWEST
from loco.model import Finding, Origin

_OTHER_PROJECTS = ("Pulumi.yml", "Pulumi.json")  # which the engine takes for the project's file too


def declare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "init",
        help="write a new project: a model, a gateway, a stack, a workflow for pull requests",
        description="Writes a project that passes `loco check` as it stands. Asks nothing, and writes over nothing: "
        "where one of its files is there already, it says which, writes none, and ends with status 1.",
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="FOLDER", help="default: this one")
    parser.add_argument("--name", help="of the Pulumi project (default: the folder's)")
    parser.add_argument("--stack", default="dev", metavar="NAME", help="its first stack (default: dev)")
    parser.add_argument("--namespace", default="llm", metavar="NS", help="where models run (default: llm)")
    parser.add_argument("--context", metavar="NAME", help="context of the kubeconfig; may be named later")
    parser.add_argument("--identifier", metavar="NAME", help="names the cluster for good (default: the context)")
    parser.add_argument("--requirement", metavar="LINE", help="how pip gets loco (default: as this one was got)")
    parser.add_argument("--keep-existing", action="store_true", help="write the files that aren't there, and no other")
    parser.set_defaults(run=lambda options: _run(options, parser))


def _run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    folder: Path = options.folder.absolute()
    requirement = Requirement(options.requirement) if options.requirement is not None else own_requirement()
    name = options.name if options.name is not None else folder.resolve().name
    if options.keep_existing and os.path.isfile(folder / PROJECT):
        there, findings = project_there(folder)
        if there is None:
            show(findings)
            return 1
        if options.name not in (None, there):
            parser.error(f"the project that is there is called {there}, not {options.name}; leave --name out")
        name = there
    choices = Choices(name, options.stack, options.namespace, options.context, options.identifier, requirement.line)
    if faults := choices.faults():
        parser.error("; ".join(faults))
    files = project_files(choices, workflow_text(), NEWEST)
    found, no_folders = taken(folder, [*files, *_OTHER_PROJECTS]), blocked(folder, files)
    kept = [file for file in files if file in found] if options.keep_existing else []
    files = {file: text for file, text in files.items() if file not in kept}
    if wrong := [
        *(_in_the_way(file) for file in found if file not in kept),
        *(_no_folder(parent, file) for file, parent in no_folders.items()),
    ]:
        show(wrong)
        return 1
    try:
        place(folder, files)
    except OSError as error:
        message = f"{error.filename2 or error.filename or folder} can't be written: {error.strerror}; nothing was"
        cure = "the path of a folder that you may write"
        show([Finding("LOCO-FILE", "error", "", message, cure, Origin("config", str(folder)))])
        return 1
    print(*_said(options.folder, list(files), kept, choices, requirement.caution), sep="\n")
    return 0


def _in_the_way(file: str) -> Finding:
    cure = "another FOLDER, or --keep-existing to write only the files that aren't there"
    if file in _OTHER_PROJECTS:
        cure = f"another FOLDER; {file} is a project of Pulumi's own"
    return Finding("LOCO-FILE", "error", "", f"{file} is there already, and nothing was written", cure, None, file)


def _no_folder(parent: str, file: str) -> Finding:
    message = f"{parent} is there already and is no folder, so {file} can't be made, and nothing was written"
    return Finding("LOCO-FILE", "error", "", message, f"another FOLDER, or {parent} under another name", None, file)


def _said(folder: Path, files: list[str], kept: list[str], choices: Choices, caution: str) -> list[str]:
    """What was made, what is about that, and what comes next."""
    lines = [f"wrote {folder / file}" for file in files] + [f"kept {folder / file}" for file in kept]
    if (root := _repository_above(folder)) is not None and ".github/workflows/preview.yml" in files:
        inside = folder.absolute().relative_to(root)
        lines.append(
            f"note: GitHub reads workflows in {root}/.github/workflows only; move preview.yml there, with FOLDER: {inside}"
        )
    if caution and "requirements.txt" in files:
        lines.append(f"note: {caution}")
    if choices.context is None and (stack := f"Pulumi.{choices.stack}.yaml") in files:
        place = "the README" if "README.md" in files else stack
        lines.append(f"note: no cluster is named yet; {place} says how")
    shown = str(folder) if not str(folder).startswith("-") else f"./{folder}"  # cd takes a dash for an option
    go = [] if folder == Path() else [f"cd {shlex.quote(shown)} && "]
    return [*lines, "", f"next: {''.join(go)}loco check --stack {choices.stack}"]


def _repository_above(folder: Path) -> Path | None:
    """The root of the git repository of which the folder is a part; None where it is the root itself, or in none."""
    here = folder.absolute()
    if (here / ".git").exists():
        return None
    return next((parent for parent in here.parents if (parent / ".git").exists()), None)
