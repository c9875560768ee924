"""Power of a planned comparison of two versions, by resampling a pilot and running ``trialogue compare``'s analysis.

The pilot's independent units (users, needs or dialogues) are drawn with replacement, with all their data. If a pilot holds
both versions, one user's results with both are drawn together; otherwise each version has its own users.
The effect is imposed by raising (or lowering) values of a bounded measure to its best (or worst) one, as many as
needed, and by a shift where there is no bound.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from trialogue.errors import UsageError
from trialogue.findings.differences.system_sample import SystemSample, Unit
from trialogue.findings.standings import Measure
from trialogue.records import Estimate, Record
from trialogue.seeds import rng_for
from trialogue.stats import wilson
from trialogue.subjects.comparison.comparison import compare_systems
from trialogue.subjects.comparison.records import FAVOURABLE, Light

RESAMPLES = 999  # arrangements of a permutation test: p to .001, which is enough to count those below a level
MAX_UNITS = 20_000  # users a version, beyond which no plan goes
HALVINGS = 3  # of the gap between a size that is too small and one that is enough


class ComparisonPower(Record):
    """Power of one size of a planned comparison; intervals are the Monte Carlo error."""

    users: int
    """Independent units of each version."""
    dialogues: float
    """Values of each version, on average."""
    simulations: int
    power: Estimate
    """Share of comparisons with the verdict that is wanted: better, or (with a margin) better, not worse or equivalent."""
    reversed: Estimate
    """Share that calls the new version worse."""


class ComparisonPlan(Record):
    """Required size of a comparison."""

    kind: ClassVar[str] = "comparison_plan"

    measure: str
    title: str
    difference: float
    """New version minus old one, in the unit of the measure."""
    margin: float | None
    alpha: float
    wanted: float
    """Required probability of the wanted verdict (power)."""
    paired: bool
    """Whether both versions have the same users."""
    pilot_users: int
    seed: int
    sizes: tuple[ComparisonPower, ...]
    """Every size that was simulated, the smallest first."""
    answer: ComparisonPower | None
    """The smallest of them that reaches the power; None: none does."""


@dataclass(frozen=True)
class Pilot:
    """Unit values of one measure in a pilot, by independent unit."""

    measure: Measure
    before: dict[str, list[float]]
    after: dict[str, list[float]] | None
    """The same users with the new version; None: the pilot has no users with both."""


def pilot_of(measure: Measure, before: Sequence[Unit], after: Sequence[Unit] | None) -> Pilot:
    """Pilot values by user; those of the new version only if users had both versions."""
    old = _group_by_user(before)
    new = _group_by_user(after or ())
    both = sorted(old.keys() & new.keys())
    if not both:
        return Pilot(measure, old, None)
    return Pilot(measure, {user: old[user] for user in both}, {user: new[user] for user in both})


def _group_by_user(units: Sequence[Unit]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for _, user, value in units:
        found.setdefault(user, []).append(value)
    return found


def plan_comparison(
    pilot: Pilot,
    *,
    difference: float,
    margin: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    users: Sequence[int] = (),
    simulations: int = 200,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> ComparisonPlan:
    """Number of users (and dialogues) needed per version.

    Args:
        pilot: where values are drawn from.
        difference: new version minus old one, in the unit of the measure; 0 with a margin: the versions are equal.
        margin: plan for "not worse by more than this" instead of "better".
        power: probability of the wanted verdict.
        alpha: level of the test.
        users: numbers of users to simulate; (): search for the smallest sufficient one.
        simulations: number of simulations of each size.
        seed: random seed.
        progress: called with a line for each size.

    Raises:
        UsageError: a difference that the measure cannot have, or nothing to look for.
    """
    better = pilot.measure.better
    gain = -difference if better == "lower" else difference
    if (margin is None and not gain > 0) or (margin is not None and gain <= -margin):
        raise UsageError(
            f"there is nothing to detect: a difference of {difference:g} on {pilot.measure.name} ({better} is "
            "better)"
            + (
                " needs a margin (--set margin=..., non-inferiority)."
                if margin is None
                else f" is a loss of at least the margin, {margin:g}."
            )
        )
    if not 0 < power < 1 or not 0 < alpha < 1:
        raise UsageError(f"power and alpha must lie between 0 and 1, got {power} and {alpha}.")
    lift = _improvement(pilot, difference)
    done: dict[int, ComparisonPower] = {}

    def reaches_power(size: int) -> bool:
        started = time.perf_counter()
        done[size] = _power(pilot, lift, size, margin, alpha, simulations, seed)
        if progress is not None:
            progress(f"{size:,} users per version: {time.perf_counter() - started:.0f} s")
        return (done[size].power.value or 0.0) >= power

    for size in users:
        reaches_power(size)
    if not users:
        _search(reaches_power)
    sizes = tuple(done[size] for size in sorted(done))
    enough = [one for one in sizes if (one.power.value or 0.0) >= power]
    return ComparisonPlan(
        measure=pilot.measure.name,
        title=pilot.measure.title,
        difference=difference,
        margin=margin,
        alpha=alpha,
        wanted=power,
        paired=pilot.after is not None,
        pilot_users=len(pilot.before),
        seed=seed,
        sizes=sizes,
        answer=enough[0] if enough else None,
    )


def _search(enough: Callable[[int], bool]) -> None:
    """Doubling until it is enough, then halving the gap."""
    low, high = 5, 10
    while not enough(high):
        low, high = high, 2 * high
        if high > MAX_UNITS:
            return
    for _ in range(HALVINGS):
        middle = (low + high) // 2
        if middle in (low, high):
            return
        low, high = (low, middle) if enough(middle) else (middle, high)


def _improvement(pilot: Pilot, difference: float) -> Callable[[float, np.random.Generator], float]:
    """Transformation from pilot values to values of the new version."""
    old = [value for values in pilot.before.values() for value in values]
    new = [value for values in (pilot.after or pilot.before).values() for value in values]
    start, target = float(np.mean(new)), float(np.mean(old)) + difference
    card = pilot.measure.card
    end = None if card is None else (card.high if target > start else card.low)
    if end is None:
        shift = target - start
        return lambda value, rng: value + shift
    # A bounded measure cannot be shifted (nothing is above a rating of 5), so a share of the values moves to the end of the
    # range, such that the mean is reached.
    share = 0.0 if target == start else (target - start) / (end - start) if end != start else 2.0
    if share > 1:
        raise UsageError(
            f"a difference of {difference:g} is impossible: the mean of {pilot.measure.name} in the pilot is "
            f"{np.mean(old):.3g}, and its range ends at {end:g}."
        )
    return lambda value, rng: end if rng.random() < share else value


def _power(
    pilot: Pilot,
    lift: Callable[[float, np.random.Generator], float],
    size: int,
    margin: float | None,
    alpha: float,
    simulations: int,
    seed: int,
) -> ComparisonPower:
    wanted: tuple[Light, ...] = ("better",) if margin is None else FAVOURABLE
    lights: list[Light] = []
    values = 0
    for number in range(simulations):
        sides = _draw_runs(pilot, lift, size, rng_for(seed, "compare plan", str(size), str(number)))
        values += len(sides[0].units(pilot.measure.name))
        found, _ = compare_systems(
            *sides, on=[pilot.measure.name], margin=margin, alpha=alpha, seed=number, resamples=RESAMPLES
        )
        lights.append(found.light)
    return ComparisonPower(
        users=size,
        dialogues=values / simulations,
        simulations=simulations,
        power=wilson(sum(light in wanted for light in lights), simulations),
        reversed=wilson(lights.count("worse"), simulations),
    )


def _draw_runs(
    pilot: Pilot, lift: Callable[[float, np.random.Generator], float], size: int, rng: np.random.Generator
) -> tuple[SystemSample, SystemSample]:
    """Two runs: users drawn with replacement, under new names."""
    names = sorted(pilot.before)
    first = rng.integers(len(names), size=size)
    second = first if pilot.after is not None else rng.integers(len(names), size=size)
    source = pilot.after or pilot.before
    tag = "" if pilot.after is not None else "new "
    old = [(f"{n}#{k}", f"{n}", value) for n, at in enumerate(first) for k, value in enumerate(pilot.before[names[at]])]
    new = [
        (f"{tag}{n}#{k}", f"{tag}{n}", lift(value, rng))
        for n, at in enumerate(second)
        for k, value in enumerate(source[names[at]])
    ]
    return SystemSample.of_units("old", pilot.measure, old), SystemSample.of_units("new", pilot.measure, new)
