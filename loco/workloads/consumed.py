"""Which fields of a spec this room's manifests follow from."""

from loco.spec.tree import Path

# A path stands for all that lies below it. tests/workloads/test_consumed.py changes a value at each of them and looks
# for a manifest that changes with it.
CONSUMED: tuple[Path, ...] = (
    ("annotations",),
    ("baseRefs",),
    ("labels",),
    ("model", "name"),
    ("model", "uri"),
    ("parallelism", "tensor"),
    ("replicas",),
    ("rolloutStrategy",),
    ("storageInitializer",),
    ("template",),
)
