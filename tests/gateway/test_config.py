"""The config file: one entry for each public name, sorted, and text stays text."""

import itertools
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gateway.configs import EXISTING, config_of, entries, header, key, text_of
from tests.plan.stacks import external, gateway, plan_of, service

URL = "https://api.openai.com/v1"


def planned(*documents: dict[str, Any], **config: Any) -> Any:
    plan = plan_of(*documents, gateway(), **config)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


def test_whole_config() -> None:
    plan = planned(service(), external({"auth": key("openai")}), credentials=EXISTING)
    assert config_of(plan) == {
        "model_list": [
            {
                "model_name": "gpt",
                "litellm_params": {
                    "model": "openai/gpt-4o-mini",
                    "api_base": URL,
                    "api_key": "os.environ/EXTERNALMODEL__GPT",
                },
                "model_info": {"id": "externalmodel/llm/gpt", "mode": "chat"},
            },
            {
                "model_name": "tiny",
                "litellm_params": {
                    "model": "hosted_vllm/tiny",
                    "api_base": "http://chat-kserve-workload-svc.llm.svc.cluster.local:8000/v1",
                },
                "model_info": {"id": "llminferenceservice/llm/chat", "mode": "chat"},
            },
        ],
        "litellm_settings": {"drop_params": True, "num_retries": 2, "request_timeout": 600},
        "router_settings": {"routing_strategy": "simple-shuffle"},
        "general_settings": {"master_key": "os.environ/LITELLM_MASTER_KEY"},
    }


def test_order_of_the_documents_changes_no_byte() -> None:
    documents = [service(), external(), external(name="b", namespace="other"), external({"names": ["z", "a"]}, "c")]
    texts = {text_of(planned(*order)) for order in itertools.permutations(documents)}
    assert len(texts) == 1
    names = [entry["model_name"] for entry in yaml.safe_load(texts.pop())["model_list"]]
    assert names == sorted(names)


@pytest.mark.parametrize(
    ("auth", "params"),
    [
        (None, {"api_key": "none"}),
        ({}, {"api_key": "none"}),
        (key("openai"), {"api_key": "os.environ/EXTERNALMODEL__GPT"}),
        ({"bearerToken": {"name": "openai", "key": "token"}}, {"api_key": "os.environ/EXTERNALMODEL__GPT"}),
        (
            {"headers": [header("X-Team", value="a"), header("X-Key", "openai")]},
            {
                "api_key": "none",
                "extra_headers": {"X-Team": "a", "X-Key": "os.environ/EXTERNALMODEL__GPT__HDR__X_KEY"},
            },
        ),
        (
            {**key("openai"), "headers": [header("X-Team", value="")]},
            {"api_key": "os.environ/EXTERNALMODEL__GPT", "extra_headers": {"X-Team": ""}},
        ),
    ],
)
def test_credentials_of_an_entry(auth: Any, params: dict[str, Any]) -> None:
    plan = planned(external({"auth": auth} if auth is not None else {}), credentials=EXISTING if auth else {})
    (entry,) = entries(plan)
    assert entry["litellm_params"] == {"model": "openai/gpt-4o-mini", "api_base": URL, **params}


@pytest.mark.parametrize(
    ("spec", "chat_only"),
    [
        ({}, False),
        ({"url": "https://llm.example.com/v1"}, True),
        ({"url": "https://llm.example.com/v1", "mode": "embedding"}, False),
        ({"url": "https://llm.example.com/v1", "mode": "responses"}, False),
        ({"url": "https://api.openai.com.example.com/v1"}, True),
        ({"url": "https://llm.example.com", "provider": "mistral"}, False),
    ],
)
def test_servers_that_speak_chat_completions_only(spec: dict[str, Any], chat_only: bool) -> None:
    (entry,) = entries(planned(external(spec)))
    assert entry["litellm_params"].get("use_chat_completions_api", False) is chat_only
    assert entry["model_info"]["mode"] == spec.get("mode", "chat")


NAMES = ["123", "1.5", "true", "no", "null", "~", "a/b:c", "a: b", "- a", "#a", "0x1f", "1e3", "2026-01-31", "=", "{a}"]


@pytest.mark.parametrize("name", NAMES)
def test_names_come_back_as_text(name: str) -> None:
    (entry,) = entries(planned(external({"names": [name], "model": name})))
    assert entry["model_name"] == name
    assert entry["litellm_params"]["model"] == f"openai/{name}"


@given(st.text(min_size=1).filter(lambda text: text.isprintable() and text == text.strip() and "*" not in text))
@settings(max_examples=60, deadline=None)
def test_any_name_comes_back(name: str) -> None:
    (entry,) = entries(planned(external({"names": [name]})))
    assert entry["model_name"] == name


def test_several_models_of_one_name_share_its_requests() -> None:
    plan = planned(
        service(namespace="a"),
        service(namespace="b"),
        external({"names": ["tiny"]}),
        external({"names": ["tiny"]}, "b"),
    )
    listed = entries(plan)
    assert [entry["model_name"] for entry in listed] == ["tiny"] * 4
    assert len({entry["model_info"]["id"] for entry in listed}) == 4


def test_ids_stay_when_names_come_and_go() -> None:
    def ids(*names: str) -> dict[str, str]:
        return {e["model_name"]: e["model_info"]["id"] for e in entries(planned(external({"names": list(names)})))}

    assert ids("a", "gpt", "b") == {
        "a": "externalmodel/llm/gpt/a",
        "b": "externalmodel/llm/gpt/b",
        "gpt": "externalmodel/llm/gpt",
    }
    assert ids("b")["b"] == ids("a", "b")["b"]


def test_fallbacks_are_written_as_they_are() -> None:
    plan = plan_of(service(), external(), gateway({"fallbacks": [{"gpt": ["tiny"]}]}))
    assert not plan.errors
    assert config_of(plan)["router_settings"]["fallbacks"] == [{"gpt": ["tiny"]}]


def test_config_rolls_the_pods() -> None:
    def digest(spec: dict[str, Any]) -> str:
        (made,) = (m for m in planned(external(spec)).manifests if m.id.kind == "Deployment")
        return str(made.data["spec"]["template"]["metadata"]["annotations"]["locostack.com/digest.config"])

    assert digest({}) == digest({})
    assert digest({}) != digest({"model": "other"})
