"""The rendered config in the real LiteLLM, with a stand-in for every upstream: what is asked of whom, with which key."""

import base64
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dev.toolchain.litellm import ensure_litellm
from loco.plan import Plan, plan_stack
from loco.spec import read_stack
from tests.conftest import REPOSITORY
from tests.e2e.litellm_process import Answer, Running, running_litellm, validated
from tests.e2e.litellm_stack import MASTER_KEY, SECRETS, wide_stack
from tests.e2e.openai_upstream import Request, Upstream, running_upstream
from tests.gateway.configs import entries
from tests.plan.stacks import gateway, plan_of

pytestmark = pytest.mark.e2e

API, BEARER, HEADER = (SECRETS[name, "token"] for name in ("api", "bearer", "header"))


@pytest.fixture(scope="module")
def command() -> Path:
    return ensure_litellm()


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with running_upstream() as running:
        yield running


@pytest.fixture(scope="module")
def plan(upstream: Upstream) -> Plan:
    planned = wide_stack(upstream.url)
    assert not planned.errors, "\n".join(map(str, planned.errors))
    return planned


@pytest.fixture(scope="module")
def litellm(command: Path, plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running_litellm(command, plan, SECRETS, MASTER_KEY, tmp_path_factory.mktemp("litellm")) as running:
        yield running


@pytest.fixture(autouse=True)
def _forget(upstream: Upstream) -> None:
    upstream.requests.clear()


def one_request(upstream: Upstream) -> Request:
    (request,) = upstream.requests
    return request


def good(answer: Answer) -> Any:
    assert answer.status == 200, answer.text
    return answer.data


class TestConfig:
    def test_every_entry_is_accepted(self, litellm: Running, plan: Plan) -> None:
        """An entry that LiteLLM can't build is left out without a word."""
        listed = {model["model_info"]["id"] for model in good(litellm.get("/model/info"))["data"]}
        rendered = {entry["model_info"]["id"] for entry in entries(plan)}
        assert rendered <= listed
        assert len(rendered) == len(entries(plan)) > 35

    def test_small_configs_are_valid(self, command: Path, tmp_path: Path) -> None:
        """At the same time, because each takes seconds to load LiteLLM."""
        plans = {"repository": repository(), "without-models": plan_of(gateway())}
        secrets = {("main-litellm-master-key", "master-key"): MASTER_KEY}

        def check(name: str) -> str:
            (tmp_path / name).mkdir()
            return validated(command, plans[name], secrets, tmp_path / name)

        with ThreadPoolExecutor() as pool:
            said = dict(zip(plans, pool.map(check, plans), strict=True))
        for name, text in said.items():
            assert f"config OK ({len(entries(plans[name]))} models)" in text

    def test_names_are_what_clients_ask_for(self, litellm: Running, plan: Plan) -> None:
        listed = {model["id"] for model in good(litellm.get("/v1/models"))["data"]}
        assert {entry["model_name"] for entry in entries(plan) if "*" not in entry["model_name"]} <= listed
        assert "gpt-4" in listed

    @pytest.mark.parametrize("name", ["123", "yes", "null", "a/b:c", "mit Leerzeichen ü"])
    def test_odd_names(self, name: str, litellm: Running, upstream: Upstream) -> None:
        good(litellm.chat(name))
        assert one_request(upstream).body["model"] == "odd-id"

    def test_wildcard_that_was_asked_for(self, litellm: Running, upstream: Upstream) -> None:
        good(litellm.chat("any/thing"))
        assert one_request(upstream).body["model"] == "thing"

    def test_alias(self, litellm: Running, upstream: Upstream) -> None:
        good(litellm.chat("gpt-4"))
        assert one_request(upstream).path == "/api-key/v1/chat/completions"

    def test_parameters_of_the_users_own(self, litellm: Running, upstream: Upstream) -> None:
        good(litellm.chat("tuned"))
        request = one_request(upstream)
        assert request.body["temperature"] == 0.25
        assert request.headers["openai-organization"] == "org-of-the-test"


class TestCredentials:
    @pytest.mark.parametrize(
        ("model", "sent"),
        [
            ("api-key", {"authorization": f"Bearer {API}"}),
            ("bearer", {"authorization": f"Bearer {BEARER}"}),
            ("headers", {"x-api-token": HEADER, "x-team": "blue", "authorization": "Bearer none"}),
            ("key-and-header", {"authorization": f"Bearer {API}", "x-api-token": HEADER}),
            ("whole-header", {"authorization": SECRETS["whole", "token"]}),
            ("no-auth", {"authorization": "Bearer none"}),
            ("azure", {"api-key": API}),
            ("claude", {"x-api-key": API}),
            ("vllm", {"authorization": f"Bearer {API}"}),
            ("chat-model", {"authorization": "Bearer fake-api-key"}),
        ],
    )
    def test_arrive_as_they_should(
        self, model: str, sent: dict[str, str], litellm: Running, upstream: Upstream
    ) -> None:
        good(litellm.chat(model))
        headers = one_request(upstream).headers
        assert {name: headers.get(name) for name in sent} == sent
        mine = {value for value in SECRETS.values() if value in "\n".join(headers.values())}
        assert mine == {value for value in SECRETS.values() if value in "\n".join(sent.values())}, "and no others"

    def test_one_that_is_missing_fails_alone(self, litellm: Running, upstream: Upstream) -> None:
        assert litellm.chat("absent-key").status >= 400
        assert not upstream.requests
        good(litellm.chat("api-key"))

    def test_master_key(self, litellm: Running) -> None:
        body = {"model": "api-key", "messages": [{"role": "user", "content": "hi"}]}
        assert litellm.post("/v1/chat/completions", body, key="").status == 401
        assert litellm.post("/v1/chat/completions", body, key="sk-wrong").status in (400, 401)
        assert litellm.get("/metrics/", key="sk-wrong").status in (400, 401)


class TestModes:
    @pytest.mark.parametrize(
        ("path", "model", "body", "asked"),
        [
            ("/v1/chat/completions", "chat-model", {}, "/inside/llm/chat/v1/chat/completions"),
            ("/v1/chat/completions", "legal", {}, "/inside/llm/chat/v1/chat/completions"),
            ("/v1/completions", "complete", {"prompt": "a"}, "/complete/v1/completions"),
            ("/v1/completions", "chat-model", {"prompt": "a"}, "/inside/llm/chat/v1/completions"),
            ("/v1/embeddings", "embedding", {"input": ["a", "b"]}, "/embedding/v1/embeddings"),
            ("/v1/embeddings", "embed-model", {"input": "a"}, "/inside/llm/embed/v1/embeddings"),
            ("/v1/rerank", "reranker", {"query": "a", "documents": ["b", "c"]}, "/reranker/v1/rerank"),
            ("/v1/rerank", "rank-model", {"query": "a", "documents": ["b"]}, "/inside/llm/rank/v1/rerank"),
            ("/v1/audio/speech", "speech", {"input": "a", "voice": "b"}, "/speech/v1/audio/speech"),
            ("/v1/audio/speech", "speak-model", {"input": "a", "voice": "b"}, "/inside/llm/speak/v1/audio/speech"),
            ("/v1/images/generations", "paint", {"prompt": "a"}, "/paint/v1/images/generations"),
            ("/v1/responses", "respond", {"input": "a"}, "/respond/v1/responses"),
            ("/v1/responses", "chat-model", {"input": "a"}, "/inside/llm/chat/v1/responses"),
            ("/v1/responses", "api-key", {"input": "a"}, "/api-key/v1/chat/completions"),
            ("/v1/messages", "api-key", {"max_tokens": 5}, "/api-key/v1/chat/completions"),
            ("/v1/messages", "chat-model", {"max_tokens": 5}, "/inside/llm/chat/v1/chat/completions"),
            ("/v1/messages", "claude", {"max_tokens": 5}, "/anthropic/v1/messages"),
        ],
    )
    def test_answers(
        self, path: str, model: str, body: dict[str, Any], asked: str, litellm: Running, upstream: Upstream
    ) -> None:
        messages = (
            {"messages": [{"role": "user", "content": "hi"}]} if path.endswith(("chat/completions", "messages")) else {}
        )
        answer = litellm.post(path, {"model": model, **messages, **body})
        assert answer.status == 200, answer.text
        assert one_request(upstream).path == asked

    def test_adapter_is_asked_for_by_its_own_name(self, litellm: Running, upstream: Upstream) -> None:
        good(litellm.chat("legal"))
        assert one_request(upstream).body["model"] == "legal"

    def test_transcription(self, litellm: Running, upstream: Upstream) -> None:
        assert good(litellm.upload("/v1/audio/transcriptions", {"model": "listen"}, b"RIFF0000WAVE"))["text"]
        assert one_request(upstream).headers["authorization"] == f"Bearer {API}"

    @pytest.mark.parametrize("model", ["api-key", "chat-model"])
    def test_streams(self, model: str, litellm: Running) -> None:
        answer = litellm.chat(model, stream=True)
        assert answer.status == 200
        events = [line for line in answer.text.splitlines() if line.startswith("data: ")]
        assert len(events) > 4
        assert events[-1] == "data: [DONE]"

    def test_headers_of_an_embedding_arrive(self, litellm: Running, upstream: Upstream) -> None:
        good(litellm.post("/v1/embeddings", {"model": "embedding", "input": "a"}))
        assert one_request(upstream).headers["x-api-token"] == HEADER


class TestRouting:
    @pytest.mark.parametrize(
        ("model", "least", "most"), [("even", 0.25, 0.75), ("weighted", 0.55, 0.95), ("rated", 0.25, 0.75)]
    )
    def test_shares(self, model: str, least: float, most: float, litellm: Running, upstream: Upstream) -> None:
        for _ in range(40):
            good(litellm.chat(model))
        counts = Counter(request.path.split("/")[1] for request in upstream.requests)
        assert least <= counts[f"{model}-a"] / 40 <= most, counts

    def test_order(self, litellm: Running, upstream: Upstream) -> None:
        for _ in range(5):
            good(litellm.chat("ordered"))
        assert {request.path for request in upstream.requests} == {"/first/v1/chat/completions"}

    def test_fallback(self, litellm: Running, upstream: Upstream) -> None:
        good(litellm.chat("down"))
        assert upstream.requests[-1].path == "/api-key/v1/chat/completions"
        assert upstream.asked("/fail/500/")

    def test_two_that_stand_in_for_each_other_come_to_an_end(self, litellm: Running, upstream: Upstream) -> None:
        assert litellm.chat("ping").status == 500
        assert {request.path for request in upstream.requests} == {
            f"/fail/500/{name}/v1/chat/completions" for name in ("ping", "pong")
        }
        assert len(upstream.requests) < 20

    def test_retries_of_ones_own(self, litellm: Running, upstream: Upstream) -> None:
        assert litellm.chat("stubborn").status == 500
        assert len(upstream.requests) == 1

    def test_limit(self, litellm: Running, upstream: Upstream) -> None:
        statuses = [litellm.chat("limited").status for _ in range(4)]
        assert statuses[:2] == [200, 200]
        assert statuses[-1] == 429
        assert len(upstream.requests) == 2

    def test_timeout(self, litellm: Running) -> None:
        begin = time.monotonic()
        assert litellm.chat("late").status == 408
        assert time.monotonic() - begin < 2.9


class TestSecrecy:
    def test_no_secret_is_told(self, litellm: Running) -> None:
        litellm.chat("nobody")
        litellm.chat("absent-key")
        litellm.chat("stubborn")
        places = {
            path: litellm.get(path).text
            for path in ("/model/info", "/v1/models", "/metrics/", "/health/readiness/details")
        }
        assert "litellm_" in places["/metrics/"]
        places["the log"] = litellm.log.read_text(errors="replace")
        assert len(places["the log"]) > 500
        assert "org-of-the-test" in places["/model/info"], "so only what it takes for a secret is left out"
        for value in SECRETS.values():
            for form in (value, base64.b64encode(value.encode()).decode().rstrip("=")):
                assert [place for place, text in places.items() if form in text] == []


def test_last_a_stop_lets_requests_end(litellm: Running) -> None:
    """The last test of this file: the gateway is gone afterwards."""
    answers: list[int] = []
    asking = threading.Thread(target=lambda: answers.append(litellm.chat("slow").status))
    asking.start()
    time.sleep(0.7)
    litellm.process.terminate()
    asking.join(20)
    assert answers == [200]
    litellm.process.wait(20)


def repository() -> Plan:
    """The plan of the models in this repository."""
    platform = {"gateway": {"name": "shared", "internalURL": "http://shared.gateway-system.svc"}}
    credentials = {"openai": {"token": {"existing": True}}}
    settings = {
        "files": ["models/*.yaml"],
        "namespace": "llm",
        "cluster": {"context": "test"},
        "platform": platform,
        "credentials": credentials,
    }
    plan = plan_stack(read_stack(REPOSITORY, settings))
    assert not plan.errors
    return plan
