"""The committed dev stack's own models on the real engine: routes, gateway, and a rollout that a new secret causes."""

import base64
import json
import re
from collections.abc import Callable

import pytest

from dev.cluster import Cluster
from tests.conftest import REPOSITORY
from tests.e2e.cluster_facts import objects, pods_by_deployment
from tests.e2e.conftest import Project
from tests.e2e.events import finished, index_of

pytestmark = pytest.mark.e2e

NAMESPACE = "main-job"
FIRST_KEY, SECOND_KEY = "sk-first-key-of-the-test", "sk-second-key-of-the-test"
PLATFORM = {
    "gateway": {
        "name": "shared",
        "namespace": "gateway-system",
        "url": "http://llm.example.com",
        "internalURL": "http://shared.gateway-system.svc.cluster.local",
    }
}


@pytest.fixture(scope="module")
def project(make_project: Callable[..., Project]) -> Project:
    models = {path.name: path.read_text() for path in (REPOSITORY / "models").glob("*.yaml")}
    project = make_project(
        models, namespace=NAMESPACE, platform=PLATFORM, credentials={"openai": {"token": {"config": "openaiToken"}}}
    )
    project.set_secrets(openaiToken=FIRST_KEY)
    return project


@pytest.fixture(scope="module")
def first_update(project: Project) -> list[dict[str, object]]:
    return project.events("up")


@pytest.fixture(scope="module")
def rotation(project: Project, cluster: Cluster, first_update: list[dict[str, object]]) -> dict[str, object]:
    """A new API key: what the preview showed, and the pods before and after the update."""
    before = pods_by_deployment(cluster, NAMESPACE)
    project.set_secrets(openaiToken=SECOND_KEY)
    steps = json.loads(project.preview("--json").stdout)["steps"]
    shown = project.preview("--diff")
    done = project.up()
    return {
        "before": before,
        "after": pods_by_deployment(cluster, NAMESPACE),
        "steps": steps,
        "told": shown.stdout + done.stdout,
    }


@pytest.mark.usefixtures("first_update")
class TestAfterTheFirstUpdate:
    def test_everything_is_ready(self, cluster: Cluster) -> None:
        counts = {name: len(uids) for name, uids in pods_by_deployment(cluster, NAMESPACE).items()}
        assert counts == {"opt-125m-kserve": 1, "opt-125m-kserve-router-scheduler": 1, "main-litellm": 2}

    @pytest.mark.parametrize(
        ("api_version", "kind", "name"),
        [
            ("gateway.networking.k8s.io/v1", "HTTPRoute", "opt-125m-kserve-route"),
            ("inference.networking.k8s.io/v1", "InferencePool", "opt-125m-inference-pool"),
            ("v1", "Service", "opt-125m-epp-service"),
            ("v1", "ServiceAccount", "opt-125m-epp-sa"),
            ("rbac.authorization.k8s.io/v1", "Role", "opt-125m-epp-role"),
            ("rbac.authorization.k8s.io/v1", "RoleBinding", "opt-125m-epp-rb"),
            ("v1", "Secret", "openai"),
            ("v1", "Secret", "main-litellm-master-key"),
            ("v1", "Service", "main-litellm"),
        ],
    )
    def test_there_is(self, api_version: str, kind: str, name: str, cluster: Cluster) -> None:
        assert name in {item["metadata"]["name"] for item in objects(cluster, api_version, kind, NAMESPACE)}

    def test_gateway_reaches_the_model_by_the_platforms_gateway(self, cluster: Cluster) -> None:
        (config,) = [
            item["data"]["config.yaml"]
            for item in objects(cluster, "v1", "ConfigMap", NAMESPACE)
            if item["metadata"]["name"].startswith("main-litellm-config.")
        ]
        assert f"api_base: http://shared.gateway-system.svc.cluster.local/{NAMESPACE}/opt-125m/v1" in config

    def test_nothing_is_left_to_do(self, project: Project) -> None:
        project.preview("--expect-no-changes")
        project.preview("--expect-no-changes", "--refresh")

    def test_created_in_the_order_of_the_edges(self, first_update: list[dict[str, object]]) -> None:
        order = finished(first_update, "create")
        secret = index_of(order, ":Secret::main/")
        gateway = index_of(order, ":Deployment::main/")
        pool, route = index_of(order, ":InferencePool::"), index_of(order, ":HTTPRoute::")
        picker_service = index_of(order, ":Service::opt-125m/main-job/opt-125m-epp-service")
        role, picker = (
            index_of(order, ":Role::"),
            index_of(order, ":Deployment::opt-125m/main-job/opt-125m-kserve-router"),
        )
        assert secret < gateway
        assert picker_service < pool < route
        assert role < picker

    def test_outputs_name_the_gateway_and_no_secret(self, project: Project) -> None:
        outputs = project.outputs()
        gateway = outputs["gateways"][f"{NAMESPACE}/main"]
        assert gateway["url"] == f"http://main-litellm.{NAMESPACE}.svc.cluster.local:4000"
        assert gateway["masterKey"] == {
            "namespace": NAMESPACE,
            "name": "main-litellm-master-key",
            "key": "master-key",
        }
        model = outputs["models"][f"{NAMESPACE}/opt-125m"]
        assert model["url"] == f"http://llm.example.com/{NAMESPACE}/opt-125m"
        assert "sk-" not in json.dumps(outputs)


class TestRotation:
    def test_preview_shows_the_secret_and_the_digests_and_nothing_else(self, rotation: dict[str, object]) -> None:
        changed = {
            step["urn"].rpartition("::")[2]: sorted(step.get("detailedDiff") or {})
            for step in rotation["steps"]  # type: ignore[attr-defined]
            if step["op"] not in ("same", "read")
        }
        assert changed == {
            f"stack/{NAMESPACE}/openai": ["data.token"],
            f"main/{NAMESPACE}/main-litellm": [
                'spec.template.metadata.annotations["locostack.com/configHash"]',
                'spec.template.metadata.annotations["locostack.com/digest.openai"]',
            ],
        }

    def test_digests_are_readable(self, rotation: dict[str, object]) -> None:
        told = str(rotation["told"])
        assert re.search(r'locostack\.com/digest\.openai\s*: "[0-9a-f]{16}" => "[0-9a-f]{16}"', told)
        assert re.search(r'locostack\.com/configHash\s*: "[0-9a-f]{16}" => "[0-9a-f]{16}"', told)

    def test_only_the_gateway_has_new_pods(self, rotation: dict[str, object]) -> None:
        before, after = rotation["before"], rotation["after"]
        assert isinstance(before, dict)
        assert isinstance(after, dict)
        assert not before.pop("main-litellm") & after.pop("main-litellm")
        assert before == after

    def test_no_secret_byte_is_anywhere_but_in_its_secret(
        self, rotation: dict[str, object], project: Project, cluster: Cluster
    ) -> None:
        secrets = {item["metadata"]["name"]: item["data"] for item in objects(cluster, "v1", "Secret", NAMESPACE)}
        master = base64.b64decode(secrets["main-litellm-master-key"]["master-key"]).decode()
        assert re.fullmatch(r"sk-[0-9a-f]{48}", master)
        assert base64.b64decode(secrets["openai"]["token"]).decode() == SECOND_KEY
        plain_objects = [
            json.dumps(item)
            for kind in ("ConfigMap", "Pod", "Service")
            for item in objects(cluster, "v1", kind, NAMESPACE)
        ] + [json.dumps(item) for item in objects(cluster, "apps/v1", "Deployment", NAMESPACE)]
        places = {
            "what was printed": str(rotation["told"]) + json.dumps(rotation["steps"]),
            "the outputs": json.dumps(project.outputs()),
            "the raw state": project.raw_state(),
            "the cluster's plain objects": "\n".join(plain_objects),
        }
        for value in (master, FIRST_KEY, SECOND_KEY):
            for form in (value, value.removeprefix("sk-"), base64.b64encode(value.encode()).decode().rstrip("=")):
                assert [place for place, text in places.items() if form in text] == []

    def test_master_key_survives(self, rotation: dict[str, object], project: Project, cluster: Cluster) -> None:
        def master() -> str:
            (found,) = [
                item["data"]["master-key"]
                for item in objects(cluster, "v1", "Secret", NAMESPACE)
                if item["metadata"]["name"] == "main-litellm-master-key"
            ]
            return str(found)

        before = master()
        project.up()
        assert master() == before

    def test_removing_the_model_takes_the_route_first_and_leaves_the_gateway_running(
        self, rotation: dict[str, object], project: Project
    ) -> None:
        (project.folder / "models/opt-125m.yaml").unlink()
        events = project.events("up")
        gone = finished(events, "delete")
        route, pool = index_of(gone, ":HTTPRoute::"), index_of(gone, ":InferencePool::")
        engine = index_of(gone, ":Deployment::opt-125m/main-job/opt-125m-kserve")
        assert route < pool
        assert route < engine
        order = [event["resOutputsEvent"]["metadata"] for event in events if "resOutputsEvent" in event]  # type: ignore[index]
        steps = [f"{step['op']} {step['urn'].rpartition('::')[2]}" for step in order]
        assert steps.index(f"update main/{NAMESPACE}/main-litellm") < steps.index(
            f"delete opt-125m/{NAMESPACE}/opt-125m-kserve-route"
        )
        project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
