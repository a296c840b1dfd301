"""The real LiteLLM as its pods run it: user 65534, a read-only root, nothing but /tmp to write, no capabilities."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dev.toolchain.litellm import ensure_litellm
from loco.plan import Plan
from tests.e2e.confined import confined, in_the_pod
from tests.e2e.litellm_process import Running, running_litellm
from tests.e2e.openai_upstream import Upstream, running_upstream
from tests.gateway.configs import key
from tests.plan.stacks import external, gateway, one, plan_of

pytestmark = pytest.mark.e2e

KEY, API = "sk-master-of-the-confined", "sk-api-of-the-confined"
SECRETS = {("main-litellm-master-key", "master-key"): KEY, ("openai", "token"): API}
TRY = """
import os
for path in ("/x", "/usr/x", "/root/x", "/etc/x", "/mnt/config/x", "/mnt/x", "/tmp/x"):
    try:
        open(path, "w").close()
        print(path, "written")
    except OSError as error:
        print(path, "refused")
"""


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with running_upstream() as running:
        yield running


@pytest.fixture(scope="module")
def plan(upstream: Upstream) -> Plan:
    spec = {"url": f"{upstream.url}/gpt/v1", "auth": key("openai")}
    metrics = {"litellm_settings": {"callbacks": ["prometheus"]}}
    planned = plan_of(
        external(spec), gateway({"extraConfig": metrics}), credentials={"openai": {"token": {"existing": True}}}
    )
    assert not planned.errors
    return planned


def template(plan: Plan) -> dict[str, Any]:
    return dict(one(plan, "Deployment").data["spec"]["template"])


@pytest.fixture(scope="module")
def litellm(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("confined")
    (folder / "config").mkdir(mode=0o755)
    command = confined(template(plan), ensure_litellm(), folder / "config", folder / "run")
    with running_litellm(command, plan, SECRETS, KEY, folder / "config", in_the_pod) as running:
        yield running


def test_nothing_else_can_be_written(plan: Plan, tmp_path: Path) -> None:
    """Or the tests below would say nothing."""
    python = ensure_litellm().parent / "python"
    done = subprocess.run(
        [confined(template(plan), python, tmp_path, tmp_path / "run"), "-c", TRY],
        capture_output=True,
        text=True,
        check=True,
    )
    written = [line.partition(" ")[0] for line in done.stdout.splitlines() if line.endswith("written")]
    assert written == ["/tmp/x"], done.stdout


def test_who_it_is(litellm: Running) -> None:
    status = dict(
        line.split(":\t", 1)
        for line in Path(f"/proc/{litellm.process.pid}/status").read_text().splitlines()
        if ":\t" in line
    )
    assert set(status["Uid"].split()) == set(status["Gid"].split()) == {"65534"}
    assert int(status["CapEff"], 16) == int(status["CapBnd"], 16) == 0
    assert status["NoNewPrivs"] == "1"


def test_it_serves(litellm: Running, upstream: Upstream) -> None:
    answer = litellm.chat("gpt")
    assert answer.status == 200, answer.text
    assert upstream.requests[-1].headers["authorization"] == f"Bearer {API}"
    assert litellm.get("/metrics/").status == 200
    assert litellm.get("/ui/").status == 200


def test_it_misses_nothing(litellm: Running) -> None:
    log = litellm.log.read_text(errors="replace")
    assert len(log) > 500
    assert [line for line in log.splitlines() if "Read-only file system" in line or "Permission denied" in line] == []
