"""Alignment figures: strategy distribution beside people's, and match rate by turn."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trialogue.findings.alignment_records import AlignmentProfile, plain
from trialogue.render.drawing.marks import SIZE, Dot, Drawing, Line, Path, TextMark, series_marks
from trialogue.render.drawing.scale import Scale, draw_axis
from trialogue.render.drawing.theme import system_colors
from trialogue.render.numbers import number
from trialogue.render.plots.base import Figure, label, label_width, legend, row_lines
from trialogue.render.text import describe_rows

ROW, TOP, FOOT, TALL = 22.0, 46.0, 26.0, 220.0
MAX_SYSTEMS = 10  # systems; more cannot be distinguished


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
