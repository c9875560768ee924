"""Who sees what, in which order: pure, so that it can be tried on thousands of studies."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trialogue.study.design.assignment import Available, choose_checks, choose_items, session_order, slot_orders

SYSTEMS = st.integers(1, 6).map(lambda n: [f"system {i}" for i in range(n)])


def spread(orders: list[tuple[str, ...]]) -> int:
    """Largest difference between how often two systems stand in one position."""
    names, positions = sorted(orders[0]), range(len(orders[0]))
    counts = [Counter(order[place] for order in orders) for place in positions]
    return max((max(count[name] for name in names) - min(count[name] for name in names) for count in counts), default=0)


@given(SYSTEMS, st.integers(1, 8), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_every_item_has_k_orders_balanced_by_themselves_and_over_the_study(
    systems: list[str], k: int, items: int, seed: int
) -> None:
    found = slot_orders([systems] * items, [k], rng=np.random.default_rng(seed))
    assert [len(orders) for orders in found] == [k] * items
    assert all(sorted(order) == systems for orders in found for order in orders)
    assert max(spread(orders) for orders in found) <= 1
    assert spread([order for orders in found for order in orders]) <= 1


def test_items_of_different_systems_are_balanced_each_kind_by_itself() -> None:
    kinds = [["a", "b"], ["a", "b", "c"], ["a", "b"], ["b", "c"]]
    found = slot_orders(kinds, [3], rng=np.random.default_rng(0))
    assert spread([*found[0], *found[2]]) <= 1
    assert all(sorted(set(orders[0])) == kind for orders, kind in zip(found, kinds, strict=True))


def test_an_item_without_systems_has_empty_orders() -> None:
    assert slot_orders([[]], [3], rng=np.random.default_rng(0)) == [[(), (), ()]]


def test_the_same_seed_gives_the_same_plan() -> None:
    first, second = (slot_orders([["a", "b", "c"]] * 5, [4], rng=np.random.default_rng(7)) for _ in range(2))
    assert first == second


ITEMS = st.lists(
    st.builds(Available, id=st.integers(1, 10**6), dialogue=st.sampled_from(["", "d", "e", "f"]), taken=st.integers(0, 5),
              rank=st.integers(0, 100)), unique_by=lambda item: item.id, max_size=20)  # fmt: skip


@given(ITEMS, st.integers(0, 10), st.sets(st.sampled_from(["d", "e"])))
def test_nobody_gets_two_items_of_one_dialogue_nor_one_that_was_met(
    items: list[Available], n: int, seen: set[str]
) -> None:
    found = choose_items(items, n, seen=seen)
    dialogues = [item.dialogue for item in found if item.dialogue]
    assert len(found) <= n
    assert len(dialogues) == len(set(dialogues))
    assert not set(dialogues) & seen


@given(ITEMS, st.integers(0, 10))
def test_the_emptiest_items_come_first(items: list[Available], n: int) -> None:
    found = choose_items(items, n, one_per_dialogue=False)
    left = [item.taken for item in items if item not in found]
    assert len(found) == min(n, len(items))
    assert max((item.taken for item in found), default=0) <= min(left, default=99)


def test_a_thousand_people_of_whom_a_fifth_leave_fill_every_item_and_every_position() -> None:
    """Slots of those who leave go to the next with their orders; in the end each is filled, and positions are balanced."""
    rng = np.random.default_rng(0)
    k, systems = 9, ["a", "b", "c"]
    orders = slot_orders([systems] * 800, [k], rng=rng)
    free: dict[int, list[int]] = {item: list(range(k)) for item in range(800)}
    filled: list[tuple[str, ...]] = []
    for _ in range(1_000):
        open_items = [Available(item, "", k - len(slots), item) for item, slots in free.items() if slots]
        session = session_order(choose_items(open_items, 9), rng=rng)
        stays = len(session) if rng.random() > 0.2 else int(rng.integers(len(session) + 1))
        for item in session[:stays]:
            filled.append(orders[item.id][free[item.id].pop(0)])
    left = sum(map(len, free.values()))
    assert len(filled) + left == 800 * k
    assert left == 0  # 1,000 people of 9 items, a fifth of whom do half of it, are 8,100 answers for 7,200 slots
    assert spread(filled) <= 1


@given(
    st.lists(st.sampled_from(["", "d", "e", "f", "g"]), max_size=9), st.integers(0, 4), st.sets(st.sampled_from("defg"))
)
def test_no_check_repeats_what_somebody_is_asked_about_and_those_with_a_situation_come_first(
    origins: list[str], n: int, met: set[str]
) -> None:
    checks = list(enumerate(origins, start=1))
    chosen = choose_checks(checks, n, met=met, rng=np.random.default_rng(n))
    of = dict(checks)
    fresh = [number for number, origin in checks if origin and origin not in met]
    assert len(chosen) == len(set(chosen)) == min(n, len(fresh) + origins.count(""))
    assert not {of[number] for number in chosen} & met
    assert sum(number in fresh for number in chosen) == min(n, len(fresh))
