"""Files scored by several processes: the same bytes as by one."""

import json
import pickle
from pathlib import Path

import pytest

from trialogue.errors import DataError, Problem
from trialogue.inputs.locations import inputs_of
from trialogue.metrics import Settings
from trialogue.records import Dialogue, Score, Utterance, read_records, write_records
from trialogue.records.files.jsonl import Part, parts_of, to_line
from trialogue.records.files.plain import PlainDialogue
from trialogue.workflows.score import score
from trialogue.workflows.score_parts import pieces_of, plain_records

FEW = Settings(resamples=200, permutations=200)
METRICS = ["length", "distinct(n=2)@ratio", "distinct@chars", "repetition@self", "turns@user_utterances"]


def dialogue(number: int) -> Dialogue:
    """Of one of two systems, of a user who comes three times, with words that recur."""
    texts = [f"w{(number * place) % 17} and w{place}" for place in range(1, 2 + number % 4)]
    said = tuple(Utterance(speaker=who, text=text) for text in texts for who in ("user", "system"))
    return Dialogue(id=str(number), system="ab"[number % 2], user=f"u{number // 3}", utterances=said)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_records(tmp_path / "many.jsonl", map(dialogue, range(600)))
    return tmp_path / "many.jsonl"


@pytest.mark.slow
def test_two_processes_give_the_same_bytes_as_one(path: Path) -> None:
    """600 dialogues are three batches, so that two processes get 512 and 88."""
    units: dict[int, list[Score]] = {1: [], 2: []}
    found = {
        jobs: score(path, metrics=METRICS, settings=FEW, jobs=jobs, sink=units[jobs].append, note=lambda _: None)
        for jobs in units
    }
    assert list(map(to_line, found[2])) == list(map(to_line, found[1]))
    assert sorted(map(to_line, units[2])) == sorted(map(to_line, units[1]))


@pytest.mark.slow
def test_mistakes_of_all_parts_are_reported_at_once_and_repairs_once(path: Path) -> None:
    lines = path.read_text().splitlines(keepends=True)
    lines[3], lines[590] = '{"kind":"dialogue"\n', '{"kind":"dialogue","v":3,"id":"x"}\n'
    path.write_text("".join(lines))
    with pytest.raises(DataError) as refused:
        score(path, metrics=["length"], jobs=2)
    assert [problem.line for problem in refused.value.problems] == [4, 591]
    path.write_text(to_line(dialogue(1)) + "\n" + "".join(lines[5:590]) + lines[10][:20])
    messages: list[Problem] = []
    score(path, metrics=["length"], settings=FEW, jobs=2, note=messages.append)
    assert len([problem for problem in messages if "cut short" in problem.what]) == 1


@pytest.mark.slow
def test_a_dialogue_that_is_in_two_parts_is_reported(path: Path) -> None:
    path.write_text(path.read_text() + to_line(dialogue(0)) + "\n")
    with pytest.raises(DataError, match="dialogue '0' of system 'a' occurs twice"):
        score(path, metrics=["length"], jobs=2)


def test_parts_hold_every_line_once_and_keep_lines_together(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    for count in (0, 1, 5, 10, 11):
        path.write_text("".join(f"{'x' * place}\n" for place in range(count)))
        for parts in (1, 2, 3, 20):
            found = parts_of(path, parts, lines=2)
            assert len(found) <= parts
            raw = path.read_bytes()
            assert b"".join(raw[part.start : part.end] for part in found) == raw
            assert all(part.lines_before % 2 == 0 for part in found)
            assert [raw[: part.start].count(b"\n") for part in found] == [part.lines_before for part in found]


def test_a_part_of_a_file_is_read_with_the_numbers_of_its_lines(path: Path) -> None:
    first, second = parts_of(path, 2, lines=256)
    assert second.lines_before == 512
    assert [each.id for each in read_records(path, Dialogue, part=second)] == [str(n) for n in range(512, 600)]
    assert len(list(read_records(path, Dialogue, part=first))) == 512
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:520]) + json.dumps({"kind": "dialogue", "id": 7}) + "\n")
    with pytest.raises(DataError) as refused:
        list(read_records(path, Dialogue, part=Part(second.start, path.stat().st_size, 512)))
    assert {problem.line for problem in refused.value.problems} == {521}


def test_plain_dialogues_have_the_scores_of_records(path: Path) -> None:
    """A sink asks for single scores, and so for records. Some dialogues of the file are not plain."""
    lines = path.read_text().splitlines(keepends=True)
    for number in range(0, len(lines), 7):
        lines[number] = lines[number].replace('"text":', '"ranking":["1"],"text":', 1)
    path.write_text("".join(lines))
    metrics = ["length", "length@characters", "distinct(n=2)@ratio", "distinct@chars", "distinct(n=1)@mese"]
    plain = score(path, metrics=metrics, settings=FEW, note=lambda _: None)
    records = score(path, metrics=metrics, settings=FEW, note=lambda _: None, sink=lambda _: None)
    assert list(map(to_line, plain)) == list(map(to_line, records))


def test_a_piece_sent_to_a_process_is_read_as_plain_dialogues_there_too(path: Path) -> None:
    (given,) = inputs_of([path])
    pieces = pickle.loads(pickle.dumps(pieces_of([given], 2, lambda _: None)))
    read = [plain_records(piece.input, print, part=piece.part) for piece in pieces]
    kinds = {type(record) for some in read for records in some for record in records}
    assert kinds == {PlainDialogue}
