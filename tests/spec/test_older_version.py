"""Documents of ``serving.kserve.io/v1alpha1``: read as they are, but for fields that v1alpha2 spells otherwise."""

from typing import Any

import pytest
import yaml

from loco.model import Finding
from loco.spec.document import Document, read_document
from loco.spec.yaml_reader import read_yaml

POOL = "spec.router.scheduler.pool.spec"


def read(
    spec: str, version: str = "v1alpha1", kind: str = "LLMInferenceService"
) -> tuple[Document | None, list[Finding]]:
    head = f"apiVersion: serving.kserve.io/{version}\nkind: {kind}\nmetadata: {{name: chat}}\n"
    [tree], findings = read_yaml(f"{head}spec:\n  {spec}\n", "m.yaml", "service")
    assert findings == []
    return read_document(tree, "llm")


@pytest.mark.parametrize("kind", ["LLMInferenceService", "LLMInferenceServiceConfig"])
@pytest.mark.parametrize(
    "spec",
    [
        "model: {uri: hf://o/m, name: m, lora: {adapters: [{name: a, uri: hf://o/a}], maxRank: 8}}",
        "parallelism: {data: 2, dataLocal: 1}",
        "router: {gateway: {refs: [{name: g, sectionName: s}]}, route: {http: {refs: [{name: r}]}}}",
        "router: {scheduler: {config: {ref: {name: a, key: b}}, pool: {ref: {name: p}}}}",
        "router: {scheduler: {pool: {spec: {selector: {matchLabels: {a: b}}}}}}",
        "scaling: {maxReplicas: 3, wva: {hpa: {}}}",
        "storageInitializer: {enabled: false}",
    ],
)
def test_fields_that_mean_the_same_are_read(spec: str, kind: str) -> None:
    document, findings = read(spec, kind=kind)
    assert findings == []
    assert document is not None
    assert document.kind == kind


# What v1alpha1 has, the path of the only finding, and what to write instead.
DIFFERENT = {
    "criticality": ("model: {uri: hf://o/m, criticality: Critical}", "spec.model.criticality", "the model without it"),
    "criticality of an adapter": (
        "model: {uri: hf://o/m, lora: {adapters: [{name: b, uri: hf://o/b}, {name: a, uri: hf://o/a, criticality: Standard}]}}",
        "spec.model.lora.adapters[a].criticality",
        "the model without it",
    ),
    "port": (
        "router: {scheduler: {pool: {spec: {targetPortNumber: 8000}}}}",
        f"{POOL}.targetPortNumber",
        "targetPorts: [{number: 8000}]",
    ),
    "selector": (
        "router: {scheduler: {pool: {spec: {selector: {app: x, b/c: y}}}}}",
        f"{POOL}.selector",
        "selector: {matchLabels: {app: x, b/c: y}}",
    ),
    "picker": (
        "router: {scheduler: {pool: {spec: {extensionRef: {name: epp}}}}}",
        f"{POOL}.extensionRef",
        "endpointPickerRef: {name: epp, port: {number: 9002}}",
    ),
    "picker with all": (
        "router: {scheduler: {pool: {spec: {extensionRef: "
        '{failureMode: FailOpen, portNumber: 9002, group: "", kind: Service, name: epp}}}}}',
        f"{POOL}.extensionRef",
        'endpointPickerRef: {group: "", kind: Service, name: epp, port: {number: 9002}, failureMode: FailOpen}',
    ),
    "bare picker": (
        "router: {scheduler: {pool: {spec: {extensionRef: {}}}}}",
        f"{POOL}.extensionRef",
        "endpointPickerRef: {name: …, port: {number: 9002}}",
    ),
}


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
@pytest.mark.parametrize("case", DIFFERENT)
def test_fields_that_differ_are_told_of(case: str, version: str) -> None:
    spec, path, cure = DIFFERENT[case]
    document, [finding] = read(spec, version)
    assert document is None
    assert (finding.code, finding.severity, finding.path) == ("LOCO-UNKNOWN-KEY", "error", path)
    assert finding.origin is not None
    assert finding.origin.line == 5
    assert cure in finding.cure


@pytest.mark.parametrize("case", [case for case in DIFFERENT if "criticality" not in case])
def test_what_to_write_instead_is_read(case: str) -> None:
    _, _, cure = DIFFERENT[case]
    written: dict[str, Any] = yaml.safe_load(cure)
    spec = {"router": {"scheduler": {"pool": {"spec": written}}}}
    document, findings = read(yaml.safe_dump(spec, default_flow_style=True, width=1000).strip())
    assert findings == []
    assert document is not None


@pytest.mark.parametrize("version", ["v1alpha3", "v1", "v1beta1"])
def test_other_versions_are_not_read(version: str) -> None:
    document, [finding] = read("model: {uri: hf://o/m}", version)
    assert document is None
    assert (finding.code, finding.path, finding.cure) == (
        "LOCO-KIND",
        "apiVersion",
        "apiVersion: serving.kserve.io/v1alpha2",
    )
