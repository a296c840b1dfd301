"""loco diff: two stacks of one project."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.diff.conftest import MODELS, add

Run = Callable[..., Any]
CHAT, BIG = "LLMInferenceService/chat", "LLMInferenceService/big"


def found(done: Any) -> dict[str, dict[str, Any]]:
    """Differences by document and path; the config's under an empty name."""
    report = json.loads(done.out)
    by_document = {pair["document"]: pair["differences"] for pair in report["documents"]}
    return {
        document: {difference["path"]: difference for difference in differences}
        for document, differences in {"": report["config"], **by_document}.items()
    }


def values(difference: dict[str, Any]) -> list[Any]:
    return [side and side["value"] for side in difference["sides"]]


def places(difference: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(side["layer"], side["file"], side["line"]) for side in difference["sides"]]


@pytest.mark.usefixtures("project")
def test_alike(loco: Run) -> None:
    done = loco("diff", "staging", "prod", "--exit-code")
    assert (done.status, done.out, done.err) == (0, "--- staging\n+++ prod\n\nno differences\n", "")
    assert json.loads(loco("diff", "staging", "prod", "-o", "json").out) == {
        "stacks": ["staging", "prod"], "errors": [0, 0], "config": [], "documents": [],
    }  # fmt: skip


def test_a_value_with_the_place_of_each(loco: Run, project: Path) -> None:
    add(project, "prod", f"  serving:overrides: {{{CHAT}: {{spec: {{replicas: 4}}}}}}\n")
    done = loco("diff", "staging", "prod")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        "--- staging",
        "+++ prod",
        "",
        CHAT,
        "  spec.replicas",
        "    - 1  models/all.yaml:6 (service)",
        "    + 4  Pulumi.prod.yaml:4 (overrides)",
        "",
        "1 difference",
    ]
    [difference] = found(loco("diff", "staging", "prod", "-o", "json"))[CHAT].values()
    assert values(difference) == [1, 4]
    assert places(difference) == [("service", "models/all.yaml", 6), ("overrides", "Pulumi.prod.yaml", 4)]
    assert [lower["value"] for lower in difference["sides"][1]["overrode"]] == [1]


@pytest.mark.parametrize(("arguments", "status"), [((), 0), (("--exit-code",), 1)])
def test_exit_status_of_a_difference(loco: Run, project: Path, arguments: tuple[str, ...], status: int) -> None:
    add(project, "prod", "  serving:deletionProtection: false\n")
    assert loco("diff", "staging", "prod", *arguments).status == status


def test_what_holds_by_default_is_a_value_too(loco: Run, project: Path) -> None:
    add(project, "staging", "  serving:deletionProtection: false\n")
    add(project, "prod", "  serving:profile: safe\n  serving:presets: '1'\n")
    config = found(loco("diff", "staging", "prod", "-o", "json"))[""]
    assert {path: values(each) for path, each in config.items()} == {
        "deletionProtection": [False, True],
        "presets.version": [None, "1"],
    }
    assert config["presets.version"]["sides"][1]["line"] == 5
    assert "    + true   by default\n" in loco("diff", "staging", "prod").out


def test_documents_that_one_stack_lacks(loco: Run, project: Path) -> None:
    (project / "more").mkdir()
    (project / "more/m.yaml").write_text(MODELS.partition("---")[0].replace("chat", "extra"))
    add(project, "prod", "  serving:files: [models/*.yaml, more/*.yaml]\n")
    add(project, "prod", f"  serving:overrides:\n    {BIG}: {{enabled: false}}\n")
    done = loco("diff", "staging", "prod")
    assert f"\n{BIG}: only in staging; prod switches it off at Pulumi.prod.yaml:6 (overrides)\n" in done.out
    assert "\nLLMInferenceService/extra: only in prod; not in the files of staging\n" in done.out
    assert done.out.endswith("\n3 differences\n"), "and that of files"
    pairs = {
        pair["document"]: pair for pair in json.loads(loco("diff", "staging", "prod", "-o", "json").out)["documents"]
    }
    assert (pairs[BIG]["onlyIn"], pairs[BIG]["origin"]["line"]) == ("staging", 6)


def test_off_in_both_is_no_difference(loco: Run, project: Path) -> None:
    add(project, "prod", f"  serving:overrides: {{{BIG}: {{enabled: false}}}}\n")
    add(project, "staging", f"  serving:overrides: {{{BIG}: {{enabled: false, spec: {{replicas: 9}}}}}}\n")
    assert loco("diff", "staging", "prod", "--exit-code").status == 0


def test_another_namespace_is_one_difference(loco: Run, project: Path) -> None:
    file = project / "Pulumi.prod.yaml"
    file.write_text(file.read_text().replace("namespace: llm", "namespace: llm-prod"))
    done = loco("diff", "staging", "prod")
    assert done.out.count("llm-prod") == 1
    assert done.out.endswith("\n1 difference\n")
    assert "more from templates that are the same in both (--derived lists them)" in done.out
    derived = loco("diff", "staging", "prod", "--derived").out
    assert "llm-prod/models/" in derived
    assert "--derived" not in derived
    report = found(loco("diff", "staging", "prod", "-o", "json"))
    assert all(difference["derived"] for difference in report[CHAT].values())


def test_of_a_long_text_what_changed(loco: Run, project: Path) -> None:
    script = "one\\ntwo\\nthree"
    for stack, text in (("staging", script), ("prod", script.replace("two", "2"))):
        command = f'{{spec: {{template: {{containers: [{{name: main, command: [sh, -c, "{text}"]}}]}}}}}}'
        add(project, stack, f"  serving:overrides: {{{CHAT}: {command}}}\n")
    lines = loco("diff", "staging", "prod").out.splitlines()
    start = lines.index("  spec.template.containers[main].command")
    assert lines[start + 1 : start + 5] == [
        '    - ["sh", "-c", "one\\ntwo\\nthree"]  Pulumi.staging.yaml:4 (overrides)',
        '    + ["sh", "-c", "one\\n2\\nthree"]    Pulumi.prod.yaml:4 (overrides)',
        "",
        "1 difference",
    ]
    long = "x" * 60
    for stack in ("staging", "prod"):
        file = project / f"Pulumi.{stack}.yaml"
        file.write_text(file.read_text().replace("three", long))
    lines = loco("diff", "staging", "prod").out.splitlines()
    assert lines[start + 1 : start + 5] == [
        "    - 5 lines  Pulumi.staging.yaml:4 (overrides)",
        "    + 5 lines  Pulumi.prod.yaml:4 (overrides)",
        "        - two",
        "        + 2",
    ]


def test_a_secret_is_never_shown(loco: Run, project: Path) -> None:
    env = "{spec: {template: {containers: [{name: main, env: [{name: HF_TOKEN, value: other}]}]}}}"
    add(project, "prod", f"  serving:overrides: {{{CHAT}: {env}}}\n  serving:openaiToken: {{secure: v1:abc}}\n")
    for output in ("text", "json"):
        done = loco("diff", "staging", "prod", "-o", output, "--origins")
        assert "HF_TOKEN" in done.out
        assert "openaiToken" in done.out
        assert not {"pasted", "other", "v1:abc"} & set(done.out.replace('"', " ").split())


def test_origins(loco: Run, project: Path) -> None:
    add(project, "prod", f"  serving:overrides: {{{CHAT}: {{spec: {{replicas: 1}}}}}}\n  serving:profile: safe\n")
    assert loco("diff", "staging", "prod", "--exit-code").status == 0
    done = loco("diff", "staging", "prod", "--exit-code", "--origins")
    assert done.status == 0
    assert '  profile\n    = "safe"  staging: by default; prod: Pulumi.prod.yaml:5 (config)\n' in done.out
    assert "    = 1  staging: models/all.yaml:6 (service); prod: Pulumi.prod.yaml:4 (overrides)\n" in done.out
    assert done.out.endswith("\nno differences\n")


def test_errors_of_one_stack_are_said_and_the_rest_is_compared(loco: Run, project: Path) -> None:
    add(
        project,
        "prod",
        f"  serving:overrides: {{{CHAT}: {{spec: {{replicas: x}}}}, ExternalModel/gpt: {{spec: {{model: n}}}}}}\n",
    )
    add(project, "prod", "  serving:defaults: {LLMInferenceService: {spec: {baseRefs: [{name: nobody}]}}}\n")
    done = loco("diff", "staging", "prod")
    assert done.status == 1
    assert done.err.startswith("prod has errors; what they concern can't be compared:\n")
    assert 'found "x"' in done.err
    assert f"\n{BIG}: not compared: in prod an error stands in the way\n" in done.out
    assert '    + "n"  Pulumi.prod.yaml:4 (overrides)\n' in done.out


def test_a_document_that_neither_stack_can_read_is_named(loco: Run, project: Path) -> None:
    """Its value differs, which nobody would learn otherwise."""
    (project / "of-prod").mkdir()
    faulty = MODELS.replace("https://api", "https://user:PASS@api")
    (project / "of-prod/m.yaml").write_text(faulty.replace("PASS", "a"))
    (project / "models/all.yaml").write_text(faulty.replace("PASS", "b"))
    add(project, "prod", "  serving:files: [of-prod/*.yaml]\n  serving:namespace: llm-prod\n")
    file = project / "Pulumi.prod.yaml"
    file.write_text(file.read_text().replace("  serving:namespace: llm\n", ""))
    for stacks in (("staging", "prod"), ("prod", "staging")):
        done = loco("diff", *stacks)
        assert done.status == 1
        assert f"\nExternalModel/gpt: not compared: in {' and '.join(stacks)} an error stands in the way\n" in done.out


@pytest.mark.usefixtures("project")
def test_a_stack_that_is_not_there(loco: Run) -> None:
    done = loco("diff", "staging", "prd")
    assert (done.status, done.out) == (1, "")
    assert "there is no stack prd" in done.err
    assert "\n  write one of prod, staging\n" in done.err
    assert loco("diff", "staging").status == 2


def test_documents_that_move_to_another_namespace_are_still_the_same(loco: Run, project: Path) -> None:
    (project / "of-prod").mkdir()
    (project / "of-prod/m.yaml").write_text(MODELS.replace("{name: chat}", "{name: chat, namespace: elsewhere}"))
    add(project, "prod", "  serving:files: [of-prod/*.yaml]\n")
    report = found(loco("diff", "staging", "prod", "-o", "json"))
    assert values(report[CHAT]["metadata.namespace"]) == ["llm", "elsewhere"]
    assert report.keys() == {"", CHAT}


def test_companions_are_compared_as_they_stand(loco: Run, project: Path) -> None:
    (project / "of-prod").mkdir()
    (project / "of-prod/m.yaml").write_text(MODELS.replace("level: info", "level: debug"))
    add(project, "prod", "  serving:files: [of-prod/*.yaml]\n")
    report = found(loco("diff", "staging", "prod", "-o", "json"))
    assert {path: values(each) for path, each in report["ConfigMap/settings"].items()} == {
        "data.level": ["info", "debug"]
    }


def test_another_profile_shows_in_the_documents(loco: Run, project: Path) -> None:
    add(project, "prod", "  serving:profile: kserve\n")
    report = found(loco("diff", "staging", "prod", "-o", "json"))
    switch = report[CHAT]["spec.template.enableServiceLinks"]
    assert values(switch) == [False, None]
    assert switch["sides"][0]["layer"] == "profile:safe"
