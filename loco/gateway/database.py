"""A gateway's database: its URLs from Secrets, and servers that leave its tables alone."""

from collections.abc import Iterator
from typing import Any

from loco.gateway.documents import Gateway, Observability
from loco.gateway.variables import Variable
from loco.model import Finding
from loco.spec.litellm_gateway import LiteLLMGatewaySpec

URL = "DATABASE_URL"
_REPLICA_URL = "DATABASE_URL_READ_REPLICA"
# For Prisma, by which LiteLLM talks to it: the image has all that it would download, and /tmp is all it may write to.
PRISMA = {"PRISMA_OFFLINE_MODE": "true"}
_SERVERS = {**PRISMA, "DISABLE_SCHEMA_UPDATE": "true"}  # several that start at once would all migrate
OWNED = frozenset({*_SERVERS, "LITELLM_MIGRATION_DIR"})
# Of these LiteLLM makes a database of its own accord, whose tables every pod then alters when it starts.
DATABASES = frozenset(
    {
        URL,
        _REPLICA_URL,
        "DATABASE_HOST",
        "DATABASE_NAME",
        "DATABASE_PASSWORD",
        "DATABASE_USERNAME",
        "DIRECT_URL",
    }
)


def database_variables(gateway: Gateway) -> Iterator[Variable]:
    """The URLs; without them the pods can't be ready."""
    database = gateway.spec.database
    if database is None:
        return
    yield Variable(URL, database.secret_ref, gateway, ("database", "secretRef"), required=True)
    if database.read_replica is not None:
        source = database.read_replica.secret_ref
        yield Variable(_REPLICA_URL, source, gateway, ("database", "readReplica", "secretRef"), required=True)


def migration_variable(gateway: Gateway) -> Variable | None:
    """The URL for the Job alone, where it has one of its own."""
    database = gateway.spec.database
    if database is None or database.migration.secret_ref is None:
        return None
    return Variable(URL, database.migration.secret_ref, gateway, ("database", "migration", "secretRef"), required=True)


def database_environment(gateway: Gateway) -> dict[str, str]:
    """What else the servers are told."""
    return dict(_SERVERS) if gateway.spec.database is not None else {}


def database_settings(spec: LiteLLMGatewaySpec) -> dict[str, Any]:
    """For ``general_settings``; the URL is in the environment, where LiteLLM looks by itself."""
    database = spec.database
    settings = {
        "database_connection_pool_limit": database.connection_limit if database else None,
        "database_connection_timeout": database.connection_timeout_seconds if database else None,
    }
    return {key: value for key, value in settings.items() if value is not None}


def misplaced_database(document: Gateway | Observability) -> list[Finding]:
    """``LOCO-VALUE`` for a database among the variables, which nothing would migrate but every server at its start."""
    findings = []
    for index, variable in enumerate(document.spec.env or []):
        if variable.name in DATABASES:
            message = f"with {variable.name} every server would alter the database's tables when it starts"
            cure = (
                "database: {secretRef: {name: SECRET, key: KEY}} in the gateway's spec, with the whole URL in the key"
            )
            findings.append(document.finding(("env", index, "name"), message, cure, variable.name))
    return findings
