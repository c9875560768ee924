"""Forest plots: values with their intervals, one row per system."""

from collections.abc import Mapping, Sequence

from trialogue.findings import League, Standing
from trialogue.report.compact_letters import league_letters
from trialogue.report.drawing.marks import SIZE, Dot, Drawing, Line, TextMark
from trialogue.report.drawing.scale import Scale, draw_axis, league_extent
from trialogue.report.measures import DIRECTIONS, correction_words, is_ranked, short_name
from trialogue.report.numbers import bounds, column_decimals, level, number, ranks, render_estimate
from trialogue.report.plots.base import ROW, Figure, label, label_width, row_lines, rows_behind
from trialogue.report.plots.panels import name_figures, panels, parts_of, with_parts
from trialogue.report.text import describe_rows, shorten, slug

SMALL_ROW = 17.0
MAX_LETTERS = 6  # more do not fit their column; the table has them


def forest(league: League, colors: Mapping[str, str], *, alpha: float, correction: str) -> Figure:
    """Systems on one measure, best first, with letters and rank ranges at the right; baselines below a rule."""
    measure = league.measure
    standings = [standing for standing in league.standings if standing.estimate.value is not None]
    baselines = [baseline for baseline in league.baselines if baseline.estimate.value is not None]
    letters = league_letters(league)
    show_ranks = any(standing.rank_low is not None for standing in standings)
    rule = 26 + ROW * len(standings)
    bottom = rule + ROW * len(baselines)
    drawing = Drawing(height=bottom + 40)
    left = label_width([standing.system for standing in (*standings, *baselines)])
    right = drawing.width - 124 - (52 if letters else 0) - (46 if show_ranks else 0)
    scale = Scale(*league_extent(league), left + 6, right - 6)
    row_lines(drawing, len(standings) + len(baselines), top=26, row=ROW, left=0, right=drawing.width)
    draw_axis(drawing, scale, top=26, bottom=bottom)
    _headings(drawing, right, letters=bool(letters), show_ranks=show_ranks)
    drawing.add(TextMark((left + right) / 2, bottom + 29, _axis_title(league), color="muted", anchor="middle"))
    decimals = column_decimals(standing.estimate for standing in standings)
    for index, standing in enumerate(standings):
        y = 26 + ROW * (index + 0.5)
        _row(drawing, league, standing, scale, y, colors.get(standing.system, "accent"), decimals)
        drawing.add(TextMark(0, y, label(standing.system), href=rows_behind(league, standing.system)))
        _figures(drawing, standing, right, y, decimals, letters.get(standing.system, ""), show_ranks)
    if baselines:
        _reference(drawing, scale(baselines[0].estimate.value or 0.0), top=26, bottom=rule)
        drawing.add(Line(0, rule, drawing.width, rule, "muted", 1.5))
    for index, baseline in enumerate(baselines):
        y = rule + ROW * (index + 0.5)
        _row(drawing, league, baseline, scale, y, "muted", decimals)
        drawing.add(TextMark(0, y, label(baseline.system), color="muted"))
        _figures(drawing, baseline, right, y, decimals, "", False)
    return Figure(
        name=f"forest-{slug(measure.name)}",
        section="league",
        title=f"{measure.title} by system",
        caption=_caption(league, letters, alpha, correction, show_ranks),
        alt=describe(league),
        drawing=drawing,
    )


def _reference(drawing: Drawing, x: float, *, top: float, bottom: float) -> None:
    """The best baseline, across the rows of systems."""
    drawing.add(Line(x, top, x, bottom, "muted", dashed=True))


def _headings(drawing: Drawing, right: float, *, letters: bool, show_ranks: bool) -> None:
    x = right + 14
    drawing.add(TextMark(x, 14, "value [interval]", size=SIZE - 1, color="muted"))
    x += 118
    if letters:
        drawing.add(TextMark(x, 14, "letters", size=SIZE - 1, color="muted"))
        x += 52
    if show_ranks:
        drawing.add(TextMark(drawing.width, 14, "rank", size=SIZE - 1, color="muted", anchor="end"))


def _figures(
    drawing: Drawing, standing: Standing, right: float, y: float, decimals: int, letters: str, show_ranks: bool
) -> None:
    """The numbers at the right of a row."""
    estimate = standing.estimate
    drawing.add(TextMark(right + 14, y, number(estimate.value or 0.0, decimals), bold=True))
    offset = 14 + len(number(estimate.value or 0.0, decimals)) * SIZE * 0.66 + 4
    if estimate.interval:
        drawing.add(TextMark(right + offset, y, bounds(estimate.interval, decimals), size=SIZE - 1, color="muted"))
    if letters:
        text = letters if len(letters) <= MAX_LETTERS else f"{letters[: MAX_LETTERS - 1]}…"
        drawing.add(TextMark(right + 132, y, text))
    if show_ranks:
        drawing.add(TextMark(drawing.width, y, ranks(standing.rank_low, standing.rank_high), anchor="end"))


def _row(
    drawing: Drawing, league: League, standing: Standing, scale: Scale, y: float, color: str, decimals: int
) -> None:
    """An interval with its value."""
    estimate = standing.estimate
    tip = f"{standing.system}: {render_estimate(estimate, decimals)}"
    href = rows_behind(league, standing.system)
    if estimate.interval:
        drawing.add(
            Line(scale(estimate.interval.low), y, scale(estimate.interval.high), y, color, 2.4, tip=tip, href=href)
        )
    drawing.add(Dot(scale(estimate.value or 0.0), y, color, hollow=estimate.interval is None, tip=tip, href=href))


def _axis_title(league: League) -> str:
    measure = league.measure
    direction = f", {DIRECTIONS[measure.better]}" if is_ranked(league) else ""
    return shorten(f"{measure.title}: {measure.unit}{direction}", 70)


def confidence(league: League) -> str:
    """Confidence level of a league's intervals: ``95%``."""
    found = {s.estimate.interval.confidence for s in league.standings if s.estimate.interval}
    return " or ".join(f"{100 * share:g}%" for share in sorted(found)) or "95%"


def _caption(league: League, letters: Mapping[str, str], alpha: float, correction: str, show_ranks: bool) -> str:
    parts = [f"{league.measure.title} ({short_name(league.measure.name)}) with {confidence(league)} intervals."]
    if any(s.estimate.value is not None and s.estimate.interval is None for s in league.standings):
        parts.append("Hollow: no interval.")
    if letters:
        parts.append(
            f"Systems that share a letter do not differ significantly ({correction_words(correction, '-corrected')}, "
            f"α = {level(alpha)})."
        )
    if league.baselines:
        parts.append("Below the rule: baselines that ignore the user, without rank; dashed: the best of them.")
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
            "↑ higher is better, ↓ lower is better, no arrow: not ranked. Lines are intervals; hollow: none."
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
    best = next((baseline.estimate.value for baseline in league.baselines if baseline.estimate.value is not None), None)
    if best is not None:
        _reference(drawing, scale(best), top=top, bottom=bottom)
    decimals = column_decimals(standing.estimate for standing in league.standings)
    standings = {standing.system: standing for standing in league.standings}
    for place, system in enumerate(systems):
        y = top + SMALL_ROW * (place + 0.5)
        standing = standings.get(system)
        if standing is None or standing.estimate.value is None:
            drawing.add(TextMark(x + width / 2, y, "—", size=SIZE - 1, color="muted", anchor="middle"))
        else:
            _row(drawing, league, standing, scale, y, colors.get(system, "accent"), decimals)
