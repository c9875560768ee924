"""Stacked bars: rating distributions, and wins, ties and losses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trialogue.render.drawing.marks import SIZE, Box, Drawing, TextMark, text_width
from trialogue.render.numbers import column_decimals, number
from trialogue.render.plots.base import Figure, label, label_width
from trialogue.render.text import describe_rows, shorten, slug
from trialogue.subjects.people.records import ChoiceFindings, RatingFindings

TALL, TOP = 26.0, 42.0
FAINTEST, STRONGEST = 0.1, 0.5
MAX_HEAD = 470.0  # pixels that the words of a scale may take


@dataclass(frozen=True)
class Part:
    """One share of a row."""

    count: int
    name: str
    color: str
    opacity: float


def distribution_figure(found: RatingFindings, colors: Mapping[str, str]) -> Figure:
    """Rating distribution by system, best system first, best point at the left."""
    points = list(enumerate(found.points))
    points = points[::-1] if found.better == "higher" else points
    drawing = Drawing(height=TOP + TALL * len(found.systems) + 8)
    left, right = label_width([one.system for one in found.systems]), drawing.width - 108
    shades = [STRONGEST - (STRONGEST - FAINTEST) * place / max(1, len(points) - 1) for place in range(len(points))]
    _head(drawing, [(f"{point:g}", shade) for (_, point), shade in zip(points, shades, strict=True)], left)
    drawing.add(TextMark(drawing.width - 60, TOP - 12, "n", size=SIZE - 1, color="muted", anchor="end"))
    drawing.add(TextMark(drawing.width, TOP - 12, "mean", size=SIZE - 1, color="muted", anchor="end"))
    decimals = column_decimals(one.mean for one in found.systems)
    for place, one in enumerate(found.systems):
        y = TOP + TALL * (place + 0.5)
        color = colors.get(one.system, "accent")
        parts = [
            Part(one.counts[index], f"{point:g}", color, shade)
            for (index, point), shade in zip(points, shades, strict=True)
        ]
        drawing.add(TextMark(0, y, label(one.system)))
        _row(drawing, parts, left, right, y)
        drawing.add(TextMark(right + 48, y, f"{one.ratings:,}", color="muted", anchor="end"))
        if one.mean.value is not None:
            drawing.add(TextMark(drawing.width, y, number(one.mean.value, decimals), anchor="end"))
    return Figure(
        name=f"distribution-{slug(found.measure)}",
        section="ratings",
        title=f"{found.title}: distribution",
        caption=_caption(found),
        alt=_describe(found),
        drawing=drawing,
    )


def _caption(found: RatingFindings) -> str:
    words = [f"{point} {text}" for point, text in found.labels.items()]
    scale = f" The scale: {'; '.join(words)}." if words else ""
    return f"Share of a system's ratings at each point, the best point on the left.{scale}"


def _describe(found: RatingFindings) -> str:
    rows = []
    for one in found.systems:
        parts = [
            f"{100 * count / max(1, one.ratings):.0f}% {point:g}"
            for point, count in zip(found.points, one.counts, strict=True)
            if count
        ]
        rows.append(f"{one.system}: {', '.join(parts)} of {one.ratings}")
    return f"{found.title}. {describe_rows(rows)}."


def _head(drawing: Drawing, entries: Sequence[tuple[str, float]], left: float, colors: Sequence[str] = ()) -> None:
    x = left
    for place, (text, shade) in enumerate(entries):
        color = colors[place] if colors else "muted"
        drawing.add(Box(x, 9, 12, 12, color, opacity=shade))
        drawing.add(TextMark(x + 17, 15, text, size=SIZE - 1, color="muted"))
        x += 17 + text_width(text) + 16
        if x > MAX_HEAD + left:
            break


def _row(drawing: Drawing, parts: Sequence[Part], left: float, right: float, y: float) -> None:
    total = sum(part.count for part in parts)
    x = left
    for part in parts:
        width = part.count / total * (right - left) if total else 0.0
        if width > 0:
            tip = f"{part.name}: {part.count:,} of {total:,}"
            drawing.add(Box(x, y - 9, max(width - 1, 0.5), 18, part.color, opacity=part.opacity, tip=tip))
            if width > 34:
                drawing.add(TextMark(x + 6, y, f"{100 * part.count / total:.0f}%", size=SIZE - 1))
        x += width


def choices_figure(found: ChoiceFindings) -> Figure:
    """Wins, ties and losses of every pair of sides."""
    drawing = Drawing(height=TOP + TALL * len(found.pairs) + 8)
    names = [_name(pair.a, pair.b, pair.group, found.task) for pair in found.pairs]
    left, right = min(230.0, label_width(names)), drawing.width - 60
    words = ("taken for the person", "tie", "recognised") if found.task == "realism" else ("a wins", "tie", "b wins")
    _head(drawing, [(word, 0.45) for word in words], left, ("better", "muted", "worse"))
    drawing.add(TextMark(drawing.width, TOP - 12, "judgements", size=SIZE - 1, color="muted", anchor="end"))
    for place, (pair, name) in enumerate(zip(found.pairs, names, strict=True)):
        y = TOP + TALL * (place + 0.5)
        drawing.add(TextMark(0, y, shorten(name, 34), bold=not pair.group and found.task == "realism"))
        parts = [
            Part(pair.wins, words[0], "better", 0.45),
            Part(pair.ties, "tie", "muted", 0.3),
            Part(pair.losses, words[2], "worse", 0.45),
        ]
        _row(drawing, parts, left, right, y)
        drawing.add(TextMark(drawing.width, y, f"{pair.wins + pair.losses + pair.ties:,}", color="muted", anchor="end"))
    rows = [
        f"{name}: {pair.wins} {words[0]}, {pair.ties} ties, {pair.losses} {words[2]}"
        for pair, name in zip(found.pairs, names, strict=True)
    ]
    caption = (
        "Blue: the simulated dialogue was taken for the person's; grey: neither; orange: it was recognised."
        if found.task == "realism"
        else "Blue: the first-named side wins; grey: neither; orange: the second-named side wins."
    )
    return Figure("choices", "choices", "Wins, ties and losses", caption, f"{describe_rows(rows)}.", drawing)


def _name(a: str, b: str, group: str, task: str) -> str:
    if task == "realism":
        return f"{a}, {group}" if group else a
    return f"{a} – {b}"
