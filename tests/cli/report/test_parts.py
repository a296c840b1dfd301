"""The parts of a report by themselves, as tables: pods and devices, flags, normal forms, structure."""

from typing import Any

import pytest

from loco.cli.report.flags import flags_in_script, flags_in_text, flags_of
from loco.cli.report.normal_form import normal
from loco.cli.report.pods import Count, devices_of, group_size, replicas_of, surge_of
from loco.cli.report.structure import ORDER, differences
from loco.cli.report.template_causes import credential_of, template_causes
from loco.model import ManifestId
from loco.workloads.rollout import gpus_of

WORKLOAD = ManifestId("apps/v1", "Deployment", "llm", "chat-kserve")
SCALER = ManifestId("autoscaling/v2", "HorizontalPodAutoscaler", "llm", "a")


def pod(*containers: dict[str, int], initial: tuple[dict[str, Any], ...] = (), **more: Any) -> dict[str, Any]:
    return {
        "containers": [{"name": str(n), "resources": {"limits": limits}} for n, limits in enumerate(containers)],
        "initContainers": list(initial),
        **more,
    }


def deployment(spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "kind": "Deployment",
        "metadata": {"name": "chat-kserve", "namespace": "llm"},
        "spec": {"template": {"spec": spec}, **more},
    }


def groups(size: int, worker: dict[str, Any], leader: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    group: dict[str, Any] = {"size": size, "workerTemplate": {"spec": worker}}
    if leader is not None:
        group["leaderTemplate"] = {"spec": leader}
    return {
        "kind": "LeaderWorkerSet",
        "metadata": {"namespace": "llm"},
        "spec": {"leaderWorkerTemplate": group, **more},
    }


NVIDIA, AMD = "nvidia.com/gpu", "amd.com/gpu"
LOADER = {"name": "loader", "resources": {"limits": {NVIDIA: 4}}}
CLAIMS = ManifestId("resource.k8s.io/v1", "ResourceClaimTemplate", "llm", "devices")
TEMPLATE = {"spec": {"spec": {"devices": {"requests": [{"exactly": {"deviceClassName": "gpu.example", "count": 3}}]}}}}
CLAIM = {"resourceClaims": [{"name": "c", "resourceClaimTemplateName": "devices"}]}


@pytest.mark.parametrize(
    ("data", "taken"),
    [
        (deployment(pod({})), {}),
        (deployment(pod({NVIDIA: 2}, {NVIDIA: 1, "cpu": 4})), {NVIDIA: 3}),
        (deployment(pod({NVIDIA: 2}, {AMD: 1})), {AMD: 1, NVIDIA: 2}),
        (deployment(pod({NVIDIA: 2}, initial=(LOADER,))), {NVIDIA: 4}),
        (deployment(pod({NVIDIA: 2}, initial=({**LOADER, "restartPolicy": "Always"},))), {NVIDIA: 6}),
        (groups(4, pod({NVIDIA: 8})), {NVIDIA: 32}),
        (groups(4, pod({NVIDIA: 8}), pod({NVIDIA: 2})), {NVIDIA: 26}),
        (deployment(pod({}, **CLAIM)), {"claimed devices of gpu.example": 3}),
        (deployment(pod({}, resourceClaims=[{"name": "c", "resourceClaimName": "mine"}])), {"claimed devices": 1}),
    ],
)
def test_devices(data: dict[str, Any], taken: dict[str, int]) -> None:
    assert devices_of(data, {CLAIMS: TEMPLATE}) == taken
    spec = data["spec"].get("template", {}).get("spec")
    if spec and "resourceClaims" not in spec:
        assert gpus_of(spec) == sum(taken.values()), "the same as the planner counts"


def scaler(name: str = "chat-kserve", kind: str = "HorizontalPodAutoscaler", **spec: Any) -> dict[str, Any]:
    target = {"kind": "Deployment", "name": name}
    return {"kind": kind, "metadata": {"namespace": "llm"}, "spec": {"scaleTargetRef": target, **spec}}


@pytest.mark.parametrize(
    ("replicas", "other", "count"),
    [
        (3, {}, Count(3, 3)),
        (0, {}, Count(0, 0)),
        (3.0, {}, Count(3, 3)),
        (None, {}, Count(None, 1, known=False)),
        (None, scaler(minReplicas=2, maxReplicas=5), Count(None, 2, 5)),
        (None, scaler(maxReplicas=5), Count(None, 1, 5)),
        (None, scaler(kind="ScaledObject", maxReplicaCount=5), Count(None, 0, 5)),
        (None, scaler(kind="ScaledObject", minReplicaCount=1), Count(None, 1)),
        (None, scaler("another", minReplicas=2), Count(None, 1, known=False)),
    ],
)
def test_replicas(replicas: Any, other: dict[str, Any], count: Count) -> None:
    data = deployment(pod({}), **({} if replicas is None else {"replicas": replicas}))
    assert replicas_of(WORKLOAD, data, {SCALER: other}) == count


@pytest.mark.parametrize(
    ("data", "replicas", "more"),
    [
        (deployment(pod({})), 2, 1),
        (deployment(pod({})), 5, 2),
        (deployment(pod({}), strategy={"type": "Recreate"}), 5, 0),
        (deployment(pod({}), strategy={"rollingUpdate": {"maxSurge": 3}}), 5, 3),
        (deployment(pod({}), strategy={"rollingUpdate": {"maxSurge": "40%"}}), 5, 2),
        (deployment(pod({}), strategy={"rollingUpdate": {"maxSurge": 0}}), 5, 0),
        (groups(4, pod({})), 2, 0),
        (groups(4, pod({}), rolloutStrategy={"rollingUpdateConfiguration": {"maxSurge": 1}}), 2, 1),
    ],
)
def test_surge(data: dict[str, Any], replicas: int, more: int) -> None:
    assert surge_of(data, replicas) == more
    assert group_size(data) == (4 if data["kind"] == "LeaderWorkerSet" else 1)


@pytest.mark.parametrize(
    ("words", "flags", "rest"),
    [
        (["--a=1", "--b", "2", "--c", "--d"], {"--a": "1", "--b": "2", "--c": "", "--d": ""}, []),
        (["serve", "model", "--a", "-1", "x"], {"--a": "-1"}, ["serve", "model", "x"]),
        (["--a=1", "--a=2"], {"--a": "1 2"}, []),
        (["-v", "3", "--"], {"-v": "3"}, ["--"]),
        (["--a", "--", "b"], {"--a": ""}, ["--", "b"]),
        ([], {}, []),
    ],
)
def test_flags(words: list[str], flags: dict[str, str], rest: list[str]) -> None:
    assert flags_of(words) == (flags, rest)


def test_flags_of_text_and_scripts() -> None:
    assert flags_in_text("--a 'b c' --d") == {"--a": "b c", "--d": ""}
    assert flags_in_text("--a 'b") == {}
    script = (
        "# --comment 1\nargs=(--port 8000 --name 'a b')\nif [[ $x == --seen* ]]; then\nargs+=(--more --last=$x)\nfi\n"
    )
    assert flags_in_script(script) == {"--port": "8000", "--name": "'a b'", "--more": "", "--last": "$x"}


CONTAINER = {"name": "main", "image": "a:1"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"resources": {"limits": {"cpu": "1000m", "memory": "1Gi"}}},
            {"resources": {"limits": {"cpu": 1, "memory": "1024Mi"}}},
        ),
        ({"ports": [{"containerPort": 1, "protocol": "TCP"}]}, {"ports": [{"containerPort": 1}]}),
        ({"imagePullPolicy": "IfNotPresent"}, {}),
        ({"image": "a", "imagePullPolicy": "Always"}, {"image": "a"}),
        ({"image": "a@sha256:0", "imagePullPolicy": "IfNotPresent"}, {"image": "a@sha256:0"}),
        ({"env": [{"name": "A", "value": ""}]}, {"env": [{"name": "A"}]}),
        (
            {"startupProbe": {"httpGet": {"port": 1, "scheme": "HTTP"}, "timeoutSeconds": 1}},
            {"startupProbe": {"httpGet": {"port": 1}}},
        ),
        ({"args": [], "command": None}, {}),
    ],
)
def test_one_container_for_the_api_server(one: dict[str, Any], other: dict[str, Any]) -> None:
    first, second = ({"spec": {"containers": [{**CONTAINER, **each}]}} for each in (one, other))
    assert normal(first) == normal(second)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"resources": {"limits": {"cpu": "1"}}}, {"resources": {"limits": {"cpu": "1001m"}}}),
        ({"ports": [{"containerPort": 1, "protocol": "UDP"}]}, {"ports": [{"containerPort": 1}]}),
        ({"imagePullPolicy": "Always"}, {}),
        ({"env": [{"name": "A", "value": "0"}]}, {"env": [{"name": "A"}]}),
        ({"env": [{"name": "A"}, {"name": "B"}]}, {"env": [{"name": "B"}, {"name": "A"}]}),
        ({"startupProbe": {"timeoutSeconds": 2}}, {"startupProbe": {}}),
        ({"args": ["a"]}, {}),
    ],
)
def test_another_container_for_the_api_server(one: dict[str, Any], other: dict[str, Any]) -> None:
    first, second = ({"spec": {"containers": [{**CONTAINER, **each}]}} for each in (one, other))
    assert normal(first) != normal(second)
    assert template_causes(first, second, lambda path: None, lambda path: None)


def test_labels_and_annotations_are_compared_as_they_are() -> None:
    empty, spelled = ({"metadata": {"annotations": {"scheme": value}}} for value in ("", "HTTP"))
    assert normal(empty) != normal(spelled)
    assert normal({"metadata": {"annotations": {}}}) == normal({"metadata": {}})


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": True}, [(("a",), 1, True)]),
        ({"a": None}, {}, []),
        ([{"name": "x", "v": 1}], [{"name": "x", "v": 2}], [(("x", "v"), 1, 2)]),
        ([{"name": "x"}, {"name": "y"}], [{"name": "y"}, {"name": "x"}], [((ORDER,), "x, y", "y, x")]),
        ([{"name": "x"}], None, [(("x",), {"name": "x"}, None)]),
        ([{"name": "v", "mountPath": "/a"}], [{"name": "v", "mountPath": "/b"}], [
            (("/a",), {"name": "v", "mountPath": "/a"}, None),
            (("/b",), None, {"name": "v", "mountPath": "/b"}),
        ]),
        ([1, 2], [2, 1], [((), [1, 2], [2, 1])]),
        ([{"name": "x"}, {"name": "x"}], [{"name": "x"}], [((), [{"name": "x"}, {"name": "x"}], [{"name": "x"}])]),
    ],
)  # fmt: skip
def test_differences(old: Any, new: Any, found: list[Any]) -> None:
    assert [(each.path, each.old, each.new) for each in differences(old, new)] == found


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        ("locostack.com/digest.openai", "credential openai"),
        ("locostack.com/digest.master-key", "master key"),
        ("locostack.com/digest.Secret-master-key", "credential master-key"),
        ("locostack.com/digest.ConfigMap-prompts", "ConfigMap prompts"),
        ("locostack.com/digest.certificate", "rotation of certificates"),
        ("kubectl.kubernetes.io/restartedAt", None),
    ],
)
def test_what_a_digest_stands_for(annotation: str, words: str | None) -> None:
    assert credential_of(annotation) == words


def test_the_combined_digest_alone() -> None:
    old, new = ({"metadata": {"annotations": {"locostack.com/configHash": value}}} for value in "ab")
    [cause] = template_causes(old, new, lambda path: None, lambda path: None)
    assert (cause.what, cause.old, cause.new) == ("what it reads of config and credentials", None, None)
