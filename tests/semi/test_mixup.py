"""Mixup against its formula, and the same over a split batch."""

import numpy as np
import torch

from semilar.semi.mixup import Mixup, mix


def test_neighbours_are_mixed() -> None:
    x = torch.rand(5, 3, 2, 2, generator=torch.Generator().manual_seed(0))
    mixed = mix(x, 0.3)
    for i, j in ((0, 1), (1, 0), (2, 3), (3, 2), (4, 4)):
        torch.testing.assert_close(mixed[i], 0.3 * x[i] + 0.7 * x[j])
    torch.testing.assert_close(torch.cat([mix(x[:2], 0.3), mix(x[2:4], 0.3)]), mixed[:4])
    assert mix(x, 1.0) is x


def test_shares_follow_beta_and_the_probability() -> None:
    rng = np.random.default_rng(0)
    mixup = Mixup(start_epoch=3, probability=0.7, alpha=0.4)
    shares = np.array([mixup.share(3.0, rng) for _ in range(20000)])
    mixed = shares[shares < 1]
    assert abs(len(mixed) / len(shares) - 0.7) < 0.02
    assert abs(mixed.mean() - 0.5) < 0.01
    assert abs(mixed.var() - 1 / (4 * (2 * 0.4 + 1))) < 0.005  # variance of Beta(α, α)
    assert all(mixup.share(2.9, rng) == 1 for _ in range(100))
    assert all(Mixup(start_epoch=0).share(5.0, rng) == 1 for _ in range(100))
