"""Datasets: labeled pairs, unlabeled photos, weak and strong views, the order they come in."""

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
from semilar.data.views import StrongView, View

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
    "StrongView",
    "Synth",
    "UnlabeledPhotos",
    "UnlabeledSample",
    "View",
    "derived_seed",
    "find_pairs",
    "identify",
    "lane",
    "place",
    "resize",
    "with_short_side",
]
