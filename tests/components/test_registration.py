"""What the engine is told about each resource: the traps of design §6, one test each."""

import json
from collections.abc import Callable
from pathlib import Path

import pulumi
import pytest

from loco import ModelServingStack
from loco.components.register import field_manager, token_of
from loco.plan import plan_stack
from loco.spec import StackSpec
from tests.components.conftest import SERVICE
from tests.components.recorder import Registration, Secret, record

MakeStack = Callable[..., StackSpec]
URNS = Path(__file__).with_name("urns.txt")


def registered(spec: StackSpec, **options: bool) -> list[Registration]:
    return record(lambda: ModelServingStack("loco", spec), **options)


def one(registrations: list[Registration], token: str) -> Registration:
    (found,) = [registration for registration in registrations if registration.token == token]
    return found


def test_logical_names_are_these_and_never_move(make_stack: MakeStack) -> None:
    """A changed line deletes and creates a resource of everybody who upgrades: alias it in renames.py."""
    everything = registered(make_stack(platform={"tls": True}))
    assert sorted(registration.urn_suffix for registration in everything) == URNS.read_text().splitlines()


def test_provider_updates_secrets_in_place_and_knows_its_cluster(make_stack: MakeStack) -> None:
    provider = one(registered(make_stack()), "pulumi:providers:kubernetes")
    assert provider.props["enableSecretMutable"] == "true"
    assert provider.props["enableConfigMapMutable"] == "true"
    assert provider.props["clusterIdentifier"] == "here"
    assert provider.props["context"] == "loco-dev"
    assert provider.request.version == "4.25.0"


def test_provider_keeps_this_machines_kubeconfig_to_itself(
    make_stack: MakeStack, kubeconfig: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    spec = make_stack(cluster={"context": "loco-dev"})
    assert "kubeconfig" not in one(registered(spec), "pulumi:providers:kubernetes").props


def test_every_object_goes_through_that_provider_and_is_of_its_version(make_stack: MakeStack) -> None:
    everything = registered(make_stack())
    objects = [registration for registration in everything if registration.token.startswith("kubernetes:")]
    assert len(objects) == 4
    for registration in objects:
        assert "pulumi:providers:kubernetes::loco/kubernetes" in registration.request.provider
        assert registration.request.version == "4.25.0"


def test_names_and_pod_templates_hold_no_output(make_stack: MakeStack) -> None:
    """An unknown or secret value there would blind the diff, or delete the Deployment with its Secret."""
    for registration in registered(make_stack(platform={"tls": True}), preview=True):
        if registration.token.startswith("kubernetes:"):
            shown = repr({key: value for key, value in registration.props.items() if key != "stringData"})
            assert "<unknown>" not in shown
            assert "Secret(" not in shown


def test_manifests_arrive_as_kubernetes_spells_them(make_stack: MakeStack) -> None:
    spec = make_stack()
    everything = registered(spec)
    for manifest in [json.loads(json.dumps(manifest.data)) for manifest in plan_stack(spec).manifests]:
        token = token_of(manifest["apiVersion"], manifest["kind"])
        props = one(everything, token).props
        assert props["metadata"]["annotations"].pop("pulumi.com/patchFieldManager") == "loco/loco/dev"
        for annotation in ("pulumi.com/skipAwait", "pulumi.com/timeoutSeconds"):
            props["metadata"].get("annotations", {}).pop(annotation, None)
        if not props["metadata"].get("annotations", True):
            del props["metadata"]["annotations"]
        assert props == manifest


@pytest.mark.parametrize(
    ("api_version", "kind", "token"),
    [
        ("v1", "Secret", "kubernetes:core/v1:Secret"),
        ("apps/v1", "Deployment", "kubernetes:apps/v1:Deployment"),
        ("gateway.networking.k8s.io/v1", "HTTPRoute", "kubernetes:gateway.networking.k8s.io/v1:HTTPRoute"),
    ],
)
def test_token_rule(api_version: str, kind: str, token: str) -> None:
    assert token_of(api_version, kind) == token


def test_unwritten_replicas_belong_to_the_autoscaler(make_stack: MakeStack) -> None:
    service = {**SERVICE, "spec": {"model": {"uri": "hf://org/tiny"}}}
    deployment = one(registered(make_stack(service)), "kubernetes:apps/v1:Deployment")
    assert "replicas" not in deployment.props["spec"]
    assert list(deployment.request.ignoreChanges) == ["spec.replicas"]


def test_written_replicas_are_ours(make_stack: MakeStack) -> None:
    deployment = one(registered(make_stack()), "kubernetes:apps/v1:Deployment")
    assert deployment.props["spec"]["replicas"] == 1
    assert list(deployment.request.ignoreChanges) == []


def test_a_fixed_name_is_deleted_before_it_is_made_again(make_stack: MakeStack) -> None:
    deployment = one(registered(make_stack()), "kubernetes:apps/v1:Deployment")
    assert deployment.request.deleteBeforeReplace
    assert list(deployment.request.replaceOnChanges) == ["spec.selector"]


def test_waits(make_stack: MakeStack) -> None:
    everything = registered(make_stack())
    service = one(everything, "kubernetes:core/v1:Service")
    deployment = one(everything, "kubernetes:apps/v1:Deployment")
    applied = {"pulumi.com/patchFieldManager": "loco/loco/dev"}
    assert service.props["metadata"]["annotations"] == {"pulumi.com/skipAwait": "true", **applied}
    assert deployment.props["metadata"]["annotations"] == {"pulumi.com/timeoutSeconds": "1200", **applied}


def test_edges_become_dependencies(make_stack: MakeStack) -> None:
    everything = registered(make_stack(platform={"tls": True}))
    deployment = one(everything, "kubernetes:apps/v1:Deployment")
    needed = {urn.rpartition("::")[2] for urn in deployment.request.dependencies}
    assert {"stack/-/llm", "tiny/llm/tiny-kserve-self-signed-certs"} <= needed


def test_certificate_is_secret_and_kept(make_stack: MakeStack) -> None:
    everything = registered(make_stack(platform={"tls": True}))
    secret = one(everything, "kubernetes:core/v1:Secret")
    data = secret.props["stringData"]
    assert isinstance(data, Secret)
    assert set(data.value) == {"tls.crt", "tls.key", "ca.crt"}
    assert set(secret.request.additionalSecretOutputs) == {"data", "stringData"}
    (stash,) = [r for r in everything if r.name.startswith("certificate/")]
    assert isinstance(stash.props["input"], Secret)
    assert list(stash.request.ignoreChanges) == ["input"]


@pytest.mark.parametrize(("stack", "protected"), [("prod", True), ("dev", False)])
def test_a_destroy_of_a_protected_stack_meets_the_guard_first(
    stack: str, protected: bool, make_stack: MakeStack
) -> None:
    everything = registered(make_stack(stack=stack, platform={"tls": True}))
    (guard,) = [r for r in everything if r.name == "loco/deletionProtection"]
    assert guard.request.protect is protected
    needed = {urn.rpartition("::")[2] for urn in guard.request.dependencies}
    objects = {r.name for r in everything if r.token.startswith("kubernetes:")}
    assert objects <= needed, "what is deleted first is what nothing depends on"
    others = [r for r in everything if r is not guard]
    assert not any(r.request.protect for r in others), "removing one document must not need the setting"


@pytest.mark.parametrize(("stack", "retained"), [("prod", True), ("dev", False)])
def test_namespaces_outlive_a_protected_stack(stack: str, retained: bool, make_stack: MakeStack) -> None:
    namespace = one(registered(make_stack(stack=stack)), "kubernetes:core/v1:Namespace")
    assert namespace.request.retainOnDelete is retained


def test_errors_register_nothing(make_stack: MakeStack) -> None:
    spec = make_stack({**SERVICE, "spec": {"model": {"uri": "hf://org/tiny"}, "replicaz": 1, "workers": 2}})
    seen: list[Registration] = []
    with pytest.raises(pulumi.RunError) as refusal:
        seen += registered(spec)
    assert seen == []
    text = str(refusal.value)
    assert text.startswith("2 errors; nothing was applied")
    assert "replicaz" in text
    assert "workers" in text


def test_another_cluster_is_refused(make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch) -> None:
    import tests.components.recorder as recorder

    original = recorder._Mocks.new_resource

    def elsewhere(self: object, args: object) -> tuple[str, dict[str, object]]:
        identity, state = original(self, args)  # type: ignore[arg-type]
        if "output" in state:
            state["output"] = "somewhere-else"
        return identity, state

    monkeypatch.setattr(recorder._Mocks, "new_resource", elsewhere)
    with pytest.raises(pulumi.RunError, match="this stack lives on the cluster somewhere-else"):
        registered(make_stack())


@pytest.mark.parametrize("length", [1, 99, 100])
def test_a_stack_applies_under_one_name_that_the_api_server_takes(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Objects of an update that was cut off belong to the next one."""
    seen = set()
    for last in "ab":
        monkeypatch.setattr(pulumi, "get_stack", lambda last=last: "s" * length + last)
        monkeypatch.setattr(pulumi, "get_project", lambda: "p" * 100)
        assert field_manager() == field_manager()
        assert len(field_manager()) <= 128
        seen.add(field_manager())
    assert len(seen) == 2


def test_outputs_wait_for_everything(make_stack: MakeStack) -> None:
    """So that an update that fails leaves what others read as it was."""
    waits_for: dict[str, set[str]] = {}

    async def program() -> None:
        stack = ModelServingStack("loco", make_stack())
        for key, output in stack.outputs.items():
            waits_for[key] = {resource._name for resource in await output.resources()}

    (guard,) = [each for each in record(program) if each.name == "loco/deletionProtection"]
    assert waits_for == {key: {guard.name} for key in ("version", "models", "gateways")}
