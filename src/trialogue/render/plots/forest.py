"""Forest plots: values with their intervals, one row per system."""

from collections.abc import Mapping, Sequence

from trialogue.findings import League, Standing
from trialogue.render.compact_letters import league_letters
from trialogue.render.drawing.marks import SIZE, Drawing, Line, TextMark
from trialogue.render.drawing.scale import Scale, draw_axis, league_extent
from trialogue.render.measures import DIRECTIONS, confidence, correction_words, is_ranked
from trialogue.render.numbers import column_decimals, level, ranks, render_estimate
from trialogue.render.plots.base import Figure, row_lines, rows_behind
from trialogue.render.plots.estimates import Axis, Row, draw_row, estimates_figure
from trialogue.render.plots.panels import name_figures, panels, parts_of, with_parts
from trialogue.render.text import describe_rows, shorten, slug

SMALL_ROW = 17.0
MAX_LETTERS = 6  # more do not fit their column; the table has them


def forest(league: League, colors: Mapping[str, str], *, alpha: float, correction: str) -> Figure | None:
    """Systems on one measure, best first, with letters and rank ranges at the right; baselines below a rule.

    None where nothing has a value.
    """
    standings = [standing for standing in league.standings if standing.estimate.value is not None]
    baselines = [baseline for baseline in league.baselines if baseline.estimate.value is not None]
    letters = league_letters(league)
    show_ranks = any(standing.rank_low is not None for standing in standings)

    def notes(standing: Standing) -> list[str]:
        found = [_cut_letters(letters.get(standing.system, ""))] if letters else []
        return [*found, *([ranks(standing.rank_low, standing.rank_high)] if show_ranks else [])]

    return estimates_figure(
        [
            *(league_row(league, each, colors.get(each.system, "accent"), notes(each)) for each in standings),
            *(league_row(league, each, "muted") for each in baselines),
        ],
        league_axis(league, _axis_title(league)),
        name=f"forest-{slug(league.measure.name)}",
        section="league",
        title=f"{league.measure.title} by system",
        caption=_caption(league, letters, alpha, correction, show_ranks),
        alt=describe(league),
        note_heads=[*(["letters"] if letters else []), *(["rank"] if show_ranks else [])],
        below_rule=len(baselines),
    )


def league_row(league: League, standing: Standing, color: str, notes: Sequence[str] = ()) -> Row:
    """A system with its value, linked to its dialogues; hollow without an interval."""
    hollow = standing.estimate.interval is None
    href = rows_behind(league, standing.system)
    return Row(standing.system, standing.estimate, hollow=hollow, color=color, notes=notes, href=href)


def league_axis(league: League, title: str) -> Axis:
    """The axis of a measure, with the best baseline as a dashed line."""
    best = next((each.estimate.value for each in league.baselines if each.estimate.value is not None), None)
    card = league.measure.card
    return Axis(title, best, within=(card.low, card.high) if card else (None, None))


def _cut_letters(letters: str) -> str:
    return letters if len(letters) <= MAX_LETTERS else f"{letters[: MAX_LETTERS - 1]}…"


def _axis_title(league: League) -> str:
    measure = league.measure
    direction = f", {DIRECTIONS[measure.better]}" if is_ranked(league) else ""
    return shorten(f"{measure.title}: {measure.unit}{direction}", 70)


def _caption(league: League, letters: Mapping[str, str], alpha: float, correction: str, show_ranks: bool) -> str:
    parts = [f"{league.measure.title} with {confidence(league)} intervals."]
    if any(s.estimate.value is not None and s.estimate.interval is None for s in league.standings):
        parts.append("Hollow: no interval.")
    if letters:
        parts.append(
            f"Systems that share a letter do not differ significantly ({correction_words(correction, '-corrected')}, "
            f"α = {level(alpha)})."
        )
    if league.baselines:
        parts.append("Below the line: baselines that ignore the user, unranked; dashed: the best of them.")
    if show_ranks:
        parts.append("Rank: the range consistent with the corrected comparisons, for all systems simultaneously.")
    return " ".join(parts)


def describe(league: League) -> str:
    """Text description of a forest plot: every value with its interval, baselines separately."""
    decimals = column_decimals(standing.estimate for standing in league.standings)
    rows, baselines = (
        [f"{s.system} {render_estimate(s.estimate, decimals)}" for s in each if s.estimate.value is not None]
        for each in (league.standings, league.baselines)
    )
    beside = f" Baselines: {describe_rows(baselines)}." if baselines else ""
    return f"{league.measure.title}, {DIRECTIONS[league.measure.better]}: {describe_rows(rows)}.{beside}"


def forests(leagues: Sequence[League], systems: Sequence[str], colors: Mapping[str, str]) -> list[Figure]:
    """Several measures side by side over the same systems, each on its own axis."""
    parts = enumerate(parts_of(leagues, systems), start=1)
    return with_parts([_panels(part, rows, colors, page) for page, (part, rows) in parts])


def _panels(leagues: Sequence[League], systems: Sequence[str], colors: Mapping[str, str], page: int) -> Figure:
    def draw(drawing: Drawing, league: League, x: float, top: float, width: float) -> None:
        _panel(drawing, league, systems, colors, x=x, top=top, width=width)

    return Figure(
        **name_figures("forest-metrics", "Metrics by system", page, leagues),
        section="metrics",
        caption=(
            "Each metric on its own axis, systems in the order of the league table. "
            "↑ higher is better, ↓ lower is better, no arrow: not ranked. Lines are intervals; a hollow mark has none."
            + (" Dashed: the best baseline." if any(each.baselines for each in leagues) else "")
        ),
        alt=" ".join(describe(league) for league in leagues),
        drawing=panels(leagues, systems, draw, row=SMALL_ROW),
    )


def _panel(
    drawing: Drawing,
    league: League,
    systems: Sequence[str],
    colors: Mapping[str, str],
    *,
    x: float,
    top: float,
    width: float,
) -> None:
    bottom = top + SMALL_ROW * len(systems)
    scale = Scale(*league_extent(league), x + 8, x + width - 14)
    row_lines(drawing, len(systems), top=top, row=SMALL_ROW, left=x + 2, right=x + width - 8)
    draw_axis(drawing, scale, top=top, bottom=bottom, most=4, size=SIZE - 2)
    axis = league_axis(league, "")
    if axis.reference is not None:
        drawing.add(Line(scale(axis.reference), top, scale(axis.reference), bottom, "muted", dashed=True))
    decimals = column_decimals(standing.estimate for standing in league.standings)
    standings = {standing.system: standing for standing in league.standings}
    for place, system in enumerate(systems):
        y = top + SMALL_ROW * (place + 0.5)
        standing = standings.get(system)
        if standing is None or standing.estimate.value is None:
            drawing.add(TextMark(x + width / 2, y, "—", size=SIZE - 1, color="muted", anchor="middle"))
        else:
            row = league_row(league, standing, colors.get(system, "accent"))
            draw_row(drawing, row, axis, scale, y, decimals)
