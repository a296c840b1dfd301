"""What a preset's templates may name: the service, its merged spec, and what follows from them."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from loco import names
from loco.spec import LLMInferenceServiceSpec

_PRE_STOP_ROOM = 5
_DEFAULT_GRACE = 60


def context(
    spec: LLMInferenceServiceSpec, name: str, namespace: str, tls: bool, gateway: Mapping[str, str | None]
) -> dict[str, Any]:
    """The names that a preset may use.

    Args:
        spec: the merged spec; presets see every field of it, an absent one as None, ``parallelism`` as an object.
        name, namespace: the service's.
        tls: whether engines serve HTTPS.
        gateway: name and namespace of the Gateway for routes, empty where there is none.
    """
    model_name = (spec.model.name if spec.model else None) or name
    values = spec.model_dump(by_alias=True)
    values["parallelism"] = values["parallelism"] or {"tensor": None, "pipeline": None, "expert": None}
    return {
        "name": name,
        "namespace": namespace,
        "spec": values,
        "served_names": list(names.served_names(namespace, model_name)),
        "publisher": names.publisher_name(namespace, model_name),
        "routing_header": names.ROUTING_HEADER,
        "gateway": {"name": gateway.get("name") or "", "namespace": gateway.get("namespace") or ""},
        "child_name": partial(names.child_name, name),
        "engine_port": names.ENGINE_PORT,
        "tls": tls,
        "scheme": "HTTPS" if tls else "HTTP",
        "shutdown_timeout": shutdown_timeout,
    }


def shutdown_timeout(pod: Mapping[str, Any] | None, pre_stop: int) -> int:
    """Seconds that the engine has to finish its requests: the grace period less preStop and a little room.

    Follows KServe's template function of the same purpose: 60 s of grace where the pod states none, never below 0.
    """
    stated = (pod or {}).get("terminationGracePeriodSeconds")
    grace = _DEFAULT_GRACE if stated is None else int(stated)
    return max(0, grace - pre_stop - min(_PRE_STOP_ROOM, grace))
