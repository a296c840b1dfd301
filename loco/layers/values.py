"""What a preset's templates may name: the service, its merged spec, and what follows from them."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from loco import names
from loco.layers.catalog import Settings
from loco.layers.kv_transfer import has_accelerators, kv_transfer_config
from loco.spec import LLMInferenceServiceSpec
from loco.spec.service import Parallelism, Workload
from loco.spec.stack import PoolAPI

_PRE_STOP_ROOM = 5
_DEFAULT_GRACE = 60


def context(
    spec: LLMInferenceServiceSpec,
    name: str,
    namespace: str,
    tls: bool,
    gateway: Mapping[str, str | None],
    settings: Settings,
    pool_api: PoolAPI = "v1",
) -> dict[str, Any]:
    """The names that a preset may use.

    ``main`` and ``prefill`` are the two sides, prefill being None where there is none: ``parallelism`` (always an
    object), ``template``, ``worker``, ``offloads`` (whether the KV cache has tiers), ``kv_transfer`` (text of
    ``--kv-transfer-config``, "" for none) and ``kv_transfer_before_tiers`` (the same for a vLLM that knows no tiers).

    Args:
        spec: the merged spec; presets see every field of it, an absent one as None, ``parallelism`` as an object.
        name, namespace: the service's.
        tls: whether engines serve HTTPS.
        gateway: name and namespace of the Gateway for routes, empty where there is none.
        settings: the profile's switches.
        pool_api: the version of InferencePool in use; ``sidecar_pool_group`` is its group where the profile follows it.
    """
    model_name = (spec.model.name if spec.model else None) or name
    served = list(names.served_names(namespace, model_name))
    disaggregated = spec.prefill is not None and settings.nixl == "forGPUs"
    values = spec.model_dump(by_alias=True)
    values["parallelism"] = _parallelism(spec)
    pool = spec.router.scheduler.pool if spec.router and spec.router.scheduler else None
    return {
        "name": name,
        "namespace": namespace,
        "spec": values,
        "main": _side(spec, disaggregated),
        "prefill": _side(spec.prefill, disaggregated) if spec.prefill is not None else None,
        "served_names": served,
        "prefill_names": served if settings.prefill_names == "all" else served[:1],
        "publisher": names.publisher_name(namespace, model_name),
        "pool_name": (pool.ref.name if pool and pool.ref else None) or names.inference_pool(name),
        "sidecar_pool_group": names.pool_group(pool_api if settings.sidecar_pool_group == "inUse" else "v1alpha2"),
        "routing_header": names.ROUTING_HEADER,
        "gateway": {"name": gateway.get("name") or "", "namespace": gateway.get("namespace") or ""},
        "child_name": partial(names.child_name, name),
        "engine_port": names.ENGINE_PORT,
        "decode_port": names.DECODE_ENGINE_PORT,
        "tls": tls,
        "scheme": "HTTPS" if tls else "HTTP",
        "shutdown_timeout": shutdown_timeout,
    }


def _side(workload: Workload, disaggregated: bool) -> dict[str, Any]:
    nixl = disaggregated and has_accelerators(workload)
    return {
        "parallelism": _parallelism(workload),
        "template": workload.template,
        "worker": workload.worker,
        "offloads": workload.kv_cache_offloading is not None,
        "kv_transfer": kv_transfer_config(workload.kv_cache_offloading, nixl),
        "kv_transfer_before_tiers": kv_transfer_config(None, nixl),
    }


def _parallelism(workload: Workload) -> dict[str, Any]:
    return (workload.parallelism or Parallelism()).model_dump(by_alias=True)


def shutdown_timeout(pod: Mapping[str, Any] | None, pre_stop: int) -> int:
    """Seconds that the engine has to finish its requests: the grace period less preStop and a little room.

    Follows KServe's template function of the same purpose: 60 s of grace where the pod states none, never below 0.
    """
    stated = (pod or {}).get("terminationGracePeriodSeconds")
    grace = _DEFAULT_GRACE if stated is None else int(stated)
    return max(0, grace - pre_stop - min(_PRE_STOP_ROOM, grace))
