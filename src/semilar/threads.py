"""How many threads libraries may start by themselves."""

import os


def one_thread_for_algebra() -> None:
    """Keep NumPy's matrix products to the thread that asks: has to be said before NumPy loads.

    Pictures run side by side, and a network brings threads of its own; a pool of threads for each
    product makes them wait for one another. What the user has set stays.
    """
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
