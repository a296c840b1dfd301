"""The folder of presets of one's own, and the config that names it: every fault at its line."""

from pathlib import Path
from typing import Any

import pytest

from loco.model import Origin
from loco.spec.presets import Script
from loco.spec.tree import plain
from tests.spec.spec_stacks import names, stack

PRESET = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: NAME}
spec:
  replicas: 2
"""


def own(root: Path, **files: str) -> None:
    for name, text in files.items():
        file = root / "own" / name.replace("__", "/").replace("_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def test_presets_and_scripts(root: Path) -> None:
    two = PRESET.replace("NAME", "a") + "---\n" + PRESET.replace("NAME", "kserve-config-llm-template")
    own(root, x_yaml=two, y_yml=PRESET.replace("NAME", "kserve-b"), README_md="x", scripts__s_sh="echo")
    read = stack(root, "presets: {folder: own}")
    assert read.findings == ()
    presets = read.own_presets
    assert presets.folder == "own"
    assert list(presets.specs) == ["a", "config-llm-template", "kserve-b"]
    assert plain(presets.specs["a"]) == {"replicas": 2}
    assert presets.specs["config-llm-template"].origin == Origin("preset:config-llm-template", "own/x.yaml", 10)
    assert presets.scripts == {"s.sh": Script("echo", "own/scripts/s.sh")}


@pytest.mark.parametrize("files", ["[models/*.yaml, 'own/*.yaml']", "['**/*.yaml']", "['./own/../own/*.yaml', models]"])
def test_presets_are_no_model_files(root: Path, files: str) -> None:
    own(root, x_yaml=PRESET.replace("NAME", "a"))
    read = stack(root, f"presets: {{folder: own}}\nfiles: {files}".replace("models]", "models/*.yaml]"))
    assert names(read) == ["chat"]
    assert list(read.own_presets.specs) == ["a"]


def test_a_pattern_of_presets_alone_matches_no_file(root: Path) -> None:
    own(root, x_yaml=PRESET.replace("NAME", "a"))
    [finding] = stack(root, "presets: {folder: own}\nfiles: [own/*.yaml]").findings
    assert (finding.code, finding.path) == ("LOCO-FILE", "files[0]")


def test_without_the_key_there_are_none(root: Path) -> None:
    own(root, x_yaml="nonsense")
    read = stack(root, "")
    assert (read.findings, read.own_presets.specs, read.own_presets.folder) == ((), {}, None)


# What stands in the place of the preset's last line, then code, path and words of message and cure.
FAULTS: dict[str, tuple[str, str, str, str]] = {
    "unknown key": ("  replicsa: 2", "UNKNOWN-KEY", "spec.replicsa", "replicas"),
    "unknown key of a pod": (
        "  template: {hostNetwrok: true}",
        "UNKNOWN-KEY",
        "spec.template.hostNetwrok",
        "hostNetwork",
    ),
    "type": ("  replicas: two", "TYPE", "spec.replicas", "a whole number"),
    "a template for a number": ("  replicas: '{{ 2 }}'", "TYPE", "spec.replicas", "a template makes text"),
    "value": ("  template: {restartPolicy: Sometimes}", "VALUE", "spec.template.restartPolicy", "Always"),
    "directive": ("  labels: {$patch: mend}", "VALUE", "spec.labels.$patch", "replace"),
    "base configs of its own": ("  baseRefs: [{name: a}]", "VALUE", "spec.baseRefs", "can't refer"),
}


@pytest.mark.parametrize(("line", "code", "path", "words"), FAULTS.values(), ids=FAULTS)
def test_faults_as_of_any_document(root: Path, line: str, code: str, path: str, words: str) -> None:
    own(root, x_yaml=PRESET.replace("NAME", "a").replace("  replicas: 2", line))
    read = stack(root, "presets: {folder: own}")
    [finding] = read.findings
    assert (finding.code, finding.path, finding.severity) == (f"LOCO-{code}", path, "error")
    assert finding.subject == "LLMInferenceServiceConfig/a"
    assert finding.origin == Origin("presets", "own/x.yaml", 5)
    assert words in f"{finding.message}: {finding.cure}"
    assert not read.complete, "so that a reference to it is no second fault"


def test_what_a_template_will_say_is_not_judged_yet(root: Path) -> None:
    text = PRESET.replace("NAME", "a").replace("  replicas: 2", "  template: {restartPolicy: '{{ name }}'}")
    own(root, x_yaml=text)
    read = stack(root, "presets: {folder: own}")
    assert (read.findings, list(read.own_presets.specs)) == ((), ["a"])


def test_all_faults_at_once(root: Path) -> None:
    service = (
        PRESET.replace("NAME", "s").replace("ServiceConfig", "Service").replace("replicas: 2", "model: {uri: hf://a/b}")
    )
    placed = PRESET.replace("NAME", "b, namespace: kserve")
    twice = PRESET.replace("NAME", "kserve-config-llm-x") + "---\n" + PRESET.replace("NAME", "config-llm-x")
    own(root, a_yaml=service, b_yaml=placed, c_yaml=twice, d_yaml="a: [", e_yaml="- 1", scripts__f_sh="")
    (root / "own/scripts/g.sh").write_bytes(b"\n\xff")
    said = [
        (finding.code, finding.severity, str(finding.origin))
        for finding in stack(root, "presets: {folder: own}").findings
    ]
    assert sorted(said, key=lambda entry: entry[2]) == [
        ("LOCO-KIND", "error", "own/a.yaml:1 (presets)"),
        ("LOCO-NO-EFFECT", "warning", "own/b.yaml:3 (presets)"),
        ("LOCO-DUPLICATE", "error", "own/c.yaml:7 (presets)"),
        ("LOCO-YAML", "error", "own/d.yaml:1 (presets)"),
        ("LOCO-TYPE", "error", "own/e.yaml:1 (presets)"),
        ("LOCO-YAML", "error", "own/scripts/g.sh:2 (presets)"),
    ]


@pytest.mark.parametrize("folder", ["nowhere", "", "models/chat.yaml", '"a\\0b"'])
def test_no_such_folder(root: Path, folder: str) -> None:
    [finding] = stack(root, f"presets:\n  folder: {folder or repr('')}").findings
    assert (finding.code, finding.path) == ("LOCO-FILE", "presets.folder")
    assert finding.origin == Origin("config", "Pulumi.dev.yaml", 3)


# The config, then version and folder.
SPELLINGS: dict[str, tuple[str, str | None, str | None]] = {
    "text": ("presets: '1'", "1", None),
    "a whole number": ("presets: 1", "1", None),
    "a mapping": ("presets: {version: '1', folder: own}", "1", "own"),
    "a mapping with a number": ("presets: {version: 1}", "1", None),
    "a folder alone": ("presets: {folder: own}", None, "own"),
    "nothing": ("presets:", None, None),
}


@pytest.mark.parametrize(("config", "version", "folder"), SPELLINGS.values(), ids=SPELLINGS)
def test_spellings(root: Path, config: str, version: str | None, folder: str | None) -> None:
    own(root, x_yaml="")
    read = stack(root, config)
    assert read.findings == ()
    assert (read.config.presets.version, read.config.presets.folder) == (version, folder)


MISSPELT: dict[str, tuple[str, str, str, str]] = {
    "list": ("presets: [1]", "TYPE", "presets", "a mapping"),
    "boolean": ("presets: true", "TYPE", "presets", "a mapping"),
    "unknown key": ("presets: {versoin: 1}", "UNKNOWN-KEY", "presets.versoin", "version"),
    "broken number": ("presets: {version: 1.5}", "TYPE", "presets.version", '"1.5" in quotes'),
    "folder as number": ("presets: {folder: 1}", "TYPE", "presets.folder", '"1" in quotes'),
}


@pytest.mark.parametrize(("config", "code", "path", "words"), MISSPELT.values(), ids=MISSPELT)
def test_misspelt(root: Path, config: str, code: str, path: str, words: Any) -> None:
    [finding] = stack(root, config).findings
    assert (finding.code, finding.path) == (f"LOCO-{code}", path)
    assert words in f"{finding.message}: {finding.cure}"


def test_a_folder_that_may_not_be_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "own").mkdir()

    def refuse(path: Path) -> list[str]:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("loco.spec.presets.os.listdir", refuse)
    (finding,) = stack(root, "presets: {folder: own}").findings
    assert (finding.code, finding.path, finding.message) == (
        "LOCO-FILE",
        "presets.folder",
        "the folder own may not be read",
    )
