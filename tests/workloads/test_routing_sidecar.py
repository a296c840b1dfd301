"""The routing sidecar of decode pods: its pool, its words, its token and its rights."""

from typing import Any

import pytest

from tests.plan.stacks import found, one, plan_of, planned, service
from tests.workloads.topologies import GROUPS, MAIN, PREFILL, SIDECAR, several_nodes, sidecar_in, templates

POOL = "INFERENCE_POOL_NAME"
RULES = [
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]},
    {
        "apiGroups": ["inference.networking.x-k8s.io", "inference.networking.k8s.io"],
        "resources": ["inferencepools"],
        "verbs": ["get", "list", "watch"],
    },
]


def env_of(container: dict[str, Any]) -> dict[str, Any]:
    return {variable["name"]: variable.get("value") for variable in container["env"]}


def names_of(plan: Any, kind: str) -> set[str]:
    return {manifest.name for manifest in plan.manifests if manifest.id.kind == kind}


@pytest.mark.parametrize(
    ("router", "pool"),
    [
        (None, None),
        ({"scheduler": {}}, "chat-inference-pool"),
        ({"route": {}, "gateway": {"refs": [{"name": "g"}]}}, "chat-inference-pool"),
        ({"scheduler": {"pool": {"ref": {"name": "theirs"}}}}, "theirs"),
    ],
)
@pytest.mark.parametrize("several", [False, True])
def test_it_knows_its_pool_where_there_is_a_router(
    router: dict[str, Any] | None, pool: str | None, several: bool
) -> None:
    spec = {"prefill": {}, **(several_nodes() if several else {}), **({"router": router} if router else {})}
    made = templates(planned(spec), GROUPS if several else MAIN)
    assert env_of(sidecar_in(made["leader" if several else "pod"])).get(POOL) == pool


def test_pool_that_a_user_writes_stays() -> None:
    sidecar = {"name": SIDECAR, "env": [{"name": POOL, "value": "mine"}]}
    spec = {"prefill": {}, "router": {"scheduler": {}}, "template": {"initContainers": [sidecar]}}
    container = sidecar_in(templates(planned(spec), MAIN)["pod"])
    assert [variable["value"] for variable in container["env"] if variable["name"] == POOL] == ["mine"]


@pytest.mark.parametrize(("profile", "tls", "empty"), [("safe", False, 0), ("kserve", False, 3), ("kserve", True, 0)])
def test_empty_words_are_dropped_under_safe_and_there_are_none_with_tls(profile: str, tls: bool, empty: int) -> None:
    plan = planned({"prefill": {}}, profile=profile, platform={"tls": tls})
    assert sidecar_in(templates(plan, MAIN)["pod"])["command"].count("") == empty


def test_only_pods_with_a_sidecar_have_a_token() -> None:
    single, multi = planned({"prefill": {}}), planned(several_nodes(prefill=several_nodes()))
    tokens = {
        (name, key): template["spec"]["automountServiceAccountToken"]
        for plan, names in ((single, (MAIN, PREFILL)), (multi, (GROUPS, "chat-kserve-mn-prefill")))
        for name in names
        for key, template in templates(plan, name).items()
    }
    assert {place for place, token in tokens.items() if token} == {(MAIN, "pod"), (GROUPS, "leader")}
    assert templates(planned(), MAIN)["pod"]["spec"]["automountServiceAccountToken"] is False
    kserve = templates(planned({"prefill": {}}, profile="kserve"), MAIN)["pod"]["spec"]
    assert "automountServiceAccountToken" not in kserve


def test_sidecar_without_a_token_is_an_error() -> None:
    without = {"automountServiceAccountToken": False}
    (error,) = plan_of(service({"prefill": {}, "template": without})).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec.template.automountServiceAccountToken")
    mount = {"name": "token", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    own = {
        **without,
        "volumes": [{"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}],
        "initContainers": [{"name": SIDECAR, "volumeMounts": [mount]}],
    }
    assert (
        templates(planned({"prefill": {}, "template": own}), MAIN)["pod"]["spec"]["automountServiceAccountToken"]
        is False
    )


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("users", [None, "mine"])
def test_rights_of_the_pods_account(several: bool, users: str | None) -> None:
    template = {"serviceAccountName": users} if users else {}
    plan = planned({"prefill": {}, "template": template, **(several_nodes() if several else {})})
    own = GROUPS if several else MAIN
    stem = own
    account = users or own
    role, binding = one(plan, "Role").data, one(plan, "RoleBinding").data
    labels = {"app.kubernetes.io/name": "chat", "app.kubernetes.io/part-of": "llminferenceservice"}
    if not several:
        labels["app.kubernetes.io/component"] = "llminferenceservice-workload"
    assert (role["metadata"]["name"], binding["metadata"]["name"]) == (f"{stem}-role", f"{stem}-rb")
    assert role["metadata"]["labels"] == binding["metadata"]["labels"] == labels
    assert role["rules"] == RULES
    assert binding["roleRef"] == {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": f"{stem}-role"}
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": account, "namespace": "llm"}]
    assert one(plan, "RoleBinding").replace_on == ("roleRef",)
    assert names_of(plan, "ServiceAccount") == (set() if users else {own})
    for template in templates(plan, own).values():
        assert template["spec"]["serviceAccountName"] == account
    workload = one(plan, "LeaderWorkerSet" if several else "Deployment", own).id
    rights = {m.id for m in plan.manifests if m.id.kind in ("ServiceAccount", "Role", "RoleBinding")}
    assert rights <= {edge.before for edge in plan.edges if edge.after == workload}


def test_accounts_of_groups_are_made_without_a_sidecar_too() -> None:
    plan = planned(several_nodes(prefill=several_nodes(), replicas=1))
    assert names_of(plan, "ServiceAccount") == {GROUPS, "chat-kserve-mn-prefill"}
    alone = planned(several_nodes())
    assert names_of(alone, "ServiceAccount") == {GROUPS}
    assert not names_of(alone, "Role")
    assert not names_of(planned(), "ServiceAccount")


def test_reference_makes_rights_that_no_pod_uses() -> None:
    spec = several_nodes(prefill={})
    assert names_of(planned(spec), "Role") == {"chat-kserve-mn-role"}
    plan = planned(spec, profile="kserve")
    assert names_of(plan, "Role") == {"chat-kserve-mn-role", "chat-kserve-role"}
    assert names_of(plan, "ServiceAccount") == {GROUPS, MAIN}
    spec["template"] = {"serviceAccountName": "mine"}
    plan = planned(spec, profile="kserve")
    assert names_of(plan, "RoleBinding") == {"chat-kserve-mn-rb", "chat-kserve-rb"}
    assert not names_of(plan, "ServiceAccount")


def test_account_of_a_worker_serves_the_group_unless_the_leader_names_another() -> None:
    plan = planned(several_nodes(worker={"serviceAccountName": "w"}))
    assert {t["spec"]["serviceAccountName"] for t in templates(plan, GROUPS).values()} == {"w"}
    assert not found(plan, "LOCO-NO-EFFECT")
    plan = planned(several_nodes(worker={"serviceAccountName": "w"}, template={"serviceAccountName": "l"}))
    assert {t["spec"]["serviceAccountName"] for t in templates(plan, GROUPS).values()} == {"l"}
    (warning,) = found(plan, "LOCO-NO-EFFECT")
    assert warning.path == "spec.worker.serviceAccountName"


TLS = "/var/run/kserve/tls"


@pytest.mark.parametrize(
    ("args", "config", "index"),
    [
        ([f"--cert-path={TLS}"], {}, 0),
        (["--enable-tls=decoder", "--cert-path", f"{TLS}/x"], {}, 1),
        (["--cert-path=/certs"], {}, None),
        ([], {}, None),
        ([f"--cert-path={TLS}"], {"platform": {"tls": True}}, None),
        ([f"--cert-path={TLS}"], {"profile": "kserve"}, None),
    ],
)
def test_a_certificate_that_nobody_mounts_is_an_error(
    args: list[str], config: dict[str, Any], index: int | None
) -> None:
    sidecar = {"initContainers": [{"name": SIDECAR, "args": args}]}
    errors = plan_of(service({"prefill": {}, "router": {"scheduler": {}}, "template": sidecar}), **config).errors
    where = f"spec.template.initContainers[{SIDECAR}].args[{index}]"
    assert [error.path for error in errors] == ([] if index is None else [where])
