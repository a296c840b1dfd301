"""LiteLLM's config file: sorted, deterministic, and without any secret: those are ``os.environ/…`` references."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from loco.gateway.database import database_settings
from loco.gateway.entries import Entry
from loco.gateway.groups import shares
from loco.gateway.redis import redis_settings
from loco.spec.litellm_gateway import LiteLLMGatewaySpec
from loco.spec.plain_data import laid_over

MASTER_KEY = "LITELLM_MASTER_KEY"
SALT_KEY = "LITELLM_SALT_KEY"
_REQUEST_SECONDS = 600
_RETRIES = 2
_ENFORCED = "enforce_model_rate_limits"  # without it rpm and tpm only say where the next request goes


def config_of(
    spec: LiteLLMGatewaySpec,
    entries: Sequence[Entry],
    callbacks: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What the file holds.

    Args:
        spec: the gateway's.
        entries: in the order in which they are to stand.
        callbacks: to be there whatever ``extraConfig`` has.
        settings: more of ``litellm_settings``, below ``extraConfig``.
    """
    router: dict[str, Any] = {"routing_strategy": "simple-shuffle"}
    for name, fallbacks in (
        ("fallbacks", spec.fallbacks),
        ("context_window_fallbacks", spec.context_window_fallbacks),
        ("content_policy_fallbacks", spec.content_policy_fallbacks),
    ):
        if fallbacks:
            router[name] = [dict(fallback) for fallback in fallbacks]
    if spec.default_fallbacks:
        router["default_fallbacks"] = list(spec.default_fallbacks)
    if spec.aliases:
        router["model_group_alias"] = dict(spec.aliases)
    if any(entry.params.keys() & {"rpm", "tpm"} for entry in entries):
        router["optional_pre_call_checks"] = [_ENFORCED]
    weights = shares(entries)
    listed = [_weighted(entry.as_dict(), weights.get(entry.identity)) for entry in entries]
    config: dict[str, Any] = {
        "model_list": listed,
        "litellm_settings": {
            "drop_params": True,
            "num_retries": _RETRIES,
            "request_timeout": _REQUEST_SECONDS,
            **(settings or {}),
        },
        "router_settings": router,
        "general_settings": {
            "master_key": f"os.environ/{MASTER_KEY}",
            **database_settings(spec),
            **redis_settings(spec),
        },
    }
    return _with_callbacks(laid_over(config, spec.extra_config or {}), callbacks)


def config_text(config: Mapping[str, Any]) -> str:
    """The file's text: keys sorted, the same bytes for the same config."""
    return yaml.dump(config, Dumper=_Dumper, sort_keys=True, allow_unicode=True, width=4096)


def config_digest(text: str) -> str:
    """What stands on the pods for the file that they read; a change of it starts new ones."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _weighted(entry: dict[str, Any], weight: int | None) -> dict[str, Any]:
    return entry if weight is None else {**entry, "litellm_params": {**entry["litellm_params"], "weight": weight}}


def _with_callbacks(config: dict[str, Any], callbacks: Sequence[str]) -> dict[str, Any]:
    """The config with the callbacks after those that it has, each once."""
    settings = config["litellm_settings"]
    if not callbacks or not isinstance(settings, Mapping):
        return config
    written = settings.get("callbacks") or []
    listed = [written] if isinstance(written, str) else list(written)
    merged = [*listed, *(name for name in callbacks if name not in listed)]
    return {**config, "litellm_settings": {**settings, "callbacks": merged}}


class _Dumper(yaml.SafeDumper):
    """Every text in quotes where YAML could take it for anything else; no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
