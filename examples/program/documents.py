"""Documents as functions: what all services of the company have in common is said once, and checked by a type checker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Document = dict[str, Any]


@dataclass(frozen=True)
class Model:
    """One model of a team.

    Attributes:
        name: of its service; the name under which requests ask for it too.
        repository: on Hugging Face.
        gpus: of one replica.
        replicas: how many; None leaves the count to an autoscaler.
        fallbacks: names of models that answer where this one can't.
    """

    name: str
    repository: str
    gpus: int = 1
    replicas: int | None = 1
    fallbacks: Sequence[str] = field(default=())


def service(model: Model, namespace: str, *, labels: Mapping[str, str]) -> Document:
    """The LLMInferenceService of a model, behind a route and an endpoint picker."""
    limits = {"nvidia.com/gpu": model.gpus, "cpu": "8", "memory": "64Gi"}
    spec: Document = {
        "model": {"uri": f"hf://{model.repository}", "name": model.name},
        "router": {"route": {}, "scheduler": {}},
        "template": {"containers": [{"name": "main", "resources": {"limits": limits}}]},
    }
    if model.replicas is not None:
        spec["replicas"] = model.replicas
    if model.gpus > 1:
        spec["parallelism"] = {"tensor": model.gpus}
    return {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": model.name, "namespace": namespace, "labels": dict(labels)},
        "spec": spec,
    }


def external(name: str, namespace: str, *, model: str, secret: str) -> Document:
    """A model of OpenAI's, whose key is in the Secret ``secret`` under ``token``."""
    return {
        "apiVersion": "locostack.com/v1alpha1",
        "kind": "ExternalModel",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "provider": "openai",
            "model": model,
            "url": "https://api.openai.com/v1",
            "auth": {"bearerToken": {"name": secret, "key": "token"}},
        },
    }


def gateway(namespace: str, models: Sequence[Model], *, replicas: int = 2) -> Document:
    """One OpenAI-compatible endpoint over a team's models."""
    fallbacks = [{model.name: list(model.fallbacks)} for model in models if model.fallbacks]
    spec: Document = {"replicas": replicas}
    if fallbacks:
        spec["fallbacks"] = fallbacks
    return {
        "apiVersion": "locostack.com/v1alpha1",
        "kind": "LiteLLMGateway",
        "metadata": {"name": "main", "namespace": namespace},
        "spec": spec,
    }
