"""Reports of what `pulumi preview --json` printed."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from loco.cli.report.preview import NoPreview, read_preview
from tests.cli.report.conftest import Repository, told, workloads
from tests.cli.report.previews import (
    CHAT,
    DEPLOYMENT,
    UPDATE,
    changed,
    main_of,
    of_component,
    of_events,
    preview,
    step,
    urn,
)

Run = Callable[..., Any]
ENGINE = "chat-kserve"


@pytest.mark.parametrize("form", [preview, of_events])
def test_an_update_of_the_template(loco: Run, repository: Repository, objects: Any, form: Callable[..., str]) -> None:
    each = changed(
        objects,
        {"spec.template.spec.containers[0].image": UPDATE},
        lambda d: main_of(d).update(image="registry.example/vllm:v2"),
    )
    repository.write("preview.json", form(each))
    done = loco("report", "--preview", "preview.json", "-o", "json")
    assert done.status == 0, done
    workload = workloads(done.out)[ENGINE]
    assert (workload["happens"], workload["restarts"]["number"]) == ("restarted", 2)
    assert told(workload["causes"]) == {("image", "registry.example/vllm:v1", "registry.example/vllm:v2")}
    [cause] = workload["causes"]
    assert cause["origin"]["file"] == "models/chat.yaml"


def test_what_the_api_server_does_not_see_as_another_template(loco: Run, repository: Repository, objects: Any) -> None:
    def respell(deployment: Any) -> None:
        main_of(deployment)["resources"] = {"limits": {"nvidia.com/gpu": "2000m"}}

    for paths in ({"metadata.annotations": UPDATE}, {"spec.template.spec.containers[0].resources": UPDATE}):
        repository.write("preview.json", preview(changed(objects, paths, respell)))
        assert json.loads(loco("report", "--preview", "preview.json", "-o", "json").out)["restarts"] == []


def test_what_somebody_has_changed_on_the_cluster(loco: Run, repository: Repository, objects: Any) -> None:
    each = changed(objects, {"spec.template.spec.containers[0].image": UPDATE}, lambda d: None)
    repository.write("preview.json", preview(each))
    workload = workloads(loco("report", "--preview", "preview.json", "-o", "json").out)[ENGINE]
    assert told(workload["causes"]) == {
        ("the cluster has something else than the stack last applied", None, "spec.template.spec.containers[0].image")
    }


def test_replicas_restart_nothing(loco: Run, repository: Repository, objects: Any) -> None:
    each = changed(objects, {"spec.replicas": UPDATE}, lambda d: d["spec"].update(replicas=1))
    repository.write("preview.json", preview(each))
    workload = workloads(loco("report", "--preview", "preview.json", "-o", "json").out)[ENGINE]
    assert (workload["happens"], workload["restarts"]["number"], workload["stops"]["number"]) == ("scaled", 0, 1)


def test_a_replacement(loco: Run, repository: Repository, objects: Any) -> None:
    each = changed(
        objects,
        {"spec.selector.matchLabels": {"kind": "update-replace"}},
        lambda d: d["spec"]["selector"]["matchLabels"].update(a="b"),
        "replace",
        replaceReasons=["spec.selector.matchLabels.a"],
    )
    parts = ({**each, "op": "create-replacement"}, {**each, "op": "delete-replaced"})
    for steps in ([each], [each, *parts], parts):
        repository.write("preview.json", preview(*steps))
        done = loco("report", "--preview", "preview.json")
        assert done.out.count("2 pods × 2 GPUs go, then as many start") == 1
        assert "LLMInferenceService/llm/chat replaced" in done.out
        assert "spec.selector can't change" in done.out


def test_components_that_come_and_go(loco: Run, repository: Repository, objects: Any) -> None:
    old = copy.deepcopy(objects["Deployment/chat-kserve"])
    old["metadata"]["name"] = "old-kserve"
    gone = of_component("llm/old")
    steps = [
        step("create", CHAT, "", None, {}),
        step("create", DEPLOYMENT, CHAT, None, objects["Deployment/chat-kserve"]),
        step("delete", gone, "", {}, None),
        step("delete", urn("kubernetes:apps/v1:Deployment", "old/llm/old-kserve"), gone, old, None),
    ]
    repository.write("preview.json", preview(*steps))
    found = json.loads(loco("report", "--preview", "preview.json", "-o", "json").out)
    assert {part["document"]: part["change"] for part in found["parts"]} == {
        "LLMInferenceService/llm/chat": "added",
        "LLMInferenceService/llm/old": "deleted",
    }
    assert found["devices"]["totals"]["nvidia.com/gpu"] == {"before": 4, "after": 4, "atLeast": False}
    assert found["renamed"] == [{"old": "LLMInferenceService/llm/old", "new": "LLMInferenceService/llm/chat"}]


def test_a_config_of_which_each_content_is_an_object(loco: Run, repository: Repository, objects: Any) -> None:
    old = copy.deepcopy(objects["ConfigMap/main-litellm-config"])
    new = copy.deepcopy(old)
    for number, data in enumerate((old, new)):
        data["metadata"]["name"] = f"main-litellm-config.llm-0000000{number}"
        data["metadata"]["annotations"] = {"pulumi.com/autonamed": "true"}
    new["data"]["config.yaml"] = new["data"]["config.yaml"].replace("timeout: 30", "timeout: 60")
    deployment = copy.deepcopy(objects["Deployment/main-litellm"])
    deployment["spec"]["template"]["metadata"]["annotations"]["locostack.com/digest.config"] = "another"
    deployment["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"] = new["metadata"]["name"]
    gateway = of_component("llm/main", "LiteLLMGateway")
    steps = [
        step(
            "replace",
            urn("kubernetes:core/v1:ConfigMap", "main-litellm-config.llm", "LiteLLMGateway"),
            gateway,
            old,
            new,
        ),
        step(
            "update",
            urn("kubernetes:apps/v1:Deployment", "main/llm/main-litellm", "LiteLLMGateway"),
            gateway,
            objects["Deployment/main-litellm"],
            deployment,
            detailedDiff={"spec.template.spec.volumes[0].configMap.name": UPDATE},
        ),
    ]
    repository.write("preview.json", preview(*steps))
    done = loco("report", "--preview", "preview.json", "-o", "json")
    found = workloads(done.out)["main-litellm"]
    assert told(found["causes"]) == {("config: litellm_params.timeout of model gpt", "30", "60")}
    assert [cause["origin"]["line"] for cause in found["causes"]] == [8]
    parts = {part["document"]: part for part in json.loads(done.out)["parts"]}
    assert parts.keys() == {"ExternalModel/llm/gpt", "LiteLLMGateway/llm/main"}
    assert parts["LiteLLMGateway/llm/main"]["others"] == []


def test_a_credential_by_its_name(loco: Run, repository: Repository, objects: Any) -> None:
    old, new = (copy.deepcopy(objects["Deployment/main-litellm"]) for _ in range(2))
    for number, data in enumerate((old, new)):
        annotations = data["spec"]["template"]["metadata"]["annotations"]
        annotations |= {f"locostack.com/{name}": f"digest-{number}" for name in ("digest.openai", "configHash")}
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "openai", "namespace": "llm"},
        "data": "[secret]",
    }
    gateway = of_component("llm/main", "LiteLLMGateway")
    steps = [
        step(
            "update",
            urn("kubernetes:core/v1:Secret", "stack/llm/openai", ""),
            "",
            secret,
            secret,
            detailedDiff={"data.token": UPDATE},
        ),
        step(
            "update",
            urn("kubernetes:apps/v1:Deployment", "main/llm/main-litellm", "LiteLLMGateway"),
            gateway,
            old,
            new,
            detailedDiff={'spec.template.metadata.annotations["locostack.com/digest.openai"]': UPDATE},
        ),
    ]
    repository.write("preview.json", preview(*steps))
    done = loco("report", "--preview", "preview.json", "-o", "json")
    [cause] = workloads(done.out)["main-litellm"]["causes"]
    assert cause["what"] == "credential openai (key token)"
    assert cause["origin"]["file"] == "Pulumi.dev.yaml"
    assert "digest-" not in done.out


def test_nothing_but_what_only_the_engine_looks_at(loco: Run, repository: Repository, objects: Any) -> None:
    service = objects["Service/chat-kserve-workload-svc"]
    paths = {'metadata.annotations["pulumi.com/skipAwait"]': UPDATE}
    each = step("update", urn("kubernetes:core/v1:Service", "chat/llm/x"), CHAT, service, service, detailedDiff=paths)
    repository.write("preview.json", preview(each))
    assert "nothing changes" in loco("report", "--preview", "preview.json").out


def test_an_object_that_outlives_the_stack(loco: Run, repository: Repository) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "old"}}
    each = step("delete", urn("kubernetes:core/v1:Namespace", "stack/-/old", ""), "", namespace)
    each["oldState"]["retainOnDelete"] = True
    repository.write("preview.json", preview(each))
    assert "Namespace old no longer the stack's, and stays" in loco("report", "--preview", "preview.json").out


def test_a_provider_that_is_replaced_is_said(loco: Run, repository: Repository) -> None:
    each = step("replace", "urn:pulumi:dev::serving::pulumi:providers:kubernetes::loco/kubernetes", "", {}, {})
    repository.write("preview.json", preview(each))
    assert "note: replace of the provider loco/kubernetes" in loco("report", "--preview", "preview.json").out


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("  \n", "it is empty"),
        ("error: no stack\n", "line 1 isn't JSON"),
        ('{"steps": [', "line 1 isn't JSON"),
        ("[]", "it holds no steps"),
        ("1", "it holds no steps"),
        ('{"a": 1}', "it holds no steps"),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"resourcePreEvent": {"metadata": {"op": "same", "urn": "urn:pulumi:dev::a::b::c"}}}', "it ends before"),
    ],
)
def test_what_is_no_preview(loco: Run, repository: Repository, text: str, why: str) -> None:
    with pytest.raises(NoPreview, match=why):
        read_preview(text)
    repository.write("preview.json", text)
    done = loco("report", "--preview", "preview.json")
    assert done.status == 1
    assert "error[LOCO-FILE]" in done.err


@pytest.mark.parametrize("text", [preview(errors=("error: it broke",)), of_events(result="failed")])
def test_a_preview_that_failed(loco: Run, repository: Repository, text: str) -> None:
    repository.write("preview.json", text)
    for form in ("text", "markdown", "json"):
        done = loco("report", "--preview", "preview.json", "-o", form)
        assert done.status == 1
        assert "the preview failed" in done.out


def test_the_stack_is_the_previews(loco: Run, repository: Repository) -> None:
    repository.write("Pulumi.prod.yaml", (repository.root / "Pulumi.dev.yaml").read_text())
    repository.write("preview.json", preview().replace("urn:pulumi:dev", "urn:pulumi:prod"))
    assert loco("report", "--preview", "preview.json").out.startswith("prod: nothing changes")
    done = loco("report", "--preview", "preview.json", "--stack", "dev")
    assert done.status == 1
    assert "write --stack prod" in done.err


def test_the_base_adds_where_the_old_value_was_written(loco: Run, repository: Repository, objects: Any) -> None:
    repository.engine(image="registry.example/vllm:v2")
    each = changed(
        objects,
        {"spec.template.spec.containers[0].image": UPDATE},
        lambda d: main_of(d).update(image="registry.example/vllm:v2"),
    )
    repository.write("preview.json", preview(each))
    [cause] = workloads(loco("report", "--preview", "preview.json", "--base", "HEAD", "-o", "json").out)[ENGINE][
        "causes"
    ]
    assert cause["oldOrigin"]["file"] == "models/chat.yaml"


def test_a_master_key_that_the_config_makes_anew(loco: Run, repository: Repository, objects: Any) -> None:
    old, new = (copy.deepcopy(objects["Deployment/main-litellm"]) for _ in range(2))
    for number, data in enumerate((old, new)):
        data["spec"]["template"]["metadata"]["annotations"]["locostack.com/digest.master-key"] = f"digest-{number}"
    repository.configure(rotation={"masterKeys": "2026-11"})
    each = step(
        "update",
        urn("kubernetes:apps/v1:Deployment", "main/llm/main-litellm", "LiteLLMGateway"),
        of_component("llm/main", "LiteLLMGateway"),
        old,
        new,
        detailedDiff={'spec.template.metadata.annotations["locostack.com/digest.master-key"]': UPDATE},
    )
    repository.write("preview.json", preview(each))
    [cause] = workloads(loco("report", "--preview", "preview.json", "-o", "json").out)["main-litellm"]["causes"]
    assert (cause["what"], cause["origin"]["file"]) == ("master key", "Pulumi.dev.yaml")
