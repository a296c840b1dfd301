"""A stack for each team, in a loop: the teams share the cluster and its provider, and neither namespaces nor keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
from documents import Model, external, gateway, service

from loco import ModelServingStack, StackSpec, make_provider, read_stack


@dataclass(frozen=True)
class Team:
    """A team and its models.

    Attributes:
        name: of the team, and part of logical names.
        namespace: where everything of it stands. It stays when the team gets another name: objects can't move.
        models: those that it runs.
        formerly: names that it had before. They become aliases, so that a new name replaces nothing.
    """

    name: str
    namespace: str
    models: Sequence[Model]
    formerly: Sequence[str] = field(default=())


TEAMS = (
    Team(
        "search",
        "llm-search",
        (
            Model("embed", "BAAI/bge-m3"),
            Model("rank", "Qwen/Qwen2.5-7B-Instruct", replicas=2, fallbacks=("gpt",)),
        ),
    ),
    Team("support", "llm-support", (Model("chat", "Qwen/Qwen2.5-32B-Instruct", gpus=4, fallbacks=("gpt",)),)),
)


def spec_of(team: Team, platform: Mapping[str, Any]) -> StackSpec:
    """What a team's stack is to be. Everything wrong with it is reported by ModelServingStack, all at once."""
    documents = [
        *(service(model, team.namespace, labels={"team": team.name}) for model in team.models),
        external("gpt", team.namespace, model="gpt-4o-mini", secret="openai"),
        gateway(team.namespace, team.models),
    ]
    config = {
        "namespace": team.namespace,
        "cluster": {"createNamespaces": True},
        "platform": platform,
        "credentials": {"openai": {"token": {"config": "openaiToken"}}},
    }
    return read_stack(".", config, stack=pulumi.get_stack(), documents=documents, secrets=["openaiToken"])


config = pulumi.Config()
provider = make_provider("cluster", context=config.require("context"))
stacks = {
    team.name: ModelServingStack(
        f"models-{team.name}",
        spec_of(team, {"gateway": config.require_object("gateway")}),
        credentials={"openaiToken": config.require_secret("openaiToken")},
        opts=pulumi.ResourceOptions(
            provider=provider, aliases=[pulumi.Alias(name=f"models-{name}") for name in team.formerly]
        ),
    )
    for team in TEAMS
}
pulumi.export("teams", {name: dict(stack.outputs) for name, stack in stacks.items()})
