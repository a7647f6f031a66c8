"""Lit rooms as backgrounds to train on: views into HDR panoramas, with the lamps that light them.

    python tools/room_views.py --panoramas DIR --out DIR [--count 60] [--side 560]

A camera that looks around in a room sees what no landscape shows: white walls and ceilings in the
light of their own lamps, brightest near them. `tools/bundled-rooms.csv` lists the panoramas, their
packages, licences and checksums; every file is checked. Views tilt, roll and zoom as a phone does;
each gets an exposure that a phone might choose, and is written *encoded*, as PNG. `.exr` files need
OpenEXR (`pip install OpenEXR`).
"""

import argparse
import csv
import hashlib
import sys
from pathlib import Path

import numpy as np
from rich.progress import track

from semilar.files import write_bytes
from semilar.flare.draws import Rng, log_uniform, uniform
from semilar.photo import Floats, linear_to_srgb, plain_png

LIST = Path(__file__).with_name("bundled-rooms.csv")
ASPECT = 4 / 3


def read_panorama(path: Path) -> Floats:
    """*Linear* light (H, W, 3) all around: left to right a full turn, top to bottom half of one."""
    if path.suffix == ".exr":
        import OpenEXR  # pyright: ignore[reportMissingImports]

        channels = OpenEXR.File(str(path)).channels()
        if "RGB" in channels:
            return np.asarray(channels["RGB"].pixels, np.float32)
        if "RGBA" in channels:
            return np.asarray(channels["RGBA"].pixels, np.float32)[..., :3]
        return np.stack([np.asarray(channels[c].pixels, np.float32) for c in "RGB"], axis=-1)
    return read_radiance(path.read_bytes())


def read_radiance(content: bytes) -> Floats:
    """A Radiance picture (`.hdr`) with run lengths, as nearly all are: *linear* light (H, W, 3)."""
    head, _, rest = content.partition(b"\n\n")
    if not head.startswith(b"#?"):
        raise ValueError("is no Radiance picture")
    size, _, data = rest.partition(b"\n")
    words = size.split()
    height, width = int(words[1]), int(words[3])
    pixels = np.empty((height, 4, width), np.uint8)
    place = 0
    for row in range(height):
        if data[place : place + 2] != b"\x02\x02":
            raise ValueError("has no run lengths")
        place += 4
        for channel in range(4):
            place = _read_line(data, place, pixels[row, channel])
    scale = np.ldexp(np.float32(1), pixels[:, 3].astype(np.int32) - 136)
    return (pixels[:, :3] * scale[:, None]).transpose(0, 2, 1).astype(np.float32)


def _read_line(data: bytes, place: int, line: np.ndarray) -> int:
    """Fill one channel of one row from `place` on; where the next one begins."""
    at = 0
    while at < len(line):
        count = data[place]
        if count > 128:
            line[at : at + count - 128] = data[place + 1]
            at, place = at + count - 128, place + 2
        else:
            line[at : at + count] = np.frombuffer(data, np.uint8, count, place + 1)
            at, place = at + count, place + 1 + count
    return place


def view(panorama: Floats, rng: Rng, side: int) -> Floats:
    """What a camera sees that is held somehow: *linear* light (side, 4/3 side, 3)."""
    height, width = side, round(side * ASPECT)
    if rng.random() < 0.4:
        height, width = width, height
    half = np.tan(np.radians(uniform(rng, (60, 85))) / 2)  # of the short side
    across, down = np.meshgrid(
        np.linspace(-1, 1, width) * half * width / side,
        np.linspace(-1, 1, height) * half * height / side,
    )
    rays = np.stack([across, -down, np.ones_like(across)], axis=-1)
    turn, tilt, roll = uniform(rng, (0, 2 * np.pi)), uniform(rng, (-0.9, 0.25)), rng.normal(0, 0.06)
    rays = rays @ _rotation(2, roll) @ _rotation(0, tilt) @ _rotation(1, turn)
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    x = (np.arctan2(rays[..., 0], rays[..., 2]) / (2 * np.pi) + 0.5) * panorama.shape[1] - 0.5
    y = np.arccos(rays[..., 1].clip(-1, 1)) / np.pi * panorama.shape[0] - 0.5
    return _between(panorama, x, y)


def _rotation(axis: int, angle: float) -> Floats:
    """Rows times this turn around one axis."""
    one, other = (i for i in range(3) if i != axis)
    turned = np.eye(3, dtype=np.float32)
    turned[one, one] = turned[other, other] = np.cos(angle)
    turned[one, other], turned[other, one] = np.sin(angle), -np.sin(angle)
    return turned


def _between(panorama: Floats, x: Floats, y: Floats) -> Floats:
    """Values between pixels; left and right ends meet."""
    height, width = panorama.shape[:2]
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    along, down = ((a - b)[..., None].astype(np.float32) for a, b in ((x, left), (y, top)))
    rows = [np.clip(top + i, 0, height - 1) for i in (0, 1)]
    columns = [(left + i) % width for i in (0, 1)]
    upper, lower = (
        panorama[row, columns[0]] * (1 - along) + panorama[row, columns[1]] * along for row in rows
    )
    return upper * (1 - down) + lower * down


def exposed(light: Floats, rng: Rng) -> Floats:
    """The same light as a phone exposes it: *linear*, 1 is white, noise as a camera has it."""
    middle = np.median(light.mean(axis=2))
    picture = light * np.float32(log_uniform(rng, (0.06, 0.35)) / max(float(middle), 1e-6))
    grain = rng.standard_normal(picture.shape, np.float32)
    return (picture + grain * np.sqrt(picture.clip(0, 1) * np.float32(2e-4))).clip(0, 1)


def listed(folder: Path) -> list[Path]:
    """The panoramas of the list; exits with 2 if one is missing or is another file."""
    paths = []
    for row in csv.DictReader(LIST.open(encoding="utf-8")):
        path = folder / row["file"]
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != row["sha256"]:
            print(f"{row['file']}: is missing or not the listed file.", file=sys.stderr)
            sys.exit(2)
        paths.append(path)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--panoramas", type=Path, required=True, help="the files of the list")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the views")
    parser.add_argument("--count", type=int, default=60, help="how many views")
    parser.add_argument("--side", type=int, default=560, help="short side in pixels")
    options = parser.parse_args()
    panoramas = [read_panorama(path) for path in listed(options.panoramas)]
    for number in track(range(options.count), description="views"):
        rng = np.random.default_rng(number)
        light = view(panoramas[number % len(panoramas)], rng, options.side)
        codes = np.rint(linear_to_srgb(exposed(light, rng)) * 255).astype(np.uint8)
        write_bytes(options.out / f"view-{number:03d}.png", plain_png(codes))


if __name__ == "__main__":
    main()
