"""What our engines finally get, and the pods that they are in, against the recorded ones."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from loco import names
from loco.layers import Resolved
from loco.pods.reading import amount
from tests.layers.test_selection import REFUSED, documents
from tests.presets.layered import documents_resolved, pods
from tests.presets.stand_in import StandIn

# Recorded with KServe's own controller: the argument list of each container that starts vLLM.
RECORDED = json.loads((Path(__file__).parent / "recorded_runs.json").read_text("utf-8"))
# Services whose engines get more arguments from a room than from their preset: for traces, for LoRA adapters.
LENGTHENED = ("tracing", "sample-lora-")
# Corrected on purpose: what only a base config says of parallelism reaches the engine. The goldens' own test lists it.
DIFFERING = ("merge-keyed",)

# An object with its pods: the place of each in the object, by the word of tests/presets/layered.py.
WHERE = {
    "main": ("Deployment", "-kserve", ("template",)),
    "prefill": ("Deployment", "-kserve-prefill", ("template",)),
    "tokenizer": ("Deployment", "-tokenizer", ("template",)),
    "main of a group": ("LeaderWorkerSet", "-kserve-mn", ("leaderWorkerTemplate", "leaderTemplate")),
    "worker": ("LeaderWorkerSet", "-kserve-mn", ("leaderWorkerTemplate", "workerTemplate")),
    "prefill of a group": ("LeaderWorkerSet", "-kserve-mn-prefill", ("leaderWorkerTemplate", "leaderTemplate")),
    "prefill worker": ("LeaderWorkerSet", "-kserve-mn-prefill", ("leaderWorkerTemplate", "workerTemplate")),
}


def placed(service: Resolved) -> Iterator[tuple[str, dict[str, Any]]]:
    """The pods of a service by the words of WHERE."""
    found = dict(pods(service))
    for word, pod in found.items():
        grouped = f"{word} worker".removeprefix("main ") in found
        yield (f"{word} of a group" if grouped else word), pod


def runs(service: Resolved, stand_in: StandIn) -> dict[str, list[str]]:
    return {
        word: container["runs"]
        for word, pod in placed(service)
        for container in stand_in.with_runs(pod)["containers"]
        if "runs" in container
    }


@pytest.mark.parametrize("case", sorted(RECORDED))
def test_engines_get_what_kserve_gives_them(stand_in: StandIn, case: str) -> None:
    recorded = RECORDED[case]
    (service,) = documents_resolved(
        *yaml.safe_load_all(recorded["input"]),
        profile="kserve",
        namespace=recorded["namespace"],
        platform={"tls": case.endswith(".tls")},
    )
    ours = runs(service, stand_in)
    assert ours.keys() == recorded["runs"].keys()
    for word, argv in ours.items():
        assert argv == (recorded["runs"][word][: len(argv)] if case in LENGTHENED else recorded["runs"][word])


def goldens(shared: Path) -> Iterator[tuple[str, Resolved, dict[tuple[str, str], Any]]]:
    for folder in sorted((shared / "goldens").iterdir()):
        if not (folder / "expected.json").exists() or folder.name in {*REFUSED, *DIFFERING}:
            continue
        expected = json.loads((folder / "expected.json").read_text("utf-8"))
        objects = {
            (made["kind"], made["metadata"]["name"]): made["spec"] for made in expected["objects"] if "spec" in made
        }
        if not objects:  # KServe itself refused it
            continue
        config = {"profile": "kserve", "platform": {"tls": folder.name.endswith(".tls")}}
        for service in documents_resolved(*documents(folder), namespace=expected["namespace"], **config):
            yield folder.name, service, objects


def recorded_pod(word: str, service: Resolved, objects: dict[tuple[str, str], Any]) -> dict[str, Any] | None:
    kind, suffix, path = WHERE[word]
    spec = objects.get((kind, names.child_name(service.name, suffix)))
    for key in path if spec is not None else ():
        spec = spec[key]
    return spec["spec"] if spec is not None else None


def test_every_recorded_engine_gets_the_same(shared: Path, stand_in: StandIn) -> None:
    compared = set()
    for golden, service, objects in goldens(shared):
        for word, argv in runs(service, stand_in).items():
            recorded = recorded_pod(word, service, objects)
            assert recorded is not None, f"{golden} {word}"
            (theirs,) = (container for container in recorded["containers"] if container["name"] == "main")
            expected = theirs["runs"][: len(argv)] if golden.startswith(LENGTHENED) else theirs["runs"]
            assert argv == expected, f"{golden} {word}"
            compared.add(word)
    assert compared == WHERE.keys()


def test_every_recorded_pod_is_as_the_layers_have_it(shared: Path) -> None:
    """What rooms add is passed over: more of a list's items, fields, and the sequence of certificates."""
    compared = set()
    for golden, service, objects in goldens(shared):
        for word, pod in placed(service):
            recorded = recorded_pod(word, service, objects)
            assert recorded is not None, f"{golden} {word}"
            assert list(missing(without_commands(pod), recorded)) == [], f"{golden} {word}"
            assert fields_of(pod) == fields_of(recorded), f"{golden} {word}"
            compared.add(word)
    assert compared == WHERE.keys()


def fields_of(pod: dict[str, Any]) -> dict[str, set[str]]:
    """The fields of each container of a preset's own, but for those that rooms and the API server add."""
    added = {"command", "args", "runs", "resources", "volumeMounts", "imagePullPolicy", "terminationMessagePath"}
    every = [*pod.get("initContainers", []), *pod["containers"]]
    own = {container["name"]: container.keys() - added for container in every}
    return {name: {*fields} for name, fields in own.items() if name in ("main", "llm-d-routing-sidecar")}


def without_commands(pod: dict[str, Any]) -> dict[str, Any]:
    """The pod without what is recorded as ``runs``, and without what KServe leaves of two members of a one-of."""
    containers = [{k: v for k, v in c.items() if k not in ("command", "args")} for c in pod["containers"]]
    return {**pod, "containers": containers}


def missing(ours: Any, recorded: Any, path: str = "") -> Iterator[str]:
    """What of ours isn't in the recorded value: mappings may hold more, lists more at their end or certificates."""
    if isinstance(ours, dict) and isinstance(recorded, dict):
        for key, value in ours.items():
            if key not in recorded and value not in ({}, [], None):
                yield f"{path}.{key} is not there"
            elif key in recorded:
                yield from missing(value, recorded[key], f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(recorded, list):
        rest = [item for item in recorded if not (isinstance(item, dict) and item.get("name") == "tls-certs")]
        if len(ours) > len(rest):
            yield f"{path} has {len(ours)} items, recorded {len(rest)}"
        for index, (mine, theirs) in enumerate(zip(ours, rest, strict=False)):
            yield from missing(mine, theirs, f"{path}[{index}]")
    elif str(ours) != str(recorded) and not (".resources." in path and amount(ours) == amount(recorded)):
        yield f"{path}: {ours!r}, recorded {recorded!r}"
