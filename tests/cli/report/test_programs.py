"""Reports of stacks whose documents a program makes, so that no file has them."""

import json
from collections.abc import Callable
from typing import Any

from tests.cli.report.conftest import Repository
from tests.cli.report.previews import UPDATE, Step, changed, main_of, of_component, preview

Run = Callable[..., Any]


def _of_a_program(repository: Repository, objects: Any, name: str = "chat") -> Step:
    """A step of a service that has that name."""
    each = changed(
        objects, {"spec.template.spec.containers[0].image": UPDATE}, lambda d: main_of(d).update(image="a:2")
    )
    where = of_component(f"llm/{name}")
    for state in ("oldState", "newState"):
        each[state]["parent"] = where
    return each


def test_a_program_that_makes_its_documents(loco: Run, repository: Repository, objects: Any) -> None:
    """No file of the project is loco's, and neither is its config."""
    for file in ("chat", "gateway"):
        (repository.root / f"models/{file}.yaml").unlink()
    repository.write("Pulumi.dev.yaml", {"config": {"serving:context": "c"}})
    repository.commit()
    repository.write("preview.json", preview(_of_a_program(repository, objects)))
    for base in ((), ("--base", "HEAD")):
        done = loco("report", "--preview", "preview.json", *base, "-o", "json")
        found = json.loads(done.out)
        assert (done.status, found["findings"], found["devices"]["totals"]) == (0, [], {})
        assert found["summary"] == "1 changed; 2 pods restart (4 GPUs)"
        assert found["devices"]["spareGpus"] is None
    assert "platform.spareGpus" not in loco("report", "--preview", "preview.json").out


def test_a_program_that_makes_more_documents_than_the_files(loco: Run, repository: Repository, objects: Any) -> None:
    for name, known in (("chat", True), ("more", False)):
        repository.write("preview.json", preview(_of_a_program(repository, objects, name)))
        found = json.loads(loco("report", "--preview", "preview.json", "-o", "json").out)
        assert bool(found["devices"]["totals"]) is known


def test_files_that_are_gone_are_no_program(loco: Run, repository: Repository) -> None:
    repository.configure(files=None)
    repository.commit()
    for file in ("chat", "gateway"):
        (repository.root / f"models/{file}.yaml").unlink()
    done = loco("report", "--base", "HEAD")
    assert done.status == 1
    assert "error[LOCO-FILE]" in done.out
    repository.commit()
    done = loco("report", "--base", "HEAD")
    assert (done.status, "a program makes the documents" in done.out, "LOCO-" in done.out) == (0, True, False)
