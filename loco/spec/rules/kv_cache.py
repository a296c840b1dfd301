"""Tiers of the KV cache: each of one kind, with all that it needs."""

from collections.abc import Iterator

from loco.model import Finding
from loco.spec.kubernetes import scalars
from loco.spec.kubernetes.resources import amount
from loco.spec.rules.judged import Judged, sides
from loco.spec.service import FileSystemTier, PVCTier
from loco.spec.tree import Path

_TIER = "fileSystem: {emptyDir: {size: 100Gi}}, or fileSystem: {pvc: {ref: {name: …}}}"
_CLAIM = (
    "pvc: {ref: {name: …}}, or pvc: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 100Gi}}}}"
)


def kv_cache(judged: Judged) -> Iterator[Finding]:
    """Of the main workload and of prefill."""
    for side, workload in sides(judged):
        tiers = workload.kv_cache_offloading
        if tiers is None:
            continue
        where = (*side, "kvCacheOffloading")
        if tiers.cpu is None:
            message = "nothing says how much CPU memory the cache may take: cpu is missing"
            yield judged.finding((*where, "cpu"), message, "cpu: 10Gi")
        elif tiers.secondary and _is_none(tiers.cpu):
            message = "secondary tiers are filled from CPU memory, of which there is none"
            yield judged.finding((*where, "cpu"), message, "cpu: 10Gi, or no secondary tiers")
        for index, tier in enumerate(tiers.secondary or []):
            place = (*where, "secondary", index, "fileSystem")
            if tier.file_system is None:
                yield judged.finding(place, "the tier has no place to be", _TIER)
            else:
                yield from _file_system(judged, place, tier.file_system)


def _file_system(judged: Judged, where: Path, tier: FileSystemTier) -> Iterator[Finding]:
    if (tier.empty_dir is None) == (tier.pvc is None):
        message = "emptyDir and pvc exclude each other" if tier.pvc else "the tier has no place to be"
        yield judged.finding(where, message, _TIER)
    if tier.empty_dir is not None and tier.empty_dir.size is None:
        yield judged.finding((*where, "emptyDir", "size"), "nothing bounds the tier: size is missing", "size: 100Gi")
    if tier.pvc is not None:
        yield from _claim(judged, (*where, "pvc"), tier.pvc)


def _claim(judged: Judged, where: Path, tier: PVCTier) -> Iterator[Finding]:
    if (tier.spec is None) == (tier.ref is None):
        message = "spec and ref exclude each other" if tier.ref else "nothing says which claim"
        yield judged.finding(where, message, _CLAIM)
    if tier.ref is not None and not tier.ref.name:
        yield judged.finding((*where, "ref", "name"), "the reference names no claim", "name: …")
    if tier.ref is not None and (path := tier.ref.path) and (path.startswith("/") or ".." in path.split("/")):
        message = "a path within a claim is relative, and leads nowhere above it"
        yield judged.finding((*where, "ref", "path"), message, f"path: {path.replace('..', '').strip('/') or 'cache'}")
    if tier.spec is not None:
        if not tier.spec.get("accessModes"):
            message = "a claim without access modes is refused"
            yield judged.finding((*where, "spec", "accessModes"), message, "accessModes: [ReadWriteOnce]")
        resources = tier.spec.get("resources") or {}
        if (resources.get("requests") or {}).get("storage") is None:
            place = (*where, "spec", "resources", "requests", "storage")
            yield judged.finding(place, "a claim without a size is refused", "storage: 100Gi")


def _is_none(quantity: str | int) -> bool:
    return scalars.wrong(quantity, "quantity") is None and amount(quantity) == 0
