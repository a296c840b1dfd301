"""The stack config of one environment, and the StackSpec that reading makes of it and its documents."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, GetJsonSchemaHandler, WithJsonSchema, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from loco.model import Finding, Origin
from loco.spec.base import NotNegative
from loco.spec.credential_source import CredentialSource
from loco.spec.document import BASE_CONFIG, Document
from loco.spec.models_from import NO_OTHER_MODELS, ModelsFrom, OtherModels
from loco.spec.monitoring import Monitoring
from loco.spec.observability import ObservabilitySwitch
from loco.spec.peer import Peer
from loco.spec.platform_gateway import GatewayFact, OtherGateway, Routes
from loco.spec.presets import NO_PRESETS, OwnPresets
from loco.spec.service import Spec
from loco.spec.stack_name import StackName
from loco.spec.texts import DNSLabel, ObjectName, SecretKeyName
from loco.spec.tree import Branch

ProfileName = Literal["safe", "kserve"]
PoolAPI = Literal["v1", "v1alpha2"]


class Cluster(Spec):
    """Which cluster the stack lives on."""

    context: str | None = Field(None, description="Context of the kubeconfig; never the current one by accident.")
    kubeconfig: str | None = Field(None, description="Path of the kubeconfig; by default KUBECONFIG or ~/.kube/config.")
    identifier: str | None = Field(None, description="Names the cluster for good, whatever its context is called.")
    create_namespaces: bool = Field(False, description="Make the namespaces of the documents too.")


class CABundle(Spec):
    """A ConfigMap of certificate authorities in the namespace of each service, under the key cabundle.crt."""

    config_map: ObjectName | None = None
    mount_path: Annotated[str, Field(pattern=r"^/[^:]+$")] = Field(
        "/etc/ssl/custom-certs", description="Where the download sees it."
    )

    @model_validator(mode="after")
    def _named(self) -> "CABundle":
        if self.config_map is None:
            raise ValueError("configMap: NAME, of the ConfigMap that holds them")
        return self


class Platform(Spec):
    """What the platform team provides."""

    gateway: GatewayFact | None = None
    gateways: list[OtherGateway] | None = Field(None, description="Others, which services name in gateway.refs.")
    routes: Routes = Routes()
    monitoring: Monitoring | None = None
    clients: list[Peer] | None = Field(None, description="Who calls engines directly, past every gateway.")
    tls: bool = Field(False, description="Serve HTTPS between gateway, picker and engines.")
    inference_pool_api: PoolAPI = Field(
        "v1", alias="inferencePoolAPI", description="Which InferencePool the Gateway knows; v1alpha2 is the older one."
    )
    spare_gpus: NotNegative = Field(0, description="GPUs that a rolling update may take beside those in use.")
    registries: dict[str, str] | None = Field(None, description="Mirrors, by registry host.")
    image_pull_secrets: list[ObjectName] | None = Field(
        None, description="Secrets that every pod of the stack pulls its images with, beside its own."
    )
    ca_bundle: CABundle | None = Field(None, description="Certificate authorities that downloads of models trust.")
    from_: StackName | None = Field(
        None, alias="from", description="organization/project/stack whose outputs fill these values."
    )

    @property
    def proxies(self) -> tuple[Peer, ...]:
        """Who calls for the shared Gateway, as far as that is known."""
        return tuple((self.gateway.peers if self.gateway is not None else None) or ())

    @property
    def scrapers(self) -> tuple[Peer, ...]:
        """Who collects metrics, as far as that is known."""
        return tuple((self.monitoring.peers if self.monitoring is not None else None) or ())


def _as_text(value: Any) -> Any:
    """Versions are whole numbers, and the engine makes a number of one that is set on the command line."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Presets(Spec):
    """Which presets shape the pods: a version of those that loco ships, and a folder of one's own."""

    version: Annotated[str, BeforeValidator(_as_text)] | None = Field(
        None, description="Pins presets, start scripts and profiles; by default the newest."
    )
    folder: str | None = Field(
        None,
        description="Presets of one's own, by name beside or in place of loco's; relative to Pulumi.yaml's folder.",
    )

    @model_validator(mode="before")
    @classmethod
    def _version_alone(cls, value: Any) -> Any:
        text = _as_text(value)
        return {"version": text} if isinstance(text, str) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        version = {"type": ["string", "integer"]}
        mapping = handler.resolve_ref_schema(handler(schema))
        description = mapping.pop("description")
        properties = {**mapping["properties"], "version": {**mapping["properties"]["version"], **version}}
        properties["version"].pop("anyOf", None)
        return {"description": description, "anyOf": [version, {**mapping, "properties": properties}]}


def _edition(value: str) -> str:
    if not value or not value.isprintable() or value != value.strip():
        raise ValueError("a text of one line that says when or why, such as 2026-12")
    return value


Edition = Annotated[
    str,
    BeforeValidator(_as_text),
    AfterValidator(_edition),
    WithJsonSchema({"type": ["string", "integer"]}),
]


class Rotation(Spec):
    """What is made anew in the update in which its text changes. The texts themselves mean nothing."""

    certificates: Edition | None = Field(None, description="All serving certificates and their authorities.")
    master_keys: Edition | None = Field(None, description="The master keys that the stack makes for its gateways.")
    salt_keys: Edition | None = Field(
        None, description="The same for salt keys; what LiteLLM has in a database can't be read any more."
    )


class StackConfig(Spec):
    """Everything that stands under the project's namespace of Pulumi.<stack>.yaml."""

    files: list[str] = Field(
        default_factory=lambda: ["models/*.yaml"], description="Globs, relative to Pulumi.yaml's folder."
    )
    namespace: DNSLabel | None = Field(None, description="For documents without metadata.namespace.")
    profile: ProfileName = Field(
        "safe", description="loco's own defaults: safe, or kserve for the reference's behaviour."
    )
    presets: Presets = Field(
        Presets(), description="A version that pins what shapes pods, or {version, folder}; see docs/presets.md."
    )
    cluster: Cluster = Cluster()
    platform: Platform = Platform()
    models_from: list[ModelsFrom] = Field(
        default_factory=list, description="Stacks whose models the LiteLLM gateways of this one serve too."
    )
    defaults: dict[str, Any] = Field(default_factory=dict, description="By kind, under every document of it.")
    overrides: dict[str, Any] = Field(default_factory=dict, description="By Kind/name, over that document.")
    credentials: dict[ObjectName, dict[SecretKeyName, CredentialSource]] = Field(
        default_factory=dict, description="By Secret and key, where its value comes from."
    )
    rotation: Rotation = Rotation()
    observability: ObservabilitySwitch | None = Field(
        None, description="enabled: true has the document observability-<stack> say what is watched."
    )
    deletion_protection: bool | None = Field(None, description="Default: on, except in the stack dev.")


@dataclass(frozen=True, slots=True)
class Override:
    """One entry of ``overrides``."""

    kind: str
    namespace: str | None
    name: str
    tree: Branch
    enabled: bool = True


@dataclass(frozen=True)
class StackSpec:
    """What the planner plans: plain data, all of it from files and config.

    Attributes:
        name: the stack's name, such as ``dev``; None for bare files, which are rendered and never applied.
        config: the validated stack config; its defaults where it could not be read.
        config_tree: the same with origins.
        documents: those that passed their own checks, by kind, namespace and name.
        defaults: by kind, a tree with ``spec`` and ``metadata`` like a document's.
        overrides: in config order.
        own_presets: those of the folder that the config names.
        findings: everything that reading found.
        brings_provider: whether a program hands over a provider of its own, which knows the cluster.
        secrets: names of the stack config's secrets; never a value.
        secret_origins: where the stack's file has them, as far as it does.
        complete: whether every document could be read; if not, a name that isn't found may be among the others.
        other_models: those of the stacks that the config names under ``modelsFrom``.
    """

    name: str | None
    config: StackConfig
    config_tree: Branch
    documents: tuple[Document, ...]
    defaults: dict[str, Branch] = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()
    own_presets: OwnPresets = NO_PRESETS
    findings: tuple[Finding, ...] = ()
    secrets: frozenset[str] = frozenset()
    secret_origins: Mapping[str, Origin] = field(default_factory=dict)
    brings_provider: bool = False
    complete: bool = True
    other_models: OtherModels = NO_OTHER_MODELS

    @cached_property
    def base_configs(self) -> Mapping[str, Mapping[str, Document]]:
        """The base configs by namespace and name."""
        found: dict[str, dict[str, Document]] = {}
        for document in self.documents:
            if document.kind == BASE_CONFIG:
                found.setdefault(document.namespace, {})[document.name] = document
        return found

    @property
    def deletion_protection(self) -> bool:
        chosen = self.config.deletion_protection
        return self.name != "dev" if chosen is None else chosen


CONFIG = Origin("config")
