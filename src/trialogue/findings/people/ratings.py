"""Analyse ratings of several systems: differences with their uncertainty, and position effects."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise as pairwise_of
from typing import Literal

import numpy as np

from trialogue.findings.people.agreement import numeric_agreement
from trialogue.findings.people.exclusions import PLANNED, repeat_analyses
from trialogue.findings.people.models import (
    MAX_POINTS,
    model_findings,
    position_findings,
)
from trialogue.findings.people.participants import Participant, Presentation, Rules, countable_participants
from trialogue.findings.people.rating_comparison import RatingComparison
from trialogue.findings.people.records import (
    RatingFindings,
    SensitivityRow,
    SystemRatings,
    TestResult,
)
from trialogue.findings.people.table import Key, RatingTable, table_of
from trialogue.records import MeasureName, Reason, ReasonCode, Score
from trialogue.records.kinds.origins import kinds_of, with_raters
from trialogue.seeds import rng_for
from trialogue.stats import (
    cluster_sums,
    estimate_of_sums,
)
from trialogue.stats.arrays import Floats
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.stats.threads import one_blas_thread

MAX_SHOWN, BARS = 21, 10  # points shown one by one; classes of a finer scale
FEW_UNITS = 10  # fewer independent people (or situations) make every test a guess


@dataclass(frozen=True)
class Scale:
    """Title and points of a criterion."""

    title: str
    better: Literal["higher", "lower"] = "higher"
    labels: Mapping[float, str] = field(default_factory=dict)
    """Every point with its words; empty: the points that occur."""
    question: str = ""


@one_blas_thread()
def analyse_ratings(
    scores: Iterable[Score],
    *,
    measure: str | None = None,
    scale: Scale | None = None,
    people: Sequence[Participant] = (),
    rules: Rules | None = None,
    presentations: Mapping[Key, Presentation] | None = None,
    seed: int = 0,
    alpha: float = 0.05,
    progress: Callable[[str], None] | None = None,
) -> RatingFindings:
    """Analyse one criterion completely.

    Args:
        scores: its ratings (``Score`` with rater and system).
        measure: its name; None: that of the first score.
        scale: title, direction and points.
        people: participants; none: everybody's ratings count, and there is no sensitivity analysis.
        rules: planned exclusion rules; None: every flag excludes.
        presentations: positions in which things were shown.
        seed: random seed for the bootstrap.
        alpha: significance level.
        progress: called with what is being computed.

    Returns:
        The findings. With one system, or raters who are not known, nothing is tested, and the reasons are given.

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
    systems = _systems(main, scale, points)
    findings = RatingFindings(
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
        warnings=tuple(_warnings(main, everything, people, skipped)),
    )
    why = reason_without_tests(main)
    if why:
        refused = TestResult(name="comparison", basis="", why=why, main=True)
        return findings.model_copy(update={"tests": (refused,)})
    order = [each.system for each in systems]
    say(f"{scale.title}: comparison of systems")
    compared = RatingComparison(main, order, scale.better == "higher", alpha, seed)
    say(f"{scale.title}: sensitivity to exclusions")
    return findings.model_copy(
        update={
            "model": model_findings(main, compared.effects, compared.model),
            "tests": compared.tests(),
            "pairs": compared.pairs(),
            "position": position_findings(main, compared.model, compared.linear),
            "sensitivity": _sensitivity(everything, people, rules, compared),
            "warnings": (*findings.warnings, *compared.warnings()),
        }
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


def _systems(table: RatingTable, scale: Scale, points: Sequence[float]) -> tuple[SystemRatings, ...]:
    found = []
    for system in table.systems:
        rows = [row for row in table.rows if row.system == system]
        ratings = np.array([row.rating for row in rows])
        data = cluster_sums(np.column_stack([ratings, np.ones(len(rows))]), [getattr(row, table.unit) for row in rows])
        mean = estimate_of_sums(data, mean_of, scale=(points[0], points[-1]) if scale.labels else (None, None))
        found.append(
            SystemRatings(
                system=system,
                counts=_counts(ratings, points),
                mean=mean,
                ratings=len(rows),
                raters=len({row.rater for row in rows}),
                items=len({row.thing for row in rows}),
            )
        )
    sign = -1 if scale.better == "higher" else 1
    return tuple(sorted(found, key=lambda one: (sign * (one.mean.value or 0.0), one.system)))


def reason_without_tests(table: RatingTable) -> Reason | None:
    """Reason why these ratings cannot compare systems; None if they can."""
    if not table.rows:
        return Reason.of(ReasonCode.NO_RATINGS_LEFT)
    if len(table.systems) < 2:
        return Reason.of(ReasonCode.ONE_SYSTEM, system=table.systems[0])
    if not table.known_raters:
        return Reason.of(ReasonCode.RATERS_UNKNOWN)
    if len(set(table.ratings)) < 2:
        return Reason.of(ReasonCode.EVERY_RATING_EQUAL)
    return None


def _warnings(
    table: RatingTable, everything: RatingTable, people: Sequence[Participant], skipped: int
) -> Iterable[str]:
    if len(set(table.ratings)) > MAX_POINTS:
        yield (
            f"Ratings have {len(set(table.ratings)):,} different values: distributions are shown in ten "
            "classes, and the ordinal model uses twenty of about equal size."
        )
    if skipped:
        yield f"{skipped:,} ratings without a value (skipped questions) are left out."
    known = {person.participant for person in people}
    strangers = {row.rater for row in everything.rows} - known
    if people and strangers:
        yield (
            f"{len(strangers)} raters are not in the table of participants; their ratings are left out: "
            f"{', '.join(sorted(strangers)[:5])}{' ...' if len(strangers) > 5 else ''}."
        )
    units = len(set(table.column(table.unit)))
    if table.rows and units < FEW_UNITS:
        yield (
            f"{units} independent {table.units_are}: with fewer than {FEW_UNITS}, every interval and p-value "
            "is a rough guess."
        )
    if table.rows and table.unit == "group":
        yield (
            f"{table.raters} people rated. The results hold for these people and may not hold for others. Dialogues are "
            "the independent units."
        )


def _sensitivity(
    everything: RatingTable, people: Sequence[Participant], rules: Rules | None, main: RatingComparison
) -> tuple[SensitivityRow, ...]:
    """The comparison under every other exclusion."""
    return repeat_analyses(
        people,
        rules,
        everything.column("rater"),
        main.row(PLANNED, main=True),
        lambda raters: _repeat_comparison(everything.select_raters(raters), main),
    )


def _repeat_comparison(table: RatingTable, main: RatingComparison) -> SensitivityRow:
    why = reason_without_tests(table)
    if why is None and set(table.systems) != set(main.order):
        why = Reason.of(ReasonCode.SYSTEM_WITHOUT_RATINGS_LEFT)
    if why:
        return SensitivityRow(name="", participants=table.raters, ratings=len(table.rows), p=None, why=why)
    again = partial(RatingComparison, higher=main.higher, alpha=main.alpha, seed=main.seed)
    return again(table, main.order).row("")
