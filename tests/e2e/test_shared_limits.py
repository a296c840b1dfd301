"""Two LiteLLM processes as two replicas of one gateway, which count a model's requests together in a Redis."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from fakeredis import TcpFakeServer

from dev.toolchain.litellm import ensure_litellm
from loco.plan import Plan
from tests.e2e.litellm_process import Running, running_litellm
from tests.e2e.openai_upstream import Upstream, running_upstream
from tests.plan.stacks import external, gateway, plan_of

pytestmark = pytest.mark.e2e

KEY = "sk-master-of-the-limits-test"
SECRETS = {("main-litellm-master-key", "master-key"): KEY}
LIMIT = 4


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with running_upstream() as running:
        yield running


@pytest.fixture(scope="module")
def redis() -> Iterator[TcpFakeServer]:
    server = TcpFakeServer(("127.0.0.1", 0), server_type="redis")
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def plan(upstream: Upstream, redis: TcpFakeServer) -> Plan:
    where = {"host": "127.0.0.1", "port": redis.server_address[1]}
    planned = plan_of(
        external({"url": f"{upstream.url}/limited/v1", "limits": {"requestsPerMinute": LIMIT}}, "limited"),
        external({"url": f"{upstream.url}/open/v1"}, "open"),
        gateway({"replicas": 2, "redis": where}),
    )
    assert not planned.findings, "\n".join(map(str, planned.findings))
    return planned


@pytest.fixture(scope="module")
def replicas(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Running]]:
    command = ensure_litellm()
    folders: list[Path] = [tmp_path_factory.mktemp("litellm") for _ in range(2)]
    with ExitStack() as stack, ThreadPoolExecutor(2) as at_once:
        one, two = at_once.map(
            lambda folder: stack.enter_context(running_litellm(command, plan, SECRETS, KEY, folder)), folders
        )
        yield one, two


def test_a_limit_holds_for_both_together(replicas: tuple[Running, Running]) -> None:
    """Each of them for itself would let as many pass, so twice as many in all."""
    statuses = [replicas[number % 2].chat("limited").status for number in range(2 * LIMIT + 2)]
    assert statuses == [200] * LIMIT + [429] * (LIMIT + 2)


def test_nobody_is_refused_while_redis_is_gone(replicas: tuple[Running, Running], redis: TcpFakeServer) -> None:
    redis.shutdown()
    redis.server_close()
    assert [replica.chat("open").status for replica in replicas] == [200, 200]
    assert [replica.get("/health/readiness").status for replica in replicas] == [200, 200]
