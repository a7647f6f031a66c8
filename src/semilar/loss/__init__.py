"""Training losses: supervised (section 3.5), contrastive (section 3.3), VGG features."""

from semilar.loss.brightness import BrightnessLoss
from semilar.loss.contrastive import ContrastiveLoss
from semilar.loss.frequency import fft_l1
from semilar.loss.perceptual import Features, perceptual
from semilar.loss.pixel import PIXEL_LOSSES, keep_valid
from semilar.loss.supervised import SupervisedLoss, total
from semilar.loss.vgg import FeatureSettings, vgg16

__all__ = [
    "PIXEL_LOSSES",
    "BrightnessLoss",
    "ContrastiveLoss",
    "FeatureSettings",
    "Features",
    "SupervisedLoss",
    "fft_l1",
    "keep_valid",
    "perceptual",
    "total",
    "vgg16",
]
