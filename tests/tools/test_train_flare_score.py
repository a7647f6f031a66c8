"""The recipe of flare-score from photographs to weights that score, on a few small scenes."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file
from torch import Tensor

from semilar.flare.backgrounds import SCENES, builtin_backgrounds
from semilar.quality.scorers.flare_score import FlareScore
from tools import train_flare_score as tool


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first three commands of the recipe have left their files."""
    folder = tmp_path_factory.mktemp("flare-score")
    photos = folder / "photos"
    photos.mkdir()
    names = [f"{number}.jpg" for number in range(100)]
    kept = next(name for name in names if tool.held_out(Path(name)))
    learned = [name for name in names if not tool.held_out(Path(name))]
    for name, pixels in zip([kept, *learned], builtin_backgrounds()[:SCENES], strict=False):
        Image.fromarray(pixels).save(photos / name)
    run("scenes", "--backgrounds", photos, "--work", folder, "--scenes", 10)
    run("samples", "--work", folder, "--crop", 192)
    run("train", "--work", folder, "--steps", 2, "--jobs", 1)
    return folder


def run(*arguments: object) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [tool.__file__, *map(str, arguments)])
        tool.main()


def test_samples_begin_with_the_clean_scene_and_end_with_blurred_ones(work: Path):
    samples = np.load(work / "samples-00.npy")
    assert len(samples) == len(np.load(work / "train.npy")) == 10
    assert (samples["psnr"][:, :1] > samples["psnr"][:, 1:]).mean() > 0.9
    blurs, residues = len(tool.BLURS), len(tool.RESIDUES)
    for ladder in (samples["psnr"][:, -blurs:], samples["psnr"][:, -blurs - residues : -blurs]):
        assert (np.diff(ladder, axis=1) < 0).all()
    whole = -10 * np.log10(samples["errors"].mean((2, 3)) + 1e-5)
    np.testing.assert_allclose(whole, samples["psnr"], atol=1e-3)


def test_a_drawn_sample_keeps_every_error_at_its_place(work: Path):
    samples = np.load(work / "samples-00.npy")
    restorations = samples["psnr"].shape[1]
    brightness = torch.rand(len(samples), restorations, 24, 24).numpy()
    samples["cues"][:, :, 0] = brightness
    samples["errors"] = brightness.reshape(-1, restorations, 6, 4, 6, 4).mean((3, 5))
    for seed in range(8):  # all ways to mirror and turn, with luck; each must agree
        cues, errors, psnr = tool.draw_samples(samples, np.random.default_rng(seed))
        assert psnr.shape == (tool.BATCH, restorations)
        blocks = torch.nn.functional.avg_pool2d(cues[:, :1], 4)[:, 0]
        torch.testing.assert_close(blocks, errors, atol=1e-3, rtol=0)


def test_trained_weights_are_a_scorer_and_estimators_differ(work: Path):
    scorer = FlareScore(weights=work / "net.safetensors")
    assert torch.isfinite(scorer(torch.rand(2, 3, 64, 96))).all()
    first, second = ((work / f"estimator-{n}.safetensors").read_bytes() for n in range(2))
    assert first != second


def test_an_estimator_that_is_there_is_not_trained_again(work: Path):
    before = (work / "estimator-0.safetensors").stat().st_mtime_ns
    tool.train_estimator(0, work, steps=1000, rate=1.0, init=None)
    assert (work / "estimator-0.safetensors").stat().st_mtime_ns == before


def test_estimators_go_on_from_others(work: Path, tmp_path: Path):
    (tmp_path / "samples-00.npy").symlink_to(work / "samples-00.npy")
    gone_on = tool.train_estimator(0, tmp_path, steps=1, rate=1e-9, init=work)
    for name, tensor in load_file(work / "estimator-0.safetensors").items():
        if "running" not in name and "tracked" not in name:
            torch.testing.assert_close(gone_on[name], tensor, atol=1e-6, rtol=0)


def test_a_blurred_winner_and_a_wrong_order_cost_more():
    psnr = torch.tensor([[49.0, 30, 25, 40, 35, 28]])
    errors = (10 ** (-psnr / 10)).view(-1, 1, 1).expand(-1, 2, 2)

    def cost(scores: Tensor) -> float:
        return float(tool.losses(errors.log10(), scores, errors, psnr))

    assert cost(psnr) < cost(psnr.flip(1))
    assert cost(psnr) < cost(torch.tensor([[49.0, 30, 25, 40, 35, 50]]))
