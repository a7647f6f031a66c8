"""Intervals and the paired test against SciPy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from semilar.evaluate import statistics


def _interval(values: np.ndarray) -> tuple[float, float]:
    return statistics.interval(statistics.bootstrap_means(values[:, None])[:, 0])


def test_the_interval_agrees_with_scipy() -> None:
    values = np.random.default_rng(0).gamma(3, 2, 80)
    reference = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    low, high = _interval(values)
    spread = reference.high - reference.low
    assert low == pytest.approx(reference.low, abs=0.03 * spread)
    assert high == pytest.approx(reference.high, abs=0.03 * spread)


def test_the_interval_covers_the_true_mean_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    samples = rng.normal(5, 2, (40, 300))  # 300 experiments of 40 pictures
    means = statistics.bootstrap_means(samples)
    intervals = [statistics.interval(means[:, i]) for i in range(300)]
    covered = np.mean([low <= 5 <= high for low, high in intervals])
    assert 0.90 <= covered <= 0.98


def test_seeds_and_pictures_both_widen_the_interval() -> None:
    """Of a sum of an effect of the seed and one of the picture the variance is known."""
    rng = np.random.default_rng(5)
    seeds, pictures = rng.normal(0, 1, 6), rng.normal(0, 3, 40)
    means = statistics.bootstrap_grid_means(seeds[:, None] + pictures)
    assert means.mean() == pytest.approx(seeds.mean() + pictures.mean(), abs=0.02)
    assert means.var() == pytest.approx(seeds.var() / 6 + pictures.var() / 40, rel=0.05)
    alone = statistics.bootstrap_grid_means(pictures[None])
    assert alone.var() == pytest.approx(pictures.var() / 40, rel=0.05)


def test_a_grid_leaves_missing_regions_out() -> None:
    grid = np.array([[1.0, np.nan, 3.0], [2.0, np.nan, 4.0]])
    means = statistics.bootstrap_grid_means(grid)
    assert np.nanmin(means) == 1
    assert np.nanmax(means) == 4


def test_the_same_numbers_every_time() -> None:
    values = np.random.default_rng(3).normal(size=(30, 2))
    np.testing.assert_array_equal(
        statistics.bootstrap_means(values), statistics.bootstrap_means(values)
    )


def test_missing_regions_are_left_out() -> None:
    values = np.array([1.0, np.nan, 3.0, np.nan])
    assert statistics.mean(values) == 2
    low, high = _interval(values)
    assert (low, high) == (1, 3)
    assert math.isnan(statistics.mean(np.full(3, np.nan)))
    assert all(math.isnan(end) for end in _interval(np.full(3, np.nan)))


def test_an_exact_match_makes_the_mean_infinite() -> None:
    values = np.array([30.0, math.inf, 32.0])
    assert statistics.mean(values) == math.inf
    low, high = _interval(values)
    assert 30 <= low <= 32
    assert high == math.inf


@pytest.mark.parametrize("n", [3, 8, 12])
def test_the_exact_test_agrees_with_scipy(n: int) -> None:
    rng = np.random.default_rng(n)
    differences = rng.normal(0.4, 1, n)
    reference = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=2**n
    ).pvalue
    assert statistics.sign_flip_p(differences) == pytest.approx(reference, abs=1e-12)


def test_the_random_test_agrees_with_the_t_test() -> None:
    rng = np.random.default_rng(4)
    for shift in (0.0, 0.15, 0.3):
        differences = rng.normal(shift, 1, 120)
        reference = stats.ttest_1samp(differences, 0)[1]
        assert statistics.sign_flip_p(differences) == pytest.approx(reference, abs=0.02)


def test_clear_and_empty_cases() -> None:
    assert statistics.sign_flip_p(np.zeros(5)) == 1
    assert statistics.sign_flip_p(np.full(10, 0.1)) == 2 / 2**10
    assert statistics.sign_flip_p(np.full(50, 0.1)) == pytest.approx(1 / 10_001)
    assert statistics.sign_flip_p(np.array([math.inf, 1.0, 2.0, np.nan])) == 2 / 2**3


@given(hnp.arrays(np.float64, st.integers(1, 10), elements=st.floats(-50, 50)))
@settings(deadline=None, max_examples=50)
def test_p_is_a_probability_and_ignores_the_sign(differences: np.ndarray) -> None:
    p = statistics.sign_flip_p(differences)
    assert 0 < p <= 1
    assert p == statistics.sign_flip_p(-differences)


def test_two_exact_matches_do_not_differ() -> None:
    first, second = np.array([math.inf, 3.0, math.inf]), np.array([math.inf, 1.0, 4.0])
    assert statistics.paired_differences(first, second).tolist() == [0, 2, math.inf]
