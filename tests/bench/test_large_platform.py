"""examples/large without an engine: 60 models in six stacks, one gateway over all; and the sums of `make bench`."""

import runpy
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

from dev.commands.bench import _options
from dev.commands.large_platform import GROUPS, Measured, Stack, ratios, table
from dev.messages import WrongUsage
from loco.plan import Plan, plan_stack
from loco.spec import read_stack
from tests.conftest import REPOSITORY

LARGE = REPOSITORY / "examples/large"
CATALOG: dict[str, dict[str, Any]] = yaml.safe_load((LARGE / "models/catalog.yaml").read_text())


@pytest.fixture(scope="module")
def groups() -> dict[str, Plan]:
    """The plans of the six stacks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pulumi, "run", lambda main: None)
        service = runpy.run_path(str(LARGE / "models/__main__.py"))["service"]
    project = yaml.safe_load((LARGE / "models/Pulumi.yaml").read_text())
    config = {key: declared["value"] for key, declared in project["config"].items()}
    return {
        group: plan_stack(
            read_stack(
                LARGE / "models",
                config,
                stack=group,
                project="models",
                documents=[service(group, name, **model) for name, model in models.items()],
            )
        )
        for group, models in CATALOG.items()
    }


def front(groups: dict[str, Plan]) -> Plan:
    written = yaml.safe_load((LARGE / "gateway/Pulumi.prod.yaml").read_text())["config"]
    config = {key.removeprefix("gateway:"): value for key, value in written.items()}
    outputs = {f"organization/models/{group}": plan.outputs for group, plan in groups.items()}
    return plan_stack(read_stack(LARGE / "gateway", config, stack="prod", project="gateway", outputs=outputs))


def test_sixty_models_in_six_stacks(groups: dict[str, Plan]) -> None:
    assert tuple(groups) == GROUPS
    assert {group: len(plan.outputs["models"]) for group, plan in groups.items()} == dict.fromkeys(GROUPS, 10)
    assert [str(finding) for plan in groups.values() for finding in plan.findings] == []


def test_one_gateway_serves_them_all(groups: dict[str, Plan]) -> None:
    plan = front(groups)
    assert [str(finding) for finding in plan.findings] == []
    (config,) = (m.data["data"]["config.yaml"] for m in plan.manifests if m.id.kind == "ConfigMap")
    served = {entry["model_name"] for entry in yaml.safe_load(config)["model_list"]}
    assert served == {name for models in CATALOG.values() for name in models} | {"default"}


def test_the_network_policies_let_the_gateway_in(groups: dict[str, Plan]) -> None:
    namespace = front(groups).gateways[0].namespace
    for plan in groups.values():
        for manifest in plan.manifests:
            if manifest.id.kind == "NetworkPolicy":
                assert f"kubernetes.io/metadata.name': '{namespace}'" in str(manifest.data["spec"]["ingress"])


def measured(together: bool) -> Measured:
    def stack(name: str, up: float, preview: float) -> Stack:
        return Stack(name, Path(), {"up": up, "preview": preview, "down": 1.0})

    models = [stack("a", 10, 2), stack("b", 12, 4)]
    one = stack("all", 90, 12) if together else None
    return Measured(models, stack("front", 5, 1), one, 30.0, {"a": 50, "b": 50, "front": 9, "all": 100})


def test_ratios() -> None:
    assert ratios(measured(together=True)) == [
        "all of them up, 2 stacks and the gateway: 30.0 s",
        "no-change preview, one stack to one of 2: 4.0",
        "everything up, one stack to all of them: 3.0",
    ]
    assert len(ratios(measured(together=False))) == 1


def test_table_has_a_line_for_each_stack() -> None:
    lines = table(measured(together=True)).splitlines()
    assert [line.split()[0] for line in lines[:5]] == ["stack", "a", "b", "front", "all"]
    assert lines[2].split() == ["b", "50", "12.0", "s", "4.0", "s", "1.0", "s"]
    assert len({len(line) for line in lines[:5]}) == 1


@pytest.mark.parametrize(
    ("arguments", "only", "largest", "count"),
    [("", None, None, 6), ("--only large --groups 2", "large", None, 2), ("--largest 100", None, 100, 6)],
)
def test_options(arguments: str, only: str | None, largest: int | None, count: int) -> None:
    options = _options(arguments)
    assert (options.only, options.largest, options.groups) == (only, largest, count)


@pytest.mark.parametrize("arguments", ["--only small", "--groups 7", "--largest many", "--quick", "'"])
def test_wrong_options(arguments: str) -> None:
    with pytest.raises(WrongUsage):
        _options(arguments)
