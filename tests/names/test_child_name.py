"""Names of objects: KServe's own vectors, and what holds for any service."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loco import names
from loco.model import ManifestId

LONG = "my-very-long-llm-inference-service-name-for-qwen2-7b-instruct"


@pytest.mark.parametrize(
    ("parent", "suffix", "expected"),
    [
        ("llm", "-kserve", "llm-kserve"),
        (LONG, "-kserve", "my-very-long-llm-inferen320b4c01120f36a1e338e1ebe336b9d8-kserve"),
        (LONG, "-inference-pool", "my-very-long-llm320b4c01120f36a1e338e1ebe336b9d8-inference-pool"),
        (LONG, "-kserve-workload-svc", "my-very-lon320b4c01120f36a1e338e1ebe336b9d8-kserve-workload-svc"),
        (LONG, "-kserve-self-signed-certs", "my-ver320b4c01120f36a1e338e1ebe336b9d8-kserve-self-signed-certs"),
        ("team-ns", "-my-llm-epp-auth-rb", "team-ns-my-llm-epp-auth-rb"),
        (
            "team-namespace-with-long-name",
            f"-{LONG}-epp-auth-rb",
            "team-namespace-with-long-namefddfa1cbdba72ba1359987859d4693bb-m",
        ),
        ("ns", f"-{LONG}-epp-auth-rb", "ns90b5e1f6dbe49df87b2cfc9766f795aa-my-very-long-llm-inference-s"),
        ("lora-pvc-", "my-adapter", "lora-pvc-my-adapter"),
        ("a" * 56, "-kserve", "a" * 56 + "-kserve"),
        ("a" * 57, "-kserve", "a" * 24 + "652b906d60af96844ebd21b674f35e93-kserve"),
        ("a" * 70, "", "a" * 31 + "0f5c6c4e740bfcc08c3c26ccb2673d46"),
    ],
)
def test_vectors(parent: str, suffix: str, expected: str) -> None:
    assert names.child_name(parent, suffix) == expected


PARENTS = st.from_regex(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)
SUFFIXES = st.from_regex(r"-[a-z]([-a-z0-9]{0,68}[a-z0-9])?", fullmatch=True)


@given(PARENTS, SUFFIXES)
def test_every_child_has_a_dns_label(parent: str, suffix: str) -> None:
    name = names.child_name(parent, suffix)
    assert re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", name)
    assert name == names.child_name(parent, suffix)


@given(PARENTS, PARENTS, st.sampled_from(["-kserve", "-kserve-workload-svc", "-kserve-self-signed-certs"]))
def test_two_parents_have_two_children(one: str, other: str, suffix: str) -> None:
    assert (names.child_name(one, suffix) == names.child_name(other, suffix)) == (one == other)


@given(PARENTS)
def test_objects_of_one_service_differ(service: str) -> None:
    made = [names.workload(service), names.workload_service(service), names.certificate_secret(service)]
    assert len(set(made)) == len(made)


def test_logical_names() -> None:
    deployment = ManifestId("apps/v1", "Deployment", "llm", "chat-kserve")
    namespace = ManifestId("v1", "Namespace", "", "llm")
    component = names.component_name("llm", "chat")
    assert component == "llm/chat"
    assert names.logical_name(component, deployment) == "chat/llm/chat-kserve"
    assert names.logical_name(None, namespace) == "stack/-/llm"


def test_hosts_and_served_names() -> None:
    assert names.in_cluster_hosts("s", "llm") == ("s.llm.svc.cluster.local", "s.llm.svc")
    assert names.publisher_name("llm", "qwen") == "publishers/llm/models/qwen"


def test_the_selector_takes_in_the_pods_of_each_role() -> None:
    for role in ("both", "decode", "prefill"):
        assert names.workload_selector("chat").items() <= names.workload_labels("chat", role).items()
    assert not names.workload_selector("chat").items() <= names.workload_labels("other", "both").items()
