"""Files scored on a Dask cluster: the same bytes as by one process, whatever the shards, and no shard lost in silence."""

import os
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.workflows.test_score_parts import FEW, METRICS, dialogue
from trialogue.dask_cluster import DaskCluster, Named
from trialogue.datasets.conversion import shard
from trialogue.errors import DataError, UsageError
from trialogue.records import Dialogue, Score
from trialogue.records.files.jsonl import to_line
from trialogue.workflows.score import score

distributed = pytest.importorskip("distributed", reason="Dask is not installed (extra 'cluster')")

STEPS = ("range 1 of clusters", "part 1 of distinct things")
DIALOGUES = [dialogue(number) for number in range(600)]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Two workers, each a thread of this process: what is patched here is patched there."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    ) as running:
        yield running.scheduler_address


def lines(scores: Sequence[Score]) -> list[str]:
    """Scores as text, without the checksum of the files."""
    return [
        to_line(each.model_copy(update={"signature": (each.signature or "").partition("|data:")[0]})) for each in scores
    ]


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_shards_in_any_number_and_order_give_the_bytes_of_one_process(count: int, tmp_path: Path, address: str) -> None:
    (whole,) = shard(DIALOGUES, tmp_path / "one", size=600)
    expected = lines(score(whole, metrics=METRICS, settings=FEW))
    shuffled = random.Random(count).sample(DIALOGUES, len(DIALOGUES))
    assert len(shard(shuffled, tmp_path / "many", size=-(-600 // count))) >= count - 4
    units: list[Score] = []
    found = score(tmp_path / "many", metrics=METRICS, settings=FEW, cluster=address, sink=units.append)
    assert lines(found) == expected
    alone: list[Score] = []
    score(whole, metrics=METRICS, settings=FEW, sink=alone.append)
    assert sorted(lines(units)) == sorted(lines(alone))


class Fault:
    """Fails while shards are read, as often as files with the name of a shard are left in a folder."""

    def __init__(self, lives: Path, *, is_deadly: bool = False) -> None:
        self.lives, self.is_deadly = lives, is_deadly

    def plan(self, shard: Path, times: int) -> None:
        for number in range(times):
            (self.lives / f"{shard.name}.{number}").touch()

    def __call__(self, function: Callable[..., object], piece: Named, task: object) -> object:
        for life in self.lives.glob(f"{Path(piece.given).name}.*"):
            life.unlink()
            if self.is_deadly:
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError("the disk is away")
        return function(piece, task)


@pytest.fixture
def fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fault:
    (tmp_path / "lives").mkdir()
    found, submit = Fault(tmp_path / "lives"), DaskCluster.submit
    monkeypatch.setattr(
        DaskCluster, "submit", lambda self, *arguments, **options: submit(self, found, *arguments, **options)
    )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("work", ["part-000001.jsonl", "range 1 of clusters", "part 1 of distinct things"])
def test_a_worker_that_is_killed_costs_nothing_but_time(work: str, tmp_path: Path, fault: Fault) -> None:
    files = shard(DIALOGUES, tmp_path / "many", size=200)
    assert work in {*(each.name for each in files), *STEPS}
    expected = lines(score(tmp_path / "many", metrics=METRICS, settings=FEW))
    fault.is_deadly = True
    fault.plan(Path(work), 1)
    assert lines(score(tmp_path / "many", metrics=METRICS, settings=FEW, cluster="local", jobs=2)) == expected
    assert not list(fault.lives.iterdir())


def test_shards_that_fail_are_tried_again_then_all_named(tmp_path: Path, address: str, fault: Fault) -> None:
    files = shard(DIALOGUES[:60], tmp_path / "many", size=10)
    for place, times in ((0, 1), (2, 9), (4, 9)):
        fault.plan(files[place], times)
    with pytest.raises(DataError) as refused:
        score(tmp_path / "many", metrics=METRICS, settings=FEW, cluster=address)
    assert [Path(each.file or "").name for each in refused.value.problems] == [files[2].name, files[4].name]
    assert all("no worker could read it, after 3 attempts" in each.what for each in refused.value.problems)
    assert len(list(fault.lives.iterdir())) == 2 * (9 - 3)


@pytest.mark.parametrize("step", [*STEPS])
def test_a_step_of_merging_that_fails_is_tried_again_then_named(
    step: str, tmp_path: Path, address: str, fault: Fault
) -> None:
    shard(DIALOGUES[:60], tmp_path / "many", size=10)
    expected = lines(score(tmp_path / "many", metrics=METRICS, settings=FEW))
    fault.plan(Path(step), 2)
    assert lines(score(tmp_path / "many", metrics=METRICS, settings=FEW, cluster=address)) == expected
    fault.plan(Path(step), 9)
    with pytest.raises(DataError, match="after 3 attempts") as refused:
        score(tmp_path / "many", metrics=METRICS, settings=FEW, cluster=address)
    assert [each.file for each in refused.value.problems] == [step]


def test_mistakes_of_all_shards_are_reported_at_once(tmp_path: Path, address: str) -> None:
    files = shard(DIALOGUES[:40], tmp_path / "many", size=10)
    for path in files[1::2]:
        path.write_text(path.read_text() + '{"kind":"dialogue","v":3,"id":"x"}\n')
    with pytest.raises(DataError) as refused:
        score(tmp_path / "many", metrics=["length"], cluster=address)
    assert {Path(each.file or "").name for each in refused.value.problems} == {files[1].name, files[3].name}
    files = shard([*DIALOGUES[:20], Dialogue.model_validate(DIALOGUES[3])], tmp_path / "twice", size=10)
    with pytest.raises(DataError, match="dialogue '3' of system 'b' occurs twice"):
        score(tmp_path / "twice", metrics=["length"], cluster=address)


def test_a_scheduler_that_does_not_answer_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shard(DIALOGUES[:4], tmp_path / "many", size=2)
    monkeypatch.setattr(
        "trialogue.dask_cluster.DaskCluster.__init__.__kwdefaults__", {"jobs": 1, "connect_timeout_s": 0.5}
    )
    with pytest.raises(UsageError, match=r"No Dask scheduler answers at 'tcp://127.0.0.1:9'"):
        score(tmp_path / "many", metrics=["length"], cluster="tcp://127.0.0.1:9")
