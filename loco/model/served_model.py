"""A model that this stack or another one serves, as a gateway needs to know it."""

from collections.abc import Mapping
from dataclasses import dataclass

from loco.model.manifest import ManifestId
from loco.model.origin import Origin


@dataclass(frozen=True, slots=True)
class ServedModel:
    """Where one LLMInferenceService answers, and to which names.

    Attributes:
        served_names: what a request may give as ``model``; the plain name first.
        labels: of the document's metadata, for selectors.
        service_url: base URL of the workload Service, without ``/v1``.
        routed_url: base URL of the same model through the platform's gateway, None without a route or its URL.
        scheduled: whether an endpoint picker stands behind the route, which only routed requests reach.
        routed: whether it has a route.
        adapters: names of its LoRA adapters, each a model to its clients.
        group: the traffic group of its namespace that it is a member of.
        weight: its share of the group's requests.
        certificate: the Secret with its serving certificate, None where it serves no HTTPS or is another stack's.
        stack: the other stack that serves it, None for this one.
    """

    namespace: str
    name: str
    served_names: tuple[str, ...]
    labels: Mapping[str, str]
    service_url: str
    routed_url: str | None
    routed: bool
    scheduled: bool
    origin: Origin
    certificate: ManifestId | None = None
    adapters: tuple[str, ...] = ()
    group: str | None = None
    weight: int | None = None
    stack: str | None = None
