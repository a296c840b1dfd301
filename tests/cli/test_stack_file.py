"""What a stack's file holds, and can't mean."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
CONFIG = "config:\n  serving:namespace: llm\n  serving:files: []\n  serving:cluster: {context: c}\n"
WELL = "nothing to say: no errors, no warnings\n"
OTHER = 'keys of another prefix are none of its settings\n  at config in Pulumi.dev.yaml:{line} (config)\n  found "{prefix}:"\n  write serving:KEY\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CONFIG, ""),
        (CONFIG.replace("serving:", ""), ""),
        (CONFIG + "  aws:region: eu\n  kubernetes:namespace: x\n  other:namespace: of-another-program\n", ""),
        ("config:\n", ""),
        ("", ""),
        ("config:\n  aws:region: eu\n  kubernetes:namespace: x\n", ""),
        (CONFIG.replace("serving:", "old-name:"), OTHER.format(line=2, prefix="old-name")),
        ("config:\n  aws:region: eu\n  b:cluster: {}\n  a:presets: '1'\n", OTHER.format(line=4, prefix="a")),
        ("config: []\n", 'mapping\n  at config in Pulumi.dev.yaml:1 (config)\n  found []\n  write config: {serving:KEY: VALUE}'),
        ("config: text\n", 'found "text"'),
        ("- a\n", 'mapping\n  at the document in Pulumi.dev.yaml:1 (config)\n  found ["a"]'),
    ],
)  # fmt: skip
def test_stack_file(loco: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: serving\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    done = loco("check")
    if said:
        assert said in done.err
    else:
        assert "mapping" not in done.err
        assert "prefix" not in done.err
    if text.startswith(CONFIG):
        assert done.out == WELL


def test_a_secret_without_a_credential_is_shown_at_its_line(
    loco: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: serving\nruntime: python\n")
    secret = "  serving:redisPassword: {secure: v1:abc}\n"
    (tmp_path / "Pulumi.dev.yaml").write_text(CONFIG + secret)
    monkeypatch.chdir(tmp_path)
    done = loco("check")
    assert "at redisPassword in Pulumi.dev.yaml:5 (config)" in done.err
    assert "v1:abc" not in done.err
