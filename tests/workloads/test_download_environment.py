"""What a model's download may read: one token for every container that needs it, and no value of a Secret anywhere."""

import json
from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import container_of, found, plan_of, planned, pod_of, service

ANNOTATION = "serving.kserve.io/storageSecretName"
EXISTING = {"existing": True}


def secret(name: str, of: str = "creds", key: str | None = None) -> dict[str, Any]:
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": of, "key": key or name}}}


def with_env(*env: dict[str, Any], uri: str = "hf://org/tiny", **container: Any) -> dict[str, Any]:
    engine = {"name": "main", "env": list(env), **container}
    return {"model": {"uri": uri, "name": "tiny"}, "template": {"containers": [engine]}}


def env_of_download(plan: Plan) -> dict[str, Any]:
    """By name: a literal value, or a Secret and key."""
    values = {}
    for item in container_of(plan, "storage-initializer").get("env", []):
        if not item["name"].startswith(("HF_XET", "HF_HUB_ENABLE")):
            reference = item.get("valueFrom", {}).get("secretKeyRef")
            values[item["name"]] = (reference["name"], reference["key"]) if reference else item["value"]
    return values


@pytest.mark.parametrize("uri", ["hf://org/tiny", "s3://bucket/tiny"])
def test_token_of_the_engine_reaches_the_download(uri: str) -> None:
    plan = planned(with_env(secret("HF_TOKEN", "hf", "token"), {"name": "HTTPS_PROXY", "value": "http://p"}, uri=uri))
    assert env_of_download(plan) == {"HF_TOKEN": ("hf", "token"), "HTTPS_PROXY": "http://p"}


@pytest.mark.parametrize(
    "name", ["VLLM_LOGGING_LEVEL", "HF_HUB_OFFLINE", "HF_HUB_CACHE", "HF_HOME", "TOOLS_KEY", "AWS_CA_BUNDLE"]
)
def test_what_concerns_the_engine_alone_does_not(name: str) -> None:
    assert env_of_download(planned(with_env({"name": name, "value": "x"}))) == {}


def test_the_reference_leaves_the_download_without() -> None:
    assert env_of_download(planned(with_env(secret("HF_TOKEN")), profile="kserve")) == {}


def test_what_the_download_has_itself_stays() -> None:
    spec = with_env(secret("HF_TOKEN"))
    spec["template"]["initContainers"] = [{"name": "storage-initializer", "env": [secret("HF_TOKEN", "other")]}]
    assert env_of_download(planned(spec)) == {"HF_TOKEN": ("other", "HF_TOKEN")}


def test_declared_keys_of_a_secret_taken_as_a_whole_reach_the_download() -> None:
    sources = [{"secretRef": {"name": "creds"}}, {"prefix": "HF_", "secretRef": {"name": "hf"}}, {"configMapRef": {}}]
    spec = with_env(envFrom=sources[:2])
    credentials = {"creds": {"AWS_ACCESS_KEY_ID": EXISTING, "other": EXISTING}, "hf": {"TOKEN": EXISTING}}
    plan = plan_of(service(spec), credentials=credentials)
    expected = {"AWS_ACCESS_KEY_ID": ("creds", "AWS_ACCESS_KEY_ID"), "HF_TOKEN": ("hf", "TOKEN")}
    assert env_of_download(plan) == expected


def test_token_rolls_no_pods_though_two_containers_read_it() -> None:
    plan = plan_of(service(with_env(secret("HF_TOKEN"))), credentials={"creds": {"HF_TOKEN": EXISTING}})
    assert [(use.secret, use.key, use.rolls) for use in plan.credential_uses] == [("creds", "HF_TOKEN", False)]
    assert plan.findings == ()


def with_storage_secret(name: str = "creds", uri: str = "s3://bucket/tiny", **config: Any) -> Plan:
    document = service({"model": {"uri": uri, "name": "tiny"}}, annotations={ANNOTATION: name})
    return plan_of(document, **config)


def test_declared_keys_of_the_storage_secret_are_variables() -> None:
    keys = ["AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "AWS_ENDPOINT_URL", "HF_TOKEN"]
    plan = with_storage_secret(credentials={"creds": dict.fromkeys(keys, EXISTING)})
    assert plan.findings == ()
    assert env_of_download(plan) == {key: ("creds", key) for key in keys}
    assert {(use.key, use.rolls) for use in plan.credential_uses} == {(key, False) for key in keys}
    assert ANNOTATION not in json.dumps([manifest.data for manifest in plan.manifests])


def test_host_of_s3_becomes_a_url_unless_there_is_one() -> None:
    plan = with_storage_secret(credentials={"creds": {"S3_ENDPOINT": EXISTING}})
    assert list(env_of_download(plan).items()) == [
        ("S3_ENDPOINT", ("creds", "S3_ENDPOINT")),
        ("AWS_ENDPOINT_URL", "https://$(S3_ENDPOINT)"),
    ]
    both = {"S3_ENDPOINT": EXISTING, "AWS_ENDPOINT_URL": EXISTING}
    plan = with_storage_secret(credentials={"creds": both})
    assert env_of_download(plan)["AWS_ENDPOINT_URL"] == ("creds", "AWS_ENDPOINT_URL")


@pytest.mark.parametrize(
    ("credentials", "says"),
    [
        ({}, "says nothing of the Secret creds"),
        ({"creds": {"password": EXISTING}}, "none of the declared keys"),
    ],
)
def test_storage_secret_of_unknown_keys_is_an_error(credentials: dict[str, Any], says: str) -> None:
    plan = with_storage_secret(credentials=credentials)
    (error,) = plan.errors
    assert (error.code, error.path) == ("LOCO-CREDENTIAL", f'metadata.annotations["{ANNOTATION}"]')
    assert says in error.message
    assert "AWS_ACCESS_KEY_ID: {existing: true}" in error.cure


@pytest.mark.parametrize("uri", ["pvc://claim", "oci://r/x:1"])
def test_storage_secret_without_a_download_has_no_effect(uri: str) -> None:
    plan = with_storage_secret(uri=uri, credentials={"creds": {"HF_TOKEN": EXISTING}})
    assert f'metadata.annotations["{ANNOTATION}"]' in [finding.path for finding in found(plan, "LOCO-NO-EFFECT")]


@pytest.mark.parametrize("profile", ["safe", "kserve"])
@pytest.mark.parametrize("adapters", [[], [{"name": "a", "uri": "hf://org/a"}]])
def test_confidential_settings_reach_the_download(profile: str, adapters: list[Any]) -> None:
    confidential = {"enabled": True, "resourceId": "kbs:///default/key/one"}
    model = {"uri": "hf://org/tiny", "name": "tiny", "confidential": confidential, "lora": {"adapters": adapters}}
    assert env_of_download(planned({"model": model}, profile=profile)) == {
        "CONFIDENTIAL_ENABLED": "true",
        "CONFIDENTIAL_RESOURCE_ID": "kbs:///default/key/one",
    }
    model["confidential"] = {"enabled": False, "resourceId": "kbs:///default/key/one"}
    assert env_of_download(planned({"model": model}, profile=profile)) == {}


BUNDLE = {"platform": {"caBundle": {"configMap": "corporate-ca"}}}


@pytest.mark.parametrize("uri", ["hf://org/tiny", "s3://bucket/tiny"])
@pytest.mark.parametrize(
    ("bundle", "path"), [({}, "/etc/ssl/custom-certs"), ({"mountPath": "/certificates"}, "/certificates")]
)
def test_download_trusts_the_platforms_authorities(uri: str, bundle: dict[str, str], path: str) -> None:
    platform = {"caBundle": {"configMap": "corporate-ca", **bundle}}
    plan = planned(with_env(uri=uri), platform=platform)
    assert env_of_download(plan) == {"CA_BUNDLE_CONFIGMAP_NAME": "corporate-ca", "CA_BUNDLE_VOLUME_MOUNT_POINT": path}
    assert {"name": "cabundle-cert", "configMap": {"name": "corporate-ca"}} in pod_of(plan)["volumes"]
    mount = {"name": "cabundle-cert", "mountPath": path, "readOnly": True}
    assert mount in container_of(plan, "storage-initializer")["volumeMounts"]
    assert mount not in container_of(plan)["volumeMounts"]


def test_service_may_name_authorities_of_its_own() -> None:
    own = [
        {"name": "AWS_CA_BUNDLE_CONFIGMAP", "value": "mine"},
        {"name": "AWS_CA_BUNDLE", "value": "/mine/ca/cabundle.crt"},
    ]
    spec = with_env()
    spec["template"]["initContainers"] = [{"name": "storage-initializer", "env": own}]
    for config in ({}, BUNDLE):
        plan = planned(spec, **config)
        assert {"name": "cabundle-cert", "configMap": {"name": "mine"}} in pod_of(plan)["volumes"]
        assert env_of_download(plan)["CA_BUNDLE_VOLUME_MOUNT_POINT"] == "/mine/ca"


@pytest.mark.parametrize("bundle", [{}, {"configMap": "A"}, {"configMap": "a", "mountPath": "relative"}])
def test_authorities_that_cannot_be_are_refused(bundle: dict[str, str]) -> None:
    (error,) = plan_of(service(), platform={"caBundle": bundle}).errors
    assert error.path.startswith("platform.caBundle")
