"""The spec of a service: every field that it doesn't have, or not of this type, with the place where it belongs."""

from textwrap import indent

import pytest

from loco.model import Finding, Origin
from loco.spec.document import Document, read_document
from loco.spec.yaml_reader import read_yaml

HEAD = "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: {name: chat}\nspec:\n"


def read(spec: str) -> tuple[Document | None, list[Finding]]:
    """A service with this spec, of which the first line is line 5."""
    [tree], findings = read_yaml(HEAD + indent(spec, "  "), "m.yaml", "service")
    assert findings == []
    return read_document(tree, "llm")


# Spec (its first line is line 5), then line, code, path, message and cure of the finding.
SPECS = {
    "near": ("modle: {uri: hf://a/b}\n", 5, "UNKNOWN-KEY", "spec.modle", "nearest known key is model", "model"),
    "snake case": ("base_refs: []\n", 5, "UNKNOWN-KEY", "spec.base_refs", "nearest", "baseRefs"),
    "snake case below": (
        "parallelism:\n  data_local: 1\n",
        6,
        "UNKNOWN-KEY",
        "spec.parallelism.data_local",
        "nearest",
        "dataLocal",
    ),
    "sample that offloads nothing": (
        "model: {uri: hf://a/b}\nworkload:\n  kvCacheOffloading: {cpu: 10Gi}\n",
        6,
        "UNKNOWN-KEY",
        "spec.workload",
        "belongs one level up",
        "spec.kvCacheOffloading",
    ),
    "pod in a spec of its own": (
        "prefill:\n  spec:\n    template: {}\n",
        6,
        "UNKNOWN-KEY",
        "spec.prefill.spec",
        "one level up",
        "spec.prefill.template",
    ),
    "field of the whole service": (
        "prefill:\n  router: {}\n",
        6,
        "UNKNOWN-KEY",
        "spec.prefill.router",
        "doesn't belong here",
        "it as spec.router",
    ),
    "field of the scheduler": (
        "router:\n  replicas: 2\n",
        6,
        "UNKNOWN-KEY",
        "spec.router.replicas",
        "doesn't belong here",
        "it as spec.router.scheduler.replicas",
    ),
    "field of the pod": (
        "nodeSelector: {a: b}\n",
        5,
        "UNKNOWN-KEY",
        "spec.nodeSelector",
        "doesn't belong here",
        "it as spec.template.nodeSelector",
    ),
    "no idea": ("model:\n  zzz: 1\n", 6, "UNKNOWN-KEY", "spec.model.zzz", "no field zzz here", "lora, name, uri"),
    "empty key": ('"": 1\n', 5, "UNKNOWN-KEY", 'spec[""]', 'no field "" here', "baseRefs"),
    "below a list": (
        "model:\n  lora:\n    adapters:\n    - name: a\n      url: x\n",
        9,
        "UNKNOWN-KEY",
        "spec.model.lora.adapters[a].url",
        "nearest known key is uri",
        "uri",
    ),
    "pod spec": (
        "template:\n  containers:\n  - name: main\n    imagePullPolice: x\n",
        8,
        "UNKNOWN-KEY",
        "spec.template.containers[main].imagePullPolice",
        "the nearest known key is imagePullPolicy",
        "imagePullPolicy",
    ),
    "number for text": (
        "template:\n  containers:\n  - name: main\n    args: [--a,\n      4096]\n",
        9,
        "TYPE",
        "spec.template.containers[main].args[1]",
        "reads it as the number 4096",
        '"4096" in quotes',
    ),
    "as it was spelt": ("labels:\n  a: 0755\n", 6, "TYPE", "spec.labels.a", "the number 493", '"0755" in quotes'),
    "trailing nought": ("labels: {v: 1.10}\n", 5, "TYPE", "spec.labels.v", "the number 1.1", '"1.10" in quotes'),
    "boolean for text": ("labels: {a.b/c: yes}\n", 5, "TYPE", 'spec.labels["a.b/c"]', "true", '"yes" in quotes'),
    "text for number": ("replicas: '2'\n", 5, "TYPE", "spec.replicas", "a whole number, and is text", "a whole number"),
    "boolean for number": ("replicas: true\n", 5, "TYPE", "spec.replicas", "the boolean true", "a whole number"),
    "float for number": ("replicas: 1.0\n", 5, "TYPE", "spec.replicas", "the number 1.0", "a whole number"),
    "list for mapping": ("template: []\n", 5, "TYPE", "spec.template", "a mapping, and is a list", "a mapping"),
    "mapping for list": ("template: {containers: {}}\n", 5, "TYPE", "spec.template.containers", "is a mapping", "list"),
    "nothing in a list": ("baseRefs: [~]\n", 5, "TYPE", "spec.baseRefs[0]", "is empty", "a mapping"),
    "number as env": (
        "template: {containers: [{name: main, env: [1]}]}\n",
        5,
        "TYPE",
        "spec.template.containers[main].env[0]",
        "is the number 1",
        "a mapping",
    ),
    "nothing as argument": (
        "template: {containers: [{name: main, args: [~]}]}\n",
        5,
        "TYPE",
        "spec.template.containers[main].args[0]",
        "should be text, and is empty",
        "text",
    ),
    "below zero": ("replicas: -1\n", 5, "VALUE", "spec.replicas", "be at least 0", "0 or more"),
    "zero ranks": ("parallelism: {tensor: 0}\n", 5, "VALUE", "spec.parallelism.tensor", "be at least 1", "1 or more"),
    "more than 32 bits": ("replicas: 2147483648\n", 5, "VALUE", "spec.replicas", "at most 2147483647", "or less"),
    "more ranks than 32 bits": (
        "prefill:\n  parallelism: {data: 3000000000}\n",
        6,
        "VALUE",
        "spec.prefill.parallelism.data",
        "at most 2147483647",
        "2147483647 or less",
    ),
    "a template for a number": (
        "replicas: '{{ .Spec.Parallelism.Tensor }}'\n",
        5,
        "TYPE",
        "spec.replicas",
        "a template makes text, and nothing else",
        "a whole number itself, without a template",
    ),
    "quantity": (
        "template: {containers: [{name: main, resources: {requests: {cpu: 1 Gi}}}]}\n",
        5,
        "VALUE",
        "spec.template.containers[main].resources.requests.cpu",
        "this isn't a quantity",
        "500m",
    ),
    "unknown directive": (
        "labels:\n  $setElementOrder: [a]\n",
        6,
        "UNKNOWN-KEY",
        "spec.labels.$setElementOrder",
        "no directive",
        "$retainKeys",
    ),
    "directive's value": ("template: {$patch: remove}\n", 5, "VALUE", "spec.template.$patch", "takes", "$patch: rep"),
    "deleting everything": ("$patch: delete\n", 5, "VALUE", "spec.$patch", "merge, replace here", "$patch: replace"),
    "keys to be kept": ("template: {$retainKeys: a}\n", 5, "TYPE", "spec.template.$retainKeys", "list of keys", "list"),
}


@pytest.mark.parametrize("case", SPECS)
def test_spec(case: str) -> None:
    text, line, code, path, message, cure = SPECS[case]
    document, [finding] = read(text)
    assert document is None
    assert finding.subject == "LLMInferenceService/llm/chat"
    assert (finding.code, finding.severity, finding.path) == (f"LOCO-{code}", "error", path)
    assert finding.origin == Origin("service", "m.yaml", line)
    assert message in finding.message
    assert cure in finding.cure


@pytest.mark.parametrize(
    "text",
    [
        "replicas: ~\ntemplate: {containers: ~, nodeSelector: {a: ~}}\n",
        "template:\n  $retainKeys: [containers]\n  containers:\n  - $patch: replace\n  - {name: a, $patch: delete}\n",
        "labels: {$patch: replace, a: b}\nmodel: {$patch: merge, uri: hf://a/b}\n",
        "router: {scheduler: {config: {inline: {$odd: 1, plugins: [{type: ~}]}}}}\n",
    ],
)
def test_nulls_and_directives_of_a_layer(text: str) -> None:
    document, findings = read(text)
    assert findings == []
    assert document is not None
