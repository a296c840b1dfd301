"""Environment variables: names that a shell keeps, and never two sources for one."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gateway.configs import env_of, header, key
from tests.plan.stacks import external, found, gateway, plan_of

ANY = {name: {"token": {"existing": True}} for name in ("one", "two")}
DOCUMENT = st.from_regex(r"[a-z]([-a-z0-9]{0,20}[a-z0-9])?", fullmatch=True)
HEADER = st.from_regex(r"[-!#$%&'*+.^_`|~0-9A-Za-z]{1,20}", fullmatch=True)


@given(DOCUMENT, HEADER, DOCUMENT)
@settings(max_examples=80, deadline=None)
def test_every_name_is_a_shell_identifier(name: str, head: str, namespace: str) -> None:
    auth = {**key("one"), "headers": [header(head, "two")]}
    plan = plan_of(external({"auth": auth}, name, namespace=namespace), gateway(), credentials=ANY)
    assert not plan.errors
    mine = [name for name, variable in env_of(plan).items() if name.startswith("EXTERNALMODEL__")]
    assert len(mine) == 2
    assert all(re.fullmatch("[A-Z_][A-Z0-9_]*", name) for name in mine)


def test_each_reads_its_secret_and_can_do_without() -> None:
    auth = {**key("one"), "headers": [header("X-Key", "two"), header("X-Team", value="a")]}
    env = env_of(plan_of(external({"auth": auth}, namespace="far"), gateway(), credentials=ANY))
    read = {name: v["valueFrom"]["secretKeyRef"] for name, v in env.items() if "valueFrom" in v}
    assert read == {
        "LITELLM_MASTER_KEY": {"name": "main-litellm-master-key", "key": "master-key"},
        "EXTERNALMODEL__FAR__GPT": {"name": "one", "key": "token", "optional": True},
        "EXTERNALMODEL__FAR__GPT__HDR__X_KEY": {"name": "two", "key": "token", "optional": True},
    }


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ([external({"auth": key("one")}, "a-b"), external({"auth": key("two")}, "a--b")], ["llm/a-b", "llm/a--b"]),
        (
            [external({"auth": {"headers": [header("X-A", "one"), header("X.A", "two")]}})],
            ["headers[0]", "headers[1]"],
        ),
    ],
)
def test_two_sources_of_one_name_are_told(documents: list[Any], said: list[str]) -> None:
    (error,) = plan_of(*documents, gateway(), credentials=ANY).errors
    assert error.code == "LOCO-DUPLICATE"
    assert all(word in error.message for word in said)


def test_a_header_is_no_part_of_a_name() -> None:
    """gpt with a header mini, and gpt-mini: one name by KServe's reference, two here."""
    documents = [external({"auth": {"headers": [header("mini", "one")]}}), external({"auth": key("two")}, "gpt-mini")]
    plan = plan_of(*documents, gateway(), credentials=ANY)
    assert not found(plan, "LOCO-DUPLICATE")
    assert {"EXTERNALMODEL__GPT__HDR__MINI", "EXTERNALMODEL__GPT_MINI"} <= env_of(plan).keys()


def test_models_of_one_name_in_two_namespaces() -> None:
    documents = [external({"auth": key("one")}, namespace=space) for space in ("llm", "far")]
    plan = plan_of(*documents, gateway(), credentials=ANY)
    assert not plan.errors
    assert {"EXTERNALMODEL__GPT", "EXTERNALMODEL__FAR__GPT"} <= env_of(plan).keys()
