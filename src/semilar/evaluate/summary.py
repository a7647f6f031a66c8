"""From rows per picture to a table: means with intervals, differences, the worst pictures."""

from dataclasses import dataclass

import numpy as np

from semilar.evaluate import statistics
from semilar.evaluate.metrics import REGIONS, SCORE, metric
from semilar.evaluate.run import Evaluation
from semilar.evaluate.statistics import Numbers

WORST = 10


@dataclass(frozen=True)
class Mean:
    """A mean over `count` pictures with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Difference:
    """How the result differs from another series, picture by picture.

    `better` of `count` pictures improved; `p` is that of a paired sign-flip permutation test.
    """

    mean: Mean
    better: int
    p: float


@dataclass(frozen=True)
class Summary:
    """Means per role and metric, differences of the result from the other roles, worst pictures."""

    count: int
    metrics: tuple[str, ...]
    means: dict[str, dict[str, Mean]]  # role -> metric
    differences: dict[str, dict[str, Difference]]  # "untouched", "baseline" -> metric
    ranking: list[int]  # indices of the pictures, the worst first
    ranked_by: str  # in words


def summarize(evaluation: Evaluation) -> Summary:
    """The table of an evaluation. The same evaluation always gives the same numbers."""
    metrics = evaluation.metrics
    columns = {role: _columns(evaluation, role, metrics) for role in evaluation.roles}
    means = {role: _means(metrics, values) for role, values in columns.items()}
    differences = {
        role: _differences(metrics, columns["result"], columns[role]) for role in evaluation.others
    }
    ranking, ranked_by = _rank(columns, metrics)
    has_score = "score" in means["result"]
    return Summary(
        count=len(evaluation.pictures),
        metrics=(*metrics, SCORE.key) if has_score else metrics,
        means=means,
        differences=differences,
        ranking=ranking,
        ranked_by=ranked_by,
    )


def _columns(evaluation: Evaluation, role: str, metrics: tuple[str, ...]) -> Numbers:
    """(pictures, metrics), NaN where a picture has no such region."""
    rows = [[row[role][key] for key in metrics] for row in evaluation.rows]
    return np.array([[np.nan if v is None else v for v in row] for row in rows], np.float64)


def _means(metrics: tuple[str, ...], columns: Numbers) -> dict[str, Mean]:
    resampled = statistics.bootstrap_means(columns)
    means = {
        key: Mean(
            statistics.mean(columns[:, i]),
            *statistics.interval(resampled[:, i]),
            int(np.sum(~np.isnan(columns[:, i]))),
        )
        for i, key in enumerate(metrics)
    }
    if set(REGIONS) <= set(metrics) and all(means[region].count for region in REGIONS):
        places = [metrics.index(region) for region in REGIONS]
        score = float(np.mean([means[region].value for region in REGIONS]))
        spread = statistics.interval(resampled[:, places].mean(axis=1))
        means[SCORE.key] = Mean(score, *spread, len(columns))
    return means


def _differences(
    metrics: tuple[str, ...], result: Numbers, other: Numbers
) -> dict[str, Difference]:
    deltas = statistics.paired_differences(result, other)
    means = _means(metrics, deltas)
    found: dict[str, Difference] = {}
    for i, key in enumerate(metrics):
        gains = deltas[:, i] if metric(key).higher_is_better else -deltas[:, i]
        found[key] = Difference(
            means[key], int(np.sum(gains > 0)), statistics.sign_flip_p(deltas[:, i])
        )
    return found


def _rank(columns: dict[str, Numbers], metrics: tuple[str, ...]) -> tuple[list[int], str]:
    """The worst first: by the gain over the baseline, else over the input, else by PSNR itself."""
    place = metrics.index("psnr")
    values = columns["result"][:, place]
    for other, words in (("baseline", "the baseline"), ("untouched", "the untouched input")):
        if other in columns:
            gains = statistics.paired_differences(values, columns[other][:, place])
            return np.argsort(gains, kind="stable").tolist(), f"PSNR gain over {words}"
    return np.argsort(values, kind="stable").tolist(), "PSNR"
