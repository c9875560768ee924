"""Pairwise matrix of differences: size, direction and significance."""

from trialogue.findings import League
from trialogue.findings.wording import list_names
from trialogue.render.drawing.marks import SIZE, Box, Dot, Drawing, TextMark
from trialogue.render.measures import correction_words
from trialogue.render.numbers import column_decimals, level, number, p_value, render_estimate
from trialogue.render.plots.base import Figure, label, label_width, legend, rows_behind, rows_of_pair
from trialogue.render.text import slug

TALL = 26.0  # height of a cell
WIDEST = 60.0  # of a cell
NARROWEST_WITH_TEXT = 34.0  # below, numbers would run into each other; the table holds them


def pairs(league: League, *, alpha: float, correction: str) -> Figure:
    """Row minus column for every two systems, best first; a dot (a ring where the row is worse) marks what survives."""
    systems = [standing.system for standing in league.standings if standing.estimate.value is not None]
    left = label_width(systems)
    head = min(150.0, 0.66 * left + 16)  # room for names turned by 40 degrees
    drawing = Drawing(height=head + TALL * len(systems) + 34)
    # The last name leans out to the right of its column by about as much as it is tall.
    width = min(WIDEST, (drawing.width - left - 0.8 * head) / len(systems))
    for place, system in enumerate(systems):
        drawing.add(TextMark(0, head + TALL * (place + 0.5), label(system), href=rows_behind(league, system)))
        drawing.add(TextMark(left + width * (place + 0.5), head - 6, label(system), turn=40))
    _cells(drawing, league, systems, left=left, head=head, width=width)
    entries = [
        (Dot(0, 0, "better", radius=5), "row is better"),
        (Dot(0, 0, "worse", radius=5, hollow=True), "row is worse"),
        (
            _significance(0, 0, ahead=True),
            f"dot or ring: significant after {correction_words(correction, ' correction')} at α = {level(alpha)}",
        ),
    ]
    legend(drawing, entries, x=left, y=drawing.height - 12)
    measure = league.measure
    missing = any(contrast.difference.value is None for contrast in league.contrasts)
    empty = " Empty cells: not compared; the table of pairs gives the reason." if missing else ""
    return Figure(
        name=f"pairs-{slug(measure.name)}",
        section="league",
        title=f"{measure.title}: every pair",
        caption=(
            f"Row minus column on {measure.title.lower()} ({measure.unit}). "
            "The deeper the color, the larger the difference; pale cells without a dot or ring may be due to chance."
            f"{empty}"
        ),
        alt=_describe(league),
        drawing=drawing,
    )


def _cells(drawing: Drawing, league: League, systems: list[str], *, left: float, head: float, width: float) -> None:
    differences = [contrast.difference for contrast in league.contrasts]
    largest = max((abs(each.value) for each in differences if each.value is not None), default=0.0) or 1.0
    decimals = column_decimals(differences)
    for row, a in enumerate(systems):
        for place, b in enumerate(systems):
            x, y = left + width * place, head + TALL * row
            contrast = league.contrast_of(a, b) if a != b else None
            if contrast is None or contrast.difference.value is None:
                tip = f"{a} and {b}: {contrast.difference.why}" if contrast else ""
                drawing.add(Box(x + 1, y + 1, width - 2, TALL - 2, "line", opacity=0.45 if a == b else 0.2, tip=tip))
                continue
            value, holds = contrast.difference.value, contrast.verdict in ("a", "b")
            difference = render_estimate(contrast.difference, decimals, sign=True)
            tip = f"{a} minus {b}: {difference}, p {p_value(contrast.p_adjusted)}"
            ahead = (value > 0) == (league.measure.better == "higher")
            # Significant cells start darker than the darkest insignificant one, so that the two never look alike.
            depth = (0.16 + 0.3 * abs(value) / largest) if holds else 0.1 * abs(value) / largest
            color = "better" if ahead else "worse"
            drawing.add(Box(x + 1, y + 1, width - 2, TALL - 2, "line", opacity=0.2))
            href = rows_of_pair(league, a, b)
            drawing.add(Box(x + 1, y + 1, width - 2, TALL - 2, color, opacity=depth))
            _content(drawing, number(value, decimals, sign=True), x, y, width, holds=holds, ahead=ahead)
            # on top and unseen, so that a click on the number leads there, too
            drawing.add(Box(x + 1, y + 1, width - 2, TALL - 2, "line", opacity=0.0, tip=tip, href=href))


def _content(drawing: Drawing, text: str, x: float, y: float, width: float, *, holds: bool, ahead: bool) -> None:
    roomy = width >= NARROWEST_WITH_TEXT
    if roomy:
        color = "ink" if holds else "muted"
        drawing.add(
            TextMark(x + width / 2, y + TALL / 2 + 1, text, size=SIZE - 1, color=color, anchor="middle", bold=holds)
        )
    if holds:
        place = (x + width - 6, y + 6) if roomy else (x + width / 2, y + TALL / 2)
        drawing.add(_significance(*place, ahead=ahead))


def _significance(x: float, y: float, *, ahead: bool) -> Dot:
    """Filled where the row is better, a ring where it is worse, so that grey copies say it, too."""
    return Dot(x, y, "ink", radius=1.7 if ahead else 2.3, halo=False, hollow=not ahead)


def _describe(league: League) -> str:
    held = [contrast for contrast in league.contrasts if contrast.verdict in ("a", "b")]
    said = [
        f"{contrast.a if contrast.verdict == 'a' else contrast.b} is better than "
        f"{contrast.b if contrast.verdict == 'a' else contrast.a}"
        for contrast in held
    ]
    compared = [contrast for contrast in league.contrasts if contrast.verdict != "undefined"]
    return f"{len(held)} of {len(compared)} differences are significant after correction: {list_names(said) or 'none'}."
