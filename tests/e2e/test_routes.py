"""The matrix of routes on a real Envoy: which backend a request reaches, and the path that it sees there."""

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from dev.cluster import Cluster
from dev.cluster.client import Refused
from dev.toolchain import ensure
from dev.toolchain.envoy import ensure_envoy
from dev.toolchain.table import EGCTL
from loco.plan import Plan
from loco.routing.route_limits import is_path
from tests.e2e.envoy_proxy import EnvoyProxy
from tests.e2e.route_worlds import HOST, WORLDS, failing, plan_of_world, rows_of, unreached
from tests.e2e.stand_in_backends import CHUNKS, SECONDS_BETWEEN_CHUNKS
from tests.goldens.objects import dry_run
from tests.plan.stacks import plan_of, service

pytestmark = pytest.mark.e2e

PATHS = [
    *("/", "/a", "/a/", "/a.b-c_d~e", "/a!$&'()*+,;=:@b", "/a%20b", "/a..b", "/...", "/.a"),
    *("a", "/a b", "/a#b", "/a?b", "//", "/a//b", "/a/./b", "/a/../b", "/a/..", "/a/.", "/%2F", "/a%2fb", "/a%b", "/ü"),
    *("/" + "a" * 1023, "/" + "a" * 1024),
]
FURTHER = "/v1/completions/foo"  # beyond an Exact path
Rule = dict[str, Any]
Start = Callable[[Any], Any]


@pytest.fixture(scope="module")
def plans() -> dict[str, Plan]:
    return {name: plan_of_world(name) for name in WORLDS}


@pytest.fixture(scope="module")
def start(tools_bin: Any, tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Starts an Envoy on objects; to be used in a ``with``, which ends it."""
    egctl, envoy = ensure((EGCTL,)).program("egctl"), ensure_envoy()

    @contextmanager
    def started(objects: Any) -> Iterator[EnvoyProxy]:
        with EnvoyProxy(objects, egctl, envoy, tmp_path_factory.mktemp("envoy")) as proxy:
            yield proxy
        assert proxy._process is not None
        assert proxy._process.poll() is not None, "Envoy is still there"

    return started


@pytest.fixture(scope="module", params=WORLDS)
def world(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def proxy(world: str, plans: Mapping[str, Plan], start: Start) -> Iterator[EnvoyProxy]:
    with start(objects_of(plans[world])) as running:
        yield running


def objects_of(plan: Plan) -> list[dict[str, Any]]:
    return [dict(manifest.data) for manifest in plan.manifests]


def test_every_row_holds(world: str, proxy: EnvoyProxy) -> None:
    assert proxy.refused == {}
    wrong = failing(rows_of(world), proxy)
    assert not wrong, "\n".join(wrong)


def test_every_advertised_address_reaches_its_model(world: str, plans: Mapping[str, Plan], proxy: EnvoyProxy) -> None:
    asked, wrong = unreached(plans[world], proxy)
    assert not wrong, "\n".join(wrong)
    assert asked == EXPECTED[world]


# twelve has 24 services: own and borrower answer below paths of their own; the latter leads to another model and nowhere
# else; spaced has no publisher path; quiet has no header, all others and 56 adapters have; hosted isn't reached by the Gateway's name inside. ten has 4 services and 48
# adapters. made has 2 services and no headers.
EXPECTED = {
    "twelve": Counter(
        {
            "gateway-external": 22,
            "gateway-external-path": 2,
            "gateway-external-publisher": 21,
            "gateway-external-model-routing": 22 + 56,
            "gateway-internal": 21,
            "gateway-internal-path": 2,
            "gateway-internal-publisher": 20,
            "gateway-internal-model-routing": 21 + 56,
        }
    ),
    "ten": Counter({"gateway-external": 4, "gateway-external-model-routing": 4 + 48}),
    "made": Counter({"gateway-external": 2, "gateway-external-publisher": 2}),
}


def test_every_preset_rule_has_a_row(world: str, plans: Mapping[str, Plan]) -> None:
    if world == "made":
        return
    route = next(m for m in plans[world].manifests if m.id.kind == "HTTPRoute" and m.name == "chat-kserve-route")
    assert {rule["name"] for rule in route.data["spec"]["rules"]} == {r["rule"] for r in rows_of(world) if "rule" in r}


def test_answers_stream(world: str, proxy: EnvoyProxy) -> None:
    """Pieces come as they are sent, not all at the end."""
    times = proxy.arrivals("/llm/chat/v1/chat/completions")
    assert len(times) >= CHUNKS
    assert times[-1] - times[0] > (CHUNKS - 2) * SECONDS_BETWEEN_CHUNKS
    assert times[0] < SECONDS_BETWEEN_CHUNKS


@pytest.mark.parametrize("world", ["twelve"], indirect=True)
def test_a_group_shares_by_weight(proxy: EnvoyProxy) -> None:
    """Weights 8, 2 and 0 over 1,000 requests: five standard deviations are 64."""
    for path, headers in [
        ("/publishers/llm/models/shared/v1/completions", {}),
        ("/v1/completions", {"X-Gateway-Model-Name": "publishers/llm/models/shared"}),
    ]:
        found = Counter(proxy.ask(path, headers, host=HOST).backend for _ in range(1000))
        assert set(found) == {"llm/blue-inference-pool", "llm/green-kserve-workload-svc"}
        assert abs(found["llm/green-kserve-workload-svc"] - 200) < 64


def test_the_api_server_takes_every_route(world: str, plans: Mapping[str, Plan], cluster: Cluster) -> None:
    kinds = ("HTTPRoute", "Gateway", "ReferenceGrant", "InferencePool")
    objects = [each for each in objects_of(plans[world]) if each["kind"] in kinds]
    assert len(dry_run(cluster, objects)) == len(objects) > 0


@pytest.mark.parametrize("form", ["twelveRules", "tenRules"])
def test_the_api_server_takes_any_number_of_adapters(form: str, cluster: Cluster) -> None:
    for count in (12, 13, 14, 200):
        lora = {"adapters": [{"name": f"a{n}", "uri": "hf://a/b"} for n in range(count)]}
        spec = {"model": {"uri": "hf://a/b", "name": "m", "lora": lora}, "router": {"route": {}, "scheduler": {}}}
        plan = plan_of(service(spec), platform={"gateway": {"name": "g"}, "routes": {"form": form}})
        routes = [each for each in objects_of(plan) if each["kind"] == "HTTPRoute"]
        assert len(dry_run(cluster, routes)) == len(routes) > (count > 12)


@pytest.mark.parametrize("path", PATHS)
def test_the_api_server_judges_paths_as_loco_does(path: str, cluster: Cluster) -> None:
    match = {"path": {"type": "PathPrefix", "value": path}}
    spec = {"parentRefs": [{"name": "g"}], "rules": [{"matches": [match], "backendRefs": [{"name": "b", "port": 1}]}]}
    metadata = {"name": "r", "namespace": "default"}
    route = {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": metadata, "spec": spec}
    try:
        dry_run(cluster, [route])
    except Refused:
        taken = False
    else:
        taken = True
    assert taken is is_path(path)


def test_without_its_grant_a_route_is_not_let_in(plans: Mapping[str, Plan], start: Start) -> None:
    """What the ReferenceGrant is there for."""
    objects = [each for each in objects_of(plans["twelve"]) if each["metadata"]["name"] == "borrower-kserve-route"]
    with start(objects) as proxy:
        assert proxy.refused["borrower-kserve-route"].startswith("RefNotPermitted")
        assert proxy.ask("/borrowed/v1/models").status == 500


# ---------------------------------------------------------------- the matrix itself can fail
def _no_rewrite(rule: Rule) -> None:
    rule.pop("filters", None)


def _other_backend(rule: Rule) -> None:
    for backend in rule["backendRefs"]:
        backend["name"] = "elsewhere"


def _no_header(rule: Rule) -> None:
    for match in rule["matches"]:
        match.pop("headers", None)


def _other_header(rule: Rule) -> None:
    for match in rule["matches"]:
        for header in match.get("headers", []):
            header["value"] += "x"


def _prefix_for_exact(rule: Rule) -> None:
    for match in rule["matches"]:
        match["path"]["type"] = "PathPrefix"


def _gone(rule: Rule) -> None:
    rule["matches"] = [{"path": {"type": "Exact", "value": "/nowhere"}}]
    rule.pop("filters", None)


@pytest.mark.parametrize(
    ("world", "name", "spoil"),
    [
        ("twelve", "v1-completions-path", _no_rewrite),
        ("twelve", "v1-publisher-path-catch-all", _other_backend),
        ("twelve", "v1-catch-all-model-routing", _no_header),
        ("twelve", "v1-model-routing", _prefix_for_exact),
        ("twelve", "v1-messages-publisher-path", _gone),
        ("ten", "v1-catch-all-path", _no_rewrite),
        ("ten", "v1-messages-path", _other_backend),
        ("ten", "v1-responses-model-routing", _other_header),
        (None, None, None),
    ],
)
def test_a_wrong_route_is_noticed(
    world: str | None, name: str | None, spoil: Callable[[Rule], None] | None, plans: Mapping[str, Plan], start: Start
) -> None:
    """Of one service's route one rule is spoilt; where none is, the same rows hold."""
    form = world or "twelve"
    route = next(
        m for m in plans[form].manifests if m.id.kind == "HTTPRoute" and str(m.id).endswith("llm/chat-kserve-route")
    )
    objects = [copy.deepcopy(dict(route.data))]
    rows = [row for row in rows_of(form) if "rule" in row or "reaches" not in row or row["ask"] == FURTHER]
    for rule in objects[0]["spec"]["rules"]:
        if spoil is not None and rule["name"] == name:
            spoil(rule)
    with start(objects) as proxy:
        assert bool(failing(rows, proxy)) is (spoil is not None)
