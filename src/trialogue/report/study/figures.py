"""All figures of a study's page, in order: ratings by criterion, then choices, then labels."""

from trialogue.findings.people.records import ChoiceFindings, LabelFindings, RatingFindings, StudyFindings
from trialogue.findings.standings import League
from trialogue.records import MeasureName
from trialogue.report.drawing.theme import system_colors
from trialogue.report.numbers import p_value
from trialogue.report.plots.base import Figure
from trialogue.report.plots.estimates import Axis, Row, estimates_figure
from trialogue.report.study.bars import choices_figure, distribution_figure
from trialogue.report.study.flow import flow_figure
from trialogue.report.study.sensitivity import choice_sensitivity_figure, rating_sensitivity_figure
from trialogue.report.study.tables import choice_name
from trialogue.report.text import slug

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
