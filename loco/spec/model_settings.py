"""How the gateway treats one model, be it the stack's own or somebody else's."""

from typing import Any

from pydantic import Field

from loco.spec.base import NotNegative, Positive, Spec


class Limits(Spec):
    """What one pod of the gateway lets through to the model; each pod counts for itself."""

    requests_per_minute: Positive | None = None
    tokens_per_minute: Positive | None = None
    parallel_requests: Positive | None = None


class ModelSettings(Spec):
    """Settings of all entries that a model has in the gateway's config."""

    weight: Positive | None = Field(
        None, description="Its share of the requests among models of one name; all of them have one, or none."
    )
    order: Positive | None = Field(None, description="Among models of one name those of order 1 are tried first.")
    limits: Limits | None = None
    timeout_seconds: Positive | None = Field(None, description="For a whole answer.")
    stream_timeout_seconds: Positive | None = Field(None, description="For the first part of a streamed answer.")
    retries: NotNegative | None = Field(None, description="Of one request to this model.")
    params: dict[str, Any] | None = Field(
        None, description="More of LiteLLM's litellm_params, such as api_version or temperature; never a secret."
    )
    info: dict[str, Any] | None = Field(None, description="More of LiteLLM's model_info, such as base_model or costs.")
