"""Whether those who call for a gateway's clients from outside find a way in: a listener, and a NetworkPolicy's leave."""

from loco.gateway.documents import Gateway
from loco.model import Finding
from loco.spec import Platform
from loco.spec.exposure import Exposure


def shut_front_door(gateway: Gateway, exposure: Exposure, platform: Platform) -> list[Finding]:
    """``LOCO-NETWORK-POLICY`` for ``clients`` beside ``expose`` where nobody has named the proxies in between.

    Those of the platform's Gateway are its ``peers``. Of another Gateway or an Ingress only ``clients`` can name them;
    a range of addresses counts, or a namespace that is the Gateway's or has the name of the class in its own.
    """
    clients = gateway.spec.clients or ()
    fact, chosen, ingress = platform.gateway, exposure.gateway, exposure.ingress
    where = {peer.namespace for peer in clients if peer.namespace is not None}
    ranges = any(peer.cidr is not None for peer in clients)
    if ingress is not None:
        word = ingress.class_name.partition("-")[0]
        named, who = ranges or any(word in name for name in where), f"Ingress class {ingress.class_name}"
        cure = "clients: [{namespace: WHERE THE INGRESS CONTROLLER RUNS}] beside the others"
    elif chosen is None or (fact is not None and is_chosen(exposure, gateway, fact.name, fact.namespace)):
        named, who = bool(fact is not None and fact.peers), "platform's Gateway"
        cure = "platform: {gateway: {peers: [{namespace: WHERE ITS PODS RUN}]}} in the stack config"
    else:
        named, who = ranges or (chosen.namespace or gateway.namespace) in where, f"Gateway {chosen.name}"
        cure = "clients: [{namespace: WHERE ITS PODS RUN}] beside the others"
    if not clients or named:
        return []
    message = f"nobody names the pods that call for the {who}, and the NetworkPolicy of clients lets in no others"
    origin = gateway.origin_at("clients")
    return [Finding("LOCO-NETWORK-POLICY", "warning", "spec.clients", message, cure, origin, gateway.subject)]


def unknown_listener(gateway: Gateway, exposure: Exposure, platform: Platform) -> list[Finding]:
    """``LOCO-REFERENCE`` for a listener that a Gateway which the stack makes has not."""
    chosen = exposure.gateway
    if chosen is None or chosen.section_name is None:
        return []
    for fact in (platform.gateway, *(platform.gateways or ())):
        if fact is None or fact.create is None or not is_chosen(exposure, gateway, fact.name, fact.namespace):
            continue
        listeners = [listener.name for listener in fact.create.listeners]
        if chosen.section_name not in listeners:
            message = f"the Gateway {fact.name} has no listener called {chosen.section_name}"
            path = ("expose", "gateway", "sectionName")
            cure, value = f"one of {', '.join(listeners)}", chosen.section_name
            return [gateway.finding(path, message, cure, value, code="LOCO-REFERENCE")]
    return []


def is_chosen(exposure: Exposure, gateway: Gateway, name: str | None, namespace: str | None) -> bool:
    """Whether ``expose.gateway`` means this Gateway; each is in the LiteLLM gateway's namespace if none is named."""
    chosen = exposure.gateway
    assert chosen is not None
    own = gateway.namespace
    return chosen.name == name and (chosen.namespace or own) == (namespace or own)
