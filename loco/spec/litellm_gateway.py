"""LiteLLMGateway: one OpenAI-compatible endpoint over models of the stack and elsewhere (``locostack.com/v1alpha1``)."""

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from loco.spec.base import KubernetesObject, NotNegative, Spec, misplaced
from loco.spec.exposure import Exposure
from loco.spec.external_model import Mode, SecretKey
from loco.spec.gateway_network import Egress, GatewayService
from loco.spec.gateway_pod import PodAdditions, Probes, WholeSecret
from loco.spec.gateway_scaling import Autoscaling
from loco.spec.gateway_storage import Database, Redis
from loco.spec.model_settings import ModelSettings
from loco.spec.peer import Peer
from loco.spec.texts import Labels, ModelName, ObjectName, VariableName

Fallbacks = list[dict[str, list[str]]]


class ModelSelector(Spec):
    """Which documents it serves; an empty selector takes all of the stack."""

    match_labels: dict[str, str] = Field(default_factory=dict, description="Labels of the documents' metadata.")


class KeySource(Spec):
    """A key of the gateway's own: made once, or read from a Secret that is there."""

    generate: bool | None = None
    secret_ref: SecretKey | None = None

    @model_validator(mode="after")
    def _one_source(self) -> "KeySource":
        if bool(self.generate) == (self.secret_ref is not None):
            raise ValueError("exactly one of generate: true or secretRef")
        return self


class ServiceSettings(ModelSettings):
    """How the gateway serves one of the stack's LLMInferenceServices."""

    mode: Mode = Field("chat", description="What it is called for; its adapters too.")
    names: list[ModelName] | None = Field(None, description="Public names; by default its model.name.")

    @field_validator("names")
    @classmethod
    def _some_and_once(cls, names: list[str] | None) -> list[str] | None:
        if names is not None and (not names or len(set(names)) < len(names)):
            raise ValueError("one name or more, each once; without names it goes by its model.name")
        return names


class VariableSource(Spec):
    secret_key_ref: SecretKey


class Variable(Spec):
    """An environment variable of the gateway's pods, literal or from a Secret."""

    name: VariableName
    value: str | None = None
    value_from: VariableSource | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> "Variable":
        if (self.value is None) == (self.value_from is None):
            raise ValueError("exactly one of value or valueFrom")
        return self


class Placement(Spec):
    """Where the pods run and on what."""

    resources: KubernetesObject | None = None
    node_selector: Labels | None = None
    tolerations: list[KubernetesObject] | None = None
    affinity: KubernetesObject | None = None
    topology_spread_constraints: list[KubernetesObject] | None = Field(
        None, description="By default over nodes and zones, as far as that can be had."
    )
    priority_class_name: ObjectName | None = None


class LiteLLMGatewaySpec(Spec):
    """What the gateway serves and how."""

    models: ModelSelector = Field(default_factory=ModelSelector)
    services: dict[str, ServiceSettings] | None = Field(
        None, description="By name, or namespace/name: how it serves LLMInferenceServices."
    )
    replicas: NotNegative | None = Field(None, description="Unset: left to an autoscaler.")
    autoscaling: Autoscaling | None = None
    master_key: KeySource = Field(default_factory=lambda: KeySource.model_validate({"generate": True}))
    salt_key: KeySource | None = Field(
        None, description="Encrypts what LiteLLM keeps in the database and must last as long; by default generated."
    )
    database: Database | None = None
    redis: Redis | None = Field(None, description="Where replicas count limits together.")
    fallbacks: Fallbacks | None = Field(None, description="Model to the ones tried after it.")
    context_window_fallbacks: Fallbacks | None = Field(None, description="The same for a prompt that is too long.")
    content_policy_fallbacks: Fallbacks | None = Field(None, description="The same for a prompt that is refused.")
    default_fallbacks: list[str] | None = Field(None, description="Tried after any model.")
    aliases: dict[ModelName, str] | None = Field(None, description="More names, each of a model that is served.")
    extra_config: dict[str, Any] | None = Field(
        None, description="More of LiteLLM's config file, laid over loco's; never a secret."
    )
    env: list[Variable] | None = Field(None, description="More environment variables.")
    env_from: list[WholeSecret] | None = Field(None, description="The same from every declared key of a Secret.")
    via: Literal["gateway", "service"] | None = Field(None, description="How it reaches the stack's own models.")
    image: str | None = Field(None, pattern=r"^\S+$", description="Another image than the pinned one.")
    digests: Literal["keyed", "reference"] = Field(
        "keyed",
        description="What locostack.com/configHash is: keyed, or by loco-operator's formula, from which weak secrets can "
        "be guessed.",
    )
    placement: Placement | None = None
    pod: PodAdditions | None = None
    probes: Probes | None = None
    service: GatewayService | None = None
    clients: list[Peer] | None = Field(
        None, description="Who may open connections to it; unset: everybody. The shared Gateway's peers may anyway."
    )
    egress: Egress | None = Field(None, description="Whom its pods may call; unset: everybody.")
    expose: Exposure | None = Field(None, description="Hostnames under which it is reached from outside.")

    @model_validator(mode="after")
    def _one_scaler(self) -> "LiteLLMGatewaySpec":
        if self.replicas is not None and self.autoscaling is not None:
            raise misplaced("replicas or autoscaling, not both", "replicas")
        return self

    @field_validator("fallbacks", "context_window_fallbacks", "content_policy_fallbacks")
    @classmethod
    def _each_once(cls, fallbacks: Fallbacks | None) -> Fallbacks | None:
        names = [name for fallback in fallbacks or [] for name in fallback]
        if len(set(names)) < len(names):
            raise ValueError("each model once; of two lists for one model the second would have no effect")
        if any(not fallback or not all(fallback.values()) for fallback in fallbacks or []):
            raise ValueError("a model and one or more to try after it: [{MODEL: [OTHER]}]")
        return fallbacks

    @field_validator("clients")
    @classmethod
    def _some_client(cls, clients: list[Peer] | None) -> list[Peer] | None:
        if clients is not None and not clients:
            raise ValueError("one client or more; without clients everybody may call it")
        return clients

    @field_validator("env")
    @classmethod
    def _variables_once(cls, env: list[Variable] | None) -> list[Variable] | None:
        names = [variable.name for variable in env or []]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"each variable once; {', '.join(twice)} stands there twice")
        return env
