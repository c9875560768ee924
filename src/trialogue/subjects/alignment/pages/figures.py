"""Figures of alignment: strategy distribution beside people's, match rate by turn, and metrics on mixtures of replies."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trialogue.findings.alignment_records import AlignmentProfile, plain
from trialogue.render.drawing.marks import SIZE, Dot, Drawing, Line, Path, TextMark, series_marks, text_width
from trialogue.render.drawing.scale import Scale, draw_axis, ends, extent, tick_labels, ticks
from trialogue.render.drawing.theme import system_colors
from trialogue.render.numbers import number, render_estimate
from trialogue.render.plots.base import Figure, label, label_width, legend, row_lines
from trialogue.render.text import describe_rows, shorten
from trialogue.subjects.alignment.differentiation import Differentiation

ROW, TOP, FOOT, TALL = 22.0, 46.0, 26.0, 220.0
MAX_SYSTEMS = 10  # systems; more cannot be distinguished
ACROSS = 3  # panels in a row
PANEL_TALL, PANEL_HEAD, PANEL_FOOT, GUTTER, AXIS = 112.0, 34.0, 34.0, 14.0, 36.0


def alignment_figures(profiles: Sequence[AlignmentProfile]) -> list[Figure]:
    """Both figures, for the first ten systems; none without profiles."""
    shown = list(profiles)[:MAX_SYSTEMS]
    if not shown:
        return []
    colors = system_colors([one.system for one in shown])
    return [mix_figure(shown, colors), turns_figure(shown, colors)]


def mix_figure(profiles: Sequence[AlignmentProfile], colors: Mapping[str, str]) -> Figure:
    """Dot plot by strategy: people's share as a diamond, systems' as dots."""
    human = max(profiles, key=lambda one: one.n).human_mix
    used = {name for one in profiles for name in (*one.human_mix, *one.system_mix)}
    names = sorted(used, key=lambda name: (-human.get(name, 0.0), name))
    drawing = Drawing(height=TOP + ROW * len(names) + FOOT)
    left, bottom = label_width(names), TOP + ROW * len(names)
    highest = max([*human.values(), *(share for one in profiles for share in one.system_mix.values())])
    scale = Scale(0, highest * 1.04, left, drawing.width - 8)
    row_lines(drawing, len(names), top=TOP, row=ROW, left=0, right=drawing.width)
    draw_axis(drawing, scale, top=TOP, bottom=bottom)
    _legend(drawing, profiles, colors)
    marks = series_marks(one.system for one in profiles)
    for place, name in enumerate(names):
        y = TOP + ROW * (place + 0.5)
        drawing.add(TextMark(0, y, label(plain(name))))
        for one in profiles:
            share = one.system_mix.get(name, 0.0)
            tip = f"{one.system}: {number(share, 2)}"
            shape, hollow = marks[one.system]
            color = colors.get(one.system, "accent")
            drawing.add(Dot(scale(share), y, color, radius=4, shape=shape, hollow=hollow, tip=tip))
        tip = f"the human: {number(human.get(name, 0.0), 2)}"
        drawing.add(Dot(scale(human.get(name, 0.0)), y, "ink", shape="diamond", tip=tip))
    return Figure(
        name="alignment-mix",
        section="metrics",
        title="How often each strategy is used",
        caption="Share of replies with each strategy: diamonds are human recommenders in the same situations.",
        alt=describe_rows(
            [f"{one.system}: distance from people {number(one.distance.value or 0, 2)}" for one in profiles]
        )
        + ".",
        drawing=drawing,
    )


def turns_figure(profiles: Sequence[AlignmentProfile], colors: Mapping[str, str]) -> Figure:
    """Line plot by system: match rate by turn, with intervals."""
    names = list(dict.fromkeys(stage.turns for one in profiles for stage in one.stages))
    names.sort(key=lambda name: int(name.split("-")[0].split()[0]))
    drawing = Drawing(height=TOP + TALL + FOOT + 8)
    left, right = 40.0, drawing.width - 20
    up = Scale(0, 1, TOP + TALL, TOP)
    across = Scale(0, max(1, len(names) - 1), left + 30, right - 30)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        drawing.add(Line(left, up(share), right, up(share), width=0.75))
        drawing.add(TextMark(left - 6, up(share), f"{share:g}", size=SIZE - 1, color="muted", anchor="end"))
    for place, name in enumerate(names):
        text = f"turn {name.replace('-', '–')}"
        drawing.add(TextMark(across(place), TOP + TALL + 13, text, size=SIZE - 1, color="muted", anchor="middle"))
    _legend(drawing, profiles, colors, people=False)
    marks = series_marks(one.system for one in profiles)
    for order, one in enumerate(profiles):
        shape, hollow = marks[one.system]
        mark = Dot(0, 0, colors.get(one.system, "accent"), radius=3.6, shape=shape, hollow=hollow)
        _line(drawing, one, names, across, up, mark, shift=4.0 * (order - len(profiles) / 2))
    return Figure(
        name="alignment-turns",
        section="metrics",
        title="Alignment turn by turn",
        caption="Share of replies with the human's strategy by the system's turn number; bars are 95% intervals.",
        alt=describe_rows([_profile_text(one) for one in profiles]) + ".",
        drawing=drawing,
    )


def _line(
    drawing: Drawing,
    one: AlignmentProfile,
    names: Sequence[str],
    across: Scale,
    up: Scale,
    mark: Dot,
    *,
    shift: float,
) -> None:
    points, dots = [], []
    for stage in one.stages:
        if stage.match.value is None:
            continue
        x, y = across(names.index(stage.turns)) + shift, up(stage.match.value)
        points.append((x, y))
        if stage.match.interval is not None:
            low, high = up(stage.match.interval.low), up(stage.match.interval.high)
            drawing.add(Line(x, low, x, high, color=mark.color, width=1.2))
        tip = f"{one.system}, turn {stage.turns.replace('-', '–')}: {number(stage.match.value, 2)}"
        dots.append(replace(mark, x=x, y=y, tip=tip))
    if len(points) > 1:
        drawing.add(Path(tuple(points), mark.color, width=1.2))
    drawing.add(*dots)


def _legend(
    drawing: Drawing, profiles: Sequence[AlignmentProfile], colors: Mapping[str, str], *, people: bool = True
) -> None:
    entries = [(Dot(0, 0, "ink", shape="diamond"), "human")] if people else []
    for system, (shape, hollow) in series_marks(one.system for one in profiles).items():
        mark = Dot(0, 0, colors.get(system, "accent"), radius=4, shape=shape, hollow=hollow)
        entries.append((mark, label(system)))
    half = -(-len(entries) // 2) if len(entries) > 5 else len(entries)
    legend(drawing, entries[:half], x=0, y=10)
    legend(drawing, entries[half:], x=0, y=28)


def _profile_text(one: AlignmentProfile) -> str:
    parts = [f"turn {stage.turns.replace('-', '–')} {number(stage.match.value or 0, 2)}" for stage in one.stages]
    return f"{one.system}: {', '.join(parts)}"


def mixtures(found: Sequence[Differentiation], *, name: str = "differentiation") -> Figure:
    """Small multiples in the given order; metrics without values are omitted."""
    shown = [one for one in found if one.mixes]
    rows = -(-len(shown) // ACROSS)
    drawing = Drawing(height=max(1, rows) * (PANEL_HEAD + PANEL_TALL + PANEL_FOOT))
    width = (drawing.width - (ACROSS - 1) * GUTTER) / ACROSS
    for place, one in enumerate(shown):
        left, top = (place % ACROSS) * (width + GUTTER), (place // ACROSS) * (PANEL_HEAD + PANEL_TALL + PANEL_FOOT)
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
    up = Scale(low, high, top + PANEL_HEAD + PANEL_TALL, top + PANEL_HEAD)
    across = Scale(0, 1, left + AXIS + 4, left + width - 6)
    title = shorten(one.measure.title, int((width - 4) / text_width("m", size=SIZE)))
    drawing.add(
        TextMark(left, top + 8, title, bold=True), TextMark(left, top + 23, _gain(one), size=SIZE - 1, color="muted")
    )
    places = ticks(low, high, 4)
    for place, tick in zip(places, tick_labels(places), strict=True):
        drawing.add(Line(left + AXIS, up(place), left + width, up(place), width=0.75))
        drawing.add(TextMark(left + AXIS - 5, up(place), tick, size=SIZE - 1, color="muted", anchor="end"))
    foot = top + PANEL_HEAD + PANEL_TALL + 12
    for share in (0.0, 0.5, 1.0):
        drawing.add(
            TextMark(across(share), foot, f"{share:.0%}", size=SIZE - 1, color="muted", anchor="middle"),
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
