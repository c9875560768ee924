"""Looking for garbage less often, and only for a while; several uses of one pass."""

import gc
import threading
from collections.abc import Iterable, Iterator
from functools import partial

import pytest

from trialogue.long_work import AT_ONCE, OnePass, PerObject, few_collections
from trialogue.records import Utterance


def test_the_collector_is_as_before_afterwards() -> None:
    before = gc.get_threshold()
    with few_collections():
        assert gc.get_threshold()[0] > before[0]
        assert gc.isenabled()
    assert gc.get_threshold() == before


def test_the_collector_is_as_before_after_a_failure() -> None:
    before = gc.get_threshold()

    @few_collections()
    def fails() -> None:
        raise ValueError("as planned")

    with pytest.raises(ValueError, match="as planned"):
        fails()
    assert gc.get_threshold() == before


def test_the_old_are_not_gone_through_while_many_objects_are_made() -> None:
    looks: list[int] = []

    def remember(phase: str, info: dict[str, int]) -> None:
        if phase == "stop":
            looks.append(info["generation"])

    gc.callbacks.append(remember)
    try:
        with few_collections():
            held = [[number] for number in range(200_000)]
    finally:
        gc.callbacks.remove(remember)
    assert len(held) == 200_000
    assert 0 < len(looks) <= 8  # two looks per 100,000 objects made, and a few for what else is made meanwhile
    assert 2 not in looks


@pytest.mark.parametrize("count", [0, 1, AT_ONCE, 5 * AT_ONCE + 1])
def test_every_use_of_a_pass_sees_all_items_in_order(count: int) -> None:
    with OnePass(range(count)) as once:
        same, early, whole = once.use(list), once.use(lambda items: 3 in items), once.use(sum)
    assert (same.result(), early.result(), whole.result()) == (list(range(count)), count > 3, sum(range(count)))


def test_items_are_made_once_and_few_are_alive() -> None:
    made, used = 0, 0

    def make() -> Iterator[int]:
        nonlocal made
        for made in range(1, 20 * AT_ONCE):  # how many there are
            assert made - used <= 2 * AT_ONCE  # one group in use, and its edges
            yield made

    def count(items: Iterable[int]) -> int:
        nonlocal used
        for each in items:
            used = each
        return used

    with OnePass(make()) as once:
        slow, fast = once.use(count), once.use(lambda items: next(iter(items)))
    assert (slow.result(), fast.result(), made) == (20 * AT_ONCE - 1, 1, 20 * AT_ONCE - 1)


@pytest.mark.parametrize("uses", [1, 2, 5])
@pytest.mark.parametrize("after", [0, AT_ONCE, 3 * AT_ONCE, 5 * AT_ONCE])
def test_an_error_of_one_use_ends_the_pass(uses: int, after: int) -> None:
    """Nobody wants to wait for the others: what was asked for cannot be had."""
    made = 0

    def items() -> Iterator[int]:
        nonlocal made
        for number in range(5 * AT_ONCE):
            made = number
            yield number

    def fail(items: Iterable[int]) -> int:
        for each in items:
            if each >= after:
                break
        raise ValueError(f"after {after}")

    before = threading.active_count()
    once = OnePass(items())
    once.use(lambda items: next(iter(items)))
    for _ in range(uses - 1):
        once.use(sum)
    once.use(fail)
    with pytest.raises(ValueError, match=f"after {after}"), once:
        pass
    assert threading.active_count() == before
    assert made <= after + AT_ONCE


def test_an_error_of_the_items_ends_every_thread() -> None:
    def broken() -> Iterator[int]:
        yield from range(3 * AT_ONCE)
        raise OSError("the disk is gone")

    before = threading.active_count()
    with pytest.raises(OSError, match="the disk is gone"), OnePass(broken()) as once:
        once.use(sum), once.use(max)
    assert threading.active_count() == before


def test_uses_of_items_that_were_interrupted_end_without_a_result() -> None:
    def interrupted() -> Iterator[int]:
        yield from range(2 * AT_ONCE)
        raise KeyboardInterrupt

    before = threading.active_count()
    ended = []

    def count(items: Iterable[int]) -> None:
        ended.append(sum(1 for _ in items))  # long work may follow, for which nobody would wait

    once = OnePass(interrupted())
    early, *found = once.use(lambda items: next(iter(items))), once.use(count), once.use(count)
    with pytest.raises(KeyboardInterrupt), once:
        pass
    assert ended == []
    assert early.result() == 0
    assert threading.active_count() == before
    assert all(each.exception() is not None for each in found)


def test_uses_take_turns_and_only_one_runs_at_once() -> None:
    """So what one finds in an item serves the next, and what they write comes in the same order each time."""
    seen: list[tuple[str, int]] = []

    def note(name: str, items: Iterable[int]) -> None:
        for each in items:
            seen.append((name, each // AT_ONCE))

    with OnePass(range(3 * AT_ONCE)) as once:
        for name in "abc":
            once.use(partial(note, name))
    assert list(dict.fromkeys(seen)) == [(name, group) for group in range(3) for name in "abc"]
    assert seen == sorted(seen, key=lambda each: (each[1], each[0]))


def test_an_only_use_needs_no_thread() -> None:
    with OnePass(range(3)) as once:
        found = once.use(lambda items: (sum(items), threading.current_thread()))
    assert found.result() == (3, threading.main_thread())


def test_a_use_that_looks_at_nothing_holds_nobody_up() -> None:
    with OnePass(range(5 * AT_ONCE)) as once:
        nothing, whole = once.use(lambda items: 7), once.use(sum)
    assert (nothing.result(), whole.result()) == (7, sum(range(5 * AT_ONCE)))


def test_what_was_made_of_a_record_goes_with_it_and_of_a_tuple_stays_until_there_are_many() -> None:
    sizes: PerObject[object, int] = PerObject(lambda one: len(str(one)), 3)
    said = [Utterance(speaker="user", text="x" * number) for number in range(3)]
    assert [sizes(each) for each in said] == [sizes(each) for each in said]
    assert len(sizes._known) == 3
    del said[1:]
    gc.collect()
    assert len(sizes._known) == 1
    pairs = [(number,) for number in range(5)]
    assert [sizes(each) for each in pairs] == [4] * 5
    assert len(sizes._known) <= 3


def test_objects_that_take_the_place_of_others_are_looked_at_themselves() -> None:
    sizes: PerObject[Utterance, int] = PerObject(lambda one: len(one.text))
    for number in range(2_000):  # identities recur
        assert sizes(Utterance(speaker="user", text="x" * (number % 7))) == number % 7
