"""Networks learn: EMA of one with buffers, and eight simulated pairs by heart."""

from typing import Any

import numpy as np
import pytest
import torch

from semilar.flare import synthesize
from semilar.flare.presets import preset
from semilar.flare.scene import night_scene
from semilar.net import build
from semilar.semi.teacher import Teacher

# Learning rate and options; Uformer gets small windows, so that a small picture is not padded.
LEARNERS: dict[str, tuple[float, dict[str, Any]]] = {
    "raliformer-s": (2e-3, {}),
    "raliformer-t": (2e-3, {}),
    "unet-desk": (2e-3, {}),
    "uformer-desk": (4e-3, {"side": 2}),
    "hinet-desk": (4e-3, {}),
    "restormer-desk": (4e-3, {}),
    "nafnet-desk": (4e-3, {}),
    "mfdnet-desk": (4e-3, {}),
    "wu-unet-desk": (2e-3, {}),
    "sfsnid-desk": (4e-3, {}),
    "sgsft-desk": (4e-3, {}),
    "slcformer-desk": (4e-3, {}),
}


def test_ema_copies_buffers() -> None:
    student = build("unet-desk")
    teacher = Teacher(student, momentum=0.9)
    teacher.updates = 100
    student.train()(torch.rand(2, 3, 32, 32))
    with torch.no_grad():
        for parameter in student.parameters():
            parameter.add_(1)
    before = {name: value.clone() for name, value in teacher.net.named_parameters()}
    teacher.update(student)
    moved = dict(student.named_buffers())
    assert moved["first.1.num_batches_tracked"] == 1
    for name, value in teacher.net.named_buffers():
        assert torch.equal(value, moved[name])
    for name, value in teacher.net.named_parameters():
        torch.testing.assert_close(value, before[name] + 0.1)


def eight_pairs(side: int = 32) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Encoded input, scene and flare (8, 3, side, side) with visible flares."""
    settings = preset("strong")
    samples, seed = [], 0
    while len(samples) < 8:
        sample = synthesize(
            night_scene(seed, (side, side)), seed=seed, settings=settings, size=(side, side)
        )
        if np.abs(sample.input - sample.target).mean() > 0.02:
            samples.append(sample)
        seed += 1

    def stacked(part: str) -> torch.Tensor:
        pictures = np.stack([getattr(sample, part) for sample in samples])
        return torch.from_numpy(pictures.transpose(0, 3, 1, 2).copy())

    return stacked("input"), stacked("target"), stacked("flare")


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_overfits_eight_simulated_pairs(name: str) -> None:
    torch.manual_seed(0)
    picture, scene, flare = eight_pairs()
    rate, options = LEARNERS[name]
    net = build(name, **options).train()
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)

    def loss() -> torch.Tensor:
        scene_out, flare_out = net(picture)
        return (scene_out - scene).abs().mean() + (flare_out - flare).abs().mean()

    first = loss().item()
    for _ in range(400):
        optimizer.zero_grad()
        now = loss()
        now.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        if now.item() < first / 5:
            return
    pytest.fail(f"the loss fell from {first:.4f} only to {loss().item():.4f}")
