"""What commands say while they work: on stderr, so that stdout stays data."""

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def steps(*, quiet: bool = False) -> Iterator["Steps"]:
    """Lines about what is being done, each with the seconds since the start; repairs become lines, too."""
    talk = Steps(quiet=quiet)
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_rest: talk.say(f"note: {message}")
        try:
            yield talk
        except KeyboardInterrupt:
            talk.say("interrupted; files that were not finished are not there")
            raise


class Steps:
    """Tells what is being done."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._start = time.perf_counter()

    def __call__(self, line: str) -> None:
        """One step."""
        self.say(f"[{time.perf_counter() - self._start:5.1f} s] {line}")

    def say(self, line: str) -> None:
        """One line, as it is."""
        if not self._quiet:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()
