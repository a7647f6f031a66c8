"""Each loss against its formula, written out by hand or taken from elsewhere."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from semilar.errors import SemilarError
from semilar.loss import contrastive, vgg
from semilar.loss.brightness import BrightnessLoss
from semilar.loss.frequency import fft_l1
from semilar.loss.perceptual import perceptual
from semilar.loss.pixel import charbonnier, flare_weight, keep_valid, l1, l1_l2, l2, log_l2
from semilar.loss.supervised import SupervisedLoss, total


def pictures(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed))


def test_pixel_losses_are_the_mean_of_each_picture() -> None:
    a, b = pictures(3, 3, 5, 7), pictures(3, 3, 5, 7, seed=1)
    for i in range(3):
        d = (a[i] - b[i]).numpy().astype(np.float64)
        assert float(l1(a, b)[i]) == pytest.approx(np.abs(d).mean(), rel=1e-6)
        assert float(l2(a, b)[i]) == pytest.approx((d**2).mean(), rel=1e-6)
        mixed = 0.8 * np.abs(d).mean() + 0.2 * (d**2).mean()
        assert float(l1_l2(a, b)[i]) == pytest.approx(mixed, rel=1e-6)
        smooth = np.sqrt(d**2 + 1e-6).mean()
        assert float(charbonnier(a, b)[i]) == pytest.approx(smooth, rel=1e-6)


def test_the_logarithm_of_l2_follows_psnr() -> None:
    """Above its floor, ten times the squared error costs ln 10 more at any strength of flare."""
    target = pictures(2, 3, 8, 8)
    error = torch.stack([torch.full((3, 8, 8), 0.3), torch.full((3, 8, 8), 0.1)])
    weak, strong = log_l2(target + error, target), log_l2(target + error * 10**0.5, target)
    torch.testing.assert_close(
        strong - weak, torch.full((2,), np.log(10)).float(), atol=1e-2, rtol=0
    )
    tiny = torch.full_like(target, 1e-4)
    torch.testing.assert_close(
        log_l2(target + tiny, target), l2(tiny, 0 * tiny) / 1e-4, rtol=1e-3, atol=0
    )


def test_weights_count_pixels_more_and_keep_the_scale() -> None:
    a, b = pictures(2, 3, 4, 4), pictures(2, 3, 4, 4, seed=1)
    flat = torch.full((2, 1, 4, 4), 7.0)
    torch.testing.assert_close(l1(a, b, flat), l1(a, b))
    one = torch.zeros(2, 1, 4, 4)
    one[:, :, 1, 2] = 3.0
    torch.testing.assert_close(l1(a, b, one), (a - b)[:, :, 1, 2].abs().mean(1))


def test_flared_pixels_count_up_to_gain_more() -> None:
    flare = torch.zeros(1, 3, 1, 4)
    flare[0, 1, 0] = torch.tensor([0.0, 0.05, 0.1, 0.9])
    weight = flare_weight(flare, gain=4.0, full_at=0.1)
    torch.testing.assert_close(weight[0, 0, 0], torch.tensor([1.0, 3.0, 5.0, 5.0]))


def test_invalid_pictures_add_nothing() -> None:
    values = torch.tensor([1.0, math.nan, 3.0, 4.0])
    valid = torch.tensor([True, False, True, False])
    assert float(keep_valid(values, valid)) == 1.0


def test_fft_is_the_l1_of_numpys_spectrum() -> None:
    a, b = pictures(2, 3, 6, 9), pictures(2, 3, 6, 9, seed=1)
    for i in range(2):
        spectrum = np.fft.rfft2((a[i] - b[i]).double().numpy(), norm="ortho")
        wanted = np.stack([spectrum.real, spectrum.imag])
        assert float(fft_l1(a, b)[i]) == pytest.approx(np.abs(wanted).mean(), rel=1e-5)


def test_a_constant_offset_has_one_frequency() -> None:
    """c everywhere on N pixels: the orthonormal spectrum is c √N at zero, and 0 elsewhere."""
    offset = float(fft_l1(torch.full((1, 1, 8, 8), 0.25), torch.zeros(1, 1, 8, 8))[0])
    assert offset == pytest.approx(0.25 * 8 / (2 * 8 * 5), rel=1e-6)


def test_brightness_is_that_of_windows_against_the_photos_power() -> None:
    output, photo = pictures(2, 3, 8, 8), pictures(2, 3, 8, 8, seed=1)
    found = BrightnessLoss(window=4, power=1.3)(output, photo)
    for i in range(2):
        wanted = [
            (float(output[i, :, y : y + 4, x : x + 4].mean()) - mean**1.3) ** 2
            for y in (0, 4)
            for x in (0, 4)
            for mean in [float(photo[i, :, y : y + 4, x : x + 4].mean())]
        ]
        assert float(found[i]) == pytest.approx(np.mean(wanted), rel=1e-5)


def test_brightness_cares_for_no_detail_inside_a_window() -> None:
    photo = torch.full((1, 3, 8, 8), 0.5)
    output = torch.full((1, 3, 8, 8), 0.5**1.3)
    output[..., ::2] += 0.1
    output[..., 1::2] -= 0.1
    assert float(BrightnessLoss(window=4)(output, photo)) == pytest.approx(0, abs=1e-10)
    assert float(BrightnessLoss(window=1)(output, photo)) == pytest.approx(0.01, rel=1e-4)


def test_contrast_in_closed_form() -> None:
    """Anchor equal to the positive, negative at a right angle: log(1 + exp(−1/τ))."""
    anchor = torch.tensor([[[2.0, 0.0]]], dtype=torch.float64)
    negative = torch.tensor([[[0.0, 5.0]]], dtype=torch.float64)
    value = contrastive.pairwise(anchor, anchor, negative, temperature=0.1)
    assert float(value) == pytest.approx(math.log1p(math.exp(-10)), rel=1e-4)
    swapped = contrastive.pairwise(anchor, negative, anchor, temperature=0.1)
    assert float(swapped) == pytest.approx(10 + math.log1p(math.exp(-10)), rel=1e-5)
    same = contrastive.pairwise(anchor, anchor, anchor, temperature=0.1)
    assert float(same) == pytest.approx(math.log(2), rel=1e-6)


@pytest.mark.parametrize("negatives", [1, 3])
def test_contrast_equals_the_papers_formula(negatives: int) -> None:
    a, p, n = (pictures(2, 5, 4, seed=s).double() - 0.4 for s in range(3))
    value = contrastive.pairwise(a, p, n, temperature=0.2, negatives=negatives)
    cosine = nn.CosineSimilarity(dim=0)
    for i in range(2):
        terms = []
        for k in range(5):
            top = torch.exp(cosine(a[i, k], p[i, k]) / 0.2)
            below = [torch.exp(cosine(a[i, k], n[i, (k + s) % 5]) / 0.2) for s in range(negatives)]
            terms.append(-torch.log(top / (top + sum(below))))
        assert float(value[i]) == pytest.approx(float(torch.stack(terms).mean()), rel=1e-9)


def test_the_bank_holds_every_patch_of_the_batch() -> None:
    a, p, n = (pictures(2, 3, 4, seed=s).double() - 0.4 for s in range(3))
    value = contrastive.bank(a, p, n, temperature=0.2)
    keys = [p[i, k] for i in range(2) for k in range(3)] + [
        n[i, k] for i in range(2) for k in range(3)
    ]
    cosine = nn.CosineSimilarity(dim=0)
    for i in range(2):
        terms = []
        for k in range(3):
            scores = torch.stack([torch.exp(cosine(a[i, k], key) / 0.2) for key in keys])
            terms.append(-torch.log(scores[3 * i + k] / scores.sum()))
        assert float(value[i]) == pytest.approx(float(torch.stack(terms).mean()), rel=1e-9)


def test_patches_are_the_same_places_and_independent_of_the_batch() -> None:
    maps = pictures(3, 4, 6, 5)
    first, second = contrastive.sample_patches((maps, 10 * maps), count=7, seeds=[1, 2, 3])
    assert first.shape == (3, 7, 4)
    torch.testing.assert_close(second, 10 * first)
    alone = contrastive.sample_patches((maps[1:2],), count=7, seeds=[2])[0]
    torch.testing.assert_close(alone[0], first[1])
    columns = maps[1].flatten(1).T
    assert all((columns == patch).all(1).any() for patch in first[1])


def test_contrast_pulls_towards_the_label_and_away_from_the_input() -> None:
    p, n = pictures(1, 6, 8, seed=1) - 0.5, pictures(1, 6, 8, seed=2) - 0.5
    anchor = ((p + n) / 2).requires_grad_()
    contrastive.pairwise(anchor, p, n, temperature=0.1).sum().backward()
    assert anchor.grad is not None
    moved = anchor.detach() - 0.01 * anchor.grad
    cosine = nn.CosineSimilarity(dim=-1)
    assert (cosine(moved, p) - cosine(moved, n)).mean() > (
        cosine(anchor, p) - cosine(anchor, n)
    ).mean()


def test_perceptual_is_the_mean_over_layers_of_mean_squares() -> None:
    def features(x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"a": 2 * x, "b": x[:, :1] ** 2}

    x, y = pictures(2, 3, 4, 4).requires_grad_(), pictures(2, 3, 4, 4, seed=1).requires_grad_()
    value = perceptual(features, x, y)
    d = (x - y).detach()
    squares = (x[:, :1] ** 2 - y[:, :1] ** 2).detach()
    wanted = (4 * (d**2).mean((1, 2, 3)) + (squares**2).mean((1, 2, 3))) / 2
    torch.testing.assert_close(value.detach(), wanted)
    value.sum().backward()
    assert y.grad is None, "the target takes no gradient"


def test_supervised_loss_is_the_weighted_sum_on_both_outputs() -> None:
    scene, flare_out, target, flare = (pictures(2, 3, 8, 8, seed=s) for s in range(4))
    loss = SupervisedLoss(pixel=0.5, perceptual=0.25, fft=0.2, flare=3.0)
    terms = loss((scene, flare_out), target, flare, lambda x: {"x": x})

    def one(output: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
        perception = (output - truth).square().mean()
        return (
            0.5 * (output - truth).abs().mean()
            + 0.25 * perception
            + 0.2 * fft_l1(output, truth).mean()
        )

    torch.testing.assert_close(total(terms), one(scene, target) + 3 * one(flare_out, flare))


def reference_vgg() -> nn.Sequential:
    """VGG16's first layers as a plain list, in torchvision's order."""
    widths, layers, before = (64, 64, "M", 128, 128, "M", 256, 256, 256), [], 3
    for width in widths:
        if isinstance(width, str):
            layers.append(nn.MaxPool2d(2, 2))
        else:
            layers += [nn.Conv2d(before, width, 3, padding=1), nn.ReLU()]
            before = width
    return nn.Sequential(*layers)


def test_vgg_takes_torchvisions_weights_and_gives_its_activations() -> None:
    torch.manual_seed(0)
    plain = reference_vgg()
    arrays = {f"features.{name}": value.numpy() for name, value in plain.state_dict().items()}
    net = vgg.Vgg16(vgg.FeatureSettings(normalize=False)).load(arrays)
    x = pictures(1, 3, 24, 20)
    found = net(x)
    for name, end in (("relu1_2", 4), ("relu2_2", 9), ("relu3_3", 16)):
        torch.testing.assert_close(found[name], plain[:end](x))
    scaled = vgg.Vgg16(vgg.FeatureSettings(layers=("relu1_1",))).load(arrays)
    mean, std = torch.tensor((0.485, 0.456, 0.406)), torch.tensor((0.229, 0.224, 0.225))
    normal = (x - mean.view(1, 3, 1, 1)) / std.view(1, 3, 1, 1)
    torch.testing.assert_close(scaled(x)["relu1_1"], plain[:2](normal))
    assert len(scaled.convs) == 1, "nothing after the last asked layer is built"
    assert not any(p.requires_grad for p in net.parameters())


def test_missing_weights_stop_the_loss(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("SEMILAR_HOME", str(tmp_path))
    with pytest.raises(SemilarError, match="vgg16"):
        vgg.vgg16(vgg.FeatureSettings(layers=("relu1_1",)))
    with pytest.raises(ValueError, match="relu9_9"):
        vgg.FeatureSettings.model_validate({"layers": ["relu9_9"]})
