"""Benchmark runs: pictures against their ground truth, tables with intervals, a report page."""

from semilar.evaluate.layouts import find_sets
from semilar.evaluate.metrics import Compared, Metric, metrics
from semilar.evaluate.output import as_csv, as_json, check_free, subject_mark, write_results
from semilar.evaluate.pairing import Series, pair_folders
from semilar.evaluate.report import write_report
from semilar.evaluate.restoring import claim_folder, restore_pictures
from semilar.evaluate.run import Evaluation, evaluate
from semilar.evaluate.summary import Summary, summarize

__all__ = [
    "Compared",
    "Evaluation",
    "Metric",
    "Series",
    "Summary",
    "as_csv",
    "as_json",
    "check_free",
    "claim_folder",
    "evaluate",
    "find_sets",
    "metrics",
    "pair_folders",
    "restore_pictures",
    "subject_mark",
    "summarize",
    "write_report",
    "write_results",
]
