"""LiteLLMGateway: one OpenAI-compatible endpoint over models of the stack and elsewhere (``locostack.com/v1alpha1``)."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from loco.spec.external_model import SecretKey
from loco.spec.service import Spec


class ModelSelector(Spec):
    """Which documents it serves; an empty selector takes all of the stack."""

    match_labels: dict[str, str] = Field(default_factory=dict, description="Labels of the documents' metadata.")


class MasterKey(Spec):
    """The admin key: made once, or read from a Secret that is there."""

    generate: bool | None = None
    secret_ref: SecretKey | None = None

    @model_validator(mode="after")
    def _one_source(self) -> "MasterKey":
        if bool(self.generate) == (self.secret_ref is not None):
            raise ValueError("exactly one of generate: true or secretRef")
        return self


class LiteLLMGatewaySpec(Spec):
    """What the gateway serves and how."""

    models: ModelSelector = Field(default_factory=ModelSelector)
    replicas: Annotated[int, Field(ge=0)] | None = Field(None, description="Unset: left to an autoscaler.")
    master_key: MasterKey = Field(default_factory=lambda: MasterKey.model_validate({"generate": True}))
    fallbacks: list[dict[str, list[str]]] | None = Field(None, description="Model to the ones tried after it.")
    via: Literal["gateway", "service"] | None = Field(None, description="How it reaches the stack's own models.")
    image: str | None = Field(None, pattern=r"^\S+$", description="Another image than the pinned one.")
    expose: dict[str, Any] | None = Field(None, description="Hostnames under which it is reached from outside.")

    @field_validator("fallbacks")
    @classmethod
    def _each_once(cls, fallbacks: list[dict[str, list[str]]] | None) -> list[dict[str, list[str]]] | None:
        names = [name for fallback in fallbacks or [] for name in fallback]
        if len(set(names)) < len(names):
            raise ValueError("each model once; of two lists for one model the second would have no effect")
        if any(not fallback or not all(fallback.values()) for fallback in fallbacks or []):
            raise ValueError("a model and one or more to try after it: [{MODEL: [OTHER]}]")
        return fallbacks
