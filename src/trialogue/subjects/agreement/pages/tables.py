"""Tables of agreement: measures by their agreement with ratings, choices and rankings; ceilings; and every coefficient."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from trialogue.records import Estimate, MeasureName
from trialogue.render.document import PAGES, Column, Table, from_estimate, in_files
from trialogue.render.numbers import (
    column_decimals,
    number,
    own_decimals,
    plain_p,
    ranks,
    render_estimate,
    with_decimals,
)
from trialogue.subjects.agreement.answer import main_statistic, significant_sign, title_of
from trialogue.subjects.agreement.pages.figure import MOST, statistic_name
from trialogue.subjects.agreement.rating_agreement import USER_MEAN
from trialogue.subjects.agreement.records import (
    AgreementCoefficient,
    AgreementContrast,
    AgreementFindings,
    Ceiling,
    PreferenceAgreement,
    RankedSystem,
    RankingAgreement,
    RatingAgreement,
    Statistic,
)

STATISTICS: dict[Statistic, str] = {"pearson": "Pearson's r", "spearman": "Spearman's ρ"}
"""Of groups: both, as benchmarks give them."""
VERDICTS = {1: "significantly better", -1: "significantly worse", 0: "inconclusive"}


def with_baseline_mark(found: AgreementFindings, measure: str) -> str:
    """Title of a measure, and whether it is a baseline or no measure at all."""
    title = title_of(found, measure)
    if measure == USER_MEAN:
        return f"{title} (reference)"
    return f"{title} (baseline)" if measure in found.baselines else title


def ratings_table(
    found: AgreementFindings, ratings: Sequence[RatingAgreement], *, label: str, lead: str
) -> Table[RatingAgreement]:
    """Measures by their agreement with one question, the best first, and references below them."""
    asked = (ratings[0].question, ratings[0].level)
    rows = [*_best_first(ratings), *(each for each in found.references if (each.question, each.level) == asked)]
    is_penalised = any(agreed.penalised for each in rows for agreed in each.agreed)
    return Table(
        label,
        rows,
        [
            Column("Measure", lambda row: with_baseline_mark(found, row.measure)),
            Column(statistic_name(main_statistic(ratings)), _headline("pooled")),
            Column("Within systems", _headline("within")),
            Column("Within users", _headline("within_users")),
            Column("Between systems, ρ", _between_systems),
            Column("Units", lambda row: f"{row.scored:,} of {row.rated:,}"),
            Column("On these alone", lambda row: _without_guesses(row) if is_penalised else None),
            Column("Difference to best baseline", _against_baseline(found, rows), where=PAGES),
        ],
        lead=lead,
    )


def glance_table(found: AgreementFindings, ratings: Sequence[RatingAgreement], *, title: str) -> Table[RatingAgreement]:
    """The best measures on one question, for the first screen."""
    rows = _best_first(ratings)
    more = len(rows) - MOST
    return Table(
        f"Best measures, {title}",
        rows[:MOST],
        [
            Column(title, lambda row: with_baseline_mark(found, row.measure)),
            Column(statistic_name(main_statistic(ratings)), _headline("pooled")),
            Column("Within systems", _headline("within")),
        ],
        note=f"{more} more below, under Ratings." if more > 0 else "",
    )


def _best_first(ratings: Sequence[RatingAgreement]) -> list[RatingAgreement]:
    """By the main statistic; what is undefined comes last."""

    def value(each: RatingAgreement) -> float:
        headline = _headline("pooled")(each)
        return float("-inf") if headline is None or headline.value is None else headline.value

    return sorted(ratings, key=value, reverse=True)


def _headline(scope: str) -> Callable[[RatingAgreement], Estimate | None]:
    def take(row: RatingAgreement) -> Estimate | None:
        coefficient = row.get(main_statistic([row]), scope)
        return coefficient.headline if coefficient else None

    return take


def _between_systems(row: RatingAgreement) -> Estimate | None:
    coefficient = row.get("spearman", "between")
    return coefficient.headline if coefficient else None


def _without_guesses(row: RatingAgreement) -> Estimate | None:
    coefficient = row.get(main_statistic([row]))
    return coefficient.estimate if coefficient else None


def _against_baseline(
    found: AgreementFindings, rows: Sequence[RatingAgreement]
) -> Callable[[RatingAgreement], str | None]:
    """Each measure less the best baseline, and whether that is significant; None for the baseline itself."""
    contrasts = {each.measure: _baseline_contrast(found, each) for each in rows}
    decimals = column_decimals(each.difference for each in contrasts.values() if each is not None)

    def write(row: RatingAgreement) -> str | None:
        contrast = contrasts[row.measure]
        if contrast is None:
            return None
        if contrast.difference.value is None:
            return own_decimals(contrast.difference)
        return f"{render_estimate(contrast.difference, decimals, sign=True)}, {VERDICTS[significant_sign(contrast)]}"

    return write


def _baseline_contrast(found: AgreementFindings, each: RatingAgreement) -> AgreementContrast | None:
    wanted = (each.measure, each.question, each.level, "pooled")
    known = (one for one in found.contrasts if one.b in found.baselines)
    return next((one for one in known if (one.a, one.question, one.level, one.scope) == wanted), None)


def groups_table(
    found: AgreementFindings, ratings: Sequence[RatingAgreement], *, label: str
) -> Table[RatingAgreement] | None:
    """The same in each group; None where there are no groups."""
    groups = sorted({agreed.scope for each in ratings for agreed in each.agreed if agreed.scope.startswith("group:")})
    columns = [Column[RatingAgreement]("Measure", lambda row: with_baseline_mark(found, row.measure))]
    for group in groups:
        name = group.removeprefix("group:")
        columns += [
            Column(f"{name}: {title}", _in_group(statistic, group, lambda each: each.headline))
            for statistic, title in STATISTICS.items()
        ]
        columns.append(Column(f"{name}: n", _in_group("spearman", group, lambda each: each.estimate.n)))
    return Table(label, ratings, columns) if groups else None


def _in_group(
    statistic: Statistic, group: str, take: Callable[[AgreementCoefficient], object]
) -> Callable[[RatingAgreement], object]:
    def value(row: RatingAgreement) -> object:
        coefficient = row.get(statistic, group)
        return None if coefficient is None else take(coefficient)

    return value


def votes_table(found: AgreementFindings) -> Table[PreferenceAgreement]:
    """Measures by their agreement with choices, by kappa, undefined ones first."""
    rows = sorted(found.preferences, key=_kappa_order)
    rule, remarks = _shared_rule([each.margin_rule for each in rows])
    remark = {each.measure: text for each, text in zip(rows, remarks, strict=True)}
    return Table(
        "Agreement with pairwise choices",
        rows,
        [
            Column("Measure", lambda row: with_baseline_mark(found, row.measure)),
            Column("Cohen's kappa", lambda row: row.headline_kappa),
            Column("Decisive choices shared", lambda row: row.headline_accuracy),
            Column("Ties", lambda row: row.ties, "{:.0%}".format),
            Column(f"Margin for a tie{rule}", lambda row: f"{row.margin:.3g}{remark[row.measure]}", where=PAGES),
            Column("Choices", lambda row: f"{row.scored:,} of {row.votes:,}"),
            Column("Kappa on these alone", lambda row: row.kappa if row.scored < row.votes else None, where=PAGES),
        ],
        lead="A measure chooses the side with the better value; differences up to its margin are ties. Decisive choices are "
        "those that are not ties; sharing one means having the better value on the chosen side; equal values count half.",
        heading="Pairwise choices",
    )


def _kappa_order(each: PreferenceAgreement) -> float:
    return 2.0 if (kappa := each.headline_kappa.value) is None else -kappa


def _shared_rule(rules: Sequence[str]) -> tuple[str, list[str]]:
    """Common margin rule of all rows, for the column head, and the remark of each value.

    >>> _shared_rule(["matched: as many as people (8 of 40)", "matched: as many as people (8 of 39)"])
    (', matched: as many as people', [' (8 of 40)', ' (8 of 39)'])
    """
    parts = [rule.partition(" (") for rule in rules]
    if len({start for start, _, _ in parts}) != 1:
        return "", [f" ({rule})" for rule in rules]
    return f", {parts[0][0]}", [blank + rest for _, blank, rest in parts]


def rankings_table(
    found: AgreementFindings, rankings: Sequence[RankingAgreement], *, label: str, lead: str
) -> Table[RankingAgreement]:
    """Measures by how alike they and people rank the systems."""
    return Table(
        label,
        rankings,
        [
            Column("Measure", lambda row: with_baseline_mark(found, row.measure)),
            Column("Spearman's ρ", lambda row: row.spearman),
            Column("Kendall's τ", lambda row: row.kendall),
            Column("p", lambda row: row.p, plain_p),
            Column("Systems", lambda row: f"{len(row.systems)}{', too few to conclude' if row.refusal else ''}"),
        ],
        lead=lead,
    )


def order_table(ranking: RankingAgreement, *, label: str) -> Table[RankedSystem]:
    """Every system with its value and rank by people and by a measure."""
    return Table(
        label,
        ranking.systems,
        [
            Column("System", lambda row: row.system),
            Column("People", lambda row: number(row.people, 3 if abs(row.people) < 10 else 0)),
            Column("Rank", lambda row: ranks(*row.people_rank) or None),
            Column("Measure", lambda row: number(row.measure, 3 if abs(row.measure) < 10 else 1)),
            Column("Rank", lambda row: ranks(*row.measure_rank) or None),
        ],
    )


def ceilings_table(found: AgreementFindings) -> Table[Ceiling]:
    """What a perfect measure could reach with these raters."""
    return Table(
        "Noise ceilings",
        found.ceilings,
        [
            Column("Question", lambda row: f"{MeasureName(row.question).prose} ({row.level}s)"),
            Column("Ratings per unit", lambda row: f"{row.raters:.1f}"),
            Column("Alpha, ordinal", lambda row: None if row.alpha.value is None else row.alpha, own_decimals),
            Column("Reliability of the mean", lambda row: row.mean, with_decimals(2)),
            Column(
                "Ceiling of |r|", lambda row: f"unknown: {row.why}" if row.ceiling is None else f"{row.ceiling:.2f}"
            ),
        ],
    )


@dataclass(frozen=True)
class _Number:
    """One coefficient or difference, as the file holds it."""

    kind: str
    measure: str
    question: str
    level: str
    statistic: str
    scope: str
    headline: Estimate
    """Penalised: units without a value count as the worst guesses."""
    unpenalised: Estimate
    """The same over the units that have a value, also where nothing is missing."""
    coverage: float | None = None


def numbers_table(found: AgreementFindings) -> Table[_Number]:
    """Every rating, preference and ranking agreement and every contrast in a row of its own, unrounded."""
    return Table(
        "Numbers",
        list(_numbers(found)),
        [
            *in_files(kind=lambda row: row.kind, measure=lambda row: row.measure, question=lambda row: row.question),
            *in_files(level=lambda row: row.level, statistic=lambda row: row.statistic, scope=lambda row: row.scope),
            *from_estimate(lambda row: row.headline, value="value", low="low", high="high", n="n", clusters="clusters"),
            *in_files(coverage=lambda row: row.coverage),
            *from_estimate(lambda row: row.headline, why="why"),
            *from_estimate(lambda row: row.unpenalised, value="unpenalised", low="unpenalised_low"),
            *from_estimate(lambda row: row.unpenalised, high="unpenalised_high", n="unpenalised_n"),
        ],
    )


def _numbers(found: AgreementFindings) -> Iterator[_Number]:
    for kind, ratings in (("rating", found.ratings), ("reference", found.references)):
        for each in ratings:
            for one in each.agreed:
                about = (kind, each.measure, each.question, each.level, one.statistic, one.scope)
                yield _Number(*about, one.headline, one.estimate, each.coverage)
    for chosen in found.preferences:
        coverage = chosen.scored / chosen.votes if chosen.votes else None
        choices = ("preference", chosen.measure, "votes", "dialogue")
        yield _Number(*choices, "kappa", "pooled", chosen.headline_kappa, chosen.kappa, coverage)
        yield _Number(*choices, "accuracy", "pooled", chosen.headline_accuracy, chosen.accuracy, coverage)
    for order in found.rankings:
        ranked = ("ranking", order.measure, order.against, "system")
        yield _Number(*ranked, "spearman", "between", order.spearman, order.spearman)
        yield _Number(*ranked, "kendall", "between", order.kendall, order.kendall)
    for contrast in found.contrasts:
        pair = ("difference", f"{contrast.a} - {contrast.b}", contrast.question, contrast.level)
        alone = contrast.common or contrast.difference
        yield _Number(*pair, contrast.statistic, contrast.scope, contrast.difference, alone)
