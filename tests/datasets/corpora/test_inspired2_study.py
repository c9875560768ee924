"""The INSPIRED2 study: situations, replies of four systems, three ratings each."""

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

from trialogue.datasets import AnyRecord, Head, Repairs
from trialogue.datasets.corpora.inspired2_study import CORPUS, FORMAT, SOURCE, read_study
from trialogue.errors import DataError, MissingExtraError
from trialogue.records import Response, Situation, sha256_of

openpyxl = pytest.importorskip("openpyxl", reason="needs the extra 'data'")

Line = tuple[object, ...]
SCRIPT: tuple[Line, ...] = (
    ("CONVERSATION:1",),
    ("GROUND-TRUTH~ Hello!",),
    ("SEEKER~ hi",),
    ("REC~ What do you like? ~", 3, 2, 1),
    ("GROUND-TRUTH~ Any wishes?",),
    ("SEEKER~ bye",),
    ("REC~ Bye", 3, 3, "3"),
    ("CONVERSATION:2",),
    ("SEEKER~ hey",),
    ("REC~ [MOVIE_TITLE_0]", 1, 1, 2),
    ("RECOMMENDER~ hi",),
)


def workbook(
    folder: Path, name: str, *blocks: Sequence[Line], titles: Sequence[str] = ("RB-CRS with INSPIRED",)
) -> Path:
    """A workbook with a block of four columns for each system, made by us in the layout of the study's."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append([cell for title in titles for cell in (title, None, None, None)])
    sheet.append(["Dialogs", "Ratings-1", "Ratings-2", "Ratings-3"] * len(blocks))
    for lines in zip(*blocks, strict=True):
        sheet.append([cell for line in lines for cell in (*line, None, None, None)[:4]])
    path = folder / name
    book.save(path)
    return path


def read(path: Path) -> tuple[list[AnyRecord], list[str]]:
    repairs = Repairs()
    records = list(FORMAT.read(path, note=repairs))
    return records, [str(problem) for problem in repairs.problems]


def mistakes(path: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        read(path)
    return [str(problem) for problem in caught.value.problems]


def test_a_reply_is_rated_by_each_column_and_stands_beside_the_human_one(tmp_path: Path) -> None:
    records, _ = read(workbook(tmp_path, "made RB-CRS.xlsx", SCRIPT))
    situation, response = records[0], records[1]
    assert isinstance(situation, Situation)
    assert isinstance(response, Response)
    assert [(said.speaker, said.text) for said in situation.context] == [("system", "Hello!"), ("user", "hi")]
    assert situation.reference is not None
    assert situation.reference.text == "Any wishes?"
    assert (situation.id, situation.dialogue_id, situation.turn) == ("inspired2-study:1#2", "inspired2-study:1", 1)
    assert response.utterance.text == "What do you like? ~"
    assert [(r.name, r.value, r.rater, r.low, r.high) for r in response.utterance.ratings] == [
        ("meaningfulness", 3, "inspired2-study:1#2/1", 1, 3),
        ("meaningfulness", 2, "inspired2-study:1#2/2", 1, 3),
        ("meaningfulness", 1, "inspired2-study:1#2/3", 1, 3),
    ]


def test_systems_are_named_after_file_and_heading(tmp_path: Path) -> None:
    titles = ("RB-CRS with INSPIRED", "RB-CRS with INSPIRED2")
    workbook(tmp_path, "made CRB-CRS.xlsx", SCRIPT, SCRIPT, titles=titles)
    workbook(tmp_path, "made RB-CRS.xlsx", SCRIPT, SCRIPT, titles=titles)
    records, notes = read(tmp_path)
    systems = [record.system for record in records if isinstance(record, Response)]
    assert systems[:4] == ["CRB-CRS/INSPIRED", "CRB-CRS/INSPIRED2", "RB-CRS/INSPIRED", "RB-CRS/INSPIRED2"]
    assert any("a heading says RB-CRS, the file name says CRB-CRS; the file name was used" in note for note in notes)
    assert len([record for record in records if isinstance(record, Situation)]) == 2


def test_a_reply_without_human_counterpart_is_left_out_unless_asked_for(tmp_path: Path) -> None:
    path = workbook(tmp_path, "made RB-CRS.xlsx", SCRIPT)
    records, notes = read(path)
    assert [r.situation_id for r in records if isinstance(r, Response)] == [
        "inspired2-study:1#2",
        "inspired2-study:2#1",
    ]
    assert any("line 9: a reply without a human counterpart was left out" in note for note in notes)
    everything = list(read_study(path, note=Repairs(), unanswered=True))
    assert len([record for record in everything if isinstance(record, Response)]) == 3


def test_a_missing_rating_is_reported(tmp_path: Path) -> None:
    script = list(SCRIPT)
    script[3] = ("REC~ What?", 3, None, " ")
    records, notes = read(workbook(tmp_path, "made RB-CRS.xlsx", script))
    response = next(record for record in records if isinstance(record, Response))
    assert [rating.rater for rating in response.utterance.ratings] == ["inspired2-study:1#2/1"]
    assert any("a rating is missing (2 times" in note for note in notes)


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    script: list[Line] = [
        ("CONVERSATION:1",),
        ("REC~ to nobody", 1, 1, 1),
        ("NARRATOR~ once upon a time",),
        ("SEEKER~ hi",),
        ("REC~ hello", 4, "good", 2.5),
        ("GROUND-TRUTH~ hello",),
    ]
    messages = mistakes(workbook(tmp_path, "made RB-CRS.xlsx", script))
    assert [each.split("xlsx, ")[1] for each in messages] == [
        "line 4, field column 1: this reply does not follow a seeker's turn.",
        "line 5, field column 1: this line has no speaker: 'NARRATOR~ once upon a time'. "
        "A line begins with CONVERSATION:, SEEKER~, GROUND-TRUTH~, RECOMMENDER~ or REC~.",
        "line 7, field column 2: expected a rating from 1 to 3, got '4'.",
        "line 7, field column 3: expected a rating from 1 to 3, got 'good'.",
        "line 7, field column 4: expected a rating from 1 to 3, got '2.5'.",
    ]


def test_systems_that_answer_different_situations_are_refused(tmp_path: Path) -> None:
    other = [("GROUND-TRUTH~ Ahoy!",) if line == ("GROUND-TRUTH~ Hello!",) else line for line in SCRIPT]
    titles = ("RB-CRS with INSPIRED", "RB-CRS with INSPIRED2")
    [messages] = mistakes(workbook(tmp_path, "made RB-CRS.xlsx", SCRIPT, other, titles=titles))
    assert "situation inspired2-study:1#2 of RB-CRS/INSPIRED2 differs from that of the systems before it" in messages


def test_a_workbook_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    workbook(tmp_path, "made RB-CRS.xlsx", SCRIPT)
    workbook(tmp_path, "copy of made RB-CRS.xlsx", SCRIPT)
    assert "Is one of the workbooks a copy?" in mistakes(tmp_path)[0]


def test_other_workbooks_and_broken_ones_are_refused_with_a_hint(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.save(tmp_path / "other.xlsx")
    assert "none of its sheets (Sheet) belongs to the study" in mistakes(tmp_path / "other.xlsx")[0]
    (tmp_path / "broken.xlsx").write_bytes(workbook(tmp_path, "made RB-CRS.xlsx", SCRIPT).read_bytes()[:500])
    assert "not an Excel workbook" in mistakes(tmp_path / "broken.xlsx")[0]
    (tmp_path / "made RB-CRS.xlsx").unlink()
    assert "trialogue data get inspired2-study" in mistakes(tmp_path)[0]


def test_without_the_extra_it_is_recognised_and_the_command_to_type_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path, "made RB-CRS.xlsx", SCRIPT)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert FORMAT.recognises(Head(path))
    with pytest.raises(MissingExtraError, match=r"pip install 'trialogue\[data\]'"):
        read(path)


def test_workbooks_are_recognised_by_content(tmp_path: Path) -> None:
    path = workbook(tmp_path, "renamed.bin", SCRIPT)
    assert FORMAT.recognises(Head(path))
    book = openpyxl.Workbook()
    book.save(tmp_path / "other.xlsx")
    assert not FORMAT.recognises(Head(tmp_path / "other.xlsx"))
    (tmp_path / "text.xlsx").write_text("Ratings-1 SEEKER REC~")
    assert not FORMAT.recognises(Head(tmp_path / "text.xlsx"))
    assert not FORMAT.recognises(Head(tmp_path))
    workbook(tmp_path, "made RB-CRS.xlsx", SCRIPT)
    assert FORMAT.recognises(Head(tmp_path))


@pytest.mark.mirror
def test_the_published_counts_and_means_come_out(mirror: Path) -> None:
    records = list(CORPUS.read(mirror / "inspired2_study", note=Repairs()))
    assert len([record for record in records if isinstance(record, Situation)]) == 465
    responses = [record for record in records if isinstance(record, Response)]
    assert len(responses) == 1860
    assert {len(response.utterance.ratings) for response in responses} == {3}
    values: dict[str, list[float]] = defaultdict(list)
    for response in responses:
        values[response.system] += [rating.value for rating in response.utterance.ratings]
    means = {system: round(sum(of_system) / len(of_system), 3) for system, of_system in values.items()}
    # RB-CRS with INSPIRED2 and CRB-CRS with INSPIRED: 2.473 and 2.323, as reported for the study; 465 x 3 ratings each.
    assert means == {
        "RB-CRS/INSPIRED": 2.326,
        "RB-CRS/INSPIRED2": 2.473,
        "CRB-CRS/INSPIRED": 2.323,
        "CRB-CRS/INSPIRED2": 2.457,
    }


@pytest.mark.mirror
def test_all_rated_replies_can_be_had(mirror: Path) -> None:
    everything = list(read_study(mirror / "inspired2_study", note=Repairs(), unanswered=True))
    assert len([record for record in everything if isinstance(record, Response)]) == 1908  # 4 x 477
    assert sum(record.reference is None for record in everything if isinstance(record, Situation)) == 12


@pytest.mark.mirror
def test_the_checksums_are_those_of_the_publishers_files(mirror: Path) -> None:
    for file in SOURCE.files:
        assert sha256_of(mirror / SOURCE.folder / file.path) == file.sha256
