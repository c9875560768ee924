"""Analyse ratings of several systems: differences with their uncertainty, and position effects."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise as pairwise_of

import numpy as np

from trialogue.findings.standings import League
from trialogue.inputs.study_data import Key, Participant, Presentation, Rules, Scale, countable_participants
from trialogue.records import Estimate, MeasureName, Reason, ReasonCode, Score
from trialogue.records.kinds.origins import kinds_of, with_raters
from trialogue.seeds import rng_for
from trialogue.stats import cluster_sums, difference
from trialogue.stats.arrays import Floats
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.subjects.people.agreement import numeric_agreement
from trialogue.subjects.people.exclusions import PLANNED, repeat_analyses
from trialogue.subjects.people.models import MAX_POINTS, MAX_POSITIONS, model_findings
from trialogue.subjects.people.records import PositionFindings, RatingFindings, SensitivityRow, SystemRatings
from trialogue.subjects.people.table import RatingTable, table_of

MAX_SHOWN, BARS = 21, 10  # points shown one by one; classes of a finer scale


Decide = Callable[[frozenset[str] | None], Sequence[League]]
"""Compares the systems by the ratings of some raters (None: all who count), as every evaluation does; [] without any."""


def analyse_ratings(
    scores: Iterable[Score],
    decide: Decide,
    *,
    measure: str | None = None,
    scale: Scale | None = None,
    people: Sequence[Participant] = (),
    rules: Rules | None = None,
    presentations: Mapping[Key, Presentation] | None = None,
    seed: int = 0,
    alpha: float = 0.05,
    models: bool = False,
    progress: Callable[[str], None] | None = None,
) -> RatingFindings:
    """Analyse one criterion completely.

    Args:
        scores: its ratings (``Score`` with rater and system).
        decide: compares the systems.
        measure: its name; None: that of the first score.
        scale: title, direction and points.
        people: participants; none: everybody's ratings count, and there is no sensitivity analysis.
        rules: planned exclusion rules; None: every flag excludes.
        presentations: positions in which things were shown.
        seed: random seed for the bootstrap.
        alpha: significance level.
        models: whether to fit the ordinal mixed model, too; it decides nothing.
        progress: called with what is being computed.

    Returns:
        The findings. With one system nothing is compared, and the reason is given.

    Raises:
        DataError: ratings given twice, or of no system.
    """
    say = progress or (lambda _: None)
    scores = list(scores)
    name = measure or (scores[0].measure if scores else "human:rating")
    scale = scale or Scale(MeasureName(name).prose.capitalize())
    raters = kinds_of(score.raters for score in scores)
    everything, skipped = table_of(scores, presentations)
    main = everything.select_raters(countable_participants(people, rules))
    say(f"{scale.title}: distributions and agreement")
    points = _points(everything, scale)
    league = _league(decide(None), name)
    why = reason_not_compared(main)
    systems = _systems(main, league, points, higher=scale.better == "higher")
    say(f"{scale.title}: sensitivity to exclusions")
    return RatingFindings(
        measure=name,
        title=with_raters(scale.title, raters),
        raters=raters,
        better=scale.better,
        points=points,
        labels={f"{point:g}": words for point, words in scale.labels.items()},
        systems=systems,
        coverage=main.coverage(),
        agreement=numeric_agreement(main.group_by_thing(), main.groups(), rng=rng_for(seed, name, "agreement"))
        if main.rows and main.known_raters
        else (),
        league=league if why is None else None,
        why=why,
        model=model_findings(main, [each.system for each in systems], alpha=alpha) if models and why is None else None,
        position=position_findings(main) if why is None else None,
        sensitivity=_sensitivity(everything, main, people, rules, league, decide) if league and why is None else (),
        warnings=tuple(_warnings(main, everything, people, skipped)),
    )


def _league(found: Sequence[League], measure: str) -> League | None:
    """The league of a criterion, without its single values."""
    question = MeasureName(measure).question
    own = next((each for each in found if each.measure.measured.question == question), None)
    return own and own.model_copy(update={"values": {}})


def position_findings(table: RatingTable) -> PositionFindings | None:
    """Differences of the ratings by position; None where positions are not known, or all the same."""
    if len(table.positions) < 2 or len(table.positions) > MAX_POSITIONS:
        return None
    means = {
        system: float(np.mean([row.rating for row in table.rows if row.system == system])) for system in table.systems
    }
    sums, plain = {}, {}
    for position in table.positions:
        rows = [row for row in table.rows if row.position == position]
        plain[str(position)] = float(np.mean([row.rating for row in rows]))
        lifted = [[row.rating - means[row.system], 1.0] for row in rows]
        sums[position] = cluster_sums(lifted, [row.rater for row in rows])
    first, *others = table.positions
    return PositionFindings(
        shifts={str(position): difference(sums[position], sums[first], mean_of) for position in others}, means=plain
    )


def _points(table: RatingTable, scale: Scale) -> tuple[float, ...]:
    """Points of the scale; of a slider with many places the middles of ten classes."""
    found = sorted({*scale.labels, *table.ratings})
    if len(found) <= MAX_SHOWN:
        return tuple(found)
    width = (found[-1] - found[0]) / BARS
    return tuple(found[0] + width * (place + 0.5) for place in range(BARS))


def _counts(ratings: Floats, points: Sequence[float]) -> tuple[int, ...]:
    """Ratings nearest to each point."""
    if not points:
        return ()
    edges = [(low + high) / 2 for low, high in pairwise_of(points)]
    return tuple(np.bincount(np.searchsorted(edges, ratings), minlength=len(points)).tolist())


def _systems(
    table: RatingTable, league: League | None, points: Sequence[float], *, higher: bool
) -> tuple[SystemRatings, ...]:
    known = {each.system: each.estimate for each in league.standings} if league is not None else {}
    found = []
    for system in table.systems:
        rows = [row for row in table.rows if row.system == system]
        ratings = np.array([row.rating for row in rows])
        found.append(
            SystemRatings(
                system=system,
                counts=_counts(ratings, points),
                mean=known.get(system, Estimate(value=float(ratings.mean()), n=len(rows))),
                ratings=len(rows),
                raters=len({row.rater for row in rows}),
                items=len({row.thing for row in rows}),
            )
        )
    sign = -1 if higher else 1
    return tuple(sorted(found, key=lambda one: (sign * (one.mean.value or 0.0), one.system)))


def reason_not_compared(table: RatingTable) -> Reason | None:
    """Reason why these ratings cannot compare systems; None if they can."""
    if not table.rows:
        return Reason.of(ReasonCode.NO_RATINGS_LEFT)
    if len(table.systems) < 2:
        return Reason.of(ReasonCode.ONE_SYSTEM, system=table.systems[0])
    return None


def _warnings(
    table: RatingTable, everything: RatingTable, people: Sequence[Participant], skipped: int
) -> Iterable[str]:
    if len(set(table.ratings)) > MAX_POINTS:
        yield (f"Ratings have {len(set(table.ratings)):,} different values: distributions are shown in ten classes.")
    if skipped:
        yield f"{skipped:,} ratings without a value (skipped questions) are left out."
    known = {person.participant for person in people}
    strangers = {row.rater for row in everything.rows} - known
    if people and strangers:
        yield (
            f"{len(strangers)} raters are not in the table of participants; their ratings are left out: "
            f"{', '.join(sorted(strangers)[:5])}{' ...' if len(strangers) > 5 else ''}."
        )


def _sensitivity(
    everything: RatingTable,
    main: RatingTable,
    people: Sequence[Participant],
    rules: Rules | None,
    league: League,
    decide: Decide,
) -> tuple[SensitivityRow, ...]:
    """The comparison under every other exclusion."""

    def compare_left(raters: frozenset[str]) -> SensitivityRow:
        left = everything.select_raters(raters)
        why = reason_not_compared(left)
        if why is None and set(left.systems) != set(main.systems):
            why = Reason.of(ReasonCode.SYSTEM_WITHOUT_RATINGS_LEFT)
        other = None if why else _league(decide(raters), league.measure.measured)
        return _row(left, other, why)

    return repeat_analyses(
        people,
        rules,
        everything.column("rater"),
        _row(main, league, None).model_copy(update={"main": True}),
        compare_left,
    )


def _row(table: RatingTable, league: League | None, why: Reason | None) -> SensitivityRow:
    contrasts = () if league is None else league.contrasts
    return SensitivityRow(
        name=PLANNED, participants=table.raters, ratings=len(table.rows), why=why, contrasts=contrasts
    )
