"""Forest plots of agreement: one row per measure, chance as a line, baselines hollow, pooled above within systems."""

from collections.abc import Sequence
from dataclasses import dataclass

from trialogue.findings.agreement.answer import main_statistic, title_of
from trialogue.findings.agreement.rating_agreement import CHANCE
from trialogue.findings.agreement.records import AgreementFindings, PreferenceAgreement, RatingAgreement, Statistic
from trialogue.records import VOTES, Estimate, MeasureName
from trialogue.records.kinds.origins import possessive_of
from trialogue.report.drawing.marks import SIZE, Dot, Drawing, Line, TextMark, widest
from trialogue.report.drawing.scale import Scale, draw_axis, ends, extent
from trialogue.report.numbers import bounds, column_decimals, number, render_estimate
from trialogue.report.plots.base import Figure, legend, row_lines
from trialogue.report.text import describe_rows, shorten, slug

ROW = 30.0
LONGEST = 38  # columns of a measure's title
NAMES: dict[str, str] = {"auc": "AUC", "pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ"}


@dataclass(frozen=True)
class Row:
    """One measure in a figure."""

    title: str
    first: Estimate
    second: Estimate | None
    baseline: bool


def agreement_figures(findings: AgreementFindings) -> list[Figure]:
    """One figure per question and level, then one for preferences; none without values."""
    figures = []
    for question, level in dict.fromkeys((each.question, each.level) for each in findings.ratings):
        ratings = [each for each in findings.ratings if (each.question, each.level) == (question, level)]
        figure = ratingforest_of(findings, question, level, ratings)
        if figure is not None:
            figures.append(figure)
    chosen = preferenceforest_of(findings)
    return [*figures, *([chosen] if chosen else [])]


def ratingforest_of(
    findings: AgreementFindings, question: str, level: str, ratings: Sequence[RatingAgreement]
) -> Figure | None:
    """Forest plot of measures by pooled agreement with one question, within-system agreement beneath."""
    statistic = main_statistic(ratings)
    rows = []
    for each in ratings:
        pooled, within = each.get(statistic), each.get(statistic, "within")
        if pooled is not None and pooled.headline.value is not None:
            inside = within.headline if within and within.headline.value is not None else None
            rows.append(
                Row(title_of(findings, each.measure), pooled.headline, inside, each.measure in findings.baselines)
            )
    if not rows:
        return None
    asked = MeasureName(question).prose
    ceiling = next(
        (each.ceiling for each in findings.ceilings if (each.question, each.level) == (question, level)), None
    )
    return forest_of(
        name=f"agreement-{level}-{slug(question)}",
        title=f"Agreement with {possessive_of(findings.raters_of(question))} {asked}, {level}s",
        rows=rows,
        statistic=NAMES[statistic],
        chance=CHANCE[statistic],
        second="within systems",
        ceiling=ceiling if statistic != "auc" else None,
    )


def preferenceforest_of(findings: AgreementFindings) -> Figure | None:
    """Forest plot of measures by Cohen's kappa with people's choices."""
    chosen: list[PreferenceAgreement] = [each for each in findings.preferences if each.headline_kappa.value is not None]
    if not chosen:
        return None
    rows = [
        Row(title_of(findings, each.measure), each.headline_kappa, None, each.measure in findings.baselines)
        for each in chosen
    ]
    return forest_of(
        name="agreement-votes",
        title=f"Agreement with {possessive_of(findings.raters_of(VOTES))} pairwise choices",
        rows=rows,
        statistic="Cohen's kappa",
        chance=0.0,
    )


def forest_of(
    *,
    name: str,
    title: str,
    rows: Sequence[Row],
    statistic: str,
    chance: float,
    second: str | None = None,
    ceiling: float | None = None,
    notes: Sequence[str] = (),
) -> Figure:
    """Forest plot of rows, highest first, with a line at chance and optionally at a ceiling.

    Args:
        name: file name without suffix.
        title: what it shows.
        rows: at least one, with values.
        statistic: what the axis is.
        chance: value expected by chance.
        second: what the second mark of a row is.
        ceiling: what cannot be exceeded.
        notes: further sentences of the caption; by default what a baseline is.
    """
    ordered = sorted(rows, key=lambda row: (-(row.first.value or 0.0), row.title))
    estimates = [estimate for row in ordered for estimate in (row.first, row.second) if estimate is not None]
    shown = [*ends(estimates), chance, *([ceiling] if ceiling is not None else [])]
    drawing = Drawing(height=44 + ROW * len(ordered) + 40)
    titles = [shorten(row.title, LONGEST) for row in ordered]
    left, right, top = min(230.0, widest(titles)) + 14, drawing.width - 118, 44.0
    bottom = top + ROW * len(ordered)
    scale = Scale(*extent(shown), left + 6, right - 6)
    _key(drawing, second, not notes and any(row.baseline for row in ordered))
    row_lines(drawing, len(ordered), top=top, row=ROW, left=0, right=drawing.width)
    draw_axis(drawing, scale, top=top, bottom=bottom)
    drawing.add(Line(scale(chance), top - 6, scale(chance), bottom, "muted", 1.4, dashed=True, tip="chance"))
    if ceiling is not None:
        drawing.add(Line(scale(ceiling), top - 6, scale(ceiling), bottom, "better", 1.4, dashed=True, tip="ceiling"))
    decimals = column_decimals(estimates)
    for place, (row, text) in enumerate(zip(ordered, titles, strict=True)):
        _row(drawing, row, text, scale, top + ROW * (place + 0.5), right, decimals)
    drawing.add(TextMark((left + right) / 2, bottom + 29, statistic, color="muted", anchor="middle"))
    parts = [f"{statistic[:1].upper()}{statistic[1:]} with 95% intervals; the dashed line is chance ({chance:g})."]
    if ceiling is not None:
        parts.append(
            f"The other dashed line, at {ceiling:.2f}, is what a perfect measure could reach with these raters."
        )
    if not notes and any(row.baseline for row in ordered):
        parts.append("Hollow: trivial baselines that any useful metric must beat.")
    parts += notes
    described = describe_rows([f"{row.title} {render_estimate(row.first, decimals)}" for row in ordered])
    return Figure(
        name=name,
        section="metrics",
        title=title,
        caption=" ".join(parts),
        alt=f"{title}: {described}.",
        drawing=drawing,
    )


def _key(drawing: Drawing, second: str | None, baselines: bool) -> None:
    if not second and not baselines:
        return
    entries = [(Dot(0, 0, "accent"), "all units")]
    if second:
        entries.append((Dot(0, 0, "muted", shape="diamond"), second))
    if baselines:
        entries.append((Dot(0, 0, "accent", hollow=True), "baseline"))
    legend(drawing, entries, x=0, y=12)


def _row(drawing: Drawing, row: Row, text: str, scale: Scale, y: float, right: float, decimals: int) -> None:
    drawing.add(TextMark(0, y, text))
    _mark(drawing, row, row.first, scale, y - (5 if row.second else 0), "accent", decimals)
    if row.second is not None:
        _mark(drawing, row, row.second, scale, y + 6, "muted", decimals)
    value = number(row.first.value or 0.0, decimals)
    drawing.add(TextMark(right + 10, y, value, bold=True))
    if row.first.interval:
        offset = right + 14 + len(value) * SIZE * 0.66
        drawing.add(TextMark(offset, y, bounds(row.first.interval, decimals), size=SIZE - 1, color="muted"))


def _mark(drawing: Drawing, row: Row, estimate: Estimate, scale: Scale, y: float, color: str, decimals: int) -> None:
    tip = f"{row.title}: {render_estimate(estimate, decimals)}"
    if estimate.interval:
        drawing.add(Line(scale(estimate.interval.low), y, scale(estimate.interval.high), y, color, 2.2, tip=tip))
    x = scale(estimate.value or 0.0)
    if color == "accent":
        drawing.add(Dot(x, y, color, radius=4, hollow=row.baseline, tip=tip))
    else:
        drawing.add(Dot(x, y, color, radius=4, shape="diamond", hollow=row.baseline, tip=tip))


def statistic_name(statistic: Statistic) -> str:
    """Name of a statistic."""
    return NAMES[statistic]
