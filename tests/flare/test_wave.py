"""Wave optics against the two cases that have a closed form."""

import numpy as np
import pytest
from scipy.special import j1

from semilar.flare.bank import SIZE, bank_file, make_entry, psf_bank
from semilar.flare.pupil import Pupil, coordinates, draw_pupil, iris, zernike
from semilar.flare.spectrum import GREEN
from semilar.flare.wave import colour_point_spread, point_spread

N = 512


def still(amplitude):
    return Pupil(amplitude.astype(np.float32), np.zeros_like(amplitude, np.float32))


def test_circular_pupil_gives_the_airy_pattern():
    fill = 0.125
    x, y = coordinates(N, fill)
    spread = point_spread(still(iris(x, y, 0, 0.0, 2 / (N * fill))))
    r = np.arange(1, 60)
    v = np.pi * r * fill  # the discrete transform's frequency r meets a pupil of N fill samples
    airy = (2 * j1(v) / v) ** 2
    row = spread[N // 2, N // 2 + r] / spread[N // 2, N // 2]
    np.testing.assert_allclose(row, airy, atol=2e-3)
    first_dark = r[:15][np.argmin(row[:15])]
    assert first_dark == pytest.approx(1.22 / fill, abs=1)


def test_slit_gives_sinc_squared():
    width = 32
    slit = np.zeros((N, N), np.float32)
    slit[:, N // 2 - width // 2 : N // 2 + width // 2] = 1
    spread = point_spread(still(slit))
    k = np.arange(-100, 100)
    row = spread[N // 2, N // 2 + k] / spread[N // 2, N // 2]
    # A slit of whole samples has the periodic sinc (Dirichlet) kernel, which sinc approximates.
    np.testing.assert_allclose(row, np.sinc(k * width / N) ** 2, atol=2e-3)
    assert spread[N // 2 + 1 :, :].max() < 1e-9  # uniform along the slit: no light leaves the axis


@pytest.mark.parametrize("seed", range(3))
def test_light_is_conserved(seed):
    pupil = draw_pupil(np.random.default_rng(seed), 128, 0.4)
    assert point_spread(pupil).sum() == pytest.approx(1, abs=1e-5)
    totals = colour_point_spread(pupil).sum(axis=(0, 1))
    np.testing.assert_allclose(totals, 1, atol=0.06)  # what leaves the grid at long waves is lost


def test_defocus_moves_light_outwards_and_keeps_it():
    x, y = coordinates(N, 0.125)
    opening = iris(x, y, 0, 0.0, 0.03)
    blurred = Pupil(opening, zernike(x, y, np.array([1.5, 0, 0, 0, 0, 0], np.float32)))
    sharp, soft = point_spread(still(opening)), point_spread(blurred)
    assert soft.sum() == pytest.approx(sharp.sum(), abs=1e-5)
    assert soft.max() < 0.1 * sharp.max()


def test_red_light_spreads_wider_than_blue():
    x, y = coordinates(256, 0.25)
    spread = colour_point_spread(still(iris(x, y, 6, 0.3, 0.03)))
    line = np.arange(256) - 128
    radius = np.hypot(line[None, :], line[:, None])
    red, green, blue = (float((spread[..., c] * radius).sum()) for c in range(3))
    assert red > green > blue
    assert red / blue == pytest.approx(610 / 460, rel=0.08)


def test_phase_is_seen_in_waves_of_each_wavelength():
    x, y = coordinates(256, 0.25)
    opening = iris(x, y, 0, 0.0, 0.03)
    tilt = np.broadcast_to(x * 2, opening.shape).astype(np.float32)
    for wavelength in (GREEN, 2 * GREEN):
        spread = point_spread(Pupil(opening, tilt), wavelength)
        peak = np.unravel_index(spread.argmax(), spread.shape)
        # 2 waves over the pupil's radius of 32 samples: 2 / 32 * 256 = 16 pixels of shift.
        assert peak == (128, 128 + round(16 * GREEN / wavelength))


def test_bank_is_made_once_and_kept_on_disk():
    psf_bank.cache_clear()
    bank_file(2).unlink(missing_ok=True)
    made = psf_bank(2)
    assert made.shape == (2, 3, SIZE, SIZE)
    assert bank_file(2).is_file()
    psf_bank.cache_clear()
    stamp = bank_file(2).stat().st_mtime_ns
    np.testing.assert_array_equal(psf_bank(2), made)
    assert bank_file(2).stat().st_mtime_ns == stamp
    np.testing.assert_array_equal(made[1], make_entry(1))


def test_broken_bank_on_disk_is_made_anew():
    psf_bank.cache_clear()
    bank_file(1).parent.mkdir(parents=True, exist_ok=True)
    bank_file(1).write_bytes(b"not an array")
    assert psf_bank(1).shape == (1, 3, SIZE, SIZE)
