"""The pod of an engine: what the layers wrote, with everything that loco adds to it."""

from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.certificate import mount_certificate, needs_certificate
from loco.pods.reading import ENGINE, in_template
from loco.pods.rules import refused_pod
from loco.pods.security import restrict
from loco.spec.tree import Path, at, plain
from loco.workloads.attach import attach_all
from loco.workloads.command import runs_script
from loco.workloads.engine import failing_probes, without_readiness
from loco.workloads.engine_flags import contradicting_flags, spread_of
from loco.workloads.nixl import name_side_channel
from loco.workloads.parallelism import too_few_gpus
from loco.workloads.routing_sidecar import sidecar_of, wire_sidecar
from loco.workloads.shared_memory import fit_to_processes
from loco.workloads.side import Side
from loco.workloads.start_up import fit_start_up


def engine_pod(
    resolved: Resolved, side: Side, place: Path, account: str | None
) -> tuple[dict[str, Any], list[Finding]]:
    """The finished pod that stands at ``place`` of the spec, and findings about it.

    Args:
        resolved: the service.
        side: the workload that the pod belongs to.
        place: ``side.template`` or ``side.worker``.
        account: the name of its service account; None for what the layers wrote.
    """
    written = at(resolved.tree, place)
    pod: dict[str, Any] = plain(written) if written is not None else {}
    if account is not None:
        pod["serviceAccountName"] = account
    containers = pod.setdefault("containers", [])
    number = engine_number(pod)
    if number is None:
        message = f"no container is called {ENGINE}, so there is no engine"
        return pod, [in_template(resolved, ("containers",), message, f"a container with name: {ENGINE}", place=place)]
    engine = containers[number]
    script = runs_script(pod, engine, resolved, place)
    findings = failing_probes(engine, ("containers", number), place, resolved)
    if place == side.pods[0]:  # the other pods of a group take no requests
        findings += without_readiness(engine, ("containers", number), place, resolved)
    findings += fit_start_up(engine, ("containers", number), place, resolved)
    findings += contradicting_flags(pod, engine, side, place, resolved)
    findings += too_few_gpus(engine, place, side, resolved, number, script)
    findings += fit_to_processes(pod, number, spread_of(engine, side, script).processes, resolved, place)
    findings += wire_sidecar(pod, place, resolved)
    serving = [engine]
    if found := sidecar_of(pod):
        findings += failing_probes(found[1], ("initContainers", found[0]), place, resolved)
        serving.append(found[1])
    if needs_certificate(resolved):
        for container in serving:
            mount_certificate(pod, container, resolved)
    findings += attach_all(pod, engine, resolved, side, place)
    name_side_channel(engine, side, resolved)
    findings += restrict(pod, resolved, place)
    findings += refused_pod(pod, resolved, place)
    return pod, findings


def engine_number(pod: dict[str, Any]) -> int | None:
    """Which of a pod's containers is the engine."""
    containers = pod.get("containers") or []
    return next((index for index, container in enumerate(containers) if container.get("name") == ENGINE), None)
