"""Large temporaries without page faults.

glibc gives every freed block of more than a few megabytes back to the system, so each layer of a
network asks for fresh pages, and the system has to zero them: about a fifth of the time at 512²
and half of it at 1024². Keeping freed memory costs nothing at the peak, which is reached anyway.
"""

import ctypes
import sys

# Parameters of glibc's mallopt(3).
_TRIM_THRESHOLD = -1
_MMAP_MAX = -4


def keep_freed_memory() -> bool:
    """Let this process reuse the memory it frees instead of returning it; true where that works.

    `build` calls it, so that no network runs without it. Elsewhere than with glibc nothing happens.
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return bool(mallopt(_MMAP_MAX, 0) and mallopt(_TRIM_THRESHOLD, 2**31 - 1))
