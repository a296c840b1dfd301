"""The stack config of one environment, and the StackSpec that reading makes of it and its documents."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from loco.model import Finding, Origin
from loco.spec.credential_source import CredentialSource
from loco.spec.document import NAMESPACE_RULE, Document, is_namespace
from loco.spec.service import Spec
from loco.spec.texts import HTTPURL, ObjectName, SecretKeyName
from loco.spec.tree import Branch


def _dns_label(value: str) -> str:
    if not is_namespace(value):
        raise ValueError(NAMESPACE_RULE)
    return value


DNSLabel = Annotated[str, AfterValidator(_dns_label)]
ProfileName = Literal["safe", "kserve"]


class Cluster(Spec):
    """Which cluster the stack lives on."""

    context: str | None = Field(None, description="Context of the kubeconfig; never the current one by accident.")
    kubeconfig: str | None = Field(None, description="Path of the kubeconfig; by default KUBECONFIG or ~/.kube/config.")
    identifier: str | None = Field(None, description="Names the cluster for good, whatever its context is called.")
    create_namespaces: bool = Field(False, description="Make the namespaces of the documents too.")


class GatewayFact(Spec):
    """The platform's shared Gateway."""

    name: ObjectName | None = None
    namespace: DNSLabel | None = None
    url: HTTPURL | None = None
    internal_url: HTTPURL | None = Field(None, alias="internalURL")
    peers: list[dict[str, Any]] | None = None

    @model_validator(mode="after")
    def _named(self) -> "GatewayFact":
        if self.namespace is not None and self.name is None:
            raise ValueError("a namespace goes with the name of the Gateway in it")
        return self


class Platform(Spec):
    """What the platform team provides."""

    gateway: GatewayFact | None = None
    tls: bool = Field(False, description="Serve HTTPS between gateway, picker and engines.")
    spare_gpus: Annotated[int, Field(ge=0)] = Field(
        0, description="GPUs that a rolling update may take beside those in use."
    )
    registries: dict[str, str] | None = Field(None, description="Mirrors, by registry host.")
    from_: str | None = Field(
        None, alias="from", description="organization/project/stack whose outputs fill these values."
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
    cluster: Cluster = Cluster()
    platform: Platform = Platform()
    defaults: dict[str, Any] = Field(default_factory=dict, description="By kind, under every document of it.")
    overrides: dict[str, Any] = Field(default_factory=dict, description="By Kind/name, over that document.")
    credentials: dict[ObjectName, dict[SecretKeyName, CredentialSource]] = Field(
        default_factory=dict, description="By Secret and key, where its value comes from."
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


@dataclass(frozen=True, slots=True)
class StackSpec:
    """What the planner plans: plain data, all of it from files and config.

    Attributes:
        name: the stack's name, such as ``dev``; None for bare files, which are rendered and never applied.
        config: the validated stack config; its defaults where it could not be read.
        config_tree: the same with origins.
        documents: those that passed their own checks, by kind, namespace and name.
        defaults: by kind, a tree with ``spec`` and ``metadata`` like a document's.
        overrides: in config order.
        findings: everything that reading found.
        brings_provider: whether a program hands over a provider of its own, which knows the cluster.
        secrets: names of the stack config's secrets; never a value.
        complete: whether every document could be read; if not, a name that isn't found may be among the others.
    """

    name: str | None
    config: StackConfig
    config_tree: Branch
    documents: tuple[Document, ...]
    defaults: dict[str, Branch] = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()
    findings: tuple[Finding, ...] = ()
    secrets: frozenset[str] = frozenset()
    brings_provider: bool = False
    complete: bool = True

    @property
    def deletion_protection(self) -> bool:
        chosen = self.config.deletion_protection
        return self.name != "dev" if chosen is None else chosen


CONFIG = Origin("config")
