"""Two gateways at one hostname: only one of them would be reached, unless they stand at different front doors."""

from pathlib import Path
from typing import Any

import pytest

from tests.plan.stacks import gateway, plan_of, plan_text, service

HOST = "llm.example.com"
SHARED = {"gateway": {"name": "shared", "namespace": "infra"}}
CANARY = {"annotations": {"nginx.ingress.kubernetes.io/canary": "true"}}


def at(*hosts: str, **more: Any) -> dict[str, Any]:
    return {"hostnames": list(hosts) or [HOST], **more}


def on(name: str, namespace: str | None = None, section: str | None = None) -> dict[str, Any]:
    found = {"name": name, "namespace": namespace, "sectionName": section}
    return at(gateway={key: value for key, value in found.items() if value})


def by(name: str, **more: Any) -> dict[str, Any]:
    return at(ingress={"className": name, **more})


@pytest.mark.parametrize(
    ("first", "second", "namespace", "path"),
    [
        (at(), at(), "llm", "spec.expose.hostnames[0]"),
        (at(), at(), "other", "spec.expose.hostnames[0]"),
        (at(), at("other.example.com", HOST), "llm", "spec.expose.hostnames[1]"),
        (at(), at("other.example.com"), "llm", None),
        (at("*.example.com"), at(), "llm", None),  # the nearer hostname wins
        (at("*.example.com"), at("*.example.com"), "llm", "spec.expose.hostnames[0]"),
        (at(), on("shared", "infra"), "llm", "spec.expose.hostnames[0]"),
        (at(), on("shared", "infra", "https"), "llm", "spec.expose.hostnames[0]"),
        (on("shared", "infra", "http"), on("shared", "infra", "https"), "llm", None),
        (on("shared", "infra", "https"), on("shared", "infra", "https"), "llm", "spec.expose.hostnames[0]"),
        (at(), on("other", "infra"), "llm", None),
        (on("near"), on("near"), "other", None),  # each in its own namespace
        (on("near"), on("near"), "llm", "spec.expose.hostnames[0]"),
        (on("near"), on("near", "llm"), "other", "spec.expose.hostnames[0]"),
        (at(), by("nginx"), "llm", None),
        (by("nginx"), by("nginx"), "other", "spec.expose.hostnames[0]"),
        (by("nginx"), by("nginx-internal"), "llm", None),
        (by("nginx"), by("nginx", **CANARY), "llm", None),
    ],
)
def test_a_hostname_that_another_gateway_has(
    first: dict[str, Any], second: dict[str, Any], namespace: str, path: str | None
) -> None:
    documents = [
        gateway({"expose": first}, "a", namespace="llm"),
        gateway({"expose": second}, "b", namespace=namespace),
    ]
    errors = plan_of(service(), *documents, platform=SHARED).errors
    subject, host = f"LiteLLMGateway/{namespace}/b", first["hostnames"][0]
    expected = [("LOCO-DUPLICATE", path, subject, host)] if path else []
    assert [(error.code, error.path, error.subject, error.value) for error in errors] == expected
    assert all("LiteLLMGateway/llm/a" in error.message for error in errors)
    assert len(plan_of(service(), *documents[::-1], platform=SHARED).errors) == len(errors)


def test_each_of_three_is_told_of_the_first() -> None:
    three = [gateway({"expose": at()}, name) for name in "abc"]
    errors = plan_of(service(), *three, platform=SHARED).errors
    assert [error.subject for error in errors] == ["LiteLLMGateway/llm/b", "LiteLLMGateway/llm/c"]


def test_it_stands_at_its_line(tmp_path: Path) -> None:
    document = """\
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: NAME}
spec:
  expose:
    hostnames:
    - llm.example.com
"""
    text = "---\n".join(document.replace("NAME", name) for name in ("a", "b"))
    [error] = plan_text(tmp_path, text, platform=SHARED).errors
    assert error.origin is not None
    assert (error.origin.file, error.origin.line) == ("models.yaml", 15)
