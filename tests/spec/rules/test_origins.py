"""Broken rules of whole stacks: all told at once, each at the line of the layer that is at fault."""

from pathlib import Path
from textwrap import dedent

import pytest

from loco.layers import resolve
from loco.model import Finding, Origin, errors_of
from loco.spec import read_stack

MODELS = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: base}
spec:
  parallelism:
    data: 9
    dataLocal: 4
  scaling:
    minReplicas: 5
    wva: {hpa: {}}
  template:
    containers:
    - name: main
      env:
      - name: A
        value: x
        valueFrom: {fieldRef: {fieldPath: metadata.name}}
---
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata:
  name: chat
  annotations:
    serving.kserve.io/exp-dra-device-count: "2"
spec:
  baseRefs: [{name: base}]
  model:
    uri: hf://o/m
    lora:
      adapters:
      - {name: a, uri: "hf://o/a"}
      - {name: a, uri: "hf://o/b"}
  worker: {containers: [{name: main}]}
  scaling:
    maxReplicas: 3
  kvCacheOffloading:
    evictionPolicy: lru
  rolloutStrategy: {maxSurge: 0, maxUnavailable: 0}
"""


def findings_of(root: Path, text: str, **config: object) -> list[Finding]:
    """Findings of the services of one file, models.yaml."""
    (root / "models.yaml").write_text(text)
    stack = read_stack(root, {"namespace": "llm", "files": ["models.yaml"], **config})
    found = list(stack.findings)
    for document in stack.documents:
        if document.kind == "LLMInferenceService":
            found += resolve(document, stack)[1]
    return found


def test_every_fault_at_once_with_its_line(tmp_path: Path) -> None:
    errors = errors_of(findings_of(tmp_path, MODELS))
    base, service = ("baseRef:base", "models.yaml"), ("service", "models.yaml")
    assert {f.path: f.origin for f in errors if f.origin} == {
        "spec.parallelism.data": Origin(*base, 6),
        "spec.scaling": Origin(*base, 9),
        "spec.template.containers[main].env[A].valueFrom": Origin(*base, 17),
        'metadata.annotations["serving.kserve.io/exp-dra-device-class"]': Origin(*service, 24),
        "spec.model.lora.adapters[1].name": Origin(*service, 32),
        "spec.kvCacheOffloading.cpu": Origin(*service, 36),
        "spec.rolloutStrategy": Origin(*service, 38),
    }


def test_an_override_is_at_fault_where_it_breaks_a_rule(tmp_path: Path) -> None:
    service = MODELS.split("---\n")[1].partition("spec:")[0].partition("  annotations")[0]
    text = f"{service}spec: {{model: {{uri: hf://o/m}}, replicas: 2}}\n"
    overrides = {"LLMInferenceService/chat": {"spec": {"rolloutStrategy": {"maxSurge": "200%"}}}}
    (error,) = errors_of(findings_of(tmp_path, text, overrides=overrides))
    assert error.path == "spec.rolloutStrategy.maxSurge"
    assert error.origin is not None
    assert error.origin.layer == "overrides"


def test_halves_in_two_layers_make_a_whole(tmp_path: Path) -> None:
    """The worker stands in the service, its parallelism in the base config only."""
    text = MODELS.replace("data: 9", "data: 8").replace("minReplicas: 5", "minReplicas: 1")
    paths = {error.path for error in errors_of(findings_of(tmp_path, text))}
    assert paths.isdisjoint({"spec.worker", "spec.parallelism", "spec.parallelism.data", "spec.scaling"})


def test_a_base_config_that_is_missing_hides_what_it_might_hold(tmp_path: Path) -> None:
    text = MODELS.replace("{name: base}]", "{name: other}]")
    assert [error.path for error in errors_of(findings_of(tmp_path, text))] == ["spec.baseRefs[0].name"]


@pytest.mark.parametrize(
    ("fault", "path"),
    [
        ("kvCacheOffloading: {cpu: 10 GB}", "spec.kvCacheOffloading.cpu"),
        ("kvCacheOffloading: {evictionPolicy: fifo}", "spec.kvCacheOffloading.evictionPolicy"),
        ("router: {scheduler: {replicas: 0}}", "spec.router.scheduler.replicas"),
        ("prefill: {scaling: {wva: {variantCost: cheap}}}", "spec.prefill.scaling.wva.variantCost"),
        (
            "router: {scheduler: {pool: {spec: {extensionRef: {name: a}}}}}",
            "spec.router.scheduler.pool.spec.extensionRef",
        ),
        ("modle: {}", "spec.modle"),
        ("baseRefs: [{name: a}]", "spec.baseRefs"),
    ],
)
def test_a_base_config_that_nobody_uses_is_right_too(tmp_path: Path, fault: str, path: str) -> None:
    text = dedent(f"""\
        apiVersion: serving.kserve.io/v1alpha2
        kind: LLMInferenceServiceConfig
        metadata: {{name: base}}
        spec:
          {fault}
        """)
    (error,) = errors_of(findings_of(tmp_path, text))
    assert (error.path, error.origin) == (path, Origin("service", "models.yaml", 5))


def test_what_a_base_config_leaves_to_others_or_to_a_template(tmp_path: Path) -> None:
    text = dedent("""\
        apiVersion: serving.kserve.io/v1alpha2
        kind: LLMInferenceServiceConfig
        metadata: {name: base}
        spec:
          model: {uri: "{{ .Spec.Model.URI }}", lora: {adapters: [{name: a}]}}
          worker: {}
          kvCacheOffloading: {cpu: "{{ x }}", secondary: [{fileSystem: {emptyDir: {}}}]}
          scaling: {minReplicas: 5}
          router: {scheduler: {config: {ref: {}}}, route: {group: "{{ x }}"}}
        """)
    assert findings_of(tmp_path, text) == []
