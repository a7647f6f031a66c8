"""`musiq`: the multi-scale image quality transformer (Ke et al., ICCV 2021), for photographs.

The scorer Ψ of the paper. Parameter names and shapes are those of the KonIQ-10k checkpoint in the
format the pyiqa project publishes; `semilar weights fetch musiq` brings it. The network is held
against pyiqa's by `tools/check_musiq.py`.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from semilar.errors import SemilarError
from semilar.quality.scorers.musiq_input import GRID, LONGER_SIDES, PATCH, Patches, cut_patches

WIDTH, HEADS, LAYERS, HIDDEN = 384, 6, 14, 1152
_STEM = 64
# So many patches go through the convolutions at a time: memory does not grow with the picture.
_CHUNK = 256


class Musiq(nn.Module):
    """Pictures to a mean opinion score, about 0 (bad) to 100 (excellent)."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_root = _StandardizedConv(3, _STEM, 7, stride=2)
        self.gn_root = nn.GroupNorm(32, _STEM, eps=1e-6)
        self.block1 = _Bottleneck(_STEM, 4 * _STEM)
        self.embedding = nn.Linear(4 * _STEM * (PATCH // 4) ** 2, WIDTH)
        self.transformer_encoder = _Encoder()
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, batch: Tensor) -> Tensor:
        """(B, 3, H, W), encoded in [0, 1] -> (B,) scores."""
        patches = cut_patches(batch)
        flat = patches.pixels.flatten(0, 1)
        tokens = torch.cat([self._embed(some) for some in flat.split(_CHUNK)])
        tokens = tokens.view(len(batch), -1, WIDTH)
        return self.head(self.transformer_encoder(tokens, patches)).squeeze(1)

    def _embed(self, patches: Tensor) -> Tensor:
        """(P, 3, 32, 32) -> (P, WIDTH): a residual stem, then one linear map of all it found."""
        x = functional.relu(self.gn_root(self.conv_root(patches)))
        x = functional.max_pool2d(functional.pad(x, (0, 1, 0, 1)), 3, stride=2)
        # The checkpoint's linear map reads channels last.
        return self.embedding(self.block1(x).permute(0, 2, 3, 1).flatten(1))


class _StandardizedConv(nn.Conv2d):
    """A convolution whose kernels are standardized before use; output size ceil(input / stride)."""

    def __init__(self, wide_in: int, wide_out: int, size: int, *, stride: int = 1) -> None:
        super().__init__(wide_in, wide_out, size, stride=stride, bias=False)

    def forward(self, input: Tensor) -> Tensor:
        kernel = self.weight - self.weight.mean((1, 2, 3), keepdim=True)
        kernel = kernel / (kernel.std((1, 2, 3), keepdim=True) + 1e-5)
        size, stride = self.kernel_size[0], self.stride[0]
        # Patches are square and their sides are multiples of the stride; the odd pixel of the
        # padding goes to the far side.
        pad = max(0, size - stride)
        near, far = pad // 2, pad - pad // 2
        return functional.conv2d(
            functional.pad(input, (near, far, near, far)), kernel, stride=stride
        )


class _Bottleneck(nn.Module):
    def __init__(self, wide_in: int, wide_out: int) -> None:
        super().__init__()
        self.conv1 = _StandardizedConv(wide_in, wide_in, 1)
        self.gn1 = nn.GroupNorm(32, wide_in, eps=1e-4)
        self.conv2 = _StandardizedConv(wide_in, wide_in, 3)
        self.gn2 = nn.GroupNorm(32, wide_in, eps=1e-4)
        self.conv3 = _StandardizedConv(wide_in, wide_out, 1)
        self.gn3 = nn.GroupNorm(32, wide_out, eps=1e-4)
        self.conv_proj = _StandardizedConv(wide_in, wide_out, 1)
        self.gn_proj = nn.GroupNorm(32, wide_out, eps=1e-4)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.gn1(self.conv1(x)))
        y = functional.relu(self.gn2(self.conv2(y)))
        return functional.relu(self.gn3(self.conv3(y)) + self.gn_proj(self.conv_proj(x)))


class _Encoder(nn.Module):
    """Tokens know their place and scale, talk to each other, and one of them sums up."""

    def __init__(self) -> None:
        super().__init__()
        self.posembed_input = nn.ParameterDict({"position_emb": torch.zeros(1, GRID**2, WIDTH)})
        scales = len(LONGER_SIDES) + 1
        self.scaleembed_input = nn.ParameterDict({"scale_emb": torch.zeros(scales, WIDTH)})
        self.cls = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.encoder_norm = nn.LayerNorm(WIDTH, eps=1e-6)
        self.transformer = nn.ModuleDict({f"encoderblock_{i}": _Layer() for i in range(LAYERS)})

    def forward(self, tokens: Tensor, patches: Patches) -> Tensor:
        """(B, N, WIDTH) -> (B, WIDTH), the summing token."""
        tokens = tokens + self.posembed_input["position_emb"][0, patches.place]
        tokens = tokens + self.scaleembed_input["scale_emb"][patches.scale]
        tokens = torch.cat([self.cls.expand(len(tokens), -1, -1), tokens], dim=1)
        for layer in self.transformer.values():
            tokens = layer(tokens)
        return self.encoder_norm(tokens[:, 0])


class _Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-6)
        self.attention = _Attention()
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-6)
        self.mlp = nn.ModuleDict({"fc1": nn.Linear(WIDTH, HIDDEN), "fc2": nn.Linear(HIDDEN, WIDTH)})

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.mlp["fc2"](functional.gelu(self.mlp["fc1"](self.norm2(x))))


class _Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        heads = (
            part(x).unflatten(2, (HEADS, -1)).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        mixed = functional.scaled_dot_product_attention(*heads)
        return self.out(mixed.transpose(1, 2).flatten(2))


class MusiqScore:
    """MUSIQ with the KonIQ-10k weights as a scorer."""

    name = "musiq"
    scale = (0.0, 100.0)
    delta = 0.5

    def __init__(self) -> None:
        from semilar.weights import load

        self._net = Musiq()
        weights = {
            name.removeprefix("module."): torch.from_numpy(array)
            for name, array in load("musiq").items()
        }
        try:
            self._net.load_state_dict(weights)
        except RuntimeError as error:
            detail = " ".join(str(error).split())
            raise SemilarError(
                f"The weights 'musiq' are not the KonIQ checkpoint: {detail}"
            ) from None
        self._net.eval().requires_grad_(False)

    @torch.inference_mode()
    def __call__(self, batch: Tensor) -> Tensor:
        """Score pictures (B, 3, H, W), encoded: mean opinion, (B,)."""
        self._net.to(batch.device)
        return self._net(batch.float())
