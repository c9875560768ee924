"""The numbers of an evaluation as files: one row per system and measure, and one per pair of systems."""

import json
from typing import Any, TypeAlias

from trialogue.findings import Contrast, Findings, League, Standing
from trialogue.findings.protocol import ProtocolCheck
from trialogue.findings.threat import Validity, lowest_validity
from trialogue.findings.threats.protocol_texts import status
from trialogue.render.compact_letters import league_letters
from trialogue.render.document import Column, Table, from_estimate, in_files
from trialogue.render.measures import all_leagues, table_leagues
from trialogue.stats.comparison.families import FamilyMethod

Placed: TypeAlias = "tuple[League, Standing, str | None]"
"""A system on a measure, and its letters."""
Paired: TypeAlias = "tuple[League, Contrast]"
"""Two systems on a measure."""


def standings_table(findings: Findings) -> Table[Placed]:
    """``summary.csv``: one row per system and measure, best first, baselines last; unrounded, empty where undefined."""
    rows = [
        (league, standing, letters.get(standing.system))
        for league in table_leagues(findings)
        for letters in [league_letters(league)]
        for standing in (*league.standings, *league.baselines)
    ]
    columns: list[Column[Placed]] = [
        *_of_measure(),
        *in_files(by=lambda row: row[0].measure.by, system=lambda row: row[1].system),
        *from_estimate(lambda row: row[1].estimate, value="value", low="low", high="high", confidence="confidence"),
        *from_estimate(lambda row: row[1].estimate, n="n", clusters="clusters"),
        *in_files(
            rank_low=lambda row: row[1].rank_low, rank_high=lambda row: row[1].rank_high, letters=lambda row: row[2],
            skipped=lambda row: row[1].skipped,
            role=lambda row: "baseline" if row[1] in row[0].baselines else "system",
            validity=lambda row: _validity(row[0], row[1].system).value,
            why=lambda row: _reasons(row[1]),
        ),
    ]  # fmt: skip
    return Table("", rows, columns, file="summary")


def pairs_table(findings: Findings) -> Table[Paired]:
    """``pairs.csv``: one row per pair of systems and measure, and per system and best baseline."""
    columns: list[Column[Paired]] = [
        *_of_measure(),
        *in_files(a=lambda row: row[1].a, b=lambda row: row[1].b),
        *from_estimate(lambda row: row[1].difference, value="difference", low="low", high="high", confidence="confidence"),
        *from_estimate(lambda row: row[1].difference, n="n", p="p"),
        *in_files(
            p_adjusted=lambda row: row[1].p_adjusted,
            correction=lambda row: (row[0].correction if row[1] in row[0].contrasts else FamilyMethod.BONFERRONI).value,
            simultaneous_low=lambda row: row[1].simultaneous.low if row[1].simultaneous else None,
            simultaneous_high=lambda row: row[1].simultaneous.high if row[1].simultaneous else None,
            verdict=lambda row: row[1].verdict, validity=lambda row: row[1].validity.value,
        ),
        *from_estimate(lambda row: row[1].difference, why="why"),
    ]  # fmt: skip
    rows = [(league, pair) for league in all_leagues(findings) for pair in _pairs(league)]
    return Table("", rows, columns, file="pairs")


Fact: TypeAlias = "tuple[str, str, str, str, float | int | str | None]"
"""What a sample is made of: (what is counted, of what, beside what, quantity, value)."""


def sample_table(findings: Findings) -> Table[Fact]:
    """``sample.csv``: what was compared, one fact a row: factors beside each other, units of systems, columns of ratings."""
    rows: list[Fact] = []
    for each in findings.sample.crossings:
        facts = each.model_dump(include={"levels", "others", "cells", "several", "every"}) | {
            "design": each.design.value
        }
        rows += [("factor", each.factor.value, each.beside.value, name, value) for name, value in facts.items()]
    for units in findings.sample.units:
        facts = units.model_dump(mode="json", exclude={"system", "sources", "suspects", "is_of_situations"})
        facts |= {f"source {name}": value for name, value in units.sources.items()}
        facts |= {f"suspected {sign.value}": value for sign, value in units.suspects.items()}
        kind = "situations" if units.is_of_situations else "dialogues"
        rows += [(kind, units.system, "", name, value) for name, value in facts.items()]
    for column in findings.sample.columns:
        scale = column.scale
        facts = column.model_dump(include={"ratings", "raters", "largest_share", "low", "high"})
        facts |= {"scale_low": scale.low if scale else None, "scale_high": scale.high if scale else None}
        facts["draw"] = column.draw.value
        facts["by"] = " ".join(each.value for each in column.origins)
        rows += [("ratings", column.measure, "", name, value) for name, value in facts.items()]
        for quantity, counts in (("rated", column.rated), ("units", column.units)):
            rows += [("ratings", column.measure, system, quantity, value) for system, value in counts.items()]
    columns: list[Column[Fact]] = in_files(
        kind=lambda row: row[0], of=lambda row: row[1], beside=lambda row: row[2],
        quantity=lambda row: row[3], value=lambda row: row[4],
    )  # fmt: skip
    return Table("", rows, columns, file="sample")


def _of_measure() -> list[Column[Any]]:
    return in_files(
        measure=lambda row: row[0].measure.name,
        title=lambda row: row[0].measure.title,
        better=lambda row: row[0].measure.better,
        unit=lambda row: row[0].measure.unit,
    )


def summary_json(findings: Findings) -> str:
    """``summary.json``: the answer, and the same tables as objects; null where undefined."""
    content = {
        "title": findings.title,
        "answer": [statement.text for statement in findings.answer],
        "primary": findings.primary,
        "alpha": findings.alpha,
        "correction": findings.correction,
        "systems": [facts.model_dump() for facts in findings.systems],
        "standings": standings_table(findings).tidy(),
        "pairs": pairs_table(findings).tidy(),
        "protocol": _protocol(findings.protocol),
        "threats": [threat.to_json() for threat in findings.threats],
        "warnings": list(findings.warnings),
        "seed": findings.manifest.seed,
        "versions": findings.manifest.versions,
        "data": findings.manifest.data_hash,
    }
    return json.dumps(content, indent=1) + "\n"  # ASCII: a name may hold what UTF-8 cannot


def _protocol(check: ProtocolCheck | None) -> dict[str, Any] | None:
    """Whether the decision protocol was kept; null where this is no experiment."""
    if check is None:
        return None
    return {
        "status": status(check),
        "sha256": check.sha256,
        "kept": check.is_kept if check.sha256 is not None else None,
        "data_existed": check.data_existed,
        "protocol": None if check.protocol is None else check.protocol.model_dump(mode="json"),
        "deviations": [deviation.to_json() for deviation in check.deviations],
    }


def _pairs(league: League) -> tuple[Contrast, ...]:
    return (*league.contrasts, *league.above_baseline)


def _validity(league: League, system: str) -> Validity:
    """Validity of the verdicts in favour of a system after the gate; blocked if all its verdicts are."""
    own = [pair for pair in _pairs(league) if system in (pair.a, pair.b)]
    if own and all(pair.validity is Validity.BLOCKED for pair in own):
        return Validity.BLOCKED
    return lowest_validity([league.validity, *(pair.validity for pair in own if pair.leader == system)])


def _reasons(standing: Standing) -> str | None:
    return "; ".join(str(why) for why in (standing.estimate.why, standing.left_out) if why is not None) or None
