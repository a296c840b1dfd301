"""How a stack is watched: traces, metrics, a dashboard and alerts, as its Observability says."""

from loco.gateway.observability.build import watch
from loco.gateway.observability.judged import judged
from loco.gateway.observability.pods import callers_beside_scrapers, let_scrapers_in, watch_pods
from loco.gateway.observability.switch import chosen, is_watched, own_documents
from loco.gateway.observability.watched import watched

__all__ = [
    "callers_beside_scrapers",
    "chosen",
    "is_watched",
    "judged",
    "let_scrapers_in",
    "own_documents",
    "watch",
    "watch_pods",
    "watched",
]
