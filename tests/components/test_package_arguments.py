"""What a program in another language hands over: plain data as it was written, and nothing secret or unknown in it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pulumi
import pytest

from loco.components.package_arguments import Arguments, read_arguments
from loco.components.whole_numbers import with_integers
from loco.model import Finding

HIDDEN = "sk-of-the-test"


def read(make: Callable[[], dict[str, Any]]) -> tuple[Arguments, list[Finding]]:
    """The inputs are made where a loop runs, as Outputs need one."""

    async def run() -> tuple[Arguments, list[Finding]]:
        return await read_arguments(make())

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3.0, 3),
        (-0.0, 0),
        (0.5, 0.5),
        (True, True),
        ("3.0", "3.0"),
        (None, None),
        ({"a": [{"b": 8000.0}]}, {"a": [{"b": 8000}]}),
        ((1.0, 2.5), [1, 2.5]),
    ],
)
def test_whole_numbers(value: Any, expected: Any) -> None:
    assert repr(with_integers(value)) == repr(expected)


def test_plain_data_comes_through_as_written() -> None:
    documents = [{"spec": {"replicas": 2.0, "template": None, "isvcKey": "v", "rpm": 0.5}}]
    arguments, findings = read(lambda: {"documents": documents, "config": {"spareGpus": 1.0}})
    assert findings == []
    assert repr(arguments.documents) == repr([{"spec": {"replicas": 2, "template": None, "isvcKey": "v", "rpm": 0.5}}])
    assert repr(arguments.config) == repr({"spareGpus": 1})


def test_known_values_of_other_resources_are_taken() -> None:
    def make() -> dict[str, Any]:
        known = pulumi.Output.from_input({"replicas": 2.0})
        return {"documents": [{"spec": known}], "config": pulumi.Output.from_input({"namespace": "llm"})}

    arguments, findings = read(make)
    assert findings == []
    assert repr(arguments.documents) == repr([{"spec": {"replicas": 2}}])
    assert arguments.config == {"namespace": "llm"}


@dataclass(frozen=True)
class Case:
    """Inputs, and the one finding about them: its code, path, origin and a part of its text."""

    make: Callable[[], dict[str, Any]]
    code: str
    path: str
    origin: str | None
    says: str


def secret() -> pulumi.Output[str]:
    return pulumi.Output.secret(HIDDEN)


def unknown() -> Any:
    return pulumi.Output.from_input(pulumi.UNKNOWN)


SECRETS = ("LOCO-SECRET", "the name and key of a Secret")
CASES = {
    "secret in a document": Case(
        lambda: {"documents": [{}, {"spec": {"env": [{"value": secret()}]}}]},
        "LOCO-SECRET",
        "spec.env[0].value",
        "documents[1] (service)",
        "name and key of a Secret",
    ),
    "secret documents": Case(
        lambda: {"documents": pulumi.Output.secret([{"spec": HIDDEN}])}, "LOCO-SECRET", "documents", None, "a secret"
    ),
    "secret in the config": Case(
        lambda: {"config": {"platform": {"gateway": secret()}}}, "LOCO-SECRET", "platform.gateway", "config", "a secret"
    ),
    "unknown in a document": Case(
        lambda: {"documents": [{"spec": unknown()}]}, "LOCO-TYPE", "spec", "documents[0] (service)", "isn't known"
    ),
    "bare unknown": Case(
        lambda: {"config": {"namespace": pulumi.UNKNOWN}}, "LOCO-TYPE", "namespace", "config", "isn't known"
    ),
    "unknown credentials": Case(
        lambda: {"credentials": unknown()}, "LOCO-TYPE", "credentials", None, "isn't known before"
    ),
    "credential that is a number": Case(
        lambda: {"credentials": {"key": 12345.0}}, "LOCO-TYPE", "credentials.key", None, "must be text"
    ),
    "credential that is a secret boolean": Case(
        lambda: {"credentials": {"key": pulumi.Output.secret(True)}}, "LOCO-TYPE", "credentials.key", None, "be text"
    ),
    "credentials that are text": Case(
        lambda: {"credentials": pulumi.Output.secret(HIDDEN)}, "LOCO-TYPE", "credentials", None, "a mapping"
    ),
    "one document": Case(lambda: {"documents": {"kind": "X"}}, "LOCO-TYPE", "documents", None, "a list of documents"),
    "config as text": Case(lambda: {"config": "namespace: llm"}, "LOCO-TYPE", "config", None, "a mapping"),
    "files": Case(lambda: {"config": {"files": ["m.yaml"]}}, "LOCO-UNSUPPORTED", "files", "config", "documents"),
    "own presets": Case(
        lambda: {"config": {"presets": {"folder": "own"}}}, "LOCO-UNSUPPORTED", "presets.folder", "config", "documents"
    ),
    "misspelt argument": Case(lambda: {"document": []}, "LOCO-UNKNOWN-KEY", "document", None, "write documents"),
    "setting as argument": Case(lambda: {"cluster": {}}, "LOCO-UNKNOWN-KEY", "cluster", None, "stand under config"),
    "too large a number": Case(
        lambda: {"documents": [{"seed": 2.0**60}]}, "LOCO-VALUE", "seed", "documents[0] (service)", "2^53"
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_refused(name: str) -> None:
    case = CASES[name]
    _, (finding,) = read(case.make)
    assert (finding.severity, finding.code, finding.path) == ("error", case.code, case.path)
    assert (str(finding.origin) if finding.origin else None) == case.origin
    assert case.says in str(finding)
    assert HIDDEN not in str(finding)


@pytest.mark.parametrize("config", [{}, {"files": []}, {"presets": "1"}, {"presets": {"version": "1"}}])
def test_what_names_no_files_is_taken(config: dict[str, Any]) -> None:
    assert read(lambda: {"config": config})[1] == []


def test_credentials_stay_what_they_were() -> None:
    """In whatever way the language hands them over, and also where the value is known in the update only."""

    async def run() -> None:
        given = {"a": "plain", "b": secret(), "c": unknown()}
        arguments, findings = await read_arguments({"credentials": given})
        assert findings == []
        assert arguments.credentials == given
        arguments, findings = await read_arguments({"credentials": pulumi.Output.secret({"a": HIDDEN})})
        assert findings == []
        assert arguments.credentials == {"a": HIDDEN}

    asyncio.run(run())


def test_all_findings_at_once() -> None:
    _, findings = read(lambda: {"documents": [{"a": secret()}, {"b": unknown()}], "config": {"files": ["x"]}, "x": 1})
    assert len(findings) == 4
