"""What `loco report` says of pods before an update, against what the update then does to them.

Twelve changes of one stack, one after the other. Before each the report is made twice: of the engine's preview, and of the
files alone against those of the update before. After it the cluster is asked which pods are others than before.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from dev.cluster import Cluster
from tests.conftest import REPOSITORY
from tests.e2e.cluster_facts import objects, wait_until
from tests.e2e.conftest import Project
from tests.goldens.objects import collection

pytestmark = pytest.mark.e2e

NAMESPACE = "reported"
PLATFORM = {"gateway": {"name": "shared", "namespace": "infra", "internalURL": "http://gw.infra.svc"}}
GATEWAY = """\
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: gpt}
spec:
  provider: openai
  model: gpt-4o-mini
  url: https://api.openai.com/v1
  auth: {apiKey: {secretRef: {name: openai, key: token}}}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1, masterKey: {generate: true}}
"""
SECRETS = ("a-first-token-of-openai", "a-second-token-of-openai")
Moves = dict[str, tuple[int, int]]  # by Deployment: pods that go, pods that come


def model(name: str, *, image: str = "1", cpu: str = "1", args: tuple[str, ...] = (), **spec: Any) -> str:
    main = {"name": "main", "image": f"registry.example/vllm:{image}"}
    resources = {"limits": {"nvidia.com/gpu": 1}, "requests": {"cpu": cpu}}
    template = {"containers": [{**main, "resources": resources, **({"args": list(args)} if args else {})}]}
    document = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": name},
        "spec": {"model": {"uri": "hf://org/tiny", "name": f"org/{name}"}, "template": template, **spec},
    }
    return yaml.safe_dump(document)


def chat(replicas: int = 2, **more: Any) -> str:
    return model("chat", replicas=replicas, router={"route": {}, "gateway": {}, "scheduler": {}}, **more)


def small(name: str, **more: Any) -> str:
    return model(name, replicas=1, **more)


def with_prefill(name: str) -> str:
    side = yaml.safe_load(small("side"))["spec"]
    return small(name, prefill={"replicas": 1, "template": side["template"]})


def preset(seconds: int) -> str:
    """The shipped preset of an engine, as a folder of one's own has it, with another time to end."""
    text = (REPOSITORY / "presets" / "config-llm-template.yaml").read_text()
    usual = "terminationGracePeriodSeconds: 60"
    assert usual in text
    return text.replace(usual, f"terminationGracePeriodSeconds: {seconds}")


def program(name: str, options: str = "") -> str:
    text = (REPOSITORY / "__main__.py").read_text()
    usual = 'ModelServingStack("loco", await stack_from_config())'
    assert usual in text
    return text.replace(usual, f'ModelServingStack("{name}", await stack_from_config(){options})')


class Reported:
    """The stack, what its cluster runs, and what the reports say."""

    def __init__(self, project: Project, cluster: Cluster) -> None:
        self.project, self.cluster = project, cluster
        self.git("init", "--quiet")
        self.update()

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=tests", "-c", "user.email=tests@example.com")
        subprocess.run(["git", *who, *arguments], cwd=self.project.folder, check=True, capture_output=True)

    def update(self) -> None:
        self.project.up()
        self.git("add", "--", "models", "presets-1", "presets-2", "Pulumi.yaml", f"Pulumi.{self.project.stack}.yaml")
        self.git("commit", "--quiet", "--allow-empty", "-m", "an update")
        wait_until(self.settled)

    def report(self, *arguments: str, given: str | None = None) -> dict[str, Any]:
        command = [str(Path(sys.executable).with_name("loco")), "report", "-o", "json", *arguments]
        done = subprocess.run(
            command, cwd=self.project.folder, capture_output=True, text=True, input=given, check=False, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
        for secret in SECRETS:
            assert secret not in done.stdout
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def by_engine(self, *arguments: str) -> dict[str, Any]:
        return self.report("--preview", "-", *arguments, given=self.project.preview("--json").stdout)

    def settled(self) -> bool:
        """Whether every Deployment has the pods that it wants, and no others are there."""
        wanted = 0
        for deployment in objects(self.cluster, "apps/v1", "Deployment", NAMESPACE):
            replicas, status = deployment["spec"]["replicas"], deployment["status"]
            numbers = {status.get(field, 0) for field in ("replicas", "updatedReplicas", "readyReplicas")}
            if numbers != {replicas} or status.get("observedGeneration") != deployment["metadata"]["generation"]:
                return False
            wanted += replicas
        return len(objects(self.cluster, "v1", "Pod", NAMESPACE)) == wanted

    def pods(self) -> dict[str, set[str]]:
        """UIDs of the pods of each Deployment."""
        found: dict[str, set[str]] = {}
        for pod in objects(self.cluster, "v1", "Pod", NAMESPACE):
            (owner,) = pod["metadata"]["ownerReferences"]
            found.setdefault(owner["name"].rpartition("-")[0], set()).add(pod["metadata"]["uid"])
        return found


def moved(before: dict[str, set[str]], after: dict[str, set[str]]) -> Moves:
    """What has happened."""
    found = {}
    for name in {*before, *after}:
        old, new = before.get(name, set()), after.get(name, set())
        if old != new:
            found[name] = (len(old - new), len(new - old))
    return found


def foretold(report: dict[str, Any]) -> Moves:
    """What the report says will happen. Where nobody writes replicas there is one here."""
    found = {}
    for part in report["parts"]:
        for workload in part["workloads"]:
            restart, start, stop = (
                1 if workload[key]["number"] is None else workload[key]["number"]
                for key in ("restarts", "starts", "stops")
            )
            if restart or start or stop:
                found[workload["object"].rpartition("/")[2]] = (restart + stop, restart + start)
    return found


def causes(report: dict[str, Any], name: str) -> list[str]:
    """Why the pods of a Deployment restart."""
    return [
        cause["what"]
        for part in report["parts"]
        for workload in part["workloads"]
        if workload["object"].endswith(f"/{name}")
        for cause in workload["causes"]
    ]


@pytest.fixture(scope="module")
def stack(make_project: Callable[..., Project], cluster: Cluster) -> Reported:
    models = {"chat.yaml": chat(), "small.yaml": small("small"), "gateway.yaml": GATEWAY}
    credentials = {"openai": {"token": {"config": "openaiToken"}}}
    project = make_project(
        models, namespace=NAMESPACE, platform=PLATFORM, credentials=credentials, presets={"folder": "presets-1"}
    )
    project.write("presets-1/engine.yaml", preset(60))
    project.write("presets-2/engine.yaml", preset(61))
    set_secret(project, SECRETS[0])
    return Reported(project, cluster)


def set_secret(project: Project, value: str) -> None:
    project.pulumi("config", "set", "--secret", "openaiToken", value, "--stack", project.stack)


Change = Callable[[Project], Any]
# What is changed, how, which pods restart, and one of the reasons. Each begins where the one before has ended.
CHANGES: tuple[tuple[str, Change, set[str], str], ...] = (
    ("image", lambda p: p.write("models/chat.yaml", chat(image="2")), {"chat-kserve"}, "image"),
    (
        "flag",
        lambda p: p.write("models/chat.yaml", chat(image="2", args=("--max-model-len=4096",))),
        {"chat-kserve"},
        "flag --max-model-len",
    ),
    ("replicas", lambda p: p.write("models/chat.yaml", chat(3, image="2", args=("--max-model-len=4096",))), set(), ""),
    (
        "another spelling",
        lambda p: p.write(
            "models/chat.yaml", "# as before\n" + chat(3, image="2", args=("--max-model-len=4096",), cpu="1000m")
        ),
        set(),
        "",
    ),
    ("secret value", lambda p: set_secret(p, SECRETS[1]), {"main-litellm"}, "credential openai (key token)"),
    (
        "added model",
        lambda p: p.write("models/third.yaml", small("third")),
        {"main-litellm"},
        "config: model org/third added",
    ),
    (
        "removed model",
        lambda p: (p.folder / "models/third.yaml").unlink(),
        {"main-litellm"},
        "config: model org/third deleted",
    ),
    (
        "rename of the stack's component",
        lambda p: p.write(
            "__main__.py", program("serving", ', opts=pulumi.ResourceOptions(aliases=[pulumi.Alias(name="loco")])')
        ),
        set(),
        "",
    ),
    (
        "rename of a model",
        lambda p: p.write("models/small.yaml", small("tiny")),
        {"main-litellm"},
        "config: model org/small deleted",
    ),
    (
        "topology",
        lambda p: p.write("models/small.yaml", with_prefill("tiny")),
        {"tiny-kserve", "main-litellm"},
        "role",
    ),
    (
        "TLS",
        lambda p: p.configure(platform={**PLATFORM, "tls": True}),
        {"chat-kserve", "chat-kserve-router-scheduler", "tiny-kserve", "tiny-kserve-prefill", "main-litellm"},
        "TLS",
    ),
    (
        "presets",
        lambda p: p.configure(presets={"folder": "presets-2"}),
        {"chat-kserve"},
        "terminationGracePeriodSeconds",
    ),
)


@pytest.mark.parametrize(("what", "change", "restarting", "why"), CHANGES, ids=[change[0] for change in CHANGES])
def test_the_pods_that_the_report_names_are_those_that_change(
    stack: Reported, what: str, change: Change, restarting: set[str], why: str
) -> None:
    before = stack.pods()
    change(stack.project)
    told, of_files = stack.by_engine("--base", "HEAD"), stack.report("--base", "HEAD")

    stack.update()

    happened = moved(before, stack.pods())
    assert foretold(told) == happened
    assert {name.rpartition("/")[2] for name in told["restarts"]} == restarting
    assert {name for name, (gone, come) in happened.items() if gone and come} == restarting
    if what == "secret value":
        assert foretold(of_files) == {}
        assert any("openaiToken is encrypted anew" in note and "main-litellm" in note for note in of_files["notes"])
    else:
        assert foretold(of_files) == happened
    if why:
        assert why in [cause for name in restarting for cause in causes(told, name)]
    else:
        assert told["restarts"] == []


def test_what_somebody_has_changed_by_hand(stack: Reported) -> None:
    stack.project.preview("--refresh", "--expect-no-changes")
    path = f"{collection('apps/v1', 'Deployment', NAMESPACE)}/chat-kserve-router-scheduler"
    stack.cluster.client().call("DELETE", path)
    wait_until(stack.settled)
    before = stack.pods()
    preview = stack.project.preview("--refresh", "--expect-no-changes", "--json", succeeds=False).stdout
    told = stack.report("--preview", "-", given=preview)

    stack.project.pulumi("up", "--refresh", "--yes", "--skip-preview", "--stack", stack.project.stack)

    wait_until(stack.settled)
    assert foretold(told) == moved(before, stack.pods()) == {"chat-kserve-router-scheduler": (0, 1)}
    assert told["restarts"] == []


@pytest.mark.usefixtures("stack")
def test_a_failed_preview_is_said_to_have_failed(stack: Reported) -> None:
    stack.project.write("models/chat.yaml", chat().replace("replicas: 2", "replicas: several"))
    try:
        preview = stack.project.preview("--json", succeeds=False).stdout
        command = [str(Path(sys.executable).with_name("loco")), "report", "--preview", "-", "--comment"]
        done = subprocess.run(
            command,
            cwd=stack.project.folder,
            input=preview,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ,
        )
    finally:
        stack.git("checkout", "--", "models/chat.yaml")
    assert done.returncode == 1
    assert done.stdout.startswith("<!-- loco-report: dev -->\n**`dev`: the preview failed**")
    assert "LOCO-TYPE" in done.stdout
