"""Selectors against the pods of the whole plan: who is found by whom."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from loco.model import Finding, Manifest
from loco.model.pod_templates import pod_templates


@dataclass(frozen=True, slots=True)
class _Pods:
    """The pods of one template.

    Attributes:
        workload: the object that makes them.
        labels: which each of them has.
        serving: whether they take requests; workers that a leader speaks for don't.
    """

    workload: Manifest
    labels: Mapping[str, str]
    serving: bool


class _Index:
    """Pods by their labels: a large stack has as many selectors as pods."""

    def __init__(self, pods: Iterable[_Pods]) -> None:
        self._by_label: dict[tuple[str, str, str], list[_Pods]] = defaultdict(list)
        self._by_namespace: dict[str, list[_Pods]] = defaultdict(list)
        for each in pods:
            namespace = each.workload.namespace
            self._by_namespace[namespace].append(each)
            for key, value in each.labels.items():
                self._by_label[namespace, key, value].append(each)

    def selected(self, namespace: str, selector: Mapping[str, str]) -> list[_Pods]:
        """The pods that a selector finds, in their order."""
        having = [self._by_label.get((namespace, key, value), []) for key, value in selector.items()]
        fewest = min(having, key=len) if having else self._by_namespace[namespace]
        return [each for each in fewest if selector.items() <= each.labels.items()]


def check_selectors(manifests: Iterable[Manifest]) -> list[Finding]:
    """``LOCO-SELECTOR``, each for a selector that doesn't find the pods that it is meant for.

    A Service or InferencePool without pods is a warning; one with pods that take no requests, and a Deployment that
    selects another workload's pods, are errors.
    """
    manifests = tuple(manifests)
    pods = _Index([found for manifest in manifests for found in _pods_of(manifest)])
    findings: list[Finding] = []
    for manifest in manifests:
        if manifest.id.kind in ("Service", "InferencePool"):
            findings += _of_requests(manifest, pods)
        elif manifest.id.kind == "Deployment":
            findings += _of_deployment(manifest, pods)
    return findings


def _of_requests(service: Manifest, pods: _Index) -> Iterator[Finding]:
    selector = service.data["spec"].get("selector") or {}
    if service.id.kind == "InferencePool" and not service.id.api_version.endswith("/v1alpha2"):
        selector = selector.get("matchLabels") or {}
    if not selector:
        return
    found = pods.selected(service.namespace, selector)
    if not found:
        message = f"the {service.id.kind} selects none of the plan's pods, so requests to it fail"
        cure = f"labels of pods that have {' and '.join(selector)} as the {service.id.kind} wants them"
        if service.id.kind == "InferencePool":
            cure += ", or leave pool out: the pool then selects the service's own pods"
        yield Finding("LOCO-SELECTOR", "warning", "spec.labels", message, cure, service.origin, str(service.id))
    for each in found:
        if not each.serving:
            message = (
                f"the {service.id.kind} selects the workers of {each.workload.id} too, "
                "which take no requests: their leader does"
            )
            cure = f"spec.labels without {' or '.join(sorted(selector))}"
            yield Finding("LOCO-SELECTOR", "error", "spec.labels", message, cure, service.origin, str(service.id))


def _of_deployment(deployment: Manifest, pods: _Index) -> Iterator[Finding]:
    selector = deployment.data["spec"]["selector"]["matchLabels"]
    for each in pods.selected(deployment.namespace, selector):
        if each.workload is not deployment:
            message = f"its selector matches the pods of {each.workload.id} too, and the two would fight over them"
            cure = "spec.labels without app.kubernetes.io/name, or with another value in each"
            origin = deployment.origin
            yield Finding("LOCO-SELECTOR", "error", "spec.labels", message, cure, origin, str(deployment.id))


def _pods_of(manifest: Manifest) -> Iterator[_Pods]:
    templates = list(pod_templates(manifest.data))
    for path, template in templates:
        labels = template["metadata"].get("labels") or {}
        yield _Pods(manifest, labels, serving=len(templates) == 1 or path[-1] != "workerTemplate")
