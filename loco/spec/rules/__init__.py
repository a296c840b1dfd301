"""Rules of a service that need nothing but its merged spec: what must be there, what goes together, what excludes what.

Each file holds one theme, as a function from what is judged to findings; none stops at the first. What a single
document may hold, its keys, types and ranges, is judged as it is read.
"""

from collections.abc import Callable, Iterable

from loco.model import Finding
from loco.spec.rules.devices import devices
from loco.spec.rules.formats import check_formats
from loco.spec.rules.judged import Judged
from loco.spec.rules.kv_cache import kv_cache
from loco.spec.rules.lora import lora
from loco.spec.rules.model import model
from loco.spec.rules.parallelism import parallelism
from loco.spec.rules.pods import pods
from loco.spec.rules.rollout import rollout
from loco.spec.rules.routing import routing
from loco.spec.rules.scaling import scaling
from loco.spec.rules.scheduler import scheduler

__all__ = ["RULES", "Judged", "broken_rules", "check_formats"]

Rule = Callable[[Judged], Iterable[Finding]]
RULES: tuple[Rule, ...] = (model, lora, parallelism, scaling, rollout, kv_cache, routing, scheduler, devices, pods)


def broken_rules(judged: Judged) -> list[Finding]:
    """Everything that is wrong with a merged service, and warnings."""
    spec = judged.at()
    found = list(check_formats(spec, judged.subject, templates=False)) if spec is not None else []
    return found + [finding for rule in RULES for finding in rule(judged)]
