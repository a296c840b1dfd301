"""The house: which room may import which, and that no pure room loads Pulumi."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "loco"
EVERYONE = {"model", "names"}
# The table of docs/architecture.md. A room may import itself, what stands here, and the two that everything may import.
MAY_IMPORT = {
    "model": set(),
    "names": set(),
    "spec": set(),
    "layers": {"spec"},
    "pods": {"spec", "layers"},
    "workloads": {"spec", "layers", "pods"},
    "routing": {"spec", "layers", "pods"},
    "gateway": {"spec"},
    "checks": {"spec", "layers", "pods", "workloads", "routing", "gateway"},
    "outputs": {"spec", "layers", "pods", "workloads", "routing", "gateway"},
    "plan": {"spec", "layers", "pods", "workloads", "routing", "gateway", "checks", "outputs"},
    "cli": {"spec", "layers", "pods", "workloads", "routing", "gateway", "checks", "plan"},
    "components": {"plan", "spec"},
}
MODULES = {
    ".".join(("loco", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imported(path: Path) -> Iterator[str]:
    """Every loco module that a file names in an import, wherever in the file it stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (
                f"{node.module}.{alias.name}" if node.module == "loco" else str(node.module) for alias in node.names
            )


@pytest.mark.parametrize("module", [module for module in MODULES if module != "loco"])
def test_imports_follow_the_table(module: str) -> None:
    room = room_of(module)
    assert room in MAY_IMPORT, f"{room} stands in no table"
    for name in imported(MODULES[module]):
        top = name.partition(".")[0]
        if top == "loco" and name != "loco":
            other = room_of(name)
            assert other in {room, *EVERYONE, *MAY_IMPORT[room]}, f"{module} imports {name}"
        assert room == "components" or not top.startswith("pulumi"), f"{module} imports {name}"
        assert top not in ("tests", "dev"), f"{module} imports {name}"


def test_model_imports_nothing_but_itself() -> None:
    for module, path in MODULES.items():
        if room_of(module) == "model":
            assert all(not name.startswith("loco") or room_of(name) == "model" for name in imported(path)), module


def test_pure_rooms_load_no_pulumi() -> None:
    pure = [module for module in MODULES if room_of(module) != "components" and module != "loco.__main__"]
    program = (
        "import sys, importlib\n"
        f"for name in {pure!r}: importlib.import_module(name)\n"
        "tops = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*sorted(tops & {'pulumi', 'pulumi_kubernetes', 'grpc'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def test_components_load_pulumi() -> None:
    """So that the test above can fail."""
    program = "import sys, loco; loco.make_provider; print('pulumi' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"
