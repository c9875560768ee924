"""Forest plots of agreement: one row per measure, chance as a line, baselines hollow, pooled above within systems."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trialogue.findings.agreement.answer import main_statistic, title_of
from trialogue.findings.agreement.rating_agreement import CHANCE
from trialogue.findings.agreement.records import AgreementFindings, RatingAgreement, Statistic
from trialogue.records import VOTES, Estimate, MeasureName
from trialogue.records.kinds.origins import possessive_of
from trialogue.report.drawing.marks import SIZE, WIDTH, Dot, Drawing, Line, TextMark, widest
from trialogue.report.drawing.scale import Scale, draw_axis, ends, extent
from trialogue.report.numbers import bounds, column_decimals, number, render_estimate
from trialogue.report.plots.base import NARROW, Figure, legend, row_lines
from trialogue.report.text import describe_rows, shorten, slug

TOP, ROW = 44.0, 30.0
LONGEST, LONGEST_NARROW = 38, 22  # columns of a measure's title
MOST = 8  # rows beside the answer of a page
NAMES: dict[str, str] = {"auc": "AUC", "pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ"}


@dataclass(frozen=True)
class Row:
    """One measure in a figure."""

    title: str
    first: Estimate
    second: Estimate | None
    baseline: bool


def agreement_figures(found: AgreementFindings) -> list[Figure]:
    """One figure per question and level, then one for preferences; none without values."""
    keys = dict.fromkeys((each.question, each.level) for each in found.ratings)
    ratings = [[each for each in found.ratings if (each.question, each.level) == key] for key in keys]
    figures = [*(rating_forest(found, each) for each in ratings), preference_forest(found)]
    return [figure for figure in figures if figure is not None]


def rating_forest(
    found: AgreementFindings, ratings: Sequence[RatingAgreement], *, narrow: bool = False
) -> Figure | None:
    """Measures by pooled agreement with one question, within-system agreement beneath; None without values.

    Args:
        found: what the ratings are of.
        ratings: at least one, all on one question and level.
        narrow: draw the best ones only, for the first screen.
    """
    statistic = main_statistic(ratings)
    question, level = ratings[0].question, ratings[0].level
    rows = []
    for each in ratings:
        pooled, within = each.get(statistic), each.get(statistic, "within")
        if pooled is not None and pooled.headline.value is not None:
            inside = within.headline if within and within.headline.value is not None else None
            rows.append(Row(title_of(found, each.measure), pooled.headline, inside, each.measure in found.baselines))
    ceilings = [each.ceiling for each in found.ceilings if (each.question, each.level) == (question, level)]
    return forest_of(
        name=f"agreement-{level}-{slug(question)}" + ("-best" if narrow else ""),
        title=f"Agreement with {possessive_of(found.raters_of(question))} {MeasureName(question).prose}, {level}s",
        rows=rows,
        statistic=NAMES[statistic],
        chance=CHANCE[statistic],
        second="within systems",
        ceiling=ceilings[0] if ceilings and statistic != "auc" else None,
        narrow=narrow,
    )


def preference_forest(found: AgreementFindings) -> Figure | None:
    """Measures by Cohen's kappa with people's choices; None without values."""
    return forest_of(
        name="agreement-votes",
        title=f"Agreement with {possessive_of(found.raters_of(VOTES))} pairwise choices",
        rows=[
            Row(title_of(found, each.measure), each.headline_kappa, None, each.measure in found.baselines)
            for each in found.preferences
            if each.headline_kappa.value is not None
        ],
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
    narrow: bool = False,
) -> Figure | None:
    """Forest plot of rows, highest first, with a line at chance and optionally at a ceiling; None without rows.

    Args:
        name: file name without suffix.
        title: what it shows.
        rows: rows with values.
        statistic: what the axis is.
        chance: value expected by chance.
        second: what the second mark of a row is.
        ceiling: what cannot be exceeded.
        notes: further sentences of the caption; by default what a baseline is.
        narrow: draw the first rows only, without their numbers, beside a table that has them.
    """
    if not rows:
        return None
    ordered = sorted(rows, key=lambda row: (-(row.first.value or 0.0), row.title))[: MOST if narrow else None]
    estimates = [estimate for row in ordered for estimate in (row.first, row.second) if estimate is not None]
    bottom = TOP + ROW * len(ordered)
    drawing = Drawing(height=bottom + 40, width=NARROW if narrow else WIDTH)
    titles = [shorten(row.title, LONGEST_NARROW if narrow else LONGEST) for row in ordered]
    left, right = min(230.0, widest(titles)) + 14, drawing.width - (8 if narrow else 118)
    places = [*ends(estimates), chance, *([ceiling] if ceiling is not None else [])]
    scale = Scale(*extent(places), left + 6, right - 6)
    hollow = not notes and any(row.baseline for row in ordered)
    _key(drawing, second, hollow)
    row_lines(drawing, len(ordered), top=TOP, row=ROW, left=0, right=drawing.width)
    draw_axis(drawing, scale, top=TOP, bottom=bottom)
    drawing.add(Line(scale(chance), TOP - 6, scale(chance), bottom, "muted", 1.4, dashed=True, tip="chance"))
    if ceiling is not None:
        drawing.add(Line(scale(ceiling), TOP - 6, scale(ceiling), bottom, "better", 1.4, dashed=True, tip="ceiling"))
    decimals = column_decimals(estimates)
    for place, (row, text) in enumerate(zip(ordered, titles, strict=True)):
        y = TOP + ROW * (place + 0.5)
        _row(drawing, row, text, scale, y, decimals)
        if not narrow:
            _numbers(drawing, row.first, y, right, decimals)
    drawing.add(TextMark((left + right) / 2, bottom + 29, statistic, color="muted", anchor="middle"))
    described = describe_rows([f"{row.title} {render_estimate(row.first, decimals)}" for row in ordered])
    caption = " ".join(_caption(statistic, chance, ceiling, notes, hollow=hollow))
    return Figure(name, "metrics", title, caption, f"{title}: {described}.", drawing)


def _caption(
    statistic: str, chance: float, ceiling: float | None, notes: Sequence[str], *, hollow: bool
) -> Iterator[str]:
    yield f"{statistic[:1].upper()}{statistic[1:]} with 95% intervals; the dashed line is chance ({chance:g})."
    if ceiling is not None:
        yield f"The other dashed line, at {ceiling:.2f}, is what a perfect measure could reach with these raters."
    if hollow:
        yield "Hollow: trivial baselines that any useful metric must beat."
    yield from notes


def _key(drawing: Drawing, second: str | None, baselines: bool) -> None:
    if not second and not baselines:
        return
    entries = [(Dot(0, 0, "accent"), "all units")]
    if second:
        entries.append((Dot(0, 0, "muted", shape="diamond"), second))
    if baselines:
        entries.append((Dot(0, 0, "accent", hollow=True), "baseline"))
    legend(drawing, entries, x=0, y=12)


def _row(drawing: Drawing, row: Row, text: str, scale: Scale, y: float, decimals: int) -> None:
    drawing.add(TextMark(0, y, text))
    _mark(drawing, row, row.first, scale, y - (5 if row.second else 0), "accent", decimals)
    if row.second is not None:
        _mark(drawing, row, row.second, scale, y + 6, "muted", decimals)


def _numbers(drawing: Drawing, estimate: Estimate, y: float, right: float, decimals: int) -> None:
    """The value at the right of a row, with its interval."""
    value = number(estimate.value or 0.0, decimals)
    drawing.add(TextMark(right + 10, y, value, bold=True))
    if estimate.interval:
        offset = right + 14 + len(value) * SIZE * 0.66
        drawing.add(TextMark(offset, y, bounds(estimate.interval, decimals), size=SIZE - 1, color="muted"))


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
