"""What the output ``platform`` of another stack may hold, and how a fault of it is told."""

import asyncio
from pathlib import Path
from typing import Any

import pulumi
import pytest

from loco.components.organization import check_organization
from loco.components.other_stacks import check_platform, with_platform
from loco.spec import read_stack

STACK = "organization/platform/prod"


@pytest.mark.parametrize(
    "platform",
    [
        {},
        {"gateway": {"name": "shared", "namespace": "infra", "peers": [{"namespace": "infra"}]}, "spareGpus": 3},
        {"gateway": {"name": "shared"}},
    ],
    ids=["nothing", "much", "what the config completes"],
)
def test_accepted(platform: dict[str, Any]) -> None:
    assert check_platform(STACK, platform) == []


@pytest.mark.parametrize(
    ("platform", "code", "path"),
    [
        ({"gatewy": {"name": "shared"}}, "LOCO-UNKNOWN-KEY", "platform.gatewy"),
        ({"gateway": {"nme": "shared"}}, "LOCO-UNKNOWN-KEY", "platform.gateway.nme"),
        ({"spareGpus": "many"}, "LOCO-TYPE", "platform.spareGpus"),
        ({"spareGpus": -1}, "LOCO-VALUE", "platform.spareGpus"),
        ({"gateway": "shared"}, "LOCO-TYPE", "platform.gateway"),
        ({"from": "organization/another/prod"}, "LOCO-VALUE", "platform.from"),
    ],
)
def test_refused_with_stack_and_key(platform: dict[str, Any], code: str, path: str) -> None:
    (finding,) = check_platform(STACK, {"tls": False, **platform})
    assert (finding.code, finding.path) == (code, path)
    assert f"in the output platform of {STACK}" in str(finding)


@pytest.mark.parametrize(
    ("organization", "name"),
    [
        ("organization", "organization/platform/prod"),
        ("organization", "organization/prod"),
        ("organization", "prod"),
        ("acme", "acme/platform/prod"),
        ("acme", "platform/prod"),
    ],
)
def test_whose_stack_it_may_be(organization: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi, "get_organization", lambda: organization)
    check_organization(name, "platform.from")


@pytest.mark.parametrize("name", ["platform/prod", "acme/platform/prod"])
def test_a_backend_without_organizations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi, "get_organization", lambda: "organization")
    with pytest.raises(pulumi.RunError) as refusal:
        asyncio.run(with_platform({"platform": {"from": name}}))
    text = str(refusal.value)
    assert "LOCO-REFERENCE" in text
    assert "platform.from" in text
    assert "organization/platform/prod" in text


@pytest.mark.parametrize("name", ["a b/c", "a//c", "a/b/c/d", ""])
def test_a_name_that_no_stack_has_is_left_to_reading(name: str, tmp_path: Path) -> None:
    config = asyncio.run(with_platform({"platform": {"from": name}}))
    assert "platform.from" in {finding.path for finding in read_stack(tmp_path, config, stack="dev").findings}
