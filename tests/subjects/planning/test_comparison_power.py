"""Planned comparisons: drawn from a pilot, judged as compare judges."""

from collections.abc import Sequence

import pytest

from trialogue.errors import UsageError
from trialogue.findings.differences.system_sample import Unit
from trialogue.findings.standings import Measure
from trialogue.metrics import get_card
from trialogue.stats import clusters_for_means
from trialogue.subjects.planning.comparison_power import Pilot, pilot_of, plan_comparison


def measure() -> Measure:
    """A share, higher is better, within 0 and 1."""
    return Measure(
        by="metric",
        name="turn_success|v1",
        title="Turn success",
        unit="share",
        better="higher",
        card=get_card("turn_success"),
    )


def shares(share: float, prefix: str = "u") -> Sequence[Unit]:
    """Forty users with one dialogue each."""
    return tuple((f"d{n}", f"{prefix}{n}", float(n < round(40 * share))) for n in range(40))


def test_a_plan_for_shares_is_near_the_closed_form() -> None:
    """.3 against .5: 93 users a version by Fleiss' formula for the score test; our test is its like within 3 points."""
    users = 93
    plan = plan_comparison(pilot_of(measure(), shares(0.3), None), difference=0.2, users=[users], simulations=300)
    (size,) = plan.sizes
    assert (size.users, size.dialogues, plan.paired) == (93, 93.0, False)
    assert size.power.value == pytest.approx(0.8, abs=0.03 + 3 * (0.8 * 0.2 / 300) ** 0.5)
    assert (size.reversed.value or 0) < 0.02


def test_a_pilot_with_both_versions_is_drawn_in_pairs_and_needs_fewer() -> None:
    numbers = tuple((f"d{n}", f"u{n}", 0.2 + 0.015 * n) for n in range(40))
    moved = tuple((unit, user, value + 0.01 * (int(unit[1:]) % 3)) for unit, user, value in numbers)
    paired = plan_comparison(pilot_of(measure(), numbers, moved), difference=0.03, simulations=40)
    alone = plan_comparison(pilot_of(measure(), numbers, None), difference=0.03, users=[60], simulations=40)
    assert paired.paired
    assert paired.answer is not None
    assert paired.answer.users < 60
    assert (alone.sizes[0].power.value or 0) < 0.5
    assert clusters_for_means(0.03, 0.17, paired=False) > 400  # the sd of these values is .173


def test_without_a_difference_hardly_anything_is_better_and_a_margin_can_be_kept() -> None:
    pilot = pilot_of(measure(), shares(0.5), None)
    kept = plan_comparison(pilot, difference=0.0, margin=0.3, users=[120], simulations=60)
    assert (kept.sizes[0].power.value or 0) > 0.95
    small = plan_comparison(pilot, difference=1e-9, users=[60], simulations=100)
    assert (small.sizes[0].power.value or 0) <= 0.025 + 3 * (0.025 * 0.975 / 100) ** 0.5


def test_the_same_seed_gives_the_same_plan() -> None:
    pilot = pilot_of(measure(), shares(0.3), None)
    one, other = (plan_comparison(pilot, difference=0.4, simulations=20, seed=3) for _ in range(2))
    assert one == other
    assert one.answer is not None
    assert one.answer.users < 40


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"difference": 0.0}, "needs a margin"),
        ({"difference": -0.2}, "needs a margin"),
        ({"difference": -0.2, "margin": 0.1}, "a loss of at least the margin"),
        ({"difference": 0.8}, "range ends at 1"),
        ({"difference": 0.1, "power": 1.0}, "lie between 0 and 1"),
    ],
)
def test_what_cannot_be_planned_is_refused(change: dict[str, float], message: str) -> None:
    pilot: Pilot = pilot_of(measure(), shares(0.3), None)
    with pytest.raises(UsageError, match=message):
        plan_comparison(pilot, **change)  # type: ignore[arg-type]
