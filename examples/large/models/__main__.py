"""The models of one group of catalog.yaml. The stack's name is the group's, and so is the namespace's.

A stack of any other name holds all groups: that is how a small platform does it.
"""

from pathlib import Path
from typing import Any

import pulumi
import yaml

from loco import ModelServingStack, stack_from_config

Catalog = dict[str, dict[str, dict[str, Any]]]


def service(group: str, name: str, uri: str, gpus: int = 1, **spec: Any) -> dict[str, Any]:
    """The document of one model; what the catalog says beyond place and size is its spec as it is."""
    container = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    return {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": name, "namespace": group, "labels": {"group": group}},
        "spec": {
            "model": {"uri": uri, "name": name},
            "replicas": 1,
            "parallelism": {"tensor": gpus},
            "template": {"containers": [container]},
            **spec,
        },
    }


async def main() -> pulumi.Inputs:
    catalog: Catalog = yaml.safe_load(Path(__file__).with_name("catalog.yaml").read_text())
    stack = pulumi.get_stack()
    groups = [stack] if stack in catalog else list(catalog)
    documents = [service(group, name, **model) for group in groups for name, model in catalog[group].items()]
    return ModelServingStack("models", await stack_from_config(documents)).outputs


pulumi.run(main)
