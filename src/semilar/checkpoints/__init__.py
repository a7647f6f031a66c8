"""Checkpoints that other projects published, as models of this package.

`import_checkpoint` reads a file that the person has, recognises whose layout it is, maps its keys
by a table and keeps the result as a model that `--model NAME` finds.
"""

from semilar.checkpoints.importing import UNKNOWN_LICENCE, import_checkpoint
from semilar.checkpoints.layouts import LAYOUTS, Layout

__all__ = ["LAYOUTS", "UNKNOWN_LICENCE", "Layout", "import_checkpoint"]
