"""Agreement as plain text, for a terminal."""

import io
import shutil
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialogue.metaeval.agreed import AgreementFindings, RatingAgreement
from trialogue.metaeval.agreement_answer import main_statistic, title_of
from trialogue.records import Estimate
from trialogue.report.numbers import MISSING, bounds, number
from trialogue.report.plots.agreement import statistic_name
from trialogue.report.text import one_line, shortened

if TYPE_CHECKING:
    from rich.table import Table

NARROWEST, WIDEST, DECIMALS, LONGEST = 60, 130, 3, 40


def agreement_text(findings: AgreementFindings, *, width: int | None = None) -> str:
    """The answer, then a table for each question, and one for choices.

    Args:
        findings: what to tell.
        width: columns of the terminal; its own by default, 80 where there is none.
    """
    width = min(WIDEST, max(NARROWEST, width or shutil.get_terminal_size((80, 24)).columns))
    parts = ["\n".join(textwrap.fill(one_line(sentence), width) for sentence in findings.answer)]
    for question, level in dict.fromkeys((each.question, each.level) for each in findings.ratings):
        ratings = [each for each in findings.ratings if (each.question, each.level) == (question, level)]
        parts.append(_rendered(_ratings(findings, f"{one_line(question)} ({level}s)", ratings), width))
    if findings.preferences:
        parts.append(_rendered(_choices(findings), width))
    if findings.floors:
        parts.append("* a floor: it costs nothing, and any other measure must beat it.")
    return "\n\n".join(parts)


def _ratings(findings: AgreementFindings, title: str, ratings: Sequence[RatingAgreement]) -> "Table":
    statistic = main_statistic(ratings)
    table = _table([title, statistic_name(statistic), "within systems", "between, ρ", "units"])
    order = sorted(ratings, key=lambda each: -(_value(each) or 0.0))
    for each in order:
        found = [each.get(statistic), each.get(statistic, "within"), each.get("spearman", "between")]
        cells = [_cell(one.estimate if one else None) for one in found]
        table.add_row(_name(findings, each.measure), *cells, f"{each.scored}/{each.rated}")
    return table


def _value(each: RatingAgreement) -> float | None:
    found = each.get(main_statistic([each]))
    return found.estimate.value if found else None


def _choices(findings: AgreementFindings) -> "Table":
    table = _table(["votes between two sides", "Cohen's kappa", "decisive shared", "ties", "votes"])
    order = sorted(findings.preferences, key=lambda each: -(each.kappa.value if each.kappa.value is not None else -2.0))
    for each in order:
        name = _name(findings, each.measure)
        cells = [_cell(each.kappa), _cell(each.accuracy)]
        table.add_row(name, *cells, f"{each.ties:.0%}", f"{each.scored}/{each.votes}")
    return table


def _table(heads: Sequence[str]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in heads:
        table.add_column(Text(head), justify="left", overflow="fold")
    return table


def _name(findings: AgreementFindings, measure: str) -> str:
    from rich.markup import escape

    mark = " *" if measure in findings.floors else ""
    return escape(shortened(title_of(findings, measure), LONGEST) + mark)


def _cell(estimate: Estimate | None) -> str:
    from rich.markup import escape

    if estimate is None or estimate.value is None:
        return MISSING
    text = number(estimate.value, DECIMALS)
    return escape(f"{text}\n{bounds(estimate.interval, DECIMALS)}" if estimate.interval else text)


def _rendered(table: "Table", width: int) -> str:
    from rich.console import Console

    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None, legacy_windows=False).print(table)
    return "\n".join(line.rstrip() for line in stream.getvalue().rstrip("\n").splitlines())
