"""The endpoint picker (llm-d router): its Deployment and Service."""

from collections.abc import Iterator
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest, Wait
from loco.pods.certificate import mount_certificate, needs_certificate
from loco.pods.pool import picker_service_name
from loco.pods.reading import in_template
from loco.pods.rules import refused_labels, refused_pod
from loco.pods.security import restrict
from loco.pods.tracing import trace_picker
from loco.routing.picker_arguments import assemble_arguments
from loco.routing.picker_repeats import contradicting_flags
from loco.routing.picker_serving import serving_findings
from loco.routing.tokenizer import tokenizer_url
from loco.spec.tree import Path, at, plain

_PICKER = "main"
_SCHEDULER = ("router", "scheduler")
_TEMPLATE = (*_SCHEDULER, "template")
_SERVED_PORTS = ("grpc", "grpc-health", "metrics", "zmq")
_START_SECONDS = 600


def picker_deployment(resolved: Resolved, component: str) -> tuple[Manifest, list[Finding]]:
    """One picker at a time (Recreate): two of them would each believe to know the load of all engines.

    With ``router.scheduler.replicas`` above 1 the others stand by, by leader election.
    """
    scheduler = resolved.spec.router.scheduler if resolved.spec.router else None
    pod = _pod(resolved)
    pod["serviceAccountName"] = pod.get("serviceAccountName") or names.picker_account(resolved.name)
    number = next((index for index, each in enumerate(pod["containers"]) if each.get("name") == _PICKER), None)
    replicas = scheduler.replicas if scheduler else None
    findings: list[Finding] = []
    if number is None:
        message = f"no container is called {_PICKER}, so there is no endpoint picker"
        cure = f"a container with name: {_PICKER}"
        findings.append(in_template(resolved, ("containers",), message, cure, place=_TEMPLATE))
    else:
        findings += assemble_arguments(pod, number, resolved, tokenizer_url(resolved))
        findings += contradicting_flags(pod["containers"][number], number, resolved)
        trace_picker(pod["containers"][number], resolved)
        if needs_certificate(resolved):
            mount_certificate(pod, pod["containers"][number], resolved)
        findings += serving_findings(pod["containers"][number], number, resolved)
    findings += _ports_of_one_name(pod, resolved)
    findings += restrict(pod, resolved, _TEMPLATE)
    findings += refused_pod(pod, resolved, _TEMPLATE)
    findings += refused_labels(resolved, _SCHEDULER, names.picker_labels(resolved.name))
    labels = names.picker_labels(resolved.name)
    metadata: dict[str, Any] = {"labels": labels | ((scheduler.labels if scheduler else None) or {})}
    if scheduler and scheduler.annotations:
        metadata["annotations"] = dict(scheduler.annotations)
    spec: dict[str, Any] = {
        "selector": {"matchLabels": dict(labels)},
        "strategy": {"type": "Recreate"},
        "template": {"metadata": metadata, "spec": pod},
    }
    if replicas is not None:
        spec["replicas"] = replicas
    data = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": picker_metadata(names.picker(resolved.name), resolved),
        "spec": spec,
    }
    # Pickers that stand by are never ready, so there is nothing to wait for.
    wait = Wait(skip=True) if (replicas or 1) > 1 else Wait(timeout_seconds=_START_SECONDS)
    ignored = () if replicas is not None else ("spec.replicas",)
    return Manifest(data, component, resolved.origin, wait, ignored, ("spec.selector",)), findings


def picker_service(resolved: Resolved, component: str) -> Manifest:
    """Every port of the picker's containers that goes by one of the four known names."""
    ports = [
        {
            "name": port["name"],
            "port": port["containerPort"],
            "targetPort": port["name"],
            "protocol": port.get("protocol", "TCP"),
        }
        for _, port in _served_ports(_pod(resolved))
    ]
    data = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": picker_metadata(picker_service_name(resolved) or "", resolved),
        "spec": {
            "selector": names.picker_labels(resolved.name),
            "ports": sorted(ports, key=lambda port: str(port["name"])),
        },
    }
    return Manifest(data, component, resolved.origin, wait=Wait(skip=True))


def _pod(resolved: Resolved) -> dict[str, Any]:
    template = at(resolved.tree, _TEMPLATE)
    pod: dict[str, Any] = plain(template) if template is not None else {}
    pod.setdefault("containers", [])
    return pod


def _served_ports(pod: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    for number, container in enumerate(pod["containers"]):
        for index, port in enumerate(container.get("ports") or []):
            if port.get("name") in _SERVED_PORTS:
                yield ("containers", number, "ports", index, "name"), port


def _ports_of_one_name(pod: dict[str, Any], resolved: Resolved) -> list[Finding]:
    """The Service finds its target ports by name, and has one of each."""
    findings = []
    seen: set[str] = set()
    for path, port in _served_ports(pod):
        if port["name"] in seen:
            message = f"two containers call a port {port['name']}, which the picker's Service serves"
            findings.append(in_template(resolved, path, message, "another name", place=_TEMPLATE))
        seen.add(port["name"])
    return findings


def picker_metadata(name: str, resolved: Resolved) -> dict[str, Any]:
    """Metadata of an object of the picker's."""
    return {"name": name, "namespace": resolved.namespace, "labels": names.picker_labels(resolved.name)}
