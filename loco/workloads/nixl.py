"""How prefill and decode engines find each other to hand over KV blocks: vLLM's NIXL side channel."""

from typing import Any

from loco.layers import Resolved
from loco.layers.kv_transfer import has_accelerators
from loco.pods.attaching import add_environment
from loco.workloads.side import Side

# vLLM's own default, stated so that it is seen. Rank n of a data-parallel replica listens on the port plus n, so the
# ranks of one pod don't meet each other.
_PORT = "5600"


def name_side_channel(engine: dict[str, Any], side: Side, resolved: Resolved) -> None:
    """Names the pod's own address to its engine, whose default is localhost, where no other pod finds it.

    Only where the engine hands over blocks by NIXL; what a layer has written stays.
    """
    if side.role == "both" or resolved.profile.settings.nixl != "forGPUs" or not has_accelerators(side.workload):
        return
    host = {"fieldRef": {"fieldPath": "status.podIP"}}
    variables: list[dict[str, Any]] = [
        {"name": "VLLM_NIXL_SIDE_CHANNEL_HOST", "valueFrom": host},
        {"name": "VLLM_NIXL_SIDE_CHANNEL_PORT", "value": _PORT},
    ]
    add_environment(engine, variables)
