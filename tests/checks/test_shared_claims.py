"""Claims that only one node mounts at a time, against the plan's pods."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import found, plan_of, service

NEVER_SURGE = {"rolloutStrategy": {"maxSurge": 0, "maxUnavailable": 1}}
GROUP = {"parallelism": {"data": 4, "dataLocal": 2}, "worker": {"containers": [{"name": "main"}]}}


def claim(*modes: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "weights"},
        "spec": {"accessModes": list(modes), "resources": {"requests": {"storage": "1Gi"}}},
    }


def plan_with(spec: dict[str, Any], *modes: str) -> Plan:
    return plan_of(service({"model": {"uri": "pvc://weights/x", "name": "tiny"}, **spec}), claim(*modes))


@pytest.mark.parametrize(
    ("spec", "severity"),
    [
        ({"replicas": 2, **NEVER_SURGE}, "error"),
        ({"replicas": 1}, "warning"),
        ({"replicas": 0}, None),
        ({"replicas": 1, **NEVER_SURGE}, None),
        ({"replicas": 1, "prefill": {"replicas": 1, **NEVER_SURGE}, **NEVER_SURGE}, "error"),
        ({"replicas": 1, **GROUP}, "error"),
    ],
)
@pytest.mark.parametrize("mode", ["ReadWriteOnce", "ReadWriteOncePod"])
def test_claim_of_one_node(spec: dict[str, Any], severity: str | None, mode: str) -> None:
    findings = found(plan_with(spec, mode), "LOCO-CLAIM")
    assert [finding.severity for finding in findings] == ([severity] if severity else [])
    assert all(finding.path == "spec.accessModes" and finding.value == [mode] for finding in findings)


@pytest.mark.parametrize("modes", [["ReadWriteMany"], ["ReadOnlyMany"], ["ReadWriteOnce", "ReadOnlyMany"]])
def test_claim_that_many_nodes_mount(modes: list[str]) -> None:
    assert not found(plan_with({"replicas": 3}, *modes), "LOCO-CLAIM")


def test_claim_that_nobody_mounts() -> None:
    assert not found(plan_of(service({"replicas": 2}), claim("ReadWriteOnce")), "LOCO-CLAIM")
