"""Channel attention block, CAB (paper, appendix "Channel Attention Block").

z = mean of X over the pixels,   s = σ(W₂ δ(W₁ z)),   G(X) = X ⊙ s
"""

from typing import Literal

from torch import Tensor, nn

CabKind = Literal["gate", "conv"]


class ChannelGate(nn.Module):
    """The paper's form: every channel is weighed by what all channels hold on average."""

    def __init__(self, *, channels: int, reduction: int = 8) -> None:
        super().__init__()
        hidden = max(channels // reduction, 4)
        self.squeeze = nn.Conv2d(channels, hidden, 1)
        self.excite = nn.Conv2d(hidden, channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        descriptor = features.mean(dim=(2, 3), keepdim=True)
        return features * self.excite(self.squeeze(descriptor).relu()).sigmoid()


class ConvGate(nn.Module):
    """The heavier form: 1 x 1, depth-wise 3 x 3, GELU, channel gate, 1 x 1."""

    def __init__(self, *, channels: int, reduction: int = 8) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 1),
            nn.Conv2d(channels, channels, 3, padding=1, groups=channels),
            nn.GELU(),
            ChannelGate(channels=channels, reduction=reduction),
            nn.Conv2d(channels, channels, 1),
        )

    def forward(self, features: Tensor) -> Tensor:
        return self.body(features)


CABS = {"gate": ChannelGate, "conv": ConvGate}
