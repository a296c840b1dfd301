"""Which fields of a spec this room's manifests follow from."""

from loco.spec.tree import Path

CONSUMED: tuple[Path, ...] = (
    ("router", "gateway", "refs"),
    ("router", "route", "group"),
    ("router", "route", "http", "refs"),
    ("router", "route", "http", "spec"),
    ("router", "route", "weight"),
    ("router", "scheduler", "annotations"),
    ("router", "scheduler", "config"),
    ("router", "scheduler", "labels"),
    ("router", "scheduler", "pool"),
    ("router", "scheduler", "replicas"),
    ("router", "scheduler", "template"),
    ("router", "scheduler", "tokenizer"),
)
