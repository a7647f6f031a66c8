"""What a recipe says about learning from unlabeled photos, and the weights that grow with time."""

import math
from typing import Annotated, Literal

from pydantic import Field

from semilar.config import Folder, Part, Positive, Weight
from semilar.data import PhotoFolder, StrongAugmentation
from semilar.loss import BrightnessLoss, ContrastiveLoss
from semilar.semi.rule import UpdateRule
from semilar.semi.swap import FlareSwap


class Semi(Part):
    """Learning from unlabeled photos (section 3)."""

    photos: PhotoFolder | None = None
    """Empty with the authors' layout, which has its own."""
    batch: Positive = 4
    side: Positive = 512
    """Short side of a photo's frame, where its pseudo label lives."""
    flip: bool = True
    start_epoch: Weight = 10
    eta: Weight = 0.06
    """Largest η; it grows as eta · exp(−5 (1 − t / eta_epochs)²)."""
    eta_epochs: Weight = 20
    pixel: Weight = 1.0
    pixel_form: Literal["l1", "l1_l2", "charbonnier", "log_l2"] = "l1"
    perceptual: Weight = 0.0
    fft: Weight = 0.0
    brightness: BrightnessLoss = BrightnessLoss()
    """Not the paper's: what SFSNiD learns from photos with, as `fft` is."""
    contrastive: ContrastiveLoss = ContrastiveLoss()
    strong: StrongAugmentation = StrongAugmentation()
    colour_on_target: bool = False
    """Give the pseudo label the colour change of the student's input, instead of undoing it."""
    swap: FlareSwap = FlareSwap()
    views: Annotated[int, Field(ge=1, le=8)] = 1
    """In how many orientations the teacher sees a photo; a label is the mean of its answers."""
    lamps: bool = False
    """Lamps stay in labels as they stay in restored photos: a teacher is careful in clipped light
    and may answer grey."""
    repository: UpdateRule = UpdateRule()
    truth: Folder | None = None
    """For studies: the scenes behind the photos, by the same names, are the labels."""

    def needs_features(self) -> bool:
        """Whether a term of its loss compares features."""
        return bool(self.contrastive.weight or self.perceptual)

    def eta_at(self, epoch: float) -> float:
        """η of the total loss: 0 before `start_epoch`, then eta · exp(−5 (1 − t / eta_epochs)²)."""
        since = epoch - self.start_epoch
        if since < 0:
            return 0.0
        missing = max(0.0, 1 - since / self.eta_epochs) if self.eta_epochs else 0.0
        return self.eta * math.exp(-5 * missing**2)

    def contrast_at(self, epoch: float) -> float:
        """λ_cr: constant as in the paper, or growing in a line over `ramp_epochs`."""
        weight, ramp = self.contrastive.weight, self.contrastive.ramp_epochs
        if not ramp:
            return weight
        return weight * min(1.0, max(0.0, (epoch - self.start_epoch) / ramp))
