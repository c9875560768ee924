"""Plain-text rendering of the answer and the league table for the terminal."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialogue.findings import Findings, League, Standing
from trialogue.findings.threat import ThreatCode
from trialogue.report.compact_letters import league_letters
from trialogue.report.evaluation.reading import reading_lines, sample_line
from trialogue.report.evaluation.threats import terminal_lines
from trialogue.report.long_names import with_short_names
from trialogue.report.measures import (
    ARROWS,
    baselines_in_order,
    correction_words,
    split_columns,
    system_names,
    systems_in_order,
    table_leagues,
)
from trialogue.report.numbers import MISSING, bounds, column_decimals, level, number
from trialogue.report.terminal import columns, draw_table, new_table, wrap_sentences
from trialogue.report.text import one_line, short_names

if TYPE_CHECKING:
    from rich.table import Table

NARROWEST, WIDEST = 40, 160
LONGEST_NAME = 28
COLUMN = 17  # what "[0.174, 0.431]" or "n=2, per_response" needs


def text_table(findings: Findings, *, width: int | None = None) -> str:
    """Render the answer and the league table with intervals and letters, split to the width, baselines below a rule.

    Args:
        findings: findings to print.
        width: columns of the terminal; its own by default, 80 where there is none.
    """
    findings = with_short_names(findings, system_names(findings))
    width = columns(width, least=NARROWEST, most=WIDEST)
    systems = systems_in_order(findings)
    leagues = table_leagues(findings)
    names = [*systems, *baselines_in_order(leagues)]
    fitting = max(1, (width - min(LONGEST_NAME, max(map(len, names), default=10)) - 2) // (COLUMN + 2))
    parts_of_table = split_columns(leagues, fitting)
    tables = [draw_table(_table(part, systems), width) for part in parts_of_table]
    threats = ["\n".join(_wrap(line, width) for line in terminal_lines(findings))] if findings.threats else []
    parts = [
        wrap_sentences((statement.text for statement in findings.answer), width),
        *filter(None, threats),
        wrap_sentences([sample_line(findings), *reading_lines(findings)], width),
        *tables,
        *_legend(findings, leagues, width),
    ]
    return "\n\n".join(parts)


def _wrap(line: str, width: int) -> str:
    return textwrap.fill(one_line(line), width, subsequent_indent="    ")


def _table(leagues: Sequence[League], systems: Sequence[str]) -> "Table":
    from rich.text import Text

    table = new_table()
    table.add_column("")
    for league in leagues:
        name = league.measure.measured.detail
        under = f"\n{name}" if name and name.lower() != league.measure.title.lower() else ""
        head = f"{one_line(league.measure.title)} {ARROWS[league.measure.better]}{under}"
        table.add_column(Text(head), justify="left", overflow="fold")
    texts = [_column(league) for league in leagues]
    baselines = baselines_in_order(leagues)
    names = short_names([*systems, *baselines], LONGEST_NAME)
    for system in systems:
        cells = [Text(column.get(system, MISSING)) for column in texts]
        table.add_row(Text(one_line(names[system])), *cells)
    table.add_section()
    for baseline in baselines:
        cells = [Text(column.get(baseline, MISSING)) for column in texts]
        table.add_row(Text(one_line(names[baseline])), *cells)
    return table


def _column(league: League) -> dict[str, str]:
    decimals = column_decimals(standing.estimate for standing in league.standings)
    letters = league_letters(league)
    return {s.system: _cell(s, decimals, letters.get(s.system, "")) for s in (*league.standings, *league.baselines)}


def _cell(standing: Standing, decimals: int, letters: str) -> str:
    estimate = standing.estimate
    if estimate.value is None:
        return MISSING
    text = number(estimate.value, decimals) + (f" {letters}" if letters else "")
    return text + (f"\n{bounds(estimate.interval, decimals)}" if estimate.interval else "\n(no interval)")


def _legend(findings: Findings, leagues: Sequence[League], width: int) -> list[str]:
    words = []
    if any(league_letters(league) for league in leagues):
        words.append(
            "Systems that share a letter do not differ significantly "
            f"({correction_words(findings.correction, '-corrected')}, α = {level(findings.alpha)})."
        )
    for threat in findings.threats:
        if threat.code is ThreatCode.SEVERAL_MEASURES:
            words.append(
                f"{threat.facts['measures']} measures were tested; p-values are corrected within each, not across."
            )
    if baselines_in_order(leagues):
        words.append("Below the rule: baselines that ignore the user, without rank.")
    if any(standing.estimate.value is None for league in leagues for standing in league.standings):
        words.append(f"{MISSING}: undefined; the report gives the reason.")
    return [textwrap.fill(" ".join(words), width)] if words else []
