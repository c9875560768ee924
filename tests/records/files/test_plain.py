"""Dialogues of plain texts: read as columns they are the same as read as records, and mistakes are the same."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.datasets.formats.trialogue_jsonl import read_part, read_plain
from trialogue.errors import DataError, Problem
from trialogue.metrics.batch import Batch
from trialogue.metrics.engine.conversations import conversations_of
from trialogue.metrics.engine.text_batches import text_batches
from trialogue.metrics.text.word_hashes import Vocabulary
from trialogue.records import Dialogue
from trialogue.records.base import SCHEMA
from trialogue.records.files.jsonl import Part, parse_line
from trialogue.records.files.plain import PlainDialogue, plain_dialogue, plain_dialogues

UTTERANCE = {"speaker": "user", "text": "hi"}
DIALOGUE = {"kind": "dialogue", "v": SCHEMA, "id": "a", "utterances": [UTTERANCE]}

TEXTS = st.text(max_size=5)
ODD = st.one_of(st.none(), st.booleans(), st.integers(-1, 6), st.floats(), TEXTS, st.just([]), st.just({}))
SPEAKERS = st.sampled_from(["user", "system", "bot", "User"])
SAID = st.fixed_dictionaries(
    {"speaker": st.one_of(SPEAKERS, SPEAKERS, ODD), "text": st.one_of(TEXTS, TEXTS, ODD)},
    optional={"id": ODD, "acts": ODD, "meta": ODD, "tetx": ODD},
)
LINES = st.fixed_dictionaries(
    {"kind": st.just("dialogue"), "id": st.one_of(TEXTS, ODD), "utterances": st.lists(SAID, max_size=3)},
    optional={
        "v": st.one_of(st.integers(1, SCHEMA), ODD),
        "system": ODD,
        "role": st.one_of(st.sampled_from(["system", "baseline"]), ODD),
        "user": ODD,
        "source": ODD,
        "ended_by": st.one_of(st.sampled_from(["user", "user_ended", "agent_error", "bored"]), ODD),
        "meta": ODD,
        "need": ODD,
        "uesr": ODD,
    },
)


@given(LINES)
def test_a_line_taken_as_plain_is_the_record_that_it_is_otherwise(data: dict[str, Any]) -> None:
    line = json.dumps(data)
    plain = plain_dialogue(line)
    if plain is not None:
        assert plain.record() == parse_line(line, {"dialogue": Dialogue})
        assert plain.cluster == plain.record().cluster


def test_usual_lines_are_plain() -> None:
    more = {"system": "s", "role": "baseline", "user": "u", "source": "x", "ended_by": "user_ended"}
    assert plain_dialogue(json.dumps(DIALOGUE)) is not None
    assert plain_dialogue(json.dumps({**DIALOGUE, **more, "utterances": [{**UTTERANCE, "id": "1"}]})) is not None


@pytest.mark.parametrize(
    "line",
    [
        json.dumps({**DIALOGUE, "v": 1, "ended_by": "user"}),  # another word for another ending
        json.dumps({**DIALOGUE, "utterances": [{**UTTERANCE, "acts": []}]}),
        json.dumps({**DIALOGUE, "need": None}),
        json.dumps({**DIALOGUE, "v": SCHEMA + 1}),
        json.dumps(DIALOGUE).replace("hi", "\\ud800"),
        json.dumps(DIALOGUE)[:-1],
        "",
        "[]",
    ],
)
def test_anything_else_is_left_to_the_usual_reader(line: str) -> None:
    assert plain_dialogue(line) is None


LINE = json.dumps(DIALOGUE).encode()


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_lines_that_hold_a_dialogue_each_are_read_together(end: bytes) -> None:
    assert len(plain_dialogues(LINE + b"\r\n" + LINE + b"\n" + LINE + end) or ()) == 3


@pytest.mark.parametrize("between", [b"", b" ", b"\n\n", b"\n ", b"\n[]\n", b"\n{}\n"])
def test_lines_that_do_not_are_left_to_the_usual_reader(between: bytes) -> None:
    assert plain_dialogues(LINE + between + LINE) is None
    assert plain_dialogues(LINE.replace(b" ", b"\n", 1)) is None


def test_mistakes_are_those_of_the_usual_reader(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    bad = [
        {"kind": "dialogue", "id": 1, "utterances": [{"speaker": "bot"}]},
        {"kind": "dialog"},
        {**DIALOGUE, "v": 99},
        {**DIALOGUE, "uesr": "u"},
    ]
    path.write_text(
        "\n".join([json.dumps(DIALOGUE), *map(json.dumps, bad), "{broken", json.dumps(DIALOGUE)[:20]]) + "\n"
    )
    whole = Part(0, path.stat().st_size, 0)
    problems: list[tuple[Problem, ...]] = []
    for read in (read_plain, read_part):
        with pytest.raises(DataError) as caught:
            list(read(path, whole, lambda _: None))
        problems.append(tuple(caught.value.problems))
    assert problems[0] == problems[1]
    assert len(problems[0]) == 8


def test_batches_of_plain_dialogues_are_those_of_records() -> None:
    said = [{"speaker": who, "text": f"{who} {number}"} for number in range(3) for who in ("user", "system", "system")]
    for more in ({"user": "u", "role": "baseline"}, {"system": "s"}):
        line = json.dumps({**DIALOGUE, "utterances": said, **more})
        plain = plain_dialogue(line)
        assert isinstance(plain, PlainDialogue)
        record = parse_line(line, {"dialogue": Dialogue})
        of_records = Batch([*conversations_of([record])])
        for one in (plain, record):
            (batch,) = text_batches([one], Vocabulary())
            assert batch.system == of_records.conversations[0].system
            assert batch.roles == {record.role}
            assert batch.user_texts == of_records.conversations[0].user_texts
            assert (batch.texts(), batch.failed, batch.situations) == (of_records.texts(), [], ())
            for name in ("clusters", "conversations", "replies"):  # the last two are made only when they are asked for
                assert getattr(batch, name) == getattr(of_records, name), name
            assert batch.owner.tolist() == of_records.owner.tolist()
