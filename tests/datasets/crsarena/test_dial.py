"""CRSArena-Dial: conversations with satisfaction, votes joined to them, and what is odd about either."""

import json
from collections import Counter
from pathlib import Path

import pytest

from trialogue.datasets import AnyRecord, Head, Repairs
from trialogue.datasets.crsarena.dial import CORPUS, FORMAT, is_duplicate
from trialogue.datasets.dialoguekit.format import FORMAT as DIALOGUEKIT
from trialogue.datasets.dialoguekit.format import read_dialoguekit, write_dialoguekit
from trialogue.errors import DataError
from trialogue.records import Dialogue, Preference, Rating

DATA = Path(__file__).parent.parent.parent / "data" / "crsarena_dial"
HEADER = "session_id,user_id,crs1,crs2,vote,feedback\n"


def split(records: list[AnyRecord]) -> tuple[list[Dialogue], list[Preference]]:
    dialogues = [record for record in records if isinstance(record, Dialogue)]
    return dialogues, [record for record in records if isinstance(record, Preference)]


def votes(folder: Path, rows: str, repairs: Repairs | None = None, name: str = "votes_open.csv") -> list[Preference]:
    path = folder / name
    path.write_text(rows, encoding="utf-8")
    return split(list(FORMAT.read(path, note=repairs or Repairs())))[1]


@pytest.fixture(scope="module")
def sample() -> tuple[list[AnyRecord], Repairs]:
    repairs = Repairs()
    return list(FORMAT.read(DATA, note=repairs)), repairs


def test_conversations_come_before_votes_and_open_before_closed(sample: tuple[list[AnyRecord], Repairs]) -> None:
    ids = [record.id for record in sample[0] if isinstance(record, Dialogue | Preference)]
    conversations = ["barcor_redial_ann", "kbrd_redial_ann", "kbrd_redial_bob", "barcor_redial_c1", "kbrd_redial_c1"]
    assert ids == [*conversations, "open-1", "open-2", "open-3", "closed-1"]


def test_sentiment_is_the_users_own_satisfaction(sample: tuple[list[AnyRecord], Repairs]) -> None:
    dialogues, _ = split(sample[0])
    assert [dialogue.ratings[0].value for dialogue in dialogues] == [1, 0, 0, 0, 1]
    assert dialogues[0].ratings == (Rating(name="satisfaction", value=1, rater="user", low=0, high=1),)
    assert dialogues[0].meta == {}


def test_system_user_and_setting_are_known(sample: tuple[list[AnyRecord], Repairs]) -> None:
    dialogues, _ = split(sample[0])
    first, last = dialogues[0], dialogues[-1]
    assert (first.system, first.user, first.source) == ("barcor_redial", "ann", "crsarena-dial/open")
    assert (last.system, last.user, last.source) == ("kbrd_redial", "c1", "crsarena-dial/closed")


def test_votes_are_joined_to_the_conversations_they_are_about(sample: tuple[list[AnyRecord], Repairs]) -> None:
    first, _, third, closed = split(sample[0])[1]
    assert first.model_dump(exclude_none=True) == {
        "id": "open-1",
        "a": "barcor_redial",
        "b": "kbrd_redial",
        "choice": "a",
        "rater": "ann",
        "dialogue_a": "barcor_redial_ann",
        "dialogue_b": "kbrd_redial_ann",
        "reason": 'It knew a film,\nand "funny" is what I wanted',
        "source": "crsarena-dial/open",
        "raters": "people",
    }
    assert (third.choice, third.dialogue_a, third.dialogue_b, third.reason) == ("tie", None, "kbrd_redial_bob", None)
    assert (closed.choice, closed.source) == ("b", "crsarena-dial/closed")


def test_a_vote_given_twice_is_kept_marked_and_reported(sample: tuple[list[AnyRecord], Repairs]) -> None:
    preferences = split(sample[0])[1]
    assert [is_duplicate(preference) for preference in preferences] == [False, True, False, False]
    assert preferences[1].source == "crsarena-dial/open (duplicate)"


def test_what_is_odd_is_reported_with_its_line(sample: tuple[list[AnyRecord], Repairs]) -> None:
    assert [(problem.line, problem.what) for problem in sample[1].problems] == [
        (4, "vote open-2 repeats an earlier one; its source ends in '(duplicate)'."),  # the vote before has two lines
        (5, "vote open-3: the conversation of bob with barcor_redial is missing."),
    ]


def test_votes_alone_are_read_without_conversations() -> None:
    repairs = Repairs()
    preferences = split(list(FORMAT.read(DATA / "votes_closed.csv", note=repairs)))[1]
    assert [(vote.id, vote.dialogue_a) for vote in preferences] == [("closed-1", None)]
    assert "Read the whole folder to join them" in str(repairs.problems[0])


def test_files_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "talks.json").write_bytes((DATA / "crs_arena_dial_open.json").read_bytes())
    (tmp_path / "ballots.csv").write_bytes((DATA / "votes_open.csv").read_bytes())
    (tmp_path / "notes.json").write_text("{}")
    dialogues, preferences = split(list(FORMAT.read(tmp_path, note=Repairs())))
    assert (len(dialogues), dialogues[0].source) == (3, "crsarena-dial/talks")
    assert (preferences[0].id, preferences[0].dialogue_a) == ("ballots-1", "barcor_redial_ann")


def test_folders_conversations_and_votes_are_recognised_and_are_not_plain_dialoguekit(tmp_path: Path) -> None:
    for path in (DATA, *DATA.iterdir()):
        assert FORMAT.recognises(Head(path)), path
        assert not DIALOGUEKIT.recognises(Head(path)), path
    assert not FORMAT.recognises(Head(tmp_path))
    other = tmp_path / "other.csv"
    other.write_text("user_id,crs1,vote\n")
    assert not FORMAT.recognises(Head(other))


def test_exported_to_dialoguekit_the_satisfaction_survives(tmp_path: Path) -> None:
    dialogues = split(list(FORMAT.read(DATA / "crs_arena_dial_open.json", note=Repairs())))[0]
    path = tmp_path / "exported.json"
    write_dialoguekit(path, dialogues)
    assert DIALOGUEKIT.recognises(Head(path))
    assert read_dialoguekit(path) == dialogues


def test_a_vote_may_say_crs1_or_crs2(tmp_path: Path) -> None:
    rows = HEADER + "s,u,x,y,crs2,\ns,v,x,y,crs1,\n"
    assert [vote.choice for vote in votes(tmp_path, rows)] == ["b", "a"]


def test_another_choice_on_the_same_pair_is_no_duplicate(tmp_path: Path) -> None:
    rows = HEADER + "s,u,x,y,x,\ns,u,y,x,y,\ns,u,y,x,x,\n"
    assert [is_duplicate(vote) for vote in votes(tmp_path, rows)] == [False, False, True]


def test_columns_may_stand_in_any_order_and_feedback_may_be_missing(tmp_path: Path) -> None:
    preferences = votes(tmp_path, "vote,crs2,crs1,user_id,session_id\ntie,y,x,u,s\n", name="v.csv")
    assert (preferences[0].a, preferences[0].choice, preferences[0].reason) == ("x", "tie", None)


def test_every_bad_vote_is_reported_at_once(tmp_path: Path) -> None:
    rows = HEADER + "s,u,x,y,z,\ns,u,x,x,x,\ns,u,x\ns,u,x,y,x,f,more\ns,u,x,y,tie,\n"
    with pytest.raises(DataError) as caught:
        votes(tmp_path, rows)
    assert [(problem.line, problem.what) for problem in caught.value.problems] == [
        (2, "'z' is not one of the two compared systems."),
        (3, "this vote compares 'x' with itself."),
        (4, "the row has an empty cell, or more or fewer cells than the header."),
        (5, "the row has an empty cell, or more or fewer cells than the header."),
    ]


def test_a_cell_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"not valid CSV .* Is a closing quotation mark missing"):
        votes(tmp_path, HEADER + 's,u,x,y,tie,"' + "x" * 200_000)


def test_votes_without_a_needed_column_are_refused(tmp_path: Path) -> None:
    from trialogue.datasets.crsarena.dial import read_votes

    path = tmp_path / "votes.csv"
    path.write_text("session_id,user_id,crs1\n")
    with pytest.raises(DataError, match=r"line 1: columns are missing: crs2, vote\. Needed: session_id"):
        list(read_votes(path, "open", None, Repairs()))


def test_another_sentiment_is_refused_with_its_place(tmp_path: Path) -> None:
    talks = json.loads((DATA / "crs_arena_dial_open.json").read_text())
    talks[1]["metadata"]["sentiment"] = "confused"
    talks[2]["metadata"] = {}
    path = tmp_path / "open.json"
    path.write_text(json.dumps(talks))
    with pytest.raises(DataError) as caught:
        list(FORMAT.read(path))
    assert [problem.field for problem in caught.value.problems] == ["[1].metadata.sentiment", "[2].metadata.sentiment"]
    assert "got 'confused'" in caught.value.problems[0].what


def test_the_same_conversation_in_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("open.json", "open_copy.json"):
        (tmp_path / name).write_bytes((DATA / "crs_arena_dial_open.json").read_bytes())
    with pytest.raises(DataError, match=r"'barcor_redial_ann' is also in open\.json\. Is one of the files a copy"):
        list(FORMAT.read(tmp_path))


def test_an_empty_folder_is_refused_with_what_is_expected(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no conversations or votes .* Expected crs_arena_dial_open\.json"):
        list(CORPUS.read(tmp_path))


@pytest.mark.mirror
def test_the_corpus_has_474_conversations_of_nine_systems_and_185_votes(mirror: Path) -> None:
    repairs = Repairs()
    dialogues, preferences = split(list(CORPUS.read(mirror / CORPUS.source.folder, note=repairs)))
    assert Counter(dialogue.source for dialogue in dialogues) == {
        "crsarena-dial/open": 254,
        "crsarena-dial/closed": 220,
    }
    assert len({dialogue.id for dialogue in dialogues}) == 474 == CORPUS.source.counts["dialogues"]
    utterances = [utterance for dialogue in dialogues for utterance in dialogue.utterances]
    assert len(utterances) == CORPUS.source.counts["utterances"] == 2_066 + 2_453
    assert sum(not utterance.text.strip() for utterance in utterances) == 9
    assert sum(dialogue.ratings[0].value for dialogue in dialogues) == 87
    assert len(preferences) == CORPUS.source.counts["preferences"] == 185
    assert Counter(vote.choice for vote in preferences)["tie"] == 72
    assert sum(vote.reason is not None for vote in preferences) == 137


@pytest.mark.mirror
def test_satisfaction_of_each_system_is_as_published(mirror: Path) -> None:
    dialogues, _ = split(list(CORPUS.read(mirror / CORPUS.source.folder, note=Repairs())))
    satisfied: dict[str | None, list[float]] = {}
    for dialogue in dialogues:
        satisfied.setdefault(dialogue.system, []).append(dialogue.ratings[0].value)
    assert {system: (len(values), round(sum(values) / len(values), 3)) for system, values in satisfied.items()} == {
        "chatgpt_opendialkg": (44, 0.523),  # dialogues and share satisfied: the project's specification, section 3.3
        "chatgpt_redial": (53, 0.453),
        "barcor_redial": (47, 0.298),
        "barcor_opendialkg": (55, 0.145),
        "kbrd_redial": (62, 0.081),
        "unicrs_redial": (49, 0.102),
        "crbcrs_redial": (63, 0.079),
        "unicrs_opendialkg": (42, 0.048),
        "kbrd_opendialkg": (59, 0.017),
    }


@pytest.mark.mirror
def test_one_duplicate_and_three_votes_without_a_conversation_are_reported(mirror: Path) -> None:
    repairs = Repairs()
    _, preferences = split(list(CORPUS.read(mirror / CORPUS.source.folder, note=repairs)))
    assert [vote.id for vote in preferences if is_duplicate(vote)] == ["open-43"]
    half_joined = [vote.id for vote in preferences if None in (vote.dialogue_a, vote.dialogue_b)]
    assert half_joined == ["open-25", "open-34", "open-57"]
    assert [problem.line for problem in repairs.problems] == [26, 35, 44, 58]
