"""Datasets: labeled pairs, unlabeled photos, augmentation, the order they come in."""

from semilar.data.augmentation import StrongAugmentation, Window
from semilar.data.labeled import LabeledSample, LabeledSource, ReadyPairs, SimulatedPairs
from semilar.data.mixture import Mixture, Populations, Synth
from semilar.data.order import (
    LABELED,
    MIXUP,
    STEP,
    UNLABELED,
    VALIDATION,
    derived_seed,
    lane,
    place,
)
from semilar.data.pairs import Pair, find_pairs
from semilar.data.photos import (
    CACHE_MEGABYTES,
    Bytes,
    DrawnScenes,
    PhotoCache,
    PhotoFolder,
    Pictures,
    resize,
    with_short_side,
)
from semilar.data.unlabeled import UnlabeledPhotos, UnlabeledSample, identify

__all__ = [
    "CACHE_MEGABYTES",
    "LABELED",
    "MIXUP",
    "STEP",
    "UNLABELED",
    "VALIDATION",
    "Bytes",
    "DrawnScenes",
    "LabeledSample",
    "LabeledSource",
    "Mixture",
    "Pair",
    "PhotoCache",
    "PhotoFolder",
    "Pictures",
    "Populations",
    "ReadyPairs",
    "SimulatedPairs",
    "StrongAugmentation",
    "Synth",
    "UnlabeledPhotos",
    "UnlabeledSample",
    "Window",
    "derived_seed",
    "find_pairs",
    "identify",
    "lane",
    "place",
    "resize",
    "with_short_side",
]
