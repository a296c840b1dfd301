"""What tests share: the reference data beside the checkout, the built tools, one cluster for the whole run."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.cluster import Cluster
from dev.cluster.contents import node

REPOSITORY = Path(__file__).resolve().parent.parent
MORE_NODES = 6
# A minute and more each, the longest first.
LONG = (
    "e2e/test_every_config.py",
    "e2e/test_environments.py",
    "e2e/test_gateway_rotation.py",
    "e2e/test_life_of_topologies.py",
    "e2e/test_models_of_other_stacks.py",
    "e2e/test_component_package.py",
    "e2e/test_gateway_database.py",
    "e2e/test_targeted_work.py",
    "e2e/test_protection.py",
    "e2e/test_report.py",
    "e2e/test_observability_stack.py",
    "e2e/test_consumer.py",
    "e2e/test_litellm_watched.py",
    "e2e/test_tls_stack.py",
    "dev/test_make_up.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files start first: each runs on one worker, and the last one to start would leave the others idle."""
    places = {REPOSITORY / "tests" / file: place for place, file in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path, len(LONG)))


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
    """A cluster of the tests' own, on ports of its own, gone when they end.

    It has more nodes than a new one: stacks of many files stand there side by side until the end.
    """
    with Cluster(tmp_path_factory.mktemp("cluster"), context="loco-test") as running:
        for number in range(MORE_NODES):
            running.client().create("/api/v1/nodes", node(f"test-node-{number}"))
        yield running
