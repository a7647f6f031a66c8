"""Where flares come from: simulators, pattern folders, and the synthesis protocol of the paper.

NumPy and Pillow only; everything is computed in linear light and reproducible from one seed.
"""

from semilar.flare.patterns import PatternSet
from semilar.flare.sample import Sample
from semilar.flare.settings import SynthSettings
from semilar.flare.synthesis import synthesize

__all__ = ["PatternSet", "Sample", "SynthSettings", "synthesize"]
