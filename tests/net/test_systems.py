"""The systems of the paper's comparison: their sizes, and what makes each of them what it is."""

from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import ndimage

from semilar.net import build, fourier
from semilar.net.deflaremamba import from_windows, in_windows
from semilar.net.fourier import from_spectrum, spectrum
from semilar.net.mfdnet import bands, joined, mirror_pad, smooth


# Millions of parameters that the published code has; ours draw six planes.
@pytest.mark.parametrize(
    ("name", "published", "tolerance"), [("mfdnet", 6.346, 1e-3), ("wu-unet", 31.03, 1e-3)]
)
def test_published_sizes(name: str, published: float, tolerance: float) -> None:
    with torch.device("meta"):
        net = build(name)
    count = sum(parameter.numel() for parameter in net.parameters()) / 1e6
    assert count == pytest.approx(published, rel=tolerance)


def test_the_bands_add_up_to_the_picture() -> None:
    picture = torch.rand(1, 3, 32, 64)
    pyramid = bands(picture, 2)
    assert [tuple(band.shape[-2:]) for band in pyramid] == [(32, 64), (16, 32), (8, 16)]
    torch.testing.assert_close(joined(pyramid), picture)


def test_the_blur_is_scipys() -> None:
    picture = torch.rand(1, 3, 20, 24)
    line = np.array([1, 4, 6, 4, 1]) / 16
    expected = ndimage.convolve(picture[0, 0].numpy(), np.outer(line, line), mode="mirror")
    np.testing.assert_allclose(smooth(picture)[0, 0].numpy(), expected, atol=1e-6)


def test_mirrors_beyond_the_picture() -> None:
    picture = torch.rand(1, 1, 8, 9)
    expected = np.pad(picture.numpy(), ((0, 0), (0, 0), (20, 20), (20, 20)), mode="reflect")
    np.testing.assert_array_equal(mirror_pad(picture, 20).numpy(), expected)


def test_windows_come_one_after_the_other() -> None:
    features = torch.arange(16 * 24.0).reshape(1, 1, 16, 24)
    sequence = in_windows(features)
    torch.testing.assert_close(sequence[0, 0, :64], features[0, 0, :8, :8].flatten())
    torch.testing.assert_close(sequence[0, 0, 64:128], features[0, 0, :8, 8:16].flatten())
    torch.testing.assert_close(from_windows(sequence, 16, 24), features)


def test_a_spectrum_comes_back_and_is_numpys() -> None:
    features = torch.rand(1, 2, 16, 24)
    amplitude, phase = spectrum(features)
    found = np.fft.rfft2(features.numpy())
    np.testing.assert_allclose(amplitude.numpy(), np.abs(found), atol=1e-4)
    torch.testing.assert_close(from_spectrum(amplitude, phase, (16, 24)), features)


def test_rounding_does_not_turn_the_phase_of_a_real_spectrum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = torch.tensor([-2.0, -2.0, -2.0, 2.0]).reshape(1, 1, 2, 2)
    imaginary = torch.tensor([1e-5, -1e-5, -0.0, -1e-5]).reshape(1, 1, 2, 2)
    monkeypatch.setattr(fourier, "real_and_imaginary", lambda _: (real, imaginary))
    _, phase = spectrum(torch.zeros(1, 1, 2, 2))
    assert phase.flatten().tolist() == pytest.approx([np.pi, np.pi, np.pi, 0], abs=1e-4)


def test_a_flat_picture_has_a_finite_gradient() -> None:
    features = torch.full((1, 1, 16, 16), 0.5, requires_grad=True)
    amplitude, phase = spectrum(features)
    (gradient,) = torch.autograd.grad(amplitude.sum() + phase.sum(), features)
    assert torch.isfinite(gradient).all()


def test_sgsfts_flare_guides_its_scene() -> None:
    torch.manual_seed(0)
    net = build("sgsft-desk").eval()
    torch.nn.init.normal_(net.last.weight, std=0.1)  # type: ignore[union-attr]
    picture = torch.rand(1, 3, 32, 32)
    with torch.no_grad():
        before, _ = net(picture)
        net.prior.last.bias.fill_(0.8)  # type: ignore[union-attr]
        after, flare = net(picture)
    assert flare.mean() > 0.5
    assert (after - before).abs().max() > 1e-3


@pytest.mark.slow
def test_the_page_shows_what_the_command_counts() -> None:
    from tools.network_table import system_table

    page = Path(__file__).parents[2] / "docs" / "networks.md"
    assert system_table() in page.read_text(encoding="utf-8")
