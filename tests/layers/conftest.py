"""One stand-in vLLM for the cases whose engines are started."""

import pytest

from tests.presets.stand_in import StandIn


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> StandIn:
    return StandIn(tmp_path_factory.mktemp("stand-in") / "bin")
