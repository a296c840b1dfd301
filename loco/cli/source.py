"""What a command plans: the files that it is given, or a stack of the project that it stands in."""

import argparse
from pathlib import Path
from typing import Any

from loco.model import Finding, Origin, Refused, errors_of
from loco.spec import Platform, StackSpec, read_files, read_stack
from loco.spec.tree import Branch, Node, at, plain
from loco.spec.validate import check_model
from loco.spec.yaml_reader import read_yaml


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
        return _read_project(options.stack or "dev", parser)
    if options.stack:
        parser.error("give FILE or --stack, not both")
    config: dict[str, Any] = {"profile": options.profile or "safe"}
    platform = _read_platform(options.platform) if options.platform else {}
    if options.tls:
        platform["tls"] = True
    if platform:
        config["platform"] = platform
    return read_files(options.files, options.namespace, config)


def _read_platform(path: Path) -> dict[str, Any]:
    tree, findings = _one_document(path, "config")
    findings += check_model(tree, Platform, path=("platform",)) if tree is not None else []
    if errors_of(findings):
        raise Refused(findings)
    values = plain(tree) if tree is not None else {}
    assert isinstance(values, dict)
    return values


def _read_project(stack: str, parser: argparse.ArgumentParser) -> StackSpec:
    root = next((folder for folder in (Path.cwd(), *Path.cwd().parents) if (folder / "Pulumi.yaml").is_file()), None)
    if root is None:
        parser.error("there is no Pulumi.yaml here or above; give model files, or go to the project's folder")
    project_tree, findings = _one_document(root / "Pulumi.yaml", "config")
    name = plain(node) if project_tree is not None and (node := at(project_tree, ("name",))) is not None else "loco"
    config_file = root / f"Pulumi.{stack}.yaml"
    tree, reading = _one_document(config_file, "config")
    findings += reading
    if errors_of(findings):
        raise Refused(findings)
    return read_stack(root, _config_of(tree, str(name)), stack=stack, config_file=config_file, project=str(name))


def _config_of(tree: Node | None, project: str) -> dict[str, Any]:
    """The project's own keys of a stack's file. Secrets stay what they are there: an encrypted mapping."""
    config = at(tree, ("config",)) if tree is not None else None
    if not isinstance(config, Branch):
        return {}
    prefix = f"{project}:"
    return {
        key.removeprefix(prefix): plain(value)
        for key, value in config.items.items()
        if key.startswith(prefix) or ":" not in key
    }


def _one_document(path: Path, layer: str) -> tuple[Node | None, list[Finding]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it isn't UTF-8"
        message = f"{path.name} can't be read: {reason}"
        return None, [
            Finding("LOCO-FILE", "error", "", message, "the path of a readable file", Origin(layer, path.name))
        ]
    trees, findings = read_yaml(text, path.name, layer)
    return (trees[0] if trees else None), findings
