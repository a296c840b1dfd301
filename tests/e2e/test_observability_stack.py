"""A stack that is watched, on the real engine: off, on without its document, on, unchanged, on with more, off again."""

import base64
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from dev.cluster import Cluster
from dev.cluster.client import Refused
from tests.e2e.cluster_facts import inhabitants, objects, ready_pods, wait_until
from tests.e2e.conftest import Project
from tests.e2e.events import finished, index_of
from tests.gateway.observability.stacks import EVERYTHING, PLATFORM, wide
from tests.goldens.objects import dry_run

pytestmark = pytest.mark.e2e

NAMESPACE = "watched"
MODELS = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat}
spec: {model: {uri: hf://org/tiny, name: tiny}, replicas: 1, router: {scheduler: {}}}
---
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: gpt}
spec: {provider: openai, model: m, url: "http://llm.example.com/v1"}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1}
"""
WATCH = """\
apiVersion: locostack.com/v1alpha1
kind: Observability
metadata: {name: observability-dev}
spec:
  traces:
    endpoint: http://collector.monitoring.svc:4318
    headers: {secretRef: {name: otel, key: headers}}
  metrics: {labels: {release: prometheus}}
  dashboard: {}
  alerts: {}
"""
HEADERS = "x-collector-key=of-the-watched-stack"
MONITORING = "monitoring.coreos.com/v1"
TOKEN = "observability-dev-metrics-reader-token"


@dataclass(frozen=True)
class Update:
    """What an update did, the pods that are ready after it and the objects that are there."""

    events: list[dict[str, Any]]
    before: dict[str, str]
    after: dict[str, str]
    there: list[str]

    def rolled(self, deployment: str) -> bool:
        old, new = ({uid for name, uid in pods.items() if name.startswith(f"{deployment}-")} for pods in self.states)
        return not old & new

    @property
    def states(self) -> tuple[dict[str, str], dict[str, str]]:
        return self.before, self.after


def update(project: Project, cluster: Cluster) -> Update:
    before = ready_pods(cluster, NAMESPACE)
    events = project.events("up")
    return Update(events, before, ready_pods(cluster, NAMESPACE), there(cluster))


def there(cluster: Cluster) -> list[str]:
    """The API server opens the storage of a custom resource when it is first asked, and has others wait for that."""
    for _ in range(40):
        try:
            return inhabitants(cluster, NAMESPACE)
        except Refused as refused:
            if refused.status != 429:
                raise
            time.sleep(0.5)
    return inhabitants(cluster, NAMESPACE)


def token(cluster: Cluster) -> dict[str, Any]:
    (found,) = (s for s in objects(cluster, "v1", "Secret", NAMESPACE) if s["metadata"]["name"] == TOKEN)
    return found


def filled(cluster: Cluster) -> bool:
    return bool((token(cluster).get("data") or {}).get("token"))


@pytest.fixture(scope="module")
def project(make_project: Callable[..., Project]) -> Project:
    other = WATCH.replace("observability-dev", "observability-prod")
    return make_project({"all.yaml": MODELS, "prod.yaml": other}, namespace=NAMESPACE)


@pytest.fixture(scope="module")
def off(project: Project, cluster: Cluster) -> Update:
    return update(project, cluster)


@pytest.fixture(scope="module")
def missing(off: Update, project: Project) -> str:
    """What the engine says of a stack that is to be watched, and has another stack's document alone."""
    project.configure(observability={"enabled": True}, credentials={"otel": {"headers": {"config": "otelHeaders"}}})
    project.set_secrets(otelHeaders=HEADERS)
    done = project.preview(succeeds=False)
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def on(missing: str, project: Project, cluster: Cluster) -> Update:
    project.write("models/watch.yaml", WATCH)
    done = update(project, cluster)
    wait_until(lambda: filled(cluster))
    return done


@pytest.fixture(scope="module")
def quiet(on: Update, project: Project, cluster: Cluster) -> tuple[dict[str, Any], dict[str, Any]]:
    """The token's Secret before and after a preview without changes, a refresh, and another one."""
    before = token(cluster)
    project.preview("--expect-no-changes")
    project.pulumi("refresh", "--yes", "--skip-preview", "--stack", project.stack)
    project.preview("--expect-no-changes")
    return before, token(cluster)


@pytest.fixture(scope="module")
def rotated(quiet: object, project: Project, cluster: Cluster) -> Update:
    project.set_secrets(otelHeaders=f"{HEADERS}-anew")
    return update(project, cluster)


@pytest.fixture(scope="module")
def off_again(rotated: Update, project: Project, cluster: Cluster) -> Update:
    content = project.folder / f"Pulumi.{project.stack}.yaml"
    project.configure(observability={"enabled": False}, credentials={})
    project.pulumi("config", "rm", "otelHeaders", "--stack", project.stack)
    (project.folder / "models/watch.yaml").unlink()
    assert "otelHeaders" not in content.read_text()
    return update(project, cluster)


def test_all_kinds_are_taken_by_the_api_server(cluster: Cluster) -> None:
    """Of a wide stack, with TLS and without, with a port of its own and without."""
    apart = {**EVERYTHING, "metrics": {"gateway": {"port": 4001}}}
    for spec, tls in ((EVERYTHING, True), (apart, False)):
        plan = wide(spec, platform={**PLATFORM, "tls": tls})
        assert not plan.errors
        assert len(dry_run(cluster, [dict(m.data) for m in plan.manifests])) == len(plan.manifests)


def test_off_has_nothing_of_it(off: Update) -> None:
    assert not [name for name in off.there if "observability" in name or "Monitor" in name or "Rule/" in name]


def test_on_but_missing_is_refused(missing: str) -> None:
    assert "LOCO-REFERENCE" in missing
    assert "Observability/watched/observability-dev" in missing
    assert "known are observability-prod" in missing


def test_on_makes_everything(on: Update) -> None:
    assert {name for name in on.there if "observability" in name or "Monitor" in name} == {
        "ClusterRole/watched-observability-dev-metrics-reader",
        "ClusterRoleBinding/watched-observability-dev-metrics-reader",
        "ConfigMap/observability-dev-dashboard",
        "PodMonitor/observability-dev-engine",
        "PodMonitor/observability-dev-picker",
        "PrometheusRule/observability-dev",
        "Secret/observability-dev-metrics-reader-token",
        "ServiceAccount/observability-dev-metrics-reader",
        "ServiceMonitor/main-litellm",
    }
    assert "Secret/otel" in on.there


def test_on_rolls_the_gateway_alone(on: Update) -> None:
    assert on.rolled("main-litellm")
    assert not on.rolled("chat-kserve")


def test_account_before_token_before_monitor(on: Update) -> None:
    made = finished(on.events, "create")
    account = index_of(made, "ServiceAccount::observability-dev/watched/observability-dev-metrics-reader")
    secret = index_of(made, f"Secret::observability-dev/watched/{TOKEN}")
    assert account < secret < index_of(made, "PodMonitor::observability-dev/watched/observability-dev-picker")


def test_objects_belong_to_a_component(on: Update, project: Project) -> None:
    parents = {r["urn"].rpartition("::")[2]: r.get("parent", "") for r in project.resources()}
    assert parents["observability-dev/watched/observability-dev"].endswith(
        "loco:index:Observability::watched/observability-dev"
    )


def test_the_token_is_the_clusters_own(on: Update, cluster: Cluster) -> None:
    """Kubernetes fills the Secret with a token of the account, and the right is what a picker asks for."""
    data = token(cluster)["data"]
    claims = base64.b64decode(data["token"]).decode().split(".")[1]
    subject = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"]
    assert subject == "system:serviceaccount:watched:observability-dev-metrics-reader"
    for path, allowed in (("/metrics", True), ("/api", False)):
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {"user": subject, "nonResourceAttributes": {"path": path, "verb": "get"}},
        }
        url = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        answer = json.loads(cluster.client().call("POST", url, json.dumps(review).encode()))
        assert answer["status"].get("allowed", False) is allowed


def test_no_change_and_no_drift(quiet: tuple[dict[str, Any], dict[str, Any]]) -> None:
    before, after = quiet
    assert after["data"] == before["data"]
    assert after["metadata"]["uid"] == before["metadata"]["uid"]


def test_token_is_not_in_the_state(quiet: tuple[dict[str, Any], dict[str, Any]], project: Project) -> None:
    text = base64.b64decode(quiet[1]["data"]["token"]).decode()
    assert text not in project.raw_state()
    assert quiet[1]["data"]["token"] not in project.raw_state()


def test_headers_stay_secret(on: Update, project: Project, cluster: Cluster) -> None:
    everything = json.dumps([objects(cluster, "v1", kind, NAMESPACE) for kind in ("ConfigMap", "Pod")])
    everything += json.dumps(objects(cluster, "apps/v1", "Deployment", NAMESPACE))
    assert HEADERS not in everything
    assert HEADERS not in project.raw_state()


def test_other_headers_roll_the_gateway_alone(rotated: Update, cluster: Cluster) -> None:
    assert rotated.rolled("main-litellm")
    assert not rotated.rolled("chat-kserve")
    assert [urn.rpartition("::")[2] for urn in finished(rotated.events, "update") if "otel" in urn] == [
        "stack/watched/otel"
    ]


def test_off_again_is_as_before(off: Update, off_again: Update, project: Project) -> None:
    def kinds(update: Update) -> list[str]:
        return sorted(name for name in update.there if not name.startswith(("Pod/", "ReplicaSet/", "ConfigMap/main-")))

    assert kinds(off_again) == kinds(off)
    assert off_again.rolled("main-litellm")
    assert not off_again.rolled("chat-kserve")
    project.preview("--expect-no-changes")
