"""How many threads the loops of this package may use; said here so that nothing else needs numba for it."""

from numba import get_num_threads


def thread_count() -> int:
    """Return the number of threads of ``NUMBA_NUM_THREADS`` and ``numba.set_num_threads``."""
    return int(get_num_threads())
