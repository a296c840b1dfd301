"""The component package: the same registrations as from Python, and the same refusals."""

import asyncio
import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

from loco import ModelServingStack
from loco.components.package import Package
from loco.components.package_schema import OUTPUTS, TOKEN
from loco.spec import StackSpec
from loco.spec.outputs import OUTPUTS as CONTRACT
from tests.components.conftest import SERVICE
from tests.components.recorder import Registration, Secret, record
from tests.conftest import REPOSITORY

MakeStack = Callable[..., StackSpec]

EXTERNAL = {
    "apiVersion": "locostack.com/v1alpha1",
    "kind": "ExternalModel",
    "metadata": {"name": "gpt"},
    "spec": {
        "provider": "openai",
        "model": "m",
        "url": "https://x/v1",
        "auth": {"apiKey": {"secretRef": {"name": "openai", "key": "token"}}},
    },
}
GATEWAY = {"apiVersion": "locostack.com/v1alpha1", "kind": "LiteLLMGateway", "metadata": {"name": "main"}, "spec": {}}
DOCUMENTS = [SERVICE, EXTERNAL, GATEWAY]


@pytest.fixture
def config(kubeconfig: Path) -> dict[str, Any]:
    cluster = {"context": "loco-dev", "identifier": "here", "kubeconfig": str(kubeconfig), "createNamespaces": True}
    return {"namespace": "llm", "cluster": cluster, "credentials": {"openai": {"token": {"config": "key"}}}}


def as_sent(value: Any) -> Any:
    """Numbers as the engine hands them over."""
    if isinstance(value, dict):
        return {key: as_sent(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_sent(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def constructed(documents: list[Any], config: dict[str, Any], **credentials: str) -> list[Registration]:
    def program() -> Any:
        inputs = {"documents": as_sent(documents), "config": config, "credentials": credentials}
        made = Package().construct("serving", TOKEN, inputs)
        return pulumi.Output.all(made.urn, *made.state.values())

    return record(program)


def shown(registrations: list[Registration]) -> dict[str, Any]:
    """By URN, what is registered, without what is random each time."""
    return {
        one.urn_suffix: (one.request.parent, one.props)
        for one in registrations
        if not one.urn_suffix.endswith(("digest-key", "master-key"))
    }


def test_the_same_registrations_as_from_python(config: dict[str, Any], make_stack: MakeStack) -> None:
    spec = make_stack(*DOCUMENTS, credentials=config["credentials"], secrets=("key",))
    direct = shown(record(lambda: ModelServingStack("serving", spec, {"key": "sk-x"})))
    packaged = shown(constructed(DOCUMENTS, config, key="sk-x"))
    assert sorted(packaged) == sorted(direct)
    different = [
        urn
        for urn in direct
        if not urn.startswith("kubernetes:apps/v1:Deployment::main")
        if packaged[urn] != direct[urn]
    ]
    assert different == []
    assert packaged["kubernetes:core/v1:Secret::stack/llm/openai"][1]["stringData"] == Secret({"token": "sk-x"})


def test_outputs(config: dict[str, Any]) -> None:
    seen: dict[str, Any] = {}

    def program() -> Any:
        made = Package().construct("serving", TOKEN, {"documents": [SERVICE], "config": {**config, "credentials": {}}})
        return pulumi.Output.from_input(dict(made.state)).apply(seen.update)

    record(program)
    assert tuple(seen) == OUTPUTS == CONTRACT
    assert list(seen["models"]) == ["llm/tiny"]


def test_findings_are_told_as_they_are(config: dict[str, Any]) -> None:
    bad = {**SERVICE, "spec": {**SERVICE["spec"], "replicaz": 1}}
    with pytest.raises(pulumi.InputPropertiesError, match="LOCO-UNKNOWN-KEY") as refused:
        constructed([bad], {**config, "credentials": {}})
    assert "documents[0] (service)" in str(refused.value)
    assert str(refused.value).startswith("1 error; nothing was applied\n")


def test_what_is_found_out_late_is_told_likewise(config: dict[str, Any]) -> None:
    """The engine waits for the component's URN, so the error must come with it."""
    keyed = {**GATEWAY, "spec": {"masterKey": {"secretRef": {"name": "openai", "key": "token"}}}}
    inputs = {"documents": [EXTERNAL, keyed], "config": config, "credentials": {"key": "true"}}
    told: list[str] = []

    async def program() -> None:
        try:
            await pulumi.Output.from_input(Package().construct("serving", TOKEN, inputs).urn).future()
        except pulumi.InputPropertiesError as error:
            told.append(str(error))

    with contextlib.suppress(pulumi.RunError):  # the same, from what could not be registered
        record(program)
    (text,) = told
    assert text.startswith("error[LOCO-CREDENTIAL]")


def test_arguments_are_judged_first(config: dict[str, Any]) -> None:
    with pytest.raises(pulumi.InputPropertiesError, match="LOCO-UNSUPPORTED"):
        constructed([SERVICE], {**config, "files": ["models/*.yaml"]})


def test_without_documents_no_files_are_looked_for(config: dict[str, Any]) -> None:
    registered = [one.token for one in constructed([], {**config, "credentials": {}})]
    assert TOKEN in registered
    assert "loco:index:LLMInferenceService" not in registered


def test_another_component_is_refused() -> None:
    async def run() -> None:
        with pytest.raises(ValueError, match="no loco:index:Other"):
            Package().construct("x", "loco:index:Other", {})

    asyncio.run(run())


def test_schema_can_be_served() -> None:
    package = Package()
    schema = json.loads(package.schema or "")
    assert (schema["name"], schema["version"]) == ("loco", package.version)
    component = schema["resources"][TOKEN]
    assert set(component["requiredInputs"]) <= set(component["inputProperties"])
    assert "plain" not in component["inputProperties"]["credentials"]["additionalProperties"], "may be a secret"


def test_folder_installs_the_checkout() -> None:
    folder = REPOSITORY / "package"
    runtime = yaml.safe_load((folder / "PulumiPlugin.yaml").read_text())["runtime"]
    assert runtime["name"] == "python"
    assert (folder / runtime["options"]["virtualenv"]).resolve() == REPOSITORY / ".venv"
    (requirement,) = (folder / "requirements.txt").read_text().split("\n")[:-1]
    assert (folder / requirement.removeprefix("-e ") / "pyproject.toml").is_file()
