"""`semilar bulk`: what a photo costs, and what workers, Ray and a long run do to that.

    python benchmarks/bulk.py                   all of it, about ten minutes on two idle cores
    python benchmarks/bulk.py --costs-only      what a million photos cost
    python benchmarks/bulk.py --price 0.05 --nodes 20 --cores 32 --storage 200

Costs come from seconds of processor time per photo, stage by stage. Then, in one run and in turn,
one worker, two, and two of Ray, some rounds of it: photos per second between the first tenth and
the last one, by the times in the manifest, so that starting up and running dry are left out; each
ratio is one of neighbours, and the median of the rounds counts. Last, a long run: memory of all
processes that it started, early and late. All but the costs need cores that nobody else uses.
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
from semilar.restore.batch import PhotoOptions

SIZES = {"small": (240, 320), "1080p": (1080, 1920), "12 MP": (3000, 4000)}
TINY = 64  # working size of the long run, so that many photos fit into minutes
KINDS = 3  # photos that differ
DRAWN = (384, 512)
ENOUGH = {"two workers to one": 1.8, "Ray to local": 0.9}
FLAT = 1.1


def photo(size: tuple[int, int], seed: int) -> Image.Image:
    """A simulated night photo with flare, enlarged to its size: simulating takes far longer."""
    strong = replace(SynthSettings.preset("smeared"), flare_free=0.0)
    made = synthesize(night_scene(seed, DRAWN), seed=seed, settings=strong, size=DRAWN)
    small = Image.fromarray(np.rint(made.input * 255).astype(np.uint8))
    return small.resize((size[1], size[0]), Image.Resampling.BICUBIC)


def fill(folder: Path, size: tuple[int, int], count: int) -> None:
    """`count` JPEG files, of a few kinds."""
    folder.mkdir()
    for kind in range(min(KINDS, count)):
        photo(size, kind).save(folder / f"{kind:06}.jpg", quality=95)
    for i in range(KINDS, count):
        (folder / f"{i:06}.jpg").write_bytes((folder / f"{i % KINDS:06}.jpg").read_bytes())


def stages(name: str) -> tuple[dict[str, float], float]:
    """Processor seconds of one photo, stage by stage, on one core; its megabytes in and out."""
    remover, options = Remover(threads=1), PhotoOptions()
    spent: dict[str, list[float]] = {"decode": [], "network": [], "encode": []}
    size = 0
    with tempfile.TemporaryDirectory() as room:
        fill(Path(room, "in"), SIZES[name], KINDS)
        for path in sorted(Path(room, "in").iterdir()):
            content = path.read_bytes()
            clock = [time.process_time()]
            before = restoring.decode(content, path.name, options)
            clock.append(time.process_time())
            after = restoring.restore(before, remover, options).image
            clock.append(time.process_time())
            size += len(content) + len(restoring.encode(after, path.name, options))
            clock.append(time.process_time())
            for stage, seconds in zip(spent, np.diff(clock), strict=True):
                spent[stage].append(float(seconds))
    return {name: statistics.median(v) for name, v in spent.items()}, size / KINDS / 1e6


def costs(price: float, nodes: int, cores: int, storage: float) -> None:
    """What a million photos cost on one core, two, and many, and what limits them."""
    print("| photo | on | photos/s | hours per million | core hours | money | limit |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in ("1080p", "12 MP"):
        spent, size = stages(name)
        seconds = sum(spent.values())
        parts = ", ".join(f"{stage} {value:.3f} s" for stage, value in spent.items())
        for where, count, links in (
            ("one core", 1, 1),
            ("two cores", 2, 1),
            (f"{nodes} nodes of {cores} cores", nodes * cores, nodes),
        ):
            work, carried = count / seconds, links * storage / size  # photos per second
            limit = max(spent, key=spent.__getitem__) if work <= carried else "storage"
            rate = min(work, carried)
            hours = 1e6 / rate / 3600
            print(
                f"| {name} | {where} | {rate:.2f} | {hours:,.1f} | {hours * count:,.0f} | "
                f"{hours * count * price:,.2f} | {limit} |"
            )
        print(
            f"{name}: {parts}, {size:.2f} MB in and out; the storage limits from "
            f"{storage / size * seconds:,.0f} cores on behind one link of {storage:.0f} MB/s",
            flush=True,
        )


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

    def between(self, low: float, high: float) -> float:
        """The median while so many photos were done."""
        found = [size for done, size in self.seen if low <= done < high]
        return statistics.median(found) if found else float("nan")


def measure(
    folder: Path, engine: str, workers: int, *, working_size: int | None = None
) -> tuple[float, Memory]:
    """One run over the photos in `folder`; gives photos per second, and its memory."""
    count = sum(1 for _ in folder.iterdir())
    memory = Memory()
    memory.start()
    with tempfile.TemporaryDirectory(dir=folder.parent) as out:
        report = semilar.bulk(
            folder,
            out,
            engine=engine,
            workers=workers,
            batch=4,
            working_size=working_size,
            on_progress=memory.follow,
        )
        memory.over.set()
        memory.join()
        assert report.done == count, report
        times = np.sort(pq.read_table(f"{out}/manifest.parquet")["at"].to_numpy().astype("int64"))
    first, last = count // 10, count - 1 - count // 10
    rate = (last - first) / max((times[last] - times[first]) / 1000, 1e-9)
    print(
        f"{engine} with {workers}: {rate:.2f} photos/s; {report.seconds:.1f} s with starting up",
        flush=True,
    )
    return rate, memory


def ratios(folder: Path, rounds: int) -> None:
    """One worker, two, and two of Ray, in turn."""
    found: dict[str, list[float]] = {name: [] for name in ENOUGH}
    for _ in range(rounds):
        one, _ = measure(folder, "local", 1)
        two, _ = measure(folder, "local", 2)
        ray, _ = measure(folder, "ray", 2)
        found["two workers to one"].append(two / one)
        found["Ray to local"].append(ray / two)
    for name, values in found.items():
        each = ", ".join(f"{value:.2f}" for value in values)
        middle = statistics.median(values)
        verdict = "met" if middle >= ENOUGH[name] else "MISSED"
        print(f"{name}: {middle:.2f} ({each}); at least {ENOUGH[name]}: {verdict}", flush=True)


def long_run(folder: Path, count: int) -> None:
    """Memory from a tenth of the photos on."""
    _, memory = measure(folder, "local", 2, working_size=TINY)
    early, late = memory.between(count * 0.1, count * 0.2), memory.between(count * 0.9, count)
    verdict = "met" if late <= FLAT * early else "MISSED"
    print(
        f"memory from photo {count // 10} to {count}: {early:.0f} to {late:.0f} MiB "
        f"({late / early:.2f}); at most {FLAT}: {verdict}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--photos", type=int, default=48, help="of each run for a ratio")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--long", type=int, default=2000, help="photos of the long run; 0: none")
    parser.add_argument("--price", type=float, default=0.04, help="of a core hour")
    parser.add_argument("--nodes", type=int, default=10)
    parser.add_argument("--cores", type=int, default=16, help="of a node")
    parser.add_argument("--storage", type=float, default=100, help="MB/s of a node, in and out")
    parser.add_argument("--costs-only", action="store_true", help="no runs")
    options = parser.parse_args()
    costs(options.price, options.nodes, options.cores, options.storage)
    if options.costs_only:
        return
    with tempfile.TemporaryDirectory() as room:
        fill(Path(room, "in"), SIZES["1080p"], options.photos)
        ratios(Path(room, "in"), options.rounds)
        if options.long:
            fill(Path(room, "many"), SIZES["small"], options.long)
            long_run(Path(room, "many"), options.long)


if __name__ == "__main__":
    main()
