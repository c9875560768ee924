"""What goes wrong with agents: reports, the dialogue to go on from, and their continuations."""

from pathlib import Path

import pytest

from tests.metrics.acts import acted
from trialogue.errors import DataError, UsageError
from trialogue.records import Dialogue, Ending, write_records
from trialogue.records.files.jsonl import line_of
from trialogue.simulating.debugging import (
    answers_from,
    continuation_lines,
    continuation_outcomes,
    debug,
    dialogue_to_continue,
    report_lines,
)
from trialogue.simulation.batch.ledger import Ledger

GOOD = ("u:Non-disclose", "a:Elicit", "u:Disclose", "a:List", "u:Note-end", "a:Repeat")
BAD = ("u:Non-disclose", "a:Elicit", "u:Disclose", "a:Fail", "u:Repeat", "a:List", "u:Disclose", "a:List")


def written(folder: Path, *dialogues: Dialogue) -> Path:
    path = folder / "dialogues.jsonl"
    write_records(path, dialogues)
    return path


def test_the_agent_that_fails_most_comes_first_with_its_costliest_act(tmp_path: Path) -> None:
    path = written(tmp_path, acted(*GOOD, name="g"), acted(*BAD, name="b", system="B"))
    bad, good = debug([path])
    assert (bad.system, bad.turns, bad.failed) == ("B", 4, 2)
    assert [(act.act, act.times, act.failed, act.cost) for act in bad.acts] == [
        ("Disclose", 2, 1, 2),
        ("Repeat", 1, 1, 0),
    ]
    assert [(turn.dialogue, turn.turn, turn.drop) for turn in bad.wrong] == [("b", 2, 1)]  # failed, failed, answered
    assert (good.failed, good.acts, good.wrong) == (0, (), ())
    assert debug([path], system="A") == [good]


def test_the_report_names_the_dialogue_to_open_and_the_command_to_try_a_fix(tmp_path: Path) -> None:
    path = written(tmp_path, acted(*BAD, name="b"))
    words = report_lines(debug([path])[0], source=str(path))
    assert "A: 1 dialogues, 4 turns, 2 not answered (50%)" in words
    assert "b, turn 2: 'Disclose' → 'Fail'" in words
    assert f"trialogue simulate --continue-from {path} --set dialogue=b --turn 2 -n 50" in words
    fine = written(tmp_path, acted(*GOOD))
    assert "Every user act was answered." in report_lines(debug([fine])[0], source="x")


def test_an_agent_with_acts_of_its_own_is_reported_that_nobody_knows_them(tmp_path: Path) -> None:
    (report,) = debug([written(tmp_path, acted("u:Disclose", "a:RECOMMEND"))])
    assert report.failed == 1
    words = report_lines(report, source="x")
    assert "note: the system's acts (RECOMMEND) do not belong to the action space of KDD 2020" in words
    assert debug([written(tmp_path, acted(*GOOD))])[0].doubt is None


def broken(name: str, *said: str, ending: Ending = Ending.AGENT_ERROR) -> Dialogue:
    return acted(*said, name=name).model_copy(update={"ended_by": ending, "ending_detail": "no GPU"})


def test_an_agent_that_never_answered_is_not_said_to_have_answered_everything(tmp_path: Path) -> None:
    (report,) = debug([written(tmp_path, broken("one"), broken("two"), broken("three", ending=Ending.LOST))])
    words = report_lines(report, source="x").splitlines()
    assert words[1:] == [
        "3 of 3 dialogues ended in a failure:",
        "  agent_error (fault: agent) 2, as in one: no GPU",
        "  lost (fault: harness) 1, as in three: no GPU",
        "Users performed no acts in them.",
    ]
    assert report.to_json()["broken"] == [
        {"ending": "agent_error", "dialogues": 2, "example": "one", "detail": "no GPU"},
        {"ending": "lost", "dialogues": 1, "example": "three", "detail": "no GPU"},
    ]


def test_a_dialogue_that_broke_off_at_once_hides_no_acts_that_nobody_knows(tmp_path: Path) -> None:
    (report,) = debug([written(tmp_path, broken("b", "u:Disclose"), acted("u:Disclose", "a:RECOMMEND", name="c"))])
    assert "RECOMMEND" in (report.doubt or "")
    (silent,) = debug([written(tmp_path, broken("b", "u:Disclose"))])
    assert silent.doubt is None  # it has said nothing that could be declared otherwise


def test_the_message_that_is_judged_can_be_the_last(tmp_path: Path) -> None:
    path = written(tmp_path, acted("u:Disclose", "a:Fail", "a:List"))
    assert debug([path])[0].failed == 1
    assert debug([path], decides="last")[0].failed == 0


def test_dialogues_without_acts_and_unknown_agents_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has an act"):
        debug([written(tmp_path, acted("u", "a"))])
    with pytest.raises(DataError, match=r"there are no dialogues with 'C'\. There are: A\."):
        debug([written(tmp_path, acted(*GOOD))], system="C")


def test_a_simulation_that_is_not_finished_can_be_debugged(tmp_path: Path) -> None:
    with Ledger(tmp_path, {}) as ledger:
        ledger.append("b", None, line_of(acted(*BAD, name="b")))
    assert debug([tmp_path])[0].dialogues == 1
    assert dialogue_to_continue(tmp_path).id == "b"


def test_one_dialogue_is_found_by_its_id(tmp_path: Path) -> None:
    path = written(tmp_path, acted(*GOOD, name="g"), acted(*BAD, name="b"))
    assert dialogue_to_continue(path, "b").id == "b"
    with pytest.raises(UsageError, match="holds 2 dialogues: choose one with --set dialogue=ID"):
        dialogue_to_continue(path)
    with pytest.raises(UsageError, match=r"holds no dialogue 'x'\. It has: g, b"):
        dialogue_to_continue(path, "x")


def test_what_became_of_a_turn_is_counted_over_continuations() -> None:
    assert answers_from(acted(*BAD), 2) == [False, False, True]
    held = [acted(*BAD, name="1"), acted(*GOOD, name="2"), acted(*GOOD[:3], name="3")]
    (found,) = continuation_outcomes(held, 2)
    assert (found.dialogues, found.answered, found.later, found.later_answered) == (3, 1, 3, 2)


@pytest.mark.parametrize("first", ["u", "u:opinion_inquiry"])
def test_whether_a_turn_without_an_act_that_is_known_was_answered_cannot_be_said(first: str) -> None:
    before = acted(first, "a", "u:Disclose", "a:List", name="chat-1")
    assert answers_from(before, 1) == [None, True]
    after = [acted(first, "a", "u:Disclose", "a:List", "u:Repeat", "a:List", system="mine")]
    assert continuation_outcomes(after, 1)[0].answered is None
    assert continuation_lines(before, 1, after) == [
        "Cannot tell whether turn 1 of chat-1 was answered: the dialogue act of the user is missing.",
        "mine, : 50% of the turns after it were answered",
    ]
