"""GPUs and their like among all engines of a service: pods that ask for none beside others that do, and devices that
nothing uses.

The scheduler takes every such pod, and each looks well by itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loco.layers import Resolved
from loco.model import Finding, Manifest
from loco.model.pod_templates import pod_templates
from loco.pods.reading import amount, in_template
from loco.spec.kubernetes.resources import is_accelerator
from loco.spec.tree import Path, dotted
from loco.workloads.command import MORE, runs_script
from loco.workloads.engine_flags import given_flags, spread_of
from loco.workloads.engine_pod import engine_number
from loco.workloads.rollout import gpus_of, many
from loco.workloads.side import Side

CODE = "LOCO-ACCELERATOR"
# By these an engine is spread in ways that are not told here, by a file or over contexts.
_UNTOLD = ("config", "prefill-context-parallel-size", "pcp")
_SPREADING = (
    *("tensor-parallel-size", "pipeline-parallel-size", "data-parallel-size", "data-parallel-size-local"),
    *("data-parallel-rank", "data-parallel-external-lb"),
)


@dataclass(frozen=True, slots=True)
class EnginePod:
    """A finished pod of engines.

    Attributes:
        side: the workload that it belongs to.
        place: where it stands in the spec.
        pod: its spec.
        number: the engine's among its containers.
        script: whether the engine runs a preset's script.
    """

    side: Side
    place: Path
    pod: Mapping[str, Any]
    number: int
    script: bool

    @property
    def engine(self) -> Mapping[str, Any]:
        container: Mapping[str, Any] = self.pod["containers"][self.number]
        return container

    @property
    def has_devices(self) -> bool:
        """Whether it asks for accelerators, claims devices, or asks for a vendor's resource that nobody here knows."""
        if gpus_of(self.pod) or self.pod.get("resourceClaims"):
            return True
        return any(_may_be_device(name) and amount(much) for name, much in _wanted(self.engine).items())


def engine_pods(workloads: Iterable[tuple[Manifest, Side]], resolved: Resolved) -> list[EnginePod]:
    """The pods of workload objects that have an engine, in the order of their templates."""
    found = []
    for workload, side in workloads:
        for place, (_, template) in zip(side.pods, pod_templates(workload.data), strict=True):
            pod = template["spec"]
            number = engine_number(pod)
            if number is not None:
                script = runs_script(pod, pod["containers"][number], resolved, place)
                found.append(EnginePod(side, place, pod, number, script))
    return found


def accelerator_findings(pods: Sequence[EnginePod], resolved: Resolved) -> list[Finding]:
    """Everything that there is to say of the accelerators of a service, of which ``pods`` are all engines."""
    findings = [*_left_out(pods, resolved)]
    for pod in pods:
        if pod.script and not _is_untold(pod.engine):
            findings += _idle(pod, resolved)
            if not any(other.has_devices for other in pods):
                findings += _without_any(pod, resolved)
    return findings


def _left_out(pods: Sequence[EnginePod], resolved: Resolved) -> Iterator[Finding]:
    """An error for each pod that asks for no accelerator where another one of the service does.

    A warning where it runs a command of the user's own, which may be one for CPUs.
    """
    givers = [pod for pod in pods if pod.has_devices]
    for side in dict.fromkeys(pod.side.role for pod in pods) if givers else ():
        lacking = [pod for pod in pods if pod.side.role == side and not pod.has_devices]
        beside = next((pod for pod in givers if pod.side.role == side), None)
        if not lacking:
            continue
        giver = beside or givers[0]
        # Where the whole side lacks them, one finding says it of the side.
        places = [pod.place for pod in lacking] if beside else [lacking[0].side.path or lacking[0].place]
        severe = any(pod.script for pod in lacking)
        much = many(gpus_of(giver.pod)) if gpus_of(giver.pod) else "its devices"
        for place in places:
            message = (
                f"the engine asks for no GPU here, and the one of {dotted(('spec', *giver.place))} asks for {much}, "
                "so this one would start without, or not at all"
            )
            cure = _with_devices(place, giver) if beside else _side_with_devices(place, lacking, giver)
            where, origin = dotted(("spec", *place)), resolved.origin_at(*place)
            if origin.layer.startswith(("preset:", "profile:")):
                origin = resolved.origin  # nobody wrote anything there
            yield Finding(CODE, "error" if severe else "warning", where, message, cure, origin, resolved.subject)


def _with_devices(place: Path, giver: EnginePod) -> str:
    return f"{place[-1]}: {_pod_like(giver)}"


def _side_with_devices(place: Path, lacking: Sequence[EnginePod], giver: EnginePod) -> str:
    """The fields of a side that lacks all of them."""
    pods = ", ".join(f"{pod.place[-1]}: {_pod_like(giver)}" for pod in lacking)
    own, others = lacking[0].side.workload.parallelism, giver.side.workload.parallelism
    tensor = others.tensor if others is not None and (own is None or own.tensor is None) else None
    fields = f"parallelism: {{tensor: {tensor}}}, {pods}" if tensor and not lacking[0].side.multi_node else pods
    return f"{place[-1]}: {{{fields}}}" if place[-1] == "prefill" else fields


def _pod_like(giver: EnginePod) -> str:
    for container in giver.pod["containers"]:
        limits = {name: much for name, much in _wanted(container).items() if is_accelerator(name) and amount(much)}
        for name, much in limits.items():
            return f"{{containers: [{{name: main, resources: {{limits: {{{name}: {much}}}}}}}]}}"
    return f"{{…}} with the devices that {dotted(('spec', *giver.place))} asks for or claims"


def _idle(pod: EnginePod, resolved: Resolved) -> Iterator[Finding]:
    """A warning where the engine gets more accelerators than it is spread over."""
    spread, gpus = spread_of(pod.engine, pod.side, True), gpus_of({"containers": [pod.engine]})
    used = spread.processes
    if gpus <= used:
        return
    name = next(name for name in _wanted(pod.engine) if is_accelerator(name))
    cures = []
    if gpus % (spread.pipeline * spread.ranks) == 0:
        tensor = gpus // (spread.pipeline * spread.ranks)
        flagged = "tensor-parallel-size" in given_flags(pod.engine, True)
        cures.append(f"--tensor-parallel-size {tensor}" if flagged else f"parallelism: {{tensor: {tensor}}}")
    chosen = pod.side.workload.parallelism
    if pod.side.multi_node and chosen and chosen.data_local and gpus % (spread.tensor * spread.pipeline) == 0:
        cures.append(f"dataLocal: {gpus // (spread.tensor * spread.pipeline)}")
    message = f"{used} of {many(gpus)} {'is' if used == 1 else 'are'} used"
    cure = ", ".join([*cures, f"or {name}: {used}" if cures else f"{name}: {used}"])
    resources = pod.engine.get("resources") or {}
    kind = "limits" if name in (resources.get("limits") or {}) else "requests"
    where: Path = ("containers", pod.number, "resources", kind, name)
    yield in_template(resolved, where, message, cure, place=pod.place, code=CODE, severity="warning", value=gpus)


def _without_any(pod: EnginePod, resolved: Resolved) -> Iterator[Finding]:
    """A warning where an engine is spread over several processes, and no pod of the service asks for a device.

    On CPUs a process for each NUMA node may be meant, with an image for CPUs.
    """
    spread = spread_of(pod.engine, pod.side, True)
    image = str(pod.engine.get("image") or "").rpartition("@")[0] or str(pod.engine.get("image") or "")
    if spread.processes == 1 or "cpu" in image:
        return
    message = f"the engine is spread over {spread.processes} GPUs, and its container asks for none"
    cure = f"resources: {{limits: {{nvidia.com/gpu: {spread.processes}}}}}, or an image for CPUs where that is meant"
    where: Path = ("containers", pod.number, "resources")
    yield in_template(resolved, where, message, cure, place=pod.place, code=CODE, severity="warning")


def _is_untold(engine: Mapping[str, Any]) -> bool:
    """Whether what the engine is told of its spread can't be read here."""
    if any(item.get("name") == MORE and item.get("valueFrom") for item in engine.get("env") or []):
        return True
    flags = given_flags(engine, script=True)
    return any(name in flags for name in _UNTOLD) or any(
        name in flags and flags[name].number is None for name in _SPREADING
    )


def _may_be_device(resource: str) -> bool:
    return "/" in resource and not resource.startswith("rdma/") and "kubernetes.io/" not in resource


def _wanted(container: Mapping[str, Any]) -> dict[str, Any]:
    resources = container.get("resources") or {}
    return {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
