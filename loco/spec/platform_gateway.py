"""What a stack is told of Gateways and routes, and how it asks for a Gateway of its own making."""

from typing import Annotated, Literal, Self
from urllib.parse import urlsplit, urlunsplit

from pydantic import Field, model_validator

from loco.spec.base import Spec
from loco.spec.peer import Peer
from loco.spec.texts import HTTPURL, Annotations, DNSLabel, Hostname, Labels, ObjectName

_DEFAULT_PORTS = {"http": 80, "https": 443}
_MOST_LISTENERS = 64  # of one Gateway, as the Gateway API has it


Port = Annotated[int, Field(ge=1, le=65535)]
RouteForm = Literal["twelveRules", "tenRules"]


class CertificateReference(Spec):
    """A Secret of type kubernetes.io/tls."""

    name: ObjectName
    namespace: DNSLabel | None = Field(None, description="By default the Gateway's own.")


class Listener(Spec):
    """One port of a Gateway; HTTPS where it has a certificate."""

    name: ObjectName
    port: Port
    hostname: Hostname | None = None
    certificate: CertificateReference | None = None

    @property
    def scheme(self) -> str:
        return "https" if self.certificate is not None else "http"

    def url_of(self, host: str) -> str:
        """The root of what it serves under a hostname."""
        port = "" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


def covers(pattern: str, host: str) -> bool:
    """Whether a hostname of a route or listener is the host's, or one with * before it covers it."""
    return host == pattern or (pattern.startswith("*.") and host.endswith(pattern[1:]))


def _http() -> list[Listener]:
    return [Listener.model_validate({"name": "http", "port": 80})]


class ManagedGateway(Spec):
    """A Gateway that the stack makes."""

    class_name: ObjectName = Field(description="Its GatewayClass.")
    labels: Labels | None = None
    annotations: Annotations | None = None
    listeners: Annotated[list[Listener], Field(min_length=1, max_length=_MOST_LISTENERS)] = Field(
        default_factory=_http, description="By default one for HTTP at port 80."
    )
    allowed_routes: Literal["All"] | list[DNSLabel] | None = Field(
        None, description="Namespaces whose routes it takes; by default those that the stack has routes in."
    )

    @model_validator(mode="after")
    def _told_apart(self) -> "ManagedGateway":
        names = [listener.name for listener in self.listeners]
        if len(set(names)) < len(names):
            raise ValueError("a name for each listener; routes refer to them by it")
        places = [(listener.port, listener.hostname) for listener in self.listeners]
        if len(set(places)) < len(places):
            raise ValueError("two listeners at one port need two hostnames")
        schemes = {listener.port: listener.scheme for listener in self.listeners}
        if any(schemes[listener.port] != listener.scheme for listener in self.listeners):
            raise ValueError("listeners at one port have certificates, all of them or none")
        return self


class KnownGateway(Spec):
    """A Gateway that routes may be bound to."""

    name: ObjectName | None = None
    namespace: DNSLabel | None = None
    url: HTTPURL | None = None
    internal_url: HTTPURL | None = Field(None, alias="internalURL")
    model_based_routing: bool | None = Field(
        None, description="False: requests aren't routed by the header that names their model."
    )
    create: ManagedGateway | None = Field(None, description="The stack makes this Gateway.")

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.namespace is not None and self.name is None:
            raise ValueError("a namespace goes with the name of the Gateway in it")
        if self.create is not None and (self.name is None or self.namespace is None):
            raise ValueError("a Gateway that the stack makes needs name: NAME and namespace: NS")
        return self

    def external_url(self) -> str | None:
        """Where it is reached from outside: as stated, else by the hostname of a listener of loco's making."""
        if self.url or self.create is None:
            return self.url
        hosts = [each.hostname for each in self.create.listeners if each.hostname and not each.hostname.startswith("*")]
        urls = [url for host in hosts if (url := self.url_of(host)) is not None]
        return min(urls, key=lambda url: not url.startswith("https"), default=None)

    def url_of(self, host: str) -> str | None:
        """Its root under a hostname that a route has; None where its scheme and port aren't known.

        By its listeners where the stack makes it, however it is reached under the hostname of ``url``.
        """
        if self.url is not None and (self.create is None or urlsplit(self.url).hostname == host):
            parts = urlsplit(self.url)
            port = f":{parts.port}" if parts.port else ""
            return urlunsplit(parts._replace(netloc=f"{host}{port}"))
        listeners = self.create.listeners if self.create is not None else ()
        taking = [each for each in listeners if each.hostname is None or covers(each.hostname, host)]
        best = min(taking, key=lambda listener: listener.scheme != "https", default=None)
        return best.url_of(host) if best is not None else None


class GatewayFact(KnownGateway):
    """The platform's shared Gateway."""

    peers: list[Peer] | None = Field(
        None, description="Who calls engines and endpoint pickers for it; what a NetworkPolicy lets in."
    )


class OtherGateway(KnownGateway):
    """Another Gateway, which services name in ``router.gateway.refs``."""

    name: ObjectName


class Routes(Spec):
    """How requests are routed."""

    form: RouteForm = Field(
        "twelveRules", description="Rules of a route; tenRules is the older form, which has no publisher paths."
    )
    model_based_routing: Literal["enabled", "forced", "disabled"] = Field(
        "enabled", description="By the header that names the model; forced: whatever a Gateway says of itself."
    )
    granted: list[DNSLabel] | None = Field(
        None, description="Namespaces outside of the stack whose ReferenceGrants let its routes and Gateways in."
    )
