"""One thread per worker: the suite runs one pytest worker per core."""

from semilar.threads import one_thread_for_algebra

one_thread_for_algebra()
