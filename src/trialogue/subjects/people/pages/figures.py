"""All figures of a study's page, in order: ratings by criterion, then choices, then labels."""

from trialogue.findings.standings import League
from trialogue.records import MeasureName
from trialogue.render.drawing.marks import SIZE, Box, Drawing, Line, TextMark
from trialogue.render.drawing.theme import system_colors
from trialogue.render.numbers import p_value
from trialogue.render.plots.base import Figure
from trialogue.render.plots.estimates import Axis, Row, estimates_figure
from trialogue.render.text import shorten, slug
from trialogue.subjects.people.pages.bars import choices_figure, distribution_figure
from trialogue.subjects.people.pages.sensitivity import choice_sensitivity_figure, rating_sensitivity_figure
from trialogue.subjects.people.pages.tables import choice_name
from trialogue.subjects.people.records import (
    ChoiceFindings,
    LabelFindings,
    ParticipantFlow,
    RatingFindings,
    StudyFindings,
)

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


MAX_DRAWN = 40  # pairs in a figure; the table has all


def study_figures(findings: StudyFindings) -> list[Figure]:
    """All figures in page order; criteria with equal file names get a number."""
    drawn: list[Figure | None] = []
    if findings.flow is not None:
        drawn.append(flow_figure(findings.flow))
    colors = system_colors([one.system for each in findings.ratings for one in each.systems])
    for place, each in enumerate(findings.ratings):
        key = criterion_key(each, place)
        drawn += [figure.rename(f"{figure.name.partition('-')[0]}-{key}") for figure in _rating_figures(each, colors)]
    if findings.choices is not None and findings.choices.pairs:
        drawn += [choices_figure(findings.choices), _win_shares(findings.choices)]
        if len(findings.choices.sensitivity) > 1:
            drawn.append(choice_sensitivity_figure(findings.choices))
    if findings.labels is not None and findings.labels.classes:
        drawn.append(_label_agreement(findings.labels))
    return [figure for figure in drawn if figure is not None]


def criterion_key(found: RatingFindings, place: int) -> str:
    """File name suffix of a criterion's figures, unique by position."""
    return f"{slug(MeasureName(found.measure).prose)}-{place + 1}"


def _rating_figures(found: RatingFindings, colors: dict[str, str]) -> list[Figure]:
    drawn: list[Figure | None] = [distribution_figure(found, colors)] if found.systems else []
    if found.league is not None and found.league.contrasts:
        drawn.append(_differences_figure(found, found.league, colors))
        if len(found.sensitivity) > 1:
            drawn.append(rating_sensitivity_figure(found, found.league))
    if found.position is not None:
        drawn.append(_position_figure(found))
    return [figure for figure in drawn if figure is not None]


def _differences_figure(found: RatingFindings, league: League, colors: dict[str, str]) -> Figure | None:
    rows = [
        Row(
            f"{pair.a} – {pair.b}",
            pair.difference,
            color=colors.get(pair.leader or "", "muted"),
            notes=[f"p {p_value(pair.p_adjusted)}"],
            strong=pair.leader is not None,
        )
        for pair in league.contrasts[:MAX_DRAWN]
    ]
    return estimates_figure(
        rows,
        Axis("difference of mean ratings", 0.0),
        name="differences",
        title=f"{found.title}: differences between systems",
        caption=(
            "Mean rating of the first-named system minus that of the second. Intervals are for each pair individually; p is "
            "corrected over all pairs. Bold: significant. Dashed: no difference."
        ),
        note_heads=["p, corrected"],
    )


def _position_figure(found: RatingFindings) -> Figure | None:
    assert found.position is not None
    return estimates_figure(
        [Row(f"Position {name} – 1", shift) for name, shift in found.position.shifts.items()],
        Axis("difference of mean ratings", 0.0),
        name="position",
        title=f"{found.title}: effect of position",
        caption="Ratings at each position minus those at the first position, for the same system.",
    )


def _win_shares(found: ChoiceFindings) -> Figure | None:
    rows = []
    for pair in found.pairs[:MAX_DRAWN]:
        name = choice_name(found.task, pair)
        holds = pair.verdict in ("a", "b")
        color, notes = "accent" if holds else "muted", [f"p {p_value(pair.p_adjusted)}"]
        rows.append(Row(name, pair.decisive, color=color, notes=notes, strong=holds))
    what = "taken for the person" if found.task == "realism" else "won by the first-named side"
    return estimates_figure(
        rows,
        Axis("share", 0.5),
        name="win-shares",
        title=f"Share of decisive judgements {what}",
        caption="Ties left out. Intervals resample pairs of dialogues or raters, whichever gives the wider one. "
        "Dashed: one half.",
        note_heads=["p, Bonferroni"],
    )


def _label_agreement(found: LabelFindings) -> Figure | None:
    rows = [Row(f"{one.label.replace('_', ' ')} ({one.given:,})", one.kappa) for one in found.classes[:MAX_DRAWN]]
    return estimates_figure(
        rows,
        Axis("alpha: 1 is perfect, 0 is chance", 0.0),
        name="labels",
        title="Agreement by label",
        caption="Krippendorff's alpha of each label against all others; in parentheses, how often annotators gave it.",
    )
