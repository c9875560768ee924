"""Columns of an experiment's league table: one or two from each folder of results, with the values of their units.

A unit is a dialogue, or a reply to a situation; columns share units where both were measured of the same ones.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from trialogue.findings import Findings, League, Votes
from trialogue.findings.systems.answer import first_to_show
from trialogue.findings.titles import SIMULATED
from trialogue.records import Record, Score
from trialogue.records.base import Block
from trialogue.records.files.jsonl import parse_line, read_lines
from trialogue.records.runs import open_run
from trialogue.records.score import AGGREGATE
from trialogue.subjects.agreement.columns import Column, Kind, Unit
from trialogue.subjects.evaluation.pages.write import read_findings

SCORES = "scores.jsonl"
VOTES = "Votes"
LEVELS = ("dialogue", "response")
"""Units that system values are means of, the coarser first."""


def columns_of(human_folder: Path, simulated_folders: Mapping[str, Path], aligned_folder: Path | None) -> list[Column]:
    """Columns of human judgements and votes, of measured and aligned values, and of each kind of simulated users.

    Each folder has one column, that of its primary measure. The folder of dialogues with people has up to three: the
    primary judgement, the votes, and the primary metric (or the first that ranks systems, if the primary is none).

    Args:
        human_folder: results of evaluating dialogues with people.
        simulated_folders: results of evaluating dialogues with simulated users, by the users' name.
        aligned_folder: results of an alignment; None: there is none.
    """
    findings = read_findings(human_folder)
    judged = _first_league(findings, "people")
    raters = _single_raters(human_folder, judged.measure.name) if judged else {}
    columns = [_column(judged, "judged", "people", human_folder, raters=raters)] if judged else []
    columns += _vote_columns(findings.votes)
    measured = _first_league(findings, "metric")
    columns += [_column(measured, "measured", "people", human_folder, raters=raters)] if measured else []
    if aligned_folder is not None and (league := _primary(read_findings(aligned_folder))) is not None:
        columns.append(_column(league, "measured", "situations", aligned_folder))
    for users, folder in simulated_folders.items():
        if (league := _primary(read_findings(folder))) is not None:
            named = users if len(simulated_folders) > 1 else SIMULATED
            columns.append(_column(league, "simulated", users, folder, suffix=f", {named}"))
    return columns


def _first_league(findings: Findings, by: str) -> League | None:
    """Of the leagues of people or of metrics that rank systems and have values, the primary one; else the first."""
    ranked = [
        league
        for league in findings.leagues
        if league.measure.by == by
        and league.measure.better != "neither"
        and any(each.estimate.value is not None for each in league.standings)
    ]
    primary = [each for each in ranked if each.measure.name == findings.primary]
    return next(iter([*primary, *ranked]), None)


def _primary(findings: Findings) -> League | None:
    """The league that the answer rests on; where none can decide, the one that stands for the part in tables."""
    named = next((each for each in findings.leagues if each.measure.name == findings.primary), None)
    valued = [each for each in findings.leagues if any(one.estimate.value is not None for one in each.standings)]
    return named or (first_to_show(valued) if valued else None)


def _column(
    league: League,
    kind: Kind,
    source: str,
    folder: Path,
    *,
    raters: Mapping[Unit, str] | None = None,
    suffix: str = "",
) -> Column:
    """A league as a column, turned so that higher is better.

    Args:
        league: league of the results.
        kind: kind of the column.
        source: whom or what it was measured of.
        folder: the results.
        raters: the person who judged each unit, whose dialogues are resampled together; None: units of a dialogue are.
        suffix: end of the title.
    """
    sign = -1.0 if league.measure.better == "lower" else 1.0
    value_by_system = {each.system: each.estimate.value for each in league.standings}
    units = _unit_values(folder, league.measure.name)
    return Column(
        kind=kind,
        title=f"{league.measure.title}{suffix}",
        source=source,
        values={system: sign * value for system, value in value_by_system.items() if value is not None},
        units={unit: sign * value for unit, value in units.means.items()},
        clusters={**units.dialogues, **(raters or {})},
    )


@dataclass(frozen=True)
class _UnitValues:
    means: dict[Unit, float]
    """Mean score of each dialogue, or of each reply to a situation."""
    dialogues: dict[Unit, str]
    """The dialogue that each of them belongs to."""


def _unit_values(folder: Path, measure: str) -> _UnitValues:
    """Values of the coarsest units that have any."""
    by_level: dict[str, dict[Unit, list[float]]] = {level: {} for level in LEVELS}
    dialogues: dict[Unit, str] = {}
    for score in _scores(folder, measure):
        name = score.dialogue_id if score.level == "dialogue" else score.situation_id
        if score.level in by_level and score.value is not None and score.system and name:
            unit = (score.system, name)
            by_level[score.level].setdefault(unit, []).append(score.value)
            dialogues[unit] = score.dialogue_id or name
    coarsest = next((units for units in by_level.values() if units), {})
    return _UnitValues({unit: sum(values) / len(values) for unit, values in coarsest.items()}, dialogues)


def _single_raters(folder: Path, question: str) -> dict[Unit, str]:
    """The person of each dialogue, where every dialogue was judged by one known person alone; else {}."""
    raters: dict[Unit, set[str]] = {}
    for score in _scores(folder, question):
        if score.level == "dialogue" and score.rater and score.system and score.dialogue_id:
            raters.setdefault((score.system, score.dialogue_id), set()).add(score.rater)
    one_rater_each = all(len(each) == 1 and AGGREGATE not in each for each in raters.values())
    return {unit: next(iter(each)) for unit, each in raters.items()} if one_rater_each else {}


def _scores(folder: Path, measure: str) -> Iterator[Score]:
    """The scores of one measure of a run."""
    kinds: dict[str, type[Record]] = {Score.kind: Score}
    kinds |= {Score.block.kind: Score.block} if Score.block is not None else {}
    # Most lines are of other measures and need not be parsed: a line that does not hold the name, as JSON writes
    # it, is skipped. The test of this function fails if records are ever written with other escapes.
    name_in_json = json.dumps(measure, ensure_ascii=False)
    for _, text in read_lines(folder / SCORES, opener=open_run(folder).open):
        if name_in_json in text:
            record = parse_line(text, kinds)
            scores = record.records() if isinstance(record, Block) else (cast(Score, record),)
            yield from (score for score in scores if score.measure == measure)


def _vote_columns(votes: Votes | None) -> list[Column]:
    """The order by votes, taken as it is: votes have no dialogues to be resampled with."""
    if votes is None:
        return []
    strengths = {each.system: each.strength.value for each in votes.strengths}
    known = {system: value for system, value in strengths.items() if value is not None}
    return [Column("judged", VOTES, "votes", known, {}, {})] if known else []
