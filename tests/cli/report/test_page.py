"""The example of docs/pull-requests.md is what the command prints."""

from collections.abc import Callable
from typing import Any

from tests.cli.report.conftest import CONFIG, Repository
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs/pull-requests.md").read_text()


def test_the_example_of_the_page(loco: Callable[..., Any], repository: Repository) -> None:
    config = {f"serving:{key}": value for key, value in {**CONFIG, "presets": "1"}.items()}
    repository.write("Pulumi.prod.yaml", {"config": config})
    repository.commit()
    repository.git("update-ref", "refs/remotes/origin/main", "HEAD")
    engine = {"containers": [{"name": "main", "image": "registry.example/vllm:v2"}]}
    config["serving:overrides"] = {"LLMInferenceService/chat": {"spec": {"template": engine}}}
    repository.write("Pulumi.prod.yaml", {"config": config})
    repository.chat(replicas=3, parallelism={"tensor": 2})

    text = loco("report", "--stack", "prod", "--base", "origin/main").out
    assert f"$ loco report --stack prod --base origin/main\n{text.rstrip()}\n```" in PAGE
    markdown = loco("report", "--stack", "prod", "--base", "origin/main", "-o", "markdown").out
    assert markdown.partition("<details>")[0].strip() in PAGE
