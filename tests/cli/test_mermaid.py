"""The drawing of a stack: every object that takes part in a request, and who calls whom."""

import re
from pathlib import Path
from typing import Any

import pytest

from loco.cli.main import main
from loco.cli.mermaid import mermaid
from tests.plan.stacks import external, gateway, plan_of, service

PLATFORM = {"gateway": {"name": "shared", "namespace": "infra", "internalURL": "http://inside"}}
NODE = re.compile(r'^ +(n\d+)([^\w\s]+)"([^"]*)"', re.MULTILINE)
ARROW = re.compile(r'^  (n\d+) -->(?:\|"([^"]*)"\|)? (n\d+)$', re.MULTILINE)


def arrows(*documents: dict[str, Any], **platform: Any) -> set[tuple[str, str, str]]:
    """The chart's arrows by what stands in its nodes."""
    plan = plan_of(*documents, platform={**PLATFORM, **platform})
    assert not plan.errors, "\n".join(map(str, plan.errors))
    text = mermaid(plan)
    nodes = {name: said.replace("<br/>", " ") for name, _, said in NODE.findall(text)}
    assert len(set(nodes.values())) == len(nodes)
    return {(nodes[source], label, nodes[target]) for source, label, target in ARROW.findall(text)}


ROUTED = {"router": {"route": {}, "scheduler": {}}}
CHAT = {
    ("clients", "", "Gateway shared"),
    ("Gateway shared", "", "HTTPRoute chat-kserve-route"),
    ("HTTPRoute chat-kserve-route", "", "InferencePool chat-inference-pool"),
    ("HTTPRoute chat-kserve-route", "", "Service chat-kserve-workload-svc"),
    ("InferencePool chat-inference-pool", "which engine?", "Service chat-epp-service"),
    ("InferencePool chat-inference-pool", "", "Deployment chat-kserve"),
    ("Service chat-kserve-workload-svc", "", "Deployment chat-kserve"),
    ("Service chat-epp-service", "", "Deployment chat-kserve-router-scheduler"),
}


def test_from_clients_to_engines() -> None:
    assert arrows(service(ROUTED)) == CHAT


def test_the_older_pool_is_drawn_the_same() -> None:
    assert arrows(service(ROUTED), inferencePoolAPI="v1alpha2") == CHAT


def test_a_service_without_a_route_is_drawn_for_itself() -> None:
    assert arrows(service()) == {("Service chat-kserve-workload-svc", "", "Deployment chat-kserve")}


def test_the_gateway_calls_by_the_way_that_its_config_says() -> None:
    litellm = "Deployment main-litellm"
    found = arrows(service(ROUTED), service(name="bare"), external(), gateway({"expose": {"hostnames": ["x.y"]}}))
    assert {arrow for arrow in found if litellm in arrow} == {
        (litellm, "tiny", "HTTPRoute chat-kserve-route"),
        (litellm, "tiny", "Service bare-kserve-workload-svc"),
        (litellm, "gpt", "external model api.openai.com"),
        ("Service main-litellm", "", litellm),
    }
    assert ("Gateway shared", "x.y", "HTTPRoute main-litellm") in found
    assert ("HTTPRoute main-litellm", "", "Service main-litellm") in found


def test_an_ingress() -> None:
    ingress = {"hostnames": ["x.y"], "ingress": {"className": "nginx"}}
    found = arrows(service(), gateway({"expose": ingress}))
    assert ("clients", "x.y", "Ingress main-litellm") in found
    assert ("Ingress main-litellm", "", "Service main-litellm") in found


def test_a_group_shows_its_weights() -> None:
    blue = service({"router": {"route": {"group": "g", "weight": 8}, "scheduler": {}}}, "blue")
    green = service({"router": {"route": {"group": "g", "weight": 2}}}, "green")
    found = arrows(blue, green)
    for route in ("HTTPRoute blue-kserve-route", "HTTPRoute green-kserve-route"):
        assert (route, "weight 8", "InferencePool blue-inference-pool") in found
        assert (route, "weight 2", "Service green-kserve-workload-svc") in found


def test_litellm_shows_them_too() -> None:
    members = [service({"router": {"route": {"group": "g", "weight": n}}}, name) for name, n in (("a", 8), ("b", 2))]
    found = arrows(*members, gateway())
    assert {label for source, label, _ in found if source == "Deployment main-litellm"} == {
        "tiny, weight 8",
        "tiny, weight 2",
    }


@pytest.mark.parametrize("exposed", [False, True])
def test_clients_call_a_gateway_that_is_not_exposed_by_its_service(exposed: bool) -> None:
    spec = {"expose": {"hostnames": ["x.y"]}} if exposed else {}
    found = arrows(service(), gateway(spec))
    assert (("clients", "", "Service main-litellm") in found) is not exposed
    assert ("Service main-litellm", "", "Deployment main-litellm") in found


def test_prefill_and_several_nodes_have_their_pods() -> None:
    found = arrows(service({**ROUTED, "prefill": {}}))
    pool = "InferencePool chat-inference-pool"
    assert (pool, "", "Deployment chat-kserve") in found
    assert (pool, "", "Deployment chat-kserve-prefill") in found
    assert ("Deployment chat-kserve", "prefill", "Deployment chat-kserve-prefill") in found
    assert not [arrow for arrow in arrows(service(ROUTED)) if arrow[1] == "prefill"]


def test_text_of_users_ends_no_label() -> None:
    model = {"uri": "hf://a/b", "name": 'a"] --> b["<c>'}
    text = mermaid(plan_of(service({"model": model}), gateway(), platform=PLATFORM))
    (label,) = (said for _, said, _ in ARROW.findall(text) if "a#34;" in said)
    assert set(label) & set('"<>[]') == set()


def test_each_namespace_has_a_frame() -> None:
    text = mermaid(plan_of(service(ROUTED), external(), gateway(), platform=PLATFORM))
    assert re.findall(r'subgraph s\d+\["(.*)"\]', text) == ["llm", "infra", "outside of the cluster"]
    assert text.count("  end\n") == 3


def test_pods_are_found_in_the_services_own_namespace() -> None:
    text = mermaid(plan_of(service(), service(namespace="other"), platform=PLATFORM))
    assert [label for _, label, _ in ARROW.findall(text)] == ["", ""]


def test_render_prints_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(
        "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: {name: chat}\n"
        "spec: {model: {uri: hf://a/b}}\n"
    )
    assert main(["render", str(file), "--namespace", "llm", "-o", "mermaid"]) == 0
    assert capsys.readouterr().out.startswith("flowchart LR\n")
