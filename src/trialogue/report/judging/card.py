"""The report card of a judge as a table."""

from collections.abc import Iterator
from dataclasses import dataclass

from trialogue.findings.judging.card_records import JudgeCard, ScaleUse
from trialogue.records import Estimate
from trialogue.report.document import Column, Table
from trialogue.report.numbers import count, supported_decimals, with_decimals

STATISTICS = {"pearson": "Pearson", "spearman": "Spearman"}
SCOPES = {"within": "within systems", "between": "between systems"}


@dataclass(frozen=True)
class _Line:
    """One property of the judge."""

    name: str
    value: str | None
    """With its interval; None: unknown."""
    basis: str
    """What the value was computed from, or why it is unknown."""


def card_table(card: JudgeCard | None) -> Table[_Line]:
    """The card: property, value with interval, and what it is based on or why it is missing; no rows without a card."""
    return Table(
        "What is known about the judge, and from which units",
        [] if card is None else list(_lines(card)),
        [
            Column("Judge's report card", lambda line: line.name),
            Column("Value", lambda line: line.value),
            Column("Based on", lambda line: line.basis),
        ],
        lead="The judge's raw scores compared with people's labels of the same units. judge_card.tex and judge_card.md hold "
        "this table.",
        paper="judge_card",
    )


def _lines(card: JudgeCard) -> Iterator[_Line]:
    unit = card.level
    for each in card.agreement:
        name = f"agreement {SCOPES[each.scope]} ({STATISTICS[each.statistic]})"
        if each.penalised is not None:
            name += ", missing scores as worst guesses"
        yield _of_estimate(name, each.headline, unit if each.scope == "within" else "system")
    ceiling = card.ceiling
    if ceiling.ceiling is None:
        yield _Line("ceiling of agreement, from raters", None, str(ceiling.why))
    else:
        yield _Line(
            "ceiling of agreement, from raters",
            with_decimals(2)(ceiling.ceiling),
            f"{ceiling.raters:.1f} raters per {unit}"
            + ("" if ceiling.single is None else f", reliability of one {ceiling.single:.2f}"),
        )
    for row in card.leniency:
        yield _of_estimate(f"leniency toward {row.system}", row.leniency, unit, sign=True)
    if card.scale is not None:
        yield from _scale_lines(card.scale)
    yield _of_estimate("score per doubling of length, at equal quality", card.verbosity, unit, sign=True)
    yield _of_estimate("leniency toward its own family, minus toward others", card.self_preference, unit, sign=True)
    judged = sum(each.judged for each in card.leniency)
    missing = sum(each.unscored for each in card.leniency)
    yield _Line("missing scores", f"{missing / judged:.1%}" if judged else None, f"{missing} of {count(judged, unit)}")


def _of_estimate(name: str, estimate: Estimate, unit: str, *, sign: bool = False) -> _Line:
    if estimate.value is None:
        return _Line(name, None, str(estimate.why))
    basis = count(estimate.n, unit)
    if estimate.interval is None and estimate.why is not None:
        basis += f"; no interval: {estimate.why}"
    return _Line(name, with_decimals(supported_decimals(estimate), sign=sign)(estimate), basis)


def _scale_lines(scale: ScaleUse) -> Iterator[_Line]:
    ends = f"scale {scale.low:g} to {scale.high:g}" + ("" if scale.is_declared else ", as far as labels show")
    yield _Line(
        "scores at the top of the scale", f"{scale.judge_at_high:.0%}", f"people {scale.people_at_high:.0%}; {ends}"
    )
    yield _Line("scores at the bottom of the scale", f"{scale.judge_at_low:.0%}", f"people {scale.people_at_low:.0%}")
    if scale.spread_ratio is not None:
        yield _Line(
            "spread of scores, relative to people's", with_decimals(2)(scale.spread_ratio), "standard deviations"
        )
    for each in scale.shares:
        yield _Line(f"share of {each.value:g}", f"{each.judge:.0%}", f"people {each.people:.0%}")
