"""Several documents to one plan: order, namespaces, outputs, what refuses it, and that it is the same every time."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loco import names
from loco.checks import check_selectors
from loco.model import Edge, Manifest, Origin
from loco.model.order import ordered
from loco.plan import Plan
from tests.plan.stacks import base, container_of, found, one, plan_of, planned, service

ROOT = Path(__file__).parents[2]


def shown(plan: Plan) -> str:
    """All that a plan says, as text."""
    return json.dumps(
        {
            "manifests": [manifest.data for manifest in plan.manifests],
            "edges": [repr(edge) for edge in plan.edges],
            "findings": [str(finding) for finding in plan.findings],
            "outputs": plan.outputs,
            "certificates": [repr(certificate) for certificate in plan.certificates],
        },
        indent=1,
    )


def ids(plan: Plan) -> list[str]:
    return [str(manifest.id) for manifest in plan.manifests]


def test_order_respects_every_edge() -> None:
    documents = [service(name=name, namespace=space) for name in ("a", "b") for space in ("x", "y")]
    plan = plan_of(*documents, platform={"tls": True}, cluster={"context": "c", "createNamespaces": True})
    assert not plan.errors
    place = {manifest.id: number for number, manifest in enumerate(plan.manifests)}
    assert plan.edges
    assert all(place[edge.before] < place[edge.after] for edge in plan.edges)
    namespaces = {manifest.name: place[manifest.id] for manifest in plan.manifests if manifest.id.kind == "Namespace"}
    assert sorted(namespaces) == ["x", "y"]
    for manifest in plan.manifests:
        if manifest.namespace:
            assert namespaces[manifest.namespace] < place[manifest.id]
            assert any(edge.after == manifest.id and edge.before.kind == "Namespace" for edge in plan.edges)
    for secret in (manifest for manifest in plan.manifests if manifest.id.kind == "Secret"):
        assert any(edge.before == secret.id and edge.after.kind == "Deployment" for edge in plan.edges)


def test_namespaces_are_made_on_request_only() -> None:
    assert not [name for name in ids(planned()) if name.startswith("Namespace")]
    plan = planned(cluster={"context": "c", "createNamespaces": True})
    namespace = one(plan, "Namespace")
    assert namespace.data == {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "llm"}}
    assert namespace.component is None
    assert plan.manifests[0] == namespace


def test_namespace_of_a_stopped_service_is_not_made() -> None:
    stopped = service(annotations={"serving.kserve.io/stop": "true"}, namespace="empty")
    assert ids(plan_of(stopped, cluster={"context": "c", "createNamespaces": True})) == []


def test_one_name_in_two_namespaces() -> None:
    plan = plan_of(service(namespace="a"), service(namespace="b"), platform={"tls": True})
    assert not plan.findings
    assert len({manifest.id for manifest in plan.manifests}) == 8
    logical = {(m.id.kind, names.logical_name(m.component, m.id)) for m in plan.manifests}
    assert len(logical) == 8
    assert sorted(plan.outputs["models"]) == ["a/chat", "b/chat"]


def test_outputs_are_versioned_and_plain() -> None:
    documents = (service({"baseRefs": [{"name": "base"}]}, labels={"tier": "gold"}), base({"labels": {"a": "b"}}))
    plan = plan_of(*documents, platform={"tls": True})
    assert plan.outputs == {
        "version": 1,
        "models": {
            "llm/chat": {
                "name": "chat",
                "namespace": "llm",
                "url": "https://chat-kserve-workload-svc.llm.svc.cluster.local:8000",
                "addresses": [
                    {"name": "service", "url": "https://chat-kserve-workload-svc.llm.svc.cluster.local:8000"}
                ],
                "servedNames": ["tiny", "publishers/llm/models/tiny"],
                "presets": ["config-llm-template"],
                "baseRefs": ["base"],
                "workloads": {
                    "primary": {"kind": "Deployment", "name": "chat-kserve"},
                    "service": "chat-kserve-workload-svc",
                },
                "labels": {"tier": "gold"},
                "adapters": [],
                "upstream": {
                    "service": "https://chat-kserve-workload-svc.llm.svc.cluster.local:8000",
                    "routed": False,
                    "scheduled": False,
                },
            }
        },
        "gateways": {},
    }
    assert json.loads(json.dumps(plan.outputs)) == plan.outputs


def test_no_secret_value_is_in_a_plan() -> None:
    env = [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}}]
    plan = planned({"template": {"containers": [{"name": "main", "env": env}]}}, platform={"tls": True})
    assert all(not manifest.data.keys() & {"data", "stringData"} for manifest in plan.manifests)
    assert "HF_TOKEN" not in json.dumps(plan.outputs)


def test_disabled_service_is_left_out() -> None:
    plan = plan_of(service(), service(name="other"), overrides={"LLMInferenceService/chat": {"enabled": False}})
    assert not plan.findings
    assert list(plan.outputs["models"]) == ["llm/other"]
    assert not any("chat" in name for name in ids(plan))


def test_override_of_one_namespace_disables_one() -> None:
    off = {"LLMInferenceService/a/chat": {"enabled": False}}
    plan = plan_of(service(namespace="a"), service(namespace="b"), overrides=off)
    assert list(plan.outputs["models"]) == ["b/chat"]


def test_errors_refuse_the_plan_and_are_told_together() -> None:
    documents = (service({"model": {"uri": "gs://x/y"}}), service({"tracing": {"exporterEndpoint": "x"}}, name="other"))
    plan = plan_of(*documents, cluster={})
    paths = ["cluster.context", "spec.model.uri", "spec.tracing.exporterEndpoint"]
    assert sorted(error.path for error in plan.errors) == paths


def test_warnings_refuse_nothing() -> None:
    plan = planned({"template": {"hostNetwork": True}})
    assert found(plan, "LOCO-WEAK-SECURITY")
    assert not plan.errors
    assert plan.manifests


def test_fault_of_a_shared_base_is_told_once() -> None:
    bad = base({"template": {"hostNetworks": True}})
    plan = plan_of(bad, *(service({"baseRefs": [{"name": "base"}]}, name=name) for name in ("a", "b", "c")))
    assert len(found(plan, "LOCO-UNKNOWN-KEY")) == 1
    assert len({(f.code, f.path, f.subject, str(f.origin)) for f in plan.findings}) == len(plan.findings)


def test_document_written_twice_is_an_error() -> None:
    assert found(plan_of(service(), service()), "LOCO-DUPLICATE", "error")


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "a-kserve", "a" * 57, "b" + "a" * 62, "a" * 63]), st.sampled_from(["x", "y"])),
        unique=True,
        max_size=6,
    )
)
@settings(max_examples=25, deadline=None)
def test_names_of_different_services_never_meet(services: list[tuple[str, str]]) -> None:
    plan = plan_of(*(service(name=name, namespace=space) for name, space in services), platform={"tls": True})
    assert not plan.errors
    assert len({manifest.id for manifest in plan.manifests}) == 4 * len(services)


LONG = st.from_regex(r"[a-z][-a-z0-9]{40,61}[a-z0-9]", fullmatch=True)


@given(
    LONG,
    st.text("abc", min_size=1, max_size=5),
    st.sampled_from([names.workload, names.workload_service, names.certificate_secret]),
)
@settings(deadline=None)
def test_shortened_names_differ_and_fit(name: str, end: str, maker: Any) -> None:
    other = name[: 63 - len(end)] + end
    assert (maker(name) == maker(other)) is (name == other)
    assert len(maker(name)) <= 63


def selector_findings(plan: Plan) -> list[tuple[str, str | None]]:
    return [(finding.severity, finding.subject) for finding in check_selectors(plan.manifests)]


def test_services_that_share_all_labels_would_fight() -> None:
    same = {"labels": {"app.kubernetes.io/name": "same"}}
    plan = plan_of(service(same, name="a"), service(same, name="b"))
    assert ("error", "Deployment/llm/a-kserve") in selector_findings(plan)
    assert ("error", "Deployment/llm/b-kserve") in selector_findings(plan)


def test_service_whose_pods_are_renamed_by_a_label_finds_none() -> None:
    renamed = planned({"labels": {"app.kubernetes.io/name": "other"}})
    assert selector_findings(renamed) == [("warning", "Service/llm/chat-kserve-workload-svc")]
    assert not selector_findings(planned({"labels": {"team": "a"}}))


ODD = """
from tests.plan.stacks import plan_of, service
from tests.plan.test_plan import shown
weak = {"hostIPC": True, "volumes": [{"name": "v", "nfs": {"server": "a", "path": "/"}}, {"name": "w", "hostPath": {"path": "/"}}],
        "containers": [{"name": "s", "image": "x", "securityContext": {"capabilities": {"add": ["B", "A", "C"]}}}]}
plan = plan_of(service({"template": weak}, name="b", namespace="y"), service(name="a", namespace="x"),
               service({"labels": {"z": "1", "a": "2"}}, name="c"), platform={"tls": True},
               cluster={"context": "c", "createNamespaces": True})
print(shown(plan))
"""


def test_same_input_same_bytes_whatever_the_hash_seed() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", ODD],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "7", "4242")
    }
    assert len(texts) == 1
    assert "LOCO-WEAK-SECURITY" in texts.pop()


def test_order_of_the_documents_changes_nothing() -> None:
    documents = [service(name=name, namespace=space) for name in ("a", "b", "c") for space in ("x", "y")]
    cluster = {"context": "c", "createNamespaces": True}
    assert shown(plan_of(*documents, cluster=cluster)) == shown(plan_of(*reversed(documents), cluster=cluster))


def test_plans_share_nothing() -> None:
    first = planned()
    container_of(first)["env"].append("spoilt")
    one(first, "Deployment").data["metadata"]["labels"]["spoilt"] = "x"
    assert "spoilt" not in shown(planned())
    deployment = one(planned(), "Deployment").data
    deployment["metadata"]["labels"]["spoilt"] = "x"
    assert "spoilt" not in deployment["spec"]["selector"]["matchLabels"]


def bare(name: str) -> Manifest:
    return Manifest({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}, None, Origin("loco"))


@pytest.mark.parametrize(
    ("edges", "expected"),
    [("", "abcd"), ("da", "bcda"), ("ba cb", "cbad"), ("db dc", "adbc"), ("ab ab", "abcd")],
)
def test_ordered_keeps_places_where_edges_allow(edges: str, expected: str) -> None:
    manifests = [bare(name) for name in "abcd"]
    made = [Edge(bare(first).id, bare(second).id, "") for first, second in map(tuple, edges.split())]
    assert "".join(manifest.name for manifest in ordered(manifests, made)) == expected


def test_circle_is_told() -> None:
    manifests = [bare(name) for name in "abc"]
    edges = [Edge(bare(first).id, bare(second).id, "") for first, second in (("a", "b"), ("b", "a"))]
    with pytest.raises(ValueError, match="circle: Secret/a, Secret/b"):
        ordered(manifests, edges)
