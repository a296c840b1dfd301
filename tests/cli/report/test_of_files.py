"""Reports of the files alone: the base's plan against that of the working tree."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.cli.report.conftest import CHAT, GATEWAY, Repository, told, workloads

Run = Callable[..., Any]
Edit = Callable[[Repository], None]
ENGINE, LITELLM = "chat-kserve", "main-litellm"
CONFIGURED = "config: litellm_params.timeout of model gpt"

# An edit, which pods restart, and causes that the report has to give for the first of them.
EDITS: dict[str, tuple[Edit, set[str], set[tuple[Any, ...]]]] = {
    "nothing": (lambda r: None, set(), set()),
    "image": (
        lambda r: r.engine(image="registry.example/vllm:v2"),
        {ENGINE},
        {("image", "registry.example/vllm:v1", "registry.example/vllm:v2")},
    ),
    "flag": (
        lambda r: r.engine(args=["--max-model-len", "8192", "--enable-prefix-caching"]),
        {ENGINE},
        {("flag --max-model-len", "4096", "8192"), ("flag --enable-prefix-caching", None, "on")},
    ),
    "a flag as two words": (
        lambda r: r.engine(args=["--max-model-len", "4096"]),
        {ENGINE},
        {("args, with the same flags", None, None)},
    ),
    "environment": (
        lambda r: r.engine(env=[{"name": "API_TOKEN", "value": "hunter3"}, {"name": "LEVEL", "value": "debug"}]),
        {ENGINE},
        {("environment variable API_TOKEN", "(hidden)", "(hidden)"), ("environment variable LEVEL", "info", "debug")},
    ),
    "GPUs": (
        lambda r: r.engine(resources={"limits": {"nvidia.com/gpu": 4}}),
        {ENGINE},
        {("limit of nvidia.com/gpu", "2", "4")},
    ),
    "parallelism": (
        lambda r: r.chat(parallelism={"tensor": 2}),
        {ENGINE},
        {("flag --tensor-parallel-size", None, "2")},
    ),
    "replicas": (lambda r: r.chat(replicas=3), set(), set()),
    "another spelling": (
        lambda r: r.engine(
            resources={"limits": {"nvidia.com/gpu": "2"}}, terminationMessagePath="/dev/termination-log"
        ),
        set(),
        set(),
    ),
    "a comment": (
        lambda r: r.write("models/chat.yaml", "# new\n" + (r.root / "models/chat.yaml").read_text()),
        set(),
        set(),
    ),
    "setting of an external model": (
        lambda r: r.write("models/gateway.yaml", GATEWAY.replace("timeoutSeconds: 30", "timeoutSeconds: 60")),
        {LITELLM},
        {(CONFIGURED, "30", "60")},
    ),
    "another source of a credential": (
        lambda r: r.configure(credentials={"openai": {"token": {"existing": True}}}, openaiToken=None),
        {LITELLM},
        {("credential openai", None, None)},
    ),
    "rotation of the master key": (
        lambda r: r.configure(rotation={"masterKeys": "2026-11"}),
        {LITELLM},
        {("master key", None, "2026-11")},
    ),
    "prefill": (
        lambda r: r.chat(prefill={"replicas": 1, "template": CHAT["spec"]["template"]}),
        {ENGINE, LITELLM},
        {("role", "both", "decode")},
    ),
    "TLS": (
        lambda r: r.configure(platform={"spareGpus": 4, "tls": True}),
        {ENGINE, LITELLM},
        {("TLS", "off", "on")},
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_which_pods_restart_and_why(loco: Run, repository: Repository, edit: str) -> None:
    change, restarting, why = EDITS[edit]
    change(repository)
    done = loco("report", "--base", "HEAD", "-o", "json")
    assert done.status == 0, done
    found = json.loads(done.out)
    assert {name.rpartition("/")[2] for name in found["restarts"]} == restarting
    if restarting:
        first = ENGINE if ENGINE in restarting else LITELLM
        assert why <= told(workloads(done.out)[first]["causes"])
    assert "hunter" not in done.out


def test_every_cause_says_where_it_is_written_now_and_was(loco: Run, repository: Repository) -> None:
    repository.engine(image="registry.example/vllm:v2")
    text = (repository.root / "models/chat.yaml").read_text()
    repository.write("models/chat.yaml", "#\n#\n" + text)
    line = text.splitlines().index("      image: registry.example/vllm:v2") + 1
    [cause] = workloads(loco("report", "--base", "HEAD", "-o", "json").out)[ENGINE]["causes"]
    assert cause["origin"] == {"layer": "service", "file": "models/chat.yaml", "line": line + 2}
    assert cause["oldOrigin"] == {"layer": "service", "file": "models/chat.yaml", "line": line}


def test_a_layer_that_takes_over_a_value_is_named(loco: Run, repository: Repository) -> None:
    image = {"containers": [{"name": "main", "image": "registry.example/vllm:v2"}]}
    repository.configure(overrides={"LLMInferenceService/chat": {"spec": {"template": image}}})
    [cause] = workloads(loco("report", "--base", "HEAD", "-o", "json").out)[ENGINE]["causes"]
    assert (cause["origin"]["layer"], cause["origin"]["file"]) == ("overrides", "Pulumi.dev.yaml")
    assert (cause["oldOrigin"]["layer"], cause["oldOrigin"]["file"]) == ("service", "models/chat.yaml")


def test_gpus_in_all_and_while_it_rolls(loco: Run, repository: Repository) -> None:
    repository.chat(replicas=3, parallelism={"tensor": 2})
    found = json.loads(loco("report", "--base", "HEAD", "-o", "json").out)
    assert found["devices"] == {
        "touched": {"nvidia.com/gpu": 4},
        "surge": {"nvidia.com/gpu": 2},
        "spareGpus": 4,
        "totals": {"nvidia.com/gpu": {"before": 4, "after": 6, "atLeast": False}},
    }
    text = loco("report", "--base", "HEAD").out
    assert "2 pods × 2 GPUs restart; 1 pod × 2 GPUs starts" in text
    assert "GPUs of the stack: 4 before, 6 after (+2)" in text
    assert "while everything rolls at once: 2 GPUs more; platform.spareGpus is 4, which covers that" in text


def test_a_surge_that_finds_no_gpus(loco: Run, repository: Repository) -> None:
    repository.configure(platform={"spareGpus": 1})
    repository.chat(rolloutStrategy={"maxSurge": 2, "maxUnavailable": 0}, parallelism={"tensor": 2})
    assert "4 GPUs more; platform.spareGpus is 1, which doesn't cover that" in loco("report", "--base", "HEAD").out


def test_pods_that_something_else_counts(loco: Run, repository: Repository) -> None:
    spec = {key: value for key, value in CHAT["spec"].items() if key != "replicas"}
    trigger = {"type": "prometheus", "metadata": {"serverAddress": "http://p:9090", "query": "q", "threshold": "1"}}
    scaling = {"minReplicas": 2, "maxReplicas": 5, "keda": {"triggers": [trigger]}}
    repository.write("models/chat.yaml", {**CHAT, "spec": {**spec, "scaling": scaling}})
    repository.commit()
    repository.write("models/chat.yaml", {**CHAT, "spec": {**spec, "scaling": scaling, "parallelism": {"tensor": 2}}})
    done = loco("report", "--base", "HEAD")
    assert "all pods × 2 GPUs restart (2 to 5)" in done.out
    assert "at least 2 pods restart (4 GPUs)" in done.out
    assert "4, as before at least" in done.out


def test_groups_of_pods_take_the_place_of_single_ones(loco: Run, repository: Repository) -> None:
    template = CHAT["spec"]["template"]
    repository.chat(replicas=1, worker=template, parallelism={"data": 4, "dataLocal": 2})
    done = loco("report", "--base", "HEAD", "-o", "json")
    groups = workloads(done.out)["chat-kserve-mn"]
    assert groups["was"] == "Deployment/llm/chat-kserve"
    assert groups["happens"] == "replaced"
    assert groups["podsPerReplica"] == 2
    assert groups["devicesPerReplica"] == {"nvidia.com/gpu": 4}
    assert ("Deployment becomes LeaderWorkerSet", None, None) in told(groups["causes"])
    repository.commit()
    repository.chat(replicas=1, worker=template, parallelism={"data": 8, "dataLocal": 2})
    larger = workloads(loco("report", "--base", "HEAD", "-o", "json").out)["chat-kserve-mn"]
    assert larger["happens"] == "replaced"
    assert larger["restarts"]["number"] == 2
    assert larger["starts"]["number"] == 2


def test_added_deleted_and_probably_renamed(loco: Run, repository: Repository) -> None:
    (repository.root / "models/chat.yaml").unlink()
    repository.write("models/talk.yaml", {**CHAT, "metadata": {"name": "talk"}})
    repository.write("models/gateway.yaml", GATEWAY.replace("name: gpt", "name: gpt-4"))
    found = json.loads(loco("report", "--base", "HEAD", "-o", "json").out)
    changes = {part["document"]: part["change"] for part in found["parts"]}
    assert changes == {
        "LLMInferenceService/llm/chat": "deleted",
        "LLMInferenceService/llm/talk": "added",
        "ExternalModel/llm/gpt": "deleted",
        "ExternalModel/llm/gpt-4": "added",
        "LiteLLMGateway/llm/main": "changed",
    }
    assert found["renamed"] == [{"old": "LLMInferenceService/llm/chat", "new": "LLMInferenceService/llm/talk"}]
    assert {name: w["stops"]["number"] for name, w in _by_name(found).items() if w["stops"]["number"]} == {ENGINE: 2}
    assert (
        next(part for part in found["parts"] if part["document"].endswith("/chat"))["origin"]["file"]
        == "models/chat.yaml"
    )


def _by_name(found: dict[str, Any]) -> dict[str, Any]:
    return workloads(json.dumps(found))


def test_objects_without_pods_have_one_line_each(loco: Run, repository: Repository) -> None:
    repository.write(
        "models/gateway.yaml", GATEWAY.replace("masterKey:", "expose: {hostnames: [llm.example.com]}, masterKey:")
    )
    repository.configure(platform={"spareGpus": 4, "gateway": {"name": "shared", "namespace": "infra"}})
    found = json.loads(loco("report", "--base", "HEAD", "-o", "json").out)
    [gateway] = [part for part in found["parts"] if part["document"] == "LiteLLMGateway/llm/main"]
    assert "HTTPRoute main-litellm added" in gateway["others"]
    assert found["restarts"] == []


def test_values_of_the_stack_config(loco: Run, repository: Repository) -> None:
    repository.configure(platform={"spareGpus": 4, "tls": True})
    found = json.loads(loco("report", "--base", "HEAD", "-o", "json").out)
    [tls] = found["config"]
    assert (tls["what"], tls["old"], tls["new"], tls["origin"]["file"]) == (
        "platform.tls",
        "false",
        "true",
        "Pulumi.dev.yaml",
    )


def test_another_ciphertext_may_be_another_value(loco: Run, repository: Repository) -> None:
    repository.configure(openaiToken={"secure": "v1:b"})
    done = loco("report", "--base", "HEAD")
    assert "nothing changes" in done.out
    assert "the secret openaiToken is encrypted anew" in done.out
    assert "Deployment/llm/main-litellm restart" in done.out
    assert "v1:" not in done.out


def test_errors_of_the_plan(loco: Run, repository: Repository) -> None:
    repository.chat(replicas="several")
    done = loco("report", "--base", "HEAD")
    assert done.status == 1
    assert "error[LOCO-TYPE]" in done.out
    assert "no report: 1 error" in done.out


def test_a_base_that_has_errors_is_no_error_of_the_change(loco: Run, repository: Repository) -> None:
    repository.chat(replicas="several")
    repository.commit()
    repository.chat()
    done = loco("report", "--base", "HEAD")
    assert done.status == 0
    assert "the base can't be planned" in done.out


def test_a_stack_that_the_base_does_not_have(loco: Run, repository: Repository) -> None:
    text = (repository.root / "Pulumi.dev.yaml").read_text()
    repository.write("Pulumi.next.yaml", text)
    done = loco("report", "--base", "HEAD", "--stack", "next")
    assert done.status == 0
    assert "the base has no stack next" in done.out
    assert "next: 3 added; no pod restarts; 3 start" in done.out
    assert "GPUs of the stack: 0 before, 4 after (+4)" in done.out
    assert "ExternalModel/llm/gpt added" in done.out


def test_a_rotation_is_shown_where_it_is_written(loco: Run, repository: Repository) -> None:
    repository.configure(rotation={"masterKeys": "after the leak", "saltKeys": "sk-1234567890abcdef1234"})
    done = loco("report", "--base", "HEAD", "-o", "json")
    [cause] = [each for each in workloads(done.out)[LITELLM]["causes"] if each["what"] == "master key"]
    assert (cause["new"], cause["origin"]["file"], cause["origin"]["layer"]) == (
        "after the leak",
        "Pulumi.dev.yaml",
        "config",
    )
    assert "sk-123" not in done.out


def test_what_the_files_say_otherwise_and_holds_already(loco: Run, repository: Repository) -> None:
    extra = "extraConfig: {litellm_settings: {drop_params: true}}, masterKey:"
    repository.write("models/gateway.yaml", GATEWAY.replace("masterKey:", extra))
    done = loco("report", "--base", "HEAD", "-o", "markdown")
    assert done.out.startswith("**`dev`: nothing in the cluster changes**")
    assert "| changed | nothing in the cluster changes | `spec.extraConfig.litellm_settings.drop_params`" in done.out
    assert "    nothing in the cluster changes\n" in loco("report", "--base", "HEAD").out
    repository.engine(image="registry.example/vllm:v2")
    assert loco("report", "--base", "HEAD").out.startswith("dev: 1 changed; 2 pods restart"), (
        "the gateway isn't counted"
    )


@pytest.mark.parametrize(
    "edit",
    [
        lambda r: (r.root / "models/chat.yaml").unlink(),
        lambda r: (r.root / "models/gateway.yaml").unlink(),
        lambda r: r.write("models/gateway.yaml", GATEWAY.replace("timeoutSeconds: 30", "timeoutSeconds: 60")),
        lambda r: r.configure(platform={"spareGpus": 4, "tls": True}),
        lambda r: r.write("models/talk.yaml", {**CHAT, "metadata": {"name": "talk"}}),
    ],
)
def test_no_cell_of_the_table_is_empty(loco: Run, repository: Repository, edit: Edit) -> None:
    edit(repository)
    rows = [line for line in loco("report", "--base", "HEAD", "-o", "markdown").out.splitlines() if line[:1] == "|"][2:]
    assert rows
    assert [row for row in rows if not all(cell.strip() for cell in row.strip("|").split("|"))] == []


def test_presets_of_ones_own(loco: Run, repository: Repository) -> None:
    config = "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceServiceConfig\nmetadata: {name: shared}\nspec: {template: {terminationGracePeriodSeconds: SECONDS}}\n"
    for number in ("1", "2"):
        repository.write(f"presets-{number}/shared.yaml", config.replace("SECONDS", f"6{number}"))
    repository.configure(presets={"folder": "presets-1"})
    repository.chat(baseRefs=[{"name": "shared"}])
    repository.commit()
    repository.configure(presets={"folder": "presets-2"})
    done = loco("report", "--base", "HEAD", "-o", "json")
    [cause] = [c for c in workloads(done.out)[ENGINE]["causes"] if c["what"] == "terminationGracePeriodSeconds"]
    assert (cause["old"], cause["new"]) == ("61", "62")
    assert cause["origin"]["file"] == "presets-2/shared.yaml"
    assert cause["oldOrigin"]["file"] == "presets-1/shared.yaml"
    assert {c["what"] for c in json.loads(done.out)["config"]} == {"presets.folder"}
