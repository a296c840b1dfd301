"""Where the value of one key of one Secret comes from."""

from pydantic import Field, model_validator

from loco import names
from loco.model import CredentialUse, Finding, Origin
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


def own_secret(use: CredentialUse, origin: Origin) -> Finding:
    """``LOCO-CREDENTIAL`` for a Secret of this very stack that its config now calls existing: the update would delete it.

    Args:
        use: of a key that somebody else is said to keep, while the cluster says that this stack has made the Secret.
        origin: of that key in the stack config.
    """
    message = f"this stack has made the Secret {use.namespace}/{use.secret}, and would delete it now that it is called existing"
    cure = (
        f"{{config: NAME}} as before, or another Secret; to hand this one over, first take its annotation {names.MADE_BY} "
        "off and `pulumi state delete` it"
    )
    return Finding("LOCO-CREDENTIAL", "error", f"credentials.{use.secret}.{use.key}", message, cure, origin)
