"""Benchmark runs: pictures against their ground truth, tables with intervals, a report page."""

from semilar.evaluate.pairing import Series, pair_folders
from semilar.evaluate.run import Evaluation, evaluate
from semilar.evaluate.summary import Summary, summarize

__all__ = ["Evaluation", "Series", "Summary", "evaluate", "pair_folders", "summarize"]
