from pathlib import Path

import pytest

from tests.support.models import dimming_model


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network that takes a part of all light."""
    return dimming_model(tmp_path_factory.mktemp("model") / "dim.onnx")
