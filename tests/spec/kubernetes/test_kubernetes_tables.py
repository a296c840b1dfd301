"""The generated tables: that they are what the generator writes, and what strategic merge needs of them."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dev.kubernetes_tables import generate
from dev.kubernetes_tables.knowledge import ENUMS
from loco.spec import kubernetes
from loco.spec.kubernetes import ONE_OF, Field, definition, definition_of, is_known_definition
from loco.spec.kubernetes.scalars import SCALARS


@pytest.fixture(scope="module")
def schemas() -> Mapping[str, Any]:
    return generate.schemas()


def test_the_committed_table_is_what_the_generator_writes() -> None:
    assert generate.main(["--check"]) == 0


def test_drift_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(generate, "TABLE", tmp_path / "table.json")
    assert generate.main(["--check"]) == 1
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    (tmp_path / "table.json").write_text("{}")
    assert generate.main(["--check"]) == 1
    assert "run python -m dev.kubernetes_tables.generate" in capsys.readouterr().err


def test_the_file_is_compact_and_has_one_definition_per_line() -> None:
    text = generate.TABLE.read_text("utf-8")
    assert len(text) < 150_000
    assert json.loads(text)["version"] == generate.VERSION == kubernetes.KUBERNETES_VERSION
    assert sum(line.startswith('"PodSpec":') for line in text.splitlines()) == 1
    assert "description" not in json.loads(text)["definitions"]["PodSpec"]


def test_every_name_in_the_tables_resolves() -> None:
    tables = json.loads(generate.TABLE.read_text("utf-8"))
    for name in tables["definitions"]:
        for key, field in definition(name).items():
            assert field.type in SCALARS, (name, key)
            assert field.of is None or is_known_definition(field.of), (name, key)
            assert field.shape in ("one", "list", "map"), (name, key)
            # Strategic merge matches elements by a key that they have.
            assert field.merge_key is None or (field.of and field.merge_key in definition(field.of)), (name, key)


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("PodSpec.containers", Field("object", "list", "Container", "name", False, True, ())),
        ("PodSpec.volumes", Field("object", "list", "Volume", "name", True, False, ())),
        ("PodSpec.tolerations", Field("object", "list", "Toleration", None, False, False, ())),
        ("PodSpec.nodeSelector", Field("string", "map", None, None, False, False, ())),
        ("DeploymentSpec.strategy", Field("object", "one", "DeploymentStrategy", None, True, False, ())),
        (
            "Container.imagePullPolicy",
            Field("string", "one", None, None, False, False, ("Always", "IfNotPresent", "Never")),
        ),
        ("ResourceRequirements.limits", Field("quantity", "map", None, None, False, False, ())),
        ("Secret.data", Field("bytes", "map", None, None, False, False, ())),
        ("HTTPGetAction.port", Field("int-or-string", "one", None, None, False, True, ())),
        ("ObjectMeta.creationTimestamp", Field("time", "one", None, None, False, False, ())),
        ("ObjectMeta.finalizers", Field("string", "list", None, None, False, False, ())),
        ("OpaqueDeviceConfiguration.parameters", Field("object", "one", None, None, False, True, ())),
        ("PodSpec.hostNetwork", Field("boolean", "one", None, None, False, False, ())),
        ("ContainerPort.containerPort", Field("int32", "one", None, None, False, True, ())),
    ],
)
def test_a_field(path: str, field: Field) -> None:
    name, _, key = path.partition(".")
    assert definition(name)[key] == field


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("Container.env", "name"),
        ("Container.envFrom", None),
        ("Container.ports", "containerPort"),
        ("Container.volumeMounts", "mountPath"),
        ("Container.volumeDevices", "devicePath"),
        ("Container.args", None),
        ("PodSpec.hostAliases", "ip"),
        ("PodSpec.imagePullSecrets", "name"),
        ("PodSpec.initContainers", "name"),
        ("PodSpec.resourceClaims", "name"),
        ("PodSpec.topologySpreadConstraints", "topologyKey"),
        ("ServiceSpec.ports", "port"),
        ("ProjectedVolumeSource.sources", None),
    ],
)
def test_the_merge_key_of_a_list(path: str, key: str | None) -> None:
    name, _, field = path.partition(".")
    assert definition(name)[field].merge_key == key


def test_the_definition_of_a_kind() -> None:
    assert definition_of("v1", "Pod") == "Pod"
    assert definition_of("rbac.authorization.k8s.io/v1", "Role") == "Role"
    assert definition_of("autoscaling/v1", "HorizontalPodAutoscaler") is None
    assert definition_of("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet") is None
    assert definition_of("v1", "PodTemplateSpec") is None
    assert is_known_definition("PodTemplateSpec")
    assert not is_known_definition("LeaderWorkerSet")


def test_a_definition_cannot_be_written_to() -> None:
    with pytest.raises(TypeError):
        definition("PodSpec")["containers"] = definition("PodSpec")["volumes"]  # type: ignore[index]


def test_an_unknown_definition() -> None:
    with pytest.raises(KeyError):
        definition("Nothing")


def test_unions() -> None:
    assert ONE_OF["EnvVar"] == {"value", "valueFrom"}
    assert ONE_OF["Probe"] == {"exec", "grpc", "httpGet", "tcpSocket"}
    assert ONE_OF["PodResourceClaim"] == {"resourceClaimName", "resourceClaimTemplateName"}
    assert ONE_OF["Volume"] == definition("Volume").keys() - {"name"}
    assert {"secretKeyRef", "fieldRef"} < ONE_OF["EnvVarSource"]
    assert "sleep" in ONE_OF["LifecycleHandler"]
    assert all(members <= definition(name).keys() for name, members in ONE_OF.items())
    assert "Container" not in ONE_OF


# Closed sets that the schema's own texts do not spell out; these were compared with the Go constants of k8s.io/api.
UNDOCUMENTED = {
    "Container.restartPolicy",
    "ContainerResizePolicy.restartPolicy",
    "ContainerRestartRule.action",
    "EmptyDirVolumeSource.medium",
    "HPAScalingPolicy.type",
    "HPAScalingRules.selectPolicy",
    "HTTPGetAction.scheme",
    "HostPathVolumeSource.type",
    "PersistentVolumeClaimSpec.accessModes",
    "PersistentVolumeClaimSpec.volumeMode",
    "PersistentVolumeClaimStatus.phase",
    "RoleRef.apiGroup",
    "RoleRef.kind",
    "SecurityContext.procMount",
    "ServiceSpec.trafficDistribution",
    "StatefulSetUpdateStrategy.type",
    "VolumeMount.mountPropagation",
}


def test_closed_sets_are_the_words_of_the_schema(schemas: Mapping[str, Any]) -> None:
    full = {short: name for name, short in generate.short_names(generate.reachable(schemas)).items()}
    undocumented = set()
    for path, words in ENUMS.items():
        name, _, field = path.partition(".")
        schema = schemas[full[name]]
        text = schema.get("description", "") + schema["properties"][field]["description"]
        if not set(words) <= {*re.findall(r"[\w.-]*\w", text), ""}:
            undocumented.add(path)
    assert undocumented == UNDOCUMENTED


def test_clashing_names_get_longer() -> None:
    assert generate.short_names(["a.v1.Spec", "a.v2.Spec", "a.v1.Pod"]) == {
        "a.v1.Spec": "v1.Spec",
        "a.v2.Spec": "v2.Spec",
        "a.v1.Pod": "Pod",
    }


def test_a_schema_that_the_notation_cannot_say_is_refused() -> None:
    nested = {"items": {"type": "array", "items": {"type": "string"}}, "type": "array"}
    with pytest.raises(NotImplementedError, match=r"Spec\.matrix"):
        generate.notation(nested, "Spec.matrix", False, {})
