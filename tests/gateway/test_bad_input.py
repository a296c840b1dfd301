"""Wrong input of the two kinds: one finding each, at the user's line, with a cure."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.plan.stacks import external, found, gateway, plan_of, plan_text

SECRET = {"name": "a", "key": "k"}

EXTERNAL: list[tuple[dict[str, Any], str, str]] = [
    ({"provider": None}, "VALUE", "spec.provider"),
    ({"model": None}, "VALUE", "spec.model"),
    ({"url": None}, "VALUE", "spec.url"),
    ({"url": "api.openai.com/v1"}, "VALUE", "spec.url"),
    ({"url": "https://user:secret@x/v1"}, "VALUE", "spec.url"),
    ({"url": "https://[::1"}, "VALUE", "spec.url"),
    ({"url": "https://x/v1?key=a"}, "VALUE", "spec.url"),
    ({"url": "https://x:99999/v1"}, "VALUE", "spec.url"),
    ({"provider": "openai/"}, "VALUE", "spec.provider"),
    ({"provider": "os.environ"}, "VALUE", "spec.provider"),
    ({"provider": "opnai"}, "VALUE", "spec.provider"),
    ({"provider": "vllm"}, "VALUE", "spec.provider"),
    ({"provider": 3}, "TYPE", "spec.provider"),
    ({"model": "*"}, "VALUE", "spec.model"),
    ({"model": ""}, "VALUE", "spec.model"),
    ({"mode": "talk"}, "VALUE", "spec.mode"),
    ({"names": []}, "VALUE", "spec.names"),
    ({"names": ["a", "a"]}, "VALUE", "spec.names"),
    ({"names": ["a*"]}, "VALUE", "spec.names[0]"),
    ({"names": ["b", ""]}, "VALUE", "spec.names[1]"),
    ({"names": [True]}, "TYPE", "spec.names[0]"),
    ({"names": "a"}, "TYPE", "spec.names"),
    ({"auth": "a"}, "TYPE", "spec.auth"),
    ({"auth": {"apiKey": {}}}, "VALUE", "spec.auth.apiKey.secretRef"),
    ({"auth": {"bearerToken": {"name": "a"}}}, "VALUE", "spec.auth.bearerToken.key"),
    ({"auth": {"bearerToken": {"name": "Not_DNS", "key": "k"}}}, "VALUE", "spec.auth.bearerToken.name"),
    ({"auth": {"bearerToken": {"name": "a", "key": "a b"}}}, "VALUE", "spec.auth.bearerToken.key"),
    ({"auth": {"apiKey": {"secretRef": SECRET}, "bearerToken": SECRET}}, "VALUE", "spec.auth.bearerToken"),
    ({"auth": {"headers": [{"name": "A"}]}}, "VALUE", "spec.auth.headers[A]"),
    ({"auth": {"headers": [{"name": "A", "value": "a", "valueFrom": {"secretKeyRef": SECRET}}]}}, "VALUE", "spec.auth.headers[A]"),
    ({"auth": {"headers": [{"name": "A", "value": "a"}, {"name": "a", "value": "b"}]}}, "VALUE", "spec.auth.headers"),
    ({"auth": {"headers": [{"name": "A b", "value": "a"}]}}, "VALUE", "spec.auth.headers[A b].name"),
    ({"auth": {"headers": [{"name": "A", "value": "a\nb"}]}}, "VALUE", "spec.auth.headers[A].value"),
    ({"auth": {"headers": [{"name": "A", "value": "os.environ/LITELLM_MASTER_KEY"}]}}, "VALUE", "spec.auth.headers[A].value"),
    ({"auth": {"headers": [{"name": "A", "value": 1}]}}, "TYPE", "spec.auth.headers[A].value"),
    ({"auth": {"headers": {}}}, "TYPE", "spec.auth.headers"),
    ({"wieght": 1}, "UNKNOWN-KEY", "spec.wieght"),
]  # fmt: skip

GATEWAY: list[tuple[dict[str, Any], str, str]] = [
    ({"replicas": -1}, "VALUE", "spec.replicas"),
    ({"replicas": "2"}, "TYPE", "spec.replicas"),
    ({"models": []}, "TYPE", "spec.models"),
    ({"models": {"matchLabels": {"a": 1}}}, "TYPE", "spec.models.matchLabels.a"),
    ({"models": {"matchExpressions": []}}, "UNKNOWN-KEY", "spec.models.matchExpressions"),
    ({"fallbacks": {"a": ["b"]}}, "TYPE", "spec.fallbacks"),
    ({"fallbacks": [{"gpt": "b"}]}, "TYPE", "spec.fallbacks[0].gpt"),
    ({"fallbacks": [{}]}, "VALUE", "spec.fallbacks"),
    ({"fallbacks": [{"gpt": []}]}, "VALUE", "spec.fallbacks"),
    ({"fallbacks": [{"gpt": ["b"]}, {"gpt": ["c"]}]}, "VALUE", "spec.fallbacks"),
    ({"via": "cloud"}, "VALUE", "spec.via"),
    ({"image": ""}, "VALUE", "spec.image"),
    ({"expose": {"hostnames": []}}, "VALUE", "spec.expose.hostnames"),
    ({"masterKey": {"generate": True, "secretRef": SECRET}}, "VALUE", "spec.masterKey"),
    ({"masterKey": {"secretRef": {"name": "a", "key": "k/"}}}, "VALUE", "spec.masterKey.secretRef.key"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "code", "path"), EXTERNAL)
def test_external_model(tmp_path: Path, spec: dict[str, Any], code: str, path: str) -> None:
    document = external(spec)
    document["spec"] = {key: value for key, value in document["spec"].items() if value is not None}
    told(tmp_path, document, gateway(), code, path)


@pytest.mark.parametrize(("spec", "code", "path"), GATEWAY)
def test_gateway(tmp_path: Path, spec: dict[str, Any], code: str, path: str) -> None:
    told(tmp_path, gateway(spec), external(), code, path)


def told(folder: Path, document: dict[str, Any], other: dict[str, Any], code: str, path: str) -> None:
    text = yaml.safe_dump_all([document, other], sort_keys=False)
    (error,) = plan_text(folder, text).errors
    assert (error.code, error.path) == (f"LOCO-{code}", path)
    assert error.cure
    assert error.origin
    assert error.origin.file == "models.yaml"
    assert error.origin.line is not None
    assert error.origin.line > 4, "a line of the spec, not of the document"


def test_every_spec_may_be_absent_that_can() -> None:
    bare = {"apiVersion": "locostack.com/v1alpha1", "metadata": {"name": "a"}}
    assert not plan_of(external(), {**bare, "kind": "LiteLLMGateway"}).findings
    (error,) = plan_of({**bare, "kind": "ExternalModel"}).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec")
    empty = plan_of({**bare, "kind": "ExternalModel", "spec": {}}, gateway())
    assert sorted(error.path for error in empty.errors) == ["spec.model", "spec.provider", "spec.url"]


@pytest.mark.parametrize("spec", [{"models": None}, {"masterKey": None}, {"replicas": None}, {"fallbacks": None}])
def test_null_is_nothing(spec: dict[str, Any]) -> None:
    assert not plan_of(external(), gateway(spec)).findings


@pytest.mark.parametrize(
    ("spec", "code", "path"),
    [
        (
            {"auth": {"headers": [{"name": "Authorization", "value": "Bearer x"}]}},
            "SECRET",
            "spec.auth.headers[0]",
        ),
        (
            {"provider": "hosted_vllm", "auth": {"headers": [{"name": "authorization", "value": "x"}]}},
            "VALUE",
            "spec.auth.headers[0]",
        ),
        (
            {"provider": "hosted_vllm", "mode": "rerank", "auth": {"headers": [{"name": "X-Team", "value": "x"}]}},
            "VALUE",
            "spec.auth.headers[0]",
        ),
        ({"provider": "anthropic", "url": "https://api.anthropic.com/v1"}, "VALUE", "spec.url"),
    ],
)
def test_what_litellm_would_do_without_a_word_is_a_warning(spec: dict[str, Any], code: str, path: str) -> None:
    (warning,) = plan_of(external(spec), gateway()).findings
    assert (warning.code, warning.severity, warning.path) == (f"LOCO-{code}", "warning", path)


def test_provider_that_another_image_may_know_is_a_warning() -> None:
    plan = plan_of(external({"provider": "opnai"}), gateway({"image": "mine:1"}))
    (warning,) = found(plan, "LOCO-VALUE", "warning")
    assert warning.cure == "openai"


def test_removing_by_a_later_layer_is_told() -> None:
    over = {"ExternalModel/gpt": {"spec": {"auth": None}}}
    plan = plan_of(external({"auth": {"headers": []}}), gateway(), overrides=over)
    (warning,) = found(plan, "LOCO-REMOVED", "warning")
    assert warning.path == "spec.auth"
