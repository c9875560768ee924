"""A process of the server that has much to do leaves new connections to one that has less."""

import socket
from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("gunicorn")

from trialogue.study import workers


@pytest.mark.parametrize(
    ("connections", "resting", "stepped_back"),
    [
        (0, 0, []),  # nothing to do
        (8, 0, []),  # every thread has one request
        (40, 32, []),  # most of them are silent
        (18, 0, [10 * workers.STEP_S]),  # ten wait
        (500, 0, [workers.MOST_S]),
    ],
)
def test_it_steps_back_for_as_long_as_its_queue_is(
    monkeypatch: pytest.MonkeyPatch, connections: int, resting: int, stepped_back: list[float]
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(workers, "time", SimpleNamespace(sleep=slept.append))
    worker: Any = object.__new__(workers.FairWorker)
    worker.cfg = SimpleNamespace(threads=8)
    worker.nr_conns, worker.keepalived_conns, worker.pending_conns = connections, deque(range(resting)), deque()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.setblocking(False)
        worker.accept(listener)  # another process was quicker
    assert slept == pytest.approx(stepped_back)
    assert worker.nr_conns == connections
