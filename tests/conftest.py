"""What tests share: the reference data beside the checkout, the built tools, one cluster for the whole run."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.cluster import Cluster

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with recorded reference behaviour; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("LOCO_SHARED", REPOSITORY.parent / "shared"))
    if not (folder / "goldens").is_dir():
        pytest.skip(f"the recorded reference data are not at {folder} (set LOCO_SHARED)")
    return folder


@pytest.fixture(scope="session")
def tools_bin() -> Path:
    """The folder with pulumi and its language host; `make test` builds it and says where."""
    folder = os.environ.get("LOCO_TOOLS_BIN")
    if not folder:
        pytest.skip("LOCO_TOOLS_BIN is not set; `make test` builds the tools and sets it")
    return Path(folder)


@pytest.fixture(scope="session")
def cluster(tools_bin: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster of the tests' own, on ports of its own, gone when they end."""
    with Cluster(tmp_path_factory.mktemp("cluster"), context="loco-test") as running:
        yield running
