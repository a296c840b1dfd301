"""Which models a gateway serves, under which names, and how it reaches the stack's own."""

from collections.abc import Iterable

from loco.gateway.documents import External, Gateway
from loco.gateway.pod import CONFIG_FILE, IMAGE
from loco.model import Finding, ServedModel
from loco.spec.texts import is_model_name
from loco.spec.tree import Path

_LARGEST = 1024 * 1024 - len(CONFIG_FILE)  # bytes of text that a ConfigMap holds, beside the key


def service_url(model: ServedModel, gateway: Gateway, findings: list[Finding]) -> str | None:
    """Through the platform's gateway where only that reaches the endpoint picker, else straight to the Service.

    None where there is no way, with a finding that says why.
    """
    via = gateway.spec.via or ("gateway" if model.routed and model.scheduled else "service")
    target = f"{model.namespace}/{model.name}"
    if via == "service":
        if model.stack is not None and model.service_url.startswith("https:"):
            findings.append(_unknown_authority(gateway, model, model.stack))
            return None
        return model.service_url
    if model.routed_url is None:
        why = "no Gateway of its route has an internalURL for it" if model.routed else "the model has no route"
        message = f"the gateway {gateway.name} can't reach {target} through the platform's gateway: {why}"
        cure = (
            "platform: {gateway: {internalURL: http://HOST}} in the stack config, or via: service in the gateway's spec"
        )
        findings.append(gateway.finding(("via",), message, cure))
    return model.routed_url


def _unknown_authority(gateway: Gateway, model: ServedModel, stack: str) -> Finding:
    """Its certificate is signed by an authority of its own, which is in the other stack's state alone."""
    target = f"{model.namespace}/{model.name}"
    message = (
        f"the gateway {gateway.name} would call {target} of the stack {stack} at its Service by HTTPS, and can't trust "
        "its authority, which only that stack has"
    )
    if model.routed_url is not None:
        cure = "via: gateway in the gateway's spec"
    elif model.routed:
        cure = "platform: {gateway: {internalURL: http://HOST}} in the config of that stack, and via: gateway here"
    else:
        cure = "router: {route: {}} in the model, platform.gateway.internalURL in its stack's config, and via: gateway here"
    return gateway.finding(("via",), message, cure, value=gateway.spec.via)


def bad_names(gateway: Gateway, models: Iterable[ServedModel]) -> list[Finding]:
    """``LOCO-VALUE`` for a served name that would mean something else in the gateway's config."""
    findings = []
    for model in models:
        for name in (model.served_names[0], *model.adapters):
            if not is_model_name(name):
                message = f"the gateway {gateway.name} can't serve a model by this name"
                cure = "a name without a *, or a label that the gateway's selector doesn't take"
                subject = f"LLMInferenceService/{model.namespace}/{model.name}"
                path = "spec.model.lora.adapters" if name in model.adapters else "spec.model.name"
                findings.append(Finding("LOCO-VALUE", "error", path, message, cure, model.origin, subject, name))
    return findings


def unpinned_image(gateway: Gateway) -> list[Finding]:
    """``LOCO-UNPINNED`` for an image whose tag may move: two replicas could be two versions of LiteLLM."""
    image = gateway.spec.image
    if image is None or "@" in image:
        return []
    tag = image.rpartition("/")[2].partition(":")[2]
    if tag and tag != "latest" and not tag.startswith(("main-", "litellm_")):
        return []
    origin = gateway.origin_at("image")
    message, cure = "the tag of this image may move", f"a release or a digest, such as {IMAGE}"
    return [Finding("LOCO-UNPINNED", "warning", "spec.image", message, cure, origin, gateway.subject, image)]


def too_large(gateway: Gateway, text: str, entries: int) -> list[Finding]:
    """``LOCO-VALUE`` for a config that no ConfigMap holds."""
    size = len(text.encode())
    if size <= _LARGEST:
        return []
    message = f"the gateway's config of {entries} models has {size} bytes, and a ConfigMap holds {_LARGEST}"
    cure = "several gateways, each with models of its own labels"
    return [gateway.finding(("models",), message, cure)]


def nothing_selected(gateway: Gateway) -> Finding:
    """A warning: such a gateway starts, is ready, and answers nothing."""
    wanted = gateway.spec.models.match_labels
    message = "no model has these labels, so the gateway serves none" if wanted else "the stack has no model to serve"
    cure = "labels that the models' metadata have" if wanted else "an LLMInferenceService or an ExternalModel"
    path: Path = ("models", "matchLabels") if wanted else ("models",)
    return gateway.finding(path, message, cure, wanted or None, code="LOCO-NO-EFFECT", severity="warning")


def unserved(gateways: Iterable[Gateway], external: Iterable[External]) -> list[Finding]:
    """``LOCO-NO-EFFECT`` for each external model that no gateway takes, so that nothing of it is anywhere."""
    gateways = tuple(gateways)
    message, cure = "no gateway serves this model", "a LiteLLMGateway whose selector takes it"
    return [
        Finding("LOCO-NO-EFFECT", "warning", "", message, cure, model.origin, model.subject)
        for model in external
        if not any(gateway.takes(model.labels) for gateway in gateways)
    ]
