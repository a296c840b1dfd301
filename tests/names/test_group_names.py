"""Names of LeaderWorkerSets leave room for all that their controller and StatefulSets put behind them."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loco import names

SERVICES = st.from_regex(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)
MAKERS = (names.groups, names.prefill_groups)
LAST_GROUP, REVISION = "-999", "-0123456789"


@pytest.mark.parametrize("length", range(1, 64))
@pytest.mark.parametrize("maker", MAKERS)
def test_pods_and_revisions_of_any_service_fit_a_label(length: int, maker: Callable[[str], str]) -> None:
    name = maker("a" * length)
    assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", name)
    assert len(f"{name}{LAST_GROUP}{REVISION}") <= 63


@given(SERVICES)
def test_short_names_are_kept_and_long_ones_keep_beginning_and_end(service: str) -> None:
    for maker, suffix in zip(MAKERS, ("-kserve-mn", "-kserve-mn-prefill"), strict=True):
        name = maker(service)
        assert name.endswith(suffix)
        assert (name == service + suffix) == (len(service + suffix) <= 48)
        assert name.startswith(service[:18].rstrip("-"))


@given(SERVICES, SERVICES)
def test_two_services_have_two_names(one: str, other: str) -> None:
    for maker in MAKERS:
        assert (maker(one) == maker(other)) == (one == other)


def test_vectors() -> None:
    long = "my-very-long-llm-inference-service-name-for-qwen2-7b-instruct"
    assert names.groups("a" * 38) == "a" * 38 + "-kserve-mn"
    assert names.groups(long) == "my-very-long-llm-inference-320b4c0112-kserve-mn"
    assert names.prefill_groups(long) == "my-very-long-llm-in-320b4c0112-kserve-mn-prefill"
