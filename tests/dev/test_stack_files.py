"""Which cluster a stack file remembers, and the file that is made for a named cluster."""

import re
from pathlib import Path

import pytest
import yaml

from dev.commands.checkout import Checkout
from dev.commands.stack_files import generated, remembered_context
from dev.messages import Problem

SALT = "encryptionsalt: v1:5nkOh6RbOyQ=:v1:MwWm7D2eF1AUu47T:3Z2Q1FNh1185mekYbnAwJMs5KZ/meg==\n"


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("config:\n  loco:cluster: {context: prod, identifier: x}\n", "prod"),
        ("config:\n  loco:cluster: {identifier: x, context: prod}\n", "prod"),
        ("config:\n  loco:cluster:\n    identifier: x\n    context: prod # ours\n", "prod"),
        ("config:\n  'loco:cluster':\n    context: 'two words'\n", "two words"),
        (
            'config:\n  loco:cluster: {"context": "arn:aws:eks:eu-1:1:cluster/a"}\n',
            "arn:aws:eks:eu-1:1:cluster/a",
        ),
        ("config:\n  loco:cluster:\n    context: arn:aws:eks:eu-1:1:cluster/a\n", "arn:aws:eks:eu-1:1:cluster/a"),
        ("config:\n  loco:cluster: {identifier: x}\n  loco:other: {context: wrong}\n", None),
        ("config:\n  loco:cluster:\n    identifier: x\n  other:\n    context: wrong\n", None),
        ("config:\n  loco:context: wrong\n", None),
        ("", None),
    ],
)
def test_remembered_context(text: str, context: str | None) -> None:
    assert remembered_context(text) == context


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path, tmp_path / ".loco")


def test_generated_file_differs_in_the_cluster_only(checkout: Checkout) -> None:
    source = (
        SALT + "config:\n  # a comment\n  loco:models: [small]\n"
        "  loco:cluster: {context: loco-dev, identifier: loco-dev, createNamespaces: true}\n"
    )
    checkout.stack_file("dev").write_text(source)
    for context in ("prod", "arn:aws:eks:eu-1:1:cluster/a", 'odd "name", {x}\\1'):
        text = generated(checkout, context, keep_salt=True)
        before, after = yaml.safe_load(source), yaml.safe_load(text)
        cluster = after["config"].pop("loco:cluster")
        before["config"].pop("loco:cluster")
        assert after["config"].pop("loco:deletionProtection") is False, "a stack to try things with"
        assert after == before
        assert cluster == {"context": context, "identifier": context, "createNamespaces": True}
        assert "# a comment" in text


def test_generated_context_is_remembered(checkout: Checkout) -> None:
    checkout.stack_file("dev").write_text("config:\n  loco:cluster: {context: loco-dev}\n")
    assert remembered_context(generated(checkout, "kind-x", keep_salt=True)) == "kind-x"


def test_values_of_the_dev_passphrase_do_not_go_with_another(checkout: Checkout) -> None:
    lines = "config:\n  loco:cluster: {context: loco-dev}\n"
    checkout.stack_file("dev").write_text(SALT + lines)
    unprotected = "config:\n  loco:deletionProtection: false\n"
    expected = lines.replace("loco-dev", '"x"').replace("config:\n", unprotected)
    assert generated(checkout, "x", keep_salt=False) == expected
    checkout.stack_file("dev").write_text(SALT + lines + "  loco:key: {secure: v1:abc}\n")
    with pytest.raises(Problem, match="only the dev passphrase opens"):
        generated(checkout, "x", keep_salt=False)


@pytest.mark.parametrize("text", ["config: {}\n", "config:\n  loco:cluster:\n    context: x\n"])
def test_dev_file_without_the_line_is_refused(checkout: Checkout, text: str) -> None:
    checkout.stack_file("dev").write_text(text)
    with pytest.raises(Problem, match=re.escape("has no line `loco:cluster: {context")):
        generated(checkout, "x", keep_salt=True)


def test_missing_dev_file_is_named(checkout: Checkout) -> None:
    with pytest.raises(Problem, match=r"there is no .*Pulumi\.dev\.yaml"):
        generated(checkout, "x", keep_salt=True)
