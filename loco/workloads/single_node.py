"""A workload whose replica is one pod: a Deployment."""

from collections.abc import Mapping
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest, Wait
from loco.pods.reading import ENGINE
from loco.spec import Platform
from loco.workloads.account import account_of
from loco.workloads.engine_pod import engine_pod
from loco.workloads.propagation import object_annotations, pod_annotations, selector, with_added
from loco.workloads.rollout import strategy
from loco.workloads.side import Side
from loco.workloads.start_up import budget_of

_PROBE_DEFAULT = 30  # Kubernetes' own, three times ten seconds, for an engine without such a probe
_LOAD_SECONDS = 600  # beside the start-up probe's budget: scheduling, pulling the image, downloading the weights


def deployment(resolved: Resolved, side: Side, platform: Platform, component: str) -> tuple[Manifest, list[Finding]]:
    """The Deployment, and findings about its pods.

    Where no layer writes ``replicas`` the field is left out, and belongs to whoever scales the Deployment.
    """
    pod, findings = engine_pod(resolved, side, side.template, account_of(resolved, side))
    labels = with_added(names.workload_labels(resolved.name, side.role), resolved, side)
    kind, name = side.object_of(resolved.name)
    spec: dict[str, Any] = {
        "selector": {"matchLabels": selector(resolved, labels)},
        "template": {"metadata": described(labels, pod_annotations(resolved, side)), "spec": pod},
    }
    if side.workload.replicas is not None:
        spec["replicas"] = side.workload.replicas
    rolling, warnings = strategy(resolved, side, pod, platform)
    if rolling is not None:
        spec["strategy"] = rolling
    seconds = start_up_seconds(pod)
    if resolved.profile.settings.progress_deadline == "startUpBudget":
        spec["progressDeadlineSeconds"] = seconds
    metadata = {"name": name, "namespace": resolved.namespace, **described(labels, object_annotations(resolved, side))}
    data = {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}
    manifest = Manifest(
        data,
        component,
        resolved.origin,
        wait=Wait(timeout_seconds=seconds),
        ignore_changes=() if side.workload.replicas is not None else ("spec.replicas",),
        replace_on=("spec.selector",),
        # On a full cluster its pods find no GPUs before those of the other kind are gone.
        takes_over=(side.other_object_of(resolved.name, resolved.namespace),),
    )
    return manifest, findings + warnings


def described(labels: Mapping[str, str], annotations: Mapping[str, str]) -> dict[str, Any]:
    """Labels and, where there are any, annotations of an object or a pod template."""
    return {"labels": dict(labels), **({"annotations": dict(annotations)} if annotations else {})}


def start_up_seconds(pod: Mapping[str, Any]) -> int:
    """Seconds that the engine may take to become ready: its start-up probe's budget, and time to load."""
    engine: Mapping[str, Any] = next((c for c in pod["containers"] if c.get("name") == ENGINE), {})
    budget = budget_of(engine, "startupProbe")
    return (_PROBE_DEFAULT if budget is None else budget) + _LOAD_SECONDS
