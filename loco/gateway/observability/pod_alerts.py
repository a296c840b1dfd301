"""Alerts on the pods themselves: none of a workload is ready, or Prometheus doesn't get at their metrics.

How many pods there are and should be is kube-state-metrics' to say. A LeaderWorkerSet's leaders belong to a StatefulSet
of the same name.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from loco.gateway.observability.alert import Alert
from loco.gateway.observability.monitors import Job
from loco.model import ManifestId


@dataclass(frozen=True, slots=True)
class Counted:
    """What kube-state-metrics calls a kind's pods: the label with the object's name, and two metrics."""

    label: str
    ready: str
    wanted: str


COUNTED: Mapping[str, Counted] = {
    "Deployment": Counted("deployment", "kube_deployment_status_replicas_available", "kube_deployment_spec_replicas"),
    "LeaderWorkerSet": Counted("statefulset", "kube_statefulset_status_replicas_ready", "kube_statefulset_replicas"),
}


def no_ready_pods(workloads: Collection[ManifestId]) -> Iterator[Alert]:
    """Of a kind and a namespace at once."""
    for kind, counted in COUNTED.items():
        label = counted.label
        for namespace in sorted({workload.namespace for workload in workloads if workload.kind == kind}):
            where = f'namespace="{namespace}", {label}=~"{_names(workloads, kind, namespace)}"'
            yield Alert(
                "LLMNoReadyPods",
                f"({counted.wanted}{{{where}}} > 0) unless on (namespace, {label}) ({counted.ready}{{{where}}} > 0)",
                f"{{{{ $labels.{label} }}}} in {{{{ $labels.namespace }}}} is to have "
                "{{ $value }} replicas, and none is ready",
                "critical",
                "5m",
            )


def unscraped_pods(jobs: Sequence[Job]) -> Iterator[Alert]:
    """Of what the stack's monitors have Prometheus scrape: pods that don't answer, and pods that it doesn't know.

    A monitor that nothing selects, or one in a namespace where the operator doesn't look, leaves no ``up`` at all.
    Without ready pods there is nothing to scrape, so what is scaled to 0 is silent.
    """
    for namespace in sorted({job.namespace for job in jobs}):
        names = "|".join(job.name for job in jobs if job.namespace == namespace)
        yield Alert(
            "LLMTargetDown",
            f'up{{namespace="{namespace}", job=~"{names}"}} == 0',
            "Prometheus gets no metrics of {{ $labels.pod }} in {{ $labels.namespace }}, of {{ $labels.job }}",
        )
    for job in jobs:
        for kind, counted in COUNTED.items():
            if here := _names(job.workloads, kind, job.namespace):
                where = f'namespace="{job.namespace}", {counted.label}=~"{here}"'
                yield Alert(
                    "LLMTargetsMissing",
                    f"(sum by (namespace) ({counted.ready}{{{where}}}) > 0) "
                    f'unless on (namespace) up{{namespace="{job.namespace}", job="{job.name}"}}',
                    "{{ $value }} pods are ready in {{ $labels.namespace }}, and Prometheus scrapes none as "
                    + job.name,
                    labels={"job": job.name},
                )


def _names(workloads: Iterable[ManifestId], kind: str, namespace: str) -> str:
    return "|".join(sorted(each.name for each in workloads if (each.kind, each.namespace) == (kind, namespace)))
