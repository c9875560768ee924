"""Figure of the power of a planned study against participants and situations."""

from collections.abc import Callable, Sequence

from trialogue.render.drawing.marks import SIZE, Dot, Drawing, Line, Path, Shape, TextMark
from trialogue.render.drawing.scale import Scale, ticks
from trialogue.render.plots.base import Figure
from trialogue.subjects.planning.study_power import PowerFindings, StudyPower, Way

TOP, BOTTOM = 40.0, 230.0
GAP = 56.0
LINES: dict[Way, tuple[str, str]] = {
    "participants": ("s0", "the same situations"),
    "both": ("s1", "more situations with them"),
    "situations": ("s2", "the same participants"),
}
STYLES: dict[Way, tuple[tuple[float, ...], Shape]] = {
    "participants": ((), "square"),
    "both": ((7.0, 3.0), "triangle"),
    "situations": ((2.0, 2.5), "wedge"),
}
"""(dashes, shape of simulated points), so that no line is known by its color alone; the plan itself is a circle."""
Point = tuple[int, int, float]


def power_figure(findings: PowerFindings) -> Figure:
    """Power against participants (two ways) and situations; lines by formula, dots simulated with their error."""
    drawing = Drawing(height=BOTTOM + 50)
    half = (drawing.width - GAP) / 2
    by_people = [way for way in ("participants", "both") if way in findings.curves]
    panels: list[tuple[list[Way], str, Callable[[Point], int], Callable[[StudyPower], int]]] = [
        (by_people, "participants", lambda point: point[0], lambda plan: plan.participants)  # type: ignore[list-item]
    ]
    if "situations" in findings.curves:
        panels.append((["situations"], "situations", lambda point: point[1], lambda plan: plan.situations))
    for place, (ways, title, size, at) in enumerate(panels):
        left = 40.0 + place * (half + GAP / 2)
        _panel(drawing, findings, ways, title, size, at, left=left, right=left + half - 46)
    return Figure(
        name="power",
        section="power",
        title="Power of the planned study",
        caption=(
            "Probability of detecting every true difference. Dots are simulated studies, analysed like the "
            "report, with the 95% Monte Carlo error (circle: the plan); lines are a formula that guides the "
            "search. The grey dashed line is the required power."
        ),
        alt=_alt(findings),
        drawing=drawing,
    )


def _panel(
    drawing: Drawing,
    findings: PowerFindings,
    ways: Sequence[Way],
    title: str,
    size: Callable[[Point], int],
    at: Callable[[StudyPower], int],
    *,
    left: float,
    right: float,
) -> None:
    simulated = [(ways[0], findings.plan)] + [(one.way, one.at) for one in findings.ways if one.way in ways and one.at]
    sizes = [size(point) for way in ways for point in findings.curves[way]] + [at(plan) for _, plan in simulated]
    across, up = Scale(0.0, 1.05 * max(sizes), left, right), Scale(0.0, 1.0, BOTTOM, TOP)
    for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        drawing.add(Line(left, up(share), right, up(share), "line"))
        drawing.add(TextMark(left - 6, up(share), f"{share:.0%}", size=SIZE - 2, color="muted", anchor="end"))
    for tick in ticks(0.0, across.high, 5):
        drawing.add(TextMark(across(tick), BOTTOM + 14, f"{tick:,.0f}", size=SIZE - 2, color="muted", anchor="middle"))
    drawing.add(TextMark((left + right) / 2, BOTTOM + 32, title, color="muted", anchor="middle"))
    drawing.add(Line(left, up(findings.power), right, up(findings.power), "muted", 1.2, dashed=True))
    for place, way in enumerate(ways):
        color, words = LINES[way]
        dashes, shape = STYLES[way]
        drawing.add(Path(tuple((across(size(one)), up(one[2])) for one in findings.curves[way]), color, dashes=dashes))
        y = 10.0 + 15 * place
        drawing.add(Path(((left, y), (left + 24, y)), color, dashes=dashes), Dot(left + 12, y, color, 3.6, shape))
        drawing.add(TextMark(left + 30, y, words, size=SIZE - 1, color="muted"))
    for way, plan in simulated:
        color = "ink" if plan is findings.plan else LINES[way][0]
        interval, x = plan.every_pair.interval, across(at(plan))
        if interval is not None:
            drawing.add(Line(x, up(interval.low), x, up(interval.high), color, 2.0))
        shape = "circle" if plan is findings.plan else STYLES[way][1]
        drawing.add(Dot(x, up(plan.every_pair.value or 0.0), color, shape=shape))


def _alt(findings: PowerFindings) -> str:
    parts = [_point(findings.plan, "the plan")]
    parts += [_point(one.at, LINES[one.way][1]) for one in findings.ways if one.at is not None]
    return "Power: " + "; ".join(parts) + "."


def _point(plan: StudyPower, words: str) -> str:
    power = plan.every_pair.value or 0.0
    return f"{words}, {plan.participants:,} participants and {plan.situations:,} situations: {power:.0%}"
