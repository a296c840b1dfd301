"""A gateway with a database on the real engine: the tables first, then the pods; and no new Job for anything else."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from dev.cluster import Cluster
from tests.e2e.admission import allow, is_taken, refuse
from tests.e2e.cluster_facts import objects, ready_pods, scale, wait_until
from tests.e2e.conftest import Project
from tests.e2e.events import finished

pytestmark = pytest.mark.e2e

NAMESPACE = "gateway-database"
URL = "postgresql://litellm:password-of-the-test@db.data.svc:5432/litellm"
JOB, CONFIG, PODS = "main-litellm-migrate-", "main-litellm-config.", f"Deployment::main/{NAMESPACE}/main-litellm"
POLICY = "no-migration"
LABELS = {"app.kubernetes.io/component": "litellm-migration"}


def documents(model: str = "first", **spec: Any) -> str:
    about: dict[str, Any] = {"apiVersion": "locostack.com/v1alpha1"}
    plain = {"provider": "openai", "model": "gpt", "url": "https://api.openai.com/v1"}
    gpt = {**plain, "model": model}
    database = {"secretRef": {"name": "db", "key": "url"}, "migration": {"activeDeadlineSeconds": 15}}
    main = {"models": {"matchLabels": {"of": "main"}}, "replicas": 1, "database": database}
    other = {"models": {"matchLabels": {"of": "other"}}, "replicas": 1}
    return yaml.safe_dump_all(
        [
            {**about, "kind": "ExternalModel", "metadata": {"name": "gpt", "labels": {"of": "main"}}, "spec": gpt},
            {**about, "kind": "ExternalModel", "metadata": {"name": "plain", "labels": {"of": "other"}}, "spec": plain},
            {**about, "kind": "LiteLLMGateway", "metadata": {"name": "main"}, "spec": {**main, **spec}},
            {**about, "kind": "LiteLLMGateway", "metadata": {"name": "other"}, "spec": other},
        ]
    )


@dataclass(frozen=True)
class Update:
    """What the engine did, and the ready pods by Deployment before and after."""

    events: list[dict[str, Any]]
    before: dict[str, set[str]]
    after: dict[str, set[str]]

    @property
    def rolled(self) -> set[str]:
        return {name for name, uids in self.after.items() if not uids & self.before.get(name, set())}

    def of(self, *parts: str) -> list[tuple[str, str]]:
        """The engine's steps with objects whose names hold one of these, in the order in which they ended."""
        done = []
        for event in self.events:
            step = (event.get("resOutputsEvent") or {}).get("metadata")
            if step and step["op"] not in ("same", "replace"):
                done += [(step["op"], part) for part in parts if _is(step["urn"], part)]
        return done


def _is(urn: str, part: str) -> bool:
    return urn.endswith(part) if "::" in part else urn.rpartition("::")[2].startswith(part)


@pytest.fixture(scope="module")
def project(make_project: Callable[..., Project]) -> Project:
    credentials = {"db": {"url": {"config": "databaseUrl"}}}
    project = make_project({"all.yaml": documents()}, namespace=NAMESPACE, credentials=credentials)
    project.pulumi("config", "set", "--secret", "databaseUrl", URL, "--stack", project.stack)
    return project


@pytest.fixture(scope="module")
def first(project: Project, cluster: Cluster) -> Update:
    return updated(project, cluster)


def updated(project: Project, cluster: Cluster) -> Update:
    before = pods(cluster)
    events = project.events("up")
    return Update(events, before, pods(cluster))


def pods(cluster: Cluster) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, uid in ready_pods(cluster, NAMESPACE).items():
        if not name.startswith(JOB):
            found.setdefault(name.rsplit("-", 2)[0], set()).add(uid)
    return found


def jobs(cluster: Cluster) -> dict[str, Any]:
    return {job["metadata"]["name"]: job for job in objects(cluster, "batch/v1", "Job", NAMESPACE)}


def the_job(cluster: Cluster) -> str:
    (name,) = jobs(cluster)
    return name


def test_tables_before_pods(first: Update, project: Project, cluster: Cluster) -> None:
    assert first.of(JOB, PODS) == [("create", JOB), ("create", PODS)]
    (job,) = jobs(cluster).values()
    assert job["status"]["succeeded"] == 1
    assert len(job["metadata"]["name"]) <= 63, "it is a label of its pods"
    project.preview("--expect-no-changes", "--refresh")


@pytest.mark.usefixtures("first")
def test_another_config_makes_no_new_job(project: Project, cluster: Cluster) -> None:
    before = the_job(cluster)
    project.write("models/all.yaml", documents("second"))
    update = updated(project, cluster)
    assert update.of(JOB, CONFIG, PODS) == [
        ("create-replacement", CONFIG),
        ("update", PODS),
        ("delete-replaced", CONFIG),
    ]
    assert (update.rolled, the_job(cluster)) == ({"main-litellm"}, before)


@pytest.mark.usefixtures("first")
def test_another_url_migrates_first_and_rolls_its_gateway_alone(project: Project, cluster: Cluster) -> None:
    before = the_job(cluster)
    changed = URL.replace("password-of", "another-password-of")
    project.pulumi("config", "set", "--secret", "databaseUrl", changed, "--stack", project.stack)
    project.write("models/all.yaml", documents("third"))
    shown = project.preview("--diff").stdout
    assert "locostack.com/digest.db" in shown
    assert changed not in shown
    update = updated(project, cluster)
    steps = update.of(JOB, CONFIG, PODS)
    made, pods_updated, gone = (
        steps.index(("create-replacement", JOB)),
        steps.index(("update", PODS)),
        steps.index(("delete-replaced", JOB)),
    )
    assert made < pods_updated < gone
    assert steps.index(("create-replacement", CONFIG)) < pods_updated < steps.index(("delete-replaced", CONFIG))
    assert update.rolled == {"main-litellm"}
    assert the_job(cluster) != before
    project.preview("--expect-no-changes")


@pytest.mark.usefixtures("first")
class TestFailure:
    """A migration that can't be done: the old pods go on, and the next update tries again."""

    def test_pods_stay_and_the_next_update_tries_again(self, project: Project, cluster: Cluster) -> None:
        before = pods(cluster)
        refuse_migrations(cluster)
        project.write("models/all.yaml", documents("fourth", image="ghcr.io/berriai/litellm-non_root:v1.108.8"))
        failed = project.up(succeeds=False)
        assert "main-litellm-migrate" in failed.stdout + failed.stderr
        assert pods(cluster) == before
        assert {image_of(pod) for pod in servers(cluster)} == {"ghcr.io/berriai/litellm-non_root:v1.108.7"}
        allow_migrations(cluster)
        update = updated(project, cluster)
        assert update.of(PODS) == [("update", PODS)]
        assert update.rolled == {"main-litellm"}
        (job,) = jobs(cluster).values()
        assert job["status"]["succeeded"] == 1
        project.preview("--expect-no-changes", "--refresh")


@pytest.mark.usefixtures("first")
def test_autoscalers_hand_the_count_over(project: Project, cluster: Cluster) -> None:
    """Replicas written, then a HorizontalPodAutoscaler, then KEDA, and back: never two of them, never another count."""
    scaling = {"minReplicas": 1, "maxReplicas": 6}
    by_hpa = documents("fifth", replicas=None, autoscaling=scaling)
    by_keda = documents("fifth", replicas=None, autoscaling={**scaling, "keda": {"pollingInterval": 15}})
    project.write("models/all.yaml", by_hpa)
    project.up()
    scale(cluster, NAMESPACE, "main-litellm", 3)
    wait_until(lambda: len(pods(cluster)["main-litellm"]) == 3)
    before = pods(cluster)
    for text, kind in ((by_keda, "ScaledObject"), (by_hpa, "HorizontalPodAutoscaler")):
        project.write("models/all.yaml", text)
        events = project.events("up")
        (made,) = finished(events, "create-replacement")
        assert f":{kind}::" in made
        assert len(finished(events, "delete-replaced")) == 1
        assert order_of(events, "delete-replaced") < order_of(events, "create-replacement")
        assert actuators(cluster) == [kind]
        assert pods(cluster) == before
        project.preview("--expect-no-changes")


@pytest.mark.usefixtures("first")
def test_no_secret_is_anywhere_but_in_its_secret(project: Project, cluster: Cluster) -> None:
    kinds = (("v1", "ConfigMap"), ("v1", "Pod"), ("apps/v1", "Deployment"), ("batch/v1", "Job"))
    places = [json.dumps(item) for kind in kinds for item in objects(cluster, *kind, NAMESPACE)]
    places += [json.dumps(project.outputs()), project.raw_state(), project.preview("--diff").stdout]
    assert not [place for place in places if "password-of-the-test" in place]


def servers(cluster: Cluster) -> list[dict[str, Any]]:
    return [
        pod
        for pod in objects(cluster, "v1", "Pod", NAMESPACE)
        if pod["metadata"]["name"].startswith("main-litellm-") and "migrate" not in pod["metadata"]["name"]
    ]


def image_of(pod: dict[str, Any]) -> str:
    return str(pod["spec"]["containers"][0]["image"])


def actuators(cluster: Cluster) -> list[str]:
    kinds = (("autoscaling/v2", "HorizontalPodAutoscaler"), ("keda.sh/v1alpha1", "ScaledObject"))
    return [kind for api, kind in kinds if objects(cluster, api, kind, NAMESPACE)]


def order_of(events: list[dict[str, Any]], operation: str) -> int:
    return next(
        number
        for number, event in enumerate(events)
        if (event.get("resOutputsEvent") or {}).get("metadata", {}).get("op") == operation
    )


def refuse_migrations(cluster: Cluster, namespace: str = NAMESPACE) -> None:
    """As where nothing can run: the API server takes no pod of the Job, until the Job's own deadline fails it."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    constraints = {"resourceRules": [rule], "objectSelector": {"matchLabels": LABELS}}
    refuse(cluster, POLICY, namespace, constraints, lambda: takes_migrations(cluster, namespace))


def allow_migrations(cluster: Cluster, namespace: str = NAMESPACE) -> None:
    allow(cluster, POLICY, lambda: takes_migrations(cluster, namespace))


def takes_migrations(cluster: Cluster, namespace: str) -> bool:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "tried", "labels": LABELS},
        "spec": {"containers": [{"name": "a", "image": "a"}]},
    }
    return is_taken(cluster, POLICY, "POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", pod)
