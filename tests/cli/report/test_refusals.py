"""What the engine will refuse, and what a report says when it has."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.cli.report.conftest import CHAT, Repository
from tests.cli.report.previews import of_component, preview, step

Run = Callable[..., Any]
Edit = Callable[[Repository], None]
CONFLICT = 'Apply failed with 1 conflict: conflict with "OWNER" with subresource "scale" using apps/v1: .spec.replicas'
FORCED = "PULUMI_K8S_ENABLE_PATCH_FORCE=true pulumi up --refresh"


@pytest.mark.parametrize(
    ("failure", "said", "unsaid"),
    [
        (CONFLICT.replace("OWNER", "kubectl"), f"(kubectl): {FORCED}", "is another stack"),
        (CONFLICT.replace("conflict with", "conflicts with"), f"(OWNER): {FORCED}", "is another stack"),
        (CONFLICT.replace("OWNER", "loco/loco/dev"), "loco/loco/dev is another stack", FORCED),
        ("error: it broke", "the preview failed", FORCED),
    ],
)
def test_the_way_out_of_a_conflict(loco: Run, repository: Repository, failure: str, said: str, unsaid: str) -> None:
    repository.write("preview.json", preview(errors=(failure,)))
    done = loco("report", "--preview", "preview.json")
    assert done.status == 1
    assert said in done.out
    assert unsaid not in done.out


def test_a_document_that_can_not_be_read_is_none_that_goes(loco: Run, repository: Repository) -> None:
    repository.chat(replicas="three")
    gone = step("delete", of_component("llm/chat"), "", {}, None)
    repository.write("preview.json", preview(gone, errors=("error: refused",)))
    done = loco("report", "--preview", "preview.json", "--base", "HEAD", "-o", "json")
    found = json.loads(done.out)
    assert (done.status, found["parts"], found["config"]) == (1, [], [])
    assert [finding["code"] for finding in found["findings"]] == ["LOCO-TYPE"]
    assert found["failed"] == ["error: refused"]


def _stopped(repository: Repository) -> None:
    metadata = {"name": "chat", "annotations": {"serving.kserve.io/stop": "true"}}
    repository.write("models/chat.yaml", {**CHAT, "metadata": metadata})


@pytest.mark.parametrize(
    ("protected", "before", "refused"),
    [
        (
            True,
            lambda r: None,
            "LLMInferenceService/llm/chat runs in the base, under deletionProtection; stop it first",
        ),
        (True, _stopped, None),
        (False, lambda r: None, None),
    ],
)
def test_a_removal_that_the_engine_will_refuse(
    loco: Run, repository: Repository, protected: bool, before: Edit, refused: str | None
) -> None:
    repository.configure(deletionProtection=protected)
    before(repository)
    repository.commit()
    (repository.root / "models/chat.yaml").unlink()
    done = loco("report", "--base", "HEAD")
    assert done.status == 0
    assert ("LOCO-PROTECTED" in done.out) is (refused is not None)
    assert refused is None or refused in done.out


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        ({"context": "c", "identifier": "c-1"}, {"context": "c", "identifier": "c-2"}, True),
        ({"context": "c", "identifier": "c-1"}, {"context": "d", "identifier": "c-1"}, False),
        ({"context": "c"}, {"context": "d"}, True),
    ],
)
def test_a_cluster_that_the_engine_will_refuse(
    loco: Run, repository: Repository, before: Any, after: Any, refused: bool
) -> None:
    repository.configure(cluster=before)
    repository.commit()
    repository.configure(cluster=after)
    assert ("LOCO-CLUSTER" in loco("report", "--base", "HEAD").out) is refused
