"""Directional convolutions: the formula, and the orientation of streaks."""

from typing import Any

import pytest
import torch
from torch.nn.functional import conv2d

from semilar.net.desm import DESM, DIRECTIONS, LineConv, line_kernel

SLOPES = {"horizontal": (0, 1), "vertical": (1, 0), "falling": (1, 1), "rising": (-1, 1)}


def streak(direction: str, side: int = 15) -> torch.Tensor:
    """A picture (1, 1, side, side), black but for a line through its centre."""
    picture = torch.zeros(1, 1, side, side)
    down, right = SLOPES[direction]
    for step in range(-(side // 2), side // 2 + 1):
        picture[0, 0, side // 2 + down * step, side // 2 + right * step] = 1
    return picture


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_each_direction_answers_to_its_own_streak(direction) -> None:
    line = LineConv(channels=1, length=5, direction=direction)
    torch.nn.init.ones_(line.taps)
    with torch.no_grad():
        answers = {other: float(line(streak(other))[0, 0, 7, 7]) for other in DIRECTIONS}
    assert answers.pop(direction) == pytest.approx(5)
    assert list(answers.values()) == pytest.approx([1, 1, 1])


def test_taps_lie_on_the_line_in_order() -> None:
    taps = torch.tensor([[1.0, 2.0, 3.0]])
    assert line_kernel(taps, "falling")[0, 0].tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 3]]
    assert line_kernel(taps, "rising")[0, 0].tolist() == [[0, 0, 1], [0, 2, 0], [3, 0, 0]]


def test_one_direction_at_a_time_equals_the_whole_formula() -> None:
    """F(X) = P(D(X₁) ⊙ X₂) with the hidden layer computed as a whole, from the same weights."""
    block = DESM(channels=6, expansion=4, length=3).double()
    torch.nn.init.normal_(block.bias)
    x = torch.randn(2, 6, 8, 9, dtype=torch.float64)
    parts: list[Any] = list(block.directions)
    spatial, gate = [], []
    for part in parts:
        first, second = part.expand(x).chunk(2, dim=1)
        spatial.append(first)
        gate.append(second)
    kernels = []
    for part, direction in zip(parts, DIRECTIONS, strict=True):
        square = torch.zeros(3, 1, 3, 3, dtype=torch.float64)
        down, right = SLOPES[direction]
        for step in (-1, 0, 1):
            square[:, 0, 1 + down * step, 1 + right * step] = part.line.taps[
                :, 1 + (step if down >= 0 else -step)
            ]
        kernels.append(square)
    convolved = conv2d(
        torch.cat(spatial, dim=1),
        torch.cat(kernels),
        torch.cat([part.line.bias for part in parts]),
        padding=1,
        groups=12,
    )
    hidden = convolved * torch.cat(gate, dim=1)
    project = torch.cat([part.project.weight for part in parts], dim=1)
    torch.testing.assert_close(block(x), conv2d(hidden, project) + block.bias)


def test_expansion_counts_both_halves() -> None:
    block = DESM(channels=8, expansion=4)
    parts: list[Any] = list(block.directions)
    assert sum(part.expand.out_channels for part in parts) == 4 * 8
