"""LiteLLM settings in its own words, and what they must leave alone: what loco writes, secrets, and other variables."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from loco.gateway import redis
from loco.gateway.documents import External, Gateway
from loco.gateway.plain_secrets import SECRET_NAME, holds_password
from loco.model import Finding
from loco.spec.suggest import close_to
from loco.spec.tree import Path

_REFERENCE = "os.environ/"
# The config file's sections (LiteLLM 1.108.7); any other is ignored without a word.
_SECTIONS = (
    "callback_settings",
    "credential_list",
    "files_settings",
    "finetune_settings",
    "general_settings",
    "guardrails",
    "litellm_settings",
    "mcp_servers",
    "prompts",
    "router_settings",
    "search_tools",
    "vector_store_registry",
)
_MERGED = ("general_settings", "litellm_settings", "router_settings")  # loco itself writes in these
_FALLBACKS = {
    "fallbacks": "fallbacks",
    "context_window_fallbacks": "contextWindowFallbacks",
    "content_policy_fallbacks": "contentPolicyFallbacks",
    "default_fallbacks": "defaultFallbacks",
}
_TALKATIVE = "the config without it: it writes requests and their keys into the log"
_OWNED_CONFIG: dict[tuple[str, ...], str] = {
    ("model_list",): "an ExternalModel, or services in the gateway's spec",
    ("include",): "its contents here; the pods have no other file",
    ("environment_variables",): "env in the gateway's spec",
    ("general_settings", "master_key"): "masterKey in the gateway's spec",
    ("general_settings", "database_url"): "database in the gateway's spec",
    ("general_settings", "database_connection_pool_limit"): "database: {connectionLimit: …} in the gateway's spec",
    (
        "general_settings",
        "database_connection_timeout",
    ): "database: {connectionTimeoutSeconds: …} in the gateway's spec",
    ("general_settings", "disable_prisma_schema_update"): "database in the gateway's spec, with which a Job migrates",
    ("router_settings", "model_group_alias"): "aliases in the gateway's spec",
    ("router_settings", "health_check_interval"): "general_settings: {health_check_interval: …}, where LiteLLM has it",
    ("litellm_settings", "set_verbose"): _TALKATIVE,
    ("router_settings", "set_verbose"): _TALKATIVE,
    ("router_settings", "debug_level"): _TALKATIVE,
    ("general_settings", "litellm_dangerously_permit_weak_or_unset_master_key"): "masterKey in the gateway's spec",
    **{
        (section, key): f"{field} in the gateway's spec"
        for section in ("litellm_settings", "router_settings")
        for key, field in _FALLBACKS.items()
    },
}
_OWNED_PARAMS: dict[tuple[str, ...], str] = {
    ("model",): "provider and model",
    ("api_base",): "url",
    ("base_url",): "url",
    ("api_key",): "auth: {apiKey: …}",
    ("extra_headers",): "auth: {headers: […]}",
    ("headers",): "auth: {headers: […]}",
    ("weight",): "weight",
    ("order",): "order",
    ("rpm",): "limits: {requestsPerMinute: …}",
    ("tpm",): "limits: {tokensPerMinute: …}",
    ("max_parallel_requests",): "limits: {parallelRequests: …}",
    ("timeout",): "timeoutSeconds",
    ("stream_timeout",): "streamTimeoutSeconds",
    ("num_retries",): "retries",
    ("max_retries",): "retries",
}
_OWNED_INFO: dict[tuple[str, ...], str] = {
    ("id",): "the entry without it: loco writes an id of its own",
    ("mode",): "mode",
}


def own_config(gateway: Gateway, models: Collection[External], variables: Collection[str] = ()) -> list[Finding]:
    """Findings about ``extraConfig`` and every ``params`` and ``info`` of a gateway's models.

    ``LOCO-VALUE`` for what another field says, ``LOCO-SECRET`` for a secret in plain text, ``LOCO-REFERENCE`` for a
    variable that the pods don't have, ``LOCO-UNKNOWN-KEY`` for a section that LiteLLM doesn't read.

    Args:
        gateway: the gateway.
        models: those that it serves from elsewhere.
        variables: names that may be referred to, beside those of the gateway's ``env``.
    """
    known = {*variables, *(variable.name for variable in gateway.spec.env or [])}
    owned = _OWNED_CONFIG if gateway.spec.redis is None else {**_OWNED_CONFIG, **redis.OWNED}
    findings = _judged(gateway, ("extraConfig",), gateway.spec.extra_config, owned, known)
    for section, value in (gateway.spec.extra_config or {}).items():
        if section not in _SECTIONS and (section,) not in _OWNED_CONFIG:
            message = f"LiteLLM's config file has no section {section}"
            cure = close_to(section, _SECTIONS) or f"one of {', '.join(_SECTIONS)}"
            code = "LOCO-UNKNOWN-KEY"
            findings.append(gateway.finding(("extraConfig", section), message, cure, section, code=code))
        if section in _MERGED and not isinstance(value, Mapping):
            message = f"{section} is laid over what loco writes there, and only a mapping can be"
            findings.append(gateway.finding(("extraConfig", section), message, f"{section}: {{KEY: …}}", value))
    for key, settings in (gateway.spec.services or {}).items():
        findings += _judged(gateway, ("services", key, "params"), settings.params, _OWNED_PARAMS, known)
        findings += _judged(gateway, ("services", key, "info"), settings.info, _OWNED_INFO, known)
    for model in models:
        findings += _judged(model, ("params",), model.spec.params, _OWNED_PARAMS, known)
        findings += _judged(model, ("info",), model.spec.info, _OWNED_INFO, known)
    return findings


def idle_salt_key(gateway: Gateway) -> list[Finding]:
    """``LOCO-NO-EFFECT`` for a salt key without a database, whose contents are all that it encrypts."""
    if gateway.spec.salt_key is None or gateway.spec.database is not None:
        return []
    message = "the gateway has no database, and a salt key encrypts nothing else"
    cure = "the gateway without it, or database: {secretRef: …}"
    origin = gateway.origin_at("saltKey")
    return [Finding("LOCO-NO-EFFECT", "warning", "spec.saltKey", message, cure, origin, gateway.subject)]


def _judged(
    document: External | Gateway,
    path: Path,
    value: Mapping[str, Any] | None,
    owned: Mapping[tuple[str, ...], str],
    variables: Collection[str],
) -> list[Finding]:
    findings = []
    for keys, cure in owned.items():
        if _has(value, keys):
            message = f"{'.'.join(keys)} is loco's to write"
            findings.append(document.finding((*path, *keys), message, cure, keys[-1]))
    for below, in_list, leaf in _texts(value, ()):
        where, last = (*path, *below), next((key for key in reversed(below) if isinstance(key, str)), "")
        if any(below[: len(keys)] == keys for keys in owned):
            continue
        if leaf.startswith(_REFERENCE):
            name = leaf.removeprefix(_REFERENCE)
            if in_list:
                message, cure = "LiteLLM resolves no reference that stands in a list", "a key of its own"
                findings.append(document.finding(where, message, cure, leaf))
            elif name not in variables:
                message = f"no variable {name} is in the gateway's env, so LiteLLM would take this for empty"
                cure = close_to(name, variables) or f"env: [{{name: {name}, valueFrom: …}}] in the gateway's spec"
                findings.append(document.finding(where, message, cure, leaf, code="LOCO-REFERENCE"))
        elif _REFERENCE in leaf:
            message = f"LiteLLM resolves {_REFERENCE} at the beginning of a text only"
            cure = "the whole value in the Secret, and the reference alone"
            findings.append(document.finding(where, message, cure, leaf))
        elif leaf and (SECRET_NAME.search(last) or holds_password(leaf)):
            message = f"{last} would stand in plain text in the model file and in a ConfigMap"
            cure = f"{last}: os.environ/NAME, with env: [{{name: NAME, valueFrom: …}}] in the gateway's spec"
            findings.append(document.finding(where, message, cure, None, code="LOCO-SECRET"))
    return findings


def _has(value: Any, keys: tuple[str, ...]) -> bool:
    for key in keys:
        if not isinstance(value, Mapping) or key not in value:
            return False
        value = value[key]
    return True


def _texts(value: Any, path: Path, in_list: bool = False) -> Iterator[tuple[Path, bool, str]]:
    """Every text with its path, and whether a list holds it directly."""
    if isinstance(value, str):
        yield path, in_list, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index), in_list=True)
