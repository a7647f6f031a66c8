"""HINet, Restormer, NAFNet and MFDNet from their public names; see `public.py`."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as fn

from tests.checkpoints.public import Store

# HINet


def _hin(s: Store, name: str, x: Tensor, out: int, *, hin: bool) -> Tensor:
    y = s.conv(f"{name}.conv_1", x, out, 3)
    if hin:
        half = out // 2
        weight, bias = s.norm(f"{name}.norm", half)
        y = torch.cat([fn.instance_norm(y[:, :half], weight=weight, bias=bias), y[:, half:]], 1)
    y = fn.leaky_relu(s.conv(f"{name}.conv_2", fn.leaky_relu(y, 0.2), out, 3), 0.2)
    return y + s.conv(f"{name}.identity", x, out, 1)


def hinet(s: Store, x: Tensor, *, width: int = 64, depth: int = 5, left: int = 0) -> Tensor:
    """`left` is the finest scale with half instance normalisation."""
    encoders: list[Tensor] = []
    decoders: list[Tensor] = []

    def subnet(number: int, y: Tensor) -> Tensor:
        kept = []
        for i in range(depth):
            name, out = f"down_path_{number}.{i}", width * 2**i
            y = _hin(s, name, y, out, hin=i >= left)
            if i + 1 == depth:
                break
            if number == 2:
                y = y + s.conv(f"{name}.csff_enc", encoders[i], out, 3)
                y = y + s.conv(f"{name}.csff_dec", decoders[-i - 1], out, 3)
            kept.append(y)
            y = s.conv(f"{name}.downsample", y, out, 4, stride=2, padding=1, bias=False)
        for i in range(depth - 1):
            out = width * 2 ** (depth - 2 - i)
            skip = s.conv(f"skip_conv_{number}.{i}", kept[-i - 1], out, 3)
            y = torch.cat([s.deconv(f"up_path_{number}.{i}.up", y, out), skip], 1)
            y = _hin(s, f"up_path_{number}.{i}.conv_block", y, out, hin=False)
            if number == 1:
                decoders.append(y)
        if number == 1:
            encoders.extend(kept)
        return y

    y = subnet(1, s.conv("conv_01", x, width, 3))
    drawn = s.conv("sam12.conv2", y, 3, 3) + x
    y = s.conv("sam12.conv1", y, width, 3) * s.conv("sam12.conv3", drawn, width, 3).sigmoid() + y
    y = s.conv("cat12", torch.cat([s.conv("conv_02", x, width, 3), y], 1), width, 1)
    return s.conv("last", subnet(2, y), 3, 3) + x


# Restormer


def _restormer_norm(s: Store, name: str, x: Tensor, bias: bool) -> Tensor:
    y = x.permute(0, 2, 3, 1)
    variance = y.var(-1, keepdim=True, unbiased=False)
    weight = s.take(f"{name}.body.weight", x.shape[1], scale=0.5)
    if bias:
        y = (y - y.mean(-1, keepdim=True)) / torch.sqrt(variance + 1e-5) * weight
        y = y + s.take(f"{name}.body.bias", x.shape[1], scale=0.3)
    else:
        y = y / torch.sqrt(variance + 1e-5) * weight
    return y.permute(0, 3, 1, 2)


def _restormer_block(s: Store, name: str, x: Tensor, heads: int, bias: bool) -> Tensor:
    batch, c = x.shape[:2]
    n = _restormer_norm(s, f"{name}.norm1", x, bias)
    n = s.conv(f"{name}.attn.qkv", n, 3 * c, 1, bias=False)
    n = s.conv(f"{name}.attn.qkv_dwconv", n, 3 * c, 3, groups=3 * c, bias=False)
    q, k, v = (part.reshape(batch, heads, c // heads, -1) for part in n.chunk(3, 1))
    q, k = fn.normalize(q, dim=-1), fn.normalize(k, dim=-1)
    a = (q @ k.transpose(-1, -2)) * s.take(f"{name}.attn.temperature", heads, 1, 1)
    n = (a.softmax(-1) @ v).reshape(x.shape)
    x = x + s.conv(f"{name}.attn.project_out", n, c, 1, bias=False)
    h = int(c * 2.66)
    n = _restormer_norm(s, f"{name}.norm2", x, bias)
    n = s.conv(f"{name}.ffn.project_in", n, 2 * h, 1, bias=False)
    n = s.conv(f"{name}.ffn.dwconv", n, 2 * h, 3, groups=2 * h, bias=False)
    one, two = n.chunk(2, 1)
    return x + s.conv(f"{name}.ffn.project_out", fn.gelu(one) * two, c, 1, bias=False)


def restormer(
    s: Store,
    x: Tensor,
    *,
    width: int = 48,
    depths: Sequence[int] = (4, 6, 6, 8),
    heads: Sequence[int] = (1, 2, 4, 8),
    refinement: int = 4,
    bias: bool = True,
) -> Tensor:
    def stage(name: str, y: Tensor, depth: int, n: int) -> Tensor:
        for i in range(depth):
            y = _restormer_block(s, f"{name}.{i}", y, n, bias)
        return y

    y = s.conv("patch_embed.proj", x, width, 3, bias=False)
    skips = []
    for i in (1, 2, 3):
        y = stage(f"encoder_level{i}", y, depths[i - 1], heads[i - 1])
        skips.append(y)
        y = s.conv(f"down{i}_{i + 1}.body.0", y, y.shape[1] // 2, 3, bias=False)
        y = fn.pixel_unshuffle(y, 2)
    y = stage("latent", y, depths[3], heads[3])
    for i in (3, 2, 1):
        y = fn.pixel_shuffle(s.conv(f"up{i + 1}_{i}.body.0", y, y.shape[1] * 2, 3, bias=False), 2)
        y = torch.cat([y, skips.pop()], 1)
        if i > 1:
            y = s.conv(f"reduce_chan_level{i}", y, y.shape[1] // 2, 1, bias=False)
        y = stage(f"decoder_level{i}", y, depths[i - 1], heads[i - 1])
    y = stage("refinement", y, refinement, heads[0])
    return s.conv("output", y, 3, 3, bias=False) + x


# NAFNet


def _naf_norm(s: Store, name: str, x: Tensor) -> Tensor:
    weight, bias = s.norm(name, x.shape[1])
    return fn.layer_norm(x.permute(0, 2, 3, 1), (x.shape[1],), weight, bias, 1e-6).permute(
        0, 3, 1, 2
    )


def _naf_block(s: Store, name: str, x: Tensor) -> Tensor:
    c = x.shape[1]
    y = s.conv(f"{name}.conv1", _naf_norm(s, f"{name}.norm1", x), 2 * c, 1)
    y = s.conv(f"{name}.conv2", y, 2 * c, 3, groups=2 * c)
    y = y[:, :c] * y[:, c:]
    y = y * s.conv(f"{name}.sca.1", fn.adaptive_avg_pool2d(y, 1), c, 1)
    x = x + s.conv(f"{name}.conv3", y, c, 1) * s.take(f"{name}.beta", 1, c, 1, 1, scale=0.5)
    y = s.conv(f"{name}.conv4", _naf_norm(s, f"{name}.norm2", x), 2 * c, 1)
    y = s.conv(f"{name}.conv5", y[:, :c] * y[:, c:], c, 1)
    return x + y * s.take(f"{name}.gamma", 1, c, 1, 1, scale=0.5)


def nafnet(
    s: Store,
    x: Tensor,
    *,
    width: int = 32,
    encoder: Sequence[int] = (2, 2, 4, 8),
    middle: int = 12,
    decoder: Sequence[int] = (2, 2, 2, 2),
    prefix: str = "",
) -> Tensor:
    y = s.conv(f"{prefix}intro", x, width, 3)
    skips = []
    for i, depth in enumerate(encoder):
        for j in range(depth):
            y = _naf_block(s, f"{prefix}encoders.{i}.{j}", y)
        skips.append(y)
        y = s.conv(f"{prefix}downs.{i}", y, 2 * y.shape[1], 2, stride=2, padding=0)
    for j in range(middle):
        y = _naf_block(s, f"{prefix}middle_blks.{j}", y)
    for i, depth in enumerate(decoder):
        y = fn.pixel_shuffle(s.conv(f"{prefix}ups.{i}.0", y, 2 * y.shape[1], 1, bias=False), 2)
        y = y + skips.pop()
        for j in range(depth):
            y = _naf_block(s, f"{prefix}decoders.{i}.{j}", y)
    return s.conv(f"{prefix}ending", y, 3, 3) + x


# MFDNet


def _blur(x: Tensor, gain: float) -> Tensor:
    line = torch.tensor([1.0, 4.0, 6.0, 4.0, 1.0], device=x.device)
    kernel = (torch.outer(line, line) / 256 * gain).repeat(3, 1, 1, 1)
    return fn.conv2d(fn.pad(x, (2, 2, 2, 2), mode="reflect"), kernel, groups=3)


def _twice(x: Tensor) -> Tensor:
    wide = x.new_zeros(*x.shape[:2], 2 * x.shape[2], 2 * x.shape[3])
    wide[:, :, ::2, ::2] = x
    return _blur(wide, 4)


def _lines(s: Store, name: str, x: Tensor) -> Tensor:
    y = s.conv(f"{name}.q1", x, 9, 1)
    for layer in ("q2", "q3"):
        y = s.conv(f"{name}.{layer}", y, 9, 3, groups=9)
    batch, _, height, width = x.shape
    q, k, v = (p.permute(0, 2, 3, 1).reshape(batch * height, width, 3) for p in y.chunk(3, 1))
    a = fn.normalize(q, dim=-1) @ fn.normalize(k, dim=-1).transpose(-1, -2)
    y = (a * s.take(f"{name}.fac", 1)).softmax(-1) @ v
    return s.conv(f"{name}.fin", y.view(batch, height, width, 3).permute(0, 3, 1, 2), 3, 1)


def _axis_block(s: Store, name: str, x: Tensor) -> Tensor:
    n = _lines(s, f"{name}.attn.row_att", _restormer_norm(s, f"{name}.norm1", x, True))
    x = x + _lines(s, f"{name}.attn.col_att", n.transpose(2, 3)).transpose(2, 3)
    n = s.conv(
        f"{name}.ffn.project_in", _restormer_norm(s, f"{name}.norm2", x, True), 14, 1, bias=False
    )
    one, two = s.conv(f"{name}.ffn.dwconv", n, 14, 3, groups=14, bias=False).chunk(2, 1)
    n = fn.gelu(two) * one + fn.gelu(one) * two
    return x + s.conv(f"{name}.ffn.project_out", n, 3, 1, bias=False)


def _layers(s: Store, x: Tensor, stem: str, suffix: str) -> Tensor:
    found = []
    for i in (1, 2, 3):
        x = _axis_block(s, f"backbone.{stem}_{i}.0", x)
        found.append(x)
    y = torch.cat(found, 1)
    name = f"backbone.layer_fussion{suffix}"
    n = s.conv(f"{name}.qkv_dwconv", s.conv(f"{name}.qkv", y, 27, 1), 27, 3, groups=27)
    q, k, v = (part.reshape(y.shape[0], 3, -1) for part in n.chunk(3, 1))
    a = fn.normalize(q, dim=-1) @ fn.normalize(k, dim=-1).transpose(-1, -2)
    n = ((a * s.take(f"{name}.temperature", 1)).softmax(-1) @ v).view(y.shape)
    y = s.conv(f"{name}.project_out", n, 9, 1) + y
    return s.conv(f"backbone.conv_fuss{suffix}", y, 3, 1, bias=False)


def _mirror_conv(
    s: Store, name: str, x: Tensor, out: int, side: int = 3, dilation: int = 1, prelu: bool = False
) -> Tensor:
    pad = (side + (dilation - 1) * (side - 1)) // 2
    x = fn.pad(x, (pad,) * 4, mode="reflect") if side > 1 else x
    y = s.conv(f"{name}.conv2d", x, out, side, padding=0, dilation=dilation)
    if prelu and ".aggreation" in name:
        y = fn.instance_norm(y)
    return fn.prelu(y, s.take(f"{name}.activation.weight", 1)) if prelu else fn.leaky_relu(y, 0.2)


def _dilated(s: Store, i: int, x: Tensor, dilations: tuple[int, int], prelu: bool) -> Tensor:
    one = _mirror_conv(s, f"trans_high.block{i}_1", x, 3, dilation=dilations[0])
    two = _mirror_conv(s, f"trans_high.block{i}_2", one, 3, dilation=dilations[1])
    y = torch.cat((x, one, two), 1)
    name = f"trans_high.aggreation{i}_rgb"
    w = fn.relu(s.linear(f"{name}.attention.linear1", y.mean((2, 3)), 1))
    w = s.linear(f"{name}.attention.linear2", w, 9).sigmoid()
    return _mirror_conv(s, f"{name}.conv", y * w[:, :, None, None], 3, prelu=prelu)


def _repainted(s: Store, name: str, mask: Tensor) -> Tensor:
    return s.conv(f"{name}.2", fn.leaky_relu(s.conv(f"{name}.0", mask, 16, 1)), 3, 1)


def mfdnet(
    s: Store, x: Tensor, *, low: int = 32, high: int = 64, middle: int = 10, prelu: bool = False
) -> Tensor:
    small = _blur(x, 1)[:, :, ::2, ::2]
    tiny = _blur(small, 1)[:, :, ::2, ::2]
    fine, mid = x - _twice(small), small - _twice(tiny)
    y = s.conv("backbone.patch_embed.proj", tiny, 3, 3, bias=False)
    y = _layers(s, y, "encoder", "")
    deep = nafnet(
        s, y, width=low, encoder=(1, 2, 4), middle=middle, decoder=(4, 2, 1),
        prefix="backbone.trans_low_1.",
    )  # fmt: skip
    share = s.take("backbone.coefficient_1_0", 2, 3)[:, :, None, None]
    y = share[0] * _axis_block(s, "backbone.latent_1.0", y) + share[1] * deep
    y = s.conv("backbone.output", _layers(s, y, "refinement", "_2"), 3, 3, bias=False)
    seen = torch.cat(
        [mid, fn.interpolate(tiny, scale_factor=2), fn.interpolate(y, scale_factor=2)], 1
    )
    m = fn.leaky_relu(s.conv("trans_high.model.0", seen, high, 3))
    for i in (2, 3, 4):
        n = fn.leaky_relu(s.conv(f"trans_high.model.{i}.block.0", m, high, 3))
        m = m + s.conv(f"trans_high.model.{i}.block.2", n, high, 3)
    m = _repainted(s, "trans_high.trans_mask_block_1", s.conv("trans_high.model.5", m, 3, 3))
    mid = _dilated(s, 1, mid * m + mid, (2, 4), prelu)
    m = fn.interpolate(m, scale_factor=2)
    m = _repainted(s, "trans_high.trans_mask_block_2", m)
    fine = _dilated(s, 2, fine * m + fine, (8, 16), prelu)
    fine = _dilated(s, 3, fine, (32, 64), prelu)
    size = fine.shape[-2:]
    pooled = [
        fn.interpolate(
            _mirror_conv(
                s, f"trans_high.spp_img.conv.{i}", fn.avg_pool2d(fine, 4 * 2**i), 3, 1, prelu=prelu
            ),
            size=size,
            mode="bicubic",
        )
        for i in range(4)
    ]
    joined = torch.cat([*pooled, fine], 1)
    fine = _mirror_conv(s, "trans_high.spp_img.fusion", joined, 3, prelu=prelu)
    fine = s.conv("trans_high.block4_1", fine, 3, 1)
    return _twice(_twice(y) + mid) + fine
