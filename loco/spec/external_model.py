"""ExternalModel: a model that somebody else serves, reached through the gateway (``locostack.com/v1alpha1``)."""

from typing import Literal

from pydantic import Field, field_validator, model_validator

from loco.spec.base import Spec, misplaced
from loco.spec.model_settings import ModelSettings
from loco.spec.texts import HTTPURL, HeaderName, HeaderValue, ModelPattern, ObjectName, Provider, SecretKeyName

Mode = Literal[
    "chat",
    "completion",
    "embedding",
    "rerank",
    "audio_speech",
    "audio_transcription",
    "image_generation",
    "responses",
]


class SecretKey(Spec):
    """One key of a Secret in the gateway's namespace."""

    name: ObjectName
    key: SecretKeyName


class APIKey(Spec):
    """An API key, sent the way that the provider wants it."""

    secret_ref: SecretKey


class HeaderSource(Spec):
    secret_key_ref: SecretKey


class Header(Spec):
    """A header of every request, literal or from a Secret."""

    name: HeaderName
    value: HeaderValue | None = None
    value_from: HeaderSource | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> "Header":
        if (self.value is None) == (self.value_from is None):
            raise ValueError("exactly one of value or valueFrom")
        return self


class Auth(Spec):
    """Credentials; headers go beside a key or token."""

    api_key: APIKey | None = None
    bearer_token: SecretKey | None = None
    headers: list[Header] | None = None

    @model_validator(mode="after")
    def _one_key(self) -> "Auth":
        if self.api_key is not None and self.bearer_token is not None:
            raise misplaced("apiKey or bearerToken, not both: the second would be ignored", "bearerToken")
        return self

    @model_validator(mode="after")
    def _headers_once(self) -> "Auth":
        lowered = [header.name.lower() for header in self.headers or []]
        if twice := sorted({name for name in lowered if lowered.count(name) > 1}):
            raise misplaced(f"each header once; {', '.join(twice)} stands there twice", "headers")
        return self

    @property
    def key(self) -> SecretKey | None:
        """The key or token, which travel alike."""
        return self.api_key.secret_ref if self.api_key else self.bearer_token


class ExternalModelSpec(ModelSettings):
    """What the gateway must know to call it."""

    provider: Provider = Field(description="LiteLLM's prefix, such as openai, azure or anthropic.")
    model: ModelPattern = Field(description="The upstream's own id of the model.")
    url: HTTPURL = Field(description="Base URL; for OpenAI-compatible servers with /v1.")
    mode: Mode = Field("chat", description="What it is called for.")
    names: list[ModelPattern] | None = Field(None, description="Public names; by default the document's.")
    wildcard: bool = Field(False, description="A * in names and model stands for any text, so for models of any name.")
    auth: Auth | None = None

    @field_validator("names")
    @classmethod
    def _some_and_once(cls, names: list[str] | None) -> list[str] | None:
        if names is not None and (not names or len(set(names)) < len(names)):
            raise ValueError("one name or more, each once; without names it goes by the document's own")
        return names
