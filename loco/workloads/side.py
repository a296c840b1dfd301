"""The workloads of a service: the main one, which decodes where there is prefill, and prefill."""

from collections.abc import Iterator
from dataclasses import dataclass

from loco import names
from loco.layers import Resolved
from loco.model import ManifestId
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

    @property
    def has_leader(self) -> bool:
        """Whether the first pod of a replica is made from the template, and not from the worker like the others.

        A profile may say something of the template without making it a pod.
        """
        return bool((self.workload.template or {}).get("containers")) or not self.multi_node

    @property
    def pods(self) -> tuple[Path, ...]:
        """Where its pods stand in the spec, in the order of the workload object's own templates."""
        leader = (self.template,) if self.has_leader else ()
        return (*leader, self.worker) if self.multi_node else leader

    def object_of(self, service: str) -> tuple[str, str]:
        """Kind and name of the object that runs it, for the service of that name."""
        identity = self._identity(service, "", self.multi_node)
        return identity.kind, identity.name

    def other_object_of(self, service: str, namespace: str) -> ManifestId:
        """The object that would run it if its replicas were pods instead of groups, or groups instead of pods."""
        return self._identity(service, namespace, not self.multi_node)

    def _identity(self, service: str, namespace: str, multi_node: bool) -> ManifestId:
        prefill = self.role == "prefill"
        if multi_node:
            name = names.prefill_groups(service) if prefill else names.groups(service)
            return ManifestId("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", namespace, name)
        name = names.prefill_workload(service) if prefill else names.workload(service)
        return ManifestId("apps/v1", "Deployment", namespace, name)


def sides(resolved: Resolved) -> Iterator[Side]:
    """The main workload, then prefill where there is one."""
    prefill = resolved.spec.prefill
    yield Side((), resolved.spec, "both" if prefill is None else "decode")
    if prefill is not None:
        yield Side(("prefill",), prefill, "prefill")
