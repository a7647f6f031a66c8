"""Many photos while the model is still being loaded."""

import threading
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from semilar import photo
from semilar.errors import ModelError
from semilar.restore import Job, PhotoOptions, Remover, restore_jobs
from tests.restore.oracle import Dimmer


@pytest.fixture
def jobs(tmp_path: Path) -> list[Job]:
    for i in range(3):
        Image.new("RGB", (64, 48), (40 * i, 90, 120)).save(tmp_path / f"{i}.png")
    return [Job(tmp_path / f"{i}.png", tmp_path / f"{i}-out.png") for i in range(3)]


def test_photos_are_read_while_the_model_is_loaded(
    jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    read, was_read = photo.read, threading.Event()

    def reading(*args, **kwargs):
        found = read(*args, **kwargs)
        was_read.set()
        return found

    monkeypatch.setattr(photo, "read", reading)
    opening: Future[Remover] = Future()

    def load() -> None:
        opening.set_result(Remover(engine=Dimmer())) if was_read.wait(10) else opening.cancel()

    loader = threading.Thread(target=load)
    loader.start()
    outcomes = list(restore_jobs(jobs, opening, PhotoOptions(), workers=2))
    loader.join()
    assert [outcome.status for outcome in outcomes] == ["restored"] * 3
    for job in jobs:
        before, after = (np.asarray(Image.open(path)) for path in (job.source, job.target))
        assert (after <= before).all()
        assert (after < before).any()


def test_a_model_that_cannot_be_loaded_is_one_error(jobs: list[Job]) -> None:
    opening: Future[Remover] = Future()
    opening.set_exception(ModelError("broken.onnx: is not a model."))
    with pytest.raises(ModelError, match=r"broken\.onnx"):
        list(restore_jobs(jobs, opening, PhotoOptions(), workers=2))
    assert not any(job.target.exists() for job in jobs)
