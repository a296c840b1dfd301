"""Providers, callbacks and routing strategies that loco lets through are those that the pinned LiteLLM knows, no more and no fewer."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dev.toolchain.litellm import ensure_litellm
from loco.gateway.providers import PROVIDERS, REFUSED
from loco.gateway.refused_settings import CALLBACKS, ROUTING_STRATEGIES

pytestmark = pytest.mark.e2e

SCRIPT = """
import inspect, json, re
from pathlib import Path
import litellm
from litellm.proxy.common_utils import callback_utils
from litellm.types.router import RoutingStrategy
from litellm.types.utils import LlmProviders

named = re.findall(r'callback == "(\\w+)"', inspect.getsource(callback_utils.initialize_callbacks_on_proxy))
own = json.loads((Path(litellm.__file__).parent / "llms/openai_like/providers.json").read_text())
callbacks = {*litellm._known_custom_logger_compatible_callbacks, *named}
providers = {*(each.value for each in LlmProviders), *own}
strategies = {"simple-shuffle", "lar1", *(each.value for each in RoutingStrategy)}  # two are no part of its list
print(json.dumps({"callbacks": [*callbacks], "providers": [*providers], "strategies": [*strategies]}))
"""


@pytest.fixture(scope="module")
def known() -> dict[str, Any]:
    python: Path = ensure_litellm().parent / "python"
    environment = {"PATH": os.environ["PATH"], "LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([str(python), "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def test_callbacks(known: dict[str, Any]) -> None:
    assert set(known["callbacks"]) == CALLBACKS


def test_routing_strategies(known: dict[str, Any]) -> None:
    assert set(known["strategies"]) == ROUTING_STRATEGIES


def test_providers(known: dict[str, Any]) -> None:
    assert set(known["providers"]) == PROVIDERS | set(REFUSED)
