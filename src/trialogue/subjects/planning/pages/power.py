"""Files and terminal text of a planned study's power."""

from collections.abc import Callable, Sequence
from pathlib import Path

from trialogue.records import Estimate
from trialogue.records.files.cells import csv_text
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import write_text
from trialogue.render.drawing.marks import SIZE, Dot, Drawing, Line, Shape, TextMark
from trialogue.render.drawing.marks import Path as Outline
from trialogue.render.drawing.scale import Scale, ticks
from trialogue.render.plots.base import Figure
from trialogue.subjects.planning.study_power import DesignAlternative, PowerFindings, StudyPower, Way

WAYS: dict[Way, str] = {
    "participants": "more participants, same situations",
    "situations": "more situations, same participants",
    "both": "more of both",
}


def write_power(findings: PowerFindings, folder: Path) -> Path:
    """Write ``power.json``, ``power.csv`` and the figure (``power.svg``); returns the path of the figure."""
    write_text(folder / "power.json", to_line(findings) + "\n")
    write_text(folder / "power.csv", _csv(findings))
    if findings.curves:
        write_text(folder / "power.svg", power_figure(findings).svg)
    return folder / ("power.svg" if findings.curves else "power.csv")


def power_lines(findings: PowerFindings) -> list[str]:
    """Power of the plan and of alternatives, as lines."""
    plan = findings.plan
    lines = [
        f"{_design(plan, findings)}; {plan.simulations:,} simulated studies, {_analysis(plan)}.",
        f"Standard deviations in logits: {_variances(findings)}",
        f"  (from {findings.source}).",
        *(f"note: {note}" for note in findings.notes),
    ]
    for pair in plan.pairs:
        what = f"{pair.effect:+.2g} logits" if pair.effect else "no difference: false positives"
        lines.append(f"  {pair.a} and {pair.b} ({what}): {_share(pair.found)}")
    lines.append(f"  every difference (power): {_share(plan.every_pair)}")
    if plan.false_positive.value is not None:
        lines.append(f"  a false positive: {_share(plan.false_positive)}")
    if findings.ways:
        lines += [f"For a power of {findings.power:.0%}:", *(f"  {_way(one, findings)}" for one in findings.ways)]
    return lines


def _design(plan: StudyPower, findings: PowerFindings) -> str:
    people, systems = f"{plan.participants:,} participants", len(findings.effects)
    if plan.met is not None:
        talks = plan.met * plan.tasks
        each = f"{talks} conversation{'' if talks == 1 else 's'} each, with {plan.met} of {systems} systems"
        return f"{people}, {each}, {len(findings.thresholds) + 1} points"
    each, of = f"{plan.tasks} of {plan.situations:,} situations each", f"{plan.ratings_per_reply:.1f}"
    if plan.answers == "choices":
        return f"{people}, {each} ({of} choices per situation), between two of {systems} systems"
    return f"{people}, {each} ({of} ratings per reply), {systems} systems, {len(findings.thresholds) + 1} points"


def _analysis(plan: StudyPower) -> str:
    if (quick := plan.calibration) is None:
        return "decided as in the report"
    return (
        f"analysed by a quick test whose t is calibrated on the report's in {quick.studies} studies "
        f"(ratio {quick.ratio:.3f} ± {quick.error:.3f})"
    )


def _variances(findings: PowerFindings) -> str:
    return ", ".join(f"{name} {value:.2g}" for name, value in findings.variances.items())


def _way(one: DesignAlternative, findings: PowerFindings) -> str:
    if one.at is None:
        end = "however many participants" if one.way != "situations" else "with one judgement of each"
        return f"{WAYS[one.way]}: not enough, about {one.limit or 0.0:.0%} {end} (formula)."
    what = "choices per situation" if one.at.answers == "choices" else "ratings per reply"
    interval = one.at.every_pair.interval
    reached = interval is not None and interval.contains(findings.power)
    beside = "" if reached else "; the search ended here"
    return (
        f"{WAYS[one.way]}: {one.at.participants:,} participants, {one.at.situations:,} situations "
        f"({one.at.ratings_per_reply:.1f} {what}): {_share(one.at.every_pair)}{beside}"
    )


def _share(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined: {estimate.why}"
    between = estimate.interval
    return f"{estimate.value:.0%}" + (f" ({between.low:.0%} to {between.high:.0%})" if between else "")


def _csv(findings: PowerFindings) -> str:
    """Every size with its power: simulated ones with their error, then the formula's curves."""
    head = ["way", "by", "participants", "situations", "ratings_per_reply", "power", "low", "high", "simulations"]
    rows: list[list[str | int | float | None]] = [_row("plan", findings.plan)]
    rows += [_row(one.way, one.at) for one in findings.ways if one.at is not None]
    for way, points in findings.curves.items():
        rows += [[way, "formula", people, pool, None, power, None, None, None] for people, pool, power in points]
    return csv_text(head, rows)


def _row(way: str, plan: StudyPower) -> list[str | int | float | None]:
    power, between = plan.every_pair, plan.every_pair.interval
    low, high = (between.low, between.high) if between else (None, None)
    size = (plan.participants, plan.situations, plan.ratings_per_reply)
    return [way, "simulation", *size, power.value, low, high, plan.simulations]


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
        drawing.add(
            Outline(tuple((across(size(one)), up(one[2])) for one in findings.curves[way]), color, dashes=dashes)
        )
        y = 10.0 + 15 * place
        drawing.add(Outline(((left, y), (left + 24, y)), color, dashes=dashes), Dot(left + 12, y, color, 3.6, shape))
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
