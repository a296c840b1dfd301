"""A cluster that doesn't answer: an update ends before it begins, a preview says what it could not check."""

from collections.abc import Callable
from pathlib import Path

import pulumi
import pytest

from loco import ModelServingStack
from loco.components.reachability import obstacle
from loco.spec import StackSpec
from tests.components.conftest import write_kubeconfig
from tests.components.recorder import record

MakeStack = Callable[..., StackSpec]


def test_reachable(kubeconfig: Path) -> None:
    assert obstacle("loco-dev", kubeconfig) is None


def test_unknown_context_names_the_known_ones(kubeconfig: Path) -> None:
    assert "no context is called prod" in str(why := obstacle("prod", kubeconfig))
    assert "there are: loco-dev" in str(why)


def test_missing_kubeconfig(tmp_path: Path) -> None:
    assert "there are: none" in str(obstacle("loco-dev", tmp_path / "nowhere"))


def test_broken_kubeconfig(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("a: [")
    assert "can't be read" in str(obstacle("loco-dev", tmp_path / "bad"))


def test_refused_port(tmp_path: Path) -> None:
    assert "doesn't answer" in str(obstacle("loco-dev", write_kubeconfig(tmp_path / "k", 9)))


def test_environment_names_several_files(tmp_path: Path, kubeconfig: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path / 'nowhere'}:{kubeconfig}")
    assert obstacle("loco-dev", None) is None


def test_update_fails_and_registers_nothing(make_stack: MakeStack) -> None:
    spec = make_stack(cluster={"context": "gone", "identifier": "here"})
    with pytest.raises(pulumi.RunError, match="LOCO-UNREACHABLE"):
        record(lambda: ModelServingStack("loco", spec))


def test_preview_lists_what_it_could_not_check(make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = make_stack(cluster={"context": "gone", "identifier": "here", "createNamespaces": True})
    said: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", lambda text, *_: said.append(text))
    everything = record(lambda: ModelServingStack("loco", spec), preview=True)
    assert any(registration.token.startswith("kubernetes:apps") for registration in everything)
    (warning,) = [text for text in said if "LOCO-UNREACHABLE" in text]
    assert "Namespace/llm, Service/llm/tiny-kserve-workload-svc, Deployment/llm/tiny-kserve" in warning
