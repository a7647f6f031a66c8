"""Evaluations: the numbers, several processes, restarts, summaries, files."""

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from semilar.errors import SemilarError
from semilar.evaluate import evaluate, pair_folders, run, summarize
from semilar.evaluate.output import as_csv, as_json
from semilar.quality import challenge_score, region_psnr
from tests.evaluate.conftest import COUNT, mask_of, save, truth_of, with_flare


def test_numbers_are_those_of_the_metrics(folders: dict[str, Path]) -> None:
    evaluation = evaluate(pair_folders(folders), with_lpips=False)
    assert evaluation.roles == ("result", "untouched", "baseline")
    assert evaluation.metrics == ("psnr", "ssim", "g_psnr", "s_psnr", "global_psnr")
    for i, row in enumerate(evaluation.rows):
        spoiled, truth = with_flare(i, 1.0), truth_of(i)
        assert row["untouched"]["psnr"] == pytest.approx(peak_signal_noise_ratio(truth, spoiled))
        assert row["untouched"]["ssim"] == pytest.approx(
            structural_similarity(truth, spoiled, channel_axis=-1)
        )
        regions = region_psnr(spoiled, truth, mask_of(i))
        assert row["untouched"]["g_psnr"] == regions.glare
        assert (row["untouched"]["s_psnr"] is None) == (i % 2 == 0)


def test_the_summary(folders: dict[str, Path]) -> None:
    summary = summarize(evaluate(pair_folders(folders), with_lpips=False))
    means = summary.means["untouched"]
    regions = [region_psnr(with_flare(i, 1.0), truth_of(i), mask_of(i)) for i in range(COUNT)]
    assert means["score"].value == pytest.approx(challenge_score(regions))
    assert means["s_psnr"].count == COUNT // 2
    values = [peak_signal_noise_ratio(truth_of(i), with_flare(i, 1.0)) for i in range(COUNT)]
    assert means["psnr"].value == pytest.approx(np.mean(values))
    assert (
        min(values) <= means["psnr"].low < means["psnr"].value < means["psnr"].high <= max(values)
    )
    gain = summary.differences["untouched"]["psnr"]
    assert gain.mean.value == pytest.approx(
        summary.means["result"]["psnr"].value - means["psnr"].value
    )
    assert gain.better == COUNT
    assert gain.p == 2 / 2**COUNT
    assert summary.ranked_by == "PSNR gain over the baseline"
    assert summary.ranking == [5, 4, 3, 2, 1, 0]  # the result fades, the baseline gets better


def test_several_processes_give_the_same(folders: dict[str, Path]) -> None:
    pictures = pair_folders(folders)
    calls: list[None] = []
    several = evaluate(pictures, with_lpips=False, jobs=2, progress=lambda: calls.append(None))
    assert several.rows == evaluate(pictures, with_lpips=False, jobs=1).rows
    assert len(calls) == COUNT


def test_a_stopped_run_goes_on(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures, journal = pair_folders(folders), tmp_path / "out" / "rows.jsonl"
    measured: list[str] = []
    real = run.measure

    def measure(files, roles, *, with_lpips):
        if len(measured) == 3:
            raise KeyboardInterrupt
        measured.append(files["result"].name)
        return real(files, roles, with_lpips=with_lpips)

    monkeypatch.setattr(run, "measure", measure)
    with pytest.raises(KeyboardInterrupt):
        evaluate(pictures, with_lpips=False, journal=journal)
    with journal.open("a") as file:
        file.write('{"key": "cut sho')  # what a kill in the middle of a line leaves
    measured.clear()
    finished = evaluate(pictures, with_lpips=False, journal=journal)
    assert measured == ["003.png", "004.png", "005.png"]
    monkeypatch.setattr(run, "measure", real)
    assert finished.rows == evaluate(pictures, with_lpips=False).rows
    save(with_flare(1, 0.9), folders["result"] / "001.png")  # a changed file is measured again
    changed = evaluate(pictures, with_lpips=False, journal=journal)
    assert changed.rows[1] != finished.rows[1]
    assert changed.rows[2] == finished.rows[2]


def test_an_exact_match_is_infinite_everywhere(folders: dict[str, Path]) -> None:
    for i in range(COUNT):
        save(truth_of(i), folders["result"] / f"{i:03}.png")
    evaluation = evaluate(pair_folders(folders), with_lpips=False)
    summary = summarize(evaluation)
    assert summary.means["result"]["psnr"].value == math.inf
    assert summary.differences["untouched"]["psnr"].p == 2 / 2**COUNT
    facts = json.loads(json.dumps(as_json(evaluation, summary, mark="x"), allow_nan=False))
    assert facts["means"]["result"]["psnr"]["value"] == "inf"
    assert facts["rows"][0]["result"]["s_psnr"] is None
    assert facts["rows"][0]["differences"]["untouched"]["psnr"] == "inf"


def test_the_table_of_rows(folders: dict[str, Path]) -> None:
    evaluation = evaluate(pair_folders(folders), with_lpips=False)
    rows = list(csv.DictReader(io.StringIO(as_csv(evaluation))))
    first = {row["role"]: row for row in rows if row["picture"] == "000"}
    assert list(first) == [
        "result", "untouched", "baseline", "result minus untouched", "result minus baseline"
    ]  # fmt: skip
    assert len(rows) == 5 * COUNT
    assert float(first["result"]["psnr"]) == evaluation.rows[0]["result"]["psnr"]
    assert first["result"]["s_psnr"] == first["result minus baseline"]["s_psnr"] == ""
    for metric in ("psnr", "ssim", "g_psnr"):
        assert float(first["result minus baseline"][metric]) == pytest.approx(
            float(first["result"][metric]) - float(first["baseline"][metric])
        )


def test_a_differently_sized_partner_is_named(folders: dict[str, Path]) -> None:
    save(truth_of(3)[:-1], folders["result"] / "003.png")
    with pytest.raises(
        SemilarError, match=r"003.png: has 56 x 42 pixels, its partner .*gt_003.png 56 x 43"
    ):
        evaluate(pair_folders(folders), with_lpips=False)


def test_a_mask_of_another_code_is_named(folders: dict[str, Path]) -> None:
    Image.new("RGB", (56, 40), "white").save(folders["mask"] / "mask_000.png")
    with pytest.raises(SemilarError, match=r"mask_000.png: is not in the published colour code"):
        evaluate(pair_folders(folders), with_lpips=False)
