"""Stacks that are watched, and what of their plans is looked at."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from loco.model import Manifest
from loco.plan import Plan
from tests.plan.stacks import LOCO_API, external, gateway, one, plan_of, service

ROUTED = {"router": {"route": {}, "scheduler": {}}}
GROUPS = {"worker": {}, "parallelism": {"data": 4, "dataLocal": 2}}
PLATFORM = {
    "gateway": {"name": "shared", "internalURL": "http://inside", "peers": [{"namespace": "envoy"}]},
    "monitoring": {"peers": [{"namespace": "monitoring"}]},
}
ON = {"enabled": True}
EVERYTHING = {"traces": {"endpoint": "http://collector:4318"}, "metrics": {}, "dashboard": {}, "alerts": {}}


def observability(
    spec: Mapping[str, Any] | None = None, name: str = "observability-dev", **metadata: Any
) -> dict[str, Any]:
    """A document of the stack ``dev``'s."""
    about = {"name": name, **metadata}
    return {"apiVersion": LOCO_API, "kind": "Observability", "metadata": about, "spec": dict(spec or {})}


def model(name: str, spec: Mapping[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    """A service that serves a name of its own."""
    return service({"model": {"uri": "hf://org/m", "name": name}, **(spec or {})}, name, **metadata)


def watched(spec: Mapping[str, Any], *documents: Mapping[str, Any], **config: Any) -> Plan:
    """The plan of a stack that is watched, by default of one gateway with one model."""
    settings = {"platform": PLATFORM, "observability": ON, **config}
    return plan_of(*(documents or (external(), gateway())), observability(spec), **settings)


def wide(spec: Mapping[str, Any] = EVERYTHING, **config: Any) -> Plan:
    """Every sort of pod, in two namespaces."""
    return watched(
        spec,
        model("one", ROUTED),
        model("two"),
        model("split", {"prefill": {}, **ROUTED}),
        model("groups", GROUPS),
        model("far", ROUTED, namespace="elsewhere"),
        gateway(),
        **config,
    )


def ours(plan: Plan) -> list[Manifest]:
    """The objects of the Observability."""
    return [manifest for manifest in plan.manifests if (manifest.component or "").startswith("Observability/")]


def monitors(plan: Plan) -> dict[str, dict[str, Any]]:
    """The specs of the PodMonitors, by namespace and name."""
    return {f"{m.namespace}/{m.name}": m.data["spec"] for m in plan.manifests if m.id.kind == "PodMonitor"}


def graphs(plan: Plan) -> dict[str, Any]:
    """The dashboard."""
    (text,) = one(plan, "ConfigMap", "observability-dev-dashboard").data["data"].values()
    found: dict[str, Any] = json.loads(text)
    return found


def rules(plan: Plan) -> list[dict[str, Any]]:
    """The alert rules, of all groups."""
    return [rule for group in one(plan, "PrometheusRule").data["spec"]["groups"] for rule in group["rules"]]


def queries(plan: Plan) -> Iterator[str]:
    """Every query of the dashboard, with all of its namespaces chosen, and of the alert rules."""
    dashboard = graphs(plan)
    (namespace,) = (each for each in dashboard["templating"]["list"] if each["name"] == "namespace")
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield target["expr"].replace("$namespace", namespace["allValue"])
    yield from (rule["expr"] for rule in rules(plan))
