"""Plans: ids, seeds and order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.records import Utterance
from trialogue.seeds import seed_for
from trialogue.simulation.batch.plan import Opening, Plan

SAID = (Utterance(speaker="user", text="Hello"),)


def test_dialogues_are_named_by_agent_users_and_number_in_this_order() -> None:
    plan = Plan(("a", "b"), ("u", "v"), 2)
    assert [task.id for task in plan] == ["a/u/1", "a/u/2", "a/v/1", "a/v/2", "b/u/1", "b/u/2", "b/v/1", "b/v/2"]
    assert [task.id for task in plan] == list(plan.ids())
    assert (plan[-1].agent, plan[-1].users, plan[-1].number) == ("b", "v", 2)
    assert [task.id for task in plan[2:4]] == ["a/v/1", "a/v/2"]


def test_every_agent_meets_the_same_users_with_the_same_seeds() -> None:
    one, other = Plan(("a", "b"), ("u",), 3, seed=5)[2::3]
    assert (one.id, other.id) == ("a/u/3", "b/u/3")
    assert one.case == other.case == "3"
    assert one.person == other.person == "u/3"
    assert one.agent_seed == other.agent_seed == seed_for(5, "u", "3", "agent")


@given(st.integers(1, 20), st.integers(1, 20))
def test_a_longer_plan_begins_each_cell_with_the_dialogues_of_a_shorter_one(n: int, more: int) -> None:
    short, long = Plan(("a", "b"), ("u",), n), Plan(("a", "b"), ("u",), n + more)
    assert set(short) <= set(long)
    assert len(long) == len(list(long)) == 2 * (n + more)


def test_a_plan_of_a_hundred_million_takes_no_room_and_more_are_refused() -> None:
    plan = Plan(("a",), ("u",), 100_000_000)
    assert plan[99_999_999].id == "a/u/100000000"
    with pytest.raises(UsageError, match="That is 100,000,001 dialogues"):
        Plan(("a",), ("u",), 100_000_001)


def test_a_place_beyond_the_end_is_an_index_error() -> None:
    with pytest.raises(IndexError):
        Plan(("a",), ("u",), 2)[2]


def test_continuations_have_the_opening_in_their_names() -> None:
    plan = Plan(("b",), ("u",), 2, openings=(Opening("a/u/7", 1, SAID), Opening("a/u/8", 3, SAID)))
    assert list(plan.ids()) == ["b/u/a/u/7@1/1", "b/u/a/u/7@1/2", "b/u/a/u/8@3/1", "b/u/a/u/8@3/2"]
    assert plan[0].history == SAID
    assert Plan(("b",), ("u",), 1)[0].history == ()


def test_what_was_said_before_is_part_of_what_a_plan_is() -> None:
    other = (Utterance(speaker="user", text="Good day"),)
    plans = [Plan(("b",), ("u",), 2, openings=(Opening("d", 1, said),)).to_json() for said in (SAID, other, SAID)]
    assert plans[0] == plans[2] != plans[1]
    assert Plan(("b",), ("u",), 2).to_json() == {"agents": ["b"], "users": ["u"], "seed": 0}


@pytest.mark.parametrize(
    ("agents", "users", "n", "message"),
    [
        ((), ("u",), 1, "at least one agent name"),
        (("a",), (), 1, "at least one user name"),
        (("a", "a"), ("u",), 1, "agent name 'a' is given twice"),
        ((" ",), ("u",), 1, "empty or blank"),
        (("a",), ("u",), 0, "at least 1; given: 0"),
        (("a", "a/b"), ("c", "b/c"), 1, "would have the same id"),
    ],
)
def test_impossible_plans_are_refused(agents: tuple[str, ...], users: tuple[str, ...], n: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Plan(agents, users, n)


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(UsageError) as raised:
        Plan((), (), 0)
    assert str(raised.value).count("\n") == 2
