"""All figures of a model, the last one's beside it, and the classical things a person would try.

    python tools/judge_model.py --strong PAIRS --mild PAIRS --test PHOTOS [--model semilar-t]
        [--last OLD.onnx] [--docs docs]

STRONG and MILD hold real pairs (`input/`, `gt/` and `mask/`, or `flare/` and `clear/`); of both
only the halves count that chose nothing (`tools/halves/*-report.txt`). PHOTOS are backgrounds the
model never saw, for simulated pairs. Every figure comes from the commands that a user has (`semilar
synth`, `remove` and `evaluate`), but for the rims of lamps (`tools/lamp_rims.py`). They are written
to WORK/figures.json, which `tools/publish_model.py` takes into the model's card, and with --docs as
tables into `model.md`. What is done is not done again; use another --work for another model.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from flare_measure import VISIBLE_BELOW
from lamp_rims import rim_change
from PIL import Image

from semilar.data.pairs import find_pairs
from semilar.evaluate import metrics
from semilar.evaluate.statistics import bootstrap_means, interval, mean
from semilar.files import write_text

ROOT = Path(__file__).resolve().parent.parent
SEMILAR = str(Path(sys.executable).with_name("semilar"))
CLASSICAL = {
    "inpaint": "thresholded inpainting",
    "dehaze": "dark-channel dehazing",
    "homomorphic": "homomorphic filtering",
}
MOST_PSNR = 100.0  # what an unchanged photograph counts as
PRESET = "smeared"
PAIRS, DRAWN = 100, 115  # simulated pairs that count, and that are made: some show no flare
STARTER = """
import os, subprocess, sys, time
start = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
print(time.perf_counter() - start, used.ru_maxrss)
sys.exit(status != 0)
"""
BEGIN, END = "<!-- figures: made by tools/judge_model.py -->", "<!-- figures: end -->"


@dataclass(frozen=True)
class PairSet:
    """Pictures with flare, without it, masks, and the figure that the set is judged by."""

    name: str
    flared: Path
    clean: Path
    mask: tuple[str, Path] | None = None
    """The option of `semilar evaluate` that takes the masks, and their folder."""
    figure: str = "psnr"
    worse: float = 0.3
    """A picture counts as worse when it loses more than this many dB."""


def report_half(name: str, folder: Path, work: Path, **facts: Any) -> PairSet:
    """The pairs that chose nothing, as links in folders of their own."""
    listed = (ROOT / "tools" / "halves" / f"{name}-report.txt").read_text(encoding="utf-8").split()
    pairs = {pair.name: pair for pair in find_pairs(folder).pairs}
    places = {part: work / name / part for part in ("flared", "clean", "mask")}
    for stem in listed:
        pair = pairs[stem]
        files = {"flared": pair.input, "clean": pair.target, "mask": pair.mask}
        for part, file in files.items():
            if file is not None:
                link = places[part] / file.name
                link.parent.mkdir(parents=True, exist_ok=True)
                link.unlink(missing_ok=True)
                link.symlink_to(file.resolve())
    mask = ("--leave-out", places["mask"]) if places["mask"].exists() else None
    return PairSet(f"{name} real pairs", places["flared"], places["clean"], mask, **facts)


def simulated(test: Path, work: Path) -> PairSet:
    """Pairs over photographs that no model was trained on, with a seed of their own."""
    folder = work / "simulated" / "pairs"
    pictures = ["--backgrounds", test, "-n", str(DRAWN), "--size", "512", "--seed", "700001"]
    run(SEMILAR, "synth", *pictures, "--preset", PRESET, "--out", folder)
    mask = ("--mask", folder / "mask")
    return PairSet(f"simulated pairs ({PRESET})", folder / "input", folder / "gt", mask)


def run(*command: str | Path) -> None:
    """Run a command; its error and status end this program where it fails."""
    print("$", *command, flush=True)
    done = subprocess.run([str(part) for part in command])
    if done.returncode:
        sys.exit(f"{command[0]} ended with status {done.returncode}.")


def evaluation(*options: str | Path, out: Path) -> dict[str, Any]:
    """What `semilar evaluate` finds, or found before."""
    file = out / "evaluation.json"
    if not file.exists():
        run(SEMILAR, "evaluate", *options, "--out", out)
    return json.loads(file.read_text(encoding="utf-8"))


class Judge:
    """A model, perhaps the one before it, and a work folder."""

    def __init__(self, model: str, last: str | None, work: Path) -> None:
        self.work = work
        self.models = {"model": model} | ({"last": last} if last else {})

    @property
    def methods(self) -> tuple[str, ...]:
        """Everything that is compared."""
        return (*self.models, *CLASSICAL)

    def restored(self, method: str, flared: Path, out: Path) -> Path:
        """The pictures as one method makes them."""
        if method in self.models:
            options = ["--model", self.models[method], "--skip-existing"]
            run(SEMILAR, "remove", *options, flared, "-o", out)
        elif not out.exists():
            classical = [sys.executable, ROOT / "tools" / "classical.py", method]
            run(*classical, "--input", flared, "--out", out)
        return out

    def judged(self, pairs: PairSet) -> dict[str, Any]:
        """The evaluation of every method on one set."""
        found, place = {}, self.work / pairs.name.replace(" ", "-")
        for method in self.methods:
            result = self.restored(method, pairs.flared, place / method)
            folders = ["--input", result, "--gt", pairs.clean, "--untouched", pairs.flared]
            folders += pairs.mask or ()
            found[method] = evaluation(*folders, "--lpips", out=place / f"{method}-judged")
        return found

    def of_set(self, pairs: PairSet) -> dict[str, Any]:
        """All that the card says of one set."""
        place = self.work / pairs.name.replace(" ", "-") / "model"
        facts = summary(self.judged(pairs), pairs)
        same = sum(_equal(file, place / file.name) for file in sorted(pairs.flared.iterdir()))
        return facts | {"called clean": same, "rims": rim_change(pairs.flared, place)}

    def left_alone(self, clean: Path) -> dict[str, float]:
        """How near the model stays to photographs that have no flare."""
        result = self.restored("model", clean, self.work / "clean" / "model")
        verdict = self.work / "clean" / "judged"
        rows = evaluation("--input", result, "--gt", clean, "--no-lpips", out=verdict)["rows"]
        values = [min(float(row["result"]["psnr"]), MOST_PSNR) for row in rows]
        return {
            "pictures": len(values),
            "psnr": statistics.fmean(values),
            "lowest": min(values),
            "unchanged": sum(value == MOST_PSNR for value in values),
        }

    def large_photo(self, picture: Path, rounds: int = 3) -> dict[str, float]:
        """Seconds and memory of one 12 MP JPEG, the start of the program included."""
        large, place = self.work / "12mp.jpg", self.work / "12mp"
        with Image.open(picture) as opened:
            opened.convert("RGB").resize((4000, 3000)).save(large, quality=92)
        seconds, memory = [], 0.0
        for _ in range(rounds):
            shutil.rmtree(place, ignore_errors=True)
            command = [SEMILAR, "remove", "--model", self.models["model"], large, "-o", place]
            spent, used = time_and_memory(*command)
            seconds.append(spent)
            memory = max(memory, used)
        return {"seconds": statistics.median(seconds), "mebibytes": memory}


def time_and_memory(*command: str | Path) -> tuple[float, float]:
    """Seconds and the most MiB of a command that has to succeed.

    Linux counts for a new program what the one that started it had held until then. So a program
    that holds nearly nothing starts it: this one holds pictures.
    """
    starter = [sys.executable, "-c", STARTER, *map(str, command)]
    done = subprocess.run(starter, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{command[0]} failed.")
    seconds, kibibytes = done.stdout.split()
    return float(seconds), float(kibibytes) / 1024


def _equal(first: Path, second: Path) -> bool:
    with Image.open(first) as a, Image.open(second) as b:
        return np.array_equal(np.asarray(a.convert("RGB")), np.asarray(b.convert("RGB")))


def summary(judged: dict[str, Any], pairs: PairSet) -> dict[str, Any]:
    """Means, gains with intervals, and how many pictures got worse.

    Pairs that are alike up to `VISIBLE_BELOW` dB show no flare and are left out; of the others the
    first `PAIRS` count.
    """
    kept = [
        number
        for number, row in enumerate(judged["model"]["rows"])
        if float(row["untouched"]["psnr"]) < VISIBLE_BELOW
    ][:PAIRS]

    def column(method: str, role: str, key: str) -> np.ndarray:
        rows = judged[method]["rows"]
        values = [rows[number][role][key] for number in kept]
        return np.array([np.nan if value is None else float(value) for value in values])

    others = [method for method in judged if method != "model"]
    found: dict[str, Any] = {"pictures": len(kept), "worse by": pairs.worse, "metrics": {}}
    for metric in metrics().values():
        if metric.key not in judged["model"]["metrics"]:
            continue
        before, after = (column("model", role, metric.key) for role in ("untouched", "result"))
        low, high = interval(bootstrap_means((after - before)[:, None])[:, 0])
        found["metrics"][metric.key] = {
            "untouched": mean(before),
            "result": mean(after),
            "gain": {"value": mean(after - before), "low": low, "high": high},
            **{method: mean(column(method, "result", metric.key)) for method in others},
        }
        if metric.key == pairs.figure:
            found["worse"] = int((after - before < -pairs.worse).sum())
            found["lowest gain"] = float((after - before).min())
    return found


def table(name: str, found: dict[str, Any]) -> str:
    """One set as Markdown: untouched, model, gain, the last model, classical methods."""
    others = {"last": "last model", **CLASSICAL}
    others = {key: title for key, title in others.items() if key in found["metrics"]["psnr"]}
    titles = ["untouched", "model", "gain, 95 % interval", *others.values()]
    lines = [f"| {name} | {' | '.join(titles)} |", "| --- " * (len(titles) + 1) + "|"]
    for metric in metrics().values():
        if metric.key not in found["metrics"]:
            continue
        row, digits = found["metrics"][metric.key], 2 if "psnr" in metric.key else 4
        gain = row["gain"]
        cells = [
            f"{row['untouched']:.{digits}f}",
            f"**{row['result']:.{digits}f}**",
            f"{gain['value']:+.{digits}f}, {gain['low']:+.{digits}f} … {gain['high']:+.{digits}f}",
            *(f"{row[key]:.{digits}f}" for key in others),
        ]
        lines.append(f"| {metric.label} | {' | '.join(cells)} |")
    rims = found["rims"]
    lines.append(
        f"\n{found['worse']} of {found['pictures']} got worse by more than {found['worse by']} dB"
        f" ({found['lowest gain']:+.2f} dB at worst); {found['called clean']} came back unchanged."
        f" In the rims of lamps |R − G| changed by {rims['change']:+.1f} levels on average"
        f" ({rims['pictures']} pictures with clipped lamps)."
    )
    return "\n".join(lines)


def page_text(figures: dict[str, Any]) -> str:
    """Everything that `model.md` says in numbers."""
    sets = {name: found for name, found in figures.items() if "metrics" in found}
    alone, large = figures["clean photographs"], figures["12 MP photograph"]
    return "\n\n".join(
        [
            *(table(f"{found['pictures']} {name}", found) for name, found in sets.items()),
            f"The clean photographs of the {alone['pictures']} mild pairs, given to the model"
            f" alone, come back at {alone['psnr']:.1f} dB on average ({alone['lowest']:.1f} at"
            f" worst; {alone['unchanged']} unchanged, counted as {MOST_PSNR:.0f}).",
            f"A 12 MP JPEG takes {large['seconds']:.1f} s from start to end of the program,"
            f" decoding and encoding included, and {large['mebibytes']:.0f} MiB.",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--strong", type=Path, required=True, help="real pairs, strong flare")
    parser.add_argument("--mild", type=Path, required=True, help="real pairs, mild flare")
    parser.add_argument("--test", type=Path, required=True, help="photographs for simulated pairs")
    parser.add_argument("--model", default="semilar-t", help="a bundled model or a file")
    parser.add_argument("--last", help="the model before it, as a file")
    parser.add_argument("--work", type=Path, default=Path("out/judge"))
    parser.add_argument("--docs", type=Path, help="write the tables into model.md there")
    options = parser.parse_args()
    judge = Judge(options.model, options.last, options.work)
    strong = report_half("strong", options.strong, options.work, figure="outside_psnr", worse=0.5)
    mild = report_half("mild", options.mild, options.work)
    figures: dict[str, Any] = {
        pairs.name: judge.of_set(pairs)
        for pairs in (strong, mild, simulated(options.test, options.work))
    }
    figures["clean photographs"] = judge.left_alone(mild.clean)
    figures["12 MP photograph"] = judge.large_photo(next(iter(sorted(strong.flared.iterdir()))))
    write_text(options.work / "figures.json", json.dumps(figures, indent=1) + "\n")
    text = page_text(figures)
    print(text)
    if options.docs:
        page = options.docs / "model.md"
        before, rest = page.read_text(encoding="utf-8").split(BEGIN)
        write_text(page, f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
