"""An evaluation whose dialogues are in a temporary file gives what one in memory gives, to the byte."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workflows.made import dialogue, good_and_bad, offline, written
from trialogue.findings.examples import EACH
from trialogue.records import Dialogue, Record, Role
from trialogue.records.files import dialogue_store
from trialogue.simulation.source import SIMULATED
from trialogue.subjects.evaluation.commands import evaluate as evaluation
from trialogue.subjects.evaluation.commands.evaluate import Run, evaluate

Reads = Counter[tuple[int, tuple[int, int]]]


def counted(reads: Reads) -> Callable[..., object]:
    """Reading of blocks that counts them."""
    read = dialogue_store._Room.read

    def count(room: dialogue_store._Room, place: tuple[int, int]) -> object:
        reads[id(room), place] += 1
        return read(room, place)

    return count


def with_baselines() -> list[Record]:
    records = good_and_bad()
    own = [each for each in records if isinstance(each, Dialogue)]
    return [*records, *(each.model_copy(update={"system": "floor", "role": Role.BASELINE}) for each in own[:20])]


def only_baselines() -> list[Record]:
    own = [each for each in good_and_bad() if isinstance(each, Dialogue)]
    return [each.model_copy(update={"role": Role.BASELINE}) for each in own]


def with_replies() -> list[Record]:
    return [*good_and_bad(), *offline()]


@pytest.mark.parametrize("made", [good_and_bad, with_baselines, only_baselines, with_replies])
def test_files_are_the_same_bytes(made: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert callable(made)
    path = written(tmp_path / "both.jsonl", made())
    monkeypatch.setattr(dialogue_store, "BLOCK", 7)
    inside = evaluate(path, resamples=300)
    monkeypatch.setattr(dialogue_store, "memory_for_dialogues", lambda: 0)
    reads = Reads()
    monkeypatch.setattr(dialogue_store._Room, "read", counted(reads))
    outside = evaluate(path, resamples=300)
    assert reads
    one, two = tmp_path / "one", tmp_path / "two"
    inside.write(one)
    outside.write(two)
    names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(two) for path in two.rglob("*") if path.is_file())
    assert {"explorer.html", "scores.jsonl", "findings.json"} <= {str(name) for name in names}
    assert [name for name in names if (one / name).read_bytes() != (two / name).read_bytes()] == []


@pytest.mark.parametrize("are_rated", [False, True])
def test_of_all_dialogues_there_are_three_passes(
    are_rated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One to check titles and to choose metrics, to measure all, and to write the explorer: each reads every block
    anew. Of single dialogues a block and up to two of utterances are read besides: of the examples, two of them where
    people and a measure disagree, and of one to see what it is."""
    reads = Reads()
    changes = {"source": f"{SIMULATED}agenda", **({} if are_rated else {"ratings": ()})}
    own = [each for each in with_baselines() if isinstance(each, Dialogue)]
    path = written(tmp_path / "both.jsonl", [each.model_copy(update=changes) for each in own])
    monkeypatch.setattr(dialogue_store, "memory_for_dialogues", lambda: 0)
    monkeypatch.setattr(dialogue_store, "BLOCK", 7)
    monkeypatch.setattr(dialogue_store._Room, "read", counted(reads))
    evaluate(path, resamples=300, catalogue="demo").write(tmp_path / "out")
    assert reads
    assert sum(max(0, times - 3) for times in reads.values()) <= 3 * (2 * EACH + 2 + 1)


@pytest.mark.parametrize("most", [1, 40_000, 80_000])
def test_the_first_dialogues_stay_in_memory_and_files_are_the_same_bytes(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "both.jsonl", with_baselines())
    evaluate(path, resamples=300).write(tmp_path / "one")
    monkeypatch.setattr(dialogue_store, "memory_for_dialogues", lambda: most)
    monkeypatch.setattr(dialogue_store, "BLOCK", 7)
    reads = Reads()
    monkeypatch.setattr(dialogue_store._Room, "read", counted(reads))
    run = evaluate(path, resamples=300)
    assert reads
    run.write(tmp_path / "two")
    for name in ("scores.jsonl", "counts.jsonl", "findings.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    records: list[Record] = [dialogue(number, system, satisfied=number > 3) for system in "ab" for number in range(6)]
    return evaluate(written(tmp_path / "some.jsonl", records), resamples=300)


def test_of_very_many_dialogues_there_is_no_explorer_and_the_page_says_why(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "MAX_EXPLORED", 11)
    page = run.write(tmp_path / "out").read_text("utf-8")
    assert not (tmp_path / "out" / "explorer.html").exists()
    assert "No explorer: there are 12 dialogues and replies; above 11, it is written only on request" in page


def test_an_explorer_that_is_asked_for_is_written_of_any_number(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "MAX_EXPLORED", 11)
    page = run.write(tmp_path / "out", explorer=True).read_text("utf-8")
    assert (tmp_path / "out" / "explorer.html").is_file()
    assert "No explorer" not in page


def test_of_as_many_dialogues_as_are_explored_there_is_an_explorer(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "MAX_EXPLORED", 12)
    assert "No explorer" not in run.write(tmp_path / "out").read_text("utf-8")
    assert (tmp_path / "out" / "explorer.html").is_file()
