"""The presets, scripts and profiles that loco ships, by version, read once.

The newest version stands in ``presets/``; each older one, frozen, in ``presets/versions/<version>/`` with the same
layout. docs/presets.md says what a version pins and how a new one is made.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from pydantic import Field

from loco.model import Origin
from loco.spec.presets import Script
from loco.spec.service import Spec
from loco.spec.stack import ProfileName
from loco.spec.tree import Branch, Node, at, plain
from loco.spec.yaml_reader import read_yaml

NEWEST = "1"
# Every preset that loco ships or has shipped, by the name that KServe knows it by without the prefix kserve-.
PRESETS = (
    "config-llm-scheduler",
    "config-llm-tokenizer",
    "config-llm-scheduler-latency-predictor",
    "config-llm-router-route",
    "config-llm-router-route-ten-rules",
    "config-llm-tracing",
    "config-llm-template",
    "config-llm-worker-data-parallel",
    "config-llm-worker-pipeline-parallel",
    "config-llm-prefill-template",
    "config-llm-prefill-worker-data-parallel",
    "config-llm-prefill-worker-pipeline-parallel",
    "config-llm-decode-template",
    "config-llm-decode-worker-data-parallel",
    "config-llm-decode-worker-pipeline-parallel",
)


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
    sidecar_pool_group: str = Field(description="older, or inUse: where the routing sidecar looks for its pool.")
    picker_events: str = Field(description="forbidden, or allowed: the endpoint picker may write events.")
    picker_version: str = Field(description="annotation, or imageTag: what tells the release of a picker's own image.")
    empty_arguments: str = Field(description="kept, or dropped, of the endpoint picker's and the sidecar's command.")
    decode_service: str = Field(description="none, or withPrefill: decode pods have a Service of their own.")
    unused_rights: str = Field(description="kept, or leftOut: those of one node, where decode runs on several.")
    disruption_budget: str = Field(
        description="none, or maxUnavailable1: a drain takes one pod of a workload at a time."
    )
    network_policy: str = Field(description="none, or namedPeers: pods take calls from those alone that are named.")
    default_gateway: DefaultGateway | None = Field(None, description="For routes, where the platform names none.")
    storage_initializer_image: str
    storage_initializer_resources: dict[str, dict[str, str]]
    download_environment: str = Field(description="own, or engines: variables that a download takes over from it.")
    oci_mode: str = Field(description="modelcar, or native: how an image of oci:// gives its files to an engine.")
    modelcar_resources: dict[str, str] = Field(description="Both requests and limits.")
    modelcar_user: int | None = Field(None, description="Runs the engine and the model's image, which must be one.")
    model_images: str = Field(description="asWritten, or pinned: a warning for one that may change under its name.")
    kv_cache_memory: str = Field(description="asWritten, or fitted: /dev/shm and memory hold the KV cache's CPU tier.")
    shared_memory: str = Field(description="asWritten, or perProcess: /dev/shm grows with the engine's processes.")
    start_up: str = Field(description="asWritten, or byModelSize: the start-up probe's budget grows with the weights.")
    variant_metric: str = Field(
        description="value, or averageValue: how an HPA reads the count of replicas it is told."
    )
    prefill_names: str = Field(description="plain, or all: what names prefill engines on a single node serve.")
    nixl: str = Field(description="asWritten, or forGPUs: prefill engines hand their KV cache to decode by NIXL.")
    root_images: tuple[str, ...] = ()
    root_image_user: int | None = None

    model_config = Spec.model_config | {"strict": False}  # a tuple stands in YAML as a list


@dataclass(frozen=True, slots=True)
class Profile:
    """loco's own defaults: a lowest layer and the switches.

    Attributes:
        amendments: by the name of a shipped preset, what is laid right over it.
    """

    name: ProfileName
    spec: Node
    settings: Settings
    amendments: Mapping[str, Node]


def _presets_folder() -> Path:
    """presets/ beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "presets"
    return inside if inside.is_dir() else package.parent / "presets"


ROOT = _presets_folder()


def versions() -> tuple[str, ...]:
    """Every version that can be pinned, the newest last."""
    return (*_frozen(ROOT), NEWEST)


def preset_names(version: str) -> tuple[str, ...]:
    """The presets of a version."""
    return _names(ROOT, _folder(version))


def preset(name: str, version: str) -> Node:
    """The spec of a shipped preset. KeyError for a name that the version doesn't have."""
    if name not in preset_names(version):
        raise KeyError(name)
    return _part(_shipped(ROOT, f"{_folder(version)}{name}.yaml", f"preset:{name}"), "spec")


def profile(name: ProfileName, version: str) -> Profile:
    """A shipped profile."""
    return _profile(ROOT, _folder(version), name)


def scripts(version: str) -> Mapping[str, Script]:
    """The scripts that presets include, by file name."""
    return _scripts(ROOT, f"{_folder(version)}scripts")


def _folder(version: str) -> str:
    """Where a version stands below ``presets/``. KeyError for one that isn't there."""
    if version not in versions():
        raise KeyError(version)
    return "" if version == NEWEST else f"versions/{version}/"


@cache
def _frozen(root: Path) -> tuple[str, ...]:
    found = [path.name for path in (root / "versions").glob("*") if path.is_dir()]
    return tuple(sorted(found, key=lambda name: (len(name), name)))


@cache
def _names(root: Path, folder: str) -> tuple[str, ...]:
    return tuple(name for name in PRESETS if (root / folder / f"{name}.yaml").is_file())


@cache
def _profile(root: Path, folder: str, name: ProfileName) -> Profile:
    document = _shipped(root, f"{folder}profiles/{name}.yaml", f"profile:{name}")
    settings = Settings.model_validate(plain(_part(document, "settings")))
    amendments = _part(document, "presets")
    assert isinstance(amendments, Branch)
    return Profile(name, _part(document, "spec"), settings, amendments.items)


@cache
def _scripts(root: Path, folder: str) -> Mapping[str, Script]:
    files = sorted((root / folder).glob("*.sh"))
    found = {file.name: Script(file.read_text(encoding="utf-8"), f"presets/{folder}/{file.name}") for file in files}
    return MappingProxyType(found)


@cache
def _shipped(root: Path, name: str, layer: str) -> Node:
    text = (root / name).read_text(encoding="utf-8")
    trees, findings = read_yaml(text, f"presets/{name}", layer)
    if findings or len(trees) != 1:
        raise ValueError(f"presets/{name} is damaged: {[str(finding) for finding in findings]}")
    return trees[0]


def _part(document: Node, key: str) -> Node:
    part = at(document, (key,))
    return part if part is not None else Branch({}, Origin("loco"))
