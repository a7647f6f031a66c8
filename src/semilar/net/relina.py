"""Rank-enhanced linear attention, ReLinA (paper, appendix "Rank-Enhanced Linear Attention").

    A(X) = Q'(K'ᵀ Ṽ) / (Q' Σⱼ K'ⱼ + ε),   φ(x) = 1 + ELU(x),   Ṽ = V + DWConv(V)

Both sums over the N tokens are divided by N, which changes nothing in exact arithmetic and keeps
them within half precision at any picture size.
"""

from typing import Literal

import torch
from torch import Tensor, nn

RankBranch = Literal["inside", "after"]


def positive(x: Tensor) -> Tensor:
    """φ(x) = 1 + ELU(x), as exp(min(x, 0)) + max(x, 0): the same, and vectorised."""
    return x.clamp(max=0).exp_() + x.relu()


def linear_attention(query: Tensor, key: Tensor, value: Tensor, *, epsilon: float = 1e-6) -> Tensor:
    """Linear attention of (B, heads, d, N) tensors; `query` and `key` are already positive."""
    tokens = key.shape[-1]
    if key.dtype == torch.float16:  # its sum would overflow before the division
        state = (value * tokens**-0.5) @ (key * tokens**-0.5).transpose(-1, -2)
    else:
        state = value @ key.transpose(-1, -2) / tokens  # (B, heads, d, d): mean of v kᵀ
    weight = key.mean(dim=-1).unsqueeze(-2) @ query  # (B, heads, 1, N)
    return (state @ query) / (weight + epsilon)


class ReLinA(nn.Module):
    """Global attention over the pixels of (B, C, H, W), linear in their number.

    `rank_branch` says where the depth-wise convolution of the values enters: "inside" the
    attention as in the paper, or added "after" it.
    """

    def __init__(
        self,
        *,
        channels: int,
        heads: int,
        kernel: int = 5,
        rank_branch: RankBranch = "inside",
        epsilon: float = 1e-6,
    ) -> None:
        super().__init__()
        if channels % heads:
            raise ValueError(f"{channels} channels do not divide into {heads} heads")
        self.heads = heads
        self.rank_branch = rank_branch
        self.epsilon = epsilon
        self.query = nn.Conv2d(channels, channels, 1)
        self.key = nn.Conv2d(channels, channels, 1)
        self.value = nn.Conv2d(channels, channels, 1)
        self.local = nn.Conv2d(channels, channels, kernel, padding=kernel // 2, groups=channels)
        self.project = nn.Conv2d(channels, channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        value = self.value(features)
        local = self.local(value)
        if self.rank_branch == "inside":
            value = value + local
        mixed = linear_attention(
            positive(self._split(self.query(features))),
            positive(self._split(self.key(features))),
            self._split(value),
            epsilon=self.epsilon,
        ).reshape(features.shape)
        if self.rank_branch == "after":
            mixed = mixed + local
        return self.project(mixed)

    def _split(self, x: Tensor) -> Tensor:
        """(B, C, H, W) -> (B, heads, d, N)."""
        return x.unflatten(1, (self.heads, -1)).flatten(3)
