"""Report numbers as tables: one row per system and measure, and one per pair of systems."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trialogue.findings import Contrast, Findings, League, Standing
from trialogue.findings.protocol import ProtocolCheck
from trialogue.findings.threat import Validity, lowest_validity
from trialogue.findings.threats.protocol_texts import status
from trialogue.records import Estimate
from trialogue.records.files.cells import csv_text
from trialogue.report.compact_letters import league_letters
from trialogue.report.measures import all_leagues, table_leagues
from trialogue.stats.comparison.families import FamilyMethod

_TOGETHER = ["correction", "simultaneous_low", "simultaneous_high"]  # single-step: of all pairs of the measure together
_MEASURE, _ENDS = ["measure", "title", "better", "unit"], ["low", "high", "confidence"]
STANDING_FIELDS = [
    *_MEASURE,
    *[
        "by",
        "system",
        "value",
        *_ENDS,
        "n",
        "clusters",
        "rank_low",
        "rank_high",
        "letters",
        "skipped",
        "role",
        "validity",
        "why",
    ],
]
PAIR_FIELDS = [
    *_MEASURE,
    "a",
    "b",
    "difference",
    *_ENDS,
    "n",
    "p",
    "p_adjusted",
    *_TOGETHER,
    "verdict",
    "validity",
    "why",
]


def standing_rows(findings: Findings) -> list[dict[str, Any]]:
    """One row per system and measure, best first, baselines last; None where undefined."""
    rows = (row for league in table_leagues(findings) for row in _standing_rows(league))
    return [{field: row[field] for field in STANDING_FIELDS} for row in rows]


def pair_rows(findings: Findings) -> list[dict[str, Any]]:
    """One row per pair of systems and measure, and per system and best baseline; None where undefined."""
    rows = (_pair_row(league, pair) for league in all_leagues(findings) for pair in _pairs(league))
    return [{field: row[field] for field in PAIR_FIELDS} for row in rows]


def summary_csv(findings: Findings) -> str:
    """``summary.csv``: one row per system and measure, best first, baselines last; unrounded, empty where undefined."""
    return table_csv(STANDING_FIELDS, standing_rows(findings))


def pairs_csv(findings: Findings) -> str:
    """``pairs.csv``: one row per pair of systems and measure, and per system and best baseline."""
    return table_csv(PAIR_FIELDS, pair_rows(findings))


def summary_json(findings: Findings) -> str:
    """``summary.json``: the answer, and the same tables as objects; null where undefined."""
    content = {
        "title": findings.title,
        "answer": [statement.text for statement in findings.answer],
        "primary": findings.primary,
        "alpha": findings.alpha,
        "correction": findings.correction,
        "systems": [facts.model_dump() for facts in findings.systems],
        "standings": [row for league in table_leagues(findings) for row in _standing_rows(league)],
        "pairs": [_pair_row(league, pair) for league in all_leagues(findings) for pair in _pairs(league)],
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


def _standing_rows(league: League) -> Iterable[dict[str, Any]]:
    measure, letters = league.measure, league_letters(league)
    for standing in (*league.standings, *league.baselines):
        yield {
            "measure": measure.name,
            "title": measure.title,
            "by": measure.by,
            "better": measure.better,
            "unit": measure.unit,
            "system": standing.system,
            "value": standing.estimate.value,
            **_ends(standing.estimate),
            "n": standing.estimate.n,
            "clusters": standing.estimate.clusters,
            "rank_low": standing.rank_low,
            "rank_high": standing.rank_high,
            "letters": letters.get(standing.system),
            "skipped": standing.skipped,
            "role": "baseline" if standing in league.baselines else "system",
            "validity": _validity(league, standing.system).value,
            "why": _reasons(standing),
        }


def _validity(league: League, system: str) -> Validity:
    """Validity of the verdicts in favour of a system after the gate; blocked if all its verdicts are."""
    own = [pair for pair in _pairs(league) if system in (pair.a, pair.b)]
    if own and all(pair.validity is Validity.BLOCKED for pair in own):
        return Validity.BLOCKED
    return lowest_validity([league.validity, *(pair.validity for pair in own if pair.leader == system)])


def _reasons(standing: Standing) -> str | None:
    return "; ".join(str(why) for why in (standing.estimate.why, standing.left_out) if why is not None) or None


def _pair_row(league: League, pair: Contrast) -> dict[str, Any]:
    measure, difference = league.measure, pair.difference
    return {
        "measure": measure.name,
        "title": measure.title,
        "better": measure.better,
        "unit": measure.unit,
        "a": pair.a,
        "b": pair.b,
        "difference": difference.value,
        **_ends(difference),
        "n": difference.n,
        "p": difference.p,
        "p_adjusted": pair.p_adjusted,
        "correction": (league.correction if pair in league.contrasts else FamilyMethod.HOLM).value,
        "simultaneous_low": pair.simultaneous.low if pair.simultaneous else None,
        "simultaneous_high": pair.simultaneous.high if pair.simultaneous else None,
        "verdict": pair.verdict,
        "validity": pair.validity.value,
        "why": None if difference.why is None else str(difference.why),
    }


def _ends(estimate: Estimate) -> dict[str, float | None]:
    interval = estimate.interval
    return {
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "confidence": interval.confidence if interval else None,
    }


def table_csv(fields: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Format rows as CSV with cells guarded against formula injection; summary.json has the raw texts."""
    return csv_text(fields, ([row.get(field) for field in fields] for row in rows))
