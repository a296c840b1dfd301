"""One alert rule, before the document says how long it waits and what labels all of them have."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from loco.spec.observability import AlertName


@dataclass(frozen=True, slots=True)
class Alert:
    """Attributes:
    lasting: how long the query must find something, unless the document says otherwise.
    labels: of this rule alone, beside those of the series that its query finds.
    """

    name: AlertName
    query: str
    summary: str
    severity: str = "warning"
    lasting: str = "10m"
    labels: Mapping[str, str] = field(default_factory=dict)
