"""Columns of an experiment's league table, one or two per stage kind, with their units."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from trialogue.findings import Findings, League, Votes
from trialogue.findings.agreement.answer import full_title
from trialogue.findings.agreement.columns import Column, Kind, Unit
from trialogue.records import Record, Score
from trialogue.records.base import Block
from trialogue.records.files.jsonl import parse_line, read_lines
from trialogue.records.score import AGGREGATE
from trialogue.report import read_findings

SCORES = "scores.jsonl"
VOTES = "Votes"
LEVELS = ("dialogue", "response")
"""Units that system values are means of, the coarser first."""


def columns_of(people: Path, simulated: Mapping[str, Path], aligned: Path | None) -> list[Column]:
    """Columns of human judgements and votes, of measured and aligned values, and of each kind of simulated users.

    Of each, the measure that its answer rests on; of what was measured of people's talks, the first that ranks systems.

    Args:
        people: folder of what was measured of talks with people.
        simulated: folder of what was measured of talks with simulated users, by their name.
        aligned: folder of an alignment.
    """
    found = read_findings(people)
    judged = _first_league(found, "people")
    clusters = _people_in(people / SCORES, judged.measure.name) if judged else {}
    columns = [_column(judged, "judged", "people", people, clusters)] if judged else []
    columns += _vote_columns(found.votes)
    measured = _first_league(found, "metric")
    columns += [_column(measured, "measured", "people", people, clusters)] if measured else []
    if aligned is not None and (league := _primary(read_findings(aligned))) is not None:
        columns.append(_column(league, "measured", "situations", aligned, {}))
    for users, folder in simulated.items():
        if (league := _primary(read_findings(folder))) is not None:
            columns.append(_column(league, "simulated", users, folder, {}, suffix=f", {users}"))
    return columns


def _first_league(found: Findings, by: str) -> League | None:
    """The first league that ranks and has values; the one that the answer rests on, if it is among them."""
    ranked = [
        league
        for league in found.leagues
        if league.measure.by == by
        and league.measure.better != "neither"
        and any(each.estimate.value is not None for each in league.standings)
    ]
    chosen = [each for each in ranked if each.measure.name == found.primary]
    return next(iter([*chosen, *ranked]), None)


def _primary(found: Findings) -> League | None:
    return next((each for each in found.leagues if each.measure.name == found.primary), None)


def _column(
    league: League, kind: Kind, source: str, folder: Path, people: Mapping[Unit, str], *, suffix: str = ""
) -> Column:
    sign = -1.0 if league.measure.better == "lower" else 1.0
    shown = {each.system: each.estimate.value for each in league.standings}
    units, clusters = _units(folder / SCORES, league.measure.name)
    return Column(
        kind=kind,
        title=f"{full_title(league.measure)}{suffix}",
        source=source,
        values={system: sign * value for system, value in shown.items() if value is not None},
        units={unit: sign * value for unit, value in units.items()},
        clusters={**clusters, **people},
    )


def _units(scores: Path, measure: str) -> tuple[dict[Unit, float], dict[Unit, str]]:
    """(the mean score of each dialogue, or of each reply to a situation; the dialogue of each)."""
    by_level: dict[str, dict[Unit, list[float]]] = {level: {} for level in LEVELS}
    clusters: dict[Unit, str] = {}
    for score in _scores(scores, measure):
        name = score.dialogue_id if score.level == "dialogue" else score.situation_id
        if score.level in by_level and score.value is not None and score.system and name:
            unit = (score.system, name)
            by_level[score.level].setdefault(unit, []).append(score.value)
            clusters[unit] = score.dialogue_id or name
    found = next((units for units in by_level.values() if units), {})
    return {unit: sum(values) / len(values) for unit, values in found.items()}, clusters


def _people_in(scores: Path, question: str) -> dict[Unit, str]:
    """The person of each dialogue, where every dialogue was judged by one known person alone; else {}."""
    raters: dict[Unit, set[str]] = {}
    for score in _scores(scores, question):
        if score.level == "dialogue" and score.rater and score.system and score.dialogue_id:
            raters.setdefault((score.system, score.dialogue_id), set()).add(score.rater)
    alone = all(len(each) == 1 and AGGREGATE not in each for each in raters.values())
    return {unit: next(iter(each)) for unit, each in raters.items()} if alone else {}


def _scores(path: Path, measure: str) -> Iterator[Score]:
    """The scores of one measure in a file that holds those of all."""
    kinds: dict[str, type[Record]] = {Score.kind: Score}
    kinds |= {Score.block.kind: Score.block} if Score.block is not None else {}
    named = f'"measure":{json.dumps(measure, ensure_ascii=False)}'
    for _, text in read_lines(path):
        if named in text:
            record = parse_line(text, kinds)
            found = record.records() if isinstance(record, Block) else (cast(Score, record),)
            yield from (score for score in found if score.measure == measure)


def _vote_columns(votes: Votes | None) -> list[Column]:
    """The order by votes, taken as it is: votes have no dialogues to be resampled with."""
    if votes is None:
        return []
    strengths = {each.system: each.strength.value for each in votes.strengths}
    known = {system: value for system, value in strengths.items() if value is not None}
    return [Column("judged", VOTES, "votes", known, {}, {})] if known else []
