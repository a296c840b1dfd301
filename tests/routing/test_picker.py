"""The endpoint picker's Deployment, Service and rights."""

from typing import Any

import pytest
import yaml

from loco.pods.restricted import weaknesses
from tests.plan.stacks import found, one, plan_of, planned, service

NAME = "chat-kserve-router-scheduler"
DEFAULT = [
    "single-profile-handler",
    "queue-scorer",
    "kv-cache-utilization-scorer",
    "prefix-cache-scorer",
    "no-hit-lru-scorer",
    "max-score-picker",
]


def with_main(container: dict[str, Any] | None = None, **scheduler: Any) -> dict[str, Any]:
    template = {"containers": [{"name": "main", **(container or {})}]}
    return {"router": {"scheduler": {"template": template, **scheduler}}}


def deployment(spec: dict[str, Any] | None = None, **config: Any) -> Any:
    return one(planned(spec or with_main(), **config), "Deployment", NAME)


def container(spec: dict[str, Any] | None = None, name: str = "main", **config: Any) -> dict[str, Any]:
    pod = deployment(spec, **config).data["spec"]["template"]["spec"]
    (result,) = (container for container in pod["containers"] if container["name"] == name)
    return dict(result)


def config_of(arguments: list[str]) -> dict[str, Any]:
    assert arguments[-2] == "--config-text"
    config: dict[str, Any] = yaml.safe_load(arguments[-1])
    return config


def test_own_config_where_nobody_writes_one() -> None:
    arguments = container(with_main({"args": ["--v", "4"]}))["args"]
    assert arguments[:2] == ["--v", "4"]
    config = config_of(arguments)
    assert [plugin["type"] for plugin in config["plugins"]] == DEFAULT
    assert config["schedulingProfiles"][0]["plugins"] == [
        {"pluginRef": "queue-scorer", "weight": 2},
        {"pluginRef": "kv-cache-utilization-scorer", "weight": 2},
        {"pluginRef": "prefix-cache-scorer", "weight": 3},
        {"pluginRef": "no-hit-lru-scorer", "weight": 2},
        {"pluginRef": "max-score-picker"},
    ]


def test_with_tls_metrics_are_scraped_over_https_and_the_certificate_is_mounted() -> None:
    config = {"platform": {"tls": True}}
    main = container(**config)
    assert config_of(main["args"])["plugins"][-1] == {
        "type": "metrics-data-source",
        "parameters": {"scheme": "https"},
    }
    assert "--secure-serving=true" in main["command"]
    assert {"name": "tls-certs", "mountPath": "/var/run/kserve/tls", "readOnly": True} in main["volumeMounts"]
    plan = planned(with_main(), **config)
    pod = one(plan, "Deployment", NAME).data["spec"]["template"]["spec"]
    secret = one(plan, "Secret")
    assert {"name": "tls-certs", "secret": {"secretName": secret.name}} in pod["volumes"]
    assert any(edge.before == secret.id and edge.after.name == NAME for edge in plan.edges)
    assert "chat-epp-service.llm.svc" in plan.certificates[0].dns_names


@pytest.mark.parametrize("flag", ["config-text", "configText", "config-file", "configFile"])
@pytest.mark.parametrize("dashes", ["-", "--"])
@pytest.mark.parametrize("place", ["args", "command"])
def test_config_of_the_users_own_is_taken(flag: str, dashes: str, place: str) -> None:
    for words in ([f"{dashes}{flag}", "x"], [f"{dashes}{flag}=x"]):
        main = container(with_main({place: ["/app/epp", *words] if place == "command" else words}))
        assert main[place][-len(words) :] == words
        assert "apiVersion" not in str(main.get("args"))


def test_config_flag_that_comes_last_without_a_value_does_not_count() -> None:
    arguments = container(with_main({"args": ["--v", "4", "--config-text"]}))["args"]
    assert len(arguments) == 4, "it would take the next word, another --config-text, for its value"
    assert config_of(arguments)["kind"] == "EndpointPickerConfig"


@pytest.mark.parametrize(
    ("replicas", "args", "leader", "skip"),
    [
        (None, [], [], False),
        (1, [], [], False),
        (2, [], ["--ha-enable-leader-election"], True),
        (2, ["-ha-enable-leader-election"], ["-ha-enable-leader-election"], True),
        (2, ["--ha-enable-leader-election=true"], ["--ha-enable-leader-election=true"], True),
    ],
)
def test_standing_by(replicas: int | None, args: list[str], leader: list[str], skip: bool) -> None:
    spec = with_main({"args": args} if args else {}, **({"replicas": replicas} if replicas else {}))
    made = deployment(spec)
    arguments = made.data["spec"]["template"]["spec"]["containers"][0]["args"]
    assert [word for word in arguments if "leader" in word] == leader
    assert made.wait.skip is skip
    assert made.data["spec"].get("replicas") == replicas
    assert made.ignore_changes == (() if replicas else ("spec.replicas",))
    assert made.data["spec"]["strategy"] == {"type": "Recreate"}


@pytest.mark.parametrize(("profile", "empty"), [("safe", 0), ("kserve", 4)])
def test_empty_arguments(profile: str, empty: int) -> None:
    assert container(profile=profile)["command"].count("") == empty


@pytest.mark.parametrize(("profile", "allowed"), [("safe", True), ("kserve", False)])
def test_events(profile: str, allowed: bool) -> None:
    role = one(planned(with_main(), profile=profile), "Role").data
    events = {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]}
    assert (events in role["rules"]) is allowed


def test_passes_where_restricted_is_enforced() -> None:
    pod = deployment(with_main(), platform={"tls": True}).data["spec"]["template"]["spec"]
    assert list(weaknesses(pod)) == []
    assert pod["securityContext"] == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    weak = planned({"router": {"scheduler": {"template": {"hostNetwork": True}}}})
    assert found(weak, "LOCO-WEAK-SECURITY", "warning")[0].path.startswith("spec.router.scheduler.template.")


def test_labels_and_annotations_are_on_pods_only() -> None:
    plan = planned(with_main(labels={"team": "a"}, annotations={"note": "b"}))
    made = one(plan, "Deployment", NAME).data
    about = made["spec"]["template"]["metadata"]
    assert about["labels"]["team"] == "a"
    assert about["annotations"] == {"app.kubernetes.io/version": "0.10.0", "note": "b"}
    for manifest in plan.manifests:
        assert "team" not in str(manifest.data["metadata"])
        assert "note" not in str(manifest.data["metadata"])
    assert "team" not in made["spec"]["selector"]["matchLabels"]


@pytest.mark.parametrize(
    "scheduler",
    [
        {"labels": {"app.kubernetes.io/name": "other"}},
        {"labels": {"a b": "x"}},
        {"labels": {"a": "x y"}},
        {"annotations": {"a b": "x"}},
    ],
)
def test_labels_that_the_api_server_refuses(scheduler: dict[str, Any]) -> None:
    (error,) = plan_of(service(with_main(**scheduler))).errors
    field = next(iter(scheduler))
    assert error.path.startswith(f"spec.router.scheduler.{field}")
    assert error.origin
    assert error.origin.layer == "service"


def test_sidecar_of_the_users_own_before_main() -> None:
    side = {"name": "side", "image": "x", "ports": [{"name": "zmq-2", "containerPort": 1}, {"containerPort": 2}]}
    spec = {"router": {"scheduler": {"template": {"containers": [side, {"name": "main", "args": ["--v=1"]}]}}}}
    plan = planned(spec)
    pod = one(plan, "Deployment", NAME).data["spec"]["template"]["spec"]
    assert [c["name"] for c in pod["containers"]] == ["side", "main"]
    assert "args" not in pod["containers"][0]
    assert pod["containers"][1]["args"][0] == "--v=1"
    assert config_of(pod["containers"][1]["args"])
    alone = {"router": {"scheduler": {"template": {"containers": [side]}}}}
    assert container(alone)["args"]


def test_template_without_main_is_an_error() -> None:
    template = {"$patch": "replace", "containers": [{"name": "epp", "image": "x"}]}
    errors = plan_of(service({"router": {"scheduler": {"template": template}}})).errors
    assert "spec.router.scheduler.template.containers" in [error.path for error in errors]
    assert any("no container is called main" in error.message for error in errors)


def test_service_serves_the_named_ports() -> None:
    spec = one(planned(with_main()), "Service", "chat-epp-service").data["spec"]
    assert [(port["name"], port["port"], port["targetPort"]) for port in spec["ports"]] == [
        ("grpc", 9002, "grpc"),
        ("grpc-health", 9003, "grpc-health"),
        ("metrics", 9090, "metrics"),
        ("zmq", 5557, "zmq"),
    ]


def test_port_of_one_name_in_two_containers_is_refused() -> None:
    side = {"name": "side", "image": "x", "ports": [{"name": "metrics", "containerPort": 1}]}
    spec = {"router": {"scheduler": {"template": {"containers": [side]}}}}
    (error,) = plan_of(service(spec)).errors
    assert "metrics" in error.message


def test_account_of_the_users_own_gets_the_rights() -> None:
    spec = {"router": {"scheduler": {"template": {"serviceAccountName": "mine"}}}}
    plan = planned(spec)
    assert not [manifest for manifest in plan.manifests if manifest.id.kind == "ServiceAccount"]
    for kind in ("RoleBinding", "ClusterRoleBinding"):
        assert one(plan, kind).data["subjects"][0]["name"] == "mine"
