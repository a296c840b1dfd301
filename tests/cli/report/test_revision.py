"""The base's files, from git."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loco.cli.report.revision import files_of
from loco.model import Refused
from tests.cli.report.conftest import CHAT, Repository

Run = Callable[..., Any]


def listed(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_files_are_those_of_the_revision_and_are_gone_afterwards(repository: Repository) -> None:
    base = repository.commit()
    repository.write("models/chat.yaml", "another: text\n")
    repository.write("models/not-committed.yaml", "new: 1\n")
    with files_of(repository.root, base, "dev") as folder:
        assert listed(folder) == {"Pulumi.yaml", "Pulumi.dev.yaml", "models/chat.yaml", "models/gateway.yaml"}
        assert "another" not in (folder / "models/chat.yaml").read_text()
    assert not folder.exists()
    assert repository.git("status", "--porcelain") == "M models/chat.yaml\n?? models/not-committed.yaml"


@pytest.mark.parametrize("ref", ["main", "HEAD", "refs/heads/main", "v1", "HEAD~0"])
def test_any_name_of_a_revision(repository: Repository, ref: str) -> None:
    repository.git("tag", "v1")
    with files_of(repository.root, ref, "dev") as folder:
        assert (folder / "Pulumi.yaml").is_file()


@pytest.mark.parametrize("ref", ["", "-x", "--output=/tmp/x", "a\nb", "nowhere", "HEAD:models", "main~99"])
def test_what_is_no_revision(repository: Repository, ref: str) -> None:
    with pytest.raises(Refused) as refused, files_of(repository.root, ref, "dev"):
        pass
    [finding] = refused.value.findings
    assert (finding.code, finding.path) == ("LOCO-REFERENCE", "--base")


def test_a_project_below_the_top_that_reaches_out_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loco: Run
) -> None:
    made = Repository(tmp_path / "mono", "teams/llm")
    made.fill()
    made.configure(files=["models/*.yaml", "../shared/*.yaml"])
    made.write("../shared/talk.yaml", {**CHAT, "metadata": {"name": "talk"}})
    made.write("../../elsewhere/large.bin", "x")
    made.commit()
    monkeypatch.chdir(made.root / "models")
    with files_of(made.root, "HEAD", "dev") as folder:
        assert listed(folder.parent) >= {"shared/talk.yaml", "llm/Pulumi.yaml"}
        assert not (folder.parent.parent / "elsewhere").exists()
    done = loco("report", "--base", "HEAD")
    assert done.out.startswith("dev: nothing changes"), done


def test_a_shallow_clone_lacks_the_base(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loco: Run
) -> None:
    repository.commit()
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", repository.root.as_uri(), str(clone)], check=True)
    monkeypatch.chdir(clone)
    done = loco("report", "--base", "HEAD~1")
    assert done.status == 1
    assert "the clone is shallow" in done.err
    assert "fetch-depth: 0" in done.err
    assert "git fetch --depth=1 origin next:refs/remotes/origin/next" in loco("report", "--base", "origin/next").err


def test_no_repository_and_no_git(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loco: Run
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "Pulumi.yaml").write_text("name: serving\nruntime: python\n")
    (plain / "Pulumi.dev.yaml").write_text("config: {}\n")
    monkeypatch.chdir(plain)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert "in no git repository" in loco("report", "--base", "main").err
    monkeypatch.setenv("PATH", str(plain))
    assert "git can't be started" in loco("report", "--base", "main").err


def test_odd_names_links_and_submodules(loco: Run, repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("secret: outside\n")
    repository.write('models/it\'s a "model" – \t.yaml', {**CHAT, "metadata": {"name": "odd"}})
    for name, target in {
        "inside": "chat.yaml",
        "absolute": str(tmp_path / "outside.yaml"),
        "up": "../../outside.yaml",
    }.items():
        os.symlink(target, repository.root / "models" / f"{name}.link")
    repository.git("add", "--all")
    commit = repository.git("rev-parse", "HEAD")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},models/sub.yaml")
    repository.git("commit", "--quiet", "-m", "odd")
    with files_of(repository.root, "HEAD", "dev") as folder:
        names = {path.name for path in (folder / "models").iterdir()}
        assert names == {"chat.yaml", "gateway.yaml", 'it\'s a "model" – \t.yaml', "inside.link"}
        assert (folder / "models/inside.link").read_text() == (folder / "models/chat.yaml").read_text()
    assert loco("report", "--base", "HEAD").out.startswith("dev: nothing changes")


def test_attributes_and_filters_have_no_say(repository: Repository) -> None:
    repository.write(".gitattributes", "models/chat.yaml export-ignore filter=broken\n*.yaml eol=crlf text\n")
    repository.git("config", "filter.broken.smudge", "false")
    repository.git("config", "filter.broken.clean", "cat")
    repository.commit()
    with files_of(repository.root, "HEAD", "dev") as folder:
        assert b"\r" not in (folder / "models/chat.yaml").read_bytes()


def test_an_environment_that_points_elsewhere(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere")
    with files_of(repository.root, "main", "dev") as folder:
        assert (folder / "Pulumi.yaml").is_file()
