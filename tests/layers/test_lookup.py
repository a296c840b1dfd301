"""Where a name is found: the service's namespace, the user's own presets, loco's; and what is said where it isn't."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from loco.layers import catalog
from loco.model import Origin
from loco.spec.tree import at
from tests.layers.lookup_stacks import applied, config, read, resolved, service

IMAGE: dict[str, Any] = {"template": {"containers": [{"name": "main", "image": "own/engine:1"}]}}
PRESET = "preset config-llm-template (presets 1)"
OWN = yaml.safe_dump(config("shared", labels={"from": "folder"}))
TEMPLATE = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: NAME}
spec:
  template:
    containers:
    - name: main
      image: own/engine:1
      args: ["--served-name", "{{ name }}", "{% include 'mine.sh' %}"]
"""

# Base references, documents beside the service, what has taken part.
FOUND: dict[str, tuple[str, list[dict[str, Any]], str]] = {
    "the service's namespace": ("a", [config("a")], "baseRef a (namespace llm)"),
    "before the folder": ("shared", [config("shared")], "baseRef shared (namespace llm)"),
    "the folder": ("shared", [config("shared", "other")], "baseRef shared (folder own)"),
    "a shipped preset": ("config-llm-template", [], "baseRef config-llm-template (presets 1)"),
    "KServe's name of it": ("kserve-config-llm-template", [], "baseRef config-llm-template (presets 1)"),
    "KServe's name, a document's plain one": (
        "kserve-config-llm-scheduler",
        [config("config-llm-scheduler")],
        "baseRef config-llm-scheduler (namespace llm)",
    ),
    "the plain name, a document's of KServe": (
        "config-llm-scheduler",
        [config("kserve-config-llm-scheduler")],
        "baseRef kserve-config-llm-scheduler (namespace llm)",
    ),
    "the exact name first": (
        "config-llm-scheduler",
        [config("kserve-config-llm-scheduler"), config("config-llm-scheduler")],
        "baseRef config-llm-scheduler (namespace llm)",
    ),
}


@pytest.mark.parametrize(("ref", "documents", "expected"), FOUND.values(), ids=FOUND)
def test_order_of_places(tmp_path: Path, ref: str, documents: list[dict[str, Any]], expected: str) -> None:
    assert applied(read(tmp_path, service(ref), *documents, shared=OWN)) == [PRESET, expected]


# The base reference, documents, words of message, of cure.
NOT_FOUND: dict[str, tuple[str, list[dict[str, Any]], str, str]] = {
    "nearest of a document": (
        "abase",
        [config("a-base")],
        "the namespace llm, the folder own and the presets",
        "a-base",
    ),
    "nearest in the folder": ("share", [], "called share;", "shared"),
    "nearest preset": ("config-llm-shedule", [], "called config-llm-shedule", "config-llm-scheduler"),
    "nothing near": (
        "zzz",
        [config("a-base")],
        "called zzz",
        "a-base, shared; or an LLMInferenceServiceConfig of that name in the namespace llm",
    ),
    "elsewhere": ("a", [config("a", "b")], "there is one in the namespace b, and", "metadata.namespace: llm"),
    "in KServe's system namespace": (
        "a",
        [config("a", "kserve")],
        "one in the namespace kserve, and",
        "folder of presets",
    ),
    "elsewhere in two": ("a", [config("a", "c"), config("a", "b")], "in the namespaces b, c, and", "namespace: llm"),
    "only presets have two names": ("kserve-shared", [config("kserve-share")], "called kserve-shared", "kserve-share"),
}


@pytest.mark.parametrize(("ref", "documents", "words", "cure"), NOT_FOUND.values(), ids=NOT_FOUND)
def test_not_found(tmp_path: Path, ref: str, documents: list[dict[str, Any]], words: str, cure: str) -> None:
    found, [finding] = resolved(read(tmp_path, service(ref), *documents, shared=OWN))
    assert found is None
    assert (finding.code, finding.severity, finding.value) == ("LOCO-REFERENCE", "error", ref)
    assert finding.path == "spec.baseRefs[0].name"
    assert words in finding.message
    assert cure in finding.cure


def test_a_document_without_a_namespace_belongs_to_the_stack(tmp_path: Path) -> None:
    document = service("a")
    document["metadata"]["namespace"] = "other"
    _, [finding] = resolved(read(tmp_path, document, config("a")))
    assert "there is one in the namespace llm" in finding.message


@pytest.mark.parametrize("name", ["config-llm-template", "kserve-config-llm-template"])
def test_a_document_replaces_the_preset_of_its_name(tmp_path: Path, name: str) -> None:
    stack = read(tmp_path, service(), config(name, **IMAGE), config(name, "other", replicas=7))
    assert applied(stack) == ["preset config-llm-template (namespace llm)"]
    found, _ = resolved(stack)
    assert found is not None
    container = at(found.tree, ("template", "containers", 0))
    assert container is not None
    assert at(container, ("image",)).origin.layer == f"config:{name}"  # type: ignore[union-attr]
    assert at(container, ("command",)) is None, "replaced whole"
    assert found.spec.replicas is None


def test_kserves_name_replaces_before_the_plain_one(tmp_path: Path) -> None:
    documents = [
        config("kserve-config-llm-template", replicas=1, **IMAGE),
        config("config-llm-template", replicas=2, **IMAGE),
    ]
    found, _ = resolved(read(tmp_path, service(), *documents))
    assert found is not None
    assert found.spec.replicas == 1


def test_a_replaced_preset_stays_below_everything_else(tmp_path: Path) -> None:
    document = config("config-llm-template", replicas=1, labels={"a": "preset", "b": "preset"}, **IMAGE)
    found, _ = resolved(read(tmp_path, service("base", replicas=3), document, config("base", labels={"b": "base"})))
    assert found is not None
    assert (found.spec.replicas, found.spec.labels) == (3, {"a": "preset", "b": "base"})


@pytest.mark.parametrize("name", ["config-llm-template", "kserve-config-llm-template"])
def test_the_folder_replaces_a_preset_whole_and_is_templated(tmp_path: Path, name: str) -> None:
    stack = read(tmp_path, service(), preset=TEMPLATE.replace("NAME", name), mine_sh="of {{ namespace }}")
    assert applied(stack) == ["preset config-llm-template (folder own)"]
    found, _ = resolved(stack)
    assert found is not None
    assert found.spec.template is not None
    [container] = found.spec.template["containers"]
    assert container == {"name": "main", "image": "own/engine:1", "args": ["--served-name", "chat", "of llm"]}
    image = at(found.tree, ("template", "containers", 0, "image"))
    assert image is not None
    assert image.origin == Origin("preset:config-llm-template", "own/preset.yaml", 8)


def test_a_document_replaces_what_the_folder_has(tmp_path: Path) -> None:
    stack = read(
        tmp_path,
        service(),
        config("config-llm-template", **IMAGE),
        preset=TEMPLATE.replace("NAME", "config-llm-template"),
    )
    assert applied(stack) == ["preset config-llm-template (namespace llm)"]


def test_a_script_of_the_folder_takes_the_place_of_locos(tmp_path: Path) -> None:
    found, findings = resolved(read(tmp_path, service(), **{"vllm-serve_sh": "exec mine {{ name }}"}))
    assert findings == []
    assert found is not None
    assert found.spec.template is not None
    assert found.spec.template["containers"][0]["command"][2] == "exec mine chat"
    untouched, _ = resolved(read(tmp_path, service(), presets={"version": "1"}))
    assert untouched is not None
    assert untouched.spec.template is not None
    assert "mine" not in untouched.spec.template["containers"][0]["command"][2]


# What stands in the script, the line and words of the finding, and whether it is wrong whatever the service.
FAULTS = [
    ("a\n{{ nobody }}", 2, "'nobody' is undefined", False),
    ("a\n\n{% if %}", 3, "Expected", True),
    ("{{ ''.__class__ }}", 1, "unsafe", False),
    ("{% include '/etc/passwd' %}", 1, "/etc/passwd", True),
]


@pytest.mark.parametrize(("text", "line", "words", "whatever"), FAULTS)
def test_faults_of_a_script_are_said_at_its_line(
    tmp_path: Path, text: str, line: int, words: str, whatever: bool
) -> None:
    stack = read(tmp_path, service(), preset=TEMPLATE.replace("NAME", "config-llm-template"), mine_sh=text)
    found, [finding] = resolved(stack)
    assert found is None
    path = "" if whatever else "spec.template.containers[main].args[2]"
    layer = "presets" if whatever else "preset:config-llm-template"
    assert (finding.code, finding.path) == ("LOCO-TEMPLATE", path)
    assert finding.origin == Origin(layer, "own/scripts/mine.sh", line)
    assert words in finding.message


def test_faults_of_a_preset_are_said_at_its_line(tmp_path: Path) -> None:
    text = TEMPLATE.replace("NAME", "config-llm-template").replace("{{ name }}", "{{ nmae }}")
    _, [finding] = resolved(read(tmp_path, service(), preset=text, mine_sh=""))
    assert (finding.code, finding.origin) == (
        "LOCO-TEMPLATE",
        Origin("preset:config-llm-template", "own/preset.yaml", 9),
    )


def test_what_a_template_makes_is_judged_like_anything_else(tmp_path: Path) -> None:
    text = TEMPLATE.replace("NAME", "config-llm-template").replace(
        "image: own/engine:1", 'image: a:1\n      imagePullPolicy: "{{ VALUE }}"'
    )
    assert applied(read(tmp_path, service(), preset=text.replace("VALUE", "'Always'"), mine_sh="")) != []
    _, [finding] = resolved(read(tmp_path, service(), preset=text.replace("VALUE", "name"), mine_sh=""))
    assert (finding.code, finding.value) == ("LOCO-VALUE", "chat")
    assert finding.origin == Origin("preset:config-llm-template", "own/preset.yaml", 9)


def test_a_preset_that_nobody_ships_is_asked_for_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "config-llm-template"
    monkeypatch.setattr(catalog, "PRESETS", ())
    monkeypatch.setattr(catalog, "_names", catalog._names.__wrapped__)  # without what it remembers
    found, [finding] = resolved(read(tmp_path, service()))
    assert found is None
    assert (finding.code, finding.path, finding.value) == ("LOCO-REFERENCE", "spec", name)
    assert f"takes the preset {name}, which isn't there; searched the namespace llm and the presets" in finding.message
    assert applied(read(tmp_path, service(), config(f"kserve-{name}", **IMAGE))) == [f"preset {name} (namespace llm)"]
