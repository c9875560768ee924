"""Inputs in object stores, by fsspec: what is read is what a file on this machine gives."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workflows.made import good_and_bad, written
from trialogue.datasets.conversion import shard
from trialogue.errors import DataError
from trialogue.inputs.locations import Input, inputs_of
from trialogue.metrics import Settings
from trialogue.records import Dialogue, Score
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import copy_of
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.workflows.score import score
from trialogue.workflows.score_parts import Piece

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed (extra 'cluster')")
FEW = Settings(resamples=200, permutations=200)
OWN = [each for each in good_and_bad() if isinstance(each, Dialogue)]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Three shards in a folder of this machine and under ``memory://talks``; copies go with the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    copy_of.cache_clear()
    shard(OWN, tmp_path / "shards", size=15)
    memory = fsspec.filesystem("memory")
    for path in (tmp_path / "shards").iterdir():
        memory.pipe(f"/talks ü/{path.name}", path.read_bytes())
    memory.pipe("/talks ü/README.md", b"not data")
    yield tmp_path / "shards"
    memory.rm("/", recursive=True)
    copy_of.cache_clear()


def lines(scores: "list[Score] | object") -> list[str]:
    assert isinstance(scores, list)
    return list(map(to_line, scores))


@pytest.mark.parametrize("name", ["memory://talks ü", "memory://talks ü/"])
def test_a_folder_of_a_store_gives_what_the_folder_gives(store: Path, name: str) -> None:
    assert len(inputs_of([name])) == 3
    options = {"metrics": ["length", "distinct(n=2)"], "settings": FEW}
    assert lines(score(name, **options)) == lines(score(store, **options))  # type: ignore[arg-type]
    assert lines(list(evaluate(name, resamples=200).scores)) == lines(list(evaluate(store, resamples=200).scores))


def test_the_system_can_be_named_and_files_may_be_compressed(store: Path, tmp_path: Path) -> None:
    packed = written(tmp_path / "some.jsonl.gz", [*OWN[:4]])
    fsspec.filesystem("memory").pipe("/a=1/some.jsonl.gz", packed.read_bytes())
    (one,) = inputs_of(["mine=memory://a=1/some.jsonl.gz"])
    assert [each.system for each in one.records(print) if isinstance(each, Dialogue)] == ["mine"] * 4
    (two,) = inputs_of(["memory://a=1/some.jsonl.gz"])
    assert {each.system for each in two.records(print) if isinstance(each, Dialogue)} == {"good", "bad"}


def test_a_worker_elsewhere_fetches_its_file_and_removes_it(store: Path, tmp_path: Path) -> None:
    given = inputs_of(["memory://talks ü"])[0]
    here = list(given.records(print))
    given.path.unlink()  # as on another machine
    before = set(tmp_path.iterdir())
    with Piece(given).at_hand() as there:
        assert isinstance(there.input, Input)
        assert list(there.input.records(print)) == here
        assert set(tmp_path.iterdir()) > before
    assert set(tmp_path.iterdir()) == before


def test_mistakes_name_the_address_and_not_the_copy(store: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe("/talks ü/zz.jsonl", b'{"kind":"dialogue","v":3,"id":"x"}\n')
    for command in (
        lambda: score("memory://talks ü", metrics=["length"]),
        lambda: score("memory://talks ü", metrics=["turns@user_utterances"]),
        lambda: evaluate("memory://talks ü", resamples=200),
    ):
        with pytest.raises(DataError) as refused:
            command()
        assert {each.file for each in refused.value.problems} == {"memory:///talks ü/zz.jsonl"}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("memory://absent/talks.jsonl", "cannot be read"),
        ("nosuch://bucket/talks.jsonl", "cannot be read.*nosuch"),
    ],
)
def test_what_a_store_does_not_give_is_an_error_that_names_it(store: Path, name: str, says: str) -> None:
    with pytest.raises(DataError, match=says) as refused:
        score(name, metrics=["length"])
    assert refused.value.problems[0].file == name


def test_a_folder_without_conversations_is_an_error(store: Path) -> None:
    fsspec.filesystem("memory").pipe("/empty/notes.md", b"")
    with pytest.raises(DataError, match="no files of conversations"):
        score("memory://empty", metrics=["length"])
