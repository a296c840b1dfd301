"""Plans of small stacks, for tests: a spec in, a Plan out."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from loco.model import Finding, Manifest
from loco.plan import Plan, plan_stack
from loco.spec import read_stack

API = "serving.kserve.io/v1alpha2"
LOCO_API = "locostack.com/v1alpha1"
MODEL = {"uri": "hf://org/tiny", "name": "tiny"}


def service(
    spec: Mapping[str, Any] | None = None, name: str = "chat", namespace: str | None = None, **metadata: Any
) -> dict[str, Any]:
    """A service's document; a spec without a model gets one."""
    about = {"name": name, **({"namespace": namespace} if namespace else {}), **metadata}
    return {
        "apiVersion": API,
        "kind": "LLMInferenceService",
        "metadata": about,
        "spec": {"model": dict(MODEL), **(spec or {})},
    }


def base(spec: Mapping[str, Any], name: str = "base") -> dict[str, Any]:
    """A base config's document."""
    return {"apiVersion": API, "kind": "LLMInferenceServiceConfig", "metadata": {"name": name}, "spec": dict(spec)}


def external(spec: Mapping[str, Any] | None = None, name: str = "gpt", **metadata: Any) -> dict[str, Any]:
    """An external model's document; a spec without provider, model and url gets them."""
    filled = {"provider": "openai", "model": "gpt-4o-mini", "url": "https://api.openai.com/v1", **(spec or {})}
    about = {"name": name, **metadata}
    return {"apiVersion": LOCO_API, "kind": "ExternalModel", "metadata": about, "spec": filled}


def gateway(spec: Mapping[str, Any] | None = None, name: str = "main", **metadata: Any) -> dict[str, Any]:
    """A gateway's document."""
    about = {"name": name, **metadata}
    return {"apiVersion": LOCO_API, "kind": "LiteLLMGateway", "metadata": about, "spec": dict(spec or {})}


def plan_of(*documents: Mapping[str, Any], **config: Any) -> Plan:
    """The plan of documents that a program gives, in the namespace ``llm`` of the stack ``dev``.

    The stack has every secret that ``credentials`` names.
    """
    settings = {"files": [], "namespace": "llm", "cluster": {"context": "test"}, **config}
    secrets = set(_config_names(config.get("credentials")))
    return plan_stack(read_stack(Path("/nonexistent"), settings, documents=documents, secrets=secrets))


def _config_names(credentials: Any) -> Iterator[str]:
    for item in credentials.values() if isinstance(credentials, Mapping) else ():
        yield from _config_names(item)
        if isinstance(item, Mapping) and isinstance(item.get("config"), str):
            yield item["config"]


def plan_text(folder: Path, text: str, **config: Any) -> Plan:
    """The plan of one model file, models.yaml, whose findings know their lines."""
    (folder / "models.yaml").write_text(text, encoding="utf-8")
    settings = {"files": ["models.yaml"], "namespace": "llm", "cluster": {"context": "test"}, **config}
    return plan_stack(read_stack(folder, settings))


def planned(spec: Mapping[str, Any] | None = None, **config: Any) -> Plan:
    """The plan of one service, which must be without errors."""
    plan = plan_of(service(spec), **config)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


def one(plan: Plan, kind: str, name: str | None = None) -> Manifest:
    """The plan's only object of a kind, or of a kind and name."""
    (found,) = (m for m in plan.manifests if m.id.kind == kind and name in (None, m.name))
    return found


def pod_of(plan: Plan) -> dict[str, Any]:
    """The pod spec of the plan's only Deployment."""
    pod: dict[str, Any] = one(plan, "Deployment").data["spec"]["template"]["spec"]
    return pod


def container_of(plan: Plan, name: str = "main") -> dict[str, Any]:
    """One container of that pod, of whatever kind."""
    pod = pod_of(plan)
    every = [*pod.get("initContainers", []), *pod["containers"]]
    (found,) = (container for container in every if container["name"] == name)
    return dict(found)


def found(plan: Plan, code: str, severity: str | None = None) -> list[Finding]:
    """The plan's findings of one code."""
    return [f for f in plan.findings if f.code == code and severity in (None, f.severity)]
