"""Select example dialogues: the extremes of the primary measure, for the leading and the last system."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import chain

from trialogue.findings.records import Example
from trialogue.findings.standings import League
from trialogue.records import Dialogue, Score
from trialogue.records.files.dialogue_store import as_stored
from trialogue.records.scores.score_table import ScoreTable

EACH = 2  # best and worst dialogues shown; a reader opens few


def examples(
    league: League | None,
    dialogues: Sequence[Dialogue],
    scores: Iterable[Score],
    *,
    beside: Collection[str],
    units: ScoreTable | None = None,
) -> tuple[Example, ...]:
    """Best dialogues of the leading system and worst ones of the last system, by the league's measure.

    Ties are broken by id, so that the choice is the same in every run. Empty where no dialogue has a value.

    Args:
        league: what "best" means.
        dialogues: those that may be shown.
        scores: scores of single dialogues, of all measures; raters' scores of one dialogue are averaged.
        units: further scores of single dialogues.
        beside: measures whose values are shown beside a dialogue, by full name.
    """
    if league is None:
        return ()
    ranked = [standing.system for standing in league.standings if standing.estimate.value is not None]
    if not ranked:
        return ()
    name = league.measure.name
    sign = 1.0 if league.measure.better == "lower" else -1.0
    values = [_values_of(name, system, scores, units) for system in (ranked[0], ranked[-1])]
    ends = ((ranked[0], values[0], sign), (ranked[-1], values[1], -sign))
    best, worst = _extremes(_candidates(dialogues, *ends), *ends)
    chosen = [*(("best", each) for each in best), *(("worst", each) for each in worst)]
    facts = values_by_dialogue(scores, units, about={(dialogue.system or "", dialogue.id) for _, dialogue in chosen})
    return tuple(
        Example(
            dialogue=dialogue,
            role="best" if role == "best" else "worst",
            measure=name,
            value=facts[key][name],
            facts={other: f"{value:.3g}" for other, value in sorted(facts[key].items()) if other in beside},
        )
        for role, dialogue in chosen
        for key in [(dialogue.system or "", dialogue.id)]
    )


End = tuple[str, Mapping[str, float], float]
"""A system, the values of its dialogues by id, and what they are multiplied with so that the lowest are wanted."""


def _candidates(dialogues: Sequence[Dialogue], *ends: End) -> Iterable[Dialogue]:
    """Those that may be among the extremes: few are made, if all that are wanted are there."""
    wanted = {
        (system, name)
        for system, values, direction in ends
        for _, name in nsmallest(EACH, ((direction * value, name) for name, value in values.items()))
    }
    found = as_stored(dialogues).with_names(wanted)
    return found if {(each.system or "", each.id) for each in found} == wanted else dialogues


def _extremes(dialogues: Iterable[Dialogue], *ends: End) -> Iterator[list[Dialogue]]:
    """For each system, its dialogues with the lowest values (times 1 or -1), ties by id; in one pass."""
    lowest: list[list[tuple[float, Dialogue]]] = [[] for _ in ends]
    for each in dialogues:
        for kept, (system, values, direction) in zip(lowest, ends, strict=True):
            if each.system == system and each.id in values:
                kept.append((direction * values[each.id], each))
                kept[:] = nsmallest(EACH, kept, key=_value_and_id)
    return ([dialogue for _, dialogue in kept] for kept in lowest)


def _values_of(measure: str, system: str, scores: Iterable[Score], units: ScoreTable | None) -> dict[str, float]:
    """Values of a system's dialogues by id; several raters' scores are averaged."""
    found: dict[str, float] = {}
    several: dict[str, list[float]] = {}
    single = (
        (score.dialogue_id, score.value)
        for score in scores
        if score.level == "dialogue" and score.measure == measure and score.system == system
    )
    columns = units.dialogue_values(measures=[measure], systems=[system]) if units is not None else ()
    for name, value in chain(single, ((name, value) for _, name, _, value in columns)):
        if name is not None and value is not None:
            if name in found:
                several.setdefault(name, [found[name]]).append(value)
            else:
                found[name] = value
    return found | {name: sum(values) / len(values) for name, values in several.items()}


def _value_and_id(found: tuple[float, Dialogue]) -> tuple[float, str]:
    return found[0], found[1].id


def values_by_dialogue(
    scores: Iterable[Score],
    units: ScoreTable | None = None,
    *,
    measures: Collection[str] | None = None,
    about: Collection[tuple[str, str]] | None = None,
) -> dict[tuple[str, str], dict[str, float]]:
    """Dialogue values by (system, dialogue), then by measure; several raters' scores are averaged.

    Args:
        scores: scores of single dialogues; others are ignored.
        units: further ones.
        measures: full names of the measures that are wanted; None: all.
        about: (system, dialogue) that are wanted; None: all.
    """
    sums: dict[tuple[str, str], dict[str, list[float]]] = {}
    for score in scores:
        if score.level == "dialogue" and score.value is not None and score.system and score.dialogue_id:
            key = (score.system, score.dialogue_id)
            if (measures is None or score.measure in measures) and (about is None or key in about):
                sums.setdefault(key, {}).setdefault(score.measure, []).append(score.value)
    for system, dialogue, measure, value in (
        () if units is None else units.dialogue_values(measures=measures, about=about)
    ):
        sums.setdefault((system, dialogue), {}).setdefault(measure, []).append(value)
    return {key: {measure: sum(found) / len(found) for measure, found in own.items()} for key, own in sums.items()}
