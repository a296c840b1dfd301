"""LiteLLM's own settings with which it does not start: a name that it doesn't know, or a file that the pods don't have."""

from collections.abc import Iterator, Mapping
from typing import Any

from loco.gateway.documents import Gateway
from loco.model import Finding
from loco.model.finding import Severity
from loco.spec.suggest import close_to
from loco.spec.tree import Path

_GENERAL, _LITELLM = "general_settings", "litellm_settings"
# Names that LiteLLM 1.108.7 takes in litellm_settings.callbacks: its custom loggers, and those that its proxy knows besides.
_CALLBACKS = """
    agentops anthropic_cache_control_hook aporia_prompt_injection argilla arize arize_phoenix aws_sqs azure_content_safety
    azure_sentinel azure_storage banned_keywords batch_redis_requests bitbucket blocked_user_check braintrust clickhouse
    cloudzero code_interpreter_interception compression_interception datadog datadog_cost_management
    datadog_llm_observability datadog_metrics deepeval detect_prompt_injection dotprompt dynamic_rate_limiter
    dynamic_rate_limiter_v3 focus galileo gcs_bucket gcs_pubsub generic_api gitlab google_text_moderation hide_secrets
    humanloop lago lakera_prompt_injection langfuse langfuse_otel langsmith langtrace levo litellm_agent literalai
    llamaguard_moderations llmguard_moderations logfire mavvrik mlflow newrelic openai_moderations openmeter opik otel
    pagerduty pointfive posthog presidio prometheus resend_email s3_v2 sendgrid_email signoz smtp_email ternary vantage
    vector_store_pre_call_hook weave_otel websearch_interception zerobus
"""
CALLBACKS = frozenset(_CALLBACKS.split())
_STRATEGIES = """
    cost-based-routing lar1 latency-based-routing least-busy provider-budget-routing simple-shuffle usage-based-routing
    usage-based-routing-v2
"""
ROUTING_STRATEGIES = frozenset(_STRATEGIES.split())
_MODULES: tuple[Path, ...] = (  # each names a function in a Python file beside the config
    (_GENERAL, "custom_auth"),
    (_GENERAL, "custom_key_generate"),
    (_GENERAL, "custom_sso"),
    (_LITELLM, "post_call_rules"),
)
_ALSO_MODULES = ("success_callback", "failure_callback")
_OF_A_CREDENTIAL = ("credential_name", "credential_values", "credential_info")


def refused_settings(gateway: Gateway) -> list[Finding]:
    """``LOCO-VALUE`` for each of them in ``extraConfig``: its pods would never be ready.

    With an image of the user's own, which may have such a file or be another version, it is a warning.
    """
    config = gateway.spec.extra_config or {}
    severity: Severity = "error" if gateway.spec.image is None else "warning"
    findings = []
    for below, value, why, cure in (
        *_callbacks(config),
        *_modules(config),
        *_routing(config),
        *_credentials(config),
    ):
        path: Path = ("extraConfig", *below)
        message = f"LiteLLM does not start: {why}"
        findings.append(gateway.finding(path, message, cure, value, severity=severity))
    return findings


Refusal = tuple[Path, Any, str, str]


def _callbacks(config: Mapping[str, Any]) -> Iterator[Refusal]:
    path: Path = (_LITELLM, "callbacks")
    listed = _at(config, path)
    if listed is None:
        return
    if not isinstance(listed, list):
        yield path, listed, "it takes a text here for the name of a Python file", "callbacks: [NAME]"
        return
    own = config.get("callback_settings")
    known = CALLBACKS | {name for name, each in (own if isinstance(own, Mapping) else {}).items() if each}
    for index, name in enumerate(listed):
        if name not in known and not str(name).startswith("os.environ/"):
            why = f"it knows no callback {name}, and would look for a Python file"
            yield (*path, index), name, why, close_to(str(name), sorted(CALLBACKS)) or _own_image("one that it knows")


def _modules(config: Mapping[str, Any]) -> Iterator[Refusal]:
    why = "it would look for a Python file, and the pods have none"
    for path in _MODULES:
        if (value := _at(config, path)) is not None:
            yield path, value, why, _own_image(f"the config without {path[-1]}")
    for key in _ALSO_MODULES:
        listed = _at(config, (_LITELLM, key))
        for index, name in enumerate(listed if isinstance(listed, list) else []):
            if "." in str(name):
                yield (_LITELLM, key, index), name, why, _own_image("one of its own callbacks")


def _routing(config: Mapping[str, Any]) -> Iterator[Refusal]:
    path: Path = ("router_settings", "routing_strategy")
    value = _at(config, path)
    if value is not None and value not in ROUTING_STRATEGIES:
        known = sorted(ROUTING_STRATEGIES)
        yield (
            path,
            value,
            f"it knows no routing strategy {value}",
            close_to(str(value), known) or f"one of {', '.join(known)}",
        )


def _credentials(config: Mapping[str, Any]) -> Iterator[Refusal]:
    listed = config.get("credential_list")
    for index, item in enumerate(listed if isinstance(listed, list) else []):
        lacking = [key for key in _OF_A_CREDENTIAL if not isinstance(item, Mapping) or key not in item]
        if lacking:
            cure = "{credential_name: NAME, credential_values: {…}, credential_info: {}}"
            yield ("credential_list", index), None, f"the credential has no {' and no '.join(lacking)}", cure


def _at(config: Mapping[str, Any], path: Path) -> Any:
    value: Any = config
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _own_image(otherwise: str) -> str:
    return f"{otherwise}, or an image of your own that has the file"
