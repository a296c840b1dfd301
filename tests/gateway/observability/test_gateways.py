"""What a gateway's config and pods have of being watched."""

from typing import Any

import pytest
import yaml

from loco.plan import Plan
from tests.gateway.configs import config_of, env_of
from tests.gateway.observability.stacks import PLATFORM, model, watched
from tests.plan.stacks import external, found, gateway, one, plan_of

TRACES = {"endpoint": "http://collector:4318"}
SECRET = {"secretRef": {"name": "otel", "key": "headers"}}
CREDENTIALS = {"otel": {"headers": {"config": "otelHeaders"}}}
PORT_APART = {"metrics": {"gateway": {"port": 4001}}}
NO_SCRAPERS = {key: value for key, value in PLATFORM.items() if key != "monitoring"}


def settings(plan: Plan) -> dict[str, Any]:
    found: dict[str, Any] = config_of(plan)["litellm_settings"]
    return found


def container(plan: Plan) -> dict[str, Any]:
    (container,) = one(plan, "Deployment").data["spec"]["template"]["spec"]["containers"]
    return dict(container)


def values(plan: Plan) -> dict[str, Any]:
    return {name: variable.get("value") for name, variable in env_of(plan).items() if "OTEL" in name}


def test_traces() -> None:
    plan = watched({"traces": TRACES})
    assert settings(plan)["callbacks"] == ["otel"]
    assert values(plan) == {
        "LITELLM_OTEL_V2": "true",
        "OTEL_ENDPOINT": "http://collector:4318",
        "OTEL_ENVIRONMENT_NAME": "dev",
        "OTEL_EXPORTER": "otlp_http",
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "NO_CONTENT",
        "OTEL_PYTHON_FASTAPI_EXCLUDED_URLS": "/health,/metrics",
        "OTEL_RESOURCE_ATTRIBUTES": "k8s.deployment.name=main-litellm,k8s.namespace.name=llm",
        "OTEL_SERVICE_NAME": "main-litellm",
    }


def test_only_names_of_callbacks_stand_in_the_config() -> None:
    text = yaml.safe_dump(config_of(watched({"traces": {**TRACES, "headers": SECRET}}, credentials=CREDENTIALS)))
    assert "collector" not in text
    assert "OTEL" not in text


@pytest.mark.parametrize(
    ("spec", "callbacks", "hidden"),
    [
        ({}, None, None),
        ({"metrics": {}}, ["prometheus"], None),
        ({"traces": TRACES, "metrics": {}}, ["otel", "prometheus"], True),
        ({"traces": TRACES, "content": True}, ["otel"], None),
        ({"callbacks": ["arize"]}, ["arize"], True),
        ({"callbacks": ["arize"], "content": True}, ["arize"], None),
    ],
)
def test_prompts_stay_out(spec: dict[str, Any], callbacks: list[str] | None, hidden: bool | None) -> None:
    plan = watched(spec)
    assert not plan.errors
    assert settings(plan).get("callbacks") == callbacks
    assert settings(plan).get("turn_off_message_logging") == hidden


def test_content_and_protocol_and_environment() -> None:
    plan = watched({"traces": {**TRACES, "protocol": "grpc", "environment": "production"}, "content": True})
    assert values(plan)["OTEL_EXPORTER"] == "otlp_grpc"
    assert values(plan)["OTEL_ENVIRONMENT_NAME"] == "production"
    assert values(plan)["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] == "SPAN_ONLY"


def test_headers_are_a_credential() -> None:
    plan = watched({"traces": {**TRACES, "headers": SECRET}}, credentials=CREDENTIALS)
    assert not plan.findings
    reference = env_of(plan)["OTEL_HEADERS"]["valueFrom"]["secretKeyRef"]
    assert reference == {"name": "otel", "key": "headers", "optional": True}
    (use,) = (use for use in plan.credential_uses if use.secret == "otel")
    assert (use.reader.name, use.credential, use.rolls, use.required) == ("main-litellm", "otel", True, False)
    assert one(plan, "Secret", "otel").namespace == "llm"


def test_headers_that_nobody_declares() -> None:
    plan = watched({"traces": {**TRACES, "headers": SECRET}})
    (finding,) = plan.errors
    assert (finding.code, finding.path) == ("LOCO-CREDENTIAL", "spec.traces.headers.secretRef")
    assert finding.subject == "Observability/llm/observability-dev"


def test_every_gateway_has_them_in_its_own_namespace() -> None:
    documents = (gateway(), gateway(name="far", namespace="other"))
    plan = watched({"traces": {**TRACES, "headers": SECRET}}, *documents, credentials=CREDENTIALS)
    assert {m.namespace for m in plan.manifests if m.name == "otel"} == {"llm", "other"}
    assert env_of(plan, "far-litellm")["OTEL_SERVICE_NAME"]["value"] == "far-litellm"


class TestCallbacks:
    def test_beside_the_gateways_own(self) -> None:
        own = gateway({"extraConfig": {"litellm_settings": {"callbacks": ["datadog", "prometheus"]}}})
        plan = watched({"traces": TRACES, "metrics": {}}, own)
        assert not plan.errors
        assert settings(plan)["callbacks"] == ["datadog", "prometheus", "otel"]

    @pytest.mark.parametrize("listed", [["otel"], "otel"])
    def test_twice_for_one_request(self, listed: Any) -> None:
        own = gateway({"extraConfig": {"litellm_settings": {"success_callback": listed}}})
        (finding,) = watched({"traces": TRACES}, own).errors
        assert (finding.code, finding.value) == ("LOCO-DUPLICATE", "otel")
        assert finding.path == "spec.extraConfig.litellm_settings.success_callback"

    @pytest.mark.parametrize(("name", "cure"), [("otel", "traces"), ("prometheus", "metrics"), ("mlflow", "arize")])
    def test_unknown_or_with_a_section(self, name: str, cure: str) -> None:
        (finding,) = watched({"callbacks": [name]}).errors
        assert finding.code == "LOCO-VALUE"
        assert cure in finding.cure

    def test_what_they_need(self) -> None:
        (finding,) = watched({"callbacks": ["datadog"]}).errors
        assert (finding.code, finding.path) == ("LOCO-REFERENCE", "spec.callbacks[0]")
        assert "DD_API_KEY and DD_SITE" in finding.message
        key = {"name": "DD_API_KEY", "valueFrom": {"secretKeyRef": {"name": "dd", "key": "key"}}}
        env = [key, {"name": "DD_SITE", "value": "datadoghq.eu"}]
        plan = watched({"callbacks": ["datadog"], "env": env}, credentials={"dd": {"key": {"config": "ddKey"}}})
        assert not plan.findings
        assert env_of(plan)["DD_SITE"]["value"] == "datadoghq.eu"
        assert env_of(plan)["DD_API_KEY"]["valueFrom"]["secretKeyRef"]["name"] == "dd"
        beside = gateway({"env": [{"name": "DD_SITE", "value": "x"}, {"name": "DD_API_KEY", "value": "y"}]})
        assert not watched({"callbacks": ["datadog"]}, beside).errors


class TestVariables:
    @pytest.mark.parametrize("name", ["OTEL_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_HEADERS"])
    def test_of_the_gateway(self, name: str) -> None:
        own = gateway({"env": [{"name": name, "value": "x"}]})
        (finding,) = watched({"traces": TRACES}, own).errors
        assert (finding.code, finding.path, finding.value) == ("LOCO-DUPLICATE", "spec.env[0].name", name)
        assert not watched({"metrics": {}}, own).errors

    def test_of_loco(self) -> None:
        env = [{"name": "LITELLM_LOG", "value": "DEBUG"}]
        (finding,) = watched({"callbacks": ["arize"], "env": env}).errors
        assert (finding.code, finding.subject) == ("LOCO-DUPLICATE", "Observability/llm/observability-dev")

    @pytest.mark.parametrize("name", ["OTEL_ENDPOINT", "OTEL_HEADERS", "OTEL_EXPORTER_OTLP_ENDPOINT"])
    def test_of_traces(self, name: str) -> None:
        env = [{"name": name, "value": "x"}]
        (finding,) = watched({"callbacks": ["arize"], "env": env, "traces": TRACES}).errors
        assert (finding.code, finding.path, finding.value) == ("LOCO-DUPLICATE", "spec.env[0].name", name)
        assert not watched({"callbacks": ["arize"], "env": env}).errors

    def test_twice(self) -> None:
        env = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
        (finding,) = watched({"callbacks": ["arize"], "env": env}).errors
        assert "each variable once" in finding.message


def test_the_gateways_own_word_on_content() -> None:
    own = gateway({"extraConfig": {"litellm_settings": {"turn_off_message_logging": False}}})
    (finding,) = watched({"traces": TRACES}, own).errors
    assert finding.path == "spec.extraConfig.litellm_settings.turn_off_message_logging"
    assert not watched({"traces": TRACES, "content": True}, own).errors


class TestPort:
    def test_pods(self) -> None:
        plan = watched(PORT_APART)
        assert container(plan)["args"][-2:] == ["--prometheus_metrics_port", "4001"]
        assert container(plan)["ports"][-1] == {"name": "metrics", "containerPort": 4001, "protocol": "TCP"}

    def test_service_of_its_own(self) -> None:
        plan = watched(PORT_APART, gateway({"service": {"type": "LoadBalancer"}}))
        assert [port["port"] for port in one(plan, "Service", "main-litellm").data["spec"]["ports"]] == [4000]
        apart = one(plan, "Service", "main-litellm-metrics").data
        assert apart["spec"]["clusterIP"] == "None"
        assert apart["spec"]["ports"] == [{"name": "metrics", "port": 4001, "targetPort": "metrics", "protocol": "TCP"}]
        monitor = one(plan, "ServiceMonitor").data["spec"]
        named = {"action": "replace", "targetLabel": "service", "replacement": "main-litellm"}
        assert monitor["endpoints"] == [
            {"port": "metrics", "path": "/metrics", "interval": "30s", "relabelings": [named]}
        ]
        wanted = monitor["selector"]["matchLabels"].items()
        services = [m for m in plan.manifests if m.id.kind == "Service"]
        assert [m.name for m in services if wanted <= m.data["metadata"]["labels"].items()] == ["main-litellm-metrics"]

    @pytest.mark.parametrize(("port", "says"), [(4000, "LiteLLM itself"), (80, "at least 1024"), (70000, "at most")])
    def test_refused(self, port: int, says: str) -> None:
        (finding,) = watched({"metrics": {"gateway": {"port": port}}}).errors
        assert (finding.code, finding.path) == ("LOCO-VALUE", "spec.metrics.gateway.port")
        assert says in finding.message

    @pytest.mark.parametrize(
        ("image", "refused"),
        [
            ("x/litellm:v1.100.3", True),
            ("x/litellm:v1.101.0", False),
            ("x/litellm:2.0.1", False),
            ("x/own:main", False),
        ],
    )
    def test_image_without_it(self, image: str, refused: bool) -> None:
        findings = watched(PORT_APART, gateway({"image": image})).errors
        assert [finding.path for finding in findings] == (["spec.image"] if refused else [])

    def test_policy_with_clients(self) -> None:
        plan = watched(PORT_APART, gateway({"clients": [{"namespace": "apps"}]}))
        calls, scrapes = one(plan, "NetworkPolicy").data["spec"]["ingress"]
        assert [port["port"] for port in calls["ports"]] == [4000]
        assert "monitoring" not in str(calls)
        assert [port["port"] for port in scrapes["ports"]] == [4001]
        assert "monitoring" in str(scrapes["from"])
        behind_key = watched({"metrics": {}}, gateway({"clients": [{"namespace": "apps"}]}))
        (calls,) = one(behind_key, "NetworkPolicy").data["spec"]["ingress"]
        assert "monitoring" in str(calls["from"])

    def test_policy_without_clients(self) -> None:
        """Everybody may call every port but this one."""
        plan = watched(PORT_APART)
        policy = one(plan, "NetworkPolicy", "main-litellm-metrics")
        others, scrapes = policy.data["spec"]["ingress"]
        assert [(port["port"], port["endPort"]) for port in others["ports"]] == [(1, 4000), (4002, 65535)]
        assert "from" not in others
        assert scrapes["ports"] == [{"port": 4001, "protocol": "TCP"}]
        assert any(edge.before == policy.id and edge.after.kind == "Deployment" for edge in plan.edges)
        assert not watched({"metrics": {}}).errors
        assert not [m for m in watched({"metrics": {}}).manifests if m.id.kind == "NetworkPolicy"]
        last = watched({"metrics": {"gateway": {"port": 65535}}})
        others, _ = one(last, "NetworkPolicy").data["spec"]["ingress"]
        assert [(port["port"], port["endPort"]) for port in others["ports"]] == [(1, 65534)]


class TestUnscraped:
    def test_policies_that_let_nobody_scrape(self) -> None:
        plan = watched({"metrics": {}}, gateway({"clients": [{"namespace": "apps"}]}), platform=NO_SCRAPERS)
        (finding,) = found(plan, "LOCO-NETWORK-POLICY")
        assert finding.path == "platform.monitoring.peers"

    def test_open_port(self) -> None:
        plan = watched({"metrics": {"gateway": {"port": 4001}}}, platform=NO_SCRAPERS)
        (finding,) = found(plan, "LOCO-NETWORK-POLICY")
        assert "every pod may read" in finding.message
        assert not [m for m in plan.manifests if m.id.kind == "NetworkPolicy"]

    def test_nothing_closed(self) -> None:
        assert not watched({"metrics": {}}, platform=NO_SCRAPERS).findings

    @pytest.mark.parametrize(
        ("endpoint", "others", "told"),
        [
            ("http://collector.monitoring.svc:4318", False, True),
            ("http://collector:4318", False, True),
            ("http://collector.monitoring.svc.cluster.local:4318", True, False),
            ("https://otlp.example.com", False, True),  # the gateway calls nobody outside
        ],
    )
    def test_egress(self, endpoint: str, others: bool, told: bool) -> None:
        egress = {"others": [{"peers": [{"namespace": "monitoring"}]}]} if others else {}
        plan = watched({"traces": {"endpoint": endpoint}}, gateway({"egress": egress}))
        assert [finding.path for finding in found(plan, "LOCO-NETWORK-POLICY")] == (["spec.egress"] if told else [])

    @pytest.mark.parametrize(
        ("spec", "egress", "told"),
        [
            ({"traces": {"endpoint": "https://otlp.example.com"}}, {}, 0),  # like the model, at 443
            ({"traces": {"endpoint": "https://otlp.example.com:4318"}}, {}, 1),
            ({"traces": {"endpoint": "http://10.1.2.3:443"}}, {}, 1),  # private
            ({"callbacks": ["arize"]}, {}, 0),
            ({"callbacks": ["arize"], "traces": {"endpoint": "http://c:4318"}}, {"external": ["10.0.0.0/8"]}, 1),
        ],
    )
    def test_egress_to_models_outside(self, spec: dict[str, Any], egress: dict[str, Any], told: int) -> None:
        plan = watched(spec, external(), gateway({"egress": egress}))
        assert len(found(plan, "LOCO-NETWORK-POLICY")) == told

    def test_egress_of_callbacks_without_anybody_outside(self) -> None:
        plan = watched({"callbacks": ["arize"]}, model("one"), gateway({"egress": {}}))
        assert [finding.path for finding in found(plan, "LOCO-NETWORK-POLICY")] == ["spec.egress"]


def test_pods_of_a_stack_that_is_not_watched_stay_as_they_are() -> None:
    assert (
        one(watched({}), "Deployment").data == one(plan_of(external(), gateway(), platform=PLATFORM), "Deployment").data
    )
