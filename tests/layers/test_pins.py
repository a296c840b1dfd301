"""A pinned version of the presets keeps pods as they are, whatever a newer one brings."""

import json
import shutil
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from dev import pod_digests
from loco.layers import Profile, bases, catalog
from loco.model import Origin
from loco.plan import plan_stack
from tests.layers.lookup_stacks import applied, read, resolved, service
from tests.plan import stacks

SHIPPED = catalog.ROOT
TEMPLATE = "config-llm-template.yaml"


@pytest.mark.parametrize("version", catalog.versions())
def test_no_pod_restarts_within_a_version(version: str) -> None:
    changed = pod_digests.moved(version, pod_digests.recorded())
    assert changed == [], (
        f"pods of version {version} of the presets would restart: {', '.join(changed)}. Make a new version "
        "(docs/presets.md says how); or, while this one has not been released, record anew with "
        "`python -m dev.pod_digests --write`."
    )


def test_every_version_is_recorded_and_no_other() -> None:
    assert tuple(pod_digests.recorded()) == catalog.versions()


def test_every_shipped_preset_is_known() -> None:
    assert {path.stem for path in SHIPPED.glob("*.yaml")} == set(catalog.preset_names(catalog.NEWEST))


@pytest.fixture
def second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Presets whose newest version is 2, and equals the frozen version 1 for a start."""
    root = tmp_path / "presets"
    shutil.copytree(SHIPPED, root)
    frozen = root / "versions/1"
    shutil.copytree(SHIPPED, frozen, ignore=shutil.ignore_patterns("versions"))
    monkeypatch.setattr(catalog, "ROOT", root)
    monkeypatch.setattr(catalog, "NEWEST", "2")
    return root


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def pods(**config: Any) -> str:
    """Every object of a plan as bytes."""
    plan = stacks.planned({"replicas": 1}, **config)
    return json.dumps([dict(manifest.data) for manifest in plan.manifests])


EDITS = {
    "a preset": (TEMPLATE, "value: INFO", "value: WARNING"),
    "a script": ("scripts/vllm-serve.sh", "\n", "\n: new\n"),
    "a profile's layer": ("profiles/safe.yaml", "enableServiceLinks: false", "enableServiceLinks: true"),
    "a profile's switch": ("profiles/safe.yaml", "podSecurity: restricted", "podSecurity: asWritten"),
}


@pytest.mark.parametrize(("file", "old", "new"), EDITS.values(), ids=EDITS)
def test_a_pinned_stack_keeps_its_pods(second: Path, file: str, old: str, new: str) -> None:
    before = pods()
    edit(second / file, old, new)
    catalog._scripts.cache_clear()
    catalog._shipped.cache_clear()
    catalog._profile.cache_clear()
    bases._amended.cache_clear()
    assert pods(presets="1") == before
    assert pods(presets={"version": "1"}) == before
    assert pods(presets="2") == pods() != before


def test_a_preset_that_is_new_is_not_in_the_old_version(second: Path) -> None:
    (second / "versions/1" / TEMPLATE).unlink()
    assert set(catalog.preset_names("2")) - set(catalog.preset_names("1")) == {"config-llm-template"}
    with pytest.raises(KeyError):
        catalog.preset("config-llm-template", "1")
    plan = stacks.plan_of(stacks.service(), presets="1")
    assert [finding.code for finding in plan.errors] == ["LOCO-REFERENCE"]


def test_the_origin_names_the_frozen_file(second: Path, tmp_path: Path) -> None:
    found, _ = resolved(read(tmp_path, service(), presets="1"))
    assert found is not None
    assert found.origin_at("template", "containers", 0, "image").file == f"presets/versions/1/{TEMPLATE}"
    assert applied(read(tmp_path, service(), presets="2")) == ["preset config-llm-template (presets 2)"]


@pytest.mark.parametrize("profile", ["safe", "kserve"])
def test_a_frozen_profile_has_every_switch(profile: Any) -> None:
    for version in catalog.versions():
        assert isinstance(catalog.profile(profile, version), Profile)


def test_versions_are_in_their_order(second: Path) -> None:
    for name in ("10", "9"):
        (second / "versions" / name).mkdir()
    assert catalog.versions() == ("1", "9", "10", "2")


@pytest.mark.parametrize(
    ("presets", "path"), [("7", "presets"), (7, "presets"), ({"version": "7"}, "presets.version"), ("../x", "presets")]
)
def test_an_unknown_version_is_refused_once(second: Path, tmp_path: Path, presets: Any, path: str) -> None:
    (second / "x").mkdir()
    stack = read(tmp_path, service(), presets=presets)
    plan = stacks.plan_of(stacks.service(), stacks.service(name="other"), presets=presets)
    [finding] = plan.errors
    assert (finding.code, finding.path) == ("LOCO-REFERENCE", path)
    assert (
        finding.message
        == f"there is no version {presets['version'] if isinstance(presets, dict) else presets} of the presets"
    )
    assert finding.cure.startswith("one of 1, 2;")
    assert stack.findings == (), "spec doesn't know the versions"


def test_an_unknown_version_is_said_at_its_line(tmp_path: Path) -> None:
    stack = read(tmp_path, service(), presets={"folder": "own", "version": "7"}, a="")
    [finding] = [finding for finding in plan_stack(stack).findings if finding.path == "presets.version"]
    assert finding.origin == Origin("config", "Pulumi.dev.yaml", 6)


# The record's released mark, what stands in the record, what is judged to have moved.
POD = "Deployment llm/chat-kserve template"
RECORDS = {
    "as recorded": (False, {"x": {POD: "a"}}, []),
    "another digest": (False, {"x": {POD: "b"}}, [f"x: {POD}"]),
    "a pod more": (False, {}, [f"x: {POD}"]),
    "a pod less": (False, {"x": {POD: "a", "gone": "a"}}, ["x: gone"]),
    "released, another digest": (True, {"x": {POD: "b"}}, [f"x: {POD}"]),
    "released, an example more": (True, {}, []),
    "released, a pod less": (True, {"x": {POD: "a", "gone": "a"}}, ["x: gone"]),
}


@pytest.mark.parametrize(("released", "before", "expected"), RECORDS.values(), ids=RECORDS)
def test_what_has_moved(
    released: bool, before: dict[str, Any], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pod_digests, "digests_of", lambda version: {"x": {POD: "a"}})
    assert pod_digests.moved("1", {"1": {"released": released, "pods": before}}) == expected


@pytest.mark.parametrize(("released", "kept", "status"), [(False, "a", 0), (True, "b", 1)])
def test_a_released_version_is_never_written_anew(
    released: bool, kept: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pod_digests, "RECORD", tmp_path / "digests.yaml")
    monkeypatch.setattr(pod_digests, "digests_of", lambda version: {"x": {POD: "a"}})
    monkeypatch.setattr("sys.argv", ["pod_digests", "--write"])
    (tmp_path / "digests.yaml").write_text(json.dumps({"1": {"released": released, "pods": {"x": {POD: "b"}}}}))
    assert pod_digests.main() == status
    assert pod_digests.recorded()["1"] == {"released": released, "pods": {"x": {POD: kept}}}


TEMPLATE_OF_A_POD: dict[str, Any] = {
    "metadata": {"labels": {"a": "b"}},
    "spec": {
        "containers": [{"name": "main", "resources": {"limits": {"cpu": "4", "memory": "1Gi"}}, "args": ["1Gi"]}],
        "volumes": [{"name": "shm", "emptyDir": {"sizeLimit": "1Gi"}}],
    },
}


# Path and value, and whether the digest is the same.
SPELLINGS: list[tuple[tuple[str | int, ...], Any, bool]] = [
    (("containers", 0, "resources", "limits", "cpu"), "4000m", True),
    (("containers", 0, "resources", "limits", "cpu"), 4, True),
    (("containers", 0, "resources", "limits", "cpu"), "4001m", False),
    (("containers", 0, "resources", "limits", "memory"), "1024Mi", True),
    (("containers", 0, "resources", "limits", "memory"), "1G", False),
    (("containers", 0, "args", 0), "1024Mi", False),
    (("volumes", 0, "emptyDir", "sizeLimit"), "1024Mi", True),
    (("volumes", 0, "emptyDir", "sizeLimit"), "2Gi", False),
]


@pytest.mark.parametrize(("path", "value", "same"), SPELLINGS)
def test_the_spelling_of_a_quantity_moves_no_digest(path: tuple[str | int, ...], value: Any, same: bool) -> None:
    other = deepcopy(TEMPLATE_OF_A_POD)
    node: Any = other["spec"]
    for key in path[:-1]:
        node = node[key]
    assert node[path[-1]] != value
    node[path[-1]] = value
    assert (pod_digests.digest(other) == pod_digests.digest(TEMPLATE_OF_A_POD)) == same
