"""One stand-in vLLM for all tests of the start scripts."""

import pytest

from tests.presets.stand_in import StandIn


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> StandIn:
    return StandIn(tmp_path_factory.mktemp("stand-in") / "bin")
