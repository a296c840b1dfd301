"""Every rule of Kubernetes' restricted pod security standard (1.35): filled in, or said at the user's own line."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.plan.stacks import container_of, found, plan_of, plan_text, planned, pod_of, service

RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
}
SIDECAR: dict[str, Any] = {"name": "side", "image": "x"}


def test_gaps_are_filled_in_every_container() -> None:
    spec = {
        "template": {
            "initContainers": [{"name": "first", "image": "x"}, {**SIDECAR, "restartPolicy": "Always"}],
            "containers": [{"name": "logs", "image": "x"}],
        }
    }
    plan = planned(spec)
    assert pod_of(plan)["securityContext"] == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    for name in ("first", "side", "logs", "storage-initializer"):
        assert container_of(plan, name)["securityContext"] == RESTRICTED
    assert container_of(plan)["securityContext"] == {
        **RESTRICTED,
        "readOnlyRootFilesystem": False,
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert not plan.findings


def test_kserve_adds_and_says_nothing() -> None:
    spec = {"template": {"hostNetwork": True, "containers": [{**SIDECAR, "securityContext": {"privileged": True}}]}}
    plan = planned(spec, profile="kserve")
    assert not plan.findings
    assert "securityContext" not in pod_of(plan)
    assert container_of(plan, "side")["securityContext"] == {"privileged": True}
    assert "securityContext" not in container_of(plan, "storage-initializer")


@pytest.mark.parametrize(
    ("image", "user"),
    [
        ("vllm/vllm-openai:v0.23.0", 1000),
        ("docker.io/vllm/vllm-openai-cpu:v0.23.0", 1000),
        ("mirror.x/vllm/vllm-openai@sha256:0", 1000),
        ("public.ecr.aws/q9t5s3a7/vllm-cpu-release-repo:v0.9", 1000),
        ("rocm/vllm:latest", 1000),
        ("ghcr.io/llm-d/llm-d-cuda:v0.9.0", None),
        ("example.com/vllm:1", None),
    ],
)
def test_root_images_get_a_user(image: str, user: int | None) -> None:
    spec = {
        "template": {
            "containers": [{"name": "main", "image": image}],
            "initContainers": [{"name": "init", "image": image}],
        }
    }
    plan = planned(spec)
    assert container_of(plan)["securityContext"].get("runAsUser") == user
    assert container_of(plan, "init")["securityContext"].get("runAsUser") == user
    assert "runAsUser" not in container_of(plan, "storage-initializer")["securityContext"]


@pytest.mark.parametrize(
    ("pod", "container", "user"),
    [
        ({"runAsUser": 7}, {}, None),
        ({}, {"runAsUser": 7}, 7),
        ({}, {"runAsNonRoot": False}, None),
        ({"runAsNonRoot": False}, {"runAsNonRoot": False}, None),
        ({"runAsNonRoot": False}, {}, 1000),  # the preset's own container says runAsNonRoot
    ],
)
def test_user_that_is_written_stays(pod: dict[str, Any], container: dict[str, Any], user: int | None) -> None:
    main = {"name": "main", "image": "vllm/vllm-openai:v1", "securityContext": container}
    plan = planned({"template": {"securityContext": pod, "containers": [main]}})
    assert container_of(plan)["securityContext"].get("runAsUser") == user


# What is written in the template, in the notation {path: value}; the path of the finding; what it says.
WEAK: list[tuple[str, str, str]] = [
    ("hostNetwork: true", "hostNetwork", "namespace"),
    ("hostPID: true", "hostPID", "namespace"),
    ("hostIPC: true", "hostIPC", "namespace"),
    ("volumes: [{name: v, hostPath: {path: /x}}]", "volumes[v].hostPath", "hostPath"),
    ("volumes: [{name: v, nfs: {server: a, path: /b}}]", "volumes[v].nfs", "nfs"),
    ("securityContext: {runAsNonRoot: false}", "securityContext.runAsNonRoot", "may run as root"),
    ("securityContext: {seccompProfile: {type: Unconfined}}", "securityContext.seccompProfile.type", "seccomp"),
    ("securityContext: {appArmorProfile: {type: Unconfined}}", "securityContext.appArmorProfile.type", "AppArmor"),
    ("securityContext: {seLinuxOptions: {type: spc_t}}", "securityContext.seLinuxOptions.type", "spc_t"),
    ("securityContext: {seLinuxOptions: {user: u}}", "securityContext.seLinuxOptions.user", "SELinux user"),
    ("securityContext: {seLinuxOptions: {role: r}}", "securityContext.seLinuxOptions.role", "SELinux role"),
    ("securityContext: {windowsOptions: {hostProcess: true}}", "securityContext.windowsOptions.hostProcess", "host"),
    (
        "securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}",
        "securityContext.sysctls[kernel.msgmax]",
        "msg",
    ),
]
WEAK_CONTAINER: list[tuple[str, str, str]] = [
    ("securityContext: {privileged: true}", "securityContext.privileged", "privileged"),
    ("securityContext: {allowPrivilegeEscalation: true}", "securityContext.allowPrivilegeEscalation", "gain"),
    ("securityContext: {capabilities: {drop: []}}", "securityContext.capabilities.drop", "keeps"),
    ("securityContext: {capabilities: {drop: [KILL]}}", "securityContext.capabilities.drop", "keeps"),
    (
        "securityContext: {capabilities: {add: [IPC_LOCK, NET_BIND_SERVICE]}}",
        "securityContext.capabilities.add",
        "IPC_LOCK",
    ),
    ("securityContext: {capabilities: {add: [CAP_SYS_ADMIN]}}", "securityContext.capabilities.add", "SYS_ADMIN"),
    ("securityContext: {runAsNonRoot: false}", "securityContext.runAsNonRoot", "may run as root"),
    ("securityContext: {runAsUser: 0}", "securityContext.runAsUser", "runs as root"),
    ("securityContext: {seccompProfile: {type: Unconfined}}", "securityContext.seccompProfile.type", "seccomp"),
    ("securityContext: {procMount: Unmasked}", "securityContext.procMount", "/proc"),
    ("ports: [{containerPort: 1, hostPort: 1}]", "ports[0].hostPort", "port"),
    ("lifecycle: {preStop: {httpGet: {host: a, port: 1}}}", "lifecycle.preStop.httpGet.host", "another host"),
    ("livenessProbe: {tcpSocket: {host: a, port: 1}}", "livenessProbe.tcpSocket.host", "another host"),
]
DOCUMENT = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat}
spec:
  model: {uri: hf://org/tiny}
  template:
"""


def weakness(tmp_path: Path, text: str) -> Any:
    plan = plan_text(tmp_path, text)
    assert not plan.errors, plan.errors
    weak = found(plan, "LOCO-WEAK-SECURITY", "warning")
    assert {finding.origin.line for finding in weak if finding.origin} == {len(text.splitlines())}
    assert {finding.origin.file for finding in weak if finding.origin} == {"models.yaml"}
    return plan, weak


@pytest.mark.parametrize(("written", "path", "says"), WEAK)
def test_weaker_pod_is_honoured_and_said_at_its_line(tmp_path: Path, written: str, path: str, says: str) -> None:
    plan, weak = weakness(tmp_path, f"{DOCUMENT}    {written}\n")
    assert [finding.path for finding in weak] == [f"spec.template.{path}"]
    assert says in weak[0].message
    ((key, value),) = yaml.safe_load(written).items()
    if key == "volumes":
        assert value[0] in pod_of(plan)["volumes"]
    elif key == "securityContext":
        assert value.items() <= pod_of(plan)[key].items()
    else:
        assert pod_of(plan)[key] == value


@pytest.mark.parametrize("field", ["containers", "initContainers", "sidecars"])
@pytest.mark.parametrize(("written", "path", "says"), WEAK_CONTAINER)
def test_weaker_container_is_honoured_and_said_at_its_line(
    tmp_path: Path, field: str, written: str, path: str, says: str
) -> None:
    key = "containers" if field == "containers" else "initContainers"
    always = "\n      restartPolicy: Always" if field == "sidecars" else ""
    if field == "initContainers" and written.startswith(("lifecycle", "livenessProbe")):
        pytest.skip("an init container that ends has neither")
    plan, weak = weakness(
        tmp_path, f"{DOCUMENT}    {key}:\n    - name: side\n      image: x{always}\n      {written}\n"
    )
    assert [finding.path for finding in weak] == [f"spec.template.{key}[side].{path}"]
    assert says in weak[0].message
    ((name, value),) = yaml.safe_load(written).items()
    container = container_of(plan, "side")
    if name == "securityContext" and "capabilities" in value:
        assert value["capabilities"].items() <= container[name]["capabilities"].items()
    elif name == "securityContext":
        assert value.items() <= container[name].items()
    else:
        assert container[name] == value


def test_allowed_settings_are_no_finding(tmp_path: Path) -> None:
    pod = {
        "securityContext": {
            "runAsUser": 1000,
            "fsGroup": 1000,
            "seccompProfile": {"type": "Localhost", "localhostProfile": "a"},
            "seLinuxOptions": {"type": "container_t", "level": "s0"},
            "sysctls": [{"name": "net.ipv4.tcp_rmem", "value": "1"}],
            "appArmorProfile": {"type": "RuntimeDefault"},
        },
        "volumes": [
            {"name": "a", "image": {"reference": "x"}},
            {"name": "b", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
            {"name": "c", "projected": {"sources": []}},
        ],
        "containers": [{**SIDECAR, "securityContext": {"capabilities": {"add": ["NET_BIND_SERVICE"]}}}],
    }
    assert not planned({"template": pod}).findings


def test_almighty_container_stays_acceptable_to_the_api_server() -> None:
    # allowPrivilegeEscalation: false beside privileged: true is refused there.
    for context in ({"privileged": True}, {"capabilities": {"add": ["CAP_SYS_ADMIN"]}}):
        plan = planned({"template": {"containers": [{**SIDECAR, "securityContext": context}]}})
        assert container_of(plan, "side")["securityContext"]["allowPrivilegeEscalation"] is True
    main = {"name": "main", "securityContext": {"privileged": True}}
    (error,) = plan_of(service({"template": {"containers": [main]}})).errors
    assert error.path == "spec.template.containers[main].securityContext.privileged"
    main["securityContext"] = {"privileged": True, "allowPrivilegeEscalation": True}
    assert planned({"template": {"containers": [main]}})


def test_root_user_is_honoured_or_its_contradiction_is_said() -> None:
    side = {**SIDECAR, "securityContext": {"runAsUser": 0}}
    plan = planned({"template": {"containers": [side]}})
    assert container_of(plan, "side")["securityContext"]["runAsNonRoot"] is False
    main: dict[str, Any] = {"name": "main", "securityContext": {"runAsUser": 0}}
    (error,) = plan_of(service({"template": {"containers": [main]}})).errors
    assert error.path == "spec.template.containers[main].securityContext"
    assert "runAsNonRoot: false" in error.cure
    main["securityContext"]["runAsNonRoot"] = False
    assert planned({"template": {"containers": [main]}})
    whole = {"securityContext": {"runAsUser": 0}}
    assert [error.path for error in plan_of(service({"template": whole})).errors] == [
        "spec.template.containers[main].securityContext"
    ]
    plan = planned(
        {"template": {**whole, "containers": [{"name": "main", "securityContext": {"runAsNonRoot": False}}]}}
    )
    assert "runAsNonRoot" not in pod_of(plan)["securityContext"]


def test_finding_names_the_layer_that_wrote_it(tmp_path: Path) -> None:
    override = {"LLMInferenceService/chat": {"spec": {"template": {"hostNetwork": True}}}}
    (weak,) = found(plan_of(service(), overrides=override), "LOCO-WEAK-SECURITY")
    assert weak.origin is not None
    assert weak.origin.layer == "overrides"
