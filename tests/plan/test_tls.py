"""TLS is one switch: everything that speaks, listens or asks follows it, in every topology."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from loco.model.pod_templates import pod_templates
from loco.plan import Plan
from tests.plan.stacks import found, gateway, one, plan_of, service
from tests.workloads.topologies import TOPOLOGIES

PATH = "/var/run/kserve/tls"
SECRET = "chat-kserve-self-signed-certs"


def picking(*plugins: str) -> dict[str, Any]:
    """A scheduler whose config has these plugins."""
    config = {
        "apiVersion": "llm-d.ai/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [{"type": name} for name in ("single-profile-handler", *plugins)],
        "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": plugins[-1]}]}],
    }
    return {"router": {"route": {}, "scheduler": {"config": {"inline": config}}}}


ROUTERS: dict[str, dict[str, Any]] = {
    "none": {},
    "scheduler": {"router": {"route": {}, "scheduler": {}}},
    "tokenizer": picking("token-producer", "precise-prefix-cache-scorer"),
    "latency predictor": picking("predicted-latency-producer", "latency-scorer"),
}
ENGINE_FLAGS = f"--enable-ssl-refresh --ssl-certfile {PATH}/tls.crt --ssl-keyfile {PATH}/tls.key"
PICKER_FLAGS = ("--enable-cert-reload=true", "--secure-serving=true", f"--cert-path={PATH}")
SIDECAR_FLAGS = (f"--cert-path={PATH}", "--enable-tls=decoder", "--enable-tls=prefiller")
CASES = [(topology, router) for topology in TOPOLOGIES for router in ROUTERS]


def plan(topology: str, router: str, tls: bool, profile: str = "safe", via: str = "service") -> Plan:
    spec = {**TOPOLOGIES[topology][0], **ROUTERS[router]}
    platform = {"tls": tls, "gateway": {"name": "shared", "namespace": "infra", "internalURL": "http://gw"}}
    made = plan_of(service(spec), gateway({"via": via}, namespace="front"), platform=platform, profile=profile)
    assert not made.errors, "\n".join(map(str, made.errors))
    return made


def containers(made: Plan) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Every container of the service with the name of its workload and its pod."""
    for manifest in made.manifests:
        for _, template in pod_templates(manifest.data):
            if manifest.namespace != "front":
                pod = template["spec"]
                for container in [*(pod.get("initContainers") or []), *pod["containers"]]:
                    yield manifest.name, container, pod


def words(container: dict[str, Any]) -> list[str]:
    return [*(container.get("command") or []), *(container.get("args") or [])]


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize(("topology", "router"), CASES)
def test_everything_follows_the_switch(topology: str, router: str, tls: bool) -> None:
    made = plan(topology, router, tls)
    scheme = "https" if tls else "http"
    roles = set()
    for workload, container, pod in containers(made):
        name, text = container["name"], "\n".join(words(container))
        if name == "main" and "router-scheduler" in workload:
            roles.add("picker")
            assert [flag in words(container) for flag in PICKER_FLAGS] == [tls] * 3
            assert ("scheme: https" in text or '"scheme":"https"' in text or "metrics-scheme=https" in text) is tls
            assert (re.findall(r"(https?)://chat-tokenizer", text) or [None])[0] == (
                scheme if router == "tokenizer" else None
            )
        elif name == "main":
            roles.add("tokenizer" if "tokenizer" in workload else "engine")
            assert (ENGINE_FLAGS in text) is tls
        elif name == "llm-d-routing-sidecar":
            roles.add("sidecar")
            assert f"--secure-proxy={str(tls).lower()}" in words(container)
            assert [flag in words(container) for flag in SIDECAR_FLAGS] == [tls] * 3
        else:
            continue  # the downloads, and the predictor's servers, which only their own pod calls
        for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
            if call := (container.get(probe) or {}).get("httpGet"):
                assert call["scheme"] == scheme.upper(), (workload, name, probe)
        mounts = [mount["name"] for mount in container.get("volumeMounts") or [] if mount["mountPath"] == PATH]
        assert mounts == (["tls-certs"] if tls else [])
        secrets = [volume["secret"] for volume in pod.get("volumes") or [] if volume["name"] == "tls-certs"]
        assert secrets == ([{"secretName": SECRET}] if tls else [])
    assert roles == {
        "engine",
        *(["sidecar"] if "-" in topology else []),
        *(["picker"] if router != "none" else []),
        *(["tokenizer"] if router == "tokenizer" else []),
    }
    for manifest in made.manifests:
        if manifest.id.kind == "Service" and re.search("workload|decode", manifest.name):
            (port,) = manifest.data["spec"]["ports"]
            assert (port["name"], port["appProtocol"]) == (scheme, scheme)


@pytest.mark.parametrize(("topology", "router"), CASES)
def test_certificate_is_for_all_who_serve_with_it(topology: str, router: str) -> None:
    made = plan(topology, router, True)
    (certificate,) = made.certificates
    mounting = {one(made, "Secret", SECRET).id} & {certificate.secret}
    assert mounting
    serving = {
        manifest.name for manifest in made.manifests if manifest.id.kind == "Service" and manifest.namespace == "llm"
    }
    hosts = {host for name in serving for host in (f"{name}.llm.svc", f"{name}.llm.svc.cluster.local")}
    assert set(certificate.dns_names) == hosts | {"localhost"}
    mounted = {edge.after.name for edge in made.edges if edge.before == certificate.secret}
    pods = {workload for workload, container, _ in containers(made) if container["name"] == "main"}
    assert mounted == pods


@pytest.mark.parametrize(("topology", "router"), CASES)
def test_without_tls_nothing_of_it_is_there(topology: str, router: str) -> None:
    made = plan(topology, router, False)
    assert not made.certificates
    assert not made.authorities
    shown = repr([manifest.data for manifest in made.manifests if manifest.id.kind != "Role"])
    shown = shown.replace(f"{PATH}:", "")  # SSL_CERT_DIR names more than one folder, and may name one that isn't there
    for trace in (PATH, "tls-certs", SECRET, "ssl-certfile", "https://chat", "litellm-authorities", "SSL_CERT_FILE"):
        assert trace not in shown


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize(("topology", "router"), CASES)
def test_gateway_calls_by_the_scheme_that_is_served(topology: str, router: str, tls: bool) -> None:
    config = one(plan(topology, router, tls), "ConfigMap", "main-litellm-config").data["data"]["config.yaml"]
    assert re.findall(r"api_base: (https?)://chat-kserve", config) == ["https" if tls else "http"]


def test_pickers_flags_of_metrics_move_into_its_config() -> None:
    made = plan("single", "scheduler", True)
    (text,) = ["\n".join(words(c)) for name, c, _ in containers(made) if "router-scheduler" in name]
    assert "--model-server-metrics-scheme" not in text
    assert "https" in text


@pytest.mark.parametrize("rotation", [None, "2026-12"])
@pytest.mark.parametrize("router", ROUTERS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_a_rotation_starts_those_anew_that_trust_once(topology: str, router: str, rotation: str | None) -> None:
    """Sidecars trust engines, a picker its tokenizer; everybody else reloads."""
    spec = {**TOPOLOGIES[topology][0], **ROUTERS[router]}
    config: dict[str, Any] = {"rotation": {"certificates": rotation}} if rotation else {}
    made = plan_of(service(spec), platform={"tls": True, "gateway": {"name": "g"}}, **config)
    marked = set()
    for manifest in made.manifests:
        for path, template in pod_templates(manifest.data):
            if "locostack.com/digest.certificate" in template["metadata"].get("annotations", {}):
                marked.add((manifest.name, path[-1]))
    expected = set()
    if rotation and "-" in topology:
        main = "chat-kserve-mn" if topology.startswith("multi") else "chat-kserve"
        expected.add((main, "leaderTemplate" if topology.startswith("multi") else "template"))
    if rotation and router == "tokenizer":
        expected.add(("chat-kserve-router-scheduler", "template"))
    assert marked == expected
    assert {certificate.rotation for certificate in made.certificates} == {rotation}


@pytest.mark.parametrize(("tls", "told"), [(True, []), (False, ["rotation.certificates"])])
def test_rotation_of_nothing_is_told(tls: bool, told: list[str]) -> None:
    made = plan_of(service(), platform={"tls": tls}, rotation={"certificates": "1"})
    assert [finding.path for finding in found(made, "LOCO-NO-EFFECT", "warning")] == told


@pytest.mark.parametrize("text", ["", " a", "a\nb", [1], True])
def test_rotation_that_is_no_text_is_refused(text: Any) -> None:
    made = plan_of(service(), platform={"tls": True}, rotation={"certificates": text})
    assert [error.path for error in made.errors] == ["rotation.certificates"]
