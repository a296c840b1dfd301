"""Odd but well-formed pods: either the API server would take them, or there is one clear error at the place."""

from typing import Any

import pytest

from loco.spec.kubernetes import ONE_OF
from loco.spec.tree import dotted
from tests.plan.stacks import container_of, plan_of, planned, pod_of, service

SIDE: dict[str, Any] = {"name": "side", "image": "x"}


def main(**fields: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", **fields}]}


def limits(**amounts: Any) -> dict[str, Any]:
    return main(resources=amounts)


EXEC = {"exec": {"command": ["x"]}}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"containers": [{"name": "side"}]}, "containers[side].image"),
    ({"containers": [{"name": "side", "image": ""}]}, "containers[side].image"),
    ({"initContainers": [{"name": "side"}]}, "initContainers[side].image"),
    (main(image=None), "containers[main].image"),
    ({"restartPolicy": "Never"}, "restartPolicy"),
    ({"activeDeadlineSeconds": 5}, "activeDeadlineSeconds"),
    ({"ephemeralContainers": [{"name": "e", "image": "x"}]}, "ephemeralContainers"),
    (main(volumeMounts=[{"name": "nowhere", "mountPath": "/x"}]), "containers[main].volumeMounts[nowhere].name"),
    ({"volumes": [{"name": "home", "$patch": "delete"}]}, "containers[main].volumeMounts[home].name"),
    ({"volumes": [{"name": "v", "emptyDir": {}, "hostPath": {"path": "/"}}]}, "volumes[v].hostPath"),
    (
        main(env=[{"name": "A", "value": "1", "valueFrom": {"fieldRef": {"fieldPath": "a"}}}]),
        "containers[main].env[A].valueFrom",
    ),
    (main(env=[{"name": "", "value": "1"}]), "containers[main].env[0].name"),
    (main(env=[{"name": "A=B", "value": "1"}]), "containers[main].env[A=B].name"),
    (main(ports=[{"containerPort": 0}]), "containers[main].ports[0].containerPort"),
    (main(ports=[{"containerPort": 70000}]), "containers[main].ports[0].containerPort"),
    (main(ports=[{"containerPort": 1, "name": "Metrics"}]), "containers[main].ports[Metrics].name"),
    (
        main(ports=[{"containerPort": 1, "name": "a-name-far-too-long"}]),
        "containers[main].ports[a-name-far-too-long].name",
    ),
    (
        main(ports=[{"containerPort": 1, "name": "m"}, {"containerPort": 2, "name": "m"}]),
        "containers[main].ports[m].name",
    ),
    ({"initContainers": [{**SIDE, "livenessProbe": EXEC}]}, "initContainers[side].livenessProbe"),
    ({"initContainers": [{**SIDE, "lifecycle": {"preStop": EXEC}}]}, "initContainers[side].lifecycle"),
    ({"containers": [{**SIDE, "livenessProbe": {"periodSeconds": 1}}]}, "containers[side].livenessProbe"),
    (
        {"containers": [{**SIDE, "livenessProbe": {**EXEC, "httpGet": {"port": 1}}}]},
        "containers[side].livenessProbe.httpGet",
    ),
    (main(livenessProbe={"periodSeconds": -1}), "containers[main].livenessProbe.periodSeconds"),
    (main(startupProbe={"successThreshold": 2}), "containers[main].startupProbe.successThreshold"),
    (limits(limits={"gpu": 1}), "containers[main].resources.limits.gpu"),
    (limits(limits={"nvidia.com/gpu": "500m"}), 'containers[main].resources.limits["nvidia.com/gpu"]'),
    (limits(limits={"cpu": -1}), "containers[main].resources.limits.cpu"),
    (limits(requests={"nvidia.com/gpu": 1}), 'containers[main].resources.requests["nvidia.com/gpu"]'),
    (
        limits(requests={"nvidia.com/gpu": 1}, limits={"nvidia.com/gpu": 2}),
        'containers[main].resources.requests["nvidia.com/gpu"]',
    ),
    (limits(requests={"cpu": 4}, limits={"cpu": "3500m"}), "containers[main].resources.requests.cpu"),
    (limits(requests={"memory": "8Gi"}, limits={"memory": "8G"}), "containers[main].resources.requests.memory"),
    (main(livenessProbe={"httpGet": None, "exec": {"command": []}}), "containers[main].livenessProbe.exec.command"),
    (
        {"containers": [{**SIDE, "livenessProbe": {"httpGet": {"port": 0}}}]},
        "containers[side].livenessProbe.httpGet.port",
    ),
    ({"containers": [{**SIDE, "lifecycle": {"preStop": {}}}]}, "containers[side].lifecycle.preStop"),
    (
        {"containers": [{**SIDE, "readinessProbe": {**EXEC, "terminationGracePeriodSeconds": 5}}]},
        "containers[side].readinessProbe.terminationGracePeriodSeconds",
    ),
    (main(env=[{"name": "A", "valueFrom": {}}]), "containers[main].env[A].valueFrom"),
    (
        main(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "My_Secret", "key": "k"}}}]),
        "containers[main].env[A].valueFrom.secretKeyRef.name",
    ),
    (main(envFrom=[{"configMapRef": {"name": "Upper"}}]), "containers[main].envFrom[0].configMapRef.name"),
    ({"volumes": [{"name": "v", "secret": {"secretName": "s", "defaultMode": 644}}]}, "volumes[v].secret.defaultMode"),
    ({"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "-1Gi"}}]}, "volumes[v].emptyDir.sizeLimit"),
    (
        {"volumes": [{"name": "v", "configMap": {"name": "c", "items": [{"key": "k", "path": "/x"}]}}]},
        "volumes[v].configMap.items[0].path",
    ),
    (main(volumeMounts=[{"name": "home", "mountPath": ""}]), "containers[main].volumeMounts[home].mountPath"),
    (
        main(volumeMounts=[{"name": "home", "mountPath": "/x", "subPath": "../y"}]),
        "containers[main].volumeMounts[home].subPath",
    ),
    ({"serviceAccountName": "My_Account"}, "serviceAccountName"),
    ({"securityContext": {"fsGroup": -1}}, "securityContext.fsGroup"),
    (main(securityContext={"runAsUser": 2**31}), "containers[main].securityContext.runAsUser"),
    (
        main(securityContext={"seccompProfile": {"type": "Localhost"}}),
        "containers[main].securityContext.seccompProfile.localhostProfile",
    ),
    (
        {"securityContext": {"appArmorProfile": {"type": "RuntimeDefault", "localhostProfile": "x"}}},
        "securityContext.appArmorProfile.localhostProfile",
    ),
    ({"tolerations": [{"effect": "NoSchedule"}]}, "tolerations[0]"),
    ({"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]}, "tolerations[0].value"),
    ({"tolerations": [{"key": "a", "tolerationSeconds": 5}]}, "tolerations[0].tolerationSeconds"),
    ({"dnsPolicy": "None"}, "dnsPolicy"),
    ({"resourceClaims": [{"name": "gpu"}]}, "resourceClaims[gpu]"),
    (limits(limits={"hugepages-2Mi": "4Mi"}), "containers[main].resources.limits.hugepages-2Mi"),
]
# The API server takes these, and the pod then waits for ever for an object that can't exist.
HOPELESS: list[tuple[dict[str, Any], str]] = [
    (
        {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "a_b"}}]},
        "volumes[v].persistentVolumeClaim.claimName",
    ),
    ({"imagePullSecrets": [{"name": "a b"}]}, "imagePullSecrets[a b].name"),
]


@pytest.mark.parametrize("profile", ["safe", "kserve"])
@pytest.mark.parametrize(("template", "path"), REFUSED + HOPELESS)
def test_refused_pod_is_one_error_at_its_place(template: dict[str, Any], path: str, profile: str) -> None:
    plan = plan_of(service({"template": template}), profile=profile)
    assert [error.path for error in plan.errors] == [f"spec.template.{path}"]
    assert plan.errors[0].code == "LOCO-VALUE"
    assert not plan.manifests


ACCEPTED: list[dict[str, Any]] = [
    {},
    main(),
    {"containers": [SIDE, {"name": "main"}]},
    main(command=["/bin/sh", "-c"], args=["vllm serve"]),
    main(command=[], args=[]),
    main(resources={"limits": {"cpu": 4, "memory": 8589934592, "nvidia.com/gpu": 1}}),
    main(resources={"limits": {"cpu": 0.5, "nvidia.com/gpu": "1"}, "requests": {"cpu": "500m", "nvidia.com/gpu": 1}}),
    main(resources={"limits": {"nvidia.com/gpu": "2000m", "hugepages-2Mi": "4Mi", "memory": "1Gi"}}),
    main(resources={"requests": {"ephemeral-storage": "1Gi"}}),
    main(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]),
    main(
        env=[
            {"name": "HOME", "value": "/x"},
            {"name": "my.var-1", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        ]
    ),
    main(ports=[{"containerPort": 8000, "name": "http"}, {"containerPort": 9000, "protocol": "UDP"}]),
    main(volumeMounts=[{"name": "home", "mountPath": "/a"}, {"name": "home", "mountPath": "/b", "subPath": "c"}]),
    {"volumes": [{"name": "dshm", "emptyDir": {"sizeLimit": "8Gi"}}]},
    {"volumes": [{"name": "home", "persistentVolumeClaim": {"claimName": "x"}}, {"name": "bare"}]},
    {"volumes": [{"name": "host", "hostPath": {"path": "/x"}}]},
    {"initContainers": [{**SIDE, "restartPolicy": "Always", "livenessProbe": EXEC}]},
    {"restartPolicy": "Always", "terminationGracePeriodSeconds": 0, "serviceAccountName": "a"},
    main(startupProbe=None, livenessProbe=None, readinessProbe=None, lifecycle=None),
    {
        "tolerations": [{"key": "a", "value": "b", "effect": "NoExecute", "tolerationSeconds": 5}],
        "dnsPolicy": "Default",
    },
    {
        "volumes": [{"name": "v", "secret": {"secretName": "a.b-1", "defaultMode": 0o644}}],
        "imagePullSecrets": [{"name": "r"}],
    },
    {"volumes": [{"name": "v", "configMap": {"name": "c", "items": [{"key": "k", "path": "a/b"}], "optional": True}}]},
    main(livenessProbe={"httpGet": {"port": "http"}}, ports=[{"containerPort": 8000, "name": "http"}]),
    {
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "g"}],
        **main(resources={"claims": [{"name": "gpu"}]}),
    },
    {"nodeSelector": {"a": "b"}, "tolerations": [{"operator": "Exists"}], "schedulerName": "kai"},
]


@pytest.mark.parametrize("profile", ["safe", "kserve"])
@pytest.mark.parametrize("template", ACCEPTED)
def test_odd_pod_is_accepted(template: dict[str, Any], profile: str) -> None:
    assert container_of(planned({"template": template}, profile=profile))


def test_every_kind_of_volume_is_known_to_exclude_others() -> None:
    assert {"emptyDir", "hostPath", "image"} <= ONE_OF["Volume"]


def test_removed_engine_is_an_error() -> None:
    plan = plan_of(service({"template": {"containers": [{"name": "main", "$patch": "delete"}, SIDE]}}))
    assert [error.path for error in plan.errors] == ["spec.template.containers"]
    assert not plan.manifests
    plan = plan_of(service({"template": {"containers": [{"$patch": "replace"}, SIDE]}}))
    assert "no container is called main" in plan.errors[0].message


@pytest.mark.parametrize(
    ("field", "key", "value"),
    [
        ("labels", "team", "two words"),
        ("labels", "team", "x" * 64),
        ("labels", "team", "-x"),
        ("labels", "a b", "x"),
        ("labels", "a/b/c", "x"),
        ("labels", "", "x"),
        ("annotations", "a b", "x"),
        ("annotations", "x" * 64, "x"),
    ],
)
def test_metadata_that_kubernetes_refuses_is_an_error(field: str, key: str, value: str) -> None:
    (error,) = plan_of(service({field: {key: value}})).errors
    assert error.path == dotted(("spec", field, key))


@pytest.mark.parametrize(
    ("field", "key", "value"),
    [("labels", "a.b/c", ""), ("labels", "x", "A_b.c-1"), ("annotations", "a.b/C_d", "any text\n{}")],
)
def test_metadata_that_kubernetes_takes(field: str, key: str, value: str) -> None:
    assert not planned({field: {key: value}}).findings


def test_users_volume_takes_the_place_of_the_presets() -> None:
    plan = planned({"template": {"volumes": [{"name": "home", "persistentVolumeClaim": {"claimName": "x"}}]}})
    assert {"name": "home", "persistentVolumeClaim": {"claimName": "x"}} in pod_of(plan)["volumes"]
