"""The workflow of pull requests: its shell, run with a GitHub and an engine that are pretended.

The jq that `gh` has inside is the machine's own here.
"""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.report.conftest import Repository
from tests.cli.report.workflow import WORKFLOW, of_gitlab

GH = f"""\
#!{sys.executable}
import json, os, pathlib, re, subprocess, sys
store = pathlib.Path(os.environ["STORE"])
assert os.environ["GH_TOKEN"] == "a token"
comments = json.loads(store.read_text()) if store.exists() else []
words = sys.argv[1:]
assert words.pop(0) == "api"
def option(name, default=None):
    if name not in words:
        return default
    at = words.index(name)
    value = words[at + 1]
    del words[at : at + 2]
    return value
method, jq, field = option("--method", "GET"), option("--jq"), option("-F")
path = next(word for word in words if not word.startswith("-"))
body = pathlib.Path(field.removeprefix("body=@")).read_text() if field else None
with open(os.environ["CALLS"], "a") as calls:
    calls.write(f"{{method}} {{path}}\\n")
if method == "GET":
    assert re.fullmatch(r"repos/o/r/issues/7/comments\\?per_page=100", path) and "--paginate" in words
    for page in (comments[:2], comments[2:]):
        subprocess.run(["jq", "-r", jq], input=json.dumps(page), text=True, check=True)
elif method == "POST":
    assert path == "repos/o/r/issues/7/comments"
    comments.append({{"id": 1000 + len(comments), "user": {{"type": "Bot"}}, "body": body}})
else:
    assert method == "PATCH"
    [comment] = [c for c in comments if path == f"repos/o/r/issues/comments/{{c['id']}}"]
    comment["body"] = body
store.write_text(json.dumps(comments))
"""
PULUMI = f"""\
#!{sys.executable}
import json, os, sys
with open(os.environ["CALLS"], "a") as calls:
    calls.write("pulumi " + " ".join(sys.argv[1:]) + "\\n")
assert os.environ["PULUMI_CONFIG_PASSPHRASE"] == "a passphrase" and "PULUMI_ACCESS_TOKEN" not in os.environ
stack = sys.argv[sys.argv.index("--stack") + 1]
urn = f"urn:pulumi:{{stack}}::serving::pulumi:pulumi:Stack::serving-{{stack}}"
broken = os.environ.get("BROKEN") == stack
diagnostics = [{{"severity": "error", "message": "error: it broke"}}] if broken else []
print(json.dumps({{"steps": [{{"op": "same", "urn": urn}}], "diagnostics": diagnostics, "changeSummary": {{}}}}))
sys.exit(1 if broken else 0)
"""
# What the expressions of the workflow are, for a pull request of the repository itself.
OWN = {
    "env.FOLDER": ".",
    "github.event.pull_request.head.repo.full_name == github.repository && github.actor != 'dependabot[bot]'": "true",
    "steps.stacks.outputs.names": "dev prod ",
    "github.event.pull_request.base.ref": "main",
    "secrets.KUBECONFIG": "a kubeconfig",
    "secrets.PULUMI_ACCESS_TOKEN": "",
    "secrets.PULUMI_BACKEND_URL": "file:///state",
    "secrets.PULUMI_CONFIG_PASSPHRASE": "a passphrase",
    "github.repository": "o/r",
    "github.event.pull_request.number": "7",
    "github.token": "a token",
}
FORK = {
    name: "" if name.startswith("secrets.") else "false" if " == " in name else value for name, value in OWN.items()
}


class Runner:
    """Runs steps as a runner of GitHub would, in a checkout of the merge."""

    def __init__(self, repository: Repository, tmp_path: Path) -> None:
        self.repository, self.temp = repository, tmp_path / "runner"
        self.temp.mkdir()
        for name, text in {"gh": GH, "pulumi": PULUMI}.items():
            stub = self.temp / name
            stub.write_text(text)
            stub.chmod(0o755)
        text = (repository.root / "Pulumi.dev.yaml").read_text()
        repository.write("Pulumi.prod.yaml", text)
        repository.commit()
        repository.git("checkout", "--quiet", "-b", "topic")
        repository.engine(image="registry.example/vllm:v2")
        repository.commit()
        repository.git("checkout", "--quiet", "--detach", "main")
        repository.git("merge", "--quiet", "--no-ff", "-m", "merge", "topic")

    def run(self, job: str, step: str, expressions: dict[str, str], **more: str) -> subprocess.CompletedProcess[str]:
        found = WORKFLOW["jobs"][job]
        [wanted] = [each for each in found["steps"] if each.get("id") == step]
        stated = {**WORKFLOW["env"], **found.get("env", {}), **wanted.get("env", {})}
        path = f"{self.temp}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        files = {
            name: str(self.temp / name.lower())
            for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH")
        }
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("PULUMI_", "GIT_"))},
            **{key: filled(str(value), expressions) for key, value in stated.items()},
            **files,
            "PATH": path,
            "RUNNER_TEMP": str(self.temp),
            "STORE": str(self.temp / "comments.json"),
            "CALLS": str(self.temp / "calls"),
            **more,
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", wanted["run"]]
        return subprocess.run(
            command, cwd=self.repository.root, env=environment, capture_output=True, text=True, check=False, timeout=120
        )

    def steps(self, job: str, expressions: dict[str, str], *names: str, **more: str) -> None:
        for name in names:
            done = self.run(job, name, expressions, **more)
            assert done.returncode == 0, (name, done.stdout, done.stderr)

    def read(self, name: str) -> str:
        file = self.temp / name
        return file.read_text() if file.exists() else ""

    def comments(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.read("comments.json") or "[]")
        return found


def filled(text: str, expressions: dict[str, str]) -> str:
    """Text of the workflow with its expressions; one that no test knows fails it."""
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: expressions[found[1]], text)


@pytest.fixture
def runner(repository: Repository, tmp_path: Path) -> Runner:
    return Runner(repository, tmp_path)


needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="the pretended gh needs jq")


def test_a_program_that_makes_its_documents_is_not_always_red(runner: Runner) -> None:
    for file in ("chat", "gateway"):
        (runner.repository.root / f"models/{file}.yaml").unlink()
    for stack in ("dev", "prod"):
        runner.repository.write(f"Pulumi.{stack}.yaml", {"config": {"serving:context": "c"}})
    runner.repository.commit()
    runner.repository.git("update-ref", "refs/heads/main", "HEAD")
    runner.repository.git("commit", "--quiet", "--allow-empty", "-m", "next")
    for check, failed in (("yes", "yes"), ("no", "")):
        runner.steps("report", {**OWN, "env.FOLDER": "."}, "base", "report", CHECK=check)
        assert runner.read("github_output").splitlines()[-1] == f"failed={failed}"


def test_stacks_are_those_of_the_folder_unless_named(runner: Runner) -> None:
    runner.steps("report", OWN, "stacks")
    assert runner.read("github_output") == "names=dev prod \n"
    runner.steps("report", OWN, "stacks", STACKS="prod")
    assert runner.read("github_output").endswith("names=prod\n")


@needs_jq
def test_one_comment_for_each_stack_which_later_runs_update(runner: Runner) -> None:
    runner.steps("report", OWN, "base", "kubeconfig", "report")
    own = [{"id": 1, "user": {"type": "User"}, "body": "<!-- loco-report: dev -->\nquoted"}]
    other = [{"id": 2, "user": {"type": "Bot"}, "body": "<!-- loco-report: dev-2 -->\nanother"}]
    (runner.temp / "comments.json").write_text(json.dumps([*own, *other]))
    runner.steps("report", OWN, "comment")
    first = runner.comments()
    assert [comment["body"].partition("\n")[0] for comment in first[2:]] == [
        "<!-- loco-report: dev -->",
        "<!-- loco-report: prod -->",
    ]
    assert "Told by the engine's preview, compared with `origin/main`" in first[2]["body"]

    first[2]["body"] = first[2]["body"].replace("\n", "\r\n")  # as GitHub keeps it
    (runner.temp / "comments.json").write_text(json.dumps(first))
    runner.steps("report", OWN, "report", BROKEN="dev")
    runner.steps("report", OWN, "comment")
    second = runner.comments()
    assert [comment["id"] for comment in second] == [comment["id"] for comment in first]
    assert second[:2] == [*own, *other]
    assert "the preview failed" in second[2]["body"]
    assert runner.read("calls").count("POST") == 2
    assert runner.read("github_output").splitlines()[-2:] == ["failed=", "failed=yes"]
    assert "the preview failed" in runner.read("github_step_summary")


def test_the_kubeconfig_is_nobody_elses(runner: Runner) -> None:
    runner.steps("report", OWN, "kubeconfig")
    file = runner.temp / "kubeconfig"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert runner.read("github_env") == f"KUBECONFIG={file}\n"


def test_a_fork_is_told_from_the_files_alone(runner: Runner) -> None:
    runner.steps("report", FORK, "base", "report")
    assert runner.read("calls") == ""
    summary = runner.read("github_step_summary")
    assert "Told by the files alone, compared with `origin/main`" in summary
    assert "`registry.example/vllm:v1 → registry.example/vllm:v2`" in summary
    steps = {step.get("id"): step.get("if") for step in WORKFLOW["jobs"]["report"]["steps"]}
    assert steps["comment"] == steps["kubeconfig"] == "env.TRUSTED == 'true'"


def test_errors_fail_the_job_after_the_report(runner: Runner) -> None:
    runner.repository.chat(replicas="several")
    runner.steps("report", OWN, "base", "report")
    assert runner.read("github_output") == "failed=yes\n"
    assert "LOCO-TYPE" in runner.read("comment-dev.md")
    assert runner.run("report", "verdict", OWN).returncode == 1
    steps = [step.get("id") for step in WORKFLOW["jobs"]["report"]["steps"]]
    assert steps.index("comment") < steps.index("verdict")


def test_drift_fails_the_nightly_job_and_says_where(runner: Runner) -> None:
    assert runner.run("drift", "drift", OWN).returncode == 0
    [first, second] = runner.read("calls").splitlines()
    assert first == "pulumi preview --stack dev --refresh --expect-no-changes --json --non-interactive"
    assert "--stack prod" in second
    done = runner.run("drift", "drift", OWN, BROKEN="prod")
    assert done.returncode == 1
    assert "prod; the summary says" in done.stdout
    assert "PULUMI_K8S_ENABLE_PATCH_FORCE=true pulumi up --refresh" in done.stdout
    assert "dev" not in done.stdout
    assert "**`prod`:" in runner.read("github_step_summary")


def test_without_a_backend_there_is_nothing_to_compare_at_night(runner: Runner) -> None:
    done = runner.run("drift", "drift", FORK)
    assert (done.returncode, runner.read("calls")) == (0, "")


CURL = f"""\
#!{sys.executable}
import json, os, pathlib, sys
store = pathlib.Path(os.environ["STORE"])
notes = json.loads(store.read_text()) if store.exists() else []
words = sys.argv[1:]
assert words[words.index("-H") + 1] == "PRIVATE-TOKEN: a token"
method = words[words.index("-X") + 1] if "-X" in words else "GET"
url = words[-1]
assert url.startswith("https://git.example/api/v4/projects/3/merge_requests/7/notes")
with open(os.environ["CALLS"], "a") as calls:
    calls.write(method + "\\n")
if method == "GET":
    print(json.dumps(notes))
else:
    body = pathlib.Path(words[words.index("--data-urlencode") + 1].removeprefix("body@")).read_text()
    if method == "POST":
        notes.append({{"id": 1000 + len(notes), "body": body}})
    else:
        [note] = [n for n in notes if url.endswith(f"/notes/{{n['id']}}")]
        note["body"] = body
    store.write_text(json.dumps(notes))
"""


def on_gitlab(runner: Runner, **more: str) -> subprocess.CompletedProcess[str]:
    job = yaml.safe_load(of_gitlab())["report"]
    (runner.temp / "curl").write_text(CURL)
    (runner.temp / "curl").chmod(0o755)
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("PULUMI_", "GIT_"))},
        **job["variables"],
        "PATH": f"{runner.temp}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "STORE": str(runner.temp / "comments.json"),
        "CALLS": str(runner.temp / "calls"),
        "CI_API_V4_URL": "https://git.example/api/v4",
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": runner.repository.git("rev-parse", "main"),
        "PULUMI_CONFIG_PASSPHRASE": "a passphrase",
        **more,
    }
    [script] = job["script"]
    command = ["bash", "-eo", "pipefail", "-c", script]
    return subprocess.run(
        command, cwd=runner.repository.root, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def test_gitlab_has_one_note_for_each_stack(runner: Runner) -> None:
    trusted = {"NOTES_TOKEN": "a token", "PULUMI_BACKEND_URL": "file:///state"}
    for run in range(2):
        done = on_gitlab(runner, **trusted, BROKEN="prod" if run else "")
        assert done.returncode == run, done.stderr
    assert [note["id"] for note in runner.comments()] == [1000, 1001]
    assert "the preview failed" in runner.comments()[1]["body"]
    assert [call for call in runner.read("calls").splitlines() if not call.startswith("pulumi")] == [
        *("GET", "POST", "GET", "POST"),
        *("GET", "PUT", "GET", "PUT"),
    ]


def test_gitlab_without_secrets(runner: Runner) -> None:
    done = on_gitlab(runner)
    assert done.returncode == 0, done.stderr
    assert runner.read("calls") == ""
    assert "Told by the files alone" in done.stdout
