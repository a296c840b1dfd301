"""The entries of LiteLLM's ``model_list``: one for each public name of each model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from loco.gateway.documents import External, Gateway
from loco.gateway.variables import header_variable, key_variable
from loco.model import ServedModel
from loco.spec.litellm_gateway import ServiceSettings
from loco.spec.model_settings import ModelSettings
from loco.spec.tree import Path

# Hosts whose servers speak OpenAI's /responses; others get chat completions only.
_OPENAI = ("api.openai.com",)
_BY_DEFAULT = ServiceSettings()


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry.

    Attributes:
        name: what clients ask for; entries of one name share its requests.
        identity: unique in the gateway, and the same for as long as document and name are.
        mode: what it is called for.
        settings: of the model.
        document: where the settings are written, and ``path`` below its spec.
        params: ``litellm_params``.
        share: of a member of a traffic group: the group, unique among the stack's, and its weight there.
    """

    name: str
    identity: str
    mode: str
    settings: ModelSettings
    document: External | Gateway
    path: Path
    params: Mapping[str, Any]
    share: tuple[str, int] | None = None

    def as_dict(self) -> dict[str, Any]:
        info = {**(self.settings.info or {}), "id": self.identity, "mode": self.mode}
        return {"model_name": self.name, "litellm_params": dict(self.params), "model_info": info}


def entries_of(
    gateway: Gateway, managed: Sequence[tuple[ServedModel, str]], external: Sequence[External]
) -> list[Entry]:
    """All entries of a gateway, sorted by name and identity.

    Args:
        gateway: the gateway.
        managed: the stack's own models that it serves, each with its base URL.
        external: the others.
    """
    entries = [entry for model, url in managed for entry in _managed(gateway, model, url)]
    entries += [entry for model in external for entry in _external(model, gateway.namespace)]
    return sorted(entries, key=lambda entry: (entry.name, entry.identity))


def served_here(gateway: Gateway, model: ServedModel) -> list[tuple[str, str]]:
    """The names under which a gateway serves a model, each with the name that the engine knows: adapters have their own."""
    settings, _ = settings_of(gateway, model)
    upstream = model.served_names[0]
    return [*((name, upstream) for name in settings.names or [upstream]), *((name, name) for name in model.adapters)]


def settings_of(gateway: Gateway, model: ServedModel) -> tuple[ServiceSettings, Path]:
    """What the gateway says of one of the stack's own models, and where."""
    for key in (f"{model.namespace}/{model.name}", model.name if model.namespace == gateway.namespace else None):
        if key is not None and key in (gateway.spec.services or {}):
            return (gateway.spec.services or {})[key], ("services", key)
    return _BY_DEFAULT, ("services",)


def _managed(gateway: Gateway, model: ServedModel, url: str) -> list[Entry]:
    settings, path = settings_of(gateway, model)
    identity = f"llminferenceservice/{model.namespace}/{model.name}"
    share = None
    if model.group is not None and model.weight is not None:
        share = (f"{model.namespace}/{model.group}", model.weight)
    entries = []
    for name, upstream in served_here(gateway, model):
        params = {"model": f"hosted_vllm/{upstream}", "api_base": f"{url}/v1", **_more(settings)}
        if settings.mode == "audio_speech":  # for hosted_vllm LiteLLM would ask for a key of OpenAI's
            params |= {"model": f"openai/{upstream}", "api_key": "none"}
        own = identity if name == model.served_names[0] else f"{identity}/{name}"
        entries.append(Entry(name, own, settings.mode, settings, gateway, path, params, share))
    return entries


def _external(model: External, namespace: str) -> list[Entry]:
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
    params |= _more(spec)
    identity = f"externalmodel/{model.namespace}/{model.name}"
    # Told apart by the name rather than by its place in the list, so that the others' entries keep theirs.
    return [
        Entry(name, identity if name == model.name else f"{identity}/{name}", spec.mode, spec, model, (), params)
        for name in model.public_names
    ]


def _more(settings: ModelSettings) -> dict[str, Any]:
    """The settings as LiteLLM calls them."""
    limits = settings.limits
    typed = {
        "weight": settings.weight,
        "order": settings.order,
        "rpm": limits.requests_per_minute if limits else None,
        "tpm": limits.tokens_per_minute if limits else None,
        "max_parallel_requests": limits.parallel_requests if limits else None,
        "timeout": settings.timeout_seconds,
        "stream_timeout": settings.stream_timeout_seconds,
        "num_retries": settings.retries,
    }
    return {**(settings.params or {}), **{name: value for name, value in typed.items() if value is not None}}
