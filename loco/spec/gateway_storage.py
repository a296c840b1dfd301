"""What a LiteLLM gateway keeps outside of its pods: a Postgres for keys and budgets, a Redis for shared counts."""

from typing import Annotated

from pydantic import Field, model_validator

from loco.spec.base import KubernetesObject, NotNegative, Positive, Spec, misplaced
from loco.spec.external_model import SecretKey
from loco.spec.platform_gateway import Port
from loco.spec.texts import Hostname

_DAY = 24 * 3600


class SecretSource(Spec):
    """One value of a Secret in the gateway's namespace."""

    secret_ref: SecretKey


class Migration(Spec):
    """The Job that brings the tables to what the image's LiteLLM expects."""

    secret_ref: SecretKey | None = Field(
        None, description="URL of a user that may alter tables, past a connection pooler; by default the servers' own."
    )
    backoff_limit: NotNegative = Field(3, description="How often it is tried again.")
    active_deadline_seconds: Annotated[int, Field(ge=1, le=_DAY)] = Field(
        1800, description="How long all tries together may take."
    )
    resources: KubernetesObject | None = None


class Database(Spec):
    """A Postgres of somebody else's; it switches on virtual keys, teams, budgets and the UI's login."""

    secret_ref: SecretKey = Field(description="A URL such as postgresql://USER:PASSWORD@HOST:5432/NAME.")
    read_replica: SecretSource | None = Field(None, description="URL of a server that is asked where reading will do.")
    connection_limit: Positive | None = Field(None, description="Connections of one pod; LiteLLM's default is 10.")
    connection_timeout_seconds: Positive | None = Field(None, description="How long a pod waits for a free one.")
    migration: Migration = Migration()


class Redis(Spec):
    """A Redis of somebody else's: by URL from a Secret, or by host."""

    url: SecretSource | None = Field(None, description="redis://… or rediss://…, all in one Secret key.")
    host: Hostname | None = None
    port: Port | None = Field(None, description="6379 by default.")
    username: Annotated[str, Field(pattern=r"^\S+$")] | None = None
    password: SecretSource | None = None
    tls: bool | None = None

    @model_validator(mode="after")
    def _one_target(self) -> "Redis":
        if (self.url is None) is (self.host is None):
            raise ValueError("exactly one of url: {secretRef: …} or host: NAME")
        if self.host is not None and self.host.startswith("*"):
            raise misplaced("one host; a name with * stands for many", "host")
        beside = {"port": self.port, "username": self.username, "password": self.password, "tls": self.tls}
        if self.url is not None and (written := [key for key, value in beside.items() if value is not None]):
            raise misplaced(f"url alone; {', '.join(written)} would be ignored beside it", written[0])
        if self.username is not None and self.password is None:
            raise misplaced("username goes with password", "username")
        if self.username is not None and self.username.startswith("os.environ/"):
            raise misplaced("a username is a literal; use url for one from a Secret", "username")
        return self
