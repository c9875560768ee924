"""The report card of a judge as a table, for terminal and page, LaTeX and Markdown."""

from collections.abc import Iterator

from trialogue.findings.judging.card_records import JudgeCard, ScaleUse
from trialogue.records import Estimate
from trialogue.report.exports import latex_rows, markdown_rows
from trialogue.report.numbers import MISSING, count, number, render_estimate, supported_decimals
from trialogue.report.table import Table

HEADS = ("Judge's report card", "Value", "Rests on")
STATISTICS = {"pearson": "Pearson", "spearman": "Spearman"}
SCOPES = {"within": "within systems", "between": "between systems"}
TITLE = "Report card of the judge"

Line = tuple[str, str, str]
"""Cells of a row, one for each of ``HEADS``."""


def card_table(card: JudgeCard) -> Table:
    """The card: property, value with interval, and what it rests on or why it is missing."""
    return Table(HEADS, tuple(_lines(card)))


def card_latex(card: JudgeCard) -> str:
    """The card as a booktabs ``tabular``."""
    return latex_rows([dict(zip(HEADS, line, strict=True)) for line in _lines(card)]) + "\n"


def card_markdown(card: JudgeCard) -> str:
    """The card as a Markdown table."""
    return markdown_rows([dict(zip(HEADS, line, strict=True)) for line in _lines(card)])


def _lines(card: JudgeCard) -> Iterator[Line]:
    unit = card.level
    for each in card.agreement:
        name = f"agreement {SCOPES[each.scope]} ({STATISTICS[each.statistic]})"
        if each.penalised is not None:
            name += ", missing scores as worst guesses"
        yield _line(name, each.headline, unit if each.scope == "within" else "system")
    ceiling = card.ceiling
    if ceiling.ceiling is None:
        yield ("ceiling of agreement, from raters", MISSING, str(ceiling.why))
    else:
        yield (
            "ceiling of agreement, from raters",
            number(ceiling.ceiling, 2),
            f"{ceiling.raters:.1f} raters per {unit}, reliability of one {number(ceiling.single or 0.0, 2)}",
        )
    for row in card.leniency:
        yield _line(f"leniency toward {row.system}", row.leniency, unit, sign=True)
    if card.scale is not None:
        yield from _scale_lines(card.scale)
    yield _line("score per doubling of length, at equal quality", card.verbosity, unit, sign=True)
    yield _line("leniency toward its own family, minus toward others", card.self_preference, unit, sign=True)
    judged = sum(each.judged for each in card.leniency)
    missing = sum(each.unscored for each in card.leniency)
    yield ("missing scores", f"{missing / judged:.1%}" if judged else MISSING, f"{missing} of {count(judged, unit)}")


def _line(name: str, estimate: Estimate, unit: str, *, sign: bool = False) -> Line:
    if estimate.value is None:
        return (name, MISSING, str(estimate.why))
    basis = count(estimate.n, unit)
    if estimate.interval is None and estimate.why is not None:
        basis += f"; no interval: {estimate.why}"
    return (name, render_estimate(estimate, supported_decimals(estimate), sign=sign), basis)


def _scale_lines(scale: ScaleUse) -> Iterator[Line]:
    ends = f"scale {scale.low:g} to {scale.high:g}" + ("" if scale.is_declared else ", as far as labels show")
    yield ("scores at the top of the scale", f"{scale.judge_at_high:.0%}", f"people {scale.people_at_high:.0%}; {ends}")
    yield ("scores at the bottom of the scale", f"{scale.judge_at_low:.0%}", f"people {scale.people_at_low:.0%}")
    if scale.spread_ratio is not None:
        yield ("spread of scores, relative to people's", number(scale.spread_ratio, 2), "standard deviations")
    for each in scale.shares:
        yield (f"share of {each.value:g}", f"{each.judge:.0%}", f"people {each.people:.0%}")
