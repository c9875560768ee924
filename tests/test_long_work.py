"""Looking for garbage less often, and only for a while."""

import gc

import pytest

from trialogue.long_work import few_collections


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
