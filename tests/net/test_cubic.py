"""The cubic enlargement against PyTorch's."""

import pytest
import torch
from torch.nn.functional import interpolate

from semilar.net.cubic import enlarge_cubic


@pytest.mark.parametrize("factor", [2, 3, 4, 32])
@pytest.mark.parametrize("size", [(1, 1), (2, 5), (7, 4)])
def test_equals_pytorchs_bicubic(factor: int, size: tuple[int, int]) -> None:
    picture = torch.rand(2, 3, *size, generator=torch.Generator().manual_seed(factor))
    expected = interpolate(picture, scale_factor=factor, mode="bicubic")
    torch.testing.assert_close(enlarge_cubic(picture, factor), expected, atol=1e-5, rtol=0)
