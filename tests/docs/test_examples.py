"""Every example of the README and of docs/ is accepted by ``loco check``: no errors, and no warning that it keeps quiet."""

import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from loco.model import errors_of
from loco.plan import Plan, plan_stack
from loco.spec import read_stack
from tests.conftest import REPOSITORY

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
_FENCED = re.compile(r"^([ \t]*)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
# What an example may leave to the stack: where routes lead, and the documents and Secrets that it names.
PLATFORM = {
    "gateway": {"name": "shared", "namespace": "infra", "internalURL": "http://gw.infra.svc", "peers": [{"namespace": "infra"}]},
    "spareGpus": 16,
    "monitoring": {"prometheus": "http://prometheus.monitoring.svc:9090", "peers": [{"namespace": "monitoring"}]},
}  # fmt: skip
CREDENTIALS = {
    "openai": {"token": {"config": "openaiToken"}},
    "redis": {"password": {"existing": True}},
    "litellm-db": {"url": {"existing": True}},
    "proxy": {"token": {"existing": True}},
}
MODEL = (REPOSITORY / "models/opt-125m.yaml").read_text()
OTHERS = ("opt-125m", "chat", "embed")
# Pages whose examples show what is worth a warning, and the warnings.
EXPECTED = {"presets.md": {"LOCO-WEAK-SECURITY"}}


class Example(NamedTuple):
    page: str
    number: int
    language: str
    text: str


def _examples() -> list[Example]:
    return [
        Example(page.name, number, language, re.sub(rf"^{indent}", "", text, flags=re.MULTILINE))
        for page in PAGES
        for number, (indent, language, text) in enumerate(_FENCED.findall(page.read_text()))
    ]


ALL = _examples()
DOCUMENTS = [example for example in ALL if example.language == "yaml" and re.search(r"^kind: ", example.text, re.M)]
CONFIGS = [example for example in ALL if example.language == "yaml" and re.search(r"^ *loco:", example.text, re.M)]


def _name(example: Example) -> str:
    return f"{example.page}-{example.number}"


def _is_preset(example: Example) -> bool:
    return "{%" in example.text


def _beside(page: str, name: str) -> str:
    """A service that an example may name: the page's own of this name, if it has one."""
    for example in DOCUMENTS:
        if example.page == page and not _is_preset(example):
            for document in yaml.safe_load_all(example.text):
                if (document["kind"], document["metadata"]["name"]) == ("LLMInferenceService", name):
                    document["metadata"].setdefault("labels", {"tier": "gold"})
                    return yaml.safe_dump(document)
    return _model(name)


def _model(name: str) -> str:
    """A service that an example may name."""
    labelled = MODEL.replace("name: opt-125m", f"name: {name}\n  labels: {{tier: gold}}")
    return labelled if name == "opt-125m" else labelled.replace("name: facebook/opt-125m", f"name: {name}")


def _plan(root: Path, models: str, config: dict[str, Any]) -> Plan:
    (root / "model.yaml").write_text(models)
    values = {"namespace": "llm", "cluster": {"context": "c"}, "files": ["model.yaml"], **config}
    return plan_stack(read_stack(root, values, secrets=["openaiToken"] if config.get("credentials") else []))


def test_there_are_examples() -> None:
    assert len(DOCUMENTS) > 10
    assert {"README.md", "presets.md", "model-files.md", "scaling.md", "porting.md"} <= {e.page for e in DOCUMENTS}
    assert {"README.md", "presets.md", "platform.md", "scaling.md"} <= {e.page for e in CONFIGS}


@pytest.mark.parametrize("example", [e for e in DOCUMENTS if not _is_preset(e)], ids=_name)
def test_documents(tmp_path: Path, example: Example) -> None:
    named = {(d["kind"], d["metadata"]["name"]) for d in yaml.safe_load_all(example.text)}
    others = [name for name in OTHERS if ("LLMInferenceService", name) not in named]
    beside = "\n---\n".join(_beside(example.page, name) for name in others)
    config = {"platform": PLATFORM, "credentials": CREDENTIALS if "secretRef" in example.text else {}}
    plan = _plan(tmp_path, f"{example.text}\n---\n{beside}", config)
    assert [str(finding) for finding in plan.errors] == []
    subjects = {f"{kind}/llm/{name}" for kind, name in named}
    said = {finding.code for finding in plan.findings if finding.subject in subjects}
    assert said <= EXPECTED.get(example.page, set())


@pytest.mark.parametrize("example", [e for e in DOCUMENTS if _is_preset(e)], ids=_name)
def test_presets(tmp_path: Path, example: Example) -> None:
    scripts = tmp_path / "presets" / "scripts"
    scripts.mkdir(parents=True)
    (tmp_path / "presets" / "engine.yaml").write_text(example.text)
    for other in ALL:
        if other.page == example.page and other.language == "bash" and "scripts/" in other.text:
            (scripts / other.text.partition("\n")[0].rpartition("/")[2]).write_text(other.text)
    plan = _plan(tmp_path, MODEL, {"platform": PLATFORM, "presets": {"folder": "presets"}})
    assert plan.findings == ()
    [service] = plan.resolved
    assert any("folder presets" in str(config) for config in service.applied)
    assert service.spec.template is not None
    [main] = service.spec.template["containers"]
    assert {"ports", "startupProbe", "readinessProbe", "livenessProbe"} <= main.keys()
    assert {"/dev/shm", "/tmp", "/home"} <= {mount["mountPath"] for mount in main["volumeMounts"]}
    vllm = tmp_path / "vllm"
    vllm.write_text('#!/bin/bash\nprintf "%s\\n" "$@"\n')
    vllm.chmod(0o755)
    command = [*main["command"], "--max-model-len", "1 2"]
    done = subprocess.run(
        command, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, check=True
    )
    said = ["serve", "/mnt/models", "--port", "8000", "--served-model-name", "facebook/opt-125m"]
    assert done.stdout.splitlines() == [*said, "publishers/llm/models/facebook/opt-125m", "--max-model-len", "1 2"]


@pytest.mark.parametrize("example", CONFIGS, ids=_name)
def test_configs(tmp_path: Path, example: Example) -> None:
    written = yaml.safe_load(example.text.replace("…", "x"))
    values = {key.removeprefix("loco:"): value for key, value in written.get("config", written).items()}
    secrets = [key for key, value in values.items() if isinstance(value, dict) and set(value) == {"secure"}]
    config = {key: value for key, value in values.items() if key not in (*secrets, "files")}
    if isinstance(presets := config.get("presets"), dict) and "folder" in presets:
        (tmp_path / presets["folder"]).mkdir()
    (tmp_path / "model.yaml").write_text("\n---\n".join(map(_model, OTHERS)))
    stack = read_stack(tmp_path, {"namespace": "llm", **config, "files": ["model.yaml"]}, secrets=secrets)
    assert [str(finding) for finding in errors_of(stack.findings)] == []


def test_every_page_is_named_in_the_readme() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    assert [page.name for page in PAGES[1:] if f"](docs/{page.name})" not in readme] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", page.read_text()):
        other = page.parent / target if target else page
        assert other.exists(), target
        if anchor:
            heads = re.findall(r"^#+ (.*)$", other.read_text(), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}, anchor
