"""Head-to-head comparison of two systems: one row per measure, with the difference."""

from collections.abc import Sequence
from dataclasses import dataclass

from trialogue.findings import Contrast, League
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.report.drawing.scale import Scale
from trialogue.report.league_table import Bar, Cell, Head, Notes, bar, column, head_of
from trialogue.report.measures import is_ranked
from trialogue.report.numbers import MISSING, bounds, column_decimals, number, plain_p


@dataclass(frozen=True)
class Row(Head):
    """One measure on both systems."""

    cells: tuple[Cell, Cell]
    difference: str
    interval: str
    p: str
    bar: Bar | None
    winner: str
    verdict: str
    note: int | None


@dataclass(frozen=True)
class HeadToHead:
    """Head-to-head comparison of two systems, first minus second."""

    a: str
    b: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...]


def compare_head_to_head(leagues: Sequence[League], systems: Sequence[str]) -> HeadToHead:
    """Compare both systems on every measure; the leader on the primary measure is on the left."""
    a, b = systems
    notes = Notes()
    return HeadToHead(a, b, tuple(_row(league, a, b, notes) for league in leagues), tuple(notes.texts))


def contrast_between(league: League, a: str, b: str) -> Contrast | None:
    """Contrast of two systems as a minus b, in either stored orientation; None if there is none."""
    for contrast in league.contrasts:
        if (contrast.a, contrast.b) == (a, b):
            return contrast
        if (contrast.a, contrast.b) == (b, a):
            return turn_contrast(contrast)
    return None


def turn_contrast(contrast: Contrast) -> Contrast:
    """The contrast as b minus a."""
    verdicts = {"a": "b", "b": "a"}
    return contrast.model_copy(
        update={
            "a": contrast.b,
            "b": contrast.a,
            "difference": contrast.difference.negate(),
            "simultaneous": contrast.simultaneous and contrast.simultaneous.negate(),
            "verdict": verdicts.get(contrast.verdict, contrast.verdict),
        }
    )


def _row(league: League, a: str, b: str, notes: Notes) -> Row:
    cells = column(league, (a, b), notes).cells
    contrast = contrast_between(league, a, b)
    difference = contrast.difference if contrast else Estimate(value=None, why=Reason.of(ReasonCode.NOT_COMPARED))
    decimals = column_decimals([difference])
    winner = {"a": a, "b": b}.get(contrast.verdict, "") if contrast else ""
    undefined = difference.value is None or (contrast is not None and contrast.verdict == "undefined")
    return Row(
        **head_of(league),
        cells=(cells[a], cells[b]),
        difference=MISSING if difference.value is None else number(difference.value, decimals, sign=True),
        interval=bounds(difference.interval, decimals, sign=True) if difference.interval else "",
        p=plain_p(contrast.p_adjusted if contrast else None),
        bar=centered_bar(difference),
        winner=winner,
        verdict=_verdict(league, winner, undefined),
        note=notes.number_of(f"Not compared: {difference.why or 'no reason is known'}.") if undefined else None,
    )


def _verdict(league: League, winner: str, undefined: bool) -> str:
    if undefined:
        return "not compared"
    return "is better" if winner else "inconclusive" if is_ranked(league) else "not ranked"


def centered_bar(difference: Estimate) -> Bar | None:
    """Bar of a difference on its own scale with zero in the middle."""
    if difference.value is None:
        return None
    reach = reach_of(difference)
    return bar(difference, Scale(-reach, reach, 0, 100))


def reach_of(difference: Estimate) -> float:
    """Half width of a difference's scale: its farthest end plus a margin."""
    ends = [difference.value or 0.0]
    if difference.interval:
        ends += [difference.interval.low, difference.interval.high]
    return 1.08 * max(map(abs, ends)) or 1.0
