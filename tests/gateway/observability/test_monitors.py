"""Which pods are scraped, where, and with what."""

from collections.abc import Iterator
from typing import Any

from loco.model import Manifest
from loco.model.pod_templates import pod_templates
from loco.plan import Plan
from tests.gateway.observability.stacks import GROUPS, PLATFORM, ROUTED, model, monitors, observability, watched, wide
from tests.plan.stacks import found, gateway, one, plan_of

METRICS = {"metrics": {"interval": "15s", "labels": {"release": "prometheus"}}}
OF_GROUPS, INDEX = "leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/worker-index"


def pods(plan: Plan) -> Iterator[tuple[Manifest, dict[str, str], list[int]]]:
    """Every kind of pod with its labels, those of its controller too, and the ports that it declares."""
    for workload in plan.manifests:
        for path, template in pod_templates(workload.data):
            labels = dict(template["metadata"]["labels"])
            if workload.id.kind == "LeaderWorkerSet":
                labels |= {OF_GROUPS: workload.name, INDEX: "0" if path[-1] == "leaderTemplate" else "1"}
            containers = [*template["spec"].get("initContainers", []), *template["spec"]["containers"]]
            yield workload, labels, [p["containerPort"] for c in containers for p in c.get("ports") or []]


def selects(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    expressions = selector.get("matchExpressions", [])
    return selector.get("matchLabels", {}).items() <= labels.items() and all(
        each["operator"] == "In" and labels.get(each["key"]) in each["values"] for each in expressions
    )


def scraped(plan: Plan) -> list[tuple[str, str, str, int]]:
    """Namespace, workload, role in a group and port of everything that the PodMonitors find."""
    found = []
    for workload, labels, ports in pods(plan):
        for monitor in (m for m in plan.manifests if m.id.kind == "PodMonitor" and m.namespace == workload.namespace):
            for endpoint in monitor.data["spec"]["podMetricsEndpoints"]:
                if selects(monitor.data["spec"]["selector"], labels) and endpoint["portNumber"] in ports:
                    found.append((workload.namespace, workload.name, labels.get(INDEX, ""), endpoint["portNumber"]))
    return sorted(found)


def test_every_pod_once_and_no_other() -> None:
    assert scraped(wide()) == [
        ("elsewhere", "far-kserve", "", 8000),
        ("elsewhere", "far-kserve-router-scheduler", "", 9090),
        ("llm", "groups-kserve-mn", "0", 8000),
        ("llm", "one-kserve", "", 8000),
        ("llm", "one-kserve-router-scheduler", "", 9090),
        ("llm", "split-kserve", "", 8001),
        ("llm", "split-kserve-prefill", "", 8000),
        ("llm", "split-kserve-router-scheduler", "", 9090),
        ("llm", "two-kserve", "", 8000),
    ]


def test_groups_that_lead_themselves_and_split_groups() -> None:
    split = model("both", {**GROUPS, "prefill": GROUPS, **ROUTED})
    assert scraped(watched(METRICS, split)) == [
        ("llm", "both-kserve-mn", "0", 8001),
        ("llm", "both-kserve-mn-prefill", "0", 8000),
        ("llm", "both-kserve-router-scheduler", "", 9090),
    ]


def test_one_monitor_for_all_that_are_alike() -> None:
    many = watched(METRICS, *(model(f"m{number}", ROUTED) for number in range(5)))
    assert list(monitors(many)) == ["llm/observability-dev-engine", "llm/observability-dev-picker"]
    assert list(monitors(wide())) == [
        "elsewhere/observability-dev-engine",
        "elsewhere/observability-dev-picker",
        "llm/observability-dev-engine",
        "llm/observability-dev-engine-decode",
        "llm/observability-dev-engine-groups",
        "llm/observability-dev-engine-prefill",
        "llm/observability-dev-picker",
    ]


def test_stopped_services_have_none() -> None:
    stopped = model("one", ROUTED, annotations={"serving.kserve.io/stop": "true"})
    plan = watched(METRICS, stopped)
    assert not monitors(plan)
    assert not [m for m in plan.manifests if m.id.kind == "ClusterRole"]
    assert [finding.path for finding in found(plan, "LOCO-NO-EFFECT")] == ["spec.metrics"]


def test_tls() -> None:
    """Each service has an authority of its own, and a name that its certificate is for."""
    plan = watched(METRICS, model("one"), model("two"), platform={**PLATFORM, "tls": True})
    assert not plan.errors
    assert list(monitors(plan)) == ["llm/one-kserve", "llm/two-kserve"]
    (endpoint,) = monitors(plan)["llm/one-kserve"]["podMetricsEndpoints"]
    assert endpoint["scheme"] == "https"
    tls = endpoint["tlsConfig"]
    (certificate,) = (each for each in plan.certificates if each.secret.name.startswith("one-"))
    assert tls["ca"] == {"secret": {"name": certificate.secret.name, "key": "ca.crt"}}
    assert tls["serverName"] in certificate.dns_names
    pickers = watched(METRICS, model("one", ROUTED), platform={**PLATFORM, "tls": True})
    (endpoint,) = monitors(pickers)["llm/observability-dev-picker"]["podMetricsEndpoints"]
    assert "scheme" not in endpoint


class TestPickers:
    def test_the_token(self) -> None:
        plan = wide()
        for place in ("llm", "elsewhere"):
            (endpoint,) = monitors(plan)[f"{place}/observability-dev-picker"]["podMetricsEndpoints"]
            credentials = endpoint["authorization"]["credentials"]
            (secret,) = (m for m in plan.manifests if (m.namespace, m.name) == (place, credentials["name"]))
            assert (secret.data["type"], credentials["key"]) == ("kubernetes.io/service-account-token", "token")
            assert "data" not in secret.data
            assert "stringData" not in secret.data
            account = secret.data["metadata"]["annotations"]["kubernetes.io/service-account.name"]
            (owner,) = (
                m for m in plan.manifests if (m.namespace, m.id.kind, m.name) == (place, "ServiceAccount", account)
            )
            assert any((edge.before, edge.after) == (owner.id, secret.id) for edge in plan.edges)
            subjects = one(plan, "ClusterRoleBinding", "llm-observability-dev-metrics-reader").data["subjects"]
            assert {"kind": "ServiceAccount", "name": account, "namespace": place} in subjects
        assert not [value for value in plan.secret_values if value.secret.name.startswith("observability")]

    def test_the_right(self) -> None:
        role = one(wide(), "ClusterRole").data
        assert role["rules"] == [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]
        assert role["metadata"]["name"] == "llm-observability-dev-metrics-reader", "a name holds the namespace"

    def test_none_without_pickers(self) -> None:
        plan = watched(METRICS, model("one"))
        kinds = {m.id.kind for m in plan.manifests if (m.component or "").startswith("Observability")}
        assert kinds == {"PodMonitor"}

    def test_no_port_for_metrics(self) -> None:
        ports = [{"name": "metrics", "containerPort": 9090, "$patch": "delete"}]
        container = {"name": "main", "ports": ports}
        plan = watched(METRICS, model("one", {"router": {"scheduler": {"template": {"containers": [container]}}}}))
        assert list(monitors(plan)) == ["llm/observability-dev-engine"]


class TestGateways:
    def test_behind_the_key(self) -> None:
        key = {"masterKey": {"secretRef": {"name": "mine", "key": "admin"}}}
        credentials = {"mine": {"admin": {"existing": True}}}
        plan = watched(METRICS, gateway(key), gateway(name="other", namespace="far"), credentials=credentials)
        mine, other = (one(plan, "ServiceMonitor", f"{name}-litellm") for name in ("main", "other"))
        assert mine.data["spec"]["endpoints"] == [
            {
                "port": "http",
                "path": "/metrics/",
                "interval": "15s",
                "authorization": {"type": "Bearer", "credentials": {"name": "mine", "key": "admin"}},
            }
        ]
        assert other.namespace == "far", "where its key is"
        authorization = other.data["spec"]["endpoints"][0]["authorization"]
        assert authorization["credentials"] == {"name": "other-litellm-master-key", "key": "master-key"}

    def test_finds_the_service_by_its_labels(self) -> None:
        plan = watched(METRICS, gateway(), gateway(name="other"))
        wanted = one(plan, "ServiceMonitor", "main-litellm").data["spec"]["selector"]["matchLabels"]
        services = [m for m in plan.manifests if m.id.kind == "Service"]
        assert [m.name for m in services if wanted.items() <= m.data["metadata"]["labels"].items()] == ["main-litellm"]
        (port,) = one(plan, "Service", "main-litellm").data["spec"]["ports"]
        assert port["name"] == "http"


def test_labels_and_interval() -> None:
    plan = watched(METRICS, model("one", ROUTED), gateway())
    for manifest in plan.manifests:
        if manifest.id.kind in ("PodMonitor", "ServiceMonitor"):
            assert manifest.data["metadata"]["labels"]["release"] == "prometheus"
            spec = manifest.data["spec"]
            (endpoint,) = spec.get("podMetricsEndpoints") or spec["endpoints"]
            assert endpoint["interval"] == "15s"


def test_objects_belong_to_the_document() -> None:
    plan = wide()
    kinds = ("PodMonitor", "ServiceMonitor", "PrometheusRule", "ClusterRole")
    assert {m.component for m in plan.manifests if m.id.kind in kinds} == {"Observability/llm/observability-dev"}
    assert not plan.errors


def test_order_of_documents_changes_nothing() -> None:
    documents = [model("one", ROUTED), model("two"), gateway(), observability(METRICS)]
    settings: dict[str, Any] = {"platform": PLATFORM, "observability": {"enabled": True}}
    there, back = plan_of(*documents, **settings), plan_of(*reversed(documents), **settings)
    assert [m.data for m in there.manifests] == [m.data for m in back.manifests]
