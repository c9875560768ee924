"""One side of a version comparison: a run's system values and the unit values behind them."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TypeAlias

from trialogue.findings.records import Findings
from trialogue.findings.standings import Measure
from trialogue.records import Estimate, Score
from trialogue.records.score import AGGREGATE

SAME = 1e-9  # relative difference up to which a mean of single values is the system's value
Units: TypeAlias = tuple[tuple[str, str, float], ...]
"""(unit, cluster, value)."""


@dataclass(frozen=True)
class SystemSample:
    """One run's data on one system."""

    name: str
    """Name in the comparison."""
    system: str
    """Name in the run."""
    measures: Mapping[str, Measure]
    """Measures by full name, in the run's order."""
    values: Mapping[str, Estimate]
    """The system's value by measure, as the run reports it; only those that are defined."""
    units: Mapping[str, Units]
    """(unit, cluster, value) by measure."""
    situations: frozenset[str] = frozenset()
    """Units that are situations which the system answered."""


@dataclass
class _UnitValues:
    """Single values of one measure, by level."""

    dialogues: list[tuple[str, str | None, float]] = field(default_factory=list)
    replies: list[tuple[str, str, float]] = field(default_factory=list)


def collect_system(name: str, system: str, findings: Findings, scores: Iterable[Score]) -> SystemSample:
    """Collect a run's data on a system.

    Dialogues that one person had are one cluster where people's ratings tell who had them; else each dialogue is one.
    """
    measures = {league.measure.name: league.measure for league in findings.leagues}
    values = {
        league.measure.name: standing.estimate
        for league in findings.leagues
        for standing in (*league.standings, *league.baselines)
        if standing.system == system and standing.estimate.value is not None
    }
    kept: dict[str, _UnitValues] = {}
    people: dict[str, set[str]] = {}
    situations: set[str] = set()
    for score in scores:
        if score.system != system or score.value is None or score.measure not in measures:
            continue
        found = kept.setdefault(score.measure, _UnitValues())
        if score.level == "dialogue" and score.dialogue_id is not None:
            found.dialogues.append((score.dialogue_id, score.rater, score.value))
            if score.rater not in (None, AGGREGATE) and measures[score.measure].by == "people":
                people.setdefault(score.dialogue_id, set()).add(str(score.rater))
        elif score.level in ("response", "utterance"):
            unit = score.situation_id or f"{score.dialogue_id}#{score.utterance}"
            situations.update({unit} if score.situation_id else ())
            found.replies.append((unit, score.dialogue_id or unit, score.value))
    owner = {dialogue: next(iter(who)) for dialogue, who in people.items() if len(who) == 1}
    units = {measure: _units(found, values.get(measure), owner, situations) for measure, found in kept.items()}
    own = {name: found for name, found in units.items() if found}
    return SystemSample(name, system, measures, values, own, frozenset(situations))


def _units(kept: _UnitValues, value: Estimate | None, owner: Mapping[str, str], situations: AbstractSet[str]) -> Units:
    """The single values whose mean is the system's value; () if there are none such.

    Of replies to situations the replies, because versions may have answered different ones of a dialogue; else dialogues
    first.
    """
    talks = tuple((dialogue, owner.get(dialogue, dialogue), number) for dialogue, _, number in kept.dialogues)
    replies = tuple((unit, owner.get(talk, talk), number) for unit, talk, number in kept.replies)
    answers = bool(replies) and all(unit in situations for unit, _, _ in replies)
    for candidate in (replies, talks) if answers else (talks, replies):
        numbers = [number for _, _, number in candidate]
        if numbers and value is not None and value.value is not None and _is_mean(numbers, value.value):
            return candidate
    return ()


def _is_mean(numbers: Sequence[float], value: float) -> bool:
    mean = sum(numbers) / len(numbers)
    return abs(mean - value) <= SAME * max(1.0, abs(value))
