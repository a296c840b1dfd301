"""Additions to a gateway's pods that every field's type allows, and an API server or LiteLLM's own pods don't."""

from typing import Any

import pytest

from loco.pods.restricted import weaknesses
from tests.plan.stacks import external, found, gateway, one, plan_of

V = {"name": "v", "emptyDir": {}}
SIDE = {"name": "side", "image": "side:1"}
DECLARED = {"many": {"ONE": {"existing": True}}}


def side(**fields: Any) -> dict[str, Any]:
    return {"pod": {"containers": [{**SIDE, **fields}]}}


def mounted(path: str) -> dict[str, Any]:
    return {"pod": {"volumes": [V], "volumeMounts": [{"name": "v", "mountPath": path}]}}


CASES: list[tuple[dict[str, Any], str, str]] = [
    ({"pod": {"containers": [{"name": "side"}]}}, "VALUE", "pod.containers[0].image"),
    ({"pod": {"initContainers": [{"name": "first"}]}}, "VALUE", "pod.initContainers[0].image"),
    ({"pod": {"volumes": [{**V, "secret": {"secretName": "a"}}]}}, "VALUE", "pod.volumes[0].secret"),
    (
        {"pod": {"volumes": [{"name": "v", "secret": {"secretName": "A B"}}]}},
        "VALUE",
        "pod.volumes[0].secret.secretName",
    ),
    (side(livenessProbe={}), "VALUE", "pod.containers[0].livenessProbe"),
    (side(ports=[{"containerPort": 70000}]), "VALUE", "pod.containers[0].ports[0].containerPort"),
    (
        side(resources={"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}),
        "VALUE",
        "pod.containers[0].resources.requests.cpu",
    ),
    (side(ports=[{"containerPort": 4000}]), "DUPLICATE", "pod.containers[0].ports[0].containerPort"),
    (side(ports=[{"containerPort": 80, "name": "http"}]), "DUPLICATE", "pod.containers[0].ports[0].name"),
    (mounted(""), "VALUE", "pod.volumeMounts[0].mountPath"),
    (mounted("/a:b"), "VALUE", "pod.volumeMounts[0].mountPath"),
    (mounted("a"), "VALUE", "pod.volumeMounts[0].mountPath"),
    (mounted("/"), "VALUE", "pod.volumeMounts[0].mountPath"),
    (mounted("/etc/ssl/../litellm"), "VALUE", "pod.volumeMounts[0].mountPath"),
    (mounted("/etc/litellm/config.yaml"), "DUPLICATE", "pod.volumeMounts[0].mountPath"),
    (mounted("//etc/litellm/."), "DUPLICATE", "pod.volumeMounts[0].mountPath"),
    (
        {"placement": {"resources": {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}}},
        "VALUE",
        "placement.resources.requests.memory",
    ),
    ({"placement": {"tolerations": [{"effect": "NoSchedule"}]}}, "VALUE", "placement.tolerations[0]"),
    (
        {
            "database": {
                "secretRef": {"name": "many", "key": "ONE"},
                "migration": {"resources": {"limits": {"gpu": "1"}}},
            }
        },
        "VALUE",
        "database.migration.resources.limits.gpu",
    ),
    (
        side(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "no", "key": "k"}}}]),
        "CREDENTIAL",
        "pod.containers[0].env[0].valueFrom.secretKeyRef",
    ),
]


@pytest.mark.parametrize(("spec", "code", "path"), CASES)
def test_refused_at_its_own_field(spec: dict[str, Any], code: str, path: str) -> None:
    errors = plan_of(external(), gateway(spec), credentials=DECLARED).errors
    assert [(error.code, error.path) for error in errors] == [(f"LOCO-{code}", f"spec.{path}")]
    assert all(error.cure and error.origin for error in errors)


def test_all_at_once() -> None:
    """One fault of an addition hides none of the others."""
    specs = [spec["pod"] for spec, _, _ in (CASES[1], CASES[0], CASES[11])]
    pod = {key: value for spec in specs for key, value in spec.items()}
    errors = plan_of(external(), gateway({"pod": pod}), credentials=DECLARED).errors
    assert {error.path for error in errors} == {f"spec.{path}" for _, _, path in (CASES[1], CASES[0], CASES[11])}


def test_directories_within_scratch_space() -> None:
    assert not plan_of(external(), gateway(mounted("/tmp/cache"))).errors


def test_what_a_container_reads_from_a_secret_is_in_a_digest() -> None:
    reference = {"secretKeyRef": {"name": "many", "key": "ONE"}}
    spec = side(env=[{"name": "A", "valueFrom": reference}])
    plan = plan_of(external(), gateway(spec), credentials=DECLARED)
    assert not plan.findings
    (use,) = (use for use in plan.credential_uses if use.secret == "many")
    assert (use.reader, use.key, use.required) == (one(plan, "Deployment").id, "ONE", True)


@pytest.mark.parametrize("context", [{"privileged": True}, {"capabilities": {"add": ["SYS_ADMIN"]}}])
def test_a_container_that_gains_privileges_anyway(context: dict[str, Any]) -> None:
    """An API server refuses one that is to refuse them."""
    plan = plan_of(external(), gateway(side(securityContext=context)))
    assert not plan.errors
    container = one(plan, "Deployment").data["spec"]["template"]["spec"]["containers"][1]
    assert "allowPrivilegeEscalation" not in container["securityContext"]


@pytest.mark.parametrize(
    ("pod", "path"),
    [
        ({"volumes": [{"name": "a", "nfs": {"server": "s", "path": "/"}}]}, "volumes[0].nfs"),
        (side(ports=[{"containerPort": 81, "hostPort": 81}])["pod"], "containers[0].ports[0].hostPort"),
        (side(securityContext={"procMount": "Unmasked"})["pod"], "containers[0].securityContext.procMount"),
    ],
)
def test_whatever_weakens_a_pod_is_told(pod: dict[str, Any], path: str) -> None:
    plan = plan_of(external(), gateway({"pod": pod}))
    assert [finding.path for finding in found(plan, "LOCO-WEAK-SECURITY")] == [f"spec.pod.{path}"]
    assert list(weaknesses(one(plan, "Deployment").data["spec"]["template"]["spec"]))
