"""A service whose replica is one pod: a Deployment."""

from collections.abc import Mapping
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest, Wait
from loco.pods.certificate import mount_certificate, needs_certificate
from loco.pods.reading import ENGINE, in_template
from loco.pods.rules import refused_pod
from loco.pods.security import restrict
from loco.spec import Platform
from loco.spec.tree import at, plain
from loco.workloads.engine import too_few_gpus, without_effect
from loco.workloads.propagation import object_annotations, pod_annotations, selector, workload_labels
from loco.workloads.rollout import strategy
from loco.workloads.storage import attach_model

_LOAD_SECONDS = 600  # beside the start-up probe's budget: scheduling, pulling the image, downloading the weights


def deployment(resolved: Resolved, platform: Platform, component: str) -> tuple[Manifest, list[Finding]]:
    """The Deployment, and findings about its pods.

    Where no layer writes ``replicas`` the field is left out, and belongs to whoever scales the Deployment.
    """
    pod, findings = _pod(resolved)
    labels = workload_labels(resolved, "both")
    metadata: dict[str, Any] = {
        "name": names.workload(resolved.name),
        "namespace": resolved.namespace,
        "labels": labels,
    }
    if annotations := object_annotations(resolved):
        metadata["annotations"] = annotations
    template_metadata: dict[str, Any] = {"labels": dict(labels)}
    if annotations := pod_annotations(resolved):
        template_metadata["annotations"] = annotations
    spec: dict[str, Any] = {
        "selector": {"matchLabels": selector(resolved, labels)},
        "template": {"metadata": template_metadata, "spec": pod},
    }
    if resolved.spec.replicas is not None:
        spec["replicas"] = resolved.spec.replicas
    rolling, warnings = strategy(resolved, pod, platform)
    if rolling is not None:
        spec["strategy"] = rolling
    seconds = start_up_seconds(pod)
    if resolved.profile.settings.progress_deadline == "startUpBudget":
        spec["progressDeadlineSeconds"] = seconds
    data = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    manifest = Manifest(
        data,
        component,
        resolved.origin,
        wait=Wait(timeout_seconds=seconds),
        ignore_changes=() if resolved.spec.replicas is not None else ("spec.replicas",),
        replace_on=("spec.selector",),
    )
    return manifest, findings + warnings


def start_up_seconds(pod: Mapping[str, Any]) -> int:
    """Seconds that the engine may take to become ready: its start-up probe's budget, and time to load."""
    engine: Mapping[str, Any] = next((c for c in pod["containers"] if c.get("name") == ENGINE), {})
    probe = engine.get("startupProbe") or {}
    budget = int(probe.get("initialDelaySeconds") or 0)
    budget += int(probe.get("periodSeconds") or 10) * int(probe.get("failureThreshold") or 3)
    return budget + _LOAD_SECONDS


def _pod(resolved: Resolved) -> tuple[dict[str, Any], list[Finding]]:
    template = at(resolved.tree, ("template",))
    pod: dict[str, Any] = plain(template) if template is not None else {}
    containers = pod.setdefault("containers", [])
    number = next((index for index, container in enumerate(containers) if container.get("name") == ENGINE), None)
    if number is None:
        message = f"no container is called {ENGINE}, so there is no engine"
        return pod, [in_template(resolved, ("containers",), message, f"a container with name: {ENGINE}")]
    engine = containers[number]
    findings = without_effect(engine, ("containers", number), resolved)
    findings += too_few_gpus(engine, resolved)
    if needs_certificate(resolved):
        mount_certificate(pod, engine, resolved)
    findings += attach_model(pod, engine, resolved)
    findings += restrict(pod, resolved)
    findings += refused_pod(pod, resolved)
    return pod, findings
