"""Gateways trust the authorities of the stack's own models, beside the public ones."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from loco.gateway.authorities import _GIVEN, _JOINED
from loco.pods.restricted import weaknesses
from tests.gateway.configs import env_of
from tests.plan.stacks import external, gateway, one, plan_of, service

ROUTED: dict[str, Any] = {"router": {"route": {}, "scheduler": {}}}
PLATFORM = {"tls": True, "gateway": {"name": "shared", "internalURL": "https://gw"}}


def front_pod(plan: Any) -> dict[str, Any]:
    pod: dict[str, Any] = one(plan, "Deployment", "main-litellm").data["spec"]["template"]["spec"]
    return pod


@pytest.mark.parametrize(
    ("spec", "via", "trusted"),
    [({}, None, True), (ROUTED, "service", True), (ROUTED, None, False), ({"router": {"route": {}}}, None, True)],
)
def test_only_whom_it_calls_directly(spec: dict[str, Any], via: str | None, trusted: bool) -> None:
    documents = service(spec, namespace="models"), gateway({"via": via} if via else {}, namespace="front")
    plan = plan_of(*documents, platform=PLATFORM)
    assert not plan.errors
    variables = env_of(plan)
    assert ("SSL_CERT_FILE" in variables) is bool(front_pod(plan).get("initContainers")) is trusted
    if not trusted:
        assert not plan.authorities
        assert not [m for m in plan.manifests if m.name == "main-litellm-authorities"]
        return
    copied = one(plan, "ConfigMap", "main-litellm-authorities")
    (authority,) = plan.authorities
    (certificate,) = plan.certificates
    assert "data" not in copied.data
    assert copied.namespace == "front"
    assert (authority.config_map, authority.key) == (copied.id, "models.chat.crt")
    assert authority.secret == certificate.secret
    assert authority.reader == one(plan, "Deployment", "main-litellm").id
    assert any(edge.before == copied.id and edge.after == authority.reader for edge in plan.edges)


def test_one_for_each_service_of_whatever_namespace() -> None:
    plan = plan_of(*(service(namespace=space) for space in ("x", "y")), gateway(), platform={"tls": True})
    assert sorted(authority.key for authority in plan.authorities) == ["x.chat.crt", "y.chat.crt"]


def test_gateway_never_waits_for_engines() -> None:
    plan = plan_of(service(), gateway(), platform={"tls": True})
    front = one(plan, "Deployment", "main-litellm").id
    before = {edge.before.kind for edge in plan.edges if edge.after == front}
    assert before == {"ConfigMap", "Secret"}


def test_passes_where_restricted_is_enforced() -> None:
    assert list(weaknesses(front_pod(plan_of(service(), gateway(), platform={"tls": True})))) == []


def test_the_joined_file_holds_public_authorities_and_the_stacks(tmp_path: Path) -> None:
    """With the script itself, and a stand-in for the image's Python."""
    pod = front_pod(plan_of(service(), external(), gateway(), platform={"tls": True}))
    (joining,) = pod["initContainers"]
    given, joined, tools = (tmp_path / name for name in ("given", "joined", "bin"))
    for folder in (given, joined, tools):
        folder.mkdir()
    (tmp_path / "public.pem").write_text("public")  # no line break at its end
    (given / "a.chat.crt").write_text("first\n")
    (given / "b.chat.crt").write_text("second\n")
    python = tools / "python3"
    python.write_text(f"#!/bin/sh\necho {tmp_path / 'public.pem'}\n")
    python.chmod(0o755)
    script = joining["command"][2].replace(_GIVEN, str(given)).replace(_JOINED, str(joined))
    environment = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([*joining["command"][:2], script], env=environment, check=True)
    lines = [line for line in (joined / "ca.crt").read_text().splitlines() if line]
    assert lines == ["public", "first", "second"]
    (container,) = pod["containers"]
    trusted = env_of(plan_of(service(), gateway(), platform={"tls": True}))["SSL_CERT_FILE"]["value"]
    assert trusted == f"{_JOINED}/ca.crt"
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert mounts["trust"] == _JOINED
    assert "authorities" not in mounts

    python.write_text("#!/bin/sh\nexit 1\n")
    assert subprocess.run([*joining["command"][:2], script], env=environment, check=False).returncode != 0
