"""Gunicorn's worker with threads, which leaves new connections to a process that has less to do.

All processes hear of a new connection at once, and the one that is awake takes it: the busiest. It then gets busier, while
another one sleeps, and people who came to it wait for several times as long. Here a process steps back for as long as its
queue is; one that has nothing to do takes a connection at once.
"""

import time
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

STEP_S, MOST_S = 0.0002, 0.005  # for each request that waits, and in all


class FairWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """A process of the server."""

    def accept(self, listener: Any) -> None:
        """Take a connection, if no other process did meanwhile."""
        resting = len(self.keepalived_conns) + len(self.pending_conns)
        waiting = self.nr_conns - resting - self.cfg.threads
        if waiting > 0:
            time.sleep(min(MOST_S, STEP_S * waiting))  # its threads have work for longer than that
        super().accept(listener)
