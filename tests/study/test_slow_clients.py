"""A real server goes on while hundreds of clients send half of what they announce."""

import time
from pathlib import Path

import numpy as np
import pytest

from tests.study.served import folder_of, free_port, start, stop
from tests.study.slow import slow_clients
from tests.study.visitor import Visitor

pytest.importorskip("gunicorn")

SLOW = 500  # twenty stalled gunicorn's own threads for as long as the clients liked
P95_S = 1.0


def test_people_are_served_while_five_hundred_clients_send_half_a_request(tmp_path: Path) -> None:
    folder, port = folder_of(tmp_path / "study", items=12), free_port()
    process = start(folder, port)
    try:
        with slow_clients(port, SLOW):
            people = [Visitor(port) for _ in range(4)]
            begun = time.monotonic()
            ends = [one.walk("rating") for one in people]
            took = time.monotonic() - begun
        seconds = [each for one in people for each in one.seconds]
        assert len(seconds) >= 40
        assert all(page.status == 200 for page in ends)
        assert np.percentile(seconds, 95) < P95_S, (took, sorted(seconds)[-10:])
    finally:
        stop(process)
