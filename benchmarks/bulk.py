"""`semilar bulk`: what a photo costs, and what workers, Ray and a long run do to that.

    python benchmarks/bulk.py                     48 photos of 1080p by each engine, in turn
    python benchmarks/bulk.py --photos 2000 --small   the long run: small photos, memory over time
    python benchmarks/bulk.py --price 0.05        money per core hour, for the last table

Three runs in turn: one worker, two workers, two workers of Ray. Photos per second count from the
first tenth of the photos on, by the times in the manifest, so that starting up is left out. They
need cores that nobody else uses; seconds of processor time, from which the costs are computed, do
not. Memory is that of all processes that the run started.
"""

import argparse
import statistics
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pyarrow.parquet as pq
from PIL import Image

import semilar
from semilar.archive import restoring
from semilar.archive.progress import Progress
from semilar.flare import SynthSettings, synthesize
from semilar.flare.scene import night_scene
from semilar.restore import Remover
from semilar.restore.batch import Wishes

SIZES = {"small": (120, 160), "1080p": (1080, 1920), "12 MP": (3000, 4000)}
KINDS = 3  # photos that differ
DRAWN = (384, 512)


def photo(size: tuple[int, int], seed: int) -> Image.Image:
    """A simulated night photo with flare, enlarged to its size: simulating takes far longer."""
    strong = replace(SynthSettings.preset("smeared"), flare_free=0.0)
    made = synthesize(night_scene(seed, DRAWN), seed=seed, settings=strong, size=DRAWN)
    small = Image.fromarray(np.rint(made.input * 255).astype(np.uint8))
    return small.resize((size[1], size[0]), Image.Resampling.BICUBIC)


def fill(folder: Path, size: tuple[int, int], count: int) -> None:
    """`count` JPEG files, of a few kinds."""
    folder.mkdir()
    for kind in range(KINDS):
        photo(size, kind).save(folder / f"{kind:06}.jpg", quality=95)
    for i in range(KINDS, count):
        (folder / f"{i:06}.jpg").write_bytes((folder / f"{i % KINDS:06}.jpg").read_bytes())


def stages(name: str) -> float:
    """Processor seconds of one photo, stage by stage, on one core; gives their sum."""
    remover, wishes = Remover(threads=1), Wishes()
    spent: dict[str, list[float]] = {"decode": [], "network and subtraction": [], "encode": []}
    with tempfile.TemporaryDirectory() as room:
        fill(Path(room, "in"), SIZES[name], KINDS)
        for path in sorted(Path(room, "in").iterdir()):
            content = path.read_bytes()
            clock = [time.process_time()]
            before = restoring.decode(content, path.name, wishes)
            clock.append(time.process_time())
            after = restoring.restore(before, remover, wishes).picture()
            clock.append(time.process_time())
            restoring.encode(after, path.name, wishes)
            clock.append(time.process_time())
            for stage, seconds in zip(spent, np.diff(clock), strict=True):
                spent[stage].append(float(seconds))
    means = {stage: statistics.median(values) for stage, values in spent.items()}
    parts = ", ".join(f"{stage} {seconds:.3f} s" for stage, seconds in means.items())
    total = sum(means.values())
    print(f"{name}: {total:.3f} processor seconds per photo on one core: {parts}", flush=True)
    return total


class Memory(threading.Thread):
    """Watches the processes that this one has started."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.seen: list[tuple[int, float]] = []  # photos done, MiB
        self.done, self.over = 0, threading.Event()

    def follow(self, progress: Progress) -> None:
        """Called as photos are done."""
        self.done = progress.done

    def run(self) -> None:
        while not self.over.wait(0.5):
            total = 0
            for child in psutil.Process().children(recursive=True):
                try:
                    memory = child.memory_info()
                    total += memory.rss - getattr(memory, "shared", 0)
                except psutil.Error:
                    continue
            self.seen.append((self.done, total / 2**20))

    def between(self, low: int, high: int) -> float:
        """The median while so many photos were done."""
        found = [size for done, size in self.seen if low <= done < high]
        return statistics.median(found) if found else float("nan")


def measure(folder: Path, engine: str, workers: int, count: int) -> float:
    """One run; gives photos per second."""
    out = folder / f"out-{engine}-{workers}"
    memory = Memory()
    memory.start()
    report = semilar.bulk(
        folder / "in", out, engine=engine, workers=workers, on_progress=memory.follow
    )
    memory.over.set()
    memory.join()
    assert report.done == count, report
    times = np.sort(pq.read_table(out / "manifest.parquet")["at"].to_numpy().astype("int64"))
    first = count // 10
    rate = (count - 1 - first) / max((times[-1] - times[first]) / 1000, 1e-9)
    early, late = memory.between(count // 10, count // 5), memory.between(count * 4 // 5, count)
    print(
        f"{engine} with {workers}: {rate:.3f} photos/s, {report.seconds:.1f} s with starting up; "
        f"memory {early:.0f} MiB early, {late:.0f} late ({late / early:.2f})",
        flush=True,
    )
    return rate


def costs(seconds: dict[str, float], price: float) -> None:
    """What a million photos cost, by the processor seconds of one."""
    print("| photo | photos per core and hour | core hours per million | per million |")
    print("| --- | --- | --- | --- |")
    for name, one in seconds.items():
        hours = one * 1e6 / 3600
        print(f"| {name} | {3600 / one:,.0f} | {hours:,.0f} | {hours * price:,.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--photos", type=int, default=48)
    parser.add_argument("--small", action="store_true", help="photos of 160 x 120 in the runs")
    parser.add_argument("--price", type=float, default=0.04, help="of a core hour")
    parser.add_argument("--costs-only", action="store_true", help="no runs")
    options = parser.parse_args()
    costs({name: stages(name) for name in ("1080p", "12 MP")}, options.price)
    if options.costs_only:
        return
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        fill(folder / "in", SIZES["small" if options.small else "1080p"], options.photos)
        one = measure(folder, "local", 1, options.photos)
        two = measure(folder, "local", 2, options.photos)
        ray = measure(folder, "ray", 2, options.photos)
    print(f"two workers: {two / one:.2f} times one; Ray: {ray / two:.2f} times local")


if __name__ == "__main__":
    main()
