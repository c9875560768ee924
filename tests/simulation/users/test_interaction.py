from pathlib import Path

import pytest

from tests.simulation.made import agent, dialogue, user
from trialogue.errors import DataError
from trialogue.records import Dialogue, DialogueAct, Utterance
from trialogue.records.kinds.acts import CIR6
from trialogue.simulation.actions import QRFA_PAPER, ActionSpace
from trialogue.simulation.users.interaction import (
    END,
    InteractionModel,
    bigrams,
    class_bigrams,
    fit_interaction,
    labels_of,
    state_bigrams,
)

TWO = [
    dialogue("u:Non-disclose", "a:Elicit", "u:Disclose", "a:Show", "a:List", "u:Note", "a:Record", name="1"),
    dialogue("u:Non-disclose", "a:Fail", "u:Non-disclose", "u:Disclose", "a:List", "u:Complete", "a:End", name="2"),
]


def test_the_chain_counts_user_labels_after_user_labels_and_the_end() -> None:
    model = fit_interaction(TWO)
    assert model.chain == {
        "Non-disclose": {"Disclose": 2, "Non-disclose": 1},
        "Disclose": {"Note": 1, "Complete": 1},
        "Note": {END: 1},
        "Complete": {END: 1},
    }


def test_replies_are_user_labels_right_after_an_agent_label_and_nothing_else() -> None:
    model = fit_interaction(TWO)
    assert model.replies == {  # no Show (an agent message follows it), and nothing after Non-disclose (a user's)
        "Elicit": {"Disclose": 1},
        "List": {"Note": 1, "Complete": 1},
        "Fail": {"Non-disclose": 1},
    }
    assert model.any_reply.total == 4


def test_steps_have_the_agents_classes_between() -> None:
    steps = fit_interaction(TWO).steps
    assert steps["Non-disclose"] == {"Request": 1, "Answer": 1, "Disclose": 1}
    assert steps["Answer"] == {"Answer": 1, "Note": 1, "Non-disclose": 1, "Complete": 1, END: 2}


def test_an_utterance_without_an_act_is_passed_over_and_of_several_acts_the_first_counts() -> None:
    said = (
        user("hi"),
        Utterance(speaker="user", text="x", acts=(DialogueAct(intent=""), DialogueAct(intent="Note"))),
        Utterance(speaker="system", text="y", acts=()),
    )
    assert labels_of(Dialogue(id="d", utterances=said)) == [("user", "Note")]


def test_dialogues_without_acts_are_refused_with_a_hint() -> None:
    with pytest.raises(DataError, match=r"no user utterance .* has an act.*kdd2020"):
        fit_interaction([Dialogue(id="d", utterances=(user("hi"), agent("hello", "Elicit")))])


def test_traces_are_whole_dialogues_of_more_than_three_user_turns_the_most_usual_first() -> None:
    short = dialogue("u:Non-disclose", "a:List", "u:Note", name="short")
    odd = dialogue(*["u:Note", "a:Elicit"] * 4, name="odd")
    usual = [dialogue(*["u:Repeat", "a:Repeat"] * 4, name=f"usual {number}") for number in range(2)]
    traces = fit_interaction([short, odd, *usual]).traces
    assert [trace.labels for trace in traces] == [("Repeat",) * 4, ("Repeat",) * 4, ("Note",) * 4]
    # in all, Query-Answer occurs 2 * 4 + 1 (the short one's) = 9 times, Answer-Query 2 * 3 = 6 times
    assert traces[0].score == (4 * 9 + 3 * 6) / 7


def test_a_model_is_the_same_after_a_trip_through_its_file(tmp_path: Path) -> None:
    model = fit_interaction(TWO, name="two")
    model.save(tmp_path / "m.json")
    again = InteractionModel.load(tmp_path / "m.json")
    assert again == model
    assert list(again.chain["Non-disclose"]) == ["Disclose", "Non-disclose"]  # the order that draws depend on
    own = fit_interaction(TWO, space=ActionSpace(name="own", acceptable={"Note": frozenset({"Record"})}))
    own.save(tmp_path / "own.json")
    assert InteractionModel.load(tmp_path / "own.json").space == own.space


@pytest.mark.parametrize("text", ["{}", "[1, 2", '{"schema": 7}', '{"schema": 1, "name": "x"}', "3"])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(DataError, match="this is not an interaction model"):
        InteractionModel.load(tmp_path / "m.json")


def test_the_opening_is_the_spaces_own_or_else_the_commonest_first_label() -> None:
    assert fit_interaction(TWO).opening_label == "Non-disclose"
    assert fit_interaction([dialogue("u:Hi", "a:Elicit", "u:Disclose")]).opening_label == "Hi"


def test_labels_outside_a_list_of_qrfa_are_left_out_of_class_bigrams() -> None:
    messages = [labels_of(dialogue("u:...", "a:Fail", "u:Note", "a:Record"))]
    assert class_bigrams(messages, qrfa=QRFA_PAPER) == {("Feedback", "Answer"): 1, ("Answer", "Feedback"): 1}
    assert class_bigrams(messages) == {("Feedback", "Answer"): 2, ("Answer", "Feedback"): 1}


@pytest.mark.mirror
def test_the_annotated_files_have_the_bigrams_of_the_spec(mirror: Path) -> None:
    from trialogue.datasets.corpora.kdd2020 import read_folder

    messages = [labels_of(each) for each in read_folder(mirror / "kdd2020", lambda _: None)]
    assert sum(bigrams(messages).values()) == 2292  # 228+204+155+2 + 370+345+0+1 + 506+481
    speakers = [(before[0], after[0]) for before, after in bigrams(messages).elements()]
    assert speakers.count(("user", "user")) == 3
    classes = class_bigrams(messages)
    assert sum(classes.values()) == 2292
    # user_simulation.md §1.3: the four cells in which the files differ from the table in the released code
    four = [("Answer", "Answer"), ("Answer", "Request"), ("Query", "Answer"), ("Query", "Request")]
    assert [classes[pair] for pair in four] == [101, 47, 541, 225]


SIX = ("Disclose", "Reveal", "Inquire", "Navigate", "Note", "Complete", "MI", END)


@pytest.mark.mirror
def test_the_six_states_follow_each_other_as_in_the_spec(mirror: Path) -> None:
    from trialogue.datasets.corpora.kdd2020 import read_folder

    counts = state_bigrams([labels_of(each) for each in read_folder(mirror / "kdd2020", lambda _: None)], CIR6)
    assert {row: [counts[row, column] for column in SIX] for row in SIX[:6]} == {  # user_simulation.md §3.2
        "Disclose": [110, 52, 15, 12, 69, 0, 4, 1],
        "Reveal": [10, 54, 35, 13, 18, 0, 4, 3],
        "Inquire": [14, 14, 55, 37, 31, 4, 2, 1],
        "Navigate": [12, 3, 29, 135, 50, 17, 2, 3],
        "Note": [39, 14, 21, 49, 42, 28, 4, 18],
        "Complete": [2, 0, 0, 5, 1, 13, 0, 46],
    }
