"""The Redis in which a gateway's replicas count together, and what is said of limits without one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loco.gateway.documents import Gateway, Observability
from loco.gateway.entries import Entry
from loco.gateway.variables import Variable
from loco.model import Finding
from loco.spec.litellm_gateway import LiteLLMGatewaySpec
from loco.spec.tree import Path

URL, PASSWORD = "REDIS_URL", "REDIS_PASSWORD"
PORT = 6379
SETTING = "coordination_redis"
# What extraConfig must leave alone beside it: LiteLLM would take these for its counts instead.
OWNED: Mapping[tuple[str, ...], str] = {
    ("general_settings", SETTING): "redis in the gateway's spec",
    **{
        ("router_settings", f"redis_{key}"): "redis in the gateway's spec"
        for key in ("db", "host", "password", "port", "url")
    },
}
_VARIABLES = ("REDIS_HOST", URL, "REDIS_CLUSTER_NODES", "REDIS_SENTINEL_NODES")
_TARGETS = frozenset({*_VARIABLES, PASSWORD, "REDIS_PORT", "REDIS_SSL", "REDIS_USERNAME"})


def redis_variables(gateway: Gateway) -> Iterator[Variable]:
    """The URL, without which LiteLLM doesn't start; or the password, without which it counts by itself."""
    redis = gateway.spec.redis
    if redis is not None and redis.url is not None:
        yield Variable(URL, redis.url.secret_ref, gateway, ("redis", "url", "secretRef"), required=True)
    if redis is not None and redis.password is not None:
        yield Variable(PASSWORD, redis.password.secret_ref, gateway, ("redis", "password", "secretRef"))


def redis_targets(gateway: Gateway) -> frozenset[str]:
    """Variables that say where a Redis is, or who calls it; where the gateway has one, nobody else may set them."""
    return _TARGETS if gateway.spec.redis is not None else frozenset()


def other_redis(gateway: Gateway, document: Gateway | Observability) -> list[Finding]:
    """``LOCO-DUPLICATE`` for a variable of ``env`` that LiteLLM's client would take beside the gateway's ``redis``."""
    findings, targets = [], redis_targets(gateway) - {variable.name for variable in redis_variables(gateway)}
    for index, variable in enumerate(document.spec.env or []):
        if variable.name in targets:
            path: Path = ("env", index, "name")
            message = f"the gateway has a redis, and with {variable.name} LiteLLM may go to another one"
            cure = "redis in the gateway's spec, and env without it"
            findings.append(document.finding(path, message, cure, variable.name, code="LOCO-DUPLICATE"))
    return findings


def redis_settings(spec: LiteLLMGatewaySpec) -> dict[str, Any]:
    """For ``general_settings``: the proxy's own counts, and the router's, which takes what the proxy has.

    A response cache is something else, and is only there when ``extraConfig`` asks for one.
    """
    redis = spec.redis
    if redis is None:
        return {}
    if redis.url is not None:
        return {SETTING: {"url": f"os.environ/{URL}"}}
    target: dict[str, Any] = {"host": redis.host, "port": redis.port or PORT}
    if redis.username is not None:
        target["username"] = redis.username
    if redis.password is not None:
        target["password"] = f"os.environ/{PASSWORD}"
    if redis.tls:
        target["ssl"] = True
    return {SETTING: target}


def unshared_limits(gateway: Gateway, entries: Sequence[Entry]) -> list[Finding]:
    """``LOCO-LIMITS`` where several replicas are planned, each of which counts a model's requests for itself."""
    scaling, limited = gateway.spec.autoscaling, [e for e in entries if e.params.keys() & {"rpm", "tpm"}]
    most = scaling.max_replicas if scaling is not None else gateway.spec.replicas
    if most is None or most < 2 or not limited or _has_redis(gateway):
        return []
    names = ", ".join(sorted({entry.name for entry in limited}))
    message = f"each of up to {most} replicas counts for itself, so {most} times the limits of {names} can pass"
    path: Path = ("autoscaling" if scaling is not None else "replicas",)
    cure = "redis: {host: HOST}, in which they count together"
    return [gateway.finding(path, message, cure, code="LOCO-LIMITS", severity="warning")]


def _has_redis(gateway: Gateway) -> bool:
    more = gateway.spec.extra_config or {}
    general, router = more.get("general_settings"), more.get("router_settings")
    named = (
        isinstance(general, Mapping) and general.get(SETTING),
        isinstance(router, Mapping) and (router.get("redis_host") or router.get("redis_url")),
        any(variable.name in _VARIABLES for variable in gateway.spec.env or []),
    )
    return gateway.spec.redis is not None or any(named)
