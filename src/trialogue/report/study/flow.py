"""CONSORT 2010 flow diagram of participants, with exclusions at the side."""

from trialogue.findings.people.records import ParticipantFlow
from trialogue.report.drawing.marks import SIZE, Box, Drawing, Line, TextMark
from trialogue.report.plots.base import Figure
from trialogue.report.text import shorten

STAGES = {
    "arrived": "Arrived",
    "consented": "Consented",
    "screened": "Passed screening",
    "active": "Began the task",
    "completed": "Completed",
}
BOX, SIDE, TALL, GAP, ROW = 230.0, 330.0, 34.0, 30.0, 16.0


def flow_figure(flow: ParticipantFlow) -> Figure:
    """Stages with counts, losses between them, exclusions before the analysis."""
    sides = _sides(flow)
    stages = [(STAGES[name], count) for name, count in flow.reached.items()] + [("Analysed", flow.analysed)]
    tops, y = [], 4.0
    for place in range(len(stages)):
        tops.append(y)
        y += TALL + max(GAP, len(sides[place]) * ROW + 22 if sides[place] else 0)
    drawing = Drawing(height=tops[-1] + TALL + 4)
    for place, (name, count) in enumerate(stages):
        if place + 1 < len(stages):
            drawing.add(Line(BOX / 2, tops[place] + TALL, BOX / 2, tops[place + 1], "muted", 1.2))
            _side(drawing, sides[place], (tops[place] + TALL + tops[place + 1]) / 2)
        last = place + 1 == len(stages)
        drawing.add(Box(0, tops[place], BOX, TALL, "accent" if last else "muted", opacity=0.16))
        drawing.add(TextMark(12, tops[place] + TALL / 2, name, bold=last))
        drawing.add(TextMark(BOX - 12, tops[place] + TALL / 2, f"{count:,}", bold=True, anchor="end"))
    counts = "; ".join(f"{name.lower()} {count:,}" for name, count in stages)
    lost = "; ".join(f"{text}" for lines in sides for text in lines)
    return Figure(
        name="flow",
        section="flow",
        title="Flow of participants",
        caption="Participants who arrived, how far they got, and why some are not in the analysis.",
        alt=f"Participants: {counts}. {f'Lost: {lost}.' if lost else 'Nobody was lost.'}",
        drawing=drawing,
    )


def _sides(flow: ParticipantFlow) -> list[list[str]]:
    """Lines beside the transition from each stage to the next."""
    sides = [[f"{loss.count:,} {loss.reason}" for loss in flow.losses if loss.stage == stage] for stage in flow.reached]
    if flow.excluded:
        rules = [f"{rule.participants:,} {rule.meaning or rule.rule}" for rule in flow.rules if rule.planned]
        rules += [f"{each.participants:,} by hand: {each.reason}" for each in flow.by_hand]
        by = "planned rules or by hand" if flow.by_hand else "planned rules"
        sides[-1] += [f"{flow.excluded:,} excluded by {by}", *(f"– {text}" for text in rules)]
    return [*sides, []]


def _side(drawing: Drawing, lines: list[str], middle: float) -> None:
    if not lines:
        return
    height = len(lines) * ROW + 10
    left = BOX + 50
    drawing.add(Line(BOX / 2, middle, left, middle, "muted", 1.2))
    drawing.add(Box(left, middle - height / 2, SIDE, height, "worse", opacity=0.1))
    for place, text in enumerate(lines):
        y = middle - height / 2 + 5 + ROW * (place + 0.5)
        drawing.add(TextMark(left + 10, y, shorten(text, 48), size=SIZE))
