"""A workload whose replica is a group of pods, one leader and its workers: a LeaderWorkerSet."""

from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest, Wait
from loco.pods.reading import containers_of
from loco.spec import Platform
from loco.workloads.account import account_of, overruled_account
from loco.workloads.engine_pod import engine_pod
from loco.workloads.parallelism import group_size, is_data_parallel
from loco.workloads.propagation import object_annotations, pod_annotations, with_added
from loco.workloads.rollout import gpus_of, group_strategy
from loco.workloads.side import Side
from loco.workloads.single_node import described, start_up_seconds

_TEMPLATE = "spec.leaderWorkerTemplate"


def leader_worker_set(
    resolved: Resolved, side: Side, platform: Platform, component: str
) -> tuple[Manifest, list[Finding]]:
    """The LeaderWorkerSet, and findings about its pods.

    Where no layer writes ``replicas`` the field is left out, and belongs to whoever scales it; the API's default is 1.
    The engine doesn't wait for it: of a custom resource the provider doesn't know when it is ready.
    """
    findings = overruled_account(resolved, side)
    account = account_of(resolved, side)
    worker_labels = with_added(names.worker_labels(resolved.name, side.role, not side.has_leader), resolved, side)
    leader_labels = with_added(names.leader_labels(resolved.name, side.role), resolved, side)
    annotations = pod_annotations(resolved, side)
    size = group_size(side)
    group: dict[str, Any] = {"restartPolicy": "RecreateGroupOnPodRestart"}
    if size is not None:
        group["size"] = size
    pods = []
    for place in side.pods:
        pod, of_pod = engine_pod(resolved, side, place, account)
        findings += of_pod
        _quantities_as_text(pod)
        pods.append(pod)
        key, labels = ("workerTemplate", worker_labels) if place == side.worker else ("leaderTemplate", leader_labels)
        group[key] = {"metadata": described(labels, annotations), "spec": pod}
    if side.role == "prefill" and is_data_parallel(side):
        group["subGroupPolicy"] = {"subGroupPolicyType": "LeaderWorker", "subGroupSize": size}
    gpus = gpus_of(pods[0]) + ((size or 1) - 1) * gpus_of(pods[-1])
    update, warnings = group_strategy(resolved, side, gpus, platform)
    rollout: dict[str, Any] = {"type": "RollingUpdate"}
    if update is not None:
        rollout["rollingUpdateConfiguration"] = update
    spec: dict[str, Any] = {"startupPolicy": "LeaderCreated", "rolloutStrategy": rollout, "leaderWorkerTemplate": group}
    if side.workload.replicas is not None:
        spec["replicas"] = side.workload.replicas
    kind, name = side.object_of(resolved.name)
    about = described(worker_labels, object_annotations(resolved, side))
    metadata = {"name": name, "namespace": resolved.namespace, **about}
    data = {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec}
    manifest = Manifest(
        data,
        component,
        resolved.origin,
        wait=Wait(timeout_seconds=start_up_seconds(pods[0])),
        ignore_changes=() if side.workload.replicas is not None else ("spec.replicas",),
        # Of another size a group is another one. Sub-groups the API lets nobody add, take away or change.
        replace_on=(f"{_TEMPLATE}.size", f"{_TEMPLATE}.subGroupPolicy"),
        takes_over=(side.other_object_of(resolved.name, resolved.namespace),),
    )
    return manifest, findings + warnings


def _quantities_as_text(pod: dict[str, Any]) -> None:
    """Writes whole numbers as the API's own webhook does, which would else show as a change for ever."""
    for _, container in containers_of(pod):
        resources = container.get("resources") or {}
        for kind in ("requests", "limits"):
            for name, much in (resources.get(kind) or {}).items():
                resources[kind][name] = str(much) if isinstance(much, int) else much
