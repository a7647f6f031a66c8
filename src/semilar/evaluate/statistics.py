"""How sure a mean is: bootstrap intervals and a paired test, both seeded."""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_RESAMPLES = 10_000
_EXACT_UP_TO = 16  # pictures: 65,536 sign patterns are still quick to try one by one
_SEED = 20230


def mean(values: Numbers) -> float:
    """The mean of what is known; NaN marks a picture without the region; NaN if none has it."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def bootstrap_means(columns: Numbers) -> Numbers:
    """Means (resamples, k) of columns (n, k) over pictures drawn with replacement.

    All columns see the same draws, so means of several columns may be combined.
    NaN entries are left out; an infinite entry makes the mean infinite where it is drawn.
    """
    n = len(columns)
    rng = np.random.default_rng(_SEED)
    known, rising, falling = ~np.isnan(columns), columns == np.inf, columns == -np.inf
    finite = np.where(np.isfinite(columns), columns, 0.0)
    means = np.empty((_RESAMPLES, columns.shape[1]))
    for part in _parts(_RESAMPLES):
        draws = rng.multinomial(n, np.full(n, 1 / n), size=part.stop - part.start).astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            means[part] = (draws @ finite) / (draws @ known)
        means[part][draws @ rising > 0] = np.inf
        means[part][draws @ falling > 0] = -np.inf
    return means


def bootstrap_grid_means(grid: Numbers) -> Numbers:
    """Means (resamples,) of a grid (seeds, pictures), both drawn with replacement.

    So the spread between training runs counts as well as that between pictures. With one seed only
    the pictures vary. NaN entries are left out.
    """
    seeds, pictures = grid.shape
    rng = np.random.default_rng(_SEED)
    known = ~np.isnan(grid)
    values = np.where(known, grid, 0.0)
    runs = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=_RESAMPLES).astype(float)
    draws = rng.multinomial(pictures, np.full(pictures, 1 / pictures), size=_RESAMPLES)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sum(runs @ values * draws, axis=1) / np.sum(runs @ known * draws, axis=1)


def interval(means: Numbers) -> tuple[float, float]:
    """The central 95 % of resampled means (percentile bootstrap)."""
    known = means[~np.isnan(means)]
    if not known.size:
        return float("nan"), float("nan")
    low, high = np.quantile(known, [0.025, 0.975], method="inverted_cdf")
    return float(low), float(high)


def sign_flip_p(differences: Numbers) -> float:
    """Two-sided p-value of a paired sign-flip permutation test of zero mean difference.

    If the two methods were equally good, each picture's difference could as well have the other
    sign. Up to 16 pictures all sign patterns are tried, beyond that 10,000 random ones.
    """
    known = _finite(differences[~np.isnan(differences)])
    known = known[known != 0]  # flipping zero changes nothing
    if not known.size:
        return 1.0
    exact = known.size <= _EXACT_UP_TO
    tries = 2**known.size if exact else _RESAMPLES
    rng = np.random.default_rng(_SEED)
    threshold = np.abs(known.sum()) * (1 - 1e-12)  # the pattern seen counts, whatever the rounding
    extreme = 0
    for part in _parts(tries):
        bits = (
            (np.arange(part.start, part.stop)[:, None] >> np.arange(known.size)) & 1
            if exact
            else rng.integers(0, 2, (part.stop - part.start, known.size))
        )
        extreme += int(np.sum(np.abs((2.0 * bits - 1.0) @ known) >= threshold))
    return extreme / tries if exact else (extreme + 1) / (tries + 1)


def paired_differences(first: Numbers, second: Numbers) -> Numbers:
    """`first - second` per picture; two infinities (both exact) differ by nothing."""
    with np.errstate(invalid="ignore"):
        return np.where(first == second, 0.0, first - second)


def _finite(values: Numbers) -> Numbers:
    """Infinite differences (one side is exact) count as the largest finite one."""
    finite = np.abs(values[np.isfinite(values)])
    limit = max(float(finite.max(initial=0.0)), 1e-12)
    return np.clip(values, -limit, limit)


def _parts(total: int) -> list[slice]:
    """Slices of at most a thousand: many pictures need not fit into memory ten thousand times."""
    return [slice(i, min(i + 1000, total)) for i in range(0, total, 1000)]
