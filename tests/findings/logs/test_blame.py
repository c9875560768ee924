"""Who is to blame for a failed dialogue, and by which rule."""

from collections import Counter
from pathlib import Path

import pytest

from tests.findings.logs.faults import entries, log
from trialogue.findings.log_records import BlameRule, Party
from trialogue.findings.logs.blame import blame_of, own_words, quiet_rule
from trialogue.inputs.inputs import gather
from trialogue.records import Dialogue, Ending, Utterance
from trialogue.records.trace import ToolCall, Trace


def test_every_planted_fault_is_blamed_on_its_party(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(log())
    found = {each.id: blame_of(each) for each in gather([file]).dialogues}
    wrong = [
        (entry, party, blame)
        for entry, party in entries()
        for blame in [found[entry["id"]]]
        if (None if blame is None else blame.party) is not party
    ]
    assert wrong == []
    counts = Counter(party for _, party in entries())
    assert min(counts[Party.MODEL], counts[Party.TOOL]) >= 12
    assert {each.rule for each in found.values() if each} == set(BlameRule)


def test_blame_names_the_tool_and_changes_no_verdict() -> None:
    call = ToolCall(name="search", error="Error", has_result=True)
    said = (
        Utterance(speaker="user", text="hi"),
        Utterance(speaker="system", text="", trace=Trace(calls=(call,))),
    )
    blame = blame_of(Dialogue(id="d", utterances=said, ended_by=Ending.AGENT_ERROR))
    assert blame is not None
    assert (blame.party, blame.rule, blame.tool) == (Party.TOOL, BlameRule.TOOL_FAILED, "search")
    assert Ending.AGENT_ERROR.fault == "agent"  # a system whose tools fail is broken for its users


@pytest.mark.parametrize("ending", [each for each in Ending if not each.is_failure])
def test_a_regular_ending_is_no_failure(ending: Ending) -> None:
    said = (Utterance(speaker="user", text="hi"), Utterance(speaker="system", text="Which genre?"))
    assert blame_of(Dialogue(id="d", utterances=said, ended_by=ending)) is None


def test_an_empty_dialogue_and_one_without_a_user_did_not_fail() -> None:
    assert blame_of(Dialogue(id="d", utterances=())) is None
    assert blame_of(Dialogue(id="d", utterances=(Utterance(speaker="system", text="Welcome"),))) is None


@pytest.mark.parametrize(
    ("detail", "words"),
    [
        (None, None),
        ("anna@example.com wrote: boom", None),
        ("ToolException: no row for anna@example.com", "tool error"),
        ("tool search: missing argument anna", "invalid tool arguments"),
    ],
)
def test_own_words_keep_what_blame_needs_and_nothing_else(detail: str | None, words: str | None) -> None:
    assert own_words(detail) == words
    before, after = (
        blame_of(Dialogue(id="d", utterances=(), ended_by=Ending.UNKNOWN_FAILURE, ending_detail=each))
        for each in (detail, words)
    )
    assert before == after


def test_a_reply_behind_the_calls_of_its_turn_is_an_answer() -> None:
    """Of a turn, only its last message says whether the user was left without one."""
    calls = (ToolCall(name="search", arguments={"q": "crime"}, has_result=True),) * 4
    looks = Utterance(speaker="system", text="", trace=Trace(calls=calls))
    said = (Utterance(speaker="user", text="crime?"), looks, Utterance(speaker="system", text="Heat, from 1995."))
    assert quiet_rule(Dialogue(id="d", utterances=said), said[1:], calls) is None
    assert quiet_rule(Dialogue(id="d", utterances=said[:2]), said[1:2], calls) is BlameRule.MODEL_REPEATED
