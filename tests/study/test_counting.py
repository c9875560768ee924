"""Counts of requests, shared by the processes of a server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from trialogue.study.web import throttle
from trialogue.study.web.throttle import SharedCounts

NOW = 1_000_000.0
ADDING = """
import sys
from pathlib import Path
from trialogue.study.web.throttle import SharedCounts
counts = SharedCounts(Path(sys.argv[1]), key="k")
for _ in range(500):
    counts.add("one", now=1e6, until=1e6 + 60)
"""


def test_processes_count_together_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "rates"
    running = [subprocess.Popen([sys.executable, "-c", ADDING, str(path)]) for _ in range(3)]
    assert [each.wait(60) for each in running] == [0, 0, 0]
    assert SharedCounts(path, key="k").count("one", now=NOW) == 1_500


def test_a_count_ends_with_its_time_and_names_have_counts_of_their_own(tmp_path: Path) -> None:
    counts = SharedCounts(tmp_path / "rates", key="k")
    assert [counts.add("one", now=NOW, until=NOW + 60) for _ in range(3)] == [1, 2, 3]
    assert counts.add("ö\udcff", now=NOW, until=NOW + 60) == 1
    assert (counts.count("one", now=NOW + 59), counts.count("one", now=NOW + 60)) == (3, 0)
    assert counts.add("one", now=NOW + 60, until=NOW + 120) == 1
    assert counts.count("nobody", now=NOW) == 0


def test_a_full_bucket_forgets_the_smallest_and_keeps_who_asks_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle, "BUCKETS", 1)
    counts = SharedCounts(tmp_path / "rates", key="k")
    for _ in range(50):
        counts.add("busy", now=NOW, until=NOW + 60)
    for number in range(100):
        counts.add(f"visitor {number}", now=NOW, until=NOW + 60)
    assert counts.count("busy", now=NOW) == 50
    assert sum(counts.count(f"visitor {number}", now=NOW) for number in range(100)) == throttle.PLACES - 1


def test_the_file_tells_nobody_anything_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "rates"
    SharedCounts(path, key="k").add("rate:person:Pabc:1", now=NOW, until=NOW + 60)
    assert path.stat().st_mode & 0o077 == 0
    assert b"Pabc" not in path.read_bytes()
    assert SharedCounts(path, key="another").count("rate:person:Pabc:1", now=NOW) == 0


def test_what_cannot_be_written_counts_nothing_and_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    counts = SharedCounts(tmp_path / "rates", key="k")
    monkeypatch.setattr("os.pwrite", full)
    assert counts.add("one", now=NOW, until=NOW + 60) == 0
    monkeypatch.undo()
    assert counts.add("one", now=NOW, until=NOW + 60) == 1
    counts.close()


FORKING = """
import os, sys
from pathlib import Path
from django.conf import settings
settings.configure(FOLDER=Path(sys.argv[1]), SECRET_KEY="k")
from trialogue.study.web import throttle
assert throttle.seconds_to_wait_for("person", "one", 1, window=10**8) == 0
before = throttle._counts(settings.FOLDER, os.getpid())
if child := os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
limited = throttle.seconds_to_wait_for("person", "one", 1, window=10**8, count=False) > 0
os._exit(0 if limited and throttle._counts(settings.FOLDER, os.getpid()) is not before else 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_process_that_was_forked_opens_the_file_for_itself_and_counts_on(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FORKING, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
