"""What fits together by itself and is odd together: the plan is refused with all that it takes to mend it, or holds."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from loco.plan import Plan
from loco.spec.texts import is_label_value, is_namespace, is_qualified
from tests.cases.references import references
from tests.plan.stacks import external, found, gateway, plan_of, service

NAMES = ["a", "chat", "a" * 63, "z" * 44, "chat-kserve", "ab-" * 14 + "z"]
NAMESPACES = ["llm", "n" * 63, "b"]
ADAPTERS = [
    *(
        "a",
        "A",
        "a b",
        "a-b",
        "a_b",
        "a.b",
        "a/b",
        "a'b",
        'a"b',
        "$(X)",
        "é",
        "a" * 300,
        "tiny-",
        "a#b",
        "%2f",
        "{{x}}",
    ),
    *(f"ad{number}" for number in range(44)),
]
POD = {"containers": [{"name": "main"}]}
DRA = "serving.kserve.io/exp-dra-device-"
TIERS = {"cpu": "1Gi", "secondary": [{"fileSystem": {"emptyDir": {"size": "1Gi"}}}]}
WVA = {"maxReplicas": 2, "wva": {"hpa": {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 1}}}}}
BY_MODEL = {"headers": [{"name": "x-gateway-model-name", "value": "tiny"}], "path": {"value": "/v1"}}
MANAGED = {"className": "eg", "listeners": [{"name": "http", "port": 80}, {"name": "alt", "port": 8080}]}


def _some(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    """A mapping of some of the fields, each with one of its values."""
    return st.fixed_dictionaries({}, optional={key: st.sampled_from(values) for key, values in fields.items()})


_SHAPES: list[dict[str, Any]] = [
    {},
    {"parallelism": {"tensor": 2}},
    {"parallelism": {"pipeline": 2}, "template": POD, "worker": POD},
    {"parallelism": {"data": 16, "dataLocal": 8, "expert": True}, "template": POD, "worker": POD},
    {"parallelism": {"data": 16, "pipeline": 2}, "worker": POD},  # of which not both can be
]
_WORKLOAD = st.builds(
    lambda *parts: {key: value for part in parts for key, value in part.items()},
    st.sampled_from(_SHAPES),
    st.sampled_from([{}, {"replicas": 0}, {"replicas": 2}, {"scaling": WVA}]),
    _some(kvCacheOffloading=[TIERS]),
)
OUTSIDE = {"name": "outside", "port": 80}  # a Service of somebody else's
_RULES = st.lists(
    st.builds(
        lambda matches, backends: {"matches": [BY_MODEL] * matches, "backendRefs": [OUTSIDE] * backends},
        st.sampled_from([0, 1, 2, 5, 20, 64, 65]),
        st.sampled_from([1, 16]),
    ),
    min_size=1,
    max_size=17,
)
_HTTP = st.builds(lambda spec: {"http": {"spec": spec}}, st.builds(lambda rules: {"rules": rules}, _RULES))
_ROUTE = st.just({}) | st.sampled_from([{"group": "g", "weight": 0}, {"group": "g", "weight": 5}]) | _HTTP
_SCHEDULER = _some(pool=[{"ref": {"name": "p"}}, {}], replicas=[1, 2], tokenizer=[{}])
_ROUTER = st.fixed_dictionaries({}, optional={"route": _ROUTE, "scheduler": _SCHEDULER})
_ADAPTERS = st.builds(
    lambda names, uri: [{"name": name, "uri": uri} for name in names],
    st.sampled_from([0, 1, 30, 60]).flatmap(
        lambda most: st.permutations(ADAPTERS).map(lambda names: list(names[:most])),
    ),
    st.sampled_from(["hf://a/b", "pvc://claim/x"]),
)


@st.composite
def _services(draw: st.DrawFn) -> list[dict[str, Any]]:
    documents = {}
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True)):
        namespace = draw(st.sampled_from(NAMESPACES))
        model = {"uri": "hf://org/tiny", "name": "tiny", "lora": {"adapters": draw(_ADAPTERS)}}
        spec = {**draw(_WORKLOAD), "model": model}
        if draw(st.booleans()):
            spec["prefill"] = draw(_WORKLOAD)
        spec["router"] = draw(_ROUTER)
        annotations = draw(_some(**{f"{DRA}class": ["gpu.example.com"], f"{DRA}count": ["1", "8"]}))
        documents[name] = service(spec, name=name, namespace=namespace, annotations=annotations)
    return list(documents.values())


_PLATFORM = st.builds(
    lambda some, fact: {**some, "gateway": {"name": "shared", "namespace": "infra", "internalURL": "http://g", **fact}},
    _some(tls=[True], inferencePoolAPI=["v1alpha2"], routes=[{"form": "tenRules"}, {"modelBasedRouting": "disabled"}]),
    _some(create=[MANAGED], url=["https://llm.x:8443/p"], peers=[[{"cidr": "::/0"}, {"namespace": "b"}]]),
)


@given(_services(), _PLATFORM, st.sampled_from(["safe", "kserve"]), st.booleans())
@example([service({"router": {"route": {}, "scheduler": {}}})], {"gateway": {"name": "g"}}, "safe", False)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_combination_is_refused_in_full_or_holds(
    services: list[dict[str, Any]], platform: dict[str, Any], profile: str, fronted: bool
) -> None:
    documents = [*services, *([gateway({}), external({})] if fronted else [])]
    config = {"platform": platform, "profile": profile, "credentials": {}}
    plan = plan_of(*documents, **config)
    assert not found(plan, "LOCO-MANIFEST")
    assert all(finding.path and finding.cure and finding.origin for finding in plan.findings)
    assert [m.data for m in plan_of(*documents, **config).manifests] == [m.data for m in plan.manifests]
    if not plan.errors:
        _holds(plan)


def _holds(plan: Plan) -> None:
    existing = {(m.id.kind, m.namespace, m.name) for m in plan.manifests}
    assert len(existing) == len(plan.manifests)
    for who, reference in references(plan) if "v1alpha2" not in str(plan.manifests) else ():
        # Pools may be somebody else's, and a preset's routing sidecar always names one.
        assert reference in existing or "InferencePool" in reference or "outside" in reference, (
            f"{who} refers to {reference}"
        )
    position = {manifest.id: number for number, manifest in enumerate(plan.manifests)}
    assert all(position[edge.before] < position[edge.after] for edge in plan.edges)
    for manifest in plan.manifests:
        assert is_namespace(manifest.name), manifest.id  # the same rule: a DNS label
        labels = manifest.data["metadata"].get("labels") or {}
        assert all(is_qualified(key) and is_label_value(value) for key, value in labels.items())
        json.dumps(manifest.data, allow_nan=False)
        if manifest.id.kind == "HTTPRoute":
            rules = manifest.data["spec"]["rules"]
            matches = [len(rule.get("matches") or [{}]) for rule in rules]
            assert (len(rules) <= 16, max(matches) <= 64, sum(matches) <= 128) == (True, True, True), manifest.id
            assert all(len(rule["backendRefs"]) <= 16 for rule in rules)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"placement": {"resources": {"limits": {"cpu": "x"}}}}, "placement.resources.limits.cpu"),
        ({"placement": {"tolerations": [{}, {"x": 1}]}}, "placement.tolerations[1].x"),
        ({"placement": {"affinity": {"x": 1}}}, "placement.affinity.x"),
        (
            {"placement": {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone"}]}},
            "placement.topologySpreadConstraints[0].whenUnsatisfiable",
        ),
        ({"placement": {"nodeSelector": {"a b": "c"}}}, "placement.nodeSelector"),
        ({"autoscaling": {"maxReplicas": 2, "behavior": {"x": 1}}}, "autoscaling.behavior.x"),
        ({"clients": [{"namespace": "b", "podLabels": {"a": "c d"}}]}, "clients[0].podLabels"),
        ({"clients": []}, "clients"),
        ({"extraConfig": {"router_settings": [1]}}, "extraConfig.router_settings"),
        (
            {"expose": {"hostnames": ["a.b"], "ingress": {"className": "n", "annotations": {"a b": ""}}}},
            "expose.ingress.annotations",
        ),
    ],
)
def test_what_a_gateway_cannot_be_made_of_is_said_of_its_own_field(spec: dict[str, Any], path: str) -> None:
    for plan in (
        plan_of(gateway(spec), external({"auth": {}})),
        plan_of(gateway({}), external({"auth": {}}), overrides={"LiteLLMGateway/main": {"spec": spec}}),
    ):
        assert {error.path.removeprefix("overrides.LiteLLMGateway/main.") for error in plan.errors} == {f"spec.{path}"}


@pytest.mark.parametrize(
    ("field", "value"), [("labels", {"a": "b c"}), ("labels", {"a b": ""}), ("annotations", {"": "b"})]
)
def test_labels_of_a_gateway_of_ones_own(field: str, value: dict[str, str]) -> None:
    fact = {"name": "g", "namespace": "infra", "create": {**MANAGED, field: value}}
    (error,) = plan_of(platform={"gateway": fact}).errors
    assert (error.code, error.path) == ("LOCO-VALUE", f"platform.gateway.create.{field}")


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"hostnames": [f"h{number}.x" for number in range(17)]}, "hostnames"),
        ({"parentRefs": [{"name": f"g{number}"} for number in range(33)]}, "parentRefs"),
        ({"rules": [{"backendRefs": [{"name": "x", "port": 80}] * 17}]}, "rules[0].backendRefs"),
        ({"rules": [{"filters": [{"type": "ExtensionRef"}] * 17}]}, "rules[0].filters"),
    ],
)
def test_a_users_route_holds_no_more_than_a_route_may(spec: dict[str, Any], path: str) -> None:
    (field,) = spec
    fewer = (
        {field: [*spec[field][:-1]]}
        if field != "rules"
        else {"rules": [{k: v[:-1] for k, v in spec[field][0].items()}]}
    )
    for written, paths in ((spec, [f"spec.router.route.http.spec.{path}"]), (fewer, [])):
        plan = plan_of(service({"router": {"route": {"http": {"spec": written}}}}), platform={"gateway": {"name": "g"}})
        assert [error.path for error in plan.errors] == paths


def test_parts_of_a_rule_take_no_name_of_another_rule() -> None:
    rules = [{"name": "r", "matches": [BY_MODEL] * 2}, {"name": "r-2", "matches": [BY_MODEL]}]
    model = {
        "uri": "hf://a/b",
        "name": "tiny",
        "lora": {"adapters": [{"name": f"a{n}", "uri": "hf://a/b"} for n in range(32)]},
    }
    written = {"model": model, "router": {"route": {"http": {"spec": {"rules": rules}}}}}
    plan = plan_of(service(written), platform={"gateway": {"name": "g"}})
    assert not plan.errors
    (route,) = (manifest for manifest in plan.manifests if manifest.id.kind == "HTTPRoute")
    named = [(rule["name"], len(rule["matches"])) for rule in route.data["spec"]["rules"]]
    assert named == [("r", 64), ("r-3", 2), ("r-2", 33)]


def test_data_that_json_lacks_is_told_with_its_path() -> None:
    (error,) = plan_of(external({"params": {"temperature": float("nan")}})).errors
    assert (error.code, error.path) == ("LOCO-TYPE", "spec.params.temperature")
