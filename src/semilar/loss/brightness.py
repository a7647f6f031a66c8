"""SFSNiD's brightness term: what is restored stays about as bright as its photo, place by place.

Cong et al., "A Semi-supervised Nighttime Dehazing Baseline with Spatial-Frequency Aware and
Realistic Brightness Constraint", CVPR 2024. Numbers are those of their published command.
"""

from torch import Tensor
from torch.nn.functional import avg_pool2d

from semilar.config import Above0, Part, Positive, Weight


class BrightnessLoss(Part):
    """How far the means of windows are from those of the photo, raised to a power."""

    weight: Weight = 0.0
    """20 in SFSNiD."""
    window: Positive = 16
    """Side of the windows in pixels."""
    power: Above0 = 1.3
    """Above 1, a photo's bright places may stay and dark ones become darker (κ)."""

    def __call__(self, output: Tensor, photo: Tensor) -> Tensor:
        """Mean of (m(output) − m(photo)^power)² over windows, encoded (B, 3, H, W) -> (B,).

        m is the mean of a window over pixels and channels.
        """
        ours, theirs = (
            avg_pool2d(picture.mean(dim=1, keepdim=True), self.window)
            for picture in (output, photo)
        )
        return (ours - theirs**self.power).square().mean(dim=(1, 2, 3))
