"""Where flares come from: simulators, pattern folders, and the synthesis protocol of the paper.

NumPy and Pillow only; everything is computed in linear light and reproducible from one seed.
"""

from semilar.flare.batch import make_samples, prepare_folder, write_sheet
from semilar.flare.mapping import to_mapping
from semilar.flare.patterns import PatternSet
from semilar.flare.plan import SynthPlan, read_manifest
from semilar.flare.sample import Sample
from semilar.flare.scene import night_scene
from semilar.flare.settings import SynthSettings
from semilar.flare.synthesis import synthesize

__all__ = [
    "PatternSet",
    "Sample",
    "SynthPlan",
    "SynthSettings",
    "make_samples",
    "night_scene",
    "prepare_folder",
    "read_manifest",
    "synthesize",
    "to_mapping",
    "write_sheet",
]
