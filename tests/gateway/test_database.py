"""A gateway's database: who reads its URL, who alters its tables, and in which order."""

from typing import Any

import pytest

from loco import names
from loco.model import ManifestId
from loco.plan import Plan
from loco.pods.restricted import weaknesses
from tests.gateway.configs import config_of, env_of
from tests.plan.stacks import external, found, gateway, one, plan_of

URL = {"secretRef": {"name": "db", "key": "url"}}
CREDENTIALS = {
    "db": {"url": {"config": "databaseUrl"}},
    "replica": {"url": {"existing": True}},
    "owner": {"url": {"existing": True}},
}


def planned(database: dict[str, Any] | None = None, **spec: Any) -> Plan:
    plan = plan_of(external(), gateway({"database": {**URL, **(database or {})}, **spec}), credentials=CREDENTIALS)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


def job_of(plan: Plan) -> dict[str, Any]:
    return dict(one(plan, "Job", "main-litellm-migrate").data)


def job_pod(plan: Plan) -> dict[str, Any]:
    pod: dict[str, Any] = job_of(plan)["spec"]["template"]["spec"]
    return pod


def job_env(plan: Plan) -> dict[str, Any]:
    (container,) = job_pod(plan)["containers"]
    return {variable["name"]: variable for variable in container["env"]}


def test_servers_read_the_url_and_leave_the_tables_alone() -> None:
    env = env_of(planned())
    source = {"name": "db", "key": "url"}
    assert env["DATABASE_URL"]["valueFrom"]["secretKeyRef"] == source, "pods can't do without"
    assert env["DISABLE_SCHEMA_UPDATE"]["value"] == "true"
    assert env["PRISMA_OFFLINE_MODE"]["value"] == "true"


def test_nothing_of_it_without_one() -> None:
    plan = plan_of(external(), gateway({}))
    assert not [manifest for manifest in plan.manifests if manifest.id.kind == "Job"]
    assert not {"DATABASE_URL", "DISABLE_SCHEMA_UPDATE", "LITELLM_SALT_KEY"} & env_of(plan).keys()


@pytest.mark.parametrize(
    ("database", "settings"),
    [
        ({}, {}),
        ({"connectionLimit": 5}, {"database_connection_pool_limit": 5}),
        ({"connectionTimeoutSeconds": 7}, {"database_connection_timeout": 7}),
    ],
)
def test_settings_of_the_config(database: dict[str, Any], settings: dict[str, Any]) -> None:
    general = config_of(planned(database))["general_settings"]
    assert general == {"master_key": "os.environ/LITELLM_MASTER_KEY", **settings}


def test_read_replica() -> None:
    env = env_of(planned({"readReplica": {"secretRef": {"name": "replica", "key": "url"}}}))
    assert env["DATABASE_URL_READ_REPLICA"]["valueFrom"]["secretKeyRef"] == {"name": "replica", "key": "url"}


class TestJob:
    def test_stands_between_the_secret_and_the_pods(self) -> None:
        plan = planned()
        job = ManifestId("batch/v1", "Job", "llm", "main-litellm-migrate")
        before = {edge.before.name for edge in plan.edges if edge.after == job}
        after = {edge.after.name for edge in plan.edges if edge.before == job}
        assert (before, after) == ({"db"}, {"main-litellm"})

    def test_each_content_is_a_job_of_its_own_and_is_kept(self) -> None:
        manifest = one(planned({"migration": {"activeDeadlineSeconds": 90, "backoffLimit": 1}}), "Job")
        assert manifest.editions
        assert manifest.data["spec"].items() >= {"activeDeadlineSeconds": 90, "backoffLimit": 1}.items()
        assert "ttlSecondsAfterFinished" not in manifest.data["spec"], "the engine would make it again"
        assert manifest.wait.timeout_seconds is not None
        assert manifest.wait.timeout_seconds > 90, "so that Kubernetes says why"

    def test_only_migrates(self) -> None:
        plan = planned()
        (container,) = job_pod(plan)["containers"]
        assert container["args"] == ["--skip_server_startup"]
        env = job_env(plan)
        assert env["DATABASE_URL"]["valueFrom"]["secretKeyRef"] == {"name": "db", "key": "url"}
        assert env["LITELLM_MIGRATION_DIR"]["value"].startswith("/tmp/")
        assert "DISABLE_SCHEMA_UPDATE" not in env
        assert "LITELLM_MASTER_KEY" not in env
        assert job_pod(plan)["restartPolicy"] == "Never"

    def test_passes_where_restricted_is_enforced(self) -> None:
        pod = job_pod(planned())
        assert list(weaknesses(pod)) == []
        (container,) = pod["containers"]
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert pod["automountServiceAccountToken"] is pod["enableServiceLinks"] is False

    def test_pods_take_no_requests(self) -> None:
        plan = planned()
        labels = job_of(plan)["spec"]["template"]["metadata"]["labels"]
        for kind in ("Service", "PodDisruptionBudget"):
            spec = one(plan, kind, "main-litellm").data["spec"]
            selector = spec["selector"].get("matchLabels", spec["selector"])
            assert not selector.items() <= labels.items()

    def test_is_like_the_servers(self) -> None:
        spec = {
            "image": "x.y/z:1",
            "placement": {"nodeSelector": {"a": "b"}, "tolerations": [{"operator": "Exists"}]},
            "pod": {
                "serviceAccountName": "runs-it",
                "labels": {"mesh": "on"},
                "volumes": [{"name": "authority", "secret": {"secretName": "ca"}}],
                "volumeMounts": [
                    {"name": "authority", "mountPath": "/ca"},
                    {"name": "config", "mountPath": "/again"},
                ],
                "containers": [{"name": "side", "image": "side:1"}],
            },
        }
        plan = planned(None, **spec)
        pod, servers = job_pod(plan), one(plan, "Deployment").data["spec"]["template"]["spec"]
        for field in ("nodeSelector", "tolerations", "serviceAccountName", "securityContext"):
            assert pod[field] == servers[field]
        (container,) = pod["containers"]
        assert container["image"] == servers["containers"][0]["image"] == "x.y/z:1"
        assert {"name": "authority", "mountPath": "/ca"} in container["volumeMounts"]
        assert {volume["name"] for volume in pod["volumes"]} == {"authority", "tmp"}
        assert {mount["name"] for mount in container["volumeMounts"]} == {"authority", "tmp"}
        assert "mesh" not in job_of(plan)["spec"]["template"]["metadata"]["labels"], "a proxy beside it never ends"

    def test_pulls_as_the_servers_do(self) -> None:
        platform = {"imagePullSecrets": ["pull"], "registries": {"ghcr.io": "mirror.x"}}
        plan = plan_of(external(), gateway({"database": URL}), credentials=CREDENTIALS, platform=platform)
        pod = job_pod(plan)
        assert pod["imagePullSecrets"] == [{"name": "pull"}]
        assert pod["containers"][0]["image"].startswith("mirror.x/")

    def test_may_have_a_user_and_resources_of_its_own(self) -> None:
        own = {
            "secretRef": {"name": "owner", "key": "url"},
            "resources": {"limits": {"memory": "3Gi"}},
        }
        plan = planned({"migration": own})
        assert job_env(plan)["DATABASE_URL"]["valueFrom"]["secretKeyRef"] == {"name": "owner", "key": "url"}
        assert env_of(plan)["DATABASE_URL"]["valueFrom"]["secretKeyRef"] == {"name": "db", "key": "url"}
        assert job_pod(plan)["containers"][0]["resources"] == {"limits": {"memory": "3Gi"}}
        readers = {(use.reader.kind, use.secret) for use in plan.credential_uses}
        assert ("Job", "owner") in readers
        assert not {("Job", "db"), ("Deployment", "owner")} & readers

    def test_digest_of_its_url_is_on_its_pods(self) -> None:
        (use,) = (use for use in planned().credential_uses if use.reader.kind == "Job")
        assert (use.credential, use.secret, use.key, use.required, use.rolls) == ("db", "db", "url", True, True)

    @pytest.mark.parametrize("change", [{"extraConfig": {"litellm_settings": {"a": 1}}}, {"replicas": 3}])
    def test_stays_the_same_whatever_it_does_not_read(self, change: dict[str, Any]) -> None:
        assert job_of(planned(None, **change)) == job_of(planned())

    @pytest.mark.parametrize("change", [{"image": "x.y/z:2"}, {"placement": {"nodeSelector": {"a": "b"}}}])
    def test_is_another_for_another_content(self, change: dict[str, Any]) -> None:
        assert job_of(planned(None, **change)) != job_of(planned())

    @pytest.mark.parametrize("length", [1, 40, 63])
    def test_name_is_a_label_of_its_pods(self, length: int) -> None:
        first, second = (names.edition_name(ManifestId("batch/v1", "Job", place, "n" * length)) for place in "ab")
        assert first != second, "one name in two namespaces"
        assert len(first) + len("-01234567") <= 63
        assert first.replace("-", "").isalnum()


@pytest.mark.parametrize(
    ("spec", "code", "path"),
    [
        ({"database": {}}, "VALUE", "spec.database.secretRef"),
        ({"database": {"secretRef": {"name": "nobody", "key": "k"}}}, "CREDENTIAL", "spec.database.secretRef"),
        ({"database": {**URL, "connectionLimit": 0}}, "VALUE", "spec.database.connectionLimit"),
        ({"database": {**URL, "migration": {"activeDeadlineSeconds": 0}}}, "VALUE", None),
        ({"database": {**URL, "readReplica": {"secretRef": {"name": "x", "key": "k"}}}}, "CREDENTIAL", None),
        ({"env": [{"name": "DATABASE_URL", "value": "x"}]}, "VALUE", "spec.env[0].name"),
        ({"env": [{"name": "DATABASE_HOST", "value": "x"}]}, "VALUE", "spec.env[0].name"),
        ({"env": [{"name": "DISABLE_SCHEMA_UPDATE", "value": "x"}]}, "DUPLICATE", "spec.env[0].name"),
        (
            {"extraConfig": {"general_settings": {"database_url": "os.environ/X"}}},
            "VALUE",
            "spec.extraConfig.general_settings.database_url",
        ),
    ],
)
def test_databases_that_are_refused(spec: dict[str, Any], code: str, path: str | None) -> None:
    errors = plan_of(external(), gateway(spec), credentials=CREDENTIALS).errors
    assert {error.code for error in errors} == {f"LOCO-{code}"}
    assert path is None or {error.path for error in errors} == {path}


def test_undeclared_url_of_the_job_is_told_at_its_line() -> None:
    spec = {"database": {**URL, "migration": {"secretRef": {"name": "nobody", "key": "k"}}}}
    (error,) = plan_of(external(), gateway(spec), credentials=CREDENTIALS).errors
    assert (error.code, error.path) == ("LOCO-CREDENTIAL", "spec.database.migration.secretRef")


def test_pods_have_more_memory_with_one() -> None:
    def memory(plan: Plan) -> str:
        (container,) = one(plan, "Deployment").data["spec"]["template"]["spec"]["containers"]
        return str(container["resources"]["limits"]["memory"])

    assert (memory(plan_of(external(), gateway())), memory(planned())) == ("1Gi", "2Gi")
    assert memory(planned(None, placement={"resources": {"limits": {"memory": "5Gi"}}})) == "5Gi"


def test_no_finding_for_a_plain_one() -> None:
    assert [f for f in planned().findings if f.code != "LOCO-NO-EFFECT"] == []
    assert [f.path for f in found(planned(), "LOCO-NO-EFFECT")] == ["credentials.replica.url", "credentials.owner.url"]
