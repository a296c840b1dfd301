"""The real LiteLLM as an Observability has it watched: its spans at a stand-in collector, its metrics as a Prometheus
would read them, and every query of the dashboard and the alerts held against those metrics."""

import json
import os
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from dev.toolchain.litellm import ensure_litellm
from loco.gateway.observability.judged import NEEDED
from loco.plan import Plan
from loco.spec.observability import Callback
from tests.e2e.cluster_facts import wait_until
from tests.e2e.litellm_process import Running, running_litellm
from tests.e2e.openai_upstream import Upstream, running_upstream
from tests.e2e.otlp_collector import Collector, running_collector
from tests.gateway.observability.metric_names import LITELLM, metrics_of
from tests.gateway.observability.stacks import queries, watched, wide
from tests.plan.stacks import external, gateway, one

pytestmark = pytest.mark.e2e

MASTER_KEY = "sk-master-of-the-watched-litellm"
COLLECTOR_KEY = "key-of-the-collector"
API_KEY = "sk-upstream-of-the-watched-litellm"
SECRETS = {
    ("main-litellm-master-key", "master-key"): MASTER_KEY,
    ("otel", "headers"): f"x-collector-key={COLLECTOR_KEY}",
    ("api", "token"): API_KEY,
}
CREDENTIALS = {"otel": {"headers": {"existing": True}}, "api": {"token": {"existing": True}}}
PROMPT = "a prompt that nobody else may read"
TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture(scope="module")
def command() -> Path:
    return ensure_litellm()


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with running_upstream() as running:
        yield running


def plan(upstream: Upstream, spec: dict[str, Any]) -> Plan:
    auth = {"apiKey": {"secretRef": {"name": "api", "key": "token"}}}
    models = [
        external({"url": f"{upstream.url}/good/v1", "auth": auth}, "good"),
        external({"url": f"{upstream.url}/fail/500/v1", "retries": 0}, "bad"),
    ]
    planned = watched(spec, *models, gateway(), credentials=CREDENTIALS)
    assert not planned.errors, "\n".join(map(str, planned.errors))
    return planned


def ask(litellm: Running) -> None:
    """Requests of all sorts: answered, streamed, failed, refused."""
    messages = [{"role": "user", "content": PROMPT}]
    assert litellm.chat("good", messages=messages).status == 200
    assert litellm.chat("good", messages=messages, stream=True).status == 200
    assert litellm.chat("bad", messages=messages).status == 500
    assert litellm.chat("unknown").status == 400
    request = urllib.request.Request(f"{litellm.url}/v1/chat/completions", _body(messages))
    request.add_header("content-type", "application/json")
    request.add_header("authorization", f"Bearer {MASTER_KEY}")
    request.add_header("traceparent", f"00-{TRACE}-b7ad6b7169203331-01")
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.status == 200


def _body(messages: Any) -> bytes:
    return json.dumps({"model": "good", "messages": messages}).encode()


def scrape(url: str, key: str | None = None) -> tuple[int, str]:
    request = urllib.request.Request(url)
    if key:
        request.add_header("authorization", f"Bearer {key}")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, ""


def series(text: str) -> set[str]:
    """Names of what a scrape holds a sample of."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {line.split("{")[0].split(" ")[0] for line in lines}


@pytest.fixture(scope="module")
def hidden_collector() -> Iterator[Collector]:
    with running_collector() as running:
        yield running


@pytest.fixture(scope="module")
def hidden(
    hidden_collector: Collector, upstream: Upstream, command: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """Over HTTP, with a key for the collector; metrics behind the master key."""
    headers = {"secretRef": {"name": "otel", "key": "headers"}}
    spec = {"traces": {"endpoint": hidden_collector.url, "headers": headers}, "metrics": {}}
    folder = tmp_path_factory.mktemp("hidden")
    with running_litellm(command, plan(upstream, spec), SECRETS, MASTER_KEY, folder) as running:
        probe(running)
        ask(running)
        wait_until(lambda: has_come(hidden_collector))
        yield running


@pytest.fixture(scope="module")
def shown_collector() -> Iterator[Collector]:
    with running_collector() as running:
        yield running


@pytest.fixture(scope="module")
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        found: int = free.getsockname()[1]
        return found


@pytest.fixture(scope="module")
def shown(
    shown_collector: Collector, upstream: Upstream, command: Path, port: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """Over gRPC, with prompts; metrics at a port of their own."""
    traces = {"endpoint": shown_collector.grpc_url, "protocol": "grpc"}
    spec = {"traces": traces, "content": True, "metrics": {"gateway": {"port": port}}}
    folder = tmp_path_factory.mktemp("shown")
    with running_litellm(command, plan(upstream, spec), SECRETS, MASTER_KEY, folder) as running:
        ask(running)
        wait_until(lambda: has_come(shown_collector))
        yield running


def probe(litellm: Running) -> None:
    """As a kubelet does."""
    for path in ("/health/readiness", "/health/liveliness"):
        with urllib.request.urlopen(f"{litellm.url}{path}", timeout=60) as answer:
            assert answer.status == 200


def has_come(collector: Collector) -> bool:
    """Whether the request of the known trace is there, whole: its first span ends last."""
    return any((span.trace, span.name) == (TRACE, "POST /v1/chat/completions") for span in collector.spans)


def of_litellm(scraped: str) -> set[str]:
    """Metrics of LiteLLM's that queries name and that a scrape has no sample of."""
    named = {name for query in queries(wide()) for name in metrics_of(query) if name.startswith(LITELLM)}
    assert len(named) > 6
    return named - series(scraped)


class TestHidden:
    def test_spans_arrive(self, hidden: Running, hidden_collector: Collector) -> None:
        """The trace goes on that the client has begun."""
        spans = hidden_collector.spans
        (call,) = (span for span in spans if (span.trace, span.name) == (TRACE, "chat good"))
        assert "gpt-4o-mini" in call.attributes["litellm.provider.model"]
        (resource,) = {tuple(sorted(span.resource.items())) for span in spans}
        said = dict(resource)
        assert said["service.name"] == "main-litellm"
        assert said["deployment.environment"] == "dev"
        assert said["k8s.namespace.name"] == "llm"
        assert said["k8s.deployment.name"] == "main-litellm"

    def test_the_collector_gets_its_key(self, hidden: Running, hidden_collector: Collector) -> None:
        assert {headers["x-collector-key"] for headers in hidden_collector.headers} == {COLLECTOR_KEY}

    def test_no_prompt_no_answer_no_secret(self, hidden: Running, hidden_collector: Collector) -> None:
        assert not hidden_collector.holds(PROMPT)
        assert not hidden_collector.holds("hello from")
        assert not any(hidden_collector.holds(secret) for secret in (MASTER_KEY, API_KEY, COLLECTOR_KEY))

    def test_probes_are_not_traced(self, hidden: Running, hidden_collector: Collector) -> None:
        assert not hidden_collector.holds("/health")

    def test_metrics_are_behind_the_key(self, hidden: Running) -> None:
        """As the monitor asks for them."""
        (endpoint,) = one(wide(), "ServiceMonitor").data["spec"]["endpoints"]
        url = f"{hidden.url}{endpoint['path']}"
        assert scrape(url)[0] == 401
        status, text = scrape(url, MASTER_KEY)
        assert status == 200
        assert not [secret for secret in (MASTER_KEY, API_KEY, PROMPT) if secret in text]

    def test_every_query_finds_its_metrics(self, hidden: Running) -> None:
        assert of_litellm(scrape(f"{hidden.url}/metrics/", MASTER_KEY)[1]) == set()


class TestShown:
    def test_prompts_and_answers(self, shown: Running, shown_collector: Collector) -> None:
        assert shown_collector.holds(PROMPT)
        assert shown_collector.holds("hello from good")
        assert not any(shown_collector.holds(secret) for secret in (MASTER_KEY, API_KEY))

    def test_metrics_without_a_key(self, shown: Running, port: int) -> None:
        spec = {"metrics": {"gateway": {"port": port}}}
        (endpoint,) = one(watched(spec), "ServiceMonitor").data["spec"]["endpoints"]
        status, text = scrape(f"http://127.0.0.1:{port}{endpoint['path']}")
        assert status == 200
        assert of_litellm(text) == set()


_BUILD = """
import asyncio, os, sys
from litellm.litellm_core_utils.litellm_logging import build_custom_logger_compatible_class as build
async def main():
    for name in sys.argv[1:]:
        print(name, type(build(name, internal_usage_cache=None, llm_router=None)).__name__, flush=True)
asyncio.run(main())
os._exit(0)
"""
_ELSEWHERE = ("langfuse",)  # whose library the image has, and the tests' LiteLLM hasn't


@pytest.mark.parametrize("traces", ["true", "false"])
def test_every_callback_is_one(command: Path, tmp_path: Path, traces: str) -> None:
    """Each starts with the variables that loco asks for, and no more, be there traces beside it or not."""
    names = [name for name in get_args(Callback) if name not in _ELSEWHERE]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    environment["LITELLM_OTEL_V2"] = traces
    environment |= {variable: "https://x.example" for needed in NEEDED.values() for variable in needed}
    done = subprocess.run(
        [str(command.parent / "python"), "-c", _BUILD, *names],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    made = dict(line.split(" ") for line in done.stdout.splitlines() if line.count(" ") == 1)
    assert [name for name in names if made.get(name, "NoneType") == "NoneType"] == [], done.stderr[-2000:]
