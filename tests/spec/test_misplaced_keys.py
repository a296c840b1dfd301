"""Keys that stand where nobody looks for them: the message says where they belong."""

import pytest

from loco.spec.document import read_document
from loco.spec.yaml_reader import read_yaml

HEAD = "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: {name: chat}\nspec:\n  "
MISPLACED = {
    # A longer name of a known key, or a shorter one.
    "parallelism: {tensorParallel: 2}": "tensor",
    "parallelism: {tensorParallelSize: 2}": "tensor",
    "parallelism: {dataLocalSize: 2}": "dataLocal",
    "kvCache: {cpu: 1Gi}": "kvCacheOffloading",
    "rollout: {maxSurge: 1}": "rolloutStrategy",
    "strategy: {maxSurge: 1}": "rolloutStrategy",
    "router: {gateway: {ref: a}}": "refs",
    # One level too high or too low.
    "workload: {kvCacheOffloading: {cpu: 1Gi}}": "spec.kvCacheOffloading",
    "decode: {replicas: 1}": "spec.replicas",
    "scheduler: {replicas: 2}": "it as spec.router.scheduler",
    "route: {}": "it as spec.router.route",
    "minReplicas: 1": "it as spec.scaling.minReplicas",
    "router: {http: {refs: []}}": "it as spec.router.route.http",
    "prefill: {router: {}}": "it as spec.router",
    "prefill: {maxReplicas: 1}": "it as spec.prefill.scaling.maxReplicas",
    "scaling: {hpa: {}}": "it as spec.scaling.wva.hpa",
    # Through a list.
    "router: {gateway: {name: a}}": "it as spec.router.gateway.refs[0].name",
    "kvCacheOffloading: {size: 1Gi}": "it as spec.kvCacheOffloading.secondary[0].fileSystem.emptyDir.size",
    # A list's item last, if it is one of several places.
    "name: a": "it as spec.model.name",
    "uri: hf://a/b": "it as spec.model.uri",
    # Between a pod, its containers, and what stands beside it.
    "image: x": "it as spec.template.containers[main].image",
    "prefill: {env: []}": "it as spec.prefill.template.containers[main].env",
    "template: {env: []}": "it as spec.template.containers[main].env",
    "router: {scheduler: {template: {args: []}}}": "it as spec.router.scheduler.template.containers[main].args",
    "template: {containers: [{name: main, nodeSelector: {a: b}}]}": "it as spec.template.nodeSelector",
    "template: {spec: {containers: []}}": "spec.template.containers",
    "template: {metadata: {labels: {a: b}}}": "spec.labels",
    "router: {scheduler: {template: {labels: {a: b}}}}": "it as spec.router.scheduler.labels",
    "worker: {replicas: 2}": "it as spec.replicas",
    "prefill: {worker: {annotations: {}}}": "it as spec.prefill.annotations",
}


@pytest.mark.parametrize("spec", MISPLACED)
def test_where_it_belongs(spec: str) -> None:
    [tree], _ = read_yaml(f"{HEAD}{spec}\n", "m.yaml", "service")
    document, [finding] = read_document(tree, "llm")
    assert document is None
    assert (finding.code, finding.cure) == ("LOCO-UNKNOWN-KEY", MISPLACED[spec])
    assert finding.origin is not None
    assert finding.origin.line == 5


OF_GATEWAYS = {
    # But for a plural's s: nearer than a field of that very name below.
    "fallback: []": "fallbacks",
    "Fallbacks: []": "fallbacks",
    "replica: 2": "replicas",
    "default_fallback: []": "defaultFallbacks",
    "autoscaling: {keda: {fallbacks: {}}}": "fallback",
    # Else a field of that very name is what was meant.
    "maxReplicas: 3": "it as spec.autoscaling.maxReplicas",
    "readiness: {}": "it as spec.probes.readiness",
    "ingress: {className: a}": "it as spec.expose.ingress",
}


@pytest.mark.parametrize("spec", OF_GATEWAYS)
def test_where_it_belongs_in_a_gateway(spec: str) -> None:
    head = "apiVersion: locostack.com/v1alpha1\nkind: LiteLLMGateway\nmetadata: {name: main}\nspec:\n  "
    [tree], _ = read_yaml(f"{head}{spec}\n", "m.yaml", "service")
    _, findings = read_document(tree, "llm")
    assert [finding.cure for finding in findings if finding.code == "LOCO-UNKNOWN-KEY"] == [OF_GATEWAYS[spec]]
