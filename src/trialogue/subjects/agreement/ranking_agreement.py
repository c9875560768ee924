"""Ranking agreement: rank correlation of systems by a measure and by people, if there are enough systems."""

from collections.abc import Mapping, Sequence

import numpy as np

from trialogue.findings.resampling import DEFAULT, Resampling
from trialogue.records import VOTES, Preference
from trialogue.stats import bradley_terry, rank_intervals
from trialogue.subjects.agreement.abstention import worst_guesses
from trialogue.subjects.agreement.records import RankedSystem, RankingAgreement
from trialogue.subjects.agreement.score_pairs import JudgedUnits, system_means
from trialogue.subjects.agreement.system_orders import SystemMeans, correlations_of, mean_replicates, order_p, refusal

MAX_REFITTED = 1_000  # resamples of votes; each is a fit of its own


def ranking_agreement(
    table: JudgedUnits,
    measure: str,
    *,
    lower: bool = False,
    system_values: Mapping[str, float] | None = None,
    resampling: Resampling = DEFAULT,
) -> RankingAgreement | None:
    """Ranking of systems by people's mean rating and by a measure; None with fewer than two systems.

    Units that the measure has no value for count as its worst guesses in the correlations and ranks; the values shown of
    systems are means over those that it has.

    Args:
        table: the units.
        measure: one of ``table.values``.
        lower: whether lower values are better.
        system_values: the measure's own values of systems, where those are not means of units (distinct-n of all replies).
        resampling: seed, resamples (of people or dialogues; systems stay), confidence.
    """
    sign = -1.0 if lower else 1.0
    column = sign * table.values[measure]
    if len(system_means(table, column)) < 2:
        return None
    guessed = worst_guesses(column, table.people)
    people, own = (
        mean_replicates(
            values, table.systems, clusters=table.clusters, resampling=resampling, names=("ranking", table.question)
        )
        for values in (table.people, guessed)
    )
    is_complete = not np.isnan(column).any()
    if is_complete and system_values is not None and set(system_values) >= set(own.systems):
        shown = np.array([sign * system_values[name] for name in own.systems])
        own = SystemMeans(
            own.systems, shown, own.drawn + (shown - own.values)
        )  # the means' error stands for the values' own
    found = _agreement(measure, table.question, people, own, sign, resampling)
    return _with_values(found, {**system_means(table, sign * column), **(system_values or {})})


def _with_values(found: RankingAgreement, values: Mapping[str, float]) -> RankingAgreement:
    """Replace the displayed values of the measure's systems by given ones."""
    systems = tuple(
        each.model_copy(update={"measure": values.get(each.system, each.measure)}) for each in found.systems
    )
    return found.model_copy(update={"systems": systems})


def vote_ranking(
    preferences: Sequence[Preference],
    table: JudgedUnits,
    measure: str,
    *,
    lower: bool = False,
    resampling: Resampling = DEFAULT,
) -> RankingAgreement | None:
    """Ranking of systems by Bradley-Terry strengths of people's votes and by a measure's means.

    None with fewer than two systems on both sides. Votes and ratings are resampled apart.
    """
    sign = -1.0 if lower else 1.0
    votes = [vote for vote in preferences if vote.a != vote.b]
    if not votes:
        return None
    model = bradley_terry(
        votes, rng=resampling.rng("ranking", "votes"), resamples=min(resampling.resamples, MAX_REFITTED)
    )
    strengths = {each.name: each for each in model.strengths if each.rating.value is not None}
    column = sign * table.values[measure]
    if len(set(system_means(table, column)) & set(strengths)) < 2:
        return None
    known = [unit for unit, system in enumerate(table.systems) if system in strengths]
    # Units without a value count as the guess that agrees least with people, so that omissions never help a measure.
    own = mean_replicates(
        worst_guesses(column, table.people)[known],
        [table.systems[unit] for unit in known],
        clusters=[table.clusters[unit] for unit in known],
        resampling=resampling,
        names=("ranking", VOTES),
    )
    values = np.array([strengths[name].rating.value for name in own.systems], dtype=np.float64)
    found = _agreement(
        measure, VOTES, SystemMeans(own.systems, values, np.tile(values, (len(own.drawn), 1))), own, sign, resampling
    )
    ranks = {name: (strengths[name].rank.low, strengths[name].rank.high) for name in own.systems}
    systems = tuple(each.model_copy(update={"people_rank": ranks[each.system]}) for each in found.systems)
    return _with_values(found.model_copy(update={"systems": systems}), system_means(table, sign * column))


def _agreement(
    measure: str, against: str, people: SystemMeans, own: SystemMeans, sign: float, resampling: Resampling
) -> RankingAgreement:
    names = people.systems
    found = correlations_of(people, own, confidence=resampling.confidence)
    ranks, own_ranks = (
        rank_intervals(side.values, side.drawn, confidence=resampling.confidence) for side in (people, own)
    )
    order = sorted(range(len(names)), key=lambda place: (-people.values[place], names[place]))
    return RankingAgreement(
        measure=measure,
        against=against,
        systems=tuple(
            RankedSystem(
                system=names[place],
                people=float(people.values[place]),
                people_rank=(ranks[place].low, ranks[place].high),
                measure=float(sign * own.values[place]),
                measure_rank=(own_ranks[place].low, own_ranks[place].high),
            )
            for place in order
        ),
        spearman=found["spearman"],
        kendall=found["kendall"],
        p=order_p(people.values, own.values, resampling.rng("orders")),
        refusal=refusal(len(names)),
    )
