"""Devices that are claimed by annotations of the service (dynamic resource allocation)."""

import re
from collections.abc import Iterator

from loco.model import Finding
from loco.spec.kubernetes import scalars
from loco.spec.rules.judged import Judged
from loco.spec.tree import Branch, Leaf, Node, Path, Row, child, dotted, plain

_PREFIX = "serving.kserve.io/exp-dra-"
CLASS, COUNT = f"{_PREFIX}device-class", f"{_PREFIX}device-count"
SELECTOR, CONTAINER = f"{_PREFIX}cel-selector", f"{_PREFIX}container-name"
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST = 253
_PODS: tuple[Path, ...] = (("template",), ("worker",), ("prefill", "template"), ("prefill", "worker"))
_HIGHEST_COUNT = 2**31 - 1


def devices(judged: Judged) -> Iterator[Finding]:
    """Of the metadata's annotations, of whose values the outer spaces don't count."""
    where: Path = ("metadata", "annotations")
    node = child(child(judged.tree, "metadata"), "annotations")
    written = {key: str(value).strip() for key, value in (plain(node) if isinstance(node, Branch) else {}).items()}
    others = [key for key in (COUNT, SELECTOR, CONTAINER) if key in written]
    if CLASS not in written and others:
        message = f"{others[0]} says more of a device whose class is missing"
        yield judged.finding((*where, CLASS), message, f"{CLASS}: gpu.nvidia.com", fault=(*where, others[0]))
    device = written.get(CLASS, "a")
    if not _SUBDOMAIN.fullmatch(device) or len(device) > _LONGEST:
        message = "a device class is small letters, digits, dashes and dots, a letter or digit first and last"
        yield judged.finding((*where, CLASS), message, "gpu.nvidia.com")
    count = written.get(COUNT, "1")
    if not re.fullmatch(r"\+?[0-9]{1,10}", count, re.ASCII) or not 1 <= int(count) <= _HIGHEST_COUNT:
        yield judged.finding((*where, COUNT), "a count of devices is a whole number from 1 up", '"1"')
    if not written.get(SELECTOR, "a"):
        message = "the selector has no expression: each line that isn't empty is one"
        yield judged.finding((*where, SELECTOR), message, "a CEL expression, or the service without the annotation")
    container = written.get(CONTAINER, "main")
    if not scalars.is_dns_label(container):
        yield judged.finding((*where, CONTAINER), f"a container's name is {scalars.DNS_LABEL}", "main")
        return
    for pod in _PODS:
        names = _containers(judged.at(*pod))
        if CONTAINER in written and names and container not in names:
            message = f"{dotted(('spec', *pod))} has no container {container}, so none of it would get the devices"
            yield judged.finding((*where, CONTAINER), message, f"one of {', '.join(names)}", code="LOCO-REFERENCE")
            return


def _containers(pod: Node | None) -> list[str]:
    row = child(pod, "containers")
    named = [child(item, "name") for item in (row.items if isinstance(row, Row) else ())]
    return [str(name.value) for name in named if isinstance(name, Leaf)]
