"""USS: dialogues with satisfaction for each message and as a whole."""

from pathlib import Path

import pytest

from trialogue.datasets.base import recognise
from trialogue.datasets.corpora.uss import FORMAT
from trialogue.errors import DataError
from trialogue.records import Dialogue

LINES = """
SYSTEM\tDo you like Thor?\tASK\t
USER\tNo.\tANSWER\t3,2,2
USER\tOVERALL\tOTHER\t3,2

SYSTEM\tHello\t\t
USER\tHi\t\t5
USER\tOVERALL\t\t4,4,5
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "CCPE.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_dialogues_have_their_messages_and_ratings(tmp_path: Path) -> None:
    path = written(tmp_path, LINES)
    assert recognise(path).name == "uss"
    first, second = (each for each in FORMAT.read(path) if isinstance(each, Dialogue))
    assert [(said.speaker, said.text) for said in first.utterances] == [
        ("system", "Do you like Thor?"),
        ("user", "No."),
    ]
    assert [rating.value for rating in first.utterances[1].ratings] == [3, 2, 2]
    assert [(rating.name, rating.value, rating.low, rating.high) for rating in first.ratings] == [
        ("satisfaction", 3, 1, 5),
        ("satisfaction", 2, 1, 5),
    ]
    assert (first.id, first.system, first.source) == ("ccpe-1", "ccpe", "uss/ccpe")
    raters = [rating.rater for each in (first, second) for rating in each.ratings]
    assert len(set(raters)) == 5  # raters of different dialogues are not known to be the same


def test_all_mistakes_are_listed_with_their_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "SYSTEM\ta\tb\t\nBOT\ta\tb\t\nUSER\ta\nUSER\ta\tb\t6\n")
    with pytest.raises(DataError) as error:
        list(FORMAT.read(path))
    assert [(each.line, each.what.split(",")[0]) for each in error.value.problems] == [
        (2, "the speaker must be USER or SYSTEM"),
        (3, "expected 4 columns"),
        (4, "ratings must be numbers from 1 to 5 separated by commas"),
    ]


def test_the_published_files_are_read(mirror: Path) -> None:
    found = [each for name in ("CCPE", "SGD") for each in FORMAT.read(mirror / "uss" / f"{name}.txt")]
    dialogues = [each for each in found if isinstance(each, Dialogue)]
    assert len(dialogues) == 1_500
    assert all(3 <= len(each.ratings) <= 7 for each in dialogues)


def test_a_message_that_only_reads_like_the_ratings_is_a_message(tmp_path: Path) -> None:
    lines = "SYSTEM\tOVERALL\t\t\nUSER\tOVERALL\t\t2\nSYSTEM\tBye\t\t\nUSER\tOVERALL\t\t4\n"
    (dialogue,) = FORMAT.read(written(tmp_path, lines))
    assert isinstance(dialogue, Dialogue)
    assert [each.text for each in dialogue.utterances] == ["OVERALL", "OVERALL", "Bye"]
    assert [rating.value for rating in dialogue.utterances[1].ratings] == [2]
    assert [rating.value for rating in dialogue.ratings] == [4]


def test_a_dialogue_without_ratings_as_a_whole_is_read(tmp_path: Path) -> None:
    (dialogue,) = FORMAT.read(written(tmp_path, "SYSTEM\tOVERALL\t\t\n"))
    assert isinstance(dialogue, Dialogue)
    assert ([each.text for each in dialogue.utterances], dialogue.ratings) == (["OVERALL"], ())
