"""What users add to a gateway's pods, and what must not be in the place of loco's own."""

from typing import Any

import pytest

from loco.plan import Plan
from loco.pods.restricted import weaknesses
from tests.gateway.configs import env_of
from tests.plan.stacks import external, found, gateway, one, plan_of

DECLARED = {"many": {"ONE": {"existing": True}, "TWO": {"existing": True}}, "odd": {"a-b": {"existing": True}}}


def planned(**spec: Any) -> Plan:
    return plan_of(external(), gateway(spec), credentials=DECLARED)


def template(**spec: Any) -> dict[str, Any]:
    plan = planned(**spec)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return dict(one(plan, "Deployment").data["spec"]["template"])


def test_metadata_stands_beside_locos_own() -> None:
    plain, more = template(), template(pod={"labels": {"a": "1"}, "annotations": {"b": "2"}})
    assert more["metadata"]["labels"] == {**plain["metadata"]["labels"], "a": "1"}
    assert more["metadata"]["annotations"] == {**plain["metadata"]["annotations"], "b": "2"}
    assert more["spec"] == plain["spec"]


def test_account_is_named_and_no_token_is_mounted() -> None:
    pod = template(pod={"serviceAccountName": "cloud-identity"})["spec"]
    assert (pod["serviceAccountName"], pod["automountServiceAccountToken"]) == ("cloud-identity", False)


def test_volumes_and_containers_come_after_locos_own() -> None:
    plain = template()["spec"]
    pod = template(
        pod={
            "volumes": [{"name": "ca", "configMap": {"name": "company-ca"}}],
            "volumeMounts": [{"name": "ca", "mountPath": "/etc/company", "readOnly": True}],
            "initContainers": [{"name": "wait", "image": "wait:1"}],
            "containers": [{"name": "side", "image": "side:1", "securityContext": {"readOnlyRootFilesystem": True}}],
        }
    )["spec"]
    (litellm, side), (wait,) = pod["containers"], pod["initContainers"]
    assert pod["volumes"] == [*plain["volumes"], {"name": "ca", "configMap": {"name": "company-ca"}}]
    own = plain["containers"][0]
    mount = {"name": "ca", "mountPath": "/etc/company", "readOnly": True}
    assert litellm == {**own, "volumeMounts": [*own["volumeMounts"], mount]}
    assert side["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    assert wait["securityContext"]["allowPrivilegeEscalation"] is False
    assert list(weaknesses(pod)) == []


@pytest.mark.parametrize(
    ("pod", "code", "path"),
    [
        ({"labels": {"app.kubernetes.io/name": "x"}}, "VALUE", "labels"),
        ({"annotations": {"locostack.com/configHash": "x"}}, "VALUE", "annotations"),
        ({"labels": {"a": "not a value"}}, "VALUE", "labels"),
        ({"serviceAccountName": "Not A Name"}, "VALUE", "serviceAccountName"),
        ({"volumes": [{"name": "config", "emptyDir": {}}]}, "DUPLICATE", "volumes[0].name"),
        ({"volumes": [{"name": "a", "emptyDir": {}}, {"name": "a", "emptyDir": {}}]}, "DUPLICATE", "volumes[1].name"),
        ({"volumeMounts": [{"name": "tmp", "mountPath": "/tmp/"}]}, "DUPLICATE", "volumeMounts[0].mountPath"),
        ({"containers": [{"name": "litellm", "image": "a:1"}]}, "DUPLICATE", "containers[0].name"),
        (
            {"initContainers": [{"name": "a", "image": "a:1"}], "containers": [{"name": "a", "image": "a:1"}]},
            "DUPLICATE",
            "containers[0].name",
        ),
        ({"containers": [{"name": "a", "image": "a:1", "prots": []}]}, "UNKNOWN-KEY", "containers[a].prots"),
        ({"volumes": [{"name": "a", "emptydir": {}}]}, "UNKNOWN-KEY", "volumes[a].emptydir"),
        ({"hostNetwork": True}, "UNKNOWN-KEY", "hostNetwork"),
        ({"volumeMounts": [{"name": "a", "mountPath": "/a"}]}, "REFERENCE", "volumeMounts[0].name"),
        (
            {"containers": [{"name": "a", "image": "a:1", "volumeMounts": [{"name": "b", "mountPath": "/a"}]}]},
            "REFERENCE",
            "containers[0].volumeMounts[0].name",
        ),
    ],
)
def test_additions_that_are_refused(pod: dict[str, Any], code: str, path: str) -> None:
    errors = planned(pod=pod).errors
    assert [(error.code, error.path) for error in errors] == [(f"LOCO-{code}", f"spec.pod.{path}")]


@pytest.mark.parametrize(
    ("context", "path"),
    [
        ({"privileged": True}, "privileged"),
        ({"allowPrivilegeEscalation": True}, "allowPrivilegeEscalation"),
        ({"runAsNonRoot": False}, "runAsNonRoot"),
        ({"runAsUser": 0}, "runAsUser"),
        ({"seccompProfile": {"type": "Unconfined"}}, "seccompProfile.type"),
        ({"capabilities": {"drop": ["NET_RAW"]}}, "capabilities.drop"),
        ({"capabilities": {"drop": ["ALL"], "add": ["NET_ADMIN"]}}, "capabilities.add"),
        ({"capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}}, None),
        ({"runAsUser": 1000}, None),
        ({}, None),
    ],
)
@pytest.mark.parametrize("field", ["containers", "initContainers"])
def test_weaker_context_is_honoured_and_told(field: str, context: dict[str, Any], path: str | None) -> None:
    spec = {field: [{"name": "a", "image": "a:1", "securityContext": context}]}
    plan = planned(pod=spec)
    assert not plan.errors
    told = [warning.path for warning in found(plan, "LOCO-WEAK-SECURITY", "warning")]
    assert told == ([f"spec.pod.{field}[0].securityContext.{path}"] if path else [])
    pod = one(plan, "Deployment").data["spec"]["template"]["spec"]
    assert bool(list(weaknesses(pod))) is bool(told), "the rule of every other pod"


def test_path_of_a_node_is_told() -> None:
    plan = planned(pod={"volumes": [{"name": "a", "hostPath": {"path": "/"}}]})
    assert [warning.path for warning in found(plan, "LOCO-WEAK-SECURITY")] == ["spec.pod.volumes[0].hostPath"]


@pytest.mark.parametrize(
    ("probes", "probe", "changed"),
    [
        ({"startup": {"failureThreshold": 120}}, "startupProbe", {"failureThreshold": 120}),
        ({"readiness": {"periodSeconds": 2}}, "readinessProbe", {"periodSeconds": 2}),
        ({"liveness": {"timeoutSeconds": 30}}, "livenessProbe", {"timeoutSeconds": 30}),
    ],
)
def test_probes_are_as_patient_as_one_likes(probes: dict[str, Any], probe: str, changed: dict[str, int]) -> None:
    (plain,), (made,) = template()["spec"]["containers"], template(probes=probes)["spec"]["containers"]
    assert made == {**plain, probe: {**plain[probe], **changed}}


@pytest.mark.parametrize("field", ["periodSeconds", "timeoutSeconds", "failureThreshold"])
def test_probes_that_are_refused(field: str) -> None:
    (error,) = planned(probes={"startup": {field: 0}}).errors
    assert (error.code, error.path) == ("LOCO-VALUE", f"spec.probes.startup.{field}")


class TestWholeSecrets:
    def test_each_declared_key_is_a_variable_and_rolls_the_pods(self) -> None:
        plan = planned(envFrom=[{"secretRef": {"name": "many"}}, {"prefix": "OTHER_", "secretRef": {"name": "many"}}])
        env = env_of(plan)
        for name, key in (("ONE", "ONE"), ("TWO", "TWO"), ("OTHER_ONE", "ONE"), ("OTHER_TWO", "TWO")):
            source = {"name": "many", "key": key, "optional": True}
            assert env[name]["valueFrom"]["secretKeyRef"] == source
        rolling = {(use.credential, use.key) for use in plan.credential_uses if use.rolls}
        assert rolling >= {("many", "ONE"), ("many", "TWO")}

    def test_they_may_be_referred_to(self) -> None:
        settings = {"litellm_settings": {"a": "os.environ/ONE"}}
        assert not planned(envFrom=[{"secretRef": {"name": "many"}}], extraConfig=settings).errors

    @pytest.mark.parametrize(
        ("spec", "code"),
        [
            ({"envFrom": [{"secretRef": {"name": "nobody"}}]}, "CREDENTIAL"),
            ({"envFrom": [{"secretRef": {"name": "odd"}}]}, "VALUE"),
            ({"envFrom": [{"prefix": "a", "secretRef": {"name": "many"}}]}, "VALUE"),
            ({"envFrom": [{"secretRef": {"name": "many"}}], "env": [{"name": "ONE", "value": "x"}]}, "DUPLICATE"),
            ({"envFrom": [{"secretRef": {"name": "many"}}, {"secretRef": {"name": "many"}}]}, "DUPLICATE"),
        ],
    )
    def test_those_that_are_refused(self, spec: dict[str, Any], code: str) -> None:
        errors = planned(**spec).errors
        assert {error.code for error in errors} == {f"LOCO-{code}"}
        assert all(error.path.startswith("spec.envFrom") for error in errors)

    @pytest.mark.parametrize(
        "key", ["DATABASE_URL", "LITELLM_MASTER_KEY", "HOME", "DETAILED_DEBUG", "CONFIG_FILE_PATH"]
    )
    def test_none_takes_a_variable_of_locos(self, key: str) -> None:
        declared = {"all": {key: {"existing": True}}}
        (error,) = plan_of(
            external(), gateway({"envFrom": [{"secretRef": {"name": "all"}}]}), credentials=declared
        ).errors
        assert (error.code, error.value) == ("LOCO-DUPLICATE", key)
