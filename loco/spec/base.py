"""What the models of everything that users write are built on."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

KubernetesObject = dict[str, Any]
Positive = Annotated[int, Field(ge=1)]
NotNegative = Annotated[int, Field(ge=0)]


class Spec(BaseModel):
    """Base of what users write: frozen, unknown keys refused, no conversion between types."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        populate_by_name=False,
        protected_namespaces=(),
    )
