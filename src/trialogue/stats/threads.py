"""Limit BLAS to one thread while fitting.

The matrices of the mixed models have a few hundred rows: several threads spend their time waiting for one another. With the
two threads that OpenBLAS takes by default on two cores, the report on INSPIRED2's study took 71 CPU seconds instead of 12.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Context manager and decorator that limits BLAS to one thread."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    """The BLAS libraries of this process, found once: looking for them takes a millisecond."""
    import scipy.linalg  # loads the library that scipy brings, beside numpy's own
    from threadpoolctl import ThreadpoolController

    del scipy
    return ThreadpoolController()
