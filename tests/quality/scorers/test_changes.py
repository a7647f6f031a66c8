"""What no flare explains: light that was added, detail that was changed."""

import numpy as np
import pytest
import torch
from torch import Tensor

from semilar.flare import synthesize
from semilar.flare.backgrounds import builtin_backgrounds
from semilar.flare.presets import preset
from semilar.quality.scorers.changes import _weighted_median, added_light, changed_detail
from semilar.quality.scorers.flare_score import less_changes


def textured(seed: int = 0) -> Tensor:
    """(1, 3, 64, 96), encoded, detail everywhere."""
    return 0.3 + 0.2 * torch.rand(1, 3, 64, 96, generator=torch.Generator().manual_seed(seed))


def test_added_light_is_numpys_and_removed_light_is_free():
    photo, picture = torch.rand(2, 3, 16, 16), torch.rand(2, 3, 16, 16)
    more = np.maximum(picture.numpy() - photo.numpy() - 2 / 255, 0)
    np.testing.assert_allclose(added_light(picture, photo), (more**2).mean((1, 2, 3)), rtol=1e-4)
    assert added_light(photo / 2, photo).max() == 0


def test_smooth_flare_taken_away_changes_no_detail():
    scene = textured()
    glow = torch.linspace(0, 0.5, 96).expand(1, 3, 64, 96)
    flared = (scene.square() + glow).sqrt()  # light adds in linear light
    assert changed_detail(scene, flared).item() < 1e-6


@pytest.mark.parametrize("left", [0.9, 0.5, 0.2])
def test_darkening_changes_the_share_of_detail_that_it_takes(left: float):
    photo = textured()
    darker = photo * left**0.5  # `left` of the light
    expected = ((1 - left) / left) ** 2
    assert changed_detail(darker, photo).item() == pytest.approx(expected, rel=0.3)


def test_one_wrong_channel_is_enough_and_one_bad_corner_is_not():
    photo = textured()
    cast, corner = photo.clone(), photo.clone()
    cast[:, 1] *= 0.5
    corner[..., :32, :40] *= 0.5
    assert changed_detail(cast, photo).item() > 1
    assert changed_detail(corner, photo).item() < 1e-6


def test_the_weighted_median_is_that_of_repeated_values():
    random = np.random.default_rng(0)
    values, times = random.random((4, 31)), random.integers(1, 9, (4, 31))
    found = _weighted_median(torch.from_numpy(values), torch.from_numpy(times).double())
    for row, (x, n) in enumerate(zip(values, times, strict=True)):
        repeated = np.sort(np.repeat(x, n))
        assert found[row] == repeated[(len(repeated) - 1) // 2]


def test_a_true_restoration_pays_little_and_its_photo_nothing():
    for seed, background in enumerate(builtin_backgrounds()):
        sample = synthesize(background, seed=seed, settings=preset("strong"), size=(256, 256))
        pair = np.stack([sample.input, sample.target]).transpose(0, 3, 1, 2)
        flared, clean = torch.from_numpy(pair.astype(np.float32)).split(1)
        scores = torch.tensor([30.0])
        torch.testing.assert_close(less_changes(scores, flared, flared), scores)
        assert less_changes(scores, clean, flared).item() > 27


def test_added_light_counts_as_an_error_and_adds_to_what_the_estimators_guess():
    photo = torch.full((1, 3, 64, 64), 0.5)
    brighter = photo + 2 / 255 + 0.02
    expected = -10 * np.log10(10**-3 + 50 * 0.02**2)
    assert less_changes(torch.tensor([30.0]), brighter, photo).item() == pytest.approx(
        expected, abs=1e-2
    )
