"""The engine's ``/dev/shm``, by which the processes of one pod hand each other what they compute."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.attaching import mount_at
from loco.pods.quantities import quantity
from loco.pods.reading import amount, in_template
from loco.spec.tree import Path
from loco.workloads.rollout import gpus_of

SHARED_MEMORY = "/dev/shm"
WITHOUT_A_VOLUME = "64Mi, which is what a container has without a volume there"
# For each process with a GPU: NCCL's buffers and vLLM's own. Eight of them have what the reference gives such nodes.
_EACH = Fraction(2**30)


def shared_memory_of(pod: Mapping[str, Any], container: Mapping[str, Any]) -> tuple[int, dict[str, Any] | None]:
    """The volume that is mounted there, with its index; None where there is none."""
    there = mount_at(container, SHARED_MEMORY)
    for index, volume in enumerate(pod.get("volumes") or []):
        if there is not None and volume.get("name") == there[1].get("name"):
            return index, volume
    return -1, None


def fit_to_processes(
    pod: dict[str, Any], number: int, processes: int, resolved: Resolved, place: Path
) -> list[Finding]:
    """Lets a preset's limit grow with the processes of a pod; a warning where several have no volume at all.

    Args:
        pod: it is changed.
        number: the engine's among its containers.
        processes: as far as fields and flags tell; each GPU that the engine asks for counts as one too, since a
            command of the user's own tells nothing.

    What a user wrote stays.
    """
    engine = pod["containers"][number]
    processes = max(processes, gpus_of({"containers": [engine]}))
    if resolved.profile.settings.shared_memory != "perProcess" or processes == 1:
        return []
    index, volume = shared_memory_of(pod, engine)
    if volume is None:
        if pod.get("hostIPC"):
            return []  # it has the node's
        message = f"{processes} processes of the engine share {SHARED_MEMORY}, which is limited to {WITHOUT_A_VOLUME}"
        cure = f"a volume of medium Memory at {SHARED_MEMORY} with sizeLimit: {quantity(processes * _EACH)}"
        where: Path = ("containers", number, "volumeMounts")
        return [in_template(resolved, where, message, cure, place=place, code="LOCO-MEMORY", severity="warning")]
    folder: dict[str, Any] = volume.get("emptyDir") or {}
    limit = folder.get("sizeLimit")
    written = resolved.origin_at(*place, "volumes", index, "emptyDir", "sizeLimit")
    if limit is not None and written.layer.startswith("preset:"):
        volume["emptyDir"] = {**folder, "sizeLimit": quantity(max(amount(limit), processes * _EACH))}
    return []
