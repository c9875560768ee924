"""Small multiples: several measures in panels over the same systems, in bands with system names at the left."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from trialogue.findings import League
from trialogue.render.drawing.marks import SIZE, Drawing, TextMark
from trialogue.render.measures import ARROWS, group_by_judges
from trialogue.render.plots.base import Figure, label, label_width
from trialogue.render.text import shorten

ACROSS = 3  # panels side by side
BANDS = 3  # rows of panels in a figure; more make further figures
HEAD, FOOT = 34.0, 32.0  # above a panel, for its title, and below, for its axis
Panel = Callable[[Drawing, League, float, float, float], None]
"""Draws a measure: left end, top and width of its panel."""


def parts_of(leagues: Sequence[League], systems: Sequence[str]) -> list[tuple[list[League], list[str]]]:
    """(Leagues of one figure, systems with values), so that no figure mixes dialogues of different users."""
    size, parts = ACROSS * BANDS, []
    for group in group_by_judges(leagues):
        for part in (group[start : start + size] for start in range(0, len(group), size)):
            known = {standing.system for league in part for standing in league.standings}
            parts.append((part, [system for system in systems if system in known]))
    return parts


def panels(
    leagues: Sequence[League], systems: Sequence[str], draw: Panel, *, row: float, names_lower: float = 0.0
) -> Drawing:
    """Draw all leagues, each in a panel with its title.

    Args:
        leagues: leagues in the order of the panels.
        systems: the rows of each panel.
        draw: draws one, below its title.
        row: height of a row.
        names_lower: how far below the middle of its row a name stands.
    """
    left = label_width(systems, size=SIZE - 1)
    band = HEAD + row * len(systems) + FOOT
    drawing = Drawing(height=band * -(-len(leagues) // ACROSS))
    width = (drawing.width - left) / ACROSS
    for index, league in enumerate(leagues):
        top, x = (index // ACROSS) * band, left + (index % ACROSS) * width
        if index % ACROSS == 0:
            _names(drawing, systems, top=top + HEAD + names_lower, row=row)
        _title(drawing, league, x=x, top=top, width=width)
        draw(drawing, league, x, top + HEAD, width)
    return drawing


def name_figures(name: str, title: str, page: int, leagues: Sequence[League] = ()) -> Mapping[str, str]:
    """Name and title of figures that may be repeated; the first name has no number.

    The title says whose talks its measures are of where simulated users held them, so that the panels need not.

    >>> name_figures("forest", "Metrics", 1)["name"], name_figures("forest", "Metrics", 2)["name"]
    ('forest', 'forest-2')
    """
    users = leagues[0].measure.users if leagues else None
    return {"name": name if page == 1 else f"{name}-{page}", "title": f"{title} ({users})" if users else title}


def with_parts(figures: Sequence[Figure]) -> list[Figure]:
    """Figures, with repeated titles numbered from the second on."""
    seen: Counter[str] = Counter()
    found = []
    for figure in figures:
        seen[figure.title] += 1
        part = seen[figure.title]
        found.append(figure if part == 1 else replace(figure, title=f"{figure.title}, part {part}"))
    return found


def _names(drawing: Drawing, systems: Sequence[str], *, top: float, row: float) -> None:
    for place, system in enumerate(systems):
        drawing.add(TextMark(0, top + row * (place + 0.5), label(system), size=SIZE - 1))


def _title(drawing: Drawing, league: League, *, x: float, top: float, width: float) -> None:
    """With its variant beneath."""
    arrow = f" {ARROWS[league.measure.better]}".rstrip()
    longest = int(width / (SIZE * 0.6)) - 3
    title = league.measure.plain_title
    drawing.add(TextMark(x + 4, top + 10, shorten(title, longest) + arrow, bold=True))
    detail = shorten(league.measure.measured.detail, int(width / 5.4) - 2)
    drawing.add(TextMark(x + 4, top + 24, detail, size=SIZE - 2, color="muted"))
