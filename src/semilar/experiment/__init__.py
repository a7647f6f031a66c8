"""The paper's tables and figures as data, run row by row and set beside the printed numbers."""

from semilar.experiment.definition import experiments, rows_of
from semilar.experiment.estimate import minutes
from semilar.experiment.evaluating import has_lpips
from semilar.experiment.page import results_page
from semilar.experiment.runs import Stopped
from semilar.experiment.scales import find_scale, row_values
from semilar.experiment.split import Given, split_backgrounds
from semilar.experiment.study import Study, named
from semilar.experiment.systems import SYSTEMS

__all__ = [
    "SYSTEMS",
    "Given",
    "Stopped",
    "Study",
    "experiments",
    "find_scale",
    "has_lpips",
    "minutes",
    "named",
    "results_page",
    "row_values",
    "rows_of",
    "split_backgrounds",
]
