import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.records.kinds.acts import ACCEPTABLE, CIR6, CIR6_STATES, MIXED, spelt_right
from trialogue.simulation.actions import KDD2020, QRFA_PAPER, QRFA_RELEASED, ActionSpace, Roles


def test_every_user_label_has_a_cir6_action_and_acceptable_replies() -> None:
    assert set(CIR6) == set(ACCEPTABLE)
    assert set(CIR6.values()) == {*CIR6_STATES, MIXED}
    assert (
        len(ACCEPTABLE) == 29
    )  # user labels of the three annotated files, with "..." and Compare (which nothing answers)


@pytest.mark.parametrize(
    ("user", "agents"),
    [
        ("Non-disclose-complain", {"Elicit", "Inquire"}),
        ("Expand", {"Elicit", "Show", "List", "Suggest", "Clarify"}),
        ("Note-end", {"Record", "Repeat"}),
        ("Interrupt", {"Suggest", "Elicit", "Back"}),
        ("Note-yes", {"Elicit-review"}),
        ("Compare", set()),
    ],
)
def test_acceptable_replies_are_those_of_the_released_mapping(user: str, agents: set[str]) -> None:
    assert ACCEPTABLE[user] == agents


def test_failures_typos_and_the_unknown_answer_nothing() -> None:
    for label in ACCEPTABLE:
        for reply in ("Fail", "Suggesnt", "938470673", None):
            assert not KDD2020.accepts(label, reply)
    assert not KDD2020.accepts("no such label", "List")


def test_typos_are_mended_only_on_request() -> None:
    assert spelt_right("Suggesnt") == "Suggest"
    assert (
        QRFA_RELEASED.class_of("system", "Suggesnt") == "Answer"
    )  # as the released code has it: everything else is an answer
    assert QRFA_PAPER.class_of("system", "Suggesnt") == "Request"


def test_the_two_lists_of_qrfa_differ_where_the_paper_and_the_code_do() -> None:
    for label in ("Subset", "Interrupt", "Interrogate"):
        assert (QRFA_PAPER.class_of("user", label), QRFA_RELEASED.class_of("user", label)) == ("Query", "Feedback")
    assert (
        QRFA_RELEASED.class_of("user", "Non-disclose-complain") == "Query"
    )  # in both lists; queries are looked up first
    assert QRFA_PAPER.class_of("user", "Note-yes") == "Feedback"  # that of Note; Table 2 has no sub-labels
    assert QRFA_PAPER.class_of("user", "...") is None
    assert QRFA_RELEASED.class_of("user", "Note-yes") == "Feedback"
    assert (QRFA_PAPER.class_of("system", "Elicit-review"), QRFA_RELEASED.class_of("system", "Elicit-review")) == (
        "Request",
        "Request",
    )
    assert set(QRFA_RELEASED.user) == set(ACCEPTABLE)


def test_wildcards_stand_for_a_family_of_labels() -> None:
    space = ActionSpace(name="own", acceptable={"ASK": frozenset({"REVEAL.*"})})
    assert space.accepts("ASK", "REVEAL.SIMILAR")
    assert space.accepts("ASK", "REVEAL")
    assert not space.accepts("ASK", "REVEALING")


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)


@given(acceptable=st.dictionaries(names, st.frozensets(names, max_size=3), min_size=1, max_size=5), opening=names)
def test_an_action_space_is_the_same_after_a_trip_through_json(
    acceptable: dict[str, frozenset[str]], opening: str
) -> None:
    space = ActionSpace(name="own", acceptable=acceptable, roles=Roles(opening=opening, seen=None))
    assert ActionSpace.from_json(json.loads(json.dumps(space.to_json()))) == space
    assert ActionSpace.from_json(KDD2020.to_json()) is KDD2020
