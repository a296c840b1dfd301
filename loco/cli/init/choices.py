"""What a new project is called and where it runs, checked."""

import re
from dataclasses import dataclass

from loco.spec.texts import NAMESPACE_RULE, is_namespace

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)
_RULE = "at most 100 letters, digits, dashes, dots and underscores, with a letter, a digit or an underscore first"
# Their prefix in Pulumi.<stack>.yaml is taken: the engine and the Kubernetes provider would read the project's keys.
_TAKEN = ("pulumi", "kubernetes")
NO_CONTEXT = "your-context"
NO_CLUSTER = "your-cluster"


@dataclass(frozen=True, slots=True)
class Choices:
    """A project's names.

    Attributes:
        name: of the Pulumi project; the prefix of its keys in Pulumi.<stack>.yaml.
        context: of the kubeconfig; None where the user is to name it later.
        requirement: the line of requirements.txt that names loco.
    """

    name: str
    stack: str
    namespace: str
    context: str | None
    identifier: str | None
    requirement: str

    def faults(self) -> list[str]:
        """What can't be, each with the rule; empty where all is well."""
        found = []
        if not _NAME.fullmatch(self.name):
            found.append(f"{self.name!r} is no name of a project: {_RULE}; --name {_mended(self.name)}")
        if self.name in _TAKEN:
            found.append(f"a project can't be called {self.name}: its config keys would be another's; --name OTHER")
        if not _NAME.fullmatch(self.stack):
            found.append(f"{self.stack!r} is no name of a stack: {_RULE}; --stack {_mended(self.stack)}")
        if not is_namespace(self.namespace):
            found.append(f"{self.namespace!r} is no namespace: {NAMESPACE_RULE}")
        for option, text in (("context", self.context), ("identifier", self.identifier)):
            if text is not None and not (text.strip() == text != "" and text.isprintable()):
                found.append(f"--{option} is a text of one line, and is {text!r}")
        if not self.requirement.isprintable() or not self.requirement.strip():
            found.append(f"--requirement is one line of a requirements file, and is {self.requirement!r}")
        return found


def _mended(name: str) -> str:
    """The allowed name that is nearest to a refused one."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:100] or "serving"
