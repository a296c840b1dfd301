"""The dashboard and the alert rules: queries that Prometheus reads, of metrics that exist, of the stack's namespaces."""

import json
from typing import Any, get_args

import pytest

from loco.spec.observability import AlertName
from tests.gateway.observability.metric_names import LITELLM, both_names, exported, metrics_of, recorded, selectors
from tests.gateway.observability.stacks import (
    EVERYTHING,
    ROUTED,
    graphs,
    model,
    monitors,
    ours,
    queries,
    rules,
    watched,
    wide,
)
from tests.plan.stacks import external, found, gateway, one


def test_every_query_names_metrics_that_exist() -> None:
    """LiteLLM's are held against a running one elsewhere."""
    known = exported()
    named = {name for query in queries(wide()) for name in metrics_of(query)}
    assert {name for name in named if not name.startswith(LITELLM)} <= known
    assert not any(name.startswith(gone) for name in named for gone in recorded()["engine"]["gone"])
    assert len(named) > 25


def test_both_names_where_there_are_two() -> None:
    for query in queries(wide()):
        named = {name.removesuffix("_bucket") for name in metrics_of(query)}
        for new, old in both_names().items():
            assert (new in named) is (old in named), query
        assert ("vllm:inter_token_latency_seconds" in named) is ("vllm:time_per_output_token_seconds" in named)


def test_only_the_stacks_namespaces() -> None:
    for query in queries(wide()):
        for name, matchers in selectors(query):
            places = set(matchers["namespace"].split("|"))
            assert places <= {"elsewhere", "llm"}, query
            assert places, name
    of_gateways = [rule["expr"] for rule in rules(wide()) if rule["alert"].startswith("LLMGateway")]
    assert {matchers["namespace"] for query in of_gateways for _, matchers in selectors(query)} == {"llm"}


class TestDashboard:
    def test_config_map(self) -> None:
        data = one(wide(), "ConfigMap", "observability-dev-dashboard").data
        assert data["metadata"]["labels"]["grafana_dashboard"] == "1"
        (file,) = data["data"]
        assert file == "llm.observability-dev.json"
        text = data["data"][file]
        assert text == json.dumps(json.loads(text), indent=2, sort_keys=True) + "\n"
        assert one(wide(), "ConfigMap", "observability-dev-dashboard").data == data

    def test_a_row_for_each_sort_of_pod(self) -> None:
        def titles(plan: Any) -> list[str]:
            return [panel["title"] for panel in graphs(plan)["panels"] if panel["type"] == "row"]

        assert titles(wide()) == ["Pods", "Engines", "Endpoint pickers", "Gateways"]
        assert titles(watched(EVERYTHING)) == ["Pods", "Gateways"]
        assert titles(watched({"dashboard": {}}, model("one"))) == ["Pods", "Engines"]

    def test_ready_pods_of_every_workload(self) -> None:
        (panel,) = (panel for panel in graphs(wide())["panels"] if panel["title"] == "Ready pods")
        shown = [selectors(target["expr"].replace("$namespace", "llm")) for target in panel["targets"]]
        (deployments,), (groups,) = shown
        assert deployments[0] == "kube_deployment_status_replicas_available"
        assert {"one-kserve", "main-litellm", "far-kserve-router-scheduler"} <= set(
            deployments[1]["deployment"].split("|")
        )
        assert (groups[0], groups[1]["statefulset"]) == ("kube_statefulset_status_replicas_ready", "groups-kserve-mn")

    def test_requests_beyond_a_limit(self) -> None:
        (panel,) = (panel for panel in graphs(wide())["panels"] if "429" in panel["title"])
        ((name, matchers),) = selectors(panel["targets"][0]["expr"].replace("$namespace", "llm"))
        assert (name, matchers["status_code"]) == ("litellm_proxy_total_requests_metric_total", "429")

    def test_engines_by_service(self) -> None:
        """Two services may serve one name; the monitors keep the label of pods that tells them apart."""
        board, plan = graphs(wide()), wide()
        kept = {name for spec in monitors(plan).values() for name in spec["podTargetLabels"]}
        by_model = [panel for panel in board["panels"] if "{{model_name}}" in json.dumps(panel)]
        assert len(by_model) > 7
        for panel in by_model:
            for target in panel["targets"]:
                assert "{{app_kubernetes_io_name}}" in target["legendFormat"]
                assert "app_kubernetes_io_name" in target["expr"]
        assert "app.kubernetes.io/name" in kept

    def test_panels_are_complete_and_apart(self) -> None:
        board = graphs(wide())
        assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"]) > 20
        taken: set[tuple[int, int]] = set()
        for panel in board["panels"]:
            place = panel["gridPos"]
            cells = {
                (x, y)
                for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])
            }
            assert place["x"] + place["w"] <= 24
            assert not cells & taken
            taken |= cells
            if panel["type"] != "row":
                assert [target["refId"] for target in panel["targets"]] == ["A", "B"][: len(panel["targets"])]
                assert panel["targets"]
        assert len(board["uid"]) <= 40

    def test_namespaces_to_choose_from(self) -> None:
        (variable,) = (each for each in graphs(wide())["templating"]["list"] if each["name"] == "namespace")
        assert variable["query"] == "elsewhere,llm"
        assert variable["allValue"] == "elsewhere|llm"

    def test_folder_and_another_sidecars_label(self) -> None:
        plan = watched({"dashboard": {"labels": {"team": "ml"}, "annotations": {"grafana_folder": "LLM"}}})
        metadata = one(plan, "ConfigMap", "observability-dev-dashboard").data["metadata"]
        assert metadata["annotations"] == {"grafana_folder": "LLM"}
        assert metadata["labels"].items() >= {"team": "ml", "grafana_dashboard": "1"}.items()

    def test_another_value_of_the_sidecars_label(self) -> None:
        plan = watched({"dashboard": {"labels": {"grafana_dashboard": "yes"}}})
        labels = one(plan, "ConfigMap", "observability-dev-dashboard").data["metadata"]["labels"]
        assert labels["grafana_dashboard"] == "yes"


class TestAlerts:
    def test_all_of_them(self) -> None:
        assert {rule["alert"] for rule in rules(wide())} == {
            "LLMEngineKVCache",
            "LLMEngineQueue",
            "LLMEngineTimeToFirstToken",
            "LLMExternalModelDown",
            "LLMGatewayErrors",
            "LLMGatewayLatency",
            "LLMNoReadyPods",
            "LLMPickerErrors",
            "LLMTargetDown",
            "LLMTargetsMissing",
        }
        assert {rule["alert"] for rule in rules(wide())} == set(get_args(AlertName))

    @pytest.mark.parametrize(
        ("alerts", "ready", "cache", "queue"),
        [
            ({}, "5m", "15m", "10m"),
            ({"for": "1m"}, "1m", "1m", "1m"),
            ({"durations": {"LLMNoReadyPods": "2m"}}, "2m", "15m", "10m"),
            ({"for": "1m", "durations": {"LLMNoReadyPods": "2m", "LLMEngineQueue": "3m"}}, "2m", "1m", "3m"),
        ],
    )
    def test_how_long_each_lasts(self, alerts: dict[str, Any], ready: str, cache: str, queue: str) -> None:
        made = {rule["alert"]: rule["for"] for rule in rules(wide({**EVERYTHING, "alerts": alerts}))}
        names = ("LLMNoReadyPods", "LLMEngineKVCache", "LLMEngineQueue")
        assert tuple(made[name] for name in names) == (ready, cache, queue)

    @pytest.mark.parametrize("durations", [{"LLMNothing": "1m"}, {"LLMNoReadyPods": "soon"}])
    def test_durations_that_are_refused(self, durations: dict[str, str]) -> None:
        (finding,) = watched({"metrics": {}, "alerts": {"durations": durations}}).errors
        assert finding.path.startswith("spec.alerts.durations")
        assert next(iter(durations)) in f"{finding.path} {finding.message} {finding.value}"

    @pytest.mark.parametrize(
        ("field", "alert", "value", "written"),
        [
            ("gatewayErrorRatio", "LLMGatewayErrors", 0.5, "> 0.5"),
            ("gatewayLatencySeconds", "LLMGatewayLatency", 7, "> 7"),
            ("engineQueue", "LLMEngineQueue", 3, "> 3"),
            ("kvCacheUsage", "LLMEngineKVCache", 0.8, "> 0.8"),
            ("timeToFirstTokenSeconds", "LLMEngineTimeToFirstToken", 2.5, "> 2.5"),
            ("pickerErrorRatio", "LLMPickerErrors", 0.01, "> 0.01"),
        ],
    )
    def test_thresholds(self, field: str, alert: str, value: float, written: str) -> None:
        spec = {"alerts": {"thresholds": {field: value}}}
        plan = watched(spec, model("one", ROUTED), gateway())
        assert not plan.errors
        (rule,) = (rule for rule in rules(plan) if rule["alert"] == alert)
        assert rule["expr"].endswith(written)
        assert not any(rule["expr"].endswith(written) for rule in rules(wide()))

    @pytest.mark.parametrize(
        ("field", "value"), [("kvCacheUsage", 1.5), ("engineQueue", 0), ("gatewayLatencySeconds", -1), ("for", "soon")]
    )
    def test_refused(self, field: str, value: Any) -> None:
        alerts = {field: value} if field == "for" else {"thresholds": {field: value}}
        (finding,) = watched({"alerts": alerts}).errors
        assert (finding.code, field in finding.path) == ("LOCO-VALUE", True)

    def test_thresholds_are_as_written(self) -> None:
        thresholds = {"engineQueue": 12345678, "gatewayLatencySeconds": 59.123456789}
        made = {rule["alert"]: rule["expr"] for rule in rules(wide({"alerts": {"thresholds": thresholds}}))}
        assert made["LLMEngineQueue"].endswith(" > 12345678")
        assert made["LLMGatewayLatency"].endswith(" > 59.123456789")

    @pytest.mark.parametrize(
        ("alerts", "path"),
        [
            ({"thresholds": {"gatewayLatencySeconds": 600}}, "thresholds.gatewayLatencySeconds"),
            ({"thresholds": {"timeToFirstTokenSeconds": 2560}}, "thresholds.timeToFirstTokenSeconds"),
            ({"thresholds": {"kvCacheUsage": 1}}, "thresholds.kvCacheUsage"),
            ({"for": "366d"}, "for"),
            ({"for": "99999999999999999999d"}, "for"),
            ({"for": "0s"}, "for"),
            ({"durations": {"LLMTargetDown": "0s"}}, "durations.LLMTargetDown"),
            ({"ruleLabels": {"a.b/c": "x"}}, "ruleLabels"),
            ({"ruleLabels": {"alertname": "x"}}, "ruleLabels"),
            ({"ruleLabels": {"__a": "x"}}, "ruleLabels"),
            ({"ruleLabels": {"a": "{{ $value }}"}}, "ruleLabels"),
        ],
    )
    def test_what_would_never_fire_or_load(self, alerts: dict[str, Any], path: str) -> None:
        errors = watched({"metrics": {}, "alerts": alerts}).errors
        assert [(error.code, error.path) for error in errors] == [("LOCO-VALUE", f"spec.alerts.{path}")]

    def test_labels_of_rules_are_prometheus_own(self) -> None:
        plan = watched({"metrics": {}, "alerts": {"ruleLabels": {"team_name": "ML platform", "_x": ""}}})
        assert all(rule["labels"].items() >= {"team_name": "ML platform"}.items() for rule in rules(plan))

    def test_labels_and_duration(self) -> None:
        plan = watched({"alerts": {"labels": {"release": "p"}, "ruleLabels": {"team": "ml"}, "for": "1h30m"}})
        assert one(plan, "PrometheusRule").data["metadata"]["labels"]["release"] == "p"
        assert {(rule["for"], rule["labels"]["team"]) for rule in rules(plan)} == {("1h30m", "ml")}

    def test_external_models_alone(self) -> None:
        (rule,) = (rule for rule in rules(wide()) if rule["alert"] == "LLMExternalModelDown")
        (failed, which), (succeeded, _) = selectors(rule["expr"])
        assert (failed, succeeded) == (
            "litellm_deployment_failure_responses_total",
            "litellm_deployment_success_responses_total",
        )
        assert which["model_id"] == "externalmodel/.*"
        configs = [m.data.get("data", {}) for m in watched(EVERYTHING).manifests if m.id.kind == "ConfigMap"]
        assert any("id: externalmodel/" in config.get("config.yaml", "") for config in configs)


@pytest.mark.parametrize("section", ["dashboard", "alerts"])
def test_of_gateways_without_metrics(section: str) -> None:
    (finding,) = found(watched({section: {}}), "LOCO-NO-EFFECT")
    assert (finding.path, finding.severity) == (f"spec.{section}", "warning")
    assert not found(watched({section: {}}, model("one")), "LOCO-NO-EFFECT")


@pytest.mark.parametrize(
    ("spec", "documents", "paths"),
    [
        ({"traces": {"endpoint": "http://c:1"}}, [model("one")], ["spec.traces"]),
        ({"env": [{"name": "A", "value": "b"}]}, [external(), gateway()], ["spec.env"]),
        ({"content": True, "metrics": {}}, [external(), gateway()], ["spec.content"]),
    ],
)
def test_without_effect(spec: dict[str, Any], documents: list[dict[str, Any]], paths: list[str]) -> None:
    assert [finding.path for finding in found(watched(spec, *documents), "LOCO-NO-EFFECT")] == paths


def test_sections_that_are_not_there_make_nothing() -> None:
    kinds = {
        "metrics": {"ServiceMonitor"},
        "dashboard": {"ConfigMap"},
        "alerts": {"PrometheusRule"},
        "traces": set(),
    }
    assert not ours(watched({}))
    for section, made in kinds.items():
        assert {m.id.kind for m in ours(watched({section: EVERYTHING[section]}))} == made
