"""External models that LiteLLM would not call the way that their document says."""

from urllib.parse import urlsplit

from loco.gateway.documents import External
from loco.gateway.providers import PROVIDERS, REFUSED
from loco.model import Finding
from loco.spec.suggest import close_to
from loco.spec.tree import Path

_CREDENTIAL_WORDS = ("authorization", "api-key", "apikey", "token", "secret", "cookie")

# What a request would fail with, and what answers it.
_IMPOSSIBLE = {
    ("openai", "rerank"): "provider: hosted_vllm, cohere or jina_ai",
    ("hosted_vllm", "audio_speech"): "provider: openai",
}


def doubtful(external: External, pinned_image: bool) -> list[Finding]:
    """What goes wrong without a word: LiteLLM leaves out an entry that it can't build, and is ready all the same."""
    return [
        *_provider(external, pinned_image),
        *_mode(external),
        *_wildcards(external),
        *_headers(external),
        *_url(external),
    ]


def _provider(external: External, pinned_image: bool) -> list[Finding]:
    provider = external.spec.provider
    if why := REFUSED.get(provider):
        cure = "openai for a server that speaks OpenAI's API"
        return [external.finding(("provider",), why, cure, provider)]
    if provider in PROVIDERS:
        return []
    message = f"LiteLLM knows no provider {provider}, and would leave the model out"
    cure = close_to(provider, PROVIDERS) or "openai for a server that speaks OpenAI's API"
    return [external.finding(("provider",), message, cure, provider, severity="error" if pinned_image else "warning")]


def _mode(external: External) -> list[Finding]:
    spec = external.spec
    if (cure := _IMPOSSIBLE.get((spec.provider, spec.mode))) is None:
        return []
    message = f"for {spec.provider} LiteLLM answers no request of the mode {spec.mode}"
    return [external.finding(("mode",), message, cure, spec.mode)]


def _wildcards(external: External) -> list[Finding]:
    """A * in a public name takes requests for models that nobody meant, so it has to be asked for."""
    spec = external.spec
    names: list[tuple[Path, str]] = [(("names", index), name) for index, name in enumerate(spec.names or [])]
    patterns = [(path, name) for path, name in (*names, (("model",), spec.model)) if "*" in name]
    if not spec.wildcard:
        message, cure = "a * would stand for the models of any name", "one name, or wildcard: true"
        return [external.finding(path, message, cure, name) for path, name in patterns]
    if patterns:
        return []
    message, cure = "no name has a *, so wildcard changes nothing", "a name such as openai/*, or no wildcard"
    return [external.finding(("wildcard",), message, cure, True, code="LOCO-NO-EFFECT", severity="warning")]


def _headers(external: External) -> list[Finding]:
    spec = external.spec
    findings = []
    for index, header in enumerate((spec.auth.headers if spec.auth else None) or []):
        path: Path = ("auth", "headers", index)
        bare = header.name.lower().replace("_", "-")
        if spec.mode == "rerank" or (spec.provider, spec.mode) == ("openai", "audio_speech"):
            message = f"LiteLLM sends no headers of your own with {spec.mode} to {spec.provider}"
            findings.append(external.finding(path, message, "apiKey or bearerToken", header.name, severity="warning"))
        elif bare == "authorization" and spec.provider == "hosted_vllm":
            message = "for hosted_vllm LiteLLM writes an Authorization header of its own over this one"
            findings.append(
                external.finding(path, message, "provider: openai, or apiKey", header.name, severity="warning")
            )
        elif header.value is not None and any(word in bare for word in _CREDENTIAL_WORDS):
            message = f"the value of {header.name} stands in plain text in the model file and in a ConfigMap"
            cure = "valueFrom: {secretKeyRef: {name: …, key: …}}, if it is a secret"
            findings.append(external.finding(path, message, cure, header.name, code="LOCO-SECRET", severity="warning"))
    return findings


def _url(external: External) -> list[Finding]:
    path = urlsplit(external.spec.url).path.rstrip("/")
    if external.spec.provider != "anthropic" or not path.endswith("/v1"):
        return []
    message = "for anthropic LiteLLM adds /v1 itself, so requests would go to /v1/v1"
    return [external.finding(("url",), message, "the URL without /v1", external.spec.url, severity="warning")]
