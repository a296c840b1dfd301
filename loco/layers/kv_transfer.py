"""What an engine is told about moving its KV cache: to tiers below the GPU, and between prefill and decode."""

import json
from collections.abc import Mapping
from math import ceil
from typing import Any

from loco.spec.kubernetes.resources import amount, is_accelerator
from loco.spec.kubernetes.scalars import wrong
from loco.spec.service import KVCacheOffloading, PodSpec, Workload

_ENGINE = "main"
_NIXL = {"kv_connector": "NixlConnector", "kv_role": "kv_both"}


def kv_transfer_config(kv: KVCacheOffloading | None, nixl: bool = False) -> str:
    """The value of vLLM's ``--kv-transfer-config``, JSON with sorted keys; "" where there is nothing to say.

    Args:
        kv: the tiers, of which ``cpu`` is given to vLLM in bytes and each secondary one as the folder
            ``/mnt/kv-cache-<position>``. A vLLM before 0.22 doesn't know such tiers.
        nixl: whether KV blocks also go from prefill to decode, by NIXL. With tiers beside it, vLLM's MultiConnector
            takes blocks from the first of the two that has them, and gives them to both.

    A ``cpu`` that is no quantity counts as none at all; it is a finding of the spec's rules.
    """
    tiers = _tiers(kv) if kv is not None else None
    if tiers is None:
        return _text(_NIXL) if nixl else ""
    if not nixl:
        return _text(tiers)
    both = {"connectors": [_NIXL, tiers]}
    return _text({"kv_connector": "MultiConnector", "kv_connector_extra_config": both, "kv_role": "kv_both"})


def has_accelerators(workload: Workload) -> bool:
    """Whether an engine of the workload, leader or worker, asks for GPUs or their like."""
    return any(_asks(pod) for pod in (workload.template, workload.worker) if pod is not None)


def _asks(pod: PodSpec) -> bool:
    for container in pod.get("containers") or []:
        if container.get("name") == _ENGINE:
            resources: Mapping[str, Any] = container.get("resources") or {}
            wanted = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
            return any(is_accelerator(name) and str(much) != "0" for name, much in wanted.items())
    return False


def _tiers(kv: KVCacheOffloading) -> dict[str, Any]:
    cpu = 0 if kv.cpu is None or wrong(kv.cpu, "quantity") else ceil(amount(kv.cpu))
    extra: dict[str, Any] = {"cpu_bytes_to_use": cpu, "spec_name": "TieringOffloadingSpec"}
    if kv.eviction_policy:
        extra["eviction_policy"] = kv.eviction_policy
    folders = [
        {"root_dir": f"/mnt/kv-cache-{position}", "type": "fs"}
        for position, tier in enumerate(kv.secondary or [])
        if tier.file_system is not None
    ]
    if folders:
        extra["secondary_tiers"] = folders
    return {"kv_connector": "OffloadingConnector", "kv_connector_extra_config": extra, "kv_role": "kv_both"}


def _text(config: Mapping[str, Any]) -> str:
    return json.dumps(config, separators=(",", ":"), sort_keys=True)
