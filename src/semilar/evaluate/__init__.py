"""Benchmark runs: pictures against their ground truth, tables with intervals, a report page."""

from semilar.evaluate.layouts import TestSet, find_sets
from semilar.evaluate.metrics import Compared, Metric, metric, metrics
from semilar.evaluate.output import as_csv, as_json, check_free, subject_mark, write_results
from semilar.evaluate.pairing import Series, pair_folders
from semilar.evaluate.report import write_report
from semilar.evaluate.restoring import claim_folder, restore_pictures
from semilar.evaluate.run import Evaluation, evaluate
from semilar.evaluate.statistics import bootstrap_grid_means, interval
from semilar.evaluate.summary import Mean, Summary, summarize
from semilar.evaluate.tables import differences_table, means_table, number, worst_table

__all__ = [
    "Compared",
    "Evaluation",
    "Mean",
    "Metric",
    "Series",
    "Summary",
    "TestSet",
    "as_csv",
    "as_json",
    "bootstrap_grid_means",
    "check_free",
    "claim_folder",
    "differences_table",
    "evaluate",
    "find_sets",
    "interval",
    "means_table",
    "metric",
    "metrics",
    "number",
    "pair_folders",
    "restore_pictures",
    "subject_mark",
    "summarize",
    "worst_table",
    "write_report",
    "write_results",
]
