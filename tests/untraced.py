"""Repetition without the measurement of coverage, which makes loops three times slower and learns nothing from them.

For tests that do thousands of times what other tests do once: simulations of intervals, large inputs, growth of time.
"""

import contextlib
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def untraced() -> Iterator[None]:
    """Nothing that this thread calls in here is traced, be it by coverage or a debugger."""
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracer)
