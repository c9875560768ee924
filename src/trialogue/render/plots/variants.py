"""Figure of how the ranking changes with the variant of a metric."""

from collections.abc import Mapping, Sequence

from trialogue.findings import League, Sensitivity
from trialogue.findings.wording import list_names
from trialogue.records import MeasureName
from trialogue.render.drawing.marks import (
    SIZE,
    WIDTH,
    Dot,
    Drawing,
    Line,
    Path,
    TextMark,
    series_marks,
    text_width,
    widest,
)
from trialogue.render.measures import is_ranked
from trialogue.render.numbers import count
from trialogue.render.plots.base import Figure, label, label_width, rows_behind
from trialogue.render.text import shorten, slug

ROW_HEIGHT = 26.0
LEVEL_HEAD_HEIGHT, TURNED_HEAD_HEIGHT = 34.0, 92.0  # room for names of variants, side by side or turned
MAX_NAME_COLUMNS = 20  # columns of a variant's name


def variants(found: Sensitivity, colors: Mapping[str, str]) -> Figure | None:
    """Ranks of systems, one column per variant; None with fewer than two ranking variants."""
    leagues = [league for league in found.leagues if is_ranked(league) and places(league)]
    if len(leagues) < 2:
        return None
    labels_by_name = variant_labels([league.measure.name for league in leagues])
    names = [shorten(labels_by_name[league.measure.name], MAX_NAME_COLUMNS) for league in leagues]
    left = 22 + label_width([*places(leagues[0]), *places(leagues[-1])])
    xs = _columns(len(leagues), left, WIDTH - left)
    turned = widest(names, size=SIZE - 1) > xs[1] - xs[0]
    if turned:  # the last name leans out to the right
        xs = _columns(len(leagues), left, WIDTH - max(left, 0.85 * text_width(names[-1], size=SIZE - 1)))
    rows = max(len(places(league)) for league in leagues)
    drawing = _lines(found, leagues, xs, TURNED_HEAD_HEIGHT if turned else LEVEL_HEAD_HEIGHT, rows, colors)
    _headings(drawing, names, xs, turned=turned)
    return Figure(
        name=variants_name(found),
        section="variants",
        title=f"{found.metric}: ranking of systems by variant",
        caption=(
            f"Rank of each system (1 at the top) under every formula called {found.metric}. Where lines "
            "cross, the order of two systems depends on the formula."
        ),
        alt=_describe(found, leagues),
        drawing=drawing,
    )


def variants_name(found: Sensitivity) -> str:
    """File name of the figure of a metric's variants."""
    return f"variants-{slug(found.metric)}"


def variant_labels(names: Sequence[str]) -> dict[str, str]:
    """Distinguishing part of variants, by full name: ``@ratio``, with parameters only where they differ.

    >>> variant_labels(["distinct(n=2)@ratio|v1", "distinct(n=2)@laps|v2"])
    {'distinct(n=2)@ratio|v1': '@ratio', 'distinct(n=2)@laps|v2': '@laps'}
    >>> variant_labels(["distinct(n=1)@ratio|v1", "distinct(n=2)@ratio|v1"])
    {'distinct(n=1)@ratio|v1': '(n=1)@ratio', 'distinct(n=2)@ratio|v1': '(n=2)@ratio'}
    """
    measures = [MeasureName(name) for name in names]
    variants_alone = [f"@{measure.variant or ''}" for measure in measures]
    if len(set(variants_alone)) == len(set(names)):
        return dict(zip(names, variants_alone, strict=True))
    return {
        measure: (f"({measure.parameters})" if measure.parameters else "") + alone
        for measure, alone in zip(measures, variants_alone, strict=True)
    }


def _columns(n_columns: int, left: float, right: float) -> list[float]:
    return [left + (right - left) * place / (n_columns - 1) for place in range(n_columns)]


def _headings(drawing: Drawing, names: Sequence[str], xs: Sequence[float], *, turned: bool) -> None:
    for x, name in zip(xs, names, strict=True):
        if turned:
            drawing.add(TextMark(x, TURNED_HEAD_HEIGHT - 12, name, size=SIZE - 1, turn=32))
        else:
            drawing.add(TextMark(x, LEVEL_HEAD_HEIGHT - 14, name, size=SIZE - 1, anchor="middle"))


def places(league: League) -> dict[str, int]:
    """Rank of each system by value alone, from 1."""
    defined = [standing.system for standing in league.standings if standing.estimate.value is not None]
    return {system: place for place, system in enumerate(defined, start=1)}


def _lines(
    found: Sensitivity,
    leagues: Sequence[League],
    xs: Sequence[float],
    head: float,
    rows: int,
    colors: Mapping[str, str],
) -> Drawing:
    """A line for each system; those that change places are drawn strongly."""
    drawing = Drawing(height=head + ROW_HEIGHT * rows + 12)
    flipped = {system for flip in found.flips for system in (flip.a, flip.b)}
    marks = series_marks(colors)
    for x in xs:
        drawing.add(Line(x, head - 4, x, head + ROW_HEIGHT * rows))
    for system in sorted({system for league in leagues for system in places(league)}):
        ranked = [(x, league, places(league).get(system)) for x, league in zip(xs, leagues, strict=True)]
        # A system without a value under a variant has no point there; its line skips the gap.
        placed = [(x, head + ROW_HEIGHT * (rank - 0.5), league) for x, league, rank in ranked if rank is not None]
        points = [(x, y) for x, y, _ in placed]
        color, strong = colors.get(system, "accent"), system in flipped
        if len(points) > 1:
            drawing.add(Path(tuple(points), color, width=2.4 if strong else 1.4, tip=system))
        for x, y, league in placed:
            href = rows_behind(league, system)
            shape, hollow = marks.get(system, ("circle", False))
            radius = 5 if strong else 4
            drawing.add(Dot(x, y, color, radius=radius, shape=shape, hollow=hollow, tip=system, href=href))
    for system, rank in places(leagues[0]).items():
        drawing.add(TextMark(xs[0] - 14, head + ROW_HEIGHT * (rank - 0.5), label(system), anchor="end"))
    for system, rank in places(leagues[-1]).items():
        drawing.add(TextMark(xs[-1] + 14, head + ROW_HEIGHT * (rank - 0.5), label(system)))
    return drawing


def _describe(found: Sensitivity, leagues: Sequence[League]) -> str:
    orders = [f"{league.measure.title}: {list_names(list(places(league)))}" for league in leagues]
    flips = list_names([f"{flip.a} and {flip.b}" for flip in found.flips]) or "none"
    return (
        f"Ranking of systems. {'; '.join(orders)}. {count(len(found.flips), 'pair')} whose order depends "
        f"on the formula: {flips}."
    )
