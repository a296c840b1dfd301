"""Tiers of the KV cache below the GPU: room in memory and on disk for what the start script's flag names."""

from fractions import Fraction
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.attaching import add_mount, add_volume, mount_at
from loco.pods.quantities import quantity
from loco.pods.reading import amount, in_template
from loco.spec.service import KVCacheOffloading
from loco.spec.tree import Path
from loco.workloads.command import index_of, runs_script, says
from loco.workloads.shared_memory import SHARED_MEMORY, WITHOUT_A_VOLUME, shared_memory_of
from loco.workloads.side import Side


def attach_kv_cache(
    pod: dict[str, Any], container: dict[str, Any], resolved: Resolved, side: Side, place: Path
) -> list[Finding]:
    """Mounts the secondary tiers at ``/mnt/kv-cache-<number>`` and sees that the CPU tier fits into memory."""
    tiers = side.workload.kv_cache_offloading
    if tiers is None:
        return []
    where: Path = (*side.path, "kvCacheOffloading")
    findings = _unread(pod, container, resolved, place, where)
    findings += _attach_tiers(pod, container, tiers, resolved, place)
    cpu = amount(tiers.cpu or 0)
    findings += _too_little_memory(pod, container, cpu, resolved, place)
    if resolved.profile.settings.kv_cache_memory == "fitted" and cpu > 0:
        findings += _fit_shared_memory(pod, container, cpu, resolved, place)
        _ask_for_memory(container, cpu)
    return findings


def _unread(
    pod: dict[str, Any], container: dict[str, Any], resolved: Resolved, place: Path, where: Path
) -> list[Finding]:
    script = runs_script(pod, container, resolved, place)
    if says(container, "--kv-transfer-config", script):
        message = "--kv-transfer-config among your own arguments takes the place of these tiers"
        cure = "your arguments without it, or no kvCacheOffloading"
    elif not script:
        message = "with a command of your own nothing turns this into a flag of the engine"
        cure = "--kv-transfer-config in your command, or the container without command"
    else:
        return []
    return [in_template(resolved, where, message, cure, place=(), code="LOCO-NO-EFFECT", severity="warning")]


def _attach_tiers(
    pod: dict[str, Any], container: dict[str, Any], tiers: KVCacheOffloading, resolved: Resolved, place: Path
) -> list[Finding]:
    findings = []
    disk = Fraction(0)
    number = index_of(pod, container)
    for index, tier in enumerate(tiers.secondary or []):
        if tier.file_system is None:
            continue
        name, path = f"kv-cache-secondary-{index}", f"/mnt/kv-cache-{index}"
        mount: dict[str, Any] = {"name": name, "mountPath": path}
        source: dict[str, Any] = {}
        if (folder := tier.file_system.empty_dir) is not None:
            source = {"emptyDir": {"sizeLimit": quantity(amount(folder.size))}}
            disk += amount(folder.size)
        elif (claim := tier.file_system.pvc) is not None and claim.ref is not None:
            source = {"persistentVolumeClaim": {"claimName": claim.ref.name}}
            if below := (claim.ref.path or "").strip("/"):
                mount["subPath"] = below
        elif claim is not None:
            source = {"ephemeral": {"volumeClaimTemplate": {"spec": claim.spec}}}
        for index_of_volume, volume in enumerate(pod.get("volumes") or []):
            if volume.get("name") == name:
                message = "a volume of this name holds a tier of the KV cache"
                where: Path = ("volumes", index_of_volume)
                findings.append(in_template(resolved, where, message, "another name", place=place))
        if (there := mount_at(container, path)) is not None:
            message = f"{path} is where a tier of the KV cache is mounted"
            where = ("containers", number, "volumeMounts", there[0])
            findings.append(in_template(resolved, where, message, "another mountPath", place=place))
        add_volume(pod, {"name": name, **source})
        add_mount(container, mount)
    return findings + _ask_for_disk(container, disk, ("containers", number), resolved, place)


def _ask_for_disk(
    container: dict[str, Any], disk: Fraction, where: Path, resolved: Resolved, place: Path
) -> list[Finding]:
    """Adds the tiers on the node's disk to what the container asks of it."""
    if disk == 0:
        return []
    resources = container.setdefault("resources", {})
    limit = (resources.get("limits") or {}).get("ephemeral-storage")
    wanted = disk + amount((resources.get("requests") or {}).get("ephemeral-storage", 0))
    if limit is not None and wanted > amount(limit):
        message = f"the KV cache on the node's disk makes the engine need {quantity(wanted)} of it"
        path: Path = (*where, "resources", "limits", "ephemeral-storage")
        cure = f"ephemeral-storage: {quantity(wanted)} or more, or a smaller tier"
        return [in_template(resolved, path, message, cure, place=place, code="LOCO-MEMORY", value=limit)]
    resources.setdefault("requests", {})["ephemeral-storage"] = quantity(wanted)
    return []


def _too_little_memory(
    pod: dict[str, Any], container: dict[str, Any], cpu: Fraction, resolved: Resolved, place: Path
) -> list[Finding]:
    """An error where the CPU tier alone is all that the engine may use, or more: it would be killed."""
    limit = ((container.get("resources") or {}).get("limits") or {}).get("memory")
    if limit is None or amount(limit) > cpu:
        return []
    message = f"the KV cache takes {quantity(cpu)} of memory, and the engine itself needs some beside it"
    where: Path = ("containers", index_of(pod, container), "resources", "limits", "memory")
    cure = f"a limit well above {quantity(cpu)}, or a smaller kvCacheOffloading.cpu"
    return [in_template(resolved, where, message, cure, place=place, code="LOCO-MEMORY", value=limit)]


def _fit_shared_memory(
    pod: dict[str, Any], container: dict[str, Any], cpu: Fraction, resolved: Resolved, place: Path
) -> list[Finding]:
    """Adds the CPU tier, which vLLM keeps there for all of its processes, to a preset's limit of ``/dev/shm``; a warning where a user's own is too small."""
    index, volume = shared_memory_of(pod, container)
    if volume is None:
        where: Path = ("containers", index_of(pod, container), "volumeMounts")
        return [_small(resolved, where, place, cpu, WITHOUT_A_VOLUME)]
    folder: dict[str, Any] = volume.get("emptyDir") or {}
    limit = folder.get("sizeLimit") if folder.get("medium") == "Memory" else None
    if limit is None:
        return []
    where = ("volumes", index, "emptyDir", "sizeLimit")
    if resolved.origin_at(*place, *where).layer.startswith("preset:"):
        volume["emptyDir"] = {**folder, "sizeLimit": quantity(amount(limit) + cpu)}
    elif amount(limit) <= cpu:
        return [_small(resolved, where, place, cpu, str(limit))]
    return []


def _small(resolved: Resolved, where: Path, place: Path, cpu: Fraction, limit: str) -> Finding:
    message = f"vLLM keeps the KV cache's CPU tier of {quantity(cpu)} in {SHARED_MEMORY}, which is limited to {limit}"
    cure = f"a volume of medium Memory at {SHARED_MEMORY} with a sizeLimit above {quantity(cpu)}"
    return in_template(resolved, where, message, cure, place=place, code="LOCO-MEMORY", severity="warning")


def _ask_for_memory(container: dict[str, Any], cpu: Fraction) -> None:
    """Without a word of the user's on memory, asks for the tier's, so that a node has it."""
    resources = container.setdefault("resources", {})
    if all("memory" not in (resources.get(kind) or {}) for kind in ("requests", "limits")):
        resources.setdefault("requests", {})["memory"] = quantity(cpu)
