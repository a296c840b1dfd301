"""Which fields of a spec this room's manifests follow from."""

from loco.spec.tree import Path

CONSUMED: tuple[Path, ...] = (
    ("router", "gateway", "refs"),
    ("router", "route", "http", "spec"),
    ("router", "scheduler", "annotations"),
    ("router", "scheduler", "labels"),
    ("router", "scheduler", "pool", "spec"),
    ("router", "scheduler", "replicas"),
    ("router", "scheduler", "template"),
)
