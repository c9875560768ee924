"""``trialogue compare plan``: users and dialogues needed to compare two versions, from a pilot run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from trialogue.datasets.tables.mapping import Columns
from trialogue.errors import UsageError
from trialogue.findings.differences.pairing import Pairing
from trialogue.findings.differences.system_sample import SystemSample, collect_system
from trialogue.inputs.memory import Data
from trialogue.long_work import Progress
from trialogue.options import Alpha, Margin, Power, Seed, Simulations
from trialogue.subjects.comparison.commands.inputs import read_version, stem_of, system_of, version_in_memory
from trialogue.subjects.comparison.commands.measures import resolve_measures
from trialogue.subjects.comparison.comparison import deciding_of
from trialogue.subjects.evaluation.commands.evaluate import Run
from trialogue.subjects.planning.comparison_power import ComparisonPlan, ComparisonPower, pilot_of, plan_comparison


def plan(
    pilot: str | Path | Run | Data,
    second: str | Path | Run | Data | None = None,
    *,
    difference: float,
    systems: Sequence[str] = (),
    on: str | None = None,
    margin: Margin | None = None,
    power: Power = 0.8,
    alpha: Alpha = 0.05,
    users: Sequence[Annotated[int, Ge(2)]] = (),
    simulations: Simulations = 200,
    mapping: Columns | None = None,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> ComparisonPlan:
    """Number of users and dialogues that each version needs, by the test used in ``compare``.

    Args:
        pilot: a run with the old version: in memory, a folder of ``evaluate``, or conversations.
        second: a run with a version like the new one; None: the same run (with two names of systems), or no second version.
            Where the same users met both, the planned versions share their users.
        difference: difference to detect, in the unit of the measure; 0 with a margin. The new version minus the old
            one.
        systems: systems to plan for (default: all). Where a run holds several: its name, or two.
        on: measure to plan for (default: people's ratings, else a task outcome). None: the one that would decide, if
            there is one only.
        margin: plan for "not worse by more than this" instead of "better".
        power: probability of the wanted verdict.
        alpha: level of the test.
        users: numbers of users to simulate, instead of a search for the smallest sufficient one.
        simulations: number of simulations of each size; with 200, a power of .80 has a margin of error of .055.
        mapping: which column of a table, or path into JSON, is what, where conversations are given.
        seed: random seed; the same seed gives the same plan.
        progress: called with a line for each size.

    Raises:
        UsageError: unclear which system or measure is meant, or a difference that the measure cannot have.
        DataError: what is given cannot be read.
    """
    one = second is None and len(systems) < 2
    given = [
        version_in_memory(each, "pilot", mapping)
        for each in ([pilot] if one else [pilot, pilot if second is None else second])
    ]
    wanted = [] if on is None else [on]
    read = [read_version(each, wanted, seed, 1_000, progress, any_language=False, mapping=mapping) for each in given]
    sides: list[SystemSample] = []
    for place, (run, each) in enumerate(zip(read, given, strict=True)):
        name = system_of(run.concluded, list(systems[place : place + 1] or systems[:1]), each)
        sides.append(collect_system(stem_of(each), name, run.concluded.leagues, run.scores, run.counts))
    shared = [name for name in sides[0].measures if all(name in one.measures for one in sides)]
    names = resolve_measures(wanted, [sides[0], sides[-1]], shared) or sorted(deciding_of(sides[0], shared))
    if len(names) != 1:
        raise UsageError(f"a plan is for one measure: name it with on (--on). {_choices(names or shared)}")
    (name,) = names
    pairing = Pairing.of(sides[0], sides[-1])
    units = [pairing.pilot_units(one.rows.get(name), place) for place, one in enumerate(sides)]
    if not units[0]:
        raise UsageError(
            f"{name} is not a mean over dialogues or replies, and only such measures can be resampled from a pilot."
        )
    drawn = pilot_of(sides[0].measures[name], units[0], units[1] if len(units) > 1 else None)
    return plan_comparison(
        drawn, difference=difference, margin=margin, power=power, alpha=alpha, users=users, simulations=simulations,
        seed=seed, progress=progress,
    )  # fmt: skip


def _choices(names: Sequence[str]) -> str:
    return f"One of: {', '.join(names)}." if names else ""


def plan_lines(plan: ComparisonPlan) -> list[str]:
    """Render the plan as lines."""
    goal = "better" if plan.margin is None else f"not worse by more than {plan.margin:g}"
    users = "the same users with both versions" if plan.paired else "different users for each version"
    lines = [
        (
            f"{plan.title}: power of the verdict {goal!r} if the new version differs by {plan.difference:+g}, "
            f"at level {plan.alpha:g}; {users}, resampled from a pilot of {plan.pilot_users}."
        ),
        *(f"  {_size(one)}" for one in plan.sizes),
    ]
    if plan.answer is None:
        return [*lines, f"None of these sizes has a power of {plan.wanted:.0%}."]
    enough = f"{plan.answer.users:,} users and {plan.answer.dialogues:,.0f} dialogues (or replies) per version"
    return [*lines, f"For a power of {plan.wanted:.0%}: {enough}."]


def _size(one: ComparisonPower) -> str:
    between = one.power.interval
    error = f" ({between.low:.0%} to {between.high:.0%})" if between else ""
    return f"{one.users:,} users, {one.dialogues:,.0f} dialogues per version: {one.power.value or 0.0:.0%}{error}"
