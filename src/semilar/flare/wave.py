"""Scattering by wave optics: the point-spread function is the power spectrum of the pupil.

In the Fraunhofer limit a point source's image at wavelength λ is |F{P exp(2πi W/λ)}|², on a scale
proportional to λ. Colour comes from adding many wavelengths, each on its own scale.
"""

import numpy as np
from PIL import Image

from semilar.flare.pupil import Pupil
from semilar.flare.sample import Floats
from semilar.flare.spectrum import GREEN, camera_response

TRANSFORMS = 8
"""Wavelengths for which the spectrum is computed."""
SCALES = 40
"""Wavelengths that are added; between two computed ones only the scale changes."""


def point_spread(pupil: Pupil, wavelength: float = GREEN) -> Floats:
    """Image of a point at one wavelength (nm), (N, N), adds up to 1, centre at N // 2.

    Its scale is that of the discrete transform: a pupil `fill` of the grid wide puts the first
    dark ring of a circular opening at 1.22 / fill pixels.
    """
    phase = pupil.delay * np.float32(2 * np.pi * GREEN / wavelength)
    field = np.empty(phase.shape, np.complex64)
    field.real, field.imag = pupil.amplitude * np.cos(phase), pupil.amplitude * np.sin(phase)
    spectrum = np.fft.fftshift(np.fft.fft2(np.fft.ifftshift(field)))
    power = spectrum.real**2 + spectrum.imag**2
    return (power / power.sum()).astype(np.float32)


def colour_point_spread(pupil: Pupil) -> Floats:
    """Image of a white point, (N, N, 3), *linear* light; each channel adds up to about 1."""
    wavelengths, response = camera_response(SCALES)
    computed = np.linspace(wavelengths[0], wavelengths[-1], TRANSFORMS)
    images = [Image.fromarray(point_spread(pupil, float(nm))) for nm in computed]
    size = pupil.amplitude.shape[0]
    stack = np.empty((SCALES, size * size), np.float32)
    for row, nm in zip(stack, wavelengths, strict=True):
        nearest = images[int(np.abs(computed - nm).argmin())]
        row[:] = _rescale(nearest, float(nm) / GREEN).ravel()
    return (stack.T @ response).reshape(size, size, 3)


def _rescale(image: Image.Image, scale: float) -> Floats:
    """Enlarge about the centre pixel by `scale`, keeping the sum."""
    size, middle = image.width, image.width // 2 + 0.5
    shift = middle - middle / scale
    matrix = (1 / scale, 0, shift, 0, 1 / scale, shift)
    grown = image.transform((size, size), Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR)
    return np.asarray(grown) / np.float32(scale**2)
