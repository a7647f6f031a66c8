"""Full resolution, beside the usual way, with an engine that knows the flare.

    python benchmarks/restore.py             simulated photos of 1080p and 12 megapixels
    python benchmarks/restore.py --photos 6  more of them

Most photos are of the preset fitted to real flare ("realistic"); one each of far stronger flare
and of two extreme lenses follows.

Both ways get the true scene at the network's size and bring it to the photo's, in turn. The usual
way shrinks encoded 8-bit pictures, takes their absolute difference, enlarges and subtracts it.
Times are CPU seconds on one core; "own time" is all of `Remover.remove` but the engine, beside
decoding and encoding the same photo as JPEG; "layer" is the part of it that carries the layer to
full size and takes it away.
"""

import argparse
import statistics
import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from semilar import photo as photos
from semilar.flare import SynthSettings, night_scene, synthesize
from semilar.photo import Photo, linear_to_srgb
from semilar.restore import Remover
from semilar.restore.fullsize import shrink, subtract
from semilar.restore.working import working_size

Bytes = NDArray[np.uint8]
SIZES = {"1080p": (1080, 1920), "12 MP": (3000, 4000)}
EXTREMES = ("strong", "lens-b", "lens-a")


class Oracle:
    """Knows the scene; counts the time it takes to answer."""

    def __init__(self, scene: Bytes) -> None:
        self.scene, self.seconds = scene, 0.0

    def run(self, image: NDArray[np.float32]) -> tuple[NDArray, NDArray]:
        """The engine protocol."""
        start = time.process_time()
        small = linear_to_srgb(shrink(self.scene, image.shape[2:]).mean)  # type: ignore[arg-type]
        planes = np.ascontiguousarray(small.transpose(2, 0, 1)[None])
        self.seconds += time.process_time() - start
        return planes, np.maximum(image - planes, 0)


def usual_way(spoiled: Bytes, scene: Bytes) -> Bytes:
    """Absolute 8-bit difference of encoded pictures, enlarged and subtracted."""
    height, width = spoiled.shape[:2]
    rows, columns = working_size((height, width))
    small = [
        np.asarray(Image.fromarray(one).resize((columns, rows), Image.Resampling.BICUBIC), np.int16)
        for one in (spoiled, scene)
    ]
    difference = np.abs(small[0] - small[1]).astype(np.uint8)
    large = Image.fromarray(difference).resize((width, height), Image.Resampling.BICUBIC)
    return np.clip(spoiled.astype(np.int16) - np.asarray(large, np.int16), 0, 255).astype(np.uint8)


def our_way(spoiled: Bytes, scene: Bytes) -> tuple[Bytes, float, float]:
    """The restored photo, the own time of the session, and that of the layer at full size."""
    oracle = Oracle(scene)
    remover = Remover(engine=oracle, threads=1)
    start = time.process_time()
    image = remover.remove(spoiled).image
    own = time.process_time() - start - oracle.seconds
    layer = remover.find(spoiled)
    start = time.process_time()
    subtract(spoiled, layer)
    return image, own, time.process_time() - start


def simulated(size: tuple[int, int], seed: int, preset: str) -> tuple[Bytes, Bytes]:
    """A photo with flare and the same without."""
    settings = replace(SynthSettings.preset(preset), flare_free=0.0)
    sample = synthesize(night_scene(seed, size), seed=seed, settings=settings, size=size)
    spoiled, scene = (np.rint(one * 255).astype(np.uint8) for one in (sample.input, sample.target))
    return spoiled, scene


def file_time(pixels: Bytes) -> float:
    """CPU seconds to encode a photo as JPEG and to decode it again."""
    start = time.process_time()
    photos.read(photos.encode(Photo(pixels=pixels, format="JPEG")))
    return time.process_time() - start


def decibels(picture: Bytes, truth: Bytes) -> float:
    return float(10 * np.log10(255**2 / np.mean((picture.astype(np.float32) - truth) ** 2)))


def measure(name: str, size: tuple[int, int], seed: int, preset: str) -> tuple[float, ...]:
    """One photo both ways: levels of input, usual way and ours, own, file and layer time."""
    spoiled, scene = simulated(size, seed, preset)
    usual = usual_way(spoiled, scene)
    ours, own, layer = our_way(spoiled, scene)
    levels = [decibels(one, scene) for one in (spoiled, usual, ours)]
    file = file_time(spoiled)
    print(
        f"{name} {preset:10} input {levels[0]:5.2f} dB, usual way {levels[1]:5.2f}, "
        f"ours {levels[2]:5.2f}; own time {own:.2f} s, layer {layer:.2f} s, file {file:.2f} s",
        flush=True,
    )
    return (*levels, own, file, layer)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--photos", type=int, default=3, help="realistic photos of each size")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    options = parser.parse_args()
    for name in options.sizes:
        rows = [measure(name, SIZES[name], seed, "realistic") for seed in range(options.photos)]
        columns = list(zip(*rows, strict=True))
        usual, ours = statistics.mean(columns[1]), statistics.mean(columns[2])
        own, file, layer = (statistics.median(one) for one in columns[3:])
        print(
            f"{name} realistic, mean: usual way {usual:.2f} dB, ours {ours:.2f} dB "
            f"({ours - usual:+.2f}), lowest {min(columns[2]):.2f}; own time {own:.2f} s, layer "
            f"{layer:.2f} s, {own / file:.1f} times decoding and encoding",
            flush=True,
        )
        for seed, preset in enumerate(EXTREMES, start=1):
            measure(name, SIZES[name], seed, preset)


if __name__ == "__main__":
    main()
