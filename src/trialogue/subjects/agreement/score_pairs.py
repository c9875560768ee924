"""Join human and metric scores by unit, into the table that all agreement statistics use.

A unit is a turn (a reply or utterance), a dialogue or a system. Human scores have a rater, metric scores have none. Several
people's scores of one unit are averaged; the single scores are kept for noise ceilings. Nothing here depends on how a score
was computed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from trialogue.findings.validity import Where
from trialogue.records import Scale, Score
from trialogue.records.score import AGGREGATE

Floats = npt.NDArray[np.float64]
Key = tuple[str, str | None, str | None, int | None]
"""(system, dialogue, situation, utterance)."""
DialogueKey = tuple[str, str | None, str | None]
"""(system, dialogue, situation): a key without its utterance."""

UNIT: dict[str, Where] = {"utterance": "turn", "response": "turn", "dialogue": "dialogue"}
GROUP_OF_ALL = ""


@dataclass(frozen=True)
class JudgedUnits:
    """Units of one question at one level, with every measure's values."""

    question: str
    """Name of the people's measure."""
    level: Where
    keys: tuple[Key, ...]
    people: Floats
    """Mean rating of each unit, shape (n,)."""
    raters: tuple[dict[str, float], ...]
    """Rating of each unit by rater."""
    systems: tuple[str, ...]
    """System of each unit."""
    groups: tuple[str, ...]
    """Group of each unit, such as its dataset; "" where there are none."""
    clusters: tuple[str, ...]
    """Resampling units: the person if each dialogue has one of its own, else the dialogue."""
    clustered_by: str
    """``"person"`` or ``"dialogue"``."""
    values: dict[str, Floats]
    """Value of each measure for each unit, NaN where it has none, shape (n,); measures without any value are not there."""

    @property
    def users(self) -> tuple[str, ...] | None:
        """Person of each unit; None if a unit has several raters, or if no person rated two units."""
        known = self.clustered_by == "person" and len(set(self.clusters)) < len(self.clusters)
        return self.clusters if known else None

    scale: Scale | None = None
    """The scale of the answers, where it was declared."""

    @property
    def is_binary(self) -> bool:
        """Whether the question has two answers, 0 and 1, and both occur: by its scale, and by what occurs where none is
        declared."""
        may_be = self.scale is None or self.scale.is_share
        return may_be and set(np.unique(self.people).tolist()) == {0.0, 1.0}


def judgement_tables(scores: Iterable[Score], *, group_of: Callable[[str], str] | None = None) -> list[JudgedUnits]:
    """One table per question and level with at least two rated units; by level, then by name.

    Args:
        scores: scores of people and measures, of turns and dialogues; others are ignored. Streamed.
        group_of: the group of a system, such as its dataset.
    """
    asked: dict[tuple[str, Where], dict[Key, dict[str, list[float]]]] = defaultdict(dict)
    said: dict[tuple[str, Where], dict[Key, float]] = defaultdict(dict)
    scales: dict[tuple[str, Where], Scale | None] = {}
    for score in scores:
        level = UNIT.get(score.level)
        if level is None or score.value is None:
            continue
        key = (score.system or "", score.dialogue_id, score.situation_id, score.utterance)
        if score.rater is None:
            said[score.measure, level][key] = score.value
        else:
            asked[score.measure, level].setdefault(key, {}).setdefault(score.rater, []).append(score.value)
            scales[score.measure, level] = scales.get((score.measure, level)) or score.scale
    tables = [
        replace(_table(question, level, units, said, asked, group_of), scale=scales[question, level])
        for (question, level), units in sorted(asked.items())
    ]
    return [table for table in tables if len(table.keys) > 1]


def _table(
    question: str,
    level: Where,
    units: dict[Key, dict[str, list[float]]],
    said: dict[tuple[str, Where], dict[Key, float]],
    asked: dict[tuple[str, Where], dict[Key, dict[str, list[float]]]],
    group_of: Callable[[str], str] | None,
) -> JudgedUnits:
    keys = tuple(sorted(units, key=lambda key: tuple("" if part is None else f"{part!s:>9}" for part in key)))
    raters = tuple({rater: float(np.mean(given)) for rater, given in units[key].items()} for key in keys)
    clusters, clustered_by = _clusters(keys, raters)
    values = {measure: _column(found, keys) for (measure, where), found in sorted(said.items()) if where == level}
    people = {rater for given in units.values() for rater in given}
    others = {  # what other people say of the same units is a measure, too; what the same people say is not
        name: _column({key: _mean(given) for key, given in found.items()}, keys)
        for (name, where), found in sorted(asked.items())
        if where == level and people.isdisjoint(rater for given in found.values() for rater in given)
    }
    return JudgedUnits(
        question=question,
        level=level,
        keys=keys,
        people=np.array([float(np.mean(list(given.values()))) for given in raters]),
        raters=raters,
        systems=tuple(key[0] for key in keys),
        groups=tuple(group_of(key[0]) if group_of else GROUP_OF_ALL for key in keys),
        clusters=clusters,
        clustered_by=clustered_by,
        values={name: column for name, column in {**values, **others}.items() if not np.isnan(column).all()},
    )


def _mean(given: dict[str, list[float]]) -> float:
    return float(np.mean([np.mean(ratings) for ratings in given.values()]))


def _column(found: dict[Key, float], keys: Sequence[Key]) -> Floats:
    return np.array([found.get(key, np.nan) for key in keys], dtype=np.float64)


def _clusters(keys: Sequence[Key], raters: Sequence[dict[str, float]]) -> tuple[tuple[str, ...], str]:
    """People where each dialogue was judged by one person alone, who may have judged several; else dialogues."""
    by_dialogue: dict[tuple[str, str | None, str | None], set[str]] = defaultdict(set)
    for key, given in zip(keys, raters, strict=True):
        by_dialogue[key[:3] if key[1] is None else (key[0], key[1], None)].update(given)
    alone = all(len(given) == 1 and AGGREGATE not in given for given in by_dialogue.values())
    if alone:
        return tuple(next(iter(given)) for given in raters), "person"
    # A dialogue that several systems' replies continue is one cluster for all of them.
    return tuple(key[1] or key[2] or f"unit {place}" for place, key in enumerate(keys)), "dialogue"


def system_means(table: JudgedUnits, column: Floats) -> dict[str, float]:
    """Mean of a column (people's or a measure's) by system, over the units that have a value."""
    found: dict[str, list[float]] = defaultdict(list)
    for system, value in zip(table.systems, column.tolist(), strict=True):
        if not np.isnan(value):
            found[system].append(value)
    return {system: float(np.mean(values)) for system, values in sorted(found.items())}
