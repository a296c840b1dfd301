"""What the engine is told of the Job that migrates a gateway's database."""

from collections.abc import Callable
from typing import Any

import pytest

from loco import ModelServingStack
from loco.spec import StackSpec
from tests.components.recorder import Registration, Secret, record
from tests.components.test_editions import EXTERNAL, GATEWAY

MakeStack = Callable[..., StackSpec]

DATABASE = {"secretRef": {"name": "db", "key": "url"}}
WITH_DATABASE: dict[str, Any] = {**GATEWAY, "spec": {"database": DATABASE}}
URL = "postgresql://user:password-of-the-test@db/litellm"
DIGEST = "locostack.com/digest.db"


@pytest.fixture
def registered(make_stack: MakeStack) -> list[Registration]:
    credentials = {"db": {"url": {"config": "databaseUrl"}}}
    spec = make_stack(EXTERNAL, WITH_DATABASE, secrets=("databaseUrl",), credentials=credentials)
    return record(lambda: ModelServingStack("loco", spec, {"databaseUrl": URL}))


def of(kind: str, registrations: list[Registration]) -> Registration:
    (found,) = (each for each in registrations if each.token.endswith(f":{kind}"))
    return found


def test_each_content_is_a_job_of_its_own(registered: list[Registration]) -> None:
    job = of("Job", registered)
    assert job.name.startswith("main-litellm-migrate-")
    assert "name" not in job.props["metadata"], "the provider makes one for each"
    assert not job.request.deleteBeforeReplace
    assert [alias.spec.name for alias in job.request.aliases] == ["main/llm/main-litellm-migrate"]


def test_a_failed_one_is_made_anew(registered: list[Registration]) -> None:
    annotations = of("Job", registered).props["metadata"]["annotations"]
    assert annotations["pulumi.com/replaceUnready"] == "true"
    assert int(annotations["pulumi.com/timeoutSeconds"]) > 1800
    assert "pulumi.com/skipAwait" not in annotations


def test_pods_come_after_it(registered: list[Registration]) -> None:
    job, pods = of("Job", registered), of("Deployment", registered)
    assert any(job.name in dependency for dependency in pods.request.dependencies)
    assert not any(pods.name in dependency for dependency in job.request.dependencies)


def test_both_have_the_digest_of_the_url_and_neither_has_the_url(registered: list[Registration]) -> None:
    for kind in ("Job", "Deployment"):
        found = of(kind, registered)
        assert DIGEST in found.props["spec"]["template"]["metadata"]["annotations"]
        assert "password-of-the-test" not in repr(found.props)
    secret = next(each for each in registered if each.name == "stack/llm/db")
    assert secret.props["stringData"] == Secret({"url": URL})


@pytest.mark.parametrize(("stack", "protected"), [("prod", True), ("dev", False)])
def test_a_protected_stack_loses_no_salt_key(stack: str, protected: bool, make_stack: MakeStack) -> None:
    """What the database holds can't be read without it; a master key is made anew, and its Secret may stay behind."""
    credentials = {"db": {"url": {"config": "databaseUrl"}}}
    spec = make_stack(EXTERNAL, WITH_DATABASE, secrets=("databaseUrl",), credentials=credentials, stack=stack)
    made = record(lambda: ModelServingStack("loco", spec, {"databaseUrl": URL}), stack=stack)
    kept = {each.name.rpartition("/")[2]: each.request for each in made if each.token.endswith(":Secret")}
    salt, master, url = kept["main-litellm-salt-key"], kept["main-litellm-master-key"], kept["db"]
    assert (salt.protect, salt.retainOnDelete) == (protected, False)
    assert (master.protect, master.retainOnDelete) == (False, protected)
    assert (url.protect, url.retainOnDelete) == (False, False)
