"""Which release a picker is of: the annotation, or the tag of an image of the user's own; and what is told of it."""

from typing import Any

import pytest
import yaml

from loco.model import Finding
from loco.plan import Plan
from tests.plan.stacks import base, found, one, plan_of, service

CODE = "LOCO-PICKER-VERSION"
VERSION = "app.kubernetes.io/version"
OLD_IMAGE = "ghcr.io/llm-d/llm-d-inference-scheduler:v0.4.0"
FORKED = "registry.example.com/team/picker:2026-05"
OLD: dict[str, Any] = {
    "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
    "kind": "EndpointPickerConfig",
    "plugins": [
        {"type": "prefill-header-handler"},
        {"type": "prefix-cache-scorer", "parameters": {"hashBlockSize": 5}},
        {"type": "pd-profile-handler", "parameters": {"threshold": 0}},
    ],
}
NEW: dict[str, Any] = {**OLD, "apiVersion": "llm-d.ai/v1alpha1", "plugins": [{"type": "prefix-cache-scorer"}]}


def plan(image: str | None, config: dict[str, Any] | None = OLD, annotation: str | None = None, **more: Any) -> Plan:
    profile = more.pop("profile", "safe")
    scheduler: dict[str, Any] = {"config": {"inline": config}} if config else {}
    if image or more:
        scheduler["template"] = {"containers": [{"name": "main", **({"image": image} if image else {}), **more}]}
    if annotation:
        scheduler["annotations"] = {VERSION: annotation}
    return plan_of(service({"router": {"scheduler": scheduler}}), profile=profile)


def config_of(made: Plan) -> Any:
    pod = one(made, "Deployment", "chat-kserve-router-scheduler").data["spec"]["template"]["spec"]
    return yaml.safe_load(pod["containers"][0]["args"][-1])


def told(made: Plan) -> list[Finding]:
    return found(made, CODE, "warning")


IMAGE_PATH = "spec.router.scheduler.template.containers[main].image"
INLINE_PATH = "spec.router.scheduler.config.inline"

# Image, annotation and profile; whether the old config is changed, and where there is something to say of it.
RELEASES: list[tuple[str | None, str | None, str, bool, list[str]]] = [
    (None, None, "safe", True, [INLINE_PATH]),
    (OLD_IMAGE, None, "safe", False, [IMAGE_PATH]),
    (f"{OLD_IMAGE}@sha256:{'a' * 64}", None, "safe", False, [IMAGE_PATH]),
    (OLD_IMAGE, None, "kserve", True, [IMAGE_PATH, INLINE_PATH]),
    (OLD_IMAGE, "0.4.0", "safe", False, []),
    (OLD_IMAGE, "0.10.0", "safe", True, [INLINE_PATH]),
    (FORKED, None, "safe", False, [IMAGE_PATH]),
    (FORKED, "0.10.0", "safe", True, [INLINE_PATH]),
    ("registry.k8s.io/gateway-api-inference-extension/epp:v1.0.0", None, "safe", False, [IMAGE_PATH]),
    (f"ghcr.io/llm-d/llm-d-router-endpoint-picker@sha256:{'a' * 64}", None, "safe", False, [IMAGE_PATH]),
    ("ghcr.io/llm-d/llm-d-router-endpoint-picker:main", None, "safe", False, [IMAGE_PATH]),
    ("mirror:5000/llm-d-router-endpoint-picker:v0.10.0", None, "safe", True, [INLINE_PATH]),
    ("mirror:5000/llm-d-router-endpoint-picker:v0.11.0", None, "safe", True, [IMAGE_PATH, INLINE_PATH]),
]


@pytest.mark.parametrize(("image", "annotation", "profile", "changed", "paths"), RELEASES)
def test_release(image: str | None, annotation: str | None, profile: str, changed: bool, paths: list[str]) -> None:
    made = plan(image, annotation=annotation, profile=profile)
    assert not made.errors
    assert (config_of(made) != OLD) is changed
    assert [warning.path for warning in told(made)] == paths


def test_what_is_told_of_an_image_says_what_to_write() -> None:
    (known,) = told(plan(OLD_IMAGE))
    assert "release v0.4.0, by the tag" in known.message
    assert f'{VERSION}: "0.4.0"' in known.cure
    (unknown,) = told(plan(FORKED))
    assert "stay as they are written" in unknown.message
    assert f'{VERSION}: "0.10.0"' in unknown.cure


def test_what_is_changed_of_a_config_is_told_by_releases() -> None:
    (warning,) = told(plan(None))
    for words in (
        "Since 0.7",
        "without pd-profile-handler, prefill-header-handler",
        "with always-disagg-pd-decider, disagg-headers-handler, disagg-profile-handler",
        "since 0.9: another apiVersion",
    ):
        assert words in warning.message
    assert "since 0.8" not in warning.message
    assert VERSION in warning.cure


def test_a_config_in_its_form_is_told_nothing() -> None:
    made = plan(None, NEW)
    assert config_of(made) == NEW
    assert not told(made)
    assert not told(plan(None, None))


def test_what_is_only_added_is_not_told() -> None:
    """The tokenizer's address, and the scheme of the engines' metrics by the preset's own flag."""
    tokens = {**NEW, "plugins": [{"type": "token-producer"}]}
    spec = {"router": {"scheduler": {"config": {"inline": tokens}}}}
    made = plan_of(service(spec), platform={"tls": True})
    assert not made.errors
    plugins = {plugin["type"]: plugin["parameters"] for plugin in config_of(made)["plugins"]}
    assert plugins["metrics-data-source"] == {"scheme": "https"}
    assert plugins["token-producer"]["vllm"]["url"].startswith("https://chat-tokenizer")
    assert not told(made)


def test_a_text_among_arguments_is_told_at_its_place() -> None:
    made = plan(None, None, args=["--config-text", yaml.safe_dump(OLD)])
    assert [warning.path for warning in told(made)] == ["spec.router.scheduler.template.containers[main].args"]
    assert not told(plan(None, None, args=["--config-text", yaml.safe_dump(NEW)]))


def test_flags_that_move_are_told() -> None:
    made = plan(None, NEW, args=["--model-server-metrics-path=/m", "--v=3"])
    (warning,) = told(made)
    assert warning.path == "spec.router.scheduler.template.containers[main].args"
    assert {"type": "metrics-data-source", "parameters": {"path": "/m"}} in config_of(made)["plugins"]
    assert not told(plan(None, NEW, args=["--v=3"]))


def test_a_config_of_a_base_config_is_somebodys_own_text() -> None:
    shared = base({"router": {"scheduler": {"config": {"inline": OLD}}}})
    made = plan_of(service({"router": {"scheduler": {}}, "baseRefs": [{"name": "base"}]}), shared)
    assert [warning.path for warning in told(made)] == [INLINE_PATH]


@pytest.mark.parametrize(("image", "told_of"), [(OLD_IMAGE, True), (FORKED, False), (None, False)])
def test_an_old_picker_does_not_read_locos_own_config(image: str | None, told_of: bool) -> None:
    messages = [warning.message for warning in told(plan(image, None))]
    assert any("doesn't read" in message for message in messages) is told_of


TLS = "/var/run/kserve/tls"
TEMPLATE = "spec.router.scheduler.template.containers[main]"
MOUNTED = {"volumeMounts": [{"name": "own", "mountPath": "/certs"}]}

# Arguments, TLS, more of the container; the severity and place of what is told.
SERVING: list[tuple[list[str], bool, dict[str, Any], list[tuple[str, str]]]] = [
    ([], False, {}, []),
    ([], True, {}, []),
    ([f"--cert-path={TLS}"], False, {}, [("error", "args[0]")]),
    (["--secure-serving=true", "--cert-path", TLS], False, {}, [("error", "args[1]")]),
    (["--secure-serving", "--cert-path", f"{TLS}/x"], False, {}, [("error", "args[1]")]),
    (["--cert-path", "/certs"], False, {}, [("warning", "args[0]")]),
    (["--cert-path", "/certs"], False, MOUNTED, []),
    (["--cert-path", "/certs/a"], True, MOUNTED, []),
    (["--cert-path", "/certsx"], False, MOUNTED, [("warning", "args[0]")]),
    ([f"--cert-path={TLS}", "--secure-serving=false"], False, {}, []),
    (["--secure-serving=true"], False, {}, [("warning", "args[0]")]),
    (["--v=1", "--secure-serving"], False, {}, [("warning", "args[1]")]),
    (["--secure-serving=false"], False, {}, []),
    (["--secure-serving=false"], True, {}, [("warning", "args[0]")]),
    ([], True, {"command": ["/app/epp"]}, [("warning", "command")]),
    ([f"--cert-path={TLS}"], True, {"command": ["/app/epp"]}, []),
    (["-certPath", TLS], False, {}, [("error", "args[0]")]),
]


@pytest.mark.parametrize(("args", "tls", "more", "expected"), SERVING)
def test_a_picker_serves_as_the_platform_says(
    args: list[str], tls: bool, more: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    container = {"name": "main", "args": args, **more}
    template = {"containers": [container], "volumes": [{"name": "own", "secret": {"secretName": "own"}}]}
    made = plan_of(service({"router": {"scheduler": {"template": template}}}), platform={"tls": tls})
    findings = [
        (finding.severity, finding.path)
        for finding in made.findings
        if finding.code == "LOCO-CERTIFICATE" or finding.severity == "error"
    ]
    assert findings == [(severity, f"{TEMPLATE}.{place}") for severity, place in expected]


def test_the_reference_mounts_the_certificate_without_tls() -> None:
    template = {"containers": [{"name": "main", "args": [f"--cert-path={TLS}"]}]}
    made = plan_of(service({"router": {"scheduler": {"template": template}}}), profile="kserve")
    assert not made.errors
    assert not found(made, "LOCO-CERTIFICATE")
