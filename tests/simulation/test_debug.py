"""Finding what is wrong with an agent. U1:List means: the user does Disclose, the agent does List."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.datasets.corpora.kdd2020 import read_folder
from trialogue.errors import DataError, UsageError
from trialogue.records import Dialogue, DialogueAct, Utterance
from trialogue.simulation.actions import KDD2020
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.debug import (
    failures_by_act,
    first_failed_turn,
    opening_of,
    wrong_turns,
)

accepts = KDD2020.accepts


def utterance(speaker: str, act: str | None) -> Utterance:
    acts = None if act is None else (DialogueAct(intent=act),)
    return Utterance.model_validate({"speaker": speaker, "text": f"{speaker} does {act}", "acts": acts})


def dialogue(name: str, *turns: str) -> Dialogue:
    """Turns such as "Disclose>List" or, for a burst, "Disclose>Fail+List", or "Disclose>" without a reply."""
    said = []
    for turn in turns:
        act, _, answers = turn.partition(">")
        said.append(utterance("user", act or None))
        said.extend(utterance("system", answer) for answer in answers.split("+") if answer)
    return Dialogue(id=name, utterances=tuple(said))


def of(pattern: str, name: str = "d") -> Dialogue:
    """A dialogue from successes (1) and failures (0)."""
    return dialogue(name, *("Disclose>List" if mark == "1" else "Disclose>Fail" for mark in pattern))


def test_the_act_that_loses_most_turns_comes_first_with_its_dialogues_to_open() -> None:
    first = dialogue("one", "Disclose>List", "Similar>Fail", "Inquire>Fail", "Disclose>List")  # Similar loses 2
    second = dialogue("two", "Inquire>Fail", "Disclose>List", "Similar>Fail", "Similar>", "Complete>Fail")  # 1, then 3
    similar, inquire, complete = failures_by_act([first, second], accepts=accepts)
    assert (similar.act, similar.times, similar.failed, similar.cost, similar.final) == ("Similar", 3, 3, 5, 2)
    assert [(each.dialogue, each.turn, each.cost) for each in similar.failures] == [
        ("two", 3, 3),
        ("one", 2, 2),
        ("two", 4, 0),
    ]
    assert similar.answers == (("Fail", 2), (None, 1))
    assert (inquire.act, inquire.times, inquire.failed, inquire.cost) == ("Inquire", 2, 2, 1)
    assert (complete.act, complete.cost, complete.final, complete.share) == ("Complete", 0, 1, 1.0)
    assert similar.failures[0].said == "user does Similar"
    assert similar.failures[0].answered == "system does Fail"


def test_acts_that_never_fail_are_left_out() -> None:
    assert failures_by_act([of("111")], accepts=accepts) == []


def test_of_a_burst_the_first_message_is_judged_or_the_last() -> None:
    burst = dialogue("d", "Disclose>Fail+List")
    (report,) = failures_by_act([burst], accepts=accepts)
    assert report.failures[0].answered == "system does Fail system does List"
    assert failures_by_act([burst], accepts=accepts, decides="last") == []


def test_a_user_utterance_without_an_act_is_a_failure_of_no_name() -> None:
    reports = failures_by_act([dialogue("d", "Disclose>List", ">List")], accepts=accepts)
    assert [(report.act, report.failed) for report in reports] == [("", 1)]


def test_an_agent_that_never_says_a_word_fails_every_turn() -> None:
    (report,) = failures_by_act([dialogue("d", "Disclose>")], accepts=accepts)
    assert (report.cost, report.answers) == (1, ((None, 1),))


def test_dialogues_without_acts_are_refused_and_none_at_all_give_nothing() -> None:
    bare = Dialogue(id="d", utterances=(utterance("user", None), utterance("system", None)))
    with pytest.raises(DataError, match="no utterance of the user has an act") as raised:
        failures_by_act([bare], accepts=accepts)
    assert len(raised.value.problems) == 2
    assert failures_by_act([], accepts=accepts) == []


@given(st.lists(st.text("01", max_size=12), max_size=6))
def test_all_costs_together_are_all_failed_turns(patterns: list[str]) -> None:
    dialogues = [of(pattern, name=str(place)) for place, pattern in enumerate(patterns)]
    if "1" not in "".join(patterns):
        dialogues.append(of("1", name="answered"))
    reports = failures_by_act(dialogues, accepts=accepts)
    assert sum(report.cost for report in reports) == "".join(patterns).count("0")


@pytest.mark.parametrize(
    ("pattern", "turn", "drop"),
    [
        ("1110010", 4, 2),  # balance 1 2 3 2 1 2 1: high of 3 after turn 3
        ("0000", 1, 4),  # never above the 0 it starts from
        ("10011000", 6, 3),  # 1 0 -1 0 1 0 -1 -2: the last high of 1 is after turn 5
        ("110", 3, 1),
    ],
)
def test_a_dialogue_goes_wrong_after_the_last_high_of_its_balance(pattern: str, turn: int, drop: int) -> None:
    wrong = first_failed_turn(of(pattern), accepts=accepts)
    assert wrong is not None
    assert (wrong.turn, wrong.drop) == (turn, drop)


@pytest.mark.parametrize("pattern", ["", "1", "101111", "0101"])
def test_a_dialogue_that_ends_on_a_high_does_not_go_wrong(pattern: str) -> None:
    assert first_failed_turn(of(pattern), accepts=accepts) is None


@given(st.text("01", min_size=1, max_size=15))
def test_the_turn_parts_answered_from_failed_ones_best(pattern: str) -> None:
    def fit(cut: int) -> int:
        return pattern[:cut].count("1") + pattern[cut:].count("0")

    wrong = first_failed_turn(of(pattern), accepts=accepts)
    cut = len(pattern) if wrong is None else wrong.turn - 1
    assert fit(cut) == max(map(fit, range(len(pattern) + 1)))
    assert wrong is None or pattern[wrong.turn - 1] == "0"


def test_the_worst_dialogues_come_first() -> None:
    wrong = wrong_turns([of("10", "a"), of("1000", "b"), of("11", "c")], accepts=accepts)
    assert [(turn.dialogue, turn.turn, turn.drop) for turn in wrong] == [("b", 2, 3), ("a", 2, 1)]
    assert [turn.dialogue for turn in wrong_turns([of("10", "a"), of("1000", "b")], accepts=accepts, least=2)] == ["b"]


def test_a_continuation_begins_with_everything_up_to_the_users_words() -> None:
    whole = dialogue("d", "Disclose>Elicit+List", "Similar>Fail", "Complete>End")
    opening = opening_of(whole, 2)
    assert opening.utterances == whole.utterances[:4]  # user, two of the agent, user
    plan = Plan(("fixed",), ("u",), 50, seed=3, openings=(opening_of(whole, 2),))
    assert len(plan) == 50
    assert plan[49].id == "fixed/u/d@2/50"
    assert plan[0].history == opening.utterances


@pytest.mark.parametrize("turn", [0, 4, -1])
def test_a_turn_that_is_not_there_is_refused(turn: int) -> None:
    with pytest.raises(UsageError, match=f"'d' has 3 user turns, numbered from 1; there is no turn {turn}"):
        opening_of(of("111"), turn)


@pytest.mark.mirror
def test_the_failures_of_the_papers_agent_c_are_found(mirror: Path) -> None:
    dialogues = [said for said in read_folder(mirror / "kdd2020", lambda _: None) if said.system == "jmrs1"]
    reports = {report.act: report for report in failures_by_act(dialogues, accepts=accepts)}
    # Counted from the published file: Note-end 3 of 36 answered, Repeat 111 of 144, Disclose-review 26 of 26.
    assert (reports["Note-end"].failed, reports["Note-end"].times) == (33, 36)
    assert (reports["Repeat"].failed, reports["Repeat"].times) == (33, 144)
    assert "Disclose-review" not in reports
