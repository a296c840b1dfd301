"""The workloads of a service: the main one, which decodes where there is prefill, and prefill."""

from collections.abc import Iterator
from dataclasses import dataclass

from loco.layers import Resolved
from loco.spec.service import Workload
from loco.spec.tree import Path


@dataclass(frozen=True, slots=True)
class Side:
    """One workload.

    Attributes:
        path: where its fields stand in the spec: the spec itself, or ``prefill``.
        workload: its fields.
        role: value of the label ``llm-d.ai/role``: both, decode or prefill.
    """

    path: Path
    workload: Workload
    role: str

    @property
    def template(self) -> Path:
        """Where its single pod, or the leader of its replicas, stands in the spec."""
        return (*self.path, "template")

    @property
    def worker(self) -> Path:
        """Where the other pods of a replica stand in the spec."""
        return (*self.path, "worker")

    @property
    def multi_node(self) -> bool:
        """Whether a replica is several pods."""
        return self.workload.worker is not None


def sides(resolved: Resolved) -> Iterator[Side]:
    """The main workload, then prefill where there is one."""
    prefill = resolved.spec.prefill
    yield Side((), resolved.spec, "both" if prefill is None else "decode")
    if prefill is not None:
        yield Side(("prefill",), prefill, "prefill")
