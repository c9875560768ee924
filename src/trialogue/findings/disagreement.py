"""Find the dialogues on which people and a metric disagree most, as examples to inspect."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from trialogue.findings.examples import values_by_dialogue
from trialogue.findings.records import Example
from trialogue.findings.standings import League
from trialogue.records import Dialogue, Score
from trialogue.records.files.dialogue_store import as_stored
from trialogue.records.scores.score_table import ScoreTable
from trialogue.stats.arrays import midranks

MIN_DIALOGUES = 10  # dialogues with both values; among fewer, every order is an accident
APART = 0.5  # difference of ranks, as shares, below which nothing is worth opening


def disagreements(
    leagues: Sequence[League],
    dialogues: Sequence[Dialogue],
    scores: Iterable[Score],
    *,
    units: ScoreTable | None = None,
) -> tuple[Example, ...]:
    """The dialogue that people rank highest relative to a metric, and the one that the metric ranks highest relative to
    people.

    People's measure is the first one with values of dialogues, the metric the first one with a direction. What is compared
    are ranks among all dialogues that have both, as shares; ties share their middle rank, and equal gaps go by id.
    """
    people = next((league for league in leagues if league.measure.by == "people" and league.values), None)
    metric = next((each for each in leagues if each.measure.by == "metric" and _ranks(each) and each.values), None)
    if people is None or metric is None:
        return ()
    names = (people.measure.name, metric.measure.name)
    values = values_by_dialogue(scores, units, measures=names)
    held = as_stored(dialogues)
    known = held.names_among([key for key, found in values.items() if set(names) <= set(found)])
    if len(known) < MIN_DIALOGUES:
        return ()
    sides = [
        _shares([values[key][name] for key in known], up=up)
        for name, up in zip(names, map(_higher_is_better, (people, metric)), strict=True)
    ]
    # Both with higher as better: a large positive gap is a dialogue that people like and the metric does not.
    gaps = sides[0] - sides[1]
    shown = {league.measure.name for league in leagues}
    order = sorted(range(len(known)), key=lambda place: (gaps[place], known[place]))
    chosen = {
        role: known[place] for role, place in (("liked", order[-1]), ("praised", order[0])) if abs(gaps[place]) >= APART
    }
    facts = values_by_dialogue(scores, units, about=set(chosen.values()))
    found = {(each.system or "", each.id): each for each in held.with_names(set(chosen.values()))}
    return tuple(_example(role, found[key], facts[key], metric, shown) for role, key in chosen.items())


def _ranks(league: League) -> bool:
    return league.measure.better != "neither"


def _higher_is_better(league: League) -> bool:
    return league.measure.better != "lower"


def _shares(values: Sequence[float], *, up: bool) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Ranks from 0 (worst) to 1 (best), shape (n,)."""
    ranks = midranks(np.asarray(values, dtype=float) * (1.0 if up else -1.0))
    shares: np.ndarray[tuple[int], np.dtype[np.float64]] = (ranks - 1) / (len(values) - 1)
    return shares


def _example(role: str, dialogue: Dialogue, found: Mapping[str, float], metric: League, shown: set[str]) -> Example:
    return Example(
        dialogue=dialogue,
        role="liked" if role == "liked" else "praised",
        measure=metric.measure.name,
        value=found[metric.measure.name],
        facts={name: f"{value:.3g}" for name, value in sorted(found.items()) if name in shown},
    )
