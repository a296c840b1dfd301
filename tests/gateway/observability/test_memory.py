"""Room for the process that serves a gateway's metrics at a port of its own."""

from typing import Any

import pytest

from tests.gateway.observability.stacks import watched
from tests.plan.stacks import gateway, one

PORT_APART = {"metrics": {"gateway": {"port": 4001}}}
CREDENTIALS = {"db": {"url": {"existing": True}}}
DATABASE = {"database": {"secretRef": {"name": "db", "key": "url"}}}


def resources(metrics: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    plan = watched(metrics, gateway(spec), credentials=CREDENTIALS)
    containers = one(plan, "Deployment", "main-litellm").data["spec"]["template"]["spec"]["containers"]
    (found,) = (each["resources"] for each in containers if each["name"] == "litellm")
    return dict(found)


@pytest.mark.parametrize(
    ("spec", "asked", "most"), [({}, (512, "512Mi"), (1024, "1Gi")), (DATABASE, (1024, "1Gi"), (2048, "2Gi"))]
)
def test_200_mebibytes_more(spec: dict[str, Any], asked: tuple[int, str], most: tuple[int, str]) -> None:
    def of(request: str, limit: str) -> dict[str, Any]:
        return {"requests": {"cpu": "500m", "memory": request}, "limits": {"memory": limit}}

    assert resources({"metrics": {}}, spec) == of(asked[1], most[1])
    assert resources(PORT_APART, spec) == of(f"{asked[0] + 200}Mi", f"{most[0] + 200}Mi")


def test_what_the_author_asks_for_is_left_alone() -> None:
    own = {"limits": {"memory": "3Gi"}}
    assert resources(PORT_APART, {"placement": {"resources": own}}) == own
