"""What a command plans: the files that it is given, or a stack of the project that it stands in."""

import argparse
import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from loco import names
from loco.model import Finding, Origin, Refused, errors_of
from loco.spec import Platform, StackSpec, read_files, read_stack
from loco.spec.files import read_text
from loco.spec.stack import StackConfig
from loco.spec.tree import Branch, Leaf, Node, Row, at, plain
from loco.spec.validate import check_model
from loco.spec.yaml_reader import read_yaml

_PROVIDERS = ("pulumi", "kubernetes")  # which have keys such as namespace, too


def declare_source(parser: argparse.ArgumentParser) -> None:
    """The arguments that say what to plan."""
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="model files; without any, the project's stack"
    )
    parser.add_argument(
        "--stack", metavar="NAME", help="with no FILE: plan the stack of Pulumi.NAME.yaml (default: dev)"
    )
    parser.add_argument("--namespace", metavar="NS", help="namespace of documents that name none")
    parser.add_argument("--profile", choices=("safe", "kserve"), help="loco's own defaults (default: safe)")
    parser.add_argument("--tls", action="store_true", help="serve HTTPS between gateway and engines")
    parser.add_argument("--platform", type=Path, metavar="FILE", help="YAML file with the platform's values")


def read_source(options: argparse.Namespace, parser: argparse.ArgumentParser) -> StackSpec:
    """The stack that the arguments name. Ends the process with status 2 where they contradict each other."""
    if not options.files:
        if options.profile or options.tls or options.platform or options.namespace:
            parser.error("--namespace, --profile, --tls and --platform go with FILE; a stack has them in its config")
        return read_project(options.stack or "dev", parser)
    if options.stack:
        parser.error("give FILE or --stack, not both")
    known = _stacks()
    for file in options.files:
        if str(file) in known and not _is_there(file):
            parser.error(f"there is no file {file}; for the stack: --stack {file}")
    if Path("-") in options.files:
        parser.error("- is no FILE; for standard input give /dev/stdin")
    config: dict[str, Any] = {"profile": options.profile or "safe"}
    platform, findings = _read_platform(options.platform) if options.platform else ({}, [])
    if options.tls:
        platform["tls"] = True
    if platform:
        config["platform"] = platform
    stack = read_files(options.files, options.namespace, config)
    return replace(stack, findings=(*findings, *stack.findings))


def project_folder() -> Path | None:
    """The folder with Pulumi.yaml, this one or the nearest above."""
    folders = (Path.cwd(), *Path.cwd().parents)
    return next((folder for folder in folders if os.path.isfile(folder / "Pulumi.yaml")), None)


def refuse_name_for_file(words: Sequence[str], ends: tuple[str, ...], parser: argparse.ArgumentParser) -> None:
    """Ends the process where the first word, a FILE, is none, and the name of a stack's document may be meant."""
    if words[0] == "-" or words[0].endswith(ends) or _is_there(words[0]):
        return
    known = _stacks()
    stack = "dev" if "dev" in known or not known else known[0]
    meant = " ".join(shlex.quote(word) for word in words)
    parser.error(f"there is no file {words[0]}; for a document of a stack: {parser.prog} --stack {stack} {meant}")


def _is_there(file: str | Path) -> bool:
    return os.path.exists(file) and not os.path.isdir(file)


def _stacks() -> list[str]:
    root = project_folder()
    files = sorted(root.glob("Pulumi.?*.yaml")) if root is not None else []
    return [file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in files]


def _read_platform(path: Path) -> tuple[dict[str, Any], list[Finding]]:
    """The platform's values; none where there are findings, so that what follows from them isn't said twice."""
    tree, findings = _one_document(path, str(path))
    if tree is not None:
        findings += check_model(tree, Platform, path=("platform",), directives=False)
    values = {} if tree is None or findings else plain(tree)
    assert isinstance(values, dict)
    return values, findings


def read_project(stack: str, parser: argparse.ArgumentParser, option: str = "--stack NAME, ") -> StackSpec:
    """A stack of the project that the command stands in. Ends the process with status 2 outside of projects.

    Args:
        option: how the command is told of another stack; empty where that is an argument.

    Raises:
        Refused: there is no such stack, or its file can't be read.
    """
    root = project_folder()
    if root is None:
        parser.error("there is no Pulumi.yaml here or above; give model files, or go to the project's folder")
    return read_project_at(root, stack, option)


def read_project_at(root: Path, stack: str, option: str = "--stack NAME, ") -> StackSpec:
    """A stack of the project in a folder.

    Raises:
        Refused: there is no such stack, or its file can't be read.
    """
    project_tree, findings = _one_document(root / "Pulumi.yaml", "Pulumi.yaml")
    project = _project_of(project_tree)
    config_file = root / f"Pulumi.{stack}.yaml"
    if not os.path.isfile(config_file):
        findings.append(_no_stack(stack, root, option))
        raise Refused(findings)
    tree, reading = _one_document(config_file, config_file.name)
    if errors_of(findings + reading):
        raise Refused(findings + reading)
    values, secrets = _config_of(tree, project)
    below = {key: value for key, value in _project_config(project_tree, project).items() if key not in secrets}
    spec = read_stack(root, {**below, **values}, stack=stack, config_file=config_file, project=project, secrets=secrets)
    return replace(spec, findings=(*_passed_over(tree, project), *spec.findings))


def maker_of(stack: StackSpec) -> str | None:
    """How an object on a cluster says that this stack of the project has made it; None for bare files."""
    root = project_folder()
    if stack.name is None or root is None:
        return None
    return names.made_by(_project_of(_one_document(root / "Pulumi.yaml", "Pulumi.yaml")[0]), stack.name)


def _project_of(tree: Node | None) -> str:
    name = at(tree, ("name",))
    return name.value if isinstance(name, Leaf) and isinstance(name.value, str) else "loco"


def _no_stack(stack: str, root: Path, option: str) -> Finding:
    known = _stacks()
    message = f"there is no stack {stack}: {root.name} has no Pulumi.{stack}.yaml"
    cure = f"{option}one of {', '.join(known)}" if known else f"pulumi stack init {stack}"
    return Finding("LOCO-FILE", "error", "", message, cure, Origin("config", f"Pulumi.{stack}.yaml"), value=stack)


def _project_config(tree: Node | None, project: str) -> dict[str, Any]:
    """What Pulumi.yaml has for every stack of the project; a stack's own value of a key takes its place as a whole."""
    config = at(tree, ("config",))
    if not isinstance(config, Branch):
        return {}
    found: dict[str, Any] = {}
    for key, node in config.items.items():
        if ":" in key and not key.startswith(f"{project}:"):
            continue
        declared = isinstance(node, Branch) and node.items.keys() & {
            "value",
            "default",
            "type",
            "description",
            "secret",
        }
        given = [at(node, (word,)) for word in ("default", "value")] if declared else [node]
        found |= {key.removeprefix(f"{project}:"): plain(one) for one in given if one is not None}
    return found


def _config_of(tree: Node | None, project: str) -> tuple[dict[str, Any], set[str]]:
    """The project's own keys of a stack's file: plain values, and the names of those that hold a secret."""
    config = at(tree, ("config",)) if tree is not None else None
    if not isinstance(config, Branch):
        return {}, set()
    prefix = f"{project}:"
    own = {
        key.removeprefix(prefix): value
        for key, value in config.items.items()
        if key.startswith(prefix) or ":" not in key
    }
    secret = {key for key, value in own.items() if _holds_secret(value)}
    return {key: plain(value) for key, value in own.items() if key not in secret}, secret


def _passed_over(tree: Node | None, project: str) -> list[Finding]:
    """A config that is no mapping, and one whose keys all have the prefix of a project of another name."""
    config = at(tree, ("config",))
    if (
        isinstance(tree, (Leaf, Row))
        or isinstance(config, Row)
        or (isinstance(config, Leaf) and config.value is not None)
    ):
        node, path = (tree, "") if isinstance(tree, (Leaf, Row)) else (config, "config")
        assert node is not None
        cure = f"config: {{{project}:KEY: VALUE}}"
        return [Finding("LOCO-TYPE", "error", path, "this should be a mapping", cure, node.origin, value=plain(node))]
    keys = [(key.partition(":"), node) for key, node in (config.items.items() if isinstance(config, Branch) else ())]
    if any(not colon or prefix == project for (prefix, colon, _), _ in keys):
        return []
    settings = {field.alias or name for name, field in StackConfig.model_fields.items()}
    message = f"the project is called {project}, so keys of another prefix are none of its settings"
    others = {
        prefix: node for (prefix, _, name), node in reversed(keys) if name in settings and prefix not in _PROVIDERS
    }
    return [
        Finding("LOCO-NO-EFFECT", "warning", "config", message, f"{project}:KEY", node.origin, value=f"{prefix}:")
        for prefix, node in sorted(others.items())
    ]


def _holds_secret(node: Node) -> bool:
    if isinstance(node, Branch):
        return set(node.items) == {"secure"} or any(_holds_secret(item) for item in node.items.values())
    return isinstance(node, Row) and any(_holds_secret(item) for item in node.items)


def _one_document(path: Path, shown: str) -> tuple[Node | None, list[Finding]]:
    text, findings = read_text(path, shown, "config")
    if text is None:
        return None, findings
    trees, findings = read_yaml(text, shown, "config")
    return (trees[0] if trees else None), findings
