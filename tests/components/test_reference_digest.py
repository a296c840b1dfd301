"""The reference's digest, bit for bit: its recorded values, and the annotation that a gateway's pods get."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from loco import ModelServingStack
from loco.components.reference_digest import combined_hash, credentials_hash
from loco.spec import StackSpec
from tests.components.recorder import record

MakeStack = Callable[..., StackSpec]

GPT = ("ExternalModel/gpt/openai-cred/token=", "s3cret")
NO_LINES = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
GPT_ALONE = "a2670ce487b0b55b3a58e46d443b91f09b1ea0e74c604781decb7194e4958689"
EMPTY_CONFIG = "383e57317bf395f53fff20e92f8dd4d8242deca8baf234a85c7d0982f709a91c"


@pytest.mark.parametrize(
    ("lines", "digest"),
    [
        ([], NO_LINES),
        ([GPT], GPT_ALONE),
        ([(GPT[0], "")], "873c62e534fe5e9137f20e1a183f4142fa4758ee5e841ca11fbbdd8dc7ea9031"),
        (
            [("ExternalModel/claude/anth/key=", "aaa"), GPT],
            "7e6722c88943b4ca704a00fedd7f40e8dfd10a5b95cd2f76eba20197467ce215",
        ),
        (
            [GPT, ("ExternalModel/gpt/hdr/tenant=", "t1")],
            "cc777c6c9d47fe31874934d546c85997be62875abe23c5ea4f3be2fdb092dc6a",
        ),
    ],
)
def test_credentials(lines: list[tuple[str, str]], digest: str) -> None:
    assert credentials_hash(lines) == digest


@pytest.mark.parametrize(
    ("credentials", "digest"),
    [
        (NO_LINES, "c357a1422847e6a98cbc9e64f7b6bdc92f319c8c36cb91235a2c08ee2f7333ae"),
        (GPT_ALONE, "5b8c3aaa84e3782d7cda3eaf7cc896da275696ab5ae76c2173c7934ad47d0ccf"),
    ],
)
def test_combined(credentials: str, digest: str) -> None:
    assert hashlib.sha256(b"model_list: []\n").hexdigest() == EMPTY_CONFIG
    assert combined_hash(EMPTY_CONFIG, credentials) == digest


def external(
    name: str, secret: str, key: str, headers: list[Any] | None = None, namespace: str = "llm"
) -> dict[str, Any]:
    auth: dict[str, Any] = {"bearerToken": {"name": secret, "key": key}}
    spec = {"provider": "openai", "model": "m", "url": "https://x/v1", "auth": {**auth, "headers": headers or []}}
    about = {"name": name, "namespace": namespace}
    return {"apiVersion": "locostack.com/v1alpha1", "kind": "ExternalModel", "metadata": about, "spec": spec}


HEADERS = [
    {"name": "Z", "valueFrom": {"secretKeyRef": {"name": "hdr", "key": "tenant"}}},
    {"name": "A", "value": "literal"},
]
VALUES = {"token": "s3cret", "tenant": "t1", "other": "aaa"}
CREDENTIALS = {
    "openai-cred": {"token": {"config": "token"}},
    "hdr": {"tenant": {"config": "tenant"}},
    "anth": {"key": {"config": "other"}},
}


def annotations(make_stack: MakeStack, values: dict[str, str], digests: str = "reference") -> dict[str, Any]:
    gateway = {
        "apiVersion": "locostack.com/v1alpha1",
        "kind": "LiteLLMGateway",
        "metadata": {"name": "main"},
        "spec": {"digests": digests},
    }
    documents = [external("gpt", "openai-cred", "token", HEADERS), external("claude", "anth", "key"), gateway]
    spec = make_stack(*documents, credentials=CREDENTIALS, secrets=tuple(VALUES))
    everything = record(lambda: ModelServingStack("loco", spec, credentials=values))
    (config,) = (each for each in everything if each.token == "kubernetes:core/v1:ConfigMap")
    (deployment,) = (each for each in everything if each.token == "kubernetes:apps/v1:Deployment")
    found: dict[str, Any] = deployment.props["spec"]["template"]["metadata"]["annotations"]
    return {**found, "config": config.props["metadata"]["annotations"]["hash"]}


def test_annotation_of_the_pods(make_stack: MakeStack) -> None:
    found = annotations(make_stack, VALUES)
    lines = "ExternalModel/claude/anth/key=aaa\nExternalModel/gpt/openai-cred/token=s3cret\nExternalModel/gpt/hdr/tenant=t1\n"
    credentials = hashlib.sha256(lines.encode()).hexdigest()
    assert found["locostack.com/configHash"] == hashlib.sha256((found["config"] + credentials).encode()).hexdigest()
    assert "locostack.com/digest.master-key" in found, "which the reference's formula leaves out"


def test_it_is_no_more_than_a_setting(make_stack: MakeStack) -> None:
    keyed = annotations(make_stack, VALUES, "keyed")
    assert len(keyed["locostack.com/configHash"]) == 16
    assert annotations(make_stack, VALUES)["locostack.com/configHash"] != keyed["locostack.com/configHash"]


def test_missing_value_counts_as_empty(make_stack: MakeStack) -> None:
    empty = annotations(make_stack, {**VALUES, "tenant": ""})
    assert empty["locostack.com/configHash"] != annotations(make_stack, VALUES)["locostack.com/configHash"]


def test_gateway_without_credentials(make_stack: MakeStack) -> None:
    gateway = {
        "apiVersion": "locostack.com/v1alpha1",
        "kind": "LiteLLMGateway",
        "metadata": {"name": "main"},
        "spec": {"digests": "reference"},
    }
    everything = record(lambda: ModelServingStack("loco", make_stack(gateway)))
    (config,) = (each for each in everything if each.token == "kubernetes:core/v1:ConfigMap")
    (deployment,) = (each for each in everything if each.token == "kubernetes:apps/v1:Deployment")
    found = deployment.props["spec"]["template"]["metadata"]["annotations"]["locostack.com/configHash"]
    assert found == combined_hash(config.props["metadata"]["annotations"]["hash"], NO_LINES)
