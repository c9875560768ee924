"""Progress lines of a simulation."""

from collections.abc import Callable

from trialogue.simulation.batch.batch import Progress

EVERY_S = 2.0  # between two lines
# Dialogues after which the pace predicts the rest; the first ones wait until agents and users are created.
SURE = 20


class PrintedProgress:
    """Progress callback that prints at intervals.

    >>> said = []
    >>> progress = PrintedProgress(said.append)
    >>> for done, seconds in ((0, 0.0), (10, 1.0), (30, 3.0), (60, 6.0), (60, 6.0)):
    ...     progress(Progress(done=done, total=60, resumed=0, failed=1, elapsed_s=seconds))
    >>> said[1:]
    ['30 of 60 dialogues, 1 failed, 3 s to go', '60 of 60 dialogues, 1 failed, 0 s to go']
    """

    def __init__(self, tell: Callable[[str], None], what: str = "dialogues") -> None:
        """``what``: the counted units."""
        self._tell, self._what, self._last, self._done = tell, what, -EVERY_S, -1

    def __call__(self, now: Progress) -> None:
        """Receive progress, and print it at intervals and once at the end."""
        if now.elapsed_s - self._last >= EVERY_S or self._done < now.done == now.total:
            self._last, self._done = now.elapsed_s, now.done
            known = now.eta_s is not None and now.done - now.resumed >= SURE
            eta = f", {now.eta_s:.0f} s to go" if known else ""
            self._tell(f"{now.done:,} of {now.total:,} {self._what}, {now.failed:,} failed{eta}")
