"""A plan as a Mermaid flowchart: who calls whom, through which Gateway, route, pool and Service."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import yaml

from loco import names
from loco.gateway.pod import CONFIG_FILE
from loco.model import Manifest
from loco.model.pod_templates import pod_templates
from loco.plan import Plan
from loco.spec import SERVICE

_CLIENTS = ("clients", "clients", "clients")
_SHAPES = {
    "clients": '(["{}"])',
    "Gateway": '{{{{"{}"}}}}',
    "HTTPRoute": '>"{}"]',
    "Ingress": '>"{}"]',
    "InferencePool": '[("{}")]',
    "Service": '("{}")',
}
_OTHERS = '["{}"]'

Key = tuple[str, str, str]  # kind, namespace, name


@dataclass
class _Chart:
    """Nodes by namespace in the order in which they were named, and arrows, each once."""

    ids: dict[Key, str] = field(default_factory=dict)
    arrows: dict[tuple[Key, Key, str], None] = field(default_factory=dict)

    def arrow(self, source: Key, target: Key, label: str = "") -> None:
        for key in (source, target):
            self.ids.setdefault(key, f"n{len(self.ids)}")
        self.arrows[source, target, label] = None

    def text(self) -> str:
        lines = ["flowchart LR"]
        namespaces = dict.fromkeys(namespace for kind, namespace, _ in self.ids if kind != "clients")
        if _CLIENTS in self.ids:
            lines.append(f"  {self._node(_CLIENTS)}")
        for number, namespace in enumerate(namespaces):
            lines.append(f'  subgraph s{number}["{_safe(namespace or "outside of the cluster")}"]')
            lines += [f"    {self._node(key)}" for key in self.ids if key[1] == namespace and key != _CLIENTS]
            lines.append("  end")
        for source, target, label in self.arrows:
            said = f'|"{_safe(label)}"|' if label else ""
            lines.append(f"  {self.ids[source]} -->{said} {self.ids[target]}")
        return "\n".join(lines) + "\n"

    def _node(self, key: Key) -> str:
        kind, _, name = key
        text = _safe(name) if kind == "clients" else f"{_safe(kind)}<br/>{_safe(name)}"
        return self.ids[key] + _SHAPES.get(kind, _OTHERS).format(text)


def mermaid(plan: Plan) -> str:
    """The flowchart's text; Mermaid draws it as it is."""
    chart = _Chart()
    pods = list(_pods(plan.manifests))
    for manifest in plan.manifests:
        match manifest.id.kind:
            case "HTTPRoute":
                _route(chart, manifest)
            case "Ingress":
                _ingress(chart, manifest)
            case "InferencePool":
                _pool(chart, manifest, pods)
    _prefill(chart, plan)
    _litellm(chart, plan)
    for manifest in plan.manifests:
        if manifest.id.kind == "Service" and (_key(manifest) in chart.ids or not _is_called(plan, manifest)):
            for target in _selected(manifest.data["spec"].get("selector") or {}, manifest.namespace, pods):
                chart.arrow(_key(manifest), target)
    return chart.text()


def _route(chart: _Chart, route: Manifest) -> None:
    spec = route.data["spec"]
    hosts = ", ".join(spec.get("hostnames") or [])
    for parent in spec.get("parentRefs") or []:
        gateway = ("Gateway", parent.get("namespace") or route.namespace, parent["name"])
        chart.arrow(_CLIENTS, gateway)
        chart.arrow(gateway, _key(route), hosts)
    weights: dict[Key, set[Any]] = {}
    for rule in spec.get("rules") or []:
        shares = len(rule.get("backendRefs") or []) > 1
        for backend in rule.get("backendRefs") or []:
            target = (backend.get("kind") or "Service", backend.get("namespace") or route.namespace, backend["name"])
            weights.setdefault(target, set()).update([backend.get("weight", 1)] if shares else [])
    for target, found in weights.items():
        chart.arrow(_key(route), target, f"weight {', '.join(map(str, sorted(found)))}" if found else "")


def _ingress(chart: _Chart, ingress: Manifest) -> None:
    rules = ingress.data["spec"]["rules"]
    chart.arrow(_CLIENTS, _key(ingress), ", ".join(rule["host"] for rule in rules))
    for rule in rules:
        for path in rule["http"]["paths"]:
            chart.arrow(_key(ingress), ("Service", ingress.namespace, path["backend"]["service"]["name"]))


def _pool(chart: _Chart, pool: Manifest, pods: Iterable[tuple[Key, Mapping[str, str]]]) -> None:
    spec = pool.data["spec"]
    picker = spec.get("endpointPickerRef") or spec.get("extensionRef") or {}
    if picker.get("name"):
        chart.arrow(_key(pool), ("Service", pool.namespace, picker["name"]), "which engine?")
    selector = spec.get("selector") or {}
    labels = selector.get("matchLabels", selector) or {}
    for target in _selected(labels, pool.namespace, list(pods)):
        chart.arrow(_key(pool), target)


def _prefill(chart: _Chart, plan: Plan) -> None:
    """A service's decode pods to its prefill pods, which their sidecar asks first."""
    sides: dict[tuple[str | None, str], dict[Key, None]] = {}
    for manifest in plan.manifests:
        for key, labels in _pods([manifest]):
            sides.setdefault((manifest.component, labels.get(names.ROLE, "")), {})[key] = None
    for (component, role), sources in sides.items():
        for source in sources if role == "decode" else ():
            for target in sides.get((component, "prefill"), ()):
                chart.arrow(source, target, "prefill")


def _litellm(chart: _Chart, plan: Plan) -> None:
    """Each gateway to what its own config calls: the stack's models by route or Service, others by their host."""
    known = {
        address["url"]: _target(plan, output, address["name"])
        for output in plan.outputs["models"].values()
        for address in output["addresses"]
        if "header" not in address
    }
    for gateway in plan.gateways:
        here: Key = ("Deployment", gateway.namespace, names.gateway(gateway.name))
        if gateway.spec.expose is None:  # with it, clients come by its route or Ingress
            chart.arrow(_CLIENTS, ("Service", gateway.namespace, names.gateway(gateway.name)))
        config = next((m for m in plan.manifests if _key(m) == _config_of(gateway.namespace, gateway.name)), None)
        for entry in _entries(config):
            called = entry.get("litellm_params") or {}
            base = str(called.get("api_base") or "")
            host = urlsplit(base).hostname or str(called.get("model", "")).partition("/")[0]
            target = known.get(base.removesuffix("/").removesuffix("/v1"), ("external model", "", host))
            share = f", weight {called['weight']}" if "weight" in called else ""
            chart.arrow(here, target, f"{entry.get('model_name', '')}{share}")


def _entries(config: Manifest | None) -> list[dict[str, Any]]:
    text = config.data["data"][CONFIG_FILE] if config is not None else ""
    found: list[dict[str, Any]] = (yaml.safe_load(text) or {}).get("model_list") or []
    return found


def _config_of(namespace: str, name: str) -> Key:
    return ("ConfigMap", namespace, names.gateway_config(name))


def _target(plan: Plan, output: Mapping[str, Any], address: str) -> Key:
    if address == "service":
        return ("Service", output["namespace"], output["workloads"]["service"])
    subject = names.owner(SERVICE, output["namespace"], output["name"])
    routes = [m for m in plan.manifests if m.id.kind == "HTTPRoute" and m.component == subject]
    return _key(routes[-1])


def _is_called(plan: Plan, service: Manifest) -> bool:
    """Whether something draws an arrow to it if it is called at all: pickers, tokenizers, LiteLLM gateways."""
    engines = {(m["namespace"], m["workloads"]["service"]) for m in plan.outputs["models"].values()}
    return (service.namespace, service.name) not in engines


def _pods(manifests: Iterable[Manifest]) -> Iterator[tuple[Key, Mapping[str, str]]]:
    for manifest in manifests:
        for _, template in pod_templates(manifest.data):
            yield _key(manifest), (template.get("metadata") or {}).get("labels") or {}


def _selected(
    selector: Mapping[str, str], namespace: str, pods: Iterable[tuple[Key, Mapping[str, str]]]
) -> Iterator[Key]:
    for key, labels in pods:
        if selector and key[1] == namespace and selector.items() <= labels.items():
            yield key


def _key(manifest: Manifest) -> Key:
    return (manifest.id.kind, manifest.namespace, manifest.name)


def _safe(text: str) -> str:
    """Text between quotes of a node or an arrow; Mermaid writes other signs as the numbers of Unicode."""
    return "".join(sign if sign.isalnum() or sign in " -_./:,?()*" else f"#{ord(sign)};" for sign in text)
