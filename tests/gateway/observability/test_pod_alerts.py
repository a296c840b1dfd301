"""Alerts on pods: none of a workload is ready, or Prometheus doesn't get at their metrics."""

from tests.gateway.observability.metric_names import selectors
from tests.gateway.observability.stacks import EVERYTHING, model, monitors, rules, watched, wide


def test_what_prometheus_does_not_get_at() -> None:
    """By the names that the operator gives what its monitors find: a PodMonitor's own, or a Service's."""
    plan = wide()
    down = [rule["expr"] for rule in rules(plan) if rule["alert"] == "LLMTargetDown"]
    watching = {name for expr in down for _, matchers in selectors(expr) for name in matchers["job"].split("|")}
    assert watching == {*monitors(plan), "main-litellm"}
    assert all(expr.endswith(" == 0") for expr in down)
    missing = {
        rule["labels"]["job"]: selectors(rule["expr"]) for rule in rules(plan) if rule["alert"] == "LLMTargetsMissing"
    }
    assert set(missing) == watching
    for job, ((ready, pods), (up, target)) in missing.items():
        assert (up, target["job"], target["namespace"]) == ("up", job, pods["namespace"])
        assert ready.endswith(("replicas_available", "replicas_ready"))
    (_, engines), _ = missing["llm/observability-dev-engine"]
    assert engines["deployment"] == "one-kserve|two-kserve"
    (_, groups), _ = missing["llm/observability-dev-engine-groups"]
    assert groups["statefulset"] == "groups-kserve-mn"


def test_targets_of_others_are_theirs() -> None:
    named = {rule["alert"] for rule in rules(watched({"alerts": {}}, model("one")))}
    assert not named & {"LLMTargetDown", "LLMTargetsMissing"}


def test_a_port_of_its_own_is_another_job_of_the_same_service() -> None:
    plan = wide({**EVERYTHING, "metrics": {"gateway": {"port": 4001}}})
    jobs = {rule["labels"].get("job") for rule in rules(plan)}
    assert "main-litellm-metrics" in jobs
    assert "main-litellm" not in jobs


def test_no_ready_pods_names_every_workload() -> None:
    told = [
        (matchers.get("namespace"), matchers.get("deployment") or matchers.get("statefulset"))
        for rule in rules(wide())
        if rule["alert"] == "LLMNoReadyPods"
        for name, matchers in selectors(rule["expr"])
        if name.endswith(("spec_replicas", "statefulset_replicas"))
    ]
    llm = "main-litellm|one-kserve|one-kserve-router-scheduler|split-kserve|split-kserve-prefill|split-kserve-router-scheduler|two-kserve"
    assert told == [
        ("elsewhere", "far-kserve|far-kserve-router-scheduler"),
        ("llm", llm),
        ("llm", "groups-kserve-mn"),
    ]
