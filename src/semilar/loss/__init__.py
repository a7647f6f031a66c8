"""Training losses: supervised (section 3.5), contrastive (section 3.3), VGG features."""

from semilar.loss.contrastive import ContrastiveLoss
from semilar.loss.perceptual import Features, perceptual
from semilar.loss.pixel import PIXEL_LOSSES, keep_valid
from semilar.loss.supervised import SupervisedLoss, total
from semilar.loss.vgg import FeatureSettings, vgg16

__all__ = [
    "PIXEL_LOSSES",
    "ContrastiveLoss",
    "FeatureSettings",
    "Features",
    "SupervisedLoss",
    "keep_valid",
    "perceptual",
    "total",
    "vgg16",
]
