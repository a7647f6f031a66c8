"""Recipes, the training loop, checkpoints and logs."""

from semilar.train.checkpoint import checkpoint_path, saved_steps
from semilar.train.display import Display, summary
from semilar.train.logbook import read_log
from semilar.train.preview import batch_seconds, preview_lines
from semilar.train.recipe import Recipe
from semilar.train.recipe_file import checked, dump_recipe, load_recipe, merged, read_values
from semilar.train.sources import find_sources
from semilar.train.start import Ending, make_plan, train

__all__ = [
    "Display",
    "Ending",
    "Recipe",
    "batch_seconds",
    "checked",
    "checkpoint_path",
    "dump_recipe",
    "find_sources",
    "load_recipe",
    "make_plan",
    "merged",
    "preview_lines",
    "read_log",
    "read_values",
    "saved_steps",
    "summary",
    "train",
]
