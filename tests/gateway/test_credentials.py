"""Where secrets come from: one source each, in the namespace of every gateway that reads them."""

import json
from typing import Any

import pytest

from loco.plan import Plan
from tests.gateway.configs import header, key, secrets
from tests.plan.stacks import external, found, gateway, plan_of, service

FROM_CONFIG = {"openai": {"token": {"config": "openaiToken"}}}


def uses(plan: Plan) -> set[tuple[str, str, str, bool]]:
    return {(use.reader.name, f"{use.namespace}/{use.secret}", use.key, use.made_here) for use in plan.credential_uses}


def values(plan: Plan) -> set[tuple[str, str, str | None]]:
    return {(f"{v.secret.namespace}/{v.secret.name}", v.key, v.config) for v in plan.secret_values}


def codes(plan: Plan) -> list[tuple[str, str]]:
    return [(error.code, error.path) for error in plan.errors]


def test_one_secret_for_two_gateways_of_a_namespace() -> None:
    auth = {**key("openai"), "headers": [header("X-Key", "openai")]}
    plan = plan_of(external({"auth": auth}), gateway(), gateway(name="second"), credentials=FROM_CONFIG)
    assert not plan.errors
    (secret,) = (secret for secret in secrets(plan) if secret.name == "openai")
    assert secret.component is None
    readers = {edge.after.name for edge in plan.edges if edge.before == secret.id}
    assert readers == {"main-litellm", "second-litellm"}
    assert len(set(plan.edges)) == len(plan.edges)
    assert [value for value in plan.secret_values if value.secret == secret.id] == [
        value for value in plan.secret_values if value.config == "openaiToken"
    ]
    assert len(values(plan)) == len(plan.secret_values) == 3


def test_one_secret_in_each_namespace_of_a_gateway() -> None:
    gateways = [gateway(namespace=space) for space in ("a", "b")]
    plan = plan_of(external({"auth": key("openai")}), *gateways, credentials=FROM_CONFIG)
    assert not plan.errors
    assert sorted(str(s.id) for s in secrets(plan) if s.name == "openai") == ["Secret/a/openai", "Secret/b/openai"]
    assert {(f"{space}/openai", "token", "openaiToken") for space in "ab"} <= values(plan)


def test_two_keys_of_one_secret_by_two_gateways() -> None:
    documents = [
        external({"auth": key("openai", "one")}, "a", labels={"of": "a"}),
        external({"auth": key("openai", "two")}, "b", labels={"of": "b"}),
        *(gateway({"models": {"matchLabels": {"of": name}}}, name) for name in "ab"),
    ]
    plan = plan_of(*documents, credentials={"openai": {"one": {"config": "x"}, "two": {"config": "y"}}})
    assert not plan.findings
    assert {("llm/openai", "one", "x"), ("llm/openai", "two", "y")} <= values(plan)
    assert {("a-litellm", "llm/openai", "one", True), ("b-litellm", "llm/openai", "two", True)} <= uses(plan)


def test_existing_secret_is_read_and_not_made() -> None:
    plan = plan_of(external({"auth": key("openai")}), gateway(), credentials={"openai": {"token": {"existing": True}}})
    assert not plan.findings
    assert [secret.name for secret in secrets(plan)] == ["main-litellm-master-key"]
    assert ("main-litellm", "llm/openai", "token", False) in uses(plan)


def test_undeclared_is_an_error_at_the_reference() -> None:
    auth = {**key("openai"), "headers": [header("A", value="x"), header("B", "other")]}
    plan = plan_of(external({"auth": auth}), gateway(), credentials={"openai": {"else": {"existing": True}}})
    assert codes(plan) == [
        ("LOCO-CREDENTIAL", "spec.auth.apiKey.secretRef"),
        ("LOCO-CREDENTIAL", "spec.auth.headers[1].valueFrom"),
    ]


@pytest.mark.parametrize(
    ("master", "credentials", "made", "value"),
    [
        ({"generate": True}, {}, True, ("llm/main-litellm-master-key", "master-key", None)),
        ({"secretRef": {"name": "mine", "key": "k"}}, {"mine": {"k": {"existing": True}}}, False, None),
        ({"secretRef": {"name": "mine", "key": "k"}}, {"mine": {"k": {"config": "x"}}}, True, ("llm/mine", "k", "x")),
    ],
)
def test_master_key_has_one_source(master: Any, credentials: Any, made: bool, value: Any) -> None:
    plan = plan_of(service(), gateway({"masterKey": master}), credentials=credentials)
    assert not plan.findings
    (use,) = plan.credential_uses
    assert (use.made_here, use.required, use.rolls) == (made, True, True)
    assert values(plan) == ({value} if value else set())
    assert len(secrets(plan)) == len(values(plan))


@pytest.mark.parametrize(
    ("master", "credentials"),
    [
        ({"generate": True}, {"main-litellm-master-key": {"master-key": {"config": "x"}}}),
        ({"secretRef": {"name": "mine", "key": "k"}}, {"mine": {"other": {"config": "x"}}}),
        ({"secretRef": {"name": "mine", "key": "k"}}, {}),
    ],
)
def test_master_key_of_two_sources_or_none_is_refused(master: Any, credentials: Any) -> None:
    plan = plan_of(service(), gateway({"masterKey": master}), credentials=credentials)
    assert [error.code for error in plan.errors] == ["LOCO-CREDENTIAL"]
    assert plan.errors[0].path.startswith("spec.masterKey")


@pytest.mark.parametrize(
    "master", [{}, {"generate": False}, {"generate": True, "secretRef": {"name": "a", "key": "b"}}]
)
def test_master_key_that_says_nothing_or_too_much(master: Any) -> None:
    assert codes(plan_of(gateway({"masterKey": master}))) == [("LOCO-VALUE", "spec.masterKey")]


def test_later_layers_choice_of_a_source_stands_alone() -> None:
    reference = {"secretRef": {"name": "mine", "key": "k"}}
    over = {"LiteLLMGateway/main": {"spec": {"masterKey": reference}}}
    declared = {"mine": {"k": {"existing": True}}}
    plan = plan_of(service(), gateway({"masterKey": {"generate": True}}), overrides=over, credentials=declared)
    assert not plan.errors
    assert uses(plan) == {("main-litellm", "llm/mine", "k", False)}
    bearer = {"ExternalModel/gpt": {"spec": {"auth": {"bearerToken": {"name": "b", "key": "k"}}}}}
    plan = plan_of(
        external({"auth": key("a")}), gateway(), overrides=bearer, credentials={"b": {"k": {"existing": True}}}
    )
    assert not plan.errors


def test_mixed_owners_are_refused() -> None:
    mixed = {"openai": {"token": {"config": "x"}, "other": {"existing": True}}}
    plan = plan_of(external({"auth": key("openai")}), gateway(), credentials=mixed)
    assert ("LOCO-CREDENTIAL", "credentials.openai") in codes(plan)


def test_what_nobody_reads_is_told() -> None:
    plan = plan_of(service(), gateway(), credentials={"a.b": {"c.d": {"existing": True}}})
    (warning,) = found(plan, "LOCO-NO-EFFECT", "warning")
    assert warning.path == 'credentials["a.b"]["c.d"]'


def test_a_generated_credential_is_made_by_the_stack() -> None:
    plan = plan_of(external({"auth": key("a")}), gateway(), credentials={"a": {"token": {"generate": True}}})
    assert plan.findings == ()
    made = {(value.secret.name, value.key): (value.config, value.generated) for value in plan.secret_values}
    assert made == {("a", "token"): (None, "token"), ("main-litellm-master-key", "master-key"): (None, "master-key")}


@pytest.mark.parametrize(
    "credentials",
    [
        {"Bad_Name": {"k": {"existing": True}}},
        {"a": {"bad key": {"existing": True}}},
        {"a": {"k/": {"existing": True}}},
        {"a": {"k": {}}},
        {"a": {"k": {"existing": False}}},
        {"a": {"k": {"existing": True, "config": "x"}}},
        {"a": {"k": "text"}},
    ],
)
def test_odd_declarations_are_refused(credentials: Any) -> None:
    errors = plan_of(service(), credentials=credentials).errors
    assert [error.code for error in errors] in (["LOCO-VALUE"], ["LOCO-TYPE"])
    assert errors[0].path.startswith("credentials.")


@pytest.mark.parametrize("name", ["config", "master-key", "a" * 63, "b" * 120, "a.b"])
def test_digests_of_different_sources_have_different_valid_names(name: str) -> None:
    plan = plan_of(external({"auth": key(name)}), gateway(), credentials={name: {"token": {"existing": True}}})
    assert not plan.errors
    digests = [use.credential for use in plan.credential_uses]
    assert len({*digests, "config"}) == 3
    assert all(len(f"digest.{digest}") <= 63 and digest[-1].isalnum() for digest in digests)


def test_specs_hold_no_value_of_a_secret() -> None:
    plan = plan_of(external({"auth": key("openai")}), gateway(), credentials=FROM_CONFIG)
    assert all(not secret.data.keys() & {"data", "stringData"} for secret in secrets(plan))
    text = json.dumps([manifest.data for manifest in plan.manifests])
    assert "openaiToken" not in text


def test_lines_of_the_references_digest_are_by_kind_and_name_whatever_the_namespace() -> None:
    documents = [
        external({"auth": {**key("a", "k"), "headers": [header("Z", "b"), header("A", "c")]}}, "z", namespace="first"),
        external({"auth": key("a", "k")}, "m", namespace="second"),
        gateway(
            {"digests": "reference", "env": [{"name": "V", "valueFrom": {"secretKeyRef": {"name": "d", "key": "e"}}}]}
        ),
    ]
    existing = {"a": {"k": {"existing": True}}, "d": {"e": {"existing": True}}}
    existing |= {name: {"token": {"existing": True}} for name in "bc"}
    plan = plan_of(*documents, credentials=existing)
    assert not plan.errors
    (made,) = (m for m in plan.manifests if m.id.kind == "Deployment")
    assert made.reference_digest is not None
    assert made.reference_digest.lines == (
        ("ExternalModel/m/a/k=", "a", "k"),
        ("ExternalModel/z/a/k=", "a", "k"),
        ("ExternalModel/z/b/token=", "b", "token"),
        ("ExternalModel/z/c/token=", "c", "token"),
        ("LiteLLMGateway/main/d/e=", "d", "e"),
    )


@pytest.mark.parametrize(
    ("reference", "cure"),
    [
        (("openai", "tokn"), "key: token (did you mean token?); or credentials: {openai: {tokn: "),
        (("opneai", "token"), "name: openai (did you mean openai?); or credentials: {opneai: {token: "),
        (("openai", "password"), "credentials: {openai: {password: "),
        (("other", "token"), "credentials: {other: {token: "),
    ],
)
@pytest.mark.parametrize("field", ["auth", "masterKey", "env", "secretRef"])
def test_a_mistyped_reference_is_told_what_is_declared(field: str, reference: tuple[str, str], cure: str) -> None:
    source = {"name": reference[0], "key": reference[1]}
    model = {"auth": {"apiKey": {"secretRef": source}}} if field == "auth" else {}
    front: dict[str, Any] = {
        "auth": {},
        "masterKey": {"masterKey": {"secretRef": source}},
        "env": {"env": [{"name": "A", "valueFrom": {"secretKeyRef": source}}]},
        "secretRef": {"database": {"secretRef": source}},
    }[field]
    credentials = {"openai": {"token": {"existing": True}}}
    plan = plan_of(external(model), gateway(front), credentials=credentials)
    assert {finding.code for finding in plan.findings} == {"LOCO-CREDENTIAL"}, (
        "and not that nobody reads the declared one"
    )
    assert all(finding.cure.startswith(cure) for finding in plan.findings)


def test_a_mistyped_secret_of_all_variables_is_told_too() -> None:
    front = gateway({"envFrom": [{"secretRef": {"name": "opneai"}}]})
    (finding,) = plan_of(external(), front, credentials={"openai": {"TOKEN": {"existing": True}}}).findings
    assert finding.cure.startswith("name: openai (did you mean openai?)")
