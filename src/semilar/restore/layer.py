"""The layer to take away, from what the network sees and what it answers.

Flare adds light, so the layer is a difference of *linear* light, with its sign: where the network
brightens, the layer is negative. It is known at the network's size and needed at the photo's.
Three things say how it looks between the known samples:

- Flare is smooth for the most part: cubic interpolation.
- Where flare has detail as fine as the samples (rays of shimmer, edges of streaks), part of the
  photo's own fine detail is flare. Wiener's gain tells which part: the variance of flare detail
  over that of flare, scene and noise, extrapolated from the finest octave of each.
- A clipped pixel hides its layer: a lamp stays white whatever light is added. Close to lamps the
  layer is regressed on how much of each sample's area is clipped, and follows the lamp's outline.
"""

from dataclasses import dataclass

import numpy as np

from semilar.photo import Floats, srgb_to_linear
from semilar.restore.curves import encoded
from semilar.restore.filters import box, filtered, octave, ramp
from semilar.restore.lamps import brightness, lamps
from semilar.restore.resample import catmull_rom

# Steps of 8-bit codes, encoded light: changes below the first are noise of the network and give
# an exact zero; above the second they count in full.
_SILENT, _FULL = 0.5 / 255, 1.25 / 255
# A photo has flare if more than a share of it changes by more than so much: widely or strongly.
_FOUND = ((1e-3, 3.0 / 255), (4e-4, 12.0 / 255))
CLIPPED_FROM, _CLIPPED = 0.9, 0.98
_WINDOW = 2
# Deviation of a code from the light it stands for, in codes: rounding, and some for compression.
_ROUNDING = 0.4


@dataclass(frozen=True)
class Small:
    """A photo shrunk by area, *linear* light."""

    mean: Floats  # (h, w, 3)
    clipped: Floats  # (h, w, 3), how much of each sample's area is clipped
    bright_square: Floats  # (h, w, 1), mean of the squared brightness
    square: Floats  # (h, w, 3), mean of the squares; both give the variance inside a sample
    scale: float  # pixels of the photo per sample, along one side
    step: float  # between two codes of the photo's encoded pixels; 0 for floats


@dataclass(frozen=True)
class Layer:
    """What to subtract from a pixel x of *linear* light.

    It is `base + shared * brightness(x) + own * x + lamp * clipped(x)`. The fields are (h, w, 3)
    and wait to be enlarged. `found` is false where there is no flare worth the name; then they
    are all zero.
    """

    base: Floats
    shared: Floats
    own: Floats
    lamp: Floats
    found: bool
    light: float = 0.0  # mean over the picture and its channels, linear

    @property
    def size(self) -> tuple[int, int]:
        """(height, width) of the fields."""
        return self.base.shape[0], self.base.shape[1]


def clipped(linear: Floats) -> Floats:
    """How clipped a pixel of *linear* light is, 0 to 1; files round and JPEG rings, so softly."""
    soft = linear - np.float32(CLIPPED_FROM)
    soft *= np.float32(1 / (_CLIPPED - CLIPPED_FROM))
    return np.clip(soft, 0, 1, out=soft)


def estimate(
    small: Small, scene: Floats, *, agreed: Floats | None = None, grey: bool = False
) -> Layer:
    """The layer between a shrunk photo and the *linear* scene (h, w, 3) the network found in it.

    Whether there is flare at all is told from `scene`, the mean of all views. What is taken is
    the difference to `agreed`, where views agree, if that is given.
    """
    layer, change = _difference(small, scene, grey)
    if not any(np.mean(change > least) > share for share, least in _FOUND):
        nothing = np.zeros_like(layer)
        return Layer(nothing, nothing, nothing, nothing, found=False)
    if agreed is not None:
        layer, change = _difference(small, agreed, grey)
    loud = ramp(change, _SILENT, _FULL)
    layer *= loud
    light = float(layer.mean())
    lamp = np.minimum(_slope(small.clipped, layer), 0) * (loud > 0)
    shared, rest = _shared_detail(small, layer)
    own = _own_share(small, layer, rest) * (loud > 0)
    shared *= (1 - own) * (loud > 0)
    base, mean, white = (
        _sharpened(field, small.scale) for field in (layer, small.mean, small.clipped)
    )
    base -= shared * brightness(mean) + own * mean + lamp * white
    return Layer(base, shared, own, lamp, found=True, light=light)


def _difference(small: Small, scene: Floats, grey: bool) -> tuple[Floats, Floats]:
    """The light between a shrunk photo and a *linear* scene, lamps aside, (h, w, 3), and by how
    much that changes *encoded* pixels, (h, w, 1).
    """
    layer = small.mean - np.clip(scene, 0, 1)
    if grey:
        layer = np.repeat(layer.mean(axis=2, keepdims=True), 3, axis=2)
    layer *= 1 - lamps(small.clipped, small.mean - layer)
    after = np.clip(small.mean - layer, 0, 1)
    change = np.abs(encoded(small.mean.copy()) - encoded(after))
    return layer, box(change.max(axis=2, keepdims=True), 1)


def with_lamps(picture: Floats, scene: Floats) -> Floats:
    """The *encoded* scene (h, w, 3) of an *encoded* picture, but that its lamps stay as they are.

    What `estimate` does with lamps, for those who use a network's answer itself.
    """
    light = srgb_to_linear(picture)
    layer = light - srgb_to_linear(np.clip(scene, 0, 1))
    layer *= 1 - lamps(clipped(light), light - layer)
    return encoded(np.clip(light - layer, 0, 1))


def _shared_detail(small: Small, layer: Floats) -> tuple[Floats, Floats]:
    """Flare in the photo's fine detail per unit of brightness, and the variance of the rest.

    Wiener's gain: the variance of flare detail over that of flare, scene and noise, times each
    channel's share. What a channel does not share (rainbows) is the second answer.
    """
    bright, flare = brightness(small.mean), brightness(layer)
    fine, fine_bright = octave(layer), octave(flare)
    of_flare = box(fine_bright**2, _WINDOW)
    of_scene = box(octave(bright - flare) ** 2, _WINDOW)
    noise = 2 * _quantile(_variance(bright, small.bright_square), 0.5)
    total = of_flare + of_scene + noise
    tiny = np.float32(1e-8)
    colour = np.clip(box(fine * fine_bright, _WINDOW) / (of_flare + tiny), 0, 2)
    rest = box((fine - colour * fine_bright) ** 2, _WINDOW)
    return of_flare / (total + tiny) * colour, rest


def _own_share(small: Small, layer: Floats, rest: Floats) -> Floats:
    """The share of each channel's fine detail that is not the scene's.

    It is flare detail of that channel alone (its variance is `rest`), and the rounding of the
    photo's codes. These are coarse where it is bright: where flare outshines a dark scene, what is
    left after subtracting would show their steps many times enlarged. Only what exceeds the steps
    that the scene itself would have is counted.
    """
    before, after = (_steepness(one) for one in (small.mean, small.mean - layer))
    steps = (_ROUNDING * small.step) ** 2 * np.maximum(before**2 - after**2, 0)
    noise = _quantile(_variance(small.mean, small.square), 0.25)
    of_scene = np.maximum(box(octave(small.mean - layer) ** 2, _WINDOW), noise)
    other = steps + rest
    return (other / (other + of_scene + np.float32(1e-8))).astype(np.float32)


def _steepness(linear: Floats) -> Floats:
    """Change of *linear* light per change of its encoded value."""
    return 2.4 / 1.055 * ((encoded(np.clip(linear, 0, 1)) + 0.055) / 1.055) ** 1.4


def _variance(mean: Floats, square: Floats) -> Floats:
    """Variance of the photo inside the samples, but for the ramp between them."""
    down, across = (_gradient(mean, axis) for axis in (0, 1))
    inside = square - mean**2 - (down**2 + across**2) / 12
    return box(np.maximum(inside, 0), _WINDOW)


def _quantile(x: Floats, share: float) -> Floats:
    """The value of each channel of `x` (h, w, c) that `share` of the others lie below.

    NumPy's own loads all of its masked arrays at the first call.
    """
    values = x.reshape(-1, x.shape[2])
    place = int(share * (len(values) - 1))
    return np.partition(values, place, axis=0)[place]


def _slope(guide: Floats, layer: Floats) -> Floats:
    """Slope of the local regression of `layer` on `guide`, zero where the guide is flat."""
    mean = box(guide, _WINDOW)
    variance = box(guide * guide, _WINDOW) - mean * mean
    covariance = box(guide * layer, _WINDOW) - mean * box(layer, _WINDOW)
    return covariance / (np.maximum(variance, 0) + np.float32(1e-4))


def _sharpened(x: Floats, scale: float) -> Floats:
    """Samples that are means over an area, as samples that a cubic curve can go through.

    The cubic curve through means is flatter than what they are the means of. `scale` is how many
    pixels an area has along one side; the means of the curve come close to `x` again.
    """
    count = round(scale)
    inside = (np.arange(count) + 0.5) / count - 0.5
    kernel = [float(catmull_rom(np.abs(inside - k)).mean()) for k in range(-2, 3)]
    return 2 * x - filtered(x, tuple(kernel))


def _gradient(x: Floats, axis: int) -> Floats:
    return np.zeros_like(x) if x.shape[axis] < 2 else np.gradient(x, axis=axis)
