"""The public networks once more, straight from their public names: what an import must agree with.

Each function runs a network on a picture with the tensors of a `Store`, which makes a tensor when
it is first asked for: running one also makes a checkpoint with the public names and shapes. Token
layouts, loops and joins are as the published code has them, and nothing here uses `semilar.net`.
"""

from collections.abc import Callable, Sequence
from math import sqrt

import torch
from torch import Tensor
from torch.nn import functional as fn


class Store(dict[str, Tensor]):
    """Tensors by their public names, random, made at the first use."""

    def __init__(self, device: str = "cpu") -> None:
        super().__init__()
        self.device = torch.device(device)
        self.random = torch.Generator().manual_seed(0)

    def take(self, name: str, *shape: int, scale: float | None = None) -> Tensor:
        if name not in self:
            fan = 1
            for side in shape[1:]:
                fan *= side
            scale = 1 / sqrt(fan) if scale is None else scale
            made = torch.empty(shape, device=self.device)
            if self.device.type == "cpu":
                made = torch.randn(shape, generator=self.random) * scale
            self[name] = made
        assert self[name].shape == shape, (name, shape)
        return self[name]

    def norm(self, name: str, channels: int) -> tuple[Tensor, Tensor]:
        weight = self.take(f"{name}.weight", channels, scale=0.3)
        return weight, self.take(f"{name}.bias", channels, scale=0.3)

    def linear(self, name: str, x: Tensor, out: int, *, bias: bool = True) -> Tensor:
        weight = self.take(f"{name}.weight", out, x.shape[-1])
        return fn.linear(x, weight, self.take(f"{name}.bias", out, scale=0.1) if bias else None)

    def conv(
        self,
        name: str,
        x: Tensor,
        out: int,
        side: int,
        *,
        bias: bool = True,
        stride: int = 1,
        groups: int = 1,
        padding: int | None = None,
        dilation: int = 1,
    ) -> Tensor:
        weight = self.take(f"{name}.weight", out, x.shape[1] // groups, side, side)
        return fn.conv2d(
            x,
            weight,
            self.take(f"{name}.bias", out, scale=0.1) if bias else None,
            stride=stride,
            padding=side // 2 if padding is None else padding,
            groups=groups,
            dilation=dilation,
        )

    def deconv(self, name: str, x: Tensor, out: int) -> Tensor:
        weight = self.take(f"{name}.weight", x.shape[1], out, 2, 2)
        return fn.conv_transpose2d(x, weight, self.take(f"{name}.bias", out, scale=0.1), stride=2)


def tokens(x: Tensor) -> Tensor:
    return x.flatten(2).transpose(1, 2)


def picture_of(t: Tensor, like: Tensor) -> Tensor:
    return t.transpose(1, 2).reshape(t.shape[0], t.shape[2], *like.shape[-2:])


# Uformer


def _windows(s: Store, name: str, x: Tensor, heads: int, side: int, shift: int) -> Tensor:
    """(B, H, W, C), shifted already if it shifts, to the same after attention in windows."""
    batch, height, width, c = x.shape
    cut = x.view(batch, height // side, side, width // side, side, c).permute(0, 1, 3, 2, 4, 5)
    t = cut.reshape(-1, side * side, c)
    if f"{name}.modulator.weight" in s:
        t = t + s[f"{name}.modulator.weight"]
    d = c // heads
    q = s.linear(f"{name}.attn.qkv.to_q", t, c).view(-1, side * side, heads, d).transpose(1, 2)
    kv = s.linear(f"{name}.attn.qkv.to_kv", t, 2 * c).view(-1, side * side, 2, heads, d)
    k, v = kv.permute(2, 0, 3, 1, 4)
    scores = q * d**-0.5 @ k.transpose(-1, -2)
    table = s.take(f"{name}.attn.relative_position_bias_table", (2 * side - 1) ** 2, heads)
    place = [(a // side, a % side) for a in range(side * side)]
    rows = torch.tensor(
        [
            [(a - c + side - 1) * (2 * side - 1) + b - d + side - 1 for c, d in place]
            for a, b in place
        ]
    )
    scores = scores + table[rows].permute(2, 0, 1)
    if shift:
        region = torch.zeros(height, width)
        parts = (slice(0, -side), slice(-side, -shift), slice(-shift, None))
        for i, down in enumerate(parts):
            for j, across in enumerate(parts):
                region[down, across] = 3 * i + j
        cells = region.view(height // side, side, width // side, side).permute(0, 2, 1, 3)
        cells = cells.reshape(-1, side * side)
        mask = torch.where(cells[:, None] != cells[:, :, None], -100.0, 0.0)
        scores = scores.view(batch, -1, heads, side * side, side * side) + mask[:, None]
        scores = scores.flatten(0, 1)
    t = (scores.softmax(-1) @ v).transpose(1, 2).reshape(-1, side * side, c)
    t = s.linear(f"{name}.attn.proj", t, c)
    t = t.view(batch, height // side, width // side, side, side, c).permute(0, 1, 3, 2, 4, 5)
    return t.reshape(batch, height, width, c)


def _lewin(s: Store, name: str, x: Tensor, heads: int, side: int, shift: int, feed: str) -> Tensor:
    batch, c, height, width = x.shape
    t = tokens(x)
    n = fn.layer_norm(t, (c,), *s.norm(f"{name}.norm1", c)).view(batch, height, width, c)
    if shift:
        n = torch.roll(n, (-shift, -shift), (1, 2))
    n = _windows(s, name, n, heads, side, shift)
    if shift:
        n = torch.roll(n, (shift, shift), (1, 2))
    t = t + n.view(t.shape)
    n = fn.layer_norm(t, (c,), *s.norm(f"{name}.norm2", c))
    if feed == "mlp":
        n = s.linear(f"{name}.mlp.fc2", fn.gelu(s.linear(f"{name}.mlp.fc1", n, 4 * c)), c)
    else:
        n = fn.gelu(s.linear(f"{name}.mlp.linear1.0", n, 4 * c))
        n = s.conv(f"{name}.mlp.dwconv.0", picture_of(n, x), 4 * c, 3, groups=4 * c)
        n = s.linear(f"{name}.mlp.linear2.0", tokens(fn.gelu(n)), c)
    return picture_of(t + n, x)


def _four_scales(
    s: Store, y: Tensor, stage: Callable[[str, Tensor, int], Tensor], width: int, down: str
) -> Tensor:
    """Down and up again, with skips."""
    skips = []
    for i in range(4):
        y = stage(f"encoderlayer_{i}", y, i)
        skips.append(y)
        y = s.conv(f"{down}_{i}.conv.0", y, width * 2 ** (i + 1), 4, stride=2, padding=1)
    y = stage("conv", y, 4)
    for i in range(4):
        y = s.deconv(f"upsample_{i}.deconv.0", y, width * 2 ** (3 - i))
        y = stage(f"decoderlayer_{i}", torch.cat([y, skips.pop()], 1), 5 + i)
    return y


def uformer(
    s: Store,
    x: Tensor,
    *,
    width: int = 32,
    depth: int = 2,
    heads: Sequence[int] = (1, 2, 4, 8, 16, 16, 8, 4, 2),
    side: int = 8,
    feed: str = "mlp",
    modulated: bool = False,
    shift_bottleneck: bool = True,
    outputs: int = 6,
) -> Tensor:
    """What comes before the ending: planes."""

    def stage(name: str, y: Tensor, place: int) -> Tensor:
        for i in range(depth):
            block = f"{name}.blocks.{i}"
            if modulated and place > 4:
                s.take(f"{block}.modulator.weight", side * side, y.shape[1], scale=0.5)
            shift = side // 2 if i % 2 and (place != 4 or shift_bottleneck) else 0
            y = _lewin(s, block, y, heads[place], side, shift, feed)
        return y

    y = fn.leaky_relu(s.conv("input_proj.proj.0", x, width, 3))
    y = _four_scales(s, y, stage, width, "dowsample")
    return s.conv("output_proj.proj.0", y, outputs, 3)


# Flare7K's U-Net


def _conv_norm(s: Store, name: str, first: int, x: Tensor, out: int) -> Tensor:
    x = s.conv(f"{name}.{first}", x, out, 3)
    norm = f"{name}.{first + 1}"
    weight, bias = s.norm(norm, out)
    mean = s.take(f"{norm}.running_mean", out, scale=0.3)
    variance = s.take(f"{norm}.running_var", out, scale=0.1)
    variance.abs_()
    s.setdefault(f"{norm}.num_batches_tracked", torch.tensor(7))
    # Random weights far from a trained network's: keep the numbers near one.
    return fn.relu(
        (x - mean[:, None, None])
        / torch.sqrt(variance + 1e-5)[:, None, None]
        * weight[:, None, None]
        + bias[:, None, None]
    )


def unet(
    s: Store, x: Tensor, *, widths: Sequence[int] = (64, 128, 256, 512, 1024), outputs: int = 6
) -> Tensor:
    def block(name: str, y: Tensor, out: int) -> Tensor:
        return _conv_norm(s, f"{name}.conv", 3, _conv_norm(s, f"{name}.conv", 0, y, out), out)

    kept = []
    y = x
    for i, out in enumerate(widths, start=1):
        y = block(f"Conv{i}", y if i == 1 else fn.max_pool2d(y, 2), out)
        kept.append(y)
    for i in (5, 4, 3, 2):
        up = fn.interpolate(y, scale_factor=2)
        up = _conv_norm(s, f"Up{i}.up", 1, up, widths[i - 2])
        y = block(f"Up_conv{i}", torch.cat((kept[i - 2], up), 1), widths[i - 2])
    return s.conv("Conv_1x1", y, outputs, 1)


# The authors' RaLiFormer


def _layer_norm(s: Store, name: str, x: Tensor, epsilon: float) -> Tensor:
    """Over the last dimension, with the names' own weight and bias."""
    return fn.layer_norm(x, x.shape[-1:], *s.norm(name, x.shape[-1]), eps=epsilon)


def _psc(s: Store, name: str, x: Tensor, heads: int) -> Tensor:
    batch, c = x.shape[:2]
    t = tokens(x)
    n = _layer_norm(s, f"{name}.norm1", t, 1e-6)
    qkv = s.linear(f"{name}.rela.qkv", n, 3 * c).view(batch, -1, 3, heads, c // heads)
    q, k, v = qkv.permute(2, 0, 3, 1, 4)
    q, k = 1 + fn.elu(q), 1 + fn.elu(k)
    a = (q @ (k.transpose(-1, -2) @ v)) / (q @ k.sum(-2)[..., None] + 1e-6)
    a = a.transpose(1, 2).reshape(t.shape)
    value = picture_of(v.transpose(1, 2).reshape(t.shape), x)
    a = a + tokens(s.conv(f"{name}.rela.dwc.conv", value, c, 5, groups=c))
    a = s.linear(f"{name}.rela.proj", a, c)
    g = s.conv(f"{name}.cab.proj1", picture_of(n, x), c, 1)
    g = fn.gelu(s.conv(f"{name}.cab.dwconv.conv", g, c, 3, groups=c))
    w = fn.relu(s.conv(f"{name}.cab.ca.1", fn.adaptive_avg_pool2d(g, 1), c // 8, 1))
    g = s.conv(f"{name}.cab.proj2", g * s.conv(f"{name}.cab.ca.3", w, c, 1).sigmoid(), c, 1)
    t = t + a + tokens(g)
    h = 4 * c
    f = fn.gelu(s.linear(f"{name}.mlp.linear1.0", _layer_norm(s, f"{name}.norm2", t, 1e-6), h))
    one, two = picture_of(f, x).chunk(2, 1)
    two = fn.relu(s.conv(f"{name}.mlp.dwconv.0", two, h // 2, 3, groups=h // 2))
    two = s.conv(f"{name}.mlp.dwconv.2", two, h // 2, 3, groups=h // 2)
    left, right = one.chunk(2, 1)
    one = left * right
    one = s.conv(f"{name}.mlp.sca.1", fn.adaptive_avg_pool2d(one, 1), h // 4, 1) * one
    one = s.conv(f"{name}.mlp.conv", one, h // 2, 1)
    f = s.linear(f"{name}.mlp.linear2.0", tokens(torch.cat((one, two), 1)), c)
    return picture_of(t + f, x)


def raliformer(s: Store, x: Tensor, *, width: int = 32, depth: int = 2) -> tuple[Tensor, Tensor]:
    heads = (1, 2, 4, 8, 16, 16, 8, 4, 2)

    def stage(name: str, y: Tensor, place: int) -> Tensor:
        for i in range(depth):
            y = _psc(s, f"{name}.blocks.{i}", y, heads[place])
        return y

    y = fn.leaky_relu(s.conv("input_proj.proj.0", x, width, 3, stride=2))
    y = _four_scales(s, y, stage, width, "downsample")
    y = fn.leaky_relu(s.deconv("final_up.0", y, width))
    y = s.conv("output_proj.proj.0", y, 6, 3)
    return (y[:, :3] + x).sigmoid(), y[:, 3:].sigmoid()
