"""A gateway's config, pods and Secrets out of a plan."""

from typing import Any

import yaml

from loco.model import Manifest
from loco.plan import Plan
from tests.plan.stacks import one


def config_of(plan: Plan, name: str = "main-litellm-config") -> dict[str, Any]:
    config: dict[str, Any] = yaml.safe_load(text_of(plan, name))
    return config


def text_of(plan: Plan, name: str = "main-litellm-config") -> str:
    return str(one(plan, "ConfigMap", name).data["data"]["config.yaml"])


def entries(plan: Plan) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = config_of(plan)["model_list"]
    return listed


def env_of(plan: Plan, name: str = "main-litellm") -> dict[str, dict[str, Any]]:
    (container,) = one(plan, "Deployment", name).data["spec"]["template"]["spec"]["containers"]
    return {variable["name"]: variable for variable in container["env"]}


def secrets(plan: Plan) -> list[Manifest]:
    return [manifest for manifest in plan.manifests if manifest.id.kind == "Secret"]


def key(name: str, entry: str = "token") -> dict[str, Any]:
    return {"apiKey": {"secretRef": {"name": name, "key": entry}}}


def header(name: str, secret: str | None = None, value: str | None = None) -> dict[str, Any]:
    if secret is None:
        return {"name": name, "value": value}
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": "token"}}}


EXISTING = {"openai": {"token": {"existing": True}}}
