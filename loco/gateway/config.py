"""LiteLLM's config file: sorted, deterministic, and without any secret: those are ``os.environ/…`` references."""

import hashlib
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import yaml

from loco.gateway.documents import External
from loco.gateway.variables import header_variable, key_variable
from loco.model import ServedModel
from loco.spec.litellm_gateway import LiteLLMGatewaySpec

MASTER_KEY = "LITELLM_MASTER_KEY"
_REQUEST_SECONDS = 600
_RETRIES = 2
# Hosts whose servers speak OpenAI's /responses; others get chat completions only.
_OPENAI = ("api.openai.com",)


def config_text(
    spec: LiteLLMGatewaySpec, namespace: str, managed: Sequence[tuple[ServedModel, str]], external: Sequence[External]
) -> str:
    """The file's text.

    Args:
        spec: the gateway's.
        namespace: the gateway's.
        managed: the stack's own models, each with its base URL.
        external: the others.
    """
    entries = [entry for model, url in managed for entry in _managed(model, url)]
    entries += [entry for model in external for entry in _external(model, namespace)]
    router: dict[str, Any] = {"routing_strategy": "simple-shuffle"}
    if spec.fallbacks:
        router["fallbacks"] = [dict(fallback) for fallback in spec.fallbacks]
    config = {
        "model_list": sorted(entries, key=lambda entry: (entry["model_name"], entry["model_info"]["id"])),
        "litellm_settings": {"drop_params": True, "num_retries": _RETRIES, "request_timeout": _REQUEST_SECONDS},
        "router_settings": router,
        "general_settings": {"master_key": f"os.environ/{MASTER_KEY}"},
    }
    return yaml.dump(config, Dumper=_Dumper, sort_keys=True, allow_unicode=True, width=4096)


def config_digest(text: str) -> str:
    """What stands on the pods for the file that they read; a change of it starts new ones."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def public_names(managed: Sequence[ServedModel], external: Sequence[External]) -> set[str]:
    """Every name that a client may ask for."""
    return {model.served_names[0] for model in managed} | {name for model in external for name in model.public_names}


def _managed(model: ServedModel, url: str) -> list[dict[str, Any]]:
    served = model.served_names[0]
    params = {"model": f"hosted_vllm/{served}", "api_base": f"{url}/v1"}
    info = {"id": f"llminferenceservice/{model.namespace}/{model.name}", "mode": "chat"}
    return [{"model_name": served, "litellm_params": params, "model_info": info}]


def _external(model: External, namespace: str) -> list[dict[str, Any]]:
    spec = model.spec
    key = key_variable(model, namespace)
    params: dict[str, Any] = {
        "model": f"{spec.provider}/{spec.model}",
        "api_base": spec.url,
        # Without a key LiteLLM refuses to call an OpenAI-compatible server, or takes the one of its own environment.
        "api_key": f"os.environ/{key}" if key else "none",
    }
    headers = {}
    for header in (spec.auth.headers if spec.auth else None) or []:
        variable = f"os.environ/{header_variable(model, namespace, header.name)}"
        headers[header.name] = header.value if header.value is not None else variable
    if headers:
        params["extra_headers"] = headers
    if spec.provider == "openai" and spec.mode == "chat" and urlsplit(spec.url).hostname not in _OPENAI:
        params["use_chat_completions_api"] = True
    entries = []
    for name in model.public_names:
        # Told apart by the name rather than by its place in the list, so that the others' entries keep theirs.
        identity = f"externalmodel/{model.namespace}/{model.name}" + (f"/{name}" if name != model.name else "")
        info = {"id": identity, "mode": spec.mode}
        entries.append({"model_name": name, "litellm_params": dict(params), "model_info": info})
    return entries


class _Dumper(yaml.SafeDumper):
    """Every text in quotes where YAML could take it for anything else; no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
