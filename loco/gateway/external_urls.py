"""Where clients outside of the cluster reach a gateway: the hostnames of ``expose``, each with its scheme and port."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from loco.gateway.documents import Gateway
from loco.gateway.front_door import is_chosen
from loco.model import Finding
from loco.spec import Platform
from loco.spec.exposure import Exposure
from loco.spec.platform_gateway import KnownGateway, covers


def exposed_urls(gateway: Gateway, platform: Platform) -> list[str]:
    """Its URLs from outside, without those whose scheme nobody knows; of a hostname with * there is none."""
    exposure = gateway.spec.expose
    if exposure is None:
        return []
    urls = [_url(exposure, _fact(gateway, exposure, platform), host) for host in _hosts(exposure)]
    return [url for url in urls if url is not None]


def unknown_scheme(gateway: Gateway, exposure: Exposure, platform: Platform) -> list[Finding]:
    """What is amiss with the scheme of its URLs.

    ``LOCO-CONFIG`` as a warning for a listener of a Gateway that somebody else makes: the scheme of another of its
    listeners says nothing of this one's, so its URLs would be missing without a word. ``LOCO-NO-EFFECT`` for a scheme
    of no URL.
    """
    hosts, chosen = list(_hosts(exposure)), exposure.gateway
    if not hosts and exposure.scheme is not None:
        message, cure = "a hostname with * has no URL, and there is no other", "a hostname without *, or no scheme"
        path, code, value = ("expose", "scheme"), "LOCO-NO-EFFECT", exposure.scheme
        return [gateway.finding(path, message, cure, value, code=code, severity="warning")]
    fact = _fact(gateway, exposure, platform)
    made = fact is not None and fact.create is not None
    unknown = [host for host in hosts if _url(exposure, fact, host) is None]
    if chosen is None or chosen.section_name is None or made or not unknown:
        return []
    message = (
        f"nobody says whether the listener {chosen.section_name} of {chosen.name} serves HTTPS, "
        f"so externalURLs has none for {', '.join(unknown)}"
    )
    where = ("expose", "gateway", "sectionName")
    cure = "scheme: https, or http, beside hostnames"
    return [gateway.finding(where, message, cure, chosen.section_name, code="LOCO-CONFIG", severity="warning")]


def _hosts(exposure: Exposure) -> Iterator[str]:
    return (host for host in exposure.hostnames if not host.startswith("*"))


def _fact(gateway: Gateway, exposure: Exposure, platform: Platform) -> KnownGateway | None:
    """What the platform says of the Gateway that the route is bound to; None for an Ingress."""
    if exposure.ingress is not None:
        return None
    if exposure.gateway is None:
        return platform.gateway
    facts = [fact for fact in (platform.gateway, *(platform.gateways or ())) if fact is not None]
    return next((fact for fact in facts if is_chosen(exposure, gateway, fact.name, fact.namespace)), None)


def _url(exposure: Exposure, fact: KnownGateway | None, host: str) -> str | None:
    """The scheme that is stated wins; the port of what is known of the Gateway stays where it goes with the scheme."""
    known = _known_url(exposure, fact, host)
    if exposure.scheme is None or (known is not None and urlsplit(known).scheme == exposure.scheme):
        return known
    return f"{exposure.scheme}://{host}"


def _known_url(exposure: Exposure, fact: KnownGateway | None, host: str) -> str | None:
    if exposure.ingress is not None:
        return f"{'https' if exposure.ingress.tls_secret is not None else 'http'}://{host}"
    if fact is None:
        return None
    stated = urlsplit(fact.url or "").hostname == host
    section = exposure.gateway.section_name if exposure.gateway is not None else None
    if section is not None and not stated:
        listeners = fact.create.listeners if fact.create is not None else ()
        named = next((listener for listener in listeners if listener.name == section), None)
        taken = named is not None and (named.hostname is None or covers(named.hostname, host))
        return named.url_of(host) if named is not None and taken else None
    url = fact.url_of(host)
    return _root(url) if url is not None else None


def _root(url: str) -> str:
    """Without a path: a route for a hostname takes whatever is asked for there."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
