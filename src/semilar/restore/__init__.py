"""A photograph of any size through a network: engines, full resolution, batches, watching."""

from semilar.restore.engines import Engine
from semilar.restore.oneshot import remove
from semilar.restore.remover import Remover, Result

__all__ = ["Engine", "Remover", "Result", "remove"]
