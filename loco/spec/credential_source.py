"""Where the value of one key of one Secret comes from."""

from pydantic import Field, model_validator

from loco.spec.service import Spec


class CredentialSource(Spec):
    """Exactly one of the three."""

    config: str | None = Field(None, description="Name of a secret in the stack config, a flat key of its own.")
    existing: bool | None = Field(None, description="true: the Secret is there already, and somebody else keeps it.")
    generate: bool | None = Field(None, description="true: made once, kept in the stack's state.")

    @model_validator(mode="after")
    def _exactly_one(self) -> "CredentialSource":
        chosen = [name for name in ("config", "existing", "generate") if getattr(self, name)]
        if len(chosen) != 1:
            raise ValueError("exactly one of config: NAME, existing: true or generate: true")
        return self
