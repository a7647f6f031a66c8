"""Settings whose network ends its process at pictures of one size; importable by workers."""

import os
import signal
from dataclasses import dataclass
from typing import Any

from semilar.archive.restoring import BulkSettings

DEADLY = 16  # pixels of height


@dataclass(frozen=True, kw_only=True)
class KillingSettings(BulkSettings):
    """As `BulkSettings`, with such a network."""

    def open(self) -> Any:
        remover = super().open()
        remove = remover.remove

        def deadly(picture: Any, **options: Any) -> Any:
            if picture.pixels.shape[0] == DEADLY:
                os.kill(os.getpid(), signal.SIGKILL)
            return remove(picture, **options)

        remover.remove = deadly  # type: ignore[method-assign]
        return remover
