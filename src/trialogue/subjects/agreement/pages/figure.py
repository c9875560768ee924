"""Figures of agreement: measures by their agreement with people, chance as a line, trivial baselines hollow."""

from collections.abc import Iterator, Sequence

from trialogue.records import VOTES, MeasureName
from trialogue.records.kinds.origins import possessive_of
from trialogue.render.drawing.marks import Dot
from trialogue.render.plots.base import Figure
from trialogue.render.plots.estimates import Axis, Row, estimates_figure
from trialogue.render.text import slug
from trialogue.subjects.agreement.answer import main_statistic, title_of
from trialogue.subjects.agreement.rating_agreement import CHANCE
from trialogue.subjects.agreement.records import AgreementFindings, RatingAgreement, Statistic

MOST = 8  # rows beside the answer of a page
NAMES: dict[str, str] = {"auc": "AUC", "pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ"}
BASELINES = "Hollow: trivial baselines that any useful metric must beat."


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
            is_baseline = each.measure in found.baselines
            rows.append(Row(title_of(found, each.measure), pooled.headline, inside, hollow=is_baseline))
    ceilings = [each.ceiling for each in found.ceilings if (each.question, each.level) == (question, level)]
    ceiling = ceilings[0] if ceilings and statistic != "auc" else None
    hollow = any(row.hollow for row in rows)
    return estimates_figure(
        highest_first(rows)[: MOST if narrow else None],
        Axis(NAMES[statistic], CHANCE[statistic], ceiling),
        name=f"agreement-{level}-{slug(question)}" + ("-best" if narrow else ""),
        title=f"Agreement with {possessive_of(found.raters_of(question))} {MeasureName(question).prose}, {level}s",
        caption=chance_caption(NAMES[statistic], CHANCE[statistic], ceiling, note=BASELINES if hollow else ""),
        marks=list(_marks(second="within systems", hollow=hollow)),
        narrow=narrow,
    )


def preference_forest(found: AgreementFindings) -> Figure | None:
    """Measures by Cohen's kappa with people's choices; None without values."""
    rows = [
        Row(title_of(found, each.measure), each.headline_kappa, hollow=each.measure in found.baselines)
        for each in found.preferences
        if each.headline_kappa.value is not None
    ]
    hollow = any(row.hollow for row in rows)
    return estimates_figure(
        highest_first(rows),
        Axis("Cohen's kappa", 0.0),
        name="agreement-votes",
        title=f"Agreement with {possessive_of(found.raters_of(VOTES))} pairwise choices",
        caption=chance_caption("Cohen's kappa", 0.0, note=BASELINES if hollow else ""),
        marks=list(_marks(hollow=hollow)),
    )


def highest_first(rows: Sequence[Row]) -> list[Row]:
    """Rows with values, by value and then by label."""
    return sorted(rows, key=lambda row: (-(row.estimate.value or 0.0), row.label))


def chance_caption(statistic: str, chance: float, ceiling: float | None = None, *, note: str = "") -> str:
    """How to read a figure with a line at chance."""
    said = [f"{statistic[:1].upper()}{statistic[1:]} with 95% intervals; the dashed line is chance ({chance:g})."]
    if ceiling is not None:
        said.append(
            f"The other dashed line, at {ceiling:.2f}, is what a perfect measure could reach with these raters."
        )
    return " ".join([*said, *([note] if note else [])])


def _marks(*, second: str = "", hollow: bool) -> Iterator[tuple[Dot, str]]:
    """Legend of the marks; nothing where there is one kind of them."""
    if second or hollow:
        yield Dot(0, 0, "accent"), "all units"
    if second:
        yield Dot(0, 0, "muted", shape="diamond"), second
    if hollow:
        yield Dot(0, 0, "accent", hollow=True), "baseline"


def statistic_name(statistic: Statistic) -> str:
    """Name of a statistic."""
    return NAMES[statistic]
