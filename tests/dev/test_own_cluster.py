"""`make ... CONTEXT=... STACK=...`: what is refused, and whose settings are used."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dev.commands import own_cluster
from dev.commands.checkout import Checkout
from dev.messages import Problem

Make = Callable[..., "subprocess.CompletedProcess[str]"]
OWN = "config:\n  loco:cluster: {context: prod, identifier: prod}\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    for name in list(os.environ):
        if name.startswith("PULUMI_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Checkout(tmp_path, tmp_path / ".loco")


@pytest.mark.parametrize(
    ("context", "stack", "code", "text"),
    [
        ("prod", "", 2, "add STACK=name"),
        ("prod", "dev", 2, "dev is the embedded cluster's stack"),
        ("", "new", 2, "STACK=new names no cluster"),
        ("", "nowhere", 2, "Pulumi.nowhere.yaml names no cluster context; add CONTEXT=name"),
        ("prod", "nowhere", 1, "names no cluster context, so it would not reach prod"),
        ("other", "own", 1, "stack own remembers cluster context prod; refused other"),
        ("other", "made", 1, "stack made remembers cluster context prod; refused other"),
        ("prod", "../dev", 2, "is not the name of a stack"),
        ("prod", "-x", 2, "is not the name of a stack"),
    ],
)
def test_refusals(checkout: Checkout, context: str, stack: str, code: int, text: str) -> None:
    checkout.stack_file("own").write_text(OWN)
    checkout.stack_file("nowhere").write_text("config: {}\n")
    checkout.stacks.mkdir(parents=True)
    (checkout.stacks / "Pulumi.made.yaml").write_text(OWN)
    with pytest.raises(Problem) as refused:
        own_cluster.choose(checkout, context, stack)
    assert text in str(refused.value)
    assert refused.value.code == code


def test_choices(checkout: Checkout) -> None:
    checkout.stack_file("own").write_text(OWN)
    for context in ("", "prod"):
        assert own_cluster.choose(checkout, context, "own") == own_cluster.Target("own", "prod", None)
    made = checkout.stacks / "Pulumi.new.yaml"
    assert own_cluster.choose(checkout, "kind-x", "new") == own_cluster.Target("new", "kind-x", made)


def test_without_settings_of_the_user_the_state_folder_is_used(checkout: Checkout) -> None:
    target = own_cluster.choose(checkout, "kind-x", "new")
    added = own_cluster.environment(checkout, target)
    assert added["PULUMI_BACKEND_URL"] == f"file://{checkout.backend}"
    assert added["PULUMI_HOME"] == str(checkout.pulumi_home)
    assert added["PULUMI_CONFIG_PASSPHRASE_FILE"] == str(checkout.passphrase)
    assert "KUBECONFIG" not in added


@pytest.mark.parametrize("name", ["PULUMI_BACKEND_URL", "PULUMI_ACCESS_TOKEN", "credentials"])
def test_the_users_backend_is_respected(checkout: Checkout, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    if name == "credentials":
        (Path.home() / ".pulumi").mkdir(parents=True)
        (Path.home() / ".pulumi" / "credentials.json").write_text('{"current": "https://x"}')
    else:
        monkeypatch.setenv(name, "s3://bucket")
    checkout.stack_file("own").write_text(OWN + "encryptionsalt: v1:theirs\n")
    added = own_cluster.environment(checkout, own_cluster.choose(checkout, "", "own"))
    assert not {"PULUMI_BACKEND_URL", "PULUMI_HOME", "PULUMI_CONFIG_PASSPHRASE_FILE"} & set(added)


@pytest.mark.parametrize("name", ["PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE"])
def test_the_users_passphrase_is_respected(checkout: Checkout, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "theirs")
    target = own_cluster.choose(checkout, "kind-x", "new")
    added = own_cluster.environment(checkout, target)
    assert "PULUMI_CONFIG_PASSPHRASE_FILE" not in added
    assert "PULUMI_BACKEND_URL" in added


def test_refusal_through_make_is_one_line_and_changes_nothing(copied: Path, make: Make) -> None:
    refused = make(copied, "up", "CONTEXT=prod")
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert refused.stderr.splitlines()[0].startswith("loco: CONTEXT=prod needs a stack of its own")
    assert len(refused.stderr.splitlines()) == 2  # the second is make's own
    assert not (copied / ".loco").exists()


def test_context_from_the_environment_chooses_nothing(copied: Path, make: Make) -> None:
    shown = make(copied, "-n", "up", env={"CONTEXT": "prod", "STACK": "x", "PATH": "/usr/bin:/bin"})
    assert "prod" not in shown.stdout
    refused = make(copied, "env", "CONTEXT=prod", "STACK=x", env={"CONTEXT": "no"})
    assert "call it without CONTEXT and STACK" in refused.stderr


def test_missing_pulumi_is_said_before_anything_is_made(copied: Path, make: Make) -> None:
    refused = make(copied, "up", "CONTEXT=prod", "STACK=x", env={"PATH": "/usr/bin:/bin"})
    assert refused.stderr.startswith("loco: no pulumi on PATH; a cluster of your own needs an installed")
    assert not (copied / ".venv").exists()
    assert not (copied / ".loco").exists()


def test_help_lists_every_command(copied: Path, make: Make) -> None:
    shown = make(copied)
    assert shown.returncode == 0
    for command in ("up", "preview", "down", "test", "lint", "env", "clean"):
        assert f"make {command} " in shown.stdout


def test_old_python_is_named(copied: Path, tmp_path: Path, make: Make) -> None:
    old = tmp_path / "old-python"
    old.write_text(
        "import collections, runpy, sys\n"
        "V = collections.namedtuple('V', 'major minor')\n"
        "sys.version_info = V(3, 9)\nsys.argv = sys.argv[2:]\nsys.path.insert(0, '.')\n"
        "runpy.run_path('dev/__main__.py')\n"
    )
    refused = subprocess.run([sys.executable, str(old), "-m", "dev", "up"], cwd=copied, capture_output=True, text=True)
    assert refused.stderr.startswith("loco needs Python 3.11 or newer, this is 3.9")
    assert refused.returncode == 1
