"""The presets and profiles that loco ships, read once."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import Field

from loco.model import Origin
from loco.spec.service import Spec
from loco.spec.stack import ProfileName
from loco.spec.tree import Branch, Node, at, plain
from loco.spec.yaml_reader import read_yaml

PRESETS = ("config-llm-scheduler", "config-llm-router-route", "config-llm-template")


class DefaultGateway(Spec):
    """The Gateway that a route is bound to where nobody names another."""

    name: str
    namespace: str


class Settings(Spec):
    """The switches of a profile: what rooms do beside what layers say."""

    certificates: str = Field(description="always, or whenTLS.")
    pod_security: str = Field(description="asWritten, or restricted.")
    rollout: str = Field(description="asWritten, or spareCapacity.")
    progress_deadline: str = Field(description="asWritten, or startUpBudget.")
    selector: str = Field(description="allLabels, or ownKeys: what a Deployment finds its pods by.")
    picker_events: str = Field(description="forbidden, or allowed: the endpoint picker may write events.")
    empty_arguments: str = Field(description="kept, or dropped, of the endpoint picker's command.")
    default_gateway: DefaultGateway | None = Field(None, description="For routes, where the platform names none.")
    storage_initializer_image: str
    root_images: tuple[str, ...] = ()
    root_image_user: int | None = None

    model_config = Spec.model_config | {"strict": False}  # a tuple stands in YAML as a list


@dataclass(frozen=True, slots=True)
class Profile:
    """loco's own defaults: a lowest layer and the switches."""

    name: ProfileName
    spec: Node
    settings: Settings


@cache
def preset(name: str) -> Node:
    """The spec of a shipped preset. KeyError for a name that isn't in PRESETS."""
    if name not in PRESETS:
        raise KeyError(name)
    return _part(_shipped(f"{name}.yaml", f"preset:{name}"), "spec")


@cache
def profile(name: ProfileName) -> Profile:
    """A shipped profile."""
    document = _shipped(f"profiles/{name}.yaml", f"profile:{name}")
    return Profile(name, _part(document, "spec"), Settings.model_validate(plain(_part(document, "settings"))))


@cache
def scripts() -> dict[str, str]:
    """The scripts that presets include, by file name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((_folder() / "scripts").glob("*.sh"))}


@cache
def _folder() -> Path:
    """presets/ beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "presets"
    return inside if inside.is_dir() else package.parent / "presets"


def _shipped(name: str, layer: str) -> Node:
    text = (_folder() / name).read_text(encoding="utf-8")
    trees, findings = read_yaml(text, f"presets/{name}", layer)
    if findings or len(trees) != 1:
        raise ValueError(f"presets/{name} is damaged: {[str(finding) for finding in findings]}")
    return trees[0]


def _part(document: Node, key: str) -> Node:
    part = at(document, (key,))
    return part if part is not None else Branch({}, Origin("loco"))
