"""Values that a program hands over by name: one that is missing refuses the stack, one too many is told."""

import pytest

from loco.components.secret_values import check_given
from loco.model import ManifestId, SecretValue

SECRET = ManifestId("v1", "Secret", "llm", "openai")
WANTED = [
    SecretValue(SECRET, "token", config="openaiToken"),
    SecretValue(SECRET, "made", config=None),
]


@pytest.mark.parametrize(
    ("given", "secrets", "codes"),
    [
        (None, (), []),
        ({"openaiToken": "x"}, (), []),
        ({}, (), [("LOCO-CREDENTIAL", "error", "credentials.openaiToken")]),
        ({"openaiToken": "x", "other": "y"}, (), [("LOCO-NO-EFFECT", "warning", "credentials.other")]),
        ({"openaiToken": "x", "other": "y"}, ("other",), []),
        (
            {"openaiTokn": "x"},
            (),
            [
                ("LOCO-CREDENTIAL", "error", "credentials.openaiToken"),
                ("LOCO-NO-EFFECT", "warning", "credentials.openaiTokn"),
            ],
        ),
    ],
    ids=["the stack's own", "given", "missing", "one too many", "one too many that the plan tells", "misspelt"],
)
def test_given(given: dict[str, str] | None, secrets: tuple[str, ...], codes: list[tuple[str, str, str]]) -> None:
    findings = check_given(WANTED, given, secrets)
    assert [(finding.code, finding.severity, finding.path) for finding in findings] == codes
    assert all(finding.value != "x" for finding in findings), "no value is ever shown"
