"""The tokenizer: vLLM's renderer, which tells the endpoint picker what tokens a prompt becomes."""

from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest, Wait
from loco.pods.certificate import mount_certificate, needs_certificate
from loco.pods.model_files import attach_model_files
from loco.pods.reading import in_template
from loco.pods.rules import refused_pod
from loco.pods.security import restrict
from loco.routing.picker_config import parsed
from loco.routing.picker_flags import config_text_in
from loco.spec.tree import Path, at, dotted, plain

TOKENIZER_TEMPLATE: Path = ("router", "scheduler", "tokenizer", "template")
_ASKING = ("token-producer", "precise-prefix-cache")  # what the types of plugins that need tokens begin with
_MODEL_PATH = "/mnt/models/base"
_RENDERER = "main"
_PORT, _PORT_NAME = 8000, "render-http"
_START_SECONDS = 600


def has_tokenizer(resolved: Resolved) -> bool:
    """Whether the service has one: asked for by itself, or because a plugin of the picker's config needs tokens."""
    return at(resolved.tree, TOKENIZER_TEMPLATE) is not None


def tokenizer_url(resolved: Resolved) -> str | None:
    """Where the picker finds it, None where there is none."""
    if not has_tokenizer(resolved):
        return None
    host, _ = names.in_cluster_hosts(names.tokenizer(resolved.name), resolved.namespace)
    return f"{'https' if resolved.tls else 'http'}://{host}:{_PORT}"


def tokenizer_deployment(resolved: Resolved, component: str) -> tuple[Manifest, list[Finding]]:
    """One pod with the model's files, of which it reads the tokenizer's."""
    pod: dict[str, Any] = plain(at(resolved.tree, TOKENIZER_TEMPLATE))  # type: ignore[arg-type]  # has_tokenizer
    containers = pod.setdefault("containers", [])
    renderer = next((container for container in containers if container.get("name") == _RENDERER), None)
    findings: list[Finding] = []
    if renderer is None:
        message = f"no container is called {_RENDERER}, so there is no tokenizer"
        cure = f"a container with name: {_RENDERER}"
        findings.append(in_template(resolved, ("containers",), message, cure, place=TOKENIZER_TEMPLATE))
    else:
        if needs_certificate(resolved):
            mount_certificate(pod, renderer, resolved)
        findings += attach_model_files(pod, renderer, resolved, TOKENIZER_TEMPLATE, path=_MODEL_PATH)
    findings += restrict(pod, resolved, TOKENIZER_TEMPLATE)
    findings += refused_pod(pod, resolved, TOKENIZER_TEMPLATE)
    labels = names.tokenizer_labels(resolved.name)
    data = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _metadata(resolved),
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": dict(labels)},
            "template": {"metadata": {"labels": dict(labels)}, "spec": pod},
        },
    }
    wait = Wait(timeout_seconds=_START_SECONDS)
    return Manifest(data, component, resolved.origin, wait, replace_on=("spec.selector",)), findings


def unasked_tokenizer(picker: Manifest, resolved: Resolved) -> list[Finding]:
    """``LOCO-NO-EFFECT`` where no plugin of the picker's config needs tokens; silent for a config in a file."""
    pods = picker.data["spec"]["template"]["spec"]["containers"]
    words = [container.get(key) or [] for container in pods for key in ("command", "args")]
    config = next((parsed(text) for each in words if (text := config_text_in(each)) is not None), None)
    if config is None:
        return []
    plugins = [plugin for plugin in config.get("plugins") or [] if isinstance(plugin, dict)]
    names_it = names.tokenizer(resolved.name) in str(plugins)  # a plugin of one's own, with its address
    if names_it or any(str(plugin.get("type")).startswith(_ASKING) for plugin in plugins):
        return []
    where = TOKENIZER_TEMPLATE[:-1]
    message = "no plugin of the endpoint picker's config needs tokens, so nobody asks the tokenizer"
    cure = "a token-producer, or a precise-prefix-cache-scorer, in router.scheduler.config.inline; or no tokenizer"
    path, origin = dotted(("spec", *where)), resolved.origin_at(*where)
    return [Finding("LOCO-NO-EFFECT", "warning", path, message, cure, origin, resolved.subject)]


def tokenizer_service(resolved: Resolved, component: str) -> Manifest:
    """In front of it, by the port's name."""
    data = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata(resolved),
        "spec": {
            "selector": names.tokenizer_labels(resolved.name),
            "ports": [{"name": _PORT_NAME, "port": _PORT, "targetPort": _PORT_NAME, "protocol": "TCP"}],
        },
    }
    return Manifest(data, component, resolved.origin, wait=Wait(skip=True))


def _metadata(resolved: Resolved) -> dict[str, Any]:
    return {
        "name": names.tokenizer(resolved.name),
        "namespace": resolved.namespace,
        "labels": names.tokenizer_labels(resolved.name),
    }
