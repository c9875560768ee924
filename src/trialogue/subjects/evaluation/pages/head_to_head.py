"""Tables of pairs: two systems on every measure, and every two systems on one."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from trialogue.findings import Contrast, League
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.render.document import Column, Medium, Table
from trialogue.render.drawing.scale import Scale, reach_of
from trialogue.render.measures import ARROWS, DIRECTIONS, JUDGES, is_ranked
from trialogue.render.numbers import MISSING, bounds, column_decimals, level, number, plain_p, render_estimate
from trialogue.render.table import Bar, Cell
from trialogue.subjects.evaluation.pages.league import Systems, league_cells

PAGE = frozenset({Medium.PAGE})
LEAD = (
    "Intervals of differences are for each pair individually; p-values are corrected across all pairs ({}), and the verdict "
    "uses them."
)
SINGLE_STEP = (
    " Simultaneous intervals hold jointly at their confidence level; such an interval excludes 0 if and only if the "
    "corrected p is significant."
)


def head_to_head(leagues: Sequence[League], systems: Systems, *, alpha: float, note: str = "") -> Table[League]:
    """Two systems on every measure; the leader on the primary one is on the left."""
    a, b = systems.names
    return Table(
        f"{a} against {b}",
        leagues,
        [
            Column("Measure", lambda league: _measure(league, systems)),
            *(Column(name, _value(name, systems)) for name in systems.names),
            Column("Difference", lambda league: _difference(league, systems)),
            Column("p", lambda league: plain_p(pair.p_adjusted if (pair := league.contrast_of(a, b)) else None)),
            Column("Verdict", lambda league: _verdict(league, systems)),
        ],
        lead=(
            f"{a} minus {b} on every measure. A verdict needs a difference that is significant at α = {level(alpha)} on its "
            "measure; with many measures, some will be significant by chance."
        ),
        note=note,
        where=PAGE,
    )


def _value(name: str, systems: Systems) -> Callable[[League], Cell | None]:
    """A system's value without what compares it with others, which the difference does."""

    def take(league: League) -> Cell | None:
        cell = league_cells(league, systems).get(name)
        return cell and replace(cell, letters="", ranks="", bar=None, leads=False)

    return take


def _measure(league: League, systems: Systems) -> Cell:
    measure = league.measure
    title = f"{systems.titles[measure.name]} {ARROWS[measure.better]}".strip()
    return Cell(title, interval=f"{JUDGES[measure.by]}: {measure.unit}; {DIRECTIONS[measure.better]}")


def _difference(league: League, systems: Systems) -> Cell:
    a, b = systems.names
    pair = league.contrast_of(a, b)
    difference = pair.difference if pair else Estimate(value=None, why=Reason.of(ReasonCode.NOT_COMPARED))
    if difference.value is None or pair is None or pair.verdict == "undefined":
        note = f"Not compared: {difference.why or 'no reason is known'}."
        return Cell(MISSING if difference.value is None else _signed_number(difference), note=note)
    reach, title = reach_of(difference), systems.titles[league.measure.name]
    ends, color = difference.interval, systems.colors.get(pair.leader or "", "")
    decimals = column_decimals([difference])
    return Cell(
        _signed_number(difference),
        interval=bounds(ends, decimals, sign=True) if ends else "",
        bar=Bar.of(difference, Scale(-reach, reach, 0, 100), color=color, is_centered=True),
        href=systems.links.pair(a, b, league.measure.name),
        what=f"{_signed_number(difference)}: dialogues of both, by {title}",
    )


def _signed_number(difference: Estimate) -> str:
    return number(difference.value or 0.0, column_decimals([difference]), sign=True)


def _verdict(league: League, systems: Systems) -> str:
    pair = league.contrast_of(*systems.names)
    if pair is None or pair.difference.value is None or pair.verdict == "undefined":
        return "not compared"
    if pair.leader is not None:
        return f"{pair.leader} is better"
    return "inconclusive" if is_ranked(league) else "not ranked"


def pairs_table(league: League, systems: Systems, correction: str) -> Table[Contrast]:
    """Every pair on one measure, those with the largest difference first and the leading system ahead."""
    decimals = column_decimals(contrast.difference for contrast in league.contrasts)
    sign = -1 if league.measure.better == "lower" else 1
    rows = [
        contrast if (contrast.difference.value or 0.0) * sign >= 0 else contrast.turn()
        for contrast in sorted(league.contrasts, key=lambda one: -abs(one.difference.value or 0.0))
    ]
    together = any(row.simultaneous for row in rows)
    name, title = league.measure.name, systems.titles[league.measure.name]

    def difference(row: Contrast) -> Cell:
        text = render_estimate(row.difference, decimals, sign=True)
        text += f" ({row.difference.why})" if row.verdict == "undefined" and row.difference.why else ""
        what = f"{text}: dialogues of {row.a} and {row.b}"
        return Cell(text, href=systems.links.pair(row.a, row.b, name), what=what)

    return Table(
        f"Every pair on {title}",
        rows,
        [
            Column("Ahead", lambda row: row.a),
            Column("Behind", lambda row: row.b),
            Column("Difference", difference),
            Column("Simultaneous", lambda row: row.simultaneous and bounds(row.simultaneous, decimals, sign=True)),
            Column(f"p, {correction}", lambda row: plain_p(row.p_adjusted)),
            Column("Survives", _survives),
        ],
        lead=LEAD.format(correction) + (SINGLE_STEP if together else ""),
        strong=lambda row: row.leader is not None,
        where=PAGE,
    )


def _survives(row: Contrast) -> str:
    return "not compared" if row.verdict == "undefined" else "yes" if row.leader is not None else "no"
