"""A photograph of any size through a network: engines, full resolution, batches, watching."""

from semilar.restore.batch import Outcome, PhotoOptions, Tally, error_text, restore_jobs, shown
from semilar.restore.curves import decode
from semilar.restore.engines import Engine
from semilar.restore.export import export_model
from semilar.restore.found import Found, how_much
from semilar.restore.jobs import STREAM, Job, JobPlan, plan_jobs
from semilar.restore.layer import with_lamps
from semilar.restore.models import DEFAULT_MODEL, Model, find_model, known_models
from semilar.restore.naming import MARK
from semilar.restore.oneshot import remove
from semilar.restore.pipeline import (
    LayerName,
    PipelineStep,
    Restored,
    ToFiles,
    from_file,
    pipe,
    with_remover,
)
from semilar.restore.remover import Remover, Result, check_strength
from semilar.restore.views import mean_of_views
from semilar.restore.watch import Watcher

__all__ = [
    "DEFAULT_MODEL",
    "MARK",
    "STREAM",
    "Engine",
    "Found",
    "Job",
    "JobPlan",
    "LayerName",
    "Model",
    "Outcome",
    "PhotoOptions",
    "PipelineStep",
    "Remover",
    "Restored",
    "Result",
    "Tally",
    "ToFiles",
    "Watcher",
    "check_strength",
    "decode",
    "error_text",
    "export_model",
    "find_model",
    "from_file",
    "how_much",
    "known_models",
    "mean_of_views",
    "pipe",
    "plan_jobs",
    "remove",
    "restore_jobs",
    "shown",
    "with_lamps",
    "with_remover",
]
