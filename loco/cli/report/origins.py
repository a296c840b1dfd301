"""Where what stands in a manifest was written: the layer, file and line of the spec's own value."""

from typing import Any

from loco import names
from loco.cli.report.structure import Path
from loco.cli.report.template_causes import ADDITIONAL, Find, credential_of
from loco.gateway import Gateway
from loco.layers import Layered, Resolved, enabled, layer
from loco.model import ManifestId, Origin
from loco.plan import Plan
from loco.plan.service import template_places
from loco.spec import EXTERNAL_MODEL, StackSpec
from loco.spec.external_model import ExternalModelSpec
from loco.spec.tree import Leaf, Node, Row, at, child
from loco.spec.tree import Path as SpecPath

# Flags that loco derives, by the field that they follow from.
_FLAG_FIELDS: dict[str, SpecPath] = {
    "--tensor-parallel-size": ("parallelism", "tensor"),
    "--pipeline-parallel-size": ("parallelism", "pipeline"),
    "--data-parallel-size": ("parallelism", "data"),
    "--data-parallel-size-local": ("parallelism", "dataLocal"),
    "--enable-expert-parallel": ("parallelism", "expert"),
    "--served-model-name": ("model", "name"),
    "--enable-lora": ("model", "lora"),
    "--lora-modules": ("model", "lora"),
    "--kv-transfer-config": ("prefill",),
}
_PLACEMENT = ("resources", "nodeSelector", "tolerations", "affinity", "topologySpreadConstraints", "priorityClassName")
# What a rotation makes anew, in a cause's words: the field of ``rotation``, and that of a gateway which asks for it.
_ROTATED = {
    "master key": ("masterKeys", "masterKey"),
    "salt key": ("saltKeys", "saltKey"),
    "rotation of certificates": ("certificates", ""),
}
# LiteLLM's parameters, by the field of the model that they come from.
_PARAMETERS: dict[str, SpecPath] = {
    "model": ("model",),
    "api_base": ("url",),
    "api_key": ("auth",),
    "extra_headers": ("auth", "headers"),
    "timeout": ("timeoutSeconds",),
    "stream_timeout": ("streamTimeoutSeconds",),
    "num_retries": ("retries",),
    "rpm": ("limits", "requestsPerMinute"),
    "tpm": ("limits", "tokensPerMinute"),
    "max_parallel_requests": ("limits", "parallelRequests"),
    "weight": ("weight",),
    "order": ("order",),
}
_ROUTER = {
    "fallbacks": "fallbacks",
    "context_window_fallbacks": "contextWindowFallbacks",
    "content_policy_fallbacks": "contentPolicyFallbacks",
    "default_fallbacks": "defaultFallbacks",
    "model_group_alias": "aliases",
}


class Origins:
    """The places of one plan's files."""

    def __init__(self, stack: StackSpec, plan: Plan) -> None:
        self._stack = stack
        self._services = {service.subject: service for service in plan.resolved}
        self._gateways = {gateway.subject: gateway for gateway in plan.gateways}
        self._models: dict[str, Layered[Any]] = {}
        for document in stack.documents:
            if document.kind == EXTERNAL_MODEL and enabled(document, stack):
                found, _ = layer(document, stack, ExternalModelSpec)
                if found is not None:
                    self._models[document.subject] = found

    def template(self, owner: str | None, identity: ManifestId, number: int) -> Find:
        """Finds the places of a workload's template, the one of that number."""
        if service := self._services.get(owner or ""):
            found = template_places(service).get((identity.kind, identity.name), ())
            place = found[number] if number < len(found) else None
            return lambda path: self._in_service(service, place, path)
        if gateway := self._gateways.get(owner or ""):
            return lambda path: self._in_gateway(gateway, path)
        return lambda path: None

    def replicas(self, owner: str | None, identity: ManifestId) -> Origin | None:
        """Who sets how many replicas a workload has."""
        if service := self._services.get(owner or ""):
            prefill = identity.name in (names.prefill_workload(service.name), names.prefill_groups(service.name))
            return _origin(at(service.tree, ("prefill", "replicas") if prefill else ("replicas",)))
        gateway = self._gateways.get(owner or "")
        return _origin(at(gateway.tree, ("replicas",))) if gateway else None

    def document(self, subject: str) -> Origin | None:
        """Where a document stands."""
        return next((found.origin for found in self._stack.documents if found.subject == subject), None)

    def config(self, *path: str) -> Origin | None:
        """Who sets a value of the stack's config."""
        return _origin(at(self._stack.config_tree, path))

    def rotation(self, owner: str | None, what: str) -> str | None:
        """The field of the config's ``rotation`` by which something is made anew; None of what the stack doesn't make."""
        if what not in _ROTATED:
            return None
        field, key = _ROTATED[what]
        gateway = self._gateways.get(owner or "")
        if key and (gateway is None or at(gateway.tree, (key, "generate")) is None):
            return None
        return field

    def role(self, owner: str | None) -> Origin | None:
        """What makes a service one of prefill and decode, or else the service."""
        service = self._services.get(owner or "")
        if service is None:
            return None
        return _origin(at(service.tree, ("prefill",))) or service.origin

    def gateway_setting(self, subject: str, path: Path) -> Origin | None:
        """Who sets a value of LiteLLM's config outside of its list of models."""
        gateway = self._gateways.get(subject)
        if gateway is None:
            return None
        if (node := _walk(at(gateway.tree, ("extraConfig",)), path)) is not None:
            return node.origin
        field = _ROUTER.get(path[1]) if len(path) > 1 and path[0] == "router_settings" else None
        return _origin(at(gateway.tree, (field,))) if field else None

    def gateway_entry(self, subject: str, model: str, path: Path) -> Origin | None:
        """Who sets a value of one model in LiteLLM's config; the model's document where no field does."""
        key = path[1] if len(path) > 1 and path[0] == "litellm_params" else ""
        if found := self._models.get(model):
            node = (
                at(found.tree, _PARAMETERS[key]) if key in _PARAMETERS else _walk(at(found.tree, ("params",)), path[1:])
            )
            if node is None and path[:2] == ("model_info", "mode"):
                node = at(found.tree, ("mode",))
            return node.origin if node is not None else found.origin
        if (gateway := self._gateways.get(subject)) and (settings := _settings(gateway, model)) is not None:
            node = at(settings, _PARAMETERS[key]) if key in _PARAMETERS else _walk(at(settings, ("params",)), path[1:])
            if node is not None:
                return node.origin
        return self.document(model)

    def _in_service(self, service: Resolved, place: SpecPath | None, path: Path) -> Origin | None:
        if path[:1] == ("metadata",):
            return self._metadata(service, path)
        if place is None:
            return None
        flag = path[-1] if path[-1].startswith("-") else None
        if flag is None and path[-1] != "script":
            return _origin(_walk(at(service.tree, place), path[1:]))
        written = _walk(at(service.tree, place), path[1:-1])
        container = _walk(at(service.tree, place), path[1:3])
        if flag is not None and (node := _word(written, flag) or _flag_in_text(container, flag)) is not None:
            return node.origin
        if flag is not None and flag in _FLAG_FIELDS and (node := at(service.tree, _FLAG_FIELDS[flag])) is not None:
            return node.origin
        if flag is not None and flag.startswith("--ssl-"):
            return self.config("platform", "tls")
        return _origin(_script(written) or _script(child(container, "command")))

    def _metadata(self, service: Resolved, path: Path) -> Origin | None:
        if path[1] == "annotations" and (found := self._digest(path[2])) is not None:
            return found
        for tree in (service.tree, service.metadata):
            if (node := at(tree, path[1:])) is not None:
                return node.origin
        return self.role(service.subject) if path[2:] == (names.ROLE,) else None

    def _in_gateway(self, gateway: Gateway, path: Path) -> Origin | None:
        if path[:2] == ("metadata", "annotations"):
            if path[2] == names.AUTHORITIES_DIGEST:
                return self.config("platform", "tls")
            if path[2].removeprefix(names.DIGEST_PREFIX) in ("master-key", "salt-key"):
                field = "masterKey" if path[2].endswith("master-key") else "saltKey"
                return _origin(at(gateway.tree, (field,)))
            return self._digest(path[2])
        below = path[3:] if path[:2] == ("spec", "containers") else path[1:]
        if below and below[0] in _PLACEMENT:
            return _origin(_walk(at(gateway.tree, ("placement",)), below))
        return _origin(_walk(gateway.tree, below)) if below and below[0] in ("image", "env") else None

    def _digest(self, annotation: str) -> Origin | None:
        """Where the config declares the credential of an annotation."""
        called = credential_of(annotation) or ""
        if not called.startswith("credential "):
            return None
        return self.config("credentials", called.removeprefix("credential "))


def _settings(gateway: Gateway, model: str) -> Node | None:
    """What a gateway says of one of the stack's own models."""
    _, _, name = model.partition("/")
    for key in (name, name.rpartition("/")[2]):
        if (found := at(gateway.tree, ("services", key))) is not None:
            return found
    return None


def _origin(node: Node | None) -> Origin | None:
    return node.origin if node is not None else None


def _walk(node: Node | None, path: Path) -> Node | None:
    """The node at a path whose steps into lists are the items' names."""
    for key in path:
        node = _item(node, key) if isinstance(node, Row) else child(node, key)
    return node if path else None


def _item(row: Row, key: str) -> Node | None:
    for field in ("name", "mountPath", "containerPort"):
        for item in row.items:
            value = child(item, field)
            if isinstance(value, Leaf) and str(value.value) == key:
                return item
    return child(row, int(key)) if key.isdigit() else None


def _word(words: Node | None, flag: str) -> Leaf | None:
    """The item of a list of arguments that is, or sets, a flag."""
    for item in words.items if isinstance(words, Row) else ():
        if isinstance(item, Leaf) and isinstance(item.value, str) and item.value.partition("=")[0] == flag:
            return item
    return None


def _flag_in_text(container: Node | None, flag: str) -> Node | None:
    """The variable with further arguments, where it has the flag."""
    value = _walk(container, ("env", ADDITIONAL, "value"))
    return value if isinstance(value, Leaf) and flag in str(value.value).replace("=", " ").split() else None


def _script(words: Node | None) -> Leaf | None:
    for item in words.items if isinstance(words, Row) else ():
        if isinstance(item, Leaf) and isinstance(item.value, str) and "\n" in item.value:
            return item
    return None
