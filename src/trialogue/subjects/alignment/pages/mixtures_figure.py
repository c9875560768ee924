"""Figure of differentiation: metrics against the share of preferred replies, one panel per metric."""

from collections.abc import Sequence

from trialogue.render.drawing.marks import SIZE, Dot, Drawing, Line, Path, TextMark, text_width
from trialogue.render.drawing.scale import Scale, ends, extent, tick_labels, ticks
from trialogue.render.numbers import number, render_estimate
from trialogue.render.plots.base import Figure
from trialogue.render.text import describe_rows, shorten
from trialogue.subjects.alignment.differentiation_records import Differentiation

ACROSS = 3  # panels in a row
TALL, HEAD, FOOT, GUTTER, AXIS = 112.0, 34.0, 34.0, 14.0, 36.0


def mixtures(found: Sequence[Differentiation], *, name: str = "differentiation") -> Figure:
    """Small multiples in the given order; metrics without values are omitted."""
    shown = [one for one in found if one.mixes]
    rows = -(-len(shown) // ACROSS)
    drawing = Drawing(height=max(1, rows) * (HEAD + TALL + FOOT))
    width = (drawing.width - (ACROSS - 1) * GUTTER) / ACROSS
    for place, one in enumerate(shown):
        left, top = (place % ACROSS) * (width + GUTTER), (place // ACROSS) * (HEAD + TALL + FOOT)
        _panel(drawing, one, left=left, top=top, width=width)
    return Figure(
        name=name,
        section="metrics",
        title="Metrics against the share of preferred replies",
        caption=(
            "Each panel is one metric; from left to right the share of preferred replies in a mixed system "
            "grows from 0 to 100%. Bars are 95% intervals. A metric that separates good from bad rises (or "
            "falls, if lower is better) by more than its intervals. Each panel has its own axes."
        ),
        alt=describe_rows([_differentiation_text(one) for one in shown]) + ".",
        drawing=drawing,
    )


def _panel(drawing: Drawing, one: Differentiation, *, left: float, top: float, width: float) -> None:
    low, high = extent(ends(mix.estimate for mix in one.mixes))
    up = Scale(low, high, top + HEAD + TALL, top + HEAD)
    across = Scale(0, 1, left + AXIS + 4, left + width - 6)
    title = shorten(one.measure.title, int((width - 4) / text_width("m", size=SIZE)))
    drawing.add(
        TextMark(left, top + 8, title, bold=True), TextMark(left, top + 23, _gain(one), size=SIZE - 1, color="muted")
    )
    places = ticks(low, high, 4)
    for place, label in zip(places, tick_labels(places), strict=True):
        drawing.add(Line(left + AXIS, up(place), left + width, up(place), width=0.75))
        drawing.add(TextMark(left + AXIS - 5, up(place), label, size=SIZE - 1, color="muted", anchor="end"))
    for share in (0.0, 0.5, 1.0):
        label = f"{share:.0%}"
        drawing.add(
            TextMark(across(share), top + HEAD + TALL + 12, label, size=SIZE - 1, color="muted", anchor="middle")
        )
    points = [(across(mix.share), up(mix.estimate.value), mix) for mix in one.mixes if mix.estimate.value is not None]
    drawing.add(Path(tuple((x, y) for x, y, _ in points), "s0", width=1.4))
    for x, y, mix in points:
        interval = mix.estimate.interval
        if interval is not None:
            drawing.add(Line(x, up(interval.low), x, up(interval.high), color="s0", width=1.2))
        tip = f"{mix.share:.0%} preferred: {number(mix.estimate.value or 0.0, 3)}"
        drawing.add(Dot(x, y, "s0", radius=2.6, halo=False, tip=tip))


def _gain(one: Differentiation) -> str:
    gain = one.gain
    if gain.value is None:
        return "no known difference"
    return f"ideal − worst {render_estimate(gain, 3)}"


def _differentiation_text(one: Differentiation) -> str:
    first, last = one.mixes[0].estimate.value, one.mixes[-1].estimate.value
    if first is None or last is None:
        return f"{one.measure.title} has no value"
    return f"{one.measure.title} goes from {number(first, 3)} to {number(last, 3)}"
