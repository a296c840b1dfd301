"""The project that a folder has already, to which files are added."""

from pathlib import Path

from loco.model import Finding, errors_of
from loco.spec.files import read_text
from loco.spec.tree import Leaf, Node, at
from loco.spec.yaml_reader import read_yaml

PROJECT = "Pulumi.yaml"


def project_there(folder: Path) -> tuple[str | None, list[Finding]]:
    """The name of the folder's project, under which the engine reads its stacks' config.

    Returns:
        None and findings where it can't be told, or where its program isn't Python, since loco's is.
    """
    text, findings = read_text(folder / PROJECT, PROJECT, "config")
    trees: list[Node] = []
    if text is not None:
        trees, findings = read_yaml(text, PROJECT, "config")
    if errors_of(findings):
        return None, findings
    tree = trees[0] if trees else None
    name = at(tree, ("name",))
    if not isinstance(name, Leaf) or not isinstance(name.value, str):
        message, cure = "the project that is there has no name", "name: NAME, the project's"
        return None, [Finding("LOCO-TYPE", "error", "name", message, cure, tree.origin if tree else None, PROJECT)]
    runtime = at(tree, ("runtime",))
    language = runtime if isinstance(runtime, Leaf) else at(runtime, ("name",))
    if not isinstance(language, Leaf) or language.value != "python":
        message = "the project that is there isn't a program in Python, and the program that is written here is"
        cure = "another FOLDER; a program in another language takes loco as a package"
        found = None if language is None else getattr(language, "value", None)
        return None, [Finding("LOCO-UNSUPPORTED", "error", "runtime", message, cure, name.origin, PROJECT, found)]
    return name.value, []
