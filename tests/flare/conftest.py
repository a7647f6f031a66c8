"""The bank of point-spread functions goes to a folder of the test run, not to the user's cache."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def flare_home(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("SEMILAR_HOME", str(tmp_path_factory.mktemp("home")))
    yield
    patch.undo()
