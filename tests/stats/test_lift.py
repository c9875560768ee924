"""Lift against its definition, and its levels on systems that do not listen."""

from collections.abc import Collection

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.stats import jackknife
from trialogue.stats.lift import Hits, Ints, lift

TURNS = 4


def _hits(first: dict[tuple[int, int], int], unmet: Collection[tuple[int, int]] = ()) -> Hits:
    """Hits of dialogues and needs; those of ``unmet`` are by items that do not count."""
    rows = np.array([(*pair, turn) for pair, turn in sorted(first.items())], dtype=np.int64).reshape(-1, 3)
    return Hits(rows[:, 0], rows[:, 1], rows[:, 2], np.array([pair not in unmet for pair in sorted(first)], dtype=bool))


def _by_definition(
    own: list[int], first: dict[tuple[int, int], int], unmet: set[tuple[int, int]], needs: set[int], failed: list[bool]
) -> dict[int, list[float]]:
    """Lift of the dialogues of these needs, one dialogue, turn and need after the other."""
    found: dict[int, list[float]] = {}
    for dialogue, need in enumerate(own):
        if need not in needs:
            continue
        closed = first.get((dialogue, need))
        others = {other for other in needs if other != need}
        expected = 0.0
        for turn in range(TURNS if closed is None else closed + 1):
            still = {other for other in others if first.get((dialogue, other), TURNS) >= turn}
            now = {other for other in still if first.get((dialogue, other)) == turn and (dialogue, other) not in unmet}
            expected += len(now) / len(still) if still else 0.0
        is_met = closed is not None and (dialogue, need) not in unmet and not failed[dialogue]
        found.setdefault(need, []).append(is_met - expected)
    return found


@st.composite
def runs(draw: st.DrawFn) -> tuple[list[int], dict[tuple[int, int], int], set[tuple[int, int]], list[bool], int]:
    needs = draw(st.integers(3, 6))
    own = [*range(needs), *draw(st.lists(st.integers(0, needs - 1), max_size=4))]
    pairs = [(dialogue, need) for dialogue in range(len(own)) for need in range(needs)]
    first = {pair: turn for pair in pairs if (turn := draw(st.integers(0, TURNS + 2))) < TURNS}
    unmet = {pair for pair in first if draw(st.booleans())}
    return own, first, unmet, [draw(st.booleans()) for _ in own], needs


@given(run=runs())
@settings(max_examples=60, deadline=None)
def test_lift_and_every_value_without_a_need_are_those_of_the_definition(
    run: tuple[list[int], dict[tuple[int, int], int], set[tuple[int, int]], list[bool], int],
) -> None:
    own, first, unmet, failed, needs = run
    found = lift(np.array(own), _hits(first, unmet), needs=needs, turns=TURNS, failed=np.array(failed))
    every = _by_definition(own, first, unmet, set(range(needs)), failed)
    for need in range(needs):
        assert found.of_dialogues[np.array(own) == need] == pytest.approx(every[need])
    assert found.value == pytest.approx(_mean_over_needs(every))
    for need in range(needs):
        rest = _by_definition(own, first, unmet, set(range(needs)) - {need}, failed)
        assert found.without[need] == pytest.approx(_mean_over_needs(rest))


def _mean_over_needs(found: dict[int, list[float]]) -> float:
    return float(np.mean([np.mean(values) for values in found.values()]))


def _static(wanted: list[set[int]], turns: list[list[int]], *, counted: int, stop: bool) -> tuple[Ints, Hits]:
    """A list that is the same for all users, who stop or go on once they see an item that meets their need."""
    needs = [set(each) for each in dict.fromkeys(map(frozenset, wanted))]
    own = [needs.index(each) for each in wanted]
    first: dict[tuple[int, int], int] = {}
    unmet: set[tuple[int, int]] = set()
    for dialogue in range(len(wanted)):
        for turn, items in enumerate(turns):
            for need, acceptable in enumerate(needs):
                if not acceptable.isdisjoint(items) and (dialogue, need) not in first:
                    first[dialogue, need] = turn
                    unmet |= {(dialogue, need)} if acceptable.isdisjoint(items[:counted]) else set()
            if stop and (dialogue, own[dialogue]) in first:
                break
    return np.array(own), _hits(first, unmet)


@pytest.mark.parametrize("counted", [3, 1])
@pytest.mark.parametrize("stop", [False, True])
def test_a_static_list_has_exactly_no_lift_whether_or_not_users_stop(*, stop: bool, counted: int) -> None:
    """Also where not all items count, but users take any."""
    rng = np.random.default_rng(1)
    acceptable = [set(rng.choice(200, 5, replace=False).tolist()) for _ in range(40)]
    acceptable += acceptable[:7] * 3  # needs of several users
    order = rng.permutation(200)[: 3 * TURNS].reshape(TURNS, 3).tolist()
    own, hits = _static(acceptable, order, counted=counted, stop=stop)
    assert lift(own, hits, needs=40, turns=TURNS).value == pytest.approx(0.0, abs=1e-12)


def test_an_oracle_has_almost_all_and_a_failure_is_no_advantage() -> None:
    own = np.arange(40)
    hits = _hits({(dialogue, dialogue): 1 for dialogue in range(40)})
    assert lift(own, hits, needs=40, turns=TURNS).value == pytest.approx(1.0)
    failed = np.zeros(40, dtype=bool)
    failed[:10] = True
    assert lift(own, hits, needs=40, turns=TURNS, failed=failed).value == pytest.approx(0.75)


def test_random_items_are_called_listening_at_the_level_of_the_interval() -> None:
    """400 runs at a nominal .05: more than 32 rejections have a probability of .003."""
    rng = np.random.default_rng(2)
    rejected, values = 0, []
    for _ in range(400):
        acceptable = [set(rng.choice(150, 6, replace=False).tolist()) for _ in range(60)]
        first: dict[tuple[int, int], int] = {}
        for dialogue in range(60):
            items = rng.permutation(150)[: 3 * TURNS].reshape(TURNS, 3).tolist()
            for turn, offered in enumerate(items):
                for need, wanted in enumerate(acceptable):
                    if not wanted.isdisjoint(offered):
                        first.setdefault((dialogue, need), turn)
        found = lift(np.arange(60), _hits(first), needs=60, turns=TURNS)
        interval = jackknife(found.without.tolist(), found.value, 60).interval
        assert interval is not None
        rejected += not interval.low <= 0 <= interval.high
        values.append(found.value)
    assert rejected <= 32
    assert abs(np.mean(values)) < 0.01  # its standard error is .003
