"""What the models of everything that users write are built on."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

KubernetesObject = dict[str, Any]
LARGEST_COUNT = 2**31 - 1  # Kubernetes counts in 32 bits
Positive = Annotated[int, Field(ge=1, le=LARGEST_COUNT)]
NotNegative = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]


def misplaced(cure: str, *place: str | int) -> PydanticCustomError:
    """What a validator of a whole model raises about one of its fields.

    Args:
        cure: what to write instead.
        place: the field's path within the model, as users write it.
    """
    return PydanticCustomError("misplaced", "{cure}", {"cure": cure, "place": place})


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
