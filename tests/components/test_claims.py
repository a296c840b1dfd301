"""A claim holds what nobody can make again: a protected stack neither deletes nor replaces it."""

from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from loco import ModelServingStack
from loco.spec import StackSpec
from tests.components.conftest import SERVICE
from tests.components.recorder import record

CLAIM: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "weights"},
    "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
}


@pytest.mark.parametrize(("stack", "protected"), [("prod", True), ("dev", False)])
def test_claims_are_protected_with_their_stack(
    stack: str, protected: bool, make_stack: Callable[..., StackSpec]
) -> None:
    spec = make_stack(CLAIM, SERVICE, stack=stack)
    everything = record(lambda: ModelServingStack("loco", spec), stack=stack)
    kept = {made.token.rpartition(":")[2] for made in everything if made.request.protect}
    assert kept == ({"PersistentVolumeClaim", "Stash"} if protected else set())


def test_what_the_program_protects_is_protected_with_all_that_it_has(make_stack: Callable[..., StackSpec]) -> None:
    """As in every component: a destroy would take the pods otherwise, and stop at the component alone."""
    protected = pulumi.ResourceOptions(protect=True)
    everything = record(lambda: ModelServingStack("loco", make_stack(CLAIM, SERVICE), opts=protected))
    assert [made.name for made in everything if not made.request.protect] == []


def test_what_is_immutable_of_a_claim_replaces_it(make_stack: Callable[..., StackSpec]) -> None:
    everything = record(lambda: ModelServingStack("loco", make_stack(CLAIM, SERVICE)))
    (claim,) = (made for made in everything if made.token.endswith(":PersistentVolumeClaim"))
    assert list(claim.request.replaceOnChanges) == ["spec.dataSource", "spec.dataSourceRef", "spec.volumeMode"]
    assert claim.request.deleteBeforeReplace
