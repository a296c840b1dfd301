"""Pods whose metrics a Prometheus may read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from loco.model.manifest import ManifestId

Sort = Literal["engine", "picker"]


@dataclass(frozen=True, slots=True)
class Authority:
    """Key ``key`` of the Secret ``secret`` holds whom a scraper is to trust, who then meets ``server_name``."""

    secret: str
    key: str
    server_name: str


@dataclass(frozen=True, slots=True)
class ScrapeTarget:
    """The pods of one workload of a service that serve ``/metrics`` at ``port``.

    Attributes:
        sort: what runs there.
        variant: tells apart pods of one sort and namespace that no selector could take in together, such as
            ``decode``; empty for the usual ones.
        selector: labels that these pods have and no others.
        identity: the key of ``selector`` whose value alone differs from those of other services' alike pods.
        workload: the object that makes the pods.
        authority: for pods that serve HTTPS, None for those that don't.
        authenticated: whether they ask who scrapes.
    """

    sort: Sort
    variant: str
    service: str
    workload: ManifestId
    selector: Mapping[str, str]
    identity: str
    port: int
    authority: Authority | None = None
    authenticated: bool = False

    @property
    def namespace(self) -> str:
        return self.workload.namespace
