"""The HTTPRoute or Ingress through which a gateway is reached, with time for answers that are streamed for minutes."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from loco import names
from loco.gateway.documents import Gateway
from loco.gateway.external_urls import unknown_scheme
from loco.gateway.front_door import is_chosen, shut_front_door, unknown_listener
from loco.gateway.hostnames import shared_hostnames
from loco.gateway.pod import PORT
from loco.model import Edge, Finding, Manifest, ManifestId, Parts
from loco.spec import GATEWAY, Platform
from loco.spec.exposure import ExposingIngress, Exposure

_GATEWAY_GROUP = "gateway.networking.k8s.io"
_UNLIMITED = {"request": "0s", "backendRequest": "0s"}
# What keeps an answer from being cut off or held back, by what the name of an Ingress class begins with. None of these
# has a word for unlimited in all its versions, so it is an hour. Traefik has no limit of its own for answers. nginx
# refuses requests beyond 1 MiB, which an image or a recording soon has; 0 stands for any size.
_STREAMING: Mapping[str, Mapping[str, str]] = {
    "nginx": {
        "nginx.ingress.kubernetes.io/proxy-body-size": "0",
        "nginx.ingress.kubernetes.io/proxy-buffering": "off",
        "nginx.ingress.kubernetes.io/proxy-read-timeout": "3600",
        "nginx.ingress.kubernetes.io/proxy-send-timeout": "3600",
    },
    "haproxy": {"haproxy.org/timeout-server": "1h", "haproxy-ingress.github.io/timeout-server": "1h"},
    "alb": {"alb.ingress.kubernetes.io/load-balancer-attributes": "idle_timeout.timeout_seconds=3600"},
    "traefik": {},
}


def expose_gateways(gateways: Iterable[Gateway], platform: Platform) -> Parts:
    """A route or an Ingress for each gateway that asks for one, after the Service that it leads to."""
    parts = Parts()
    exposed: list[tuple[Gateway, Manifest]] = []
    for gateway in gateways:
        exposure = gateway.spec.expose
        if exposure is None:
            continue
        made, findings = _made(gateway, exposure, platform)
        parts.findings += findings
        if made is not None:
            parts.findings += shut_front_door(gateway, exposure, platform)
            parts.findings += unknown_listener(gateway, exposure, platform)
            parts.findings += unknown_scheme(gateway, exposure, platform)
            service = ManifestId("v1", "Service", gateway.namespace, names.gateway(gateway.name))
            parts.manifests.append(made)
            parts.edges.append(Edge(service, made.id, "it leads to the Service"))
            exposed.append((gateway, made))
    parts.findings += shared_hostnames(exposed)
    return parts


def _made(gateway: Gateway, exposure: Exposure, platform: Platform) -> tuple[Manifest | None, list[Finding]]:
    metadata: dict[str, Any] = {
        "name": names.gateway(gateway.name),
        "namespace": gateway.namespace,
        "labels": names.gateway_labels(gateway.name),
    }
    component = names.owner(GATEWAY, gateway.namespace, gateway.name)
    if exposure.ingress is not None:
        data, findings = _ingress(gateway, exposure, exposure.ingress)
        annotations = {**_kept_streaming(exposure.ingress), **(exposure.ingress.annotations or {})}
        if annotations:
            metadata["annotations"] = annotations
        ingress = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata, "spec": data}
        return Manifest(ingress, component, gateway.origin), findings
    parent = _parent(exposure, platform)
    if parent is None:
        message = "the gateway has hostnames, and no Gateway to bind them to"
        cure = (
            "platform: {gateway: {name: NAME, namespace: NS}} in the stack config, or expose.gateway, or expose.ingress"
        )
        origin = gateway.origin_at("expose")
        return None, [Finding("LOCO-VALUE", "error", "spec.expose", message, cure, origin, gateway.subject)]
    rule = {
        "name": "all",
        "matches": [{"path": {"type": "PathPrefix", "value": "/"}}],
        "backendRefs": [{"kind": "Service", "name": names.gateway(gateway.name), "port": PORT, "weight": 1}],
        "timeouts": dict(_UNLIMITED),
    }
    spec = {"parentRefs": [parent], "hostnames": list(exposure.hostnames), "rules": [rule]}
    route = {"apiVersion": f"{_GATEWAY_GROUP}/v1", "kind": "HTTPRoute", "metadata": metadata, "spec": spec}
    return Manifest(route, component, gateway.origin), _takes_all(gateway, exposure, platform)


def _parent(exposure: Exposure, platform: Platform) -> dict[str, Any] | None:
    chosen, default = exposure.gateway, platform.gateway
    if chosen is not None:
        found = {"name": chosen.name, "namespace": chosen.namespace, "sectionName": chosen.section_name}
    elif default is not None and default.name is not None:
        found = {"name": default.name, "namespace": default.namespace}
    else:
        return None
    parent = {"group": _GATEWAY_GROUP, "kind": "Gateway", **found}
    return {key: value for key, value in parent.items() if value}


def _ingress(gateway: Gateway, exposure: Exposure, ingress: ExposingIngress) -> tuple[dict[str, Any], list[Finding]]:
    service = {"name": names.gateway(gateway.name), "port": {"number": PORT}}
    http = {"paths": [{"path": "/", "pathType": "Prefix", "backend": {"service": service}}]}
    spec: dict[str, Any] = {
        "ingressClassName": ingress.class_name,
        "rules": [{"host": host, "http": http} for host in exposure.hostnames],
    }
    if ingress.tls_secret is not None:
        spec["tls"] = [{"hosts": list(exposure.hostnames), "secretName": ingress.tls_secret}]
    known = any(ingress.class_name.startswith(word) for word in _STREAMING)
    if known or ingress.annotations:
        return spec, []
    message = f"nothing is known of how long the Ingress class {ingress.class_name} lets an answer take"
    cure = "annotations: {…} that let a streamed answer take minutes; or expose.gateway in place of ingress"
    where, origin = "spec.expose.ingress.className", gateway.origin_at("expose", "ingress", "className")
    return spec, [
        Finding("LOCO-STREAMING", "warning", where, message, cure, origin, gateway.subject, ingress.class_name)
    ]


def _kept_streaming(ingress: ExposingIngress) -> Mapping[str, str]:
    return next((found for word, found in _STREAMING.items() if ingress.class_name.startswith(word)), {})


def _takes_all(gateway: Gateway, exposure: Exposure, platform: Platform) -> list[Finding]:
    """A route for a hostname takes every request to it, those for the models' own paths too."""
    fact = platform.gateway
    host = urlsplit(fact.url).hostname if fact is not None and fact.url is not None else None
    other = exposure.gateway is not None and (
        fact is None or not is_chosen(exposure, gateway, fact.name, fact.namespace)
    )
    if host not in exposure.hostnames or other:
        return []
    message = f"requests to {host} all go to this gateway, and those for the models' own paths no longer to them"
    cure = "a hostname that differs from that of platform.gateway.url"
    where, origin = "spec.expose.hostnames", gateway.origin_at("expose", "hostnames")
    return [Finding("LOCO-SHADOWED", "warning", where, message, cure, origin, gateway.subject, host)]
