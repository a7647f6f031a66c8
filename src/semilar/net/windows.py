"""Attention inside windows of a feature map, for Uformer (after Swin, Liu et al., ICCV 2021)."""

import torch
from torch import Tensor, nn


def to_windows(features: Tensor, side: int) -> Tensor:
    """(B, C, H, W) -> (B * windows, side², C); H and W are multiples of `side`."""
    batch, channels, height, width = features.shape
    cells = features.reshape(batch, channels, height // side, side, width // side, side)
    return cells.permute(0, 2, 4, 3, 5, 1).reshape(-1, side * side, channels)


def from_windows(windows: Tensor, side: int, shape: torch.Size) -> Tensor:
    """The inverse of `to_windows` for a map of `shape` (B, C, H, W)."""
    batch, channels, height, width = shape
    cells = windows.reshape(batch, height // side, width // side, side, side, channels)
    return cells.permute(0, 5, 1, 3, 2, 4).reshape(batch, channels, height, width)


def relative_index(side: int) -> Tensor:
    """For every pair of places in a window the row of a table of (2 side - 1)² offsets."""
    rows, columns = torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij")
    place = torch.stack([rows.flatten(), columns.flatten()])  # (2, side²)
    down, right = place[:, :, None] - place[:, None, :] + side - 1
    return down * (2 * side - 1) + right  # (side², side²)


def shift_mask(height: int, width: int, side: int, shift: int, device: torch.device) -> Tensor:
    """(windows, side², side²): true where a shifted window joins pixels from opposite borders.

    After the shift the last `shift` rows and columns come from the other end of the map; within a
    window, pixels of different origin must not see each other.
    """
    rows = (torch.arange(height, device=device) >= height - shift).float()
    columns = (torch.arange(width, device=device) >= width - shift).float()
    origin = 2 * rows[:, None] + columns[None, :]
    windows = to_windows(origin[None, None], side)  # (windows, side², 1)
    return windows != windows.transpose(-1, -2)


class WindowAttention(nn.Module):
    """Multi-head attention within windows, with a learned bias for each relative place.

    A non-zero `shift` moves the windows by that many pixels, so that neighbours of the last block
    meet in this one. `modulated` adds a learned vector to every place of a window (Uformer's
    decoder).
    """

    def __init__(
        self, *, channels: int, heads: int, side: int, shift: int, modulated: bool
    ) -> None:
        super().__init__()
        self.heads, self.side, self.shift = heads, side, shift
        self.modulator = nn.Parameter(torch.zeros(side * side, channels)) if modulated else None
        self.offset_bias = nn.Parameter(torch.zeros((2 * side - 1) ** 2, heads))
        self.register_buffer("offsets", relative_index(side), persistent=False)
        self.mix = nn.Linear(channels, 3 * channels)
        self.project = nn.Linear(channels, channels)
        nn.init.trunc_normal_(self.offset_bias, std=0.02)

    def forward(self, features: Tensor) -> Tensor:
        back = (self.shift, self.shift)
        if self.shift:
            features = features.roll((-self.shift, -self.shift), dims=(2, 3))
        windows = to_windows(features, self.side)
        if self.modulator is not None:
            windows = windows + self.modulator
        mixed = from_windows(self._attend(windows, features.shape), self.side, features.shape)
        return mixed.roll(back, dims=(2, 3)) if self.shift else mixed

    def _attend(self, windows: Tensor, shape: torch.Size) -> Tensor:
        places, channels = windows.shape[1:]
        query, key, value = (
            self.mix(windows)
            .reshape(-1, places, 3, self.heads, channels // self.heads)
            .permute(2, 0, 3, 1, 4)
        )  # each (B * windows, heads, side², d)
        scores = query @ key.transpose(-1, -2) * (channels // self.heads) ** -0.5
        scores = scores + self.offset_bias[self.get_buffer("offsets")].permute(2, 0, 1)
        if self.shift:
            mask = shift_mask(shape[2], shape[3], self.side, self.shift, windows.device)
            scores = scores.unflatten(0, (shape[0], -1)).masked_fill(mask[:, None], -1e4)
            scores = scores.flatten(0, 1)
        mixed = scores.softmax(dim=-1) @ value
        return self.project(mixed.transpose(1, 2).reshape(windows.shape))
