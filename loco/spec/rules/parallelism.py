"""How a replica is spread over pods and GPUs: what goes together, and what would do nothing."""

from collections.abc import Iterator

from loco.model import Finding
from loco.spec.kubernetes.resources import amount, is_accelerator
from loco.spec.kubernetes.scalars import wrong
from loco.spec.rules.judged import Judged, sides
from loco.spec.service import Parallelism
from loco.spec.tree import Path, Row, plain

_WITH_WORKER = {
    "pipeline": "beside it, for stages in pods of their own; on one node tensor: N",
    "data": "beside it, for ranks in pods of their own; on one node replicas: N",
    "dataLocal": "beside it, with data; on one node replicas: N",
    "dataRPCPort": "beside it, with data and dataLocal; or the parallelism without dataRPCPort",
}


def parallelism(judged: Judged) -> Iterator[Finding]:
    """Of the main workload and of prefill."""
    for side, workload in sides(judged):
        spread, where = workload.parallelism, (*side, "parallelism")
        if workload.worker is not None:
            yield from _of_workers(judged, side, spread)
        elif spread is not None:
            yield from _without_workers(judged, where, spread)
        if spread is None:
            continue
        if spread.pipeline is not None and (spread.data is not None or spread.data_local is not None):
            message = "a replica is either a pipeline or data-parallel, not both"
            cure = "pipeline alone, or data and dataLocal without it"
            yield judged.finding(where, message, cure, fault=(*where, "pipeline"))
        yield from _ranks(judged, where, spread)


def _of_workers(judged: Judged, side: Path, spread: Parallelism | None) -> Iterator[Finding]:
    cure = "parallelism: {data: N, dataLocal: M} for N / M pods of a replica, or parallelism: {pipeline: N}"
    if spread is None:
        message = "with a worker a replica is several pods, and no parallelism says how many"
        yield judged.finding((*side, "worker"), message, cure)
    elif spread.data is None and spread.data_local is None and spread.pipeline is None:
        message = "the workers have nothing to do: neither data nor pipeline parallelism spreads over several pods"
        yield judged.finding((*side, "worker"), message, cure)
    elif spread.data_rpc_port is not None and spread.data is None and spread.data_local is None:
        where = (*side, "parallelism", "dataRPCPort")
        message = "only data-parallel ranks use this port"
        yield judged.finding(where, message, "the parallelism without dataRPCPort", code="LOCO-NO-EFFECT")


def _without_workers(judged: Judged, where: Path, spread: Parallelism) -> Iterator[Finding]:
    """A single pod's engine gets none of these, so its GPUs would idle."""
    written = {
        "pipeline": spread.pipeline,
        "data": spread.data,
        "dataLocal": spread.data_local,
        "dataRPCPort": spread.data_rpc_port,
    }
    for field, value in written.items():
        if value is not None:
            message = f"without a worker a replica is one pod, and {field} has no effect"
            cure = f"worker: {_like_template(judged, where[:-1])} {_WITH_WORKER[field]}"
            yield judged.finding((*where, field), message, cure, code="LOCO-NO-EFFECT")


def _like_template(judged: Judged, side: Path) -> str:
    """A worker that asks for what the side's template asks for: nothing of it is inherited."""
    for name, much in _accelerators(judged, side):
        return f"{{containers: [{{name: main, resources: {{limits: {{{name}: {much}}}}}}}]}}"
    return "{}"


def _accelerators(judged: Judged, side: Path) -> Iterator[tuple[str, int]]:
    """The accelerators that the engine of the side's template asks for, by resource."""
    row = judged.at(*side[1:], "template", "containers")
    for container in plain(row) if isinstance(row, Row) else ():
        if not isinstance(container, dict) or container.get("name") != "main":
            continue
        resources = container.get("resources") or {}
        wanted = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
        for name, much in wanted.items():
            if is_accelerator(str(name)) and not wrong(much, "quantity") and amount(much) >= 1:
                yield str(name), int(amount(much))


def _ranks(judged: Judged, where: Path, spread: Parallelism) -> Iterator[Finding]:
    ranks, local = spread.data, spread.data_local
    if ranks is not None and local is None:
        message = f"of the {ranks} ranks nothing says how many stand in one pod"
        gpus = sum(much for _, much in _accelerators(judged, where[:-1]))
        fitting = min(ranks, gpus // (spread.tensor or 1))
        cure = f"dataLocal: {ranks}, or less"
        if fitting and ranks % fitting == 0:
            tensor = f" with tensor {spread.tensor}" if spread.tensor else ""
            cure = f"dataLocal: {fitting}, which the {gpus} GPUs of a pod hold{tensor}"
        yield judged.finding((*where, "dataLocal"), message, cure, fault=(*where, "data"))
    elif local is not None and ranks is None:
        message = f"each pod holds {local} ranks, and nothing says how many there are"
        cure = f"data: {2 * local}, or another multiple of dataLocal"
        yield judged.finding((*where, "data"), message, cure, fault=(*where, "dataLocal"))
    elif ranks is not None and local is not None and ranks % local:
        pods = ranks // local
        kept = f"{pods} pods of {local} ranks hold {pods * local}" if pods else f"one pod holds {local} ranks"
        message = f"{ranks} ranks don't fill pods of {local}: {kept}, {pods + 1} hold {(pods + 1) * local}"
        if not pods:
            message = f"{ranks} ranks don't fill a pod of {local}"
        near = f"{pods * local} or " if pods else ""
        cure = f"a multiple of dataLocal: {near}{(pods + 1) * local}; or a dataLocal that divides {ranks}"
        yield judged.finding((*where, "data"), message, cure)
