"""All figures of a model, and the classical things a person would try, in one table.

    python tools/judge_model.py --pairs PAIRS --test PHOTOS [--model semilar-t] [--docs docs]

PAIRS holds real photographs, `flare/` and `clear/`; PHOTOS are backgrounds the model never saw, for
simulated pairs. Every figure comes from the commands that a user has (`semilar synth`, `remove`
and `evaluate`). They are written to WORK/figures.json, which `tools/publish_model.py` takes into
the model's card, and with --docs as tables into `model.md`. What is done is not done again; use
another --work for another model.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from semilar.evaluate.metrics import METRICS
from semilar.evaluate.statistics import bootstrap_means, interval, mean
from semilar.files import write_text
from semilar.flare.measure import VISIBLE_BELOW

ROOT = Path(__file__).resolve().parent.parent
SEMILAR = str(Path(sys.executable).with_name("semilar"))
CLASSICAL = {
    "inpaint": "thresholded inpainting",
    "dehaze": "dark-channel dehazing",
    "homomorphic": "homomorphic filtering",
}
MOST_PSNR = 100.0  # what an unchanged photograph counts as
WORSE = 0.3
WORSE_KEY = f"worse by more than {WORSE} dB"
PRESET = "strong"
PAIRS, DRAWN = 200, 220  # simulated pairs that count, and that are made: some show no flare
BEGIN, END = "<!-- figures: made by tools/judge_model.py -->", "<!-- figures: end -->"


def run(*command: str | Path) -> None:
    """Run a command; its sentence and status end this program where it fails."""
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
    """One model in one work folder."""

    def __init__(self, model: str, size: int | None, work: Path) -> None:
        self.work = work
        self.remove = [SEMILAR, "remove", "--model", model, "--skip-existing"]
        self.remove += ["--working-size", str(size)] if size else []

    def judged(self, name: str, flared: Path, clean: Path, mask: Path | None) -> dict[str, Any]:
        """The evaluation of the model and of every classical method on one set."""
        found = {}
        for method in ("model", *CLASSICAL):
            result = self.work / name / method
            if method == "model":
                run(*self.remove, flared, "-o", result)
            elif not result.exists():
                classical = [sys.executable, ROOT / "tools" / "classical.py", method]
                run(*classical, "--input", flared, "--out", result)
            folders = ["--input", result, "--gt", clean, "--untouched", flared]
            folders += ["--mask", mask] if mask else []
            verdict = self.work / name / f"{method}-judged"
            found[method] = evaluation(*folders, "--lpips", out=verdict)
        return found

    def left_alone(self, clean: Path) -> dict[str, float]:
        """How near the model stays to photographs that have no flare."""
        result = self.work / "clean" / "model"
        run(*self.remove, clean, "-o", result)
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
        large = self.work / "12mp.jpg"
        with Image.open(picture) as opened:
            opened.convert("RGB").resize((4000, 3000)).save(large, quality=92)
        seconds, memory = [], 0
        for number in range(rounds):
            command = [*self.remove, str(large), "-o", str(self.work / f"12mp-out-{number}.jpg")]
            Path(command[-1]).unlink(missing_ok=True)
            start = time.perf_counter()
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
            seconds.append(time.perf_counter() - start)
            memory = max(memory, used.ru_maxrss)
            if status:
                sys.exit("semilar remove failed on the 12 MP photo.")
        return {"seconds": statistics.median(seconds), "mebibytes": memory / 1024}


def simulated(test: Path, work: Path) -> Path:
    """Pairs over photographs that no model was trained on, with a seed of their own."""
    folder = work / "pairs"
    pictures = ["--backgrounds", test, "-n", str(DRAWN), "--size", "512", "--seed", "700001"]
    run(SEMILAR, "synth", *pictures, "--preset", PRESET, "--out", folder)
    return folder


def summary(judged: dict[str, Any]) -> dict[str, Any]:
    """What the card says of one set: means, gains with intervals, how many got worse.

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

    found: dict[str, Any] = {"pictures": len(kept)}
    for metric in METRICS:
        if metric.key not in judged["model"]["metrics"]:
            continue
        before, after = (column("model", role, metric.key) for role in ("untouched", "result"))
        low, high = interval(bootstrap_means((after - before)[:, None])[:, 0])
        found[metric.key] = {
            "untouched": mean(before),
            "result": mean(after),
            "gain": {"value": mean(after - before), "low": low, "high": high},
            **{method: mean(column(method, "result", metric.key)) for method in CLASSICAL},
        }
        if metric.key == "psnr":
            found[WORSE_KEY] = int((after - before < -WORSE).sum())
    return found


def most_changed(judged: dict[str, Any]) -> str:
    """The picture that the model helped most: surely one with work to do."""
    rows = judged["model"]["rows"]
    return max(rows, key=lambda row: float(row["differences"]["untouched"]["psnr"]))["picture"]


def table(name: str, found: dict[str, Any]) -> str:
    """One set as Markdown: untouched, model, gain, classical."""
    titles = ["untouched", "model", "gain, 95 % interval", *CLASSICAL.values()]
    lines = [f"| {name} | {' | '.join(titles)} |", "| --- " * (len(titles) + 1) + "|"]
    for metric in METRICS:
        if metric.key not in found:
            continue
        row, digits = found[metric.key], 2 if "psnr" in metric.key else 4
        gain = row["gain"]
        cells = [
            f"{row['untouched']:.{digits}f}",
            f"**{row['result']:.{digits}f}**",
            f"{gain['value']:+.{digits}f}, {gain['low']:+.{digits}f} … {gain['high']:+.{digits}f}",
            *(f"{row[method]:.{digits}f}" for method in CLASSICAL),
        ]
        lines.append(f"| {metric.label} | {' | '.join(cells)} |")
    return "\n".join(lines)


def page_text(figures: dict[str, Any]) -> str:
    """Everything that `model.md` says in numbers."""
    sets = {name: found for name, found in figures.items() if "ssim" in found}
    alone, large = figures["clean photographs"], figures["12 MP photograph"]
    real = figures["real pairs"]
    return "\n\n".join(
        [
            *(table(f"{found['pictures']} {name}", found) for name, found in sets.items()),
            f"Of the real pairs, {real[WORSE_KEY]} got worse by more than {WORSE} dB. The clean"
            f" photographs of the {alone['pictures']} real pairs, given to the model alone, come"
            f" back at {alone['psnr']:.1f} dB on average ({alone['lowest']:.1f} at worst;"
            f" {alone['unchanged']} unchanged, counted as {MOST_PSNR:.0f}).",
            f"A 12 MP JPEG takes {large['seconds']:.1f} s from start to end of the program,"
            f" decoding and encoding included, and {large['mebibytes']:.0f} MiB.",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=Path, required=True, help="with flare/ and clear/")
    parser.add_argument("--test", type=Path, required=True, help="photographs for simulated pairs")
    parser.add_argument("--model", default="semilar-t", help="a bundled model or a file")
    parser.add_argument("--working-size", type=int, help="if not the model's own")
    parser.add_argument("--work", type=Path, default=Path("out/judge"))
    parser.add_argument("--docs", type=Path, help="write the tables into model.md there")
    options = parser.parse_args()
    judge = Judge(options.model, options.working_size, options.work)
    flared, clean = options.pairs / "flare", options.pairs / "clear"
    real = judge.judged("real", flared, clean, None)
    figures: dict[str, Any] = {
        "real pairs": summary(real),
        "clean photographs": judge.left_alone(clean),
    }
    pairs = simulated(options.test, options.work)
    folders = (pairs / part for part in ("input", "gt", "mask"))
    figures[f"simulated pairs ({PRESET})"] = summary(judge.judged("simulated", *folders))
    figures["12 MP photograph"] = judge.large_photo(flared / f"{most_changed(real)}.png")
    write_text(options.work / "figures.json", json.dumps(figures, indent=1) + "\n")
    text = page_text(figures)
    print(text)
    if options.docs:
        page = options.docs / "model.md"
        before, rest = page.read_text(encoding="utf-8").split(BEGIN)
        write_text(page, f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
