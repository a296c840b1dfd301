"""Secrets that change: whose pods are started anew, whose are not, and that nobody reads them on the way."""

import base64
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects
from tests.e2e.conftest import Project
from tests.e2e.gateway_world import World
from tests.e2e.secret_bytes import plain_objects, told_of

pytestmark = pytest.mark.e2e

NAMESPACE = "rotation"
DOCUMENTS = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: tiny, labels: {of: main}}
spec: {model: {uri: "hf://org/tiny"}, replicas: 1}
---
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: gpt, labels: {of: main}}
spec:
  provider: openai
  model: MODEL
  url: https://api.openai.com/v1
  auth:
    apiKey: {secretRef: {name: openai, key: token}}
    headers: [{name: X-Tenant, valueFrom: {secretKeyRef: {name: tenant, key: id}}}]
---
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: claude, labels: {of: other}}
spec:
  provider: anthropic
  model: claude-sonnet
  url: https://api.anthropic.com
  auth:
    apiKey: {secretRef: {name: openai, key: second}}
    headers: [{name: X-Kept, valueFrom: {secretKeyRef: {name: kept, key: token}}}]
---
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: absent, labels: {of: other}}
spec:
  provider: openai
  model: MODEL
  url: https://absent.example.com/v1
  auth: {bearerToken: {name: absent, key: token}}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1, models: {matchLabels: {of: main}}}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: other}
spec:
  replicas: 1
  models: {matchLabels: {of: other}}
  masterKey: {secretRef: {name: kept, key: master}}
  digests: reference
"""
CONFIG = {
    "openaiToken": "sk-openai-of-the-rotation",
    "secondToken": "sk-second-of-the-rotation",
    "tenantId": "tenant-of-the-rotation",
}
CREDENTIALS = {
    "openai": {
        "token": {"config": "openaiToken"},
        "second": {"config": "secondToken"},
        "idle": {"config": "idleToken"},
    },
    "tenant": {"id": {"config": "tenantId"}},
    "kept": {"token": {"existing": True}, "master": {"existing": True}},
    "absent": {"token": {"existing": True}},
}
KEPT = {
    "token": "kept-token-of-the-rotation",
    "master": "sk-kept-master-of-the-rotation",
    "idle": "idle-of-the-rotation",
}


@pytest.fixture(scope="module")
def world(make_project: Callable[..., Project], cluster: Cluster) -> World:
    documents = {"all.yaml": DOCUMENTS.replace("MODEL", "first")}
    project = make_project(documents, namespace=NAMESPACE, credentials=CREDENTIALS)
    world = World(project, cluster, NAMESPACE, dict(KEPT))
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    cluster.client().apply(f"/api/v1/namespaces/{NAMESPACE}", json.dumps(space).encode())
    project.configure(cluster={"context": "loco-test", "identifier": "tests", "createNamespaces": False})
    world.write_kept()
    world.give(**CONFIG, idleToken="idle-token-of-the-rotation")
    first = project.up()
    world.said.append(first.stdout + first.stderr)
    assert f"key token of the Secret {NAMESPACE}/absent, which isn't there" in first.stdout + first.stderr
    assert world.pods().keys() == {"tiny-kserve", "main-litellm", "other-litellm"}
    return world


class TestRotation:
    """One stack, one update after the other. ``claude`` and ``gpt`` share a Secret, of which each reads another key."""

    @pytest.mark.parametrize(
        ("name", "gateway"),
        [("openaiToken", "main"), ("secondToken", "other")],
        ids=["an API key", "the other key of the Secret"],
    )
    def test_of_a_secret_that_the_stack_makes(self, name: str, gateway: str, world: World) -> None:
        world.give(**{name: f"{name}-made-anew-by-the-test"})
        change = world.update(for_people=name == "openaiToken")
        assert change.rolled == {f"{gateway}-litellm"}
        assert change.causes(f"{gateway}-litellm") == {"digest.openai", "configHash"}
        assert change.steps.keys() == {f"{gateway}-litellm", "openai"}
        assert f"{name}-made-anew-by-the-test" in world.values().values()

    def test_of_a_header_of_one_and_a_kept_master_key_of_the_other(self, world: World) -> None:
        """A master key is no part of the reference's formula, and has a digest of its own."""
        world.give(tenantId="tenantId-made-anew-by-the-test")
        world.write_kept(master="sk-kept-master-made-anew")
        change = world.update()
        assert change.rolled == {"main-litellm", "other-litellm"}
        assert change.causes("main-litellm") == {"digest.tenant", "configHash"}
        assert change.causes("other-litellm") == {"digest.master-key"}
        assert change.steps.keys() == {"main-litellm", "other-litellm", "tenant"}
        assert "tenantId-made-anew-by-the-test" in world.values().values()

    def test_of_a_made_master_key_of_one_and_a_kept_secret_of_the_other(self, world: World) -> None:
        before = world.values()
        world.project.configure(rotation={"masterKeys": "2026-12"})
        world.write_kept(token="kept-token-made-anew")
        change = world.update(for_people=True)
        assert change.rolled == {"main-litellm", "other-litellm"}
        assert change.causes("main-litellm") == {"digest.master-key", "configHash"}
        assert change.causes("other-litellm") == {"digest.kept", "configHash"}
        after = world.values()
        changed = {key for key in before if before[key] != after[key]}
        assert changed == {("main-litellm-master-key", "master-key"), ("kept", "token")}

    def test_of_what_no_gateway_reads(self, world: World) -> None:
        """A key of the stack's Secret that no model names, and one of a Secret of somebody else's."""
        world.give(idleToken="idle-token-made-anew")
        world.write_kept(idle="idle-made-anew-by-the-test")
        change = world.update()
        assert (change.rolled, change.steps) == (set(), {})
        assert ("openai", "idle") not in world.values()

    def test_a_missing_secret_blocks_no_other_config(self, world: World) -> None:
        world.project.write("models/all.yaml", DOCUMENTS.replace("MODEL", "second"))
        change = world.update()
        assert f"key token of the Secret {NAMESPACE}/absent, which isn't there" in change.told
        assert change.rolled == {"main-litellm", "other-litellm"}
        [absent] = [variable for variable in env(world, "other") if variable["name"] == "EXTERNALMODEL__ABSENT"]
        assert absent["valueFrom"]["secretKeyRef"] == {"name": "absent", "key": "token", "optional": True}

    def test_a_secret_that_appears_rolls_its_readers(self, world: World) -> None:
        world.write("absent", token="absent-no-more-by-the-test")
        change = world.update()
        assert "LOCO-CREDENTIAL" not in change.told
        assert change.rolled == {"other-litellm"}
        assert change.causes("other-litellm") == {"digest.absent", "configHash"}
        world.project.preview("--expect-no-changes")


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
@pytest.mark.parametrize("after", ["", "a", "ab"])
def test_the_search_finds_a_secret_inside_of_base64(before: str, after: str) -> None:
    """Or the test of secrecy could not fail."""
    secret = CONFIG["tenantId"]
    for text in (secret, f"x{secret}y", base64.b64encode(f"{before}{secret}{after}".encode()).decode()):
        assert told_of([secret], {"here": text, "there": secret[1:]}) == ["here"]


def env(world: World, gateway: str) -> list[dict[str, Any]]:
    [container] = world.template(gateway)["spec"]["containers"]
    return list(container["env"])


def test_reference_digest_is_what_anybody_can_compute(world: World) -> None:
    """SHA-256 over the hexadecimal hashes of config and credentials, from what the cluster holds."""
    template, values = world.template("other"), world.values()
    [volume] = [volume for volume in template["spec"]["volumes"] if volume["name"] == "config"]
    [config] = [
        item["data"]["config.yaml"]
        for item in objects(world.cluster, "v1", "ConfigMap", NAMESPACE)
        if item["metadata"]["name"] == volume["configMap"]["name"]
    ]
    lines = "".join(
        f"ExternalModel/{model}/{secret}/{key}={values.get((secret, key), '')}\n"
        for model, secret, key in (
            ("absent", "absent", "token"),
            ("claude", "openai", "second"),
            ("claude", "kept", "token"),
        )
    )
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in (config, lines)]
    expected = hashlib.sha256("".join(hashes).encode()).hexdigest()
    assert template["metadata"]["annotations"]["locostack.com/configHash"] == expected
    assert len(world.template("main")["metadata"]["annotations"]["locostack.com/configHash"]) == 16, "keyed"


def test_no_secret_is_anywhere_but_in_its_secret(world: World) -> None:
    """The last but one: by now each secret has had several values."""
    project = world.project
    shown = project.pulumi("stack", "output", "--stack", project.stack).stdout
    places = {
        "what was printed": "\n".join(world.said),
        "the outputs": json.dumps(project.outputs()) + shown,
        "the raw state": project.raw_state(),
        "the cluster's objects": plain_objects(world.cluster, NAMESPACE),
        "the config file": (project.folder / f"Pulumi.{project.stack}.yaml").read_text(),
    }
    assert len(world.secrets) > 12
    assert all(len(text) > 100 for text in places.values())
    assert told_of(sorted(world.secrets), places) == []


def test_the_end(world: World) -> None:
    world.project.pulumi("destroy", "--yes", "--skip-preview", "--stack", world.project.stack)
    assert {item["metadata"]["name"] for item in objects(world.cluster, "v1", "Secret", NAMESPACE)} == {
        "kept",
        "absent",
    }
