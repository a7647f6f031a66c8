"""Linear attention against the explicit N x N matrix, and its range in half precision."""

import pytest
import torch
from torch.nn.functional import conv2d, elu

from semilar.net.relina import ReLinA, linear_attention, positive


def test_feature_map_is_one_plus_elu() -> None:
    x = torch.linspace(-9, 9, 1001, dtype=torch.float64)
    torch.testing.assert_close(positive(x), 1 + elu(x))


def explicit(query, key, value, epsilon: float) -> torch.Tensor:
    """Row i: Σⱼ φ(qᵢ)·φ(kⱼ) vⱼ / (Σⱼ φ(qᵢ)·φ(kⱼ) + N ε), all N x N weights written out."""
    weights = torch.einsum("bhdi,bhdj->bhij", 1 + elu(query), 1 + elu(key))
    total = weights.sum(dim=-1, keepdim=True) + key.shape[-1] * epsilon
    return torch.einsum("bhij,bhdj->bhdi", weights / total, value)


@pytest.mark.parametrize("epsilon", [1e-6, 0.3])
def test_equals_the_explicit_matrix(epsilon: float) -> None:
    query, key, value = torch.randn(3, 2, 4, 8, 77, dtype=torch.float64)
    ours = linear_attention(positive(query), positive(key), value, epsilon=epsilon)
    torch.testing.assert_close(ours, explicit(query, key, value, epsilon), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rank_branch", ["inside", "after"])
def test_block_is_the_paper_formula(rank_branch) -> None:
    block = ReLinA(channels=8, heads=2, rank_branch=rank_branch).double()
    x = torch.randn(2, 8, 5, 9, dtype=torch.float64)

    def heads(plane: torch.Tensor) -> torch.Tensor:
        return plane.reshape(2, 2, 4, 45)

    def projected(layer: torch.nn.Conv2d) -> torch.Tensor:
        assert layer.bias is not None
        matrix = layer.weight[:, :, 0, 0]
        return torch.einsum("oc,bchw->bohw", matrix, x) + layer.bias[:, None, None]

    value = projected(block.value)
    local = conv2d(value, block.local.weight, block.local.bias, padding=2, groups=8)
    seen = value + local if rank_branch == "inside" else value
    mixed = explicit(
        heads(projected(block.query)), heads(projected(block.key)), heads(seen), 1e-6
    ).reshape(x.shape)
    mixed = mixed if rank_branch == "inside" else mixed + local
    torch.testing.assert_close(block(x), block.project(mixed), rtol=1e-10, atol=1e-10)


def test_finite_in_half_precision_at_2048_squared() -> None:
    tokens = 1024 * 1024  # 2048² behind a stem of stride 2
    torch.manual_seed(0)
    query, key = positive(torch.randn(2, 1, 1, 4, tokens)).half()
    value = 1 + torch.rand(1, 1, 4, tokens).half()
    assert not torch.isfinite(key.float().sum(dim=-1).half()).all()  # the plain sum overflows
    mixed = linear_attention(query, key, value)
    exact = linear_attention(query.float(), key.float(), value.float())
    assert torch.isfinite(mixed).all()
    torch.testing.assert_close(mixed.float(), exact, rtol=2e-2, atol=2e-2)


def test_heads_must_divide_the_channels() -> None:
    with pytest.raises(ValueError, match="10 channels do not divide into 4 heads"):
        ReLinA(channels=10, heads=4)
