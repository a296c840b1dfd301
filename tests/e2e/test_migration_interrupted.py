"""A protected gateway with a database: killed while its tables are migrated, watched and not, and its salt key."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects, ready_pods
from tests.e2e.conftest import Project
from tests.e2e.test_gateway_database import allow_migrations, refuse_migrations
from tests.e2e.test_life_of_topologies import kill_in_the_middle

pytestmark = pytest.mark.e2e

NAMESPACE = "gateway-migration-killed"
LOCO = "locostack.com/v1alpha1"
URL = "postgresql://litellm:password-of-the-killed@db.data.svc:5432/litellm"
MONITOR = ("monitoring.coreos.com/v1", "ServiceMonitor")
SERVERS = "main-litellm"
SALT = "main-litellm-salt-key"
NEWER = "ghcr.io/berriai/litellm-non_root:v1.108.8"


def documents(**spec: Any) -> str:
    plain = {"provider": "openai", "model": "gpt", "url": "https://api.openai.com/v1"}
    database = {"secretRef": {"name": "db", "key": "url"}, "migration": {"activeDeadlineSeconds": 60}}
    watch = {"traces": {"endpoint": "http://collector:4318"}, "metrics": {"gateway": {"port": 4001}}, "alerts": {}}
    return yaml.safe_dump_all(
        [
            {"apiVersion": LOCO, "kind": "ExternalModel", "metadata": {"name": "gpt"}, "spec": plain},
            {
                "apiVersion": LOCO,
                "kind": "LiteLLMGateway",
                "metadata": {"name": "main"},
                "spec": {"replicas": 1, "database": database, **spec},
            },
            {"apiVersion": LOCO, "kind": "Observability", "metadata": {"name": "observability-dev"}, "spec": watch},
        ]
    )


def jobs(cluster: Cluster) -> dict[str, Any]:
    return {job["metadata"]["name"]: job for job in objects(cluster, "batch/v1", "Job", NAMESPACE)}


def orphans(cluster: Cluster) -> list[str]:
    """Jobs older than the youngest: left behind by an engine that was killed."""
    youngest = max(jobs(cluster).values(), key=lambda job: job["metadata"]["creationTimestamp"])
    return [name for name in jobs(cluster) if name != youngest["metadata"]["name"]]


def servers(cluster: Cluster) -> set[str]:
    return {uid for name, uid in ready_pods(cluster, NAMESPACE).items() if "migrate" not in name}


def salt(cluster: Cluster) -> str:
    (found,) = (s for s in objects(cluster, "v1", "Secret", NAMESPACE) if s["metadata"]["name"] == SALT)
    return str(found["data"]["salt-key"])


@pytest.fixture(scope="module")
def project(make_project: Callable[..., Project], cluster: Cluster) -> Project:
    project = make_project(
        {"all.yaml": documents()},
        namespace=NAMESPACE,
        deletionProtection=True,
        credentials={"db": {"url": {"config": "databaseUrl"}}},
    )
    project.pulumi("config", "set", "--secret", "databaseUrl", URL, "--stack", "dev")
    project.up()
    return project


def test_the_jobs_pods_may_go(project: Project, cluster: Cluster) -> None:
    gone = [pod["metadata"]["name"] for pod in objects(cluster, "v1", "Pod", NAMESPACE)]
    gone = [name for name in gone if "migrate" in name]
    assert gone
    for name in gone:
        cluster.client().call("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/{name}")
    project.pulumi("refresh", "--yes", "--skip-preview", "--stack", "dev")
    project.preview("--expect-no-changes")


def test_killed_while_the_job_runs(project: Project, cluster: Cluster) -> None:
    """The old pods go on; the next update makes a Job of its own and the new pods. The killed one's Job is nobody's."""
    before, (old,) = ready_pods(cluster, NAMESPACE), jobs(cluster)
    refuse_migrations(cluster, NAMESPACE)
    try:
        project.write("models/all.yaml", documents(image=NEWER))
        kill_in_the_middle(project, lambda: len(jobs(cluster)) > 1)
    finally:
        allow_migrations(cluster, NAMESPACE)
    (orphan,) = jobs(cluster).keys() - {old}
    assert servers(cluster) == {uid for name, uid in before.items() if "migrate" not in name}
    project.pulumi("cancel", "--yes", "--stack", "dev")
    project.up()
    (job,) = jobs(cluster).keys() - {orphan}
    assert job != old
    assert jobs(cluster)[job]["status"]["succeeded"] == 1
    assert not servers(cluster) & set(before.values())
    project.pulumi("refresh", "--yes", "--skip-preview", "--clear-pending-creates", "--stack", "dev")
    cleared = project.preview("--expect-no-changes")
    assert "pending operations" not in cleared.stdout + cleared.stderr


def test_watched_and_not_and_watched_under_protection(project: Project, cluster: Cluster) -> None:
    for state in (True, False, True):
        (job,) = set(jobs(cluster)) - set(orphans(cluster))
        project.configure(observability={"enabled": state})
        project.up()
        project.preview("--expect-no-changes")
        assert {m["metadata"]["name"] for m in objects(cluster, *MONITOR, NAMESPACE)} == ({SERVERS} if state else set())
        assert job in jobs(cluster), "it migrates nothing"


def test_a_database_is_not_taken_away_with_its_salt_key(project: Project, cluster: Cluster) -> None:
    """A generated salt key that is gone can't be made again, and what LiteLLM has encrypted with it can't be read."""
    before = salt(cluster)
    project.write("models/all.yaml", documents(image=NEWER, database=None))
    for done in (project.preview(succeeds=False), project.up(succeeds=False)):
        assert SALT in done.stdout + done.stderr
        assert "protect" in done.stdout + done.stderr
    project.write("models/all.yaml", documents(image=NEWER))
    project.up()
    assert salt(cluster) == before
    project.configure(deletionProtection=False)
    project.up()
    project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
