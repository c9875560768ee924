"""The small table and figure below the answer: the measure that decides, one of every other side, and the best baseline."""

from collections.abc import Mapping, Sequence

from trialogue.findings import Findings, League
from trialogue.render.document import Column, Medium, Part, Table
from trialogue.render.measures import DIRECTIONS, confidence, few_leagues, is_ranked, primary_of
from trialogue.render.plots.base import Figure
from trialogue.render.plots.estimates import estimates_figure
from trialogue.render.plots.forest import describe, league_axis, league_row
from trialogue.render.table import Cell
from trialogue.render.text import shorten
from trialogue.subjects.evaluation.pages.league import Systems, league_cells, league_column

MAX_ROWS, FIRST_ROWS, LAST_ROWS = 12, 7, 3  # of more systems, the best and the worst are shown
GAP, BEST = "", "Best baseline"


def first_parts(found: Findings, systems: Systems) -> list[Part]:
    """At most four measures of the systems, the best and the worst of many, and a figure of the one that decides."""
    chosen = few_leagues(found)
    shown = next((each for each in (primary_of(found), *chosen) if each is not None), None)
    if shown is None:
        return []
    names = systems.names
    is_long = len(names) > MAX_ROWS
    rows = (*names[:FIRST_ROWS], GAP, *names[-LAST_ROWS:]) if is_long else names
    has_baseline = any(_best(league) for league in chosen)
    hidden = len(names) - FIRST_ROWS - LAST_ROWS
    gap = Cell(f"{hidden} more systems", href="#league-title", what="All systems")

    def name(row: str) -> Cell:
        return gap if row == GAP else Cell(BEST) if row == BEST else systems.cell(row)

    table = Table(
        "Systems on the main measures",
        [*rows, *([BEST] if has_baseline else [])],
        [Column("System", name, unit=_marks(chosen, systems)), *(_column(each, systems) for each in chosen)],
        below_rule=int(has_baseline),
        where=frozenset({Medium.PAGE}),
    )
    return [table, glance(shown, [row for row in rows if row != GAP], systems.colors)]


def _column(league: League, systems: Systems) -> Column[str]:
    """A measure without bars and notes, which the league table has."""
    column = league_column(league, systems, judge=False)
    best = _best(league)
    cells = league_cells(league, systems)

    def small(row: str) -> Cell | str:
        if row == GAP:
            return ""
        if row == BEST:
            return (
                Cell(cells[best].text, interval=best, tip=best)
                if best is not None
                else Cell("", interval="no baseline")
            )
        cell: Cell = column.raw(row)
        return Cell(
            cell.text, cell.interval, cell.letters, leads=cell.leads, tip=cell.tip, href=cell.href, what=cell.what
        )

    return Column(column.head, small, unit=column.unit)


def _best(league: League) -> str | None:
    return next((each.system for each in league.baselines if each.estimate.value is not None), None)


def _marks(leagues: list[League], systems: Systems) -> str:
    """Legend of the table's marks; "" without marks."""
    cells = [cell for league in leagues for cell in league_cells(league, systems).values()]
    letters = ["same letter: no significant difference"] if any(cell.letters for cell in cells) else []
    return "; ".join([*letters, *(["shaded: may be the best"] if any(cell.leads for cell in cells) else [])])


def glance(league: League, systems: Sequence[str], colors: Mapping[str, str]) -> Figure | None:
    """Forest plot of some systems with the best baseline as a dashed line; None without values."""
    held = {standing.system: standing for standing in league.standings}
    shown = [held[name] for name in systems if name in held and held[name].estimate.value is not None]
    if not shown:
        return None
    direction = f", {DIRECTIONS[league.measure.better]}" if is_ranked(league) else ""
    best = next((each.system for each in league.baselines if each.estimate.value is not None), None)
    dashed = f" Dashed: the best baseline, {best}." if best is not None else ""
    return estimates_figure(
        [league_row(league, each, colors.get(each.system, "accent")) for each in shown],
        league_axis(league, shorten(f"{league.measure.unit}{direction}", 58)),
        name="glance",
        section="glance",
        title=league.measure.title,
        caption=f"Values with {confidence(league)} intervals.{dashed}",
        alt=describe(league.model_copy(update={"standings": tuple(shown)})),
        narrow=True,
    )
