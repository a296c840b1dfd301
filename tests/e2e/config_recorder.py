"""A pytest plugin that keeps every gateway's config of the plans that other tests make: ``-p tests.e2e.config_recorder``.

Each text is kept once, in the folder that LOCO_RECORDED_CONFIGS names: ``<digest>.yaml``, and beside it in
``<digest>.json`` the environment of its pods.
"""

import json
import os
import sys
from collections.abc import Mapping
from functools import wraps
from pathlib import Path
from typing import Any

import loco.plan
from loco.gateway.config import config_digest
from loco.gateway.pod import IMAGE, TRUST
from loco.plan import Plan
from loco.spec import StackSpec

# Secrets whose form LiteLLM looks at; nobody answers there.
_URLS = {"REDIS_URL": "redis://127.0.0.1:9", "DATABASE_URL": "postgresql://a:b@127.0.0.1:9/c"}
_plan_stack = loco.plan.plan_stack


def keep(plan: Plan, folder: Path) -> None:
    """Writes what isn't there yet of the gateways that run the pinned LiteLLM. A plan with errors is never applied."""
    configs = {(made.namespace, made.name): made for made in plan.manifests if made.id.kind == "ConfigMap"}
    for gateway in () if plan.errors else plan.gateways:
        if gateway.spec.image in (None, IMAGE):
            pod = _pod(plan, f"LiteLLMGateway/{gateway.namespace}/{gateway.name}")
            [name] = [volume["configMap"]["name"] for volume in pod["volumes"] if volume["name"] == "config"]
            text = configs[gateway.namespace, name].data["data"]["config.yaml"]
            (folder / f"{config_digest(text)}.yaml").write_text(text, "utf-8")
            (folder / f"{config_digest(text)}.json").write_text(json.dumps(_environment(pod)), "utf-8")


def _pod(plan: Plan, component: str) -> dict[str, Any]:
    [made] = [made for made in plan.manifests if (made.id.kind, made.component) == ("Deployment", component)]
    return dict(made.data["spec"]["template"]["spec"])


def _environment(pod: Mapping[str, Any]) -> dict[str, str]:
    """A value for every secret, and nothing of files that only the pods have."""
    [container] = [each for each in pod["containers"] if each["name"] == "litellm"]
    return {
        variable["name"]: variable.get("value", _URLS.get(variable["name"], f"sk-of-{variable['name']}"))
        for variable in container["env"]
        if variable["name"] != TRUST
    }


@wraps(_plan_stack)
def _recorded(stack: StackSpec) -> Plan:
    plan = _plan_stack(stack)
    keep(plan, Path(os.environ["LOCO_RECORDED_CONFIGS"]))
    return plan


def pytest_configure() -> None:
    """Before any test module is imported, so that all of them call the one that records."""
    for module in [*sys.modules.values()]:
        if getattr(module, "plan_stack", None) is _plan_stack:
            module.plan_stack = _recorded  # type: ignore[attr-defined]
