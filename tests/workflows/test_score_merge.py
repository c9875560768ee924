"""What pieces give, merged in partitions through files: the bytes of one process, whatever the shards."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.test_score_parts import FEW
from trialogue.dask_cluster import ALONE, Map
from trialogue.errors import DataError
from trialogue.metrics.engine.shares import Share, bounds_of
from trialogue.records import Dialogue, Ending, Response, Situation, Utterance, write_records
from trialogue.records.files.jsonl import to_line
from trialogue.stats.resampling import rarefaction
from trialogue.workflows import score_merge, score_parts
from trialogue.workflows.score import score

METRICS = (
    *("distinct(n=2)@ratio", "distinct(n=1)@mese", "distinct@chars", "length", "length@characters", "repetition@self"),
    *("turns@user_utterances", "failures@all"),
)
ABSENT = Path("a folder that nobody sees")


def talks(rng: random.Random, count: int) -> list[Dialogue]:
    """Of up to three systems, of which one may be rare; people come back or are unknown; some dialogues are empty."""
    people = [f"{name}\u00e9{number}" for number in range(rng.randint(1, 12)) for name in ("ann", "\U0001f600", "Z")]
    found = []
    for number in range(count):
        texts = [
            " ".join(f"w{min(int(rng.paretovariate(0.6)), 400)}" for _ in range(rng.randint(0, 9)))
            for _ in range(2 * rng.choice([0, 1, 1, 2, 5]))
        ]
        said = tuple(
            Utterance(speaker="system" if place % 2 else "user", text=each) for place, each in enumerate(texts)
        )
        found.append(
            Dialogue(
                id=f"{number}",
                system=rng.choices(["a", "b", "rare \u00fc"], [6, 5, 0.2])[0],
                user=rng.choice([None, rng.choice(people), rng.choice(people)]),
                utterances=said,
                ended_by=rng.choice([None, Ending.USER_ENDED, Ending.AGENT_TIMEOUT]),
            )
        )
    return found


def shards(folder: Path, dialogues: list[Dialogue], rng: random.Random, count: int) -> Path:
    """Dialogues in any order in up to so many files."""
    folder.mkdir()
    mixed = rng.sample(dialogues, len(dialogues))
    cuts = sorted(rng.choices(range(len(mixed) + 1), k=count - 1))
    for place, (start, stop) in enumerate(zip([0, *cuts], [*cuts, len(mixed)], strict=True)):
        if stop > start:
            write_records(folder / f"{place:03}.jsonl", mixed[start:stop])
    return folder


def seen_by(sees: Callable[[Any], bool]) -> Callable[..., Any]:
    """``Workers`` that work here, and do not see the folder in some pieces of work."""

    class Some:
        def __init__(self, *_: object) -> None:
            pass

        @contextmanager
        def start(self, *, purpose: str) -> Iterator[Map]:
            def do(function: Any, pieces: Any, task: Any) -> Iterator[Any]:
                for piece in pieces:
                    yield piece, function(piece, task if sees(piece) else replace(task, folder=ABSENT))

            yield do

    return Some


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few clusters and pairs are many, and all work is done here."""
    monkeypatch.setattr(score_merge, "Workers", lambda *_: ALONE)
    monkeypatch.setattr(score_merge, "CLUSTERS", 7)
    monkeypatch.setattr(score_merge, "RANGES", 9)
    monkeypatch.setattr(score_merge, "PAIRS", 50)
    monkeypatch.setattr(rarefaction, "BLOCK", 3)


def merged(folder: Path, **options: Any) -> tuple[list[str], list[str]]:
    """Scores, and those of units, of what was measured in pieces."""
    units: list[str] = []
    found = score(folder, metrics=METRICS, settings=FEW, sink=lambda each: units.append(to_line(each)), **options)
    return list(map(to_line, found)), sorted(units)


@pytest.mark.parametrize("count", [1, 2, 7, 64])
@pytest.mark.parametrize("seed", range(3))
def test_any_shards_give_the_bytes_of_one_process(seed: int, count: int, tmp_path: Path) -> None:
    rng = random.Random(100 * seed + count)
    folder = shards(tmp_path / "many", talks(rng, rng.choice([3, 60, 150])), rng, count)
    assert merged(folder, jobs=2, any_language=True) == merged(folder, jobs=1, any_language=True)


@pytest.mark.parametrize("which", ["no worker", "some workers", "none that merges"])
def test_workers_that_do_not_see_the_folder_send_what_they_would_have_written(
    which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shards(tmp_path / "many", talks(random.Random(5), 80), random.Random(5), 7)
    sees = {
        "no worker": lambda _: False,
        "some workers": lambda piece: piece.number % 2 == 0,
        "none that merges": lambda piece: hasattr(piece, "input"),
    }[which]
    monkeypatch.setattr(score_merge, "Workers", seen_by(sees))
    assert merged(folder, jobs=2, any_language=True) == merged(folder, jobs=1, any_language=True)


def test_one_process_measures_much_data_in_pieces_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shards(tmp_path / "many", talks(random.Random(8), 120), random.Random(8), 3)
    expected, shares = merged(folder, any_language=True), list[Share]()

    def bounds(found: list[Share], size: int) -> list[bytes]:
        shares.extend(found)
        return bounds_of(found, size)

    monkeypatch.setattr(score_parts, "LARGE", 2_000)
    monkeypatch.setattr(score_parts, "PIECE_BYTES", 5_000)
    monkeypatch.setattr(score_parts, "BATCH", 8)
    monkeypatch.setattr(score_merge, "bounds_of", bounds)
    assert merged(folder, any_language=True) == expected
    assert len(shares) > 3


def test_the_first_dialogue_that_came_before_is_named_with_its_file(tmp_path: Path) -> None:
    for seed in range(4):
        rng = random.Random(seed)
        dialogues = talks(rng, 40)
        folder = shards(tmp_path / f"{seed}", dialogues, rng, 6)
        again = rng.sample(dialogues, 3)
        write_records(folder / "888.jsonl", [again[0].model_copy(update={"id": "new"}), again[0], again[1]])
        write_records(folder / "999.jsonl", [again[2]])
        refused = {}
        for jobs in (1, 2):
            with pytest.raises(DataError) as error:
                score(folder, metrics=["length"], jobs=jobs)
            refused[jobs] = [(each.what, Path(each.file or "").name) for each in error.value.problems]
        assert refused[2] == refused[1]
        assert refused[1][0][1] == "888.jsonl"


def test_a_dialogue_of_two_systems_is_two(tmp_path: Path) -> None:
    said = (Utterance(speaker="user", text="hi"), Utterance(speaker="system", text="hello there"))
    for name, system, own in (("1", "x", "1:y"), ("2", "x1:", "y"), ("3", "y", "1")):
        write_records(tmp_path / f"{name}.jsonl", [Dialogue(id=own, system=system, utterances=said)])
    assert merged(tmp_path, jobs=2) == merged(tmp_path, jobs=1)


def test_nothing_is_left_behind_and_nothing_written_after_a_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shards(tmp_path / "many", talks(random.Random(1), 30), random.Random(1), 3)
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    merged(folder, jobs=2)
    (folder / "x.jsonl").write_text('{"kind":"dialogue","v":3,"id":"x"}\n')
    with pytest.raises(DataError, match="utterances"):
        merged(folder, jobs=2)
    assert not list((tmp_path / "scratch").iterdir())


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shards(tmp_path / "many", talks(random.Random(1), 30), random.Random(1), 3)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(score_merge, "write_arrays", fail)
    with pytest.raises(DataError, match=r"cannot be written \(No space left on device\).*Set TMPDIR"):
        merged(folder, jobs=2)


def test_what_was_recommended_is_counted_by_concentration(tmp_path: Path) -> None:
    """Gini's coefficient is a function of how many items occur in how many clusters, without each cluster in turn."""
    rng = random.Random(3)
    found = []
    for number in range(60):
        items = [f"i{min(int(rng.paretovariate(0.8)), 30)}" for _ in range(3)]
        said = (
            Utterance(speaker="user", text="a film please"),
            Utterance(speaker="system", text="these", ranking=tuple(dict.fromkeys(items))),
        )
        found.append(Dialogue(id=f"{number}", system="ab"[number % 2], user=f"u{number // 5}", utterances=said))
    folder = shards(tmp_path / "many", found, rng, 7)
    names = {"metrics": ["gini(size=40)@mentions", "coverage(size=40)@mentions"], "settings": FEW, "any_language": True}
    assert list(map(to_line, score(folder, jobs=2, **names))) == list(map(to_line, score(folder, **names)))  # type: ignore[arg-type]


def test_situations_and_compressed_files_are_read_by_several_processes_too(tmp_path: Path) -> None:
    """Replies to situations are measured by one process in the end, with those of all files."""
    text = Utterance(speaker="system", text="try the film Heat with Al Pacino")
    situations = [
        Situation(id=f"{number}", context=(Utterance(speaker="user", text="a film?"),), reference=text, dialogue_id="d")
        for number in range(8)
    ]
    said = Utterance(speaker="system", text="the film Heat is a good one")
    replies = [Response(situation_id=each.id, system="offline", utterance=said) for each in situations]
    write_records(tmp_path / "1.jsonl", situations[:4])
    write_records(tmp_path / "2.jsonl", replies)
    write_records(tmp_path / "3.jsonl", situations[4:])
    assert merged(tmp_path, jobs=2, any_language=True) == merged(tmp_path, any_language=True)
    write_records(tmp_path / "4.jsonl.gz", talks(random.Random(2), 30))
    names: dict[str, Any] = {"metrics": ["length", "distinct(n=2)", "bleu"], "settings": FEW, "any_language": True}
    found = [list(map(to_line, score(tmp_path, jobs=jobs, **names))) for jobs in (1, 2)]
    assert found[0] == found[1]
    assert any("bleu" in line for line in found[0])
