"""HTML page about agreement: which measures agree with people, how well, and whether they beat trivial baselines."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trialogue.findings.agreement.answer import main_statistic, significant_sign, title_of
from trialogue.findings.agreement.rating_agreement import USER_MEAN
from trialogue.findings.agreement.records import AgreementContrast, AgreementFindings, RankingAgreement, RatingAgreement
from trialogue.findings.agreement.validity import FILE as VALIDITY
from trialogue.findings.agreement.validity import write_validity
from trialogue.records import VOTES, Estimate, MeasureName
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import open_replacing, write_text
from trialogue.records.kinds.origins import named_raters, possessive_of
from trialogue.records.runs import open_run, writes_run
from trialogue.report.agreement.csv_table import agreement_csv
from trialogue.report.agreement.terminal import kappa_order
from trialogue.report.drawing.theme import DARK, LIGHT, css_variables
from trialogue.report.evaluation.page import validity_of
from trialogue.report.long_names import with_short_names
from trialogue.report.measures import DIRECTIONS, short_name
from trialogue.report.numbers import (
    MISSING,
    column_decimals,
    number,
    plain_p,
    ranks,
    render_estimate,
    supported_decimals,
)
from trialogue.report.plots.agreement import agreement_figures, statistic_name
from trialogue.report.plots.base import Figure
from trialogue.report.render.page import environment, manifest_rows
from trialogue.report.table import Table
from trialogue.report.text import printable

PAGE, FINDINGS, TABLE = "agreement.html", "agreement.json", "agreement.csv"
LONG = 130  # characters; a longer answer is set smaller
VERDICTS = {1: "significantly better", -1: "significantly worse", 0: "inconclusive"}


@dataclass(frozen=True)
class Question:
    """One question at one level."""

    title: str
    lead: str
    table: Table
    groups: Table | None
    figure: Figure | None
    notes: tuple[str, ...]


@writes_run()
def write_agreement(findings: AgreementFindings, folder: Path) -> Path:
    """Write ``agreement.html``, ``agreement.json``, ``agreement.csv``, ``validity.json`` and ``figures/agreement-*``.

    Written into the folder of the run itself, they are added to it. The same findings give the same bytes.

    Returns:
        The path of the page.
    """
    drawn = agreement_figures(findings)
    write_text(folder / FINDINGS, to_line(findings) + "\n")
    write_text(folder / TABLE, agreement_csv(findings))
    write_validity(findings.validity, folder / VALIDITY)
    for figure in drawn:
        write_text(folder / "figures" / f"{figure.name}.svg", figure.svg)
        with open_replacing(folder / "figures" / f"{figure.name}.png") as stream:
            stream.write(figure.png)
    page = folder / PAGE
    write_text(page, agreement_page(findings, drawn))
    return page


def agreement_page(findings: AgreementFindings, drawn: list[Figure] | None = None) -> str:
    """Render the page as one HTML document without external resources or scripts."""
    figures = {figure.name: figure for figure in (agreement_figures(findings) if drawn is None else drawn)}
    findings = with_short_names(findings)
    content: dict[str, Any] = {
        "light": css_variables(LIGHT),
        "dark": css_variables(DARK),
        "findings": findings,
        "raters": named_raters(findings.all_raters),
        "choosers": possessive_of(findings.raters_of(VOTES)),
        "long_answer": len(findings.answer[0]) > LONG,
        "facts": _facts(findings),
        "questions": _questions(findings, list(figures.values())),
        "votes": _votes(findings),
        "votes_figure": figures.get("agreement-votes"),
        "orders": _orders(findings),
        "aspects": _aspects(findings),
        "ceilings": _ceilings(findings),
        "cards": [measure for measure in findings.measures if measure.card is not None],
        "directions": DIRECTIONS,
        "short_name": short_name,
        "validity_of": validity_of(findings.validity),
        "manifest": manifest_rows(findings.manifest),
    }
    return printable(environment().get_template("agreement.html.j2").render(**content))


def _facts(findings: AgreementFindings) -> list[tuple[str, str]]:
    most = max((each.rated for each in findings.ratings), default=0)
    votes = max((each.votes for each in findings.preferences), default=0)
    found = [
        (len(findings.measures), "measure", "measures"),
        (most, "rated unit", "rated units"),
        (votes, "vote", "votes"),
        (max((len(each.systems) for each in findings.rankings), default=0), "system", "systems"),
    ]
    return [(f"{value:,}", one if value == 1 else many) for value, one, many in found if value]


def _questions(findings: AgreementFindings, figures: list[Figure]) -> list[Question]:
    keys = dict.fromkeys((each.question, each.level) for each in findings.ratings)
    found = []
    for question, level in sorted(keys, key=lambda key: ({"dialogue": 0, "turn": 1, "system": 2}[key[1]], key[0])):
        ratings = [each for each in findings.ratings if (each.question, each.level) == (question, level)]
        asked = MeasureName(question).prose.capitalize()
        title = f"Agreement with {possessive_of(findings.raters_of(question))} {asked.lower()}, {level}s"
        found.append(
            Question(
                title=f"{asked} ({level}s)",
                lead=_lead(ratings),
                table=_rating_table(findings, ratings),
                groups=_group_table(findings, ratings),
                figure=next((figure for figure in figures if figure.title == title), None),
                notes=tuple(f"{title_of(findings, each.measure)}: {each.note}." for each in ratings if each.note),
            )
        )
    return found


def _lead(ratings: list[RatingAgreement]) -> str:
    statistic = statistic_name(main_statistic(ratings))
    return (
        f"{statistic} over all {ratings[0].rated:,} rated units, within systems, within users who rated "
        "several units, and between the systems' means (Spearman's ρ). A unit without a value counts as "
        "the measure's worst guess; the column next to the units shows its agreement without them."
    )


def _rating_table(findings: AgreementFindings, ratings: list[RatingAgreement]) -> Table:
    statistic = main_statistic(ratings)
    ordered = sorted(ratings, key=lambda each: -(_value(each) or 0.0))
    asked = (ratings[0].question, ratings[0].level)
    ordered += [each for each in findings.references if (each.question, each.level) == asked]
    pooled = [each.get(statistic) for each in ordered]
    users = [_estimate(each, "within_users") for each in ordered]
    columns = {
        "Measure": [_measure_title(findings, each.measure) for each in ordered],
        "All units": texts([each.headline if each else None for each in pooled]),
        "Within systems": texts([_estimate(each, "within") for each in ordered]),
        **({"Within users": texts(users)} if any(users) else {}),
        "Between systems, ρ": texts([_system_correlation(each) for each in ordered]),
        "Units": [f"{each.scored:,} of {each.rated:,}" for each in ordered],
        "On these alone": texts([each.estimate if each else None for each in pooled]),
        "Difference to best baseline": _against_baseline(findings, ordered),
    }
    return Table(tuple(columns), tuple(zip(*columns.values(), strict=True)))


def _measure_title(findings: AgreementFindings, measure: str) -> str:
    title = title_of(findings, measure)
    if measure == USER_MEAN:
        return f"{title} (a reference, not a measure)"
    return f"{title} (baseline)" if measure in findings.baselines else title


def _value(each: RatingAgreement) -> float | None:
    found = _estimate(each, "pooled")
    return found.value if found else None


def _estimate(each: RatingAgreement, scope: str) -> Estimate | None:
    found = each.get(main_statistic([each]), scope)
    return found.headline if found else None


def _system_correlation(each: RatingAgreement) -> Estimate | None:
    found = each.get("spearman", "between")
    return found.headline if found else None


def _against_baseline(findings: AgreementFindings, ratings: Sequence[RatingAgreement]) -> list[str]:
    """Each measure less the best baseline, and whether that is sure; a dash for the baseline itself."""
    contrasts = [_baseline_contrast(findings, each) for each in ratings]
    differences = texts([one.difference if one else None for one in contrasts], sign=True)
    return [
        text if one is None or one.difference.value is None else f"{text}, {VERDICTS[significant_sign(one)]}"
        for text, one in zip(differences, contrasts, strict=True)
    ]


def _baseline_contrast(findings: AgreementFindings, each: RatingAgreement) -> AgreementContrast | None:
    wanted = (each.measure, each.question, each.level, "pooled")
    known = (one for one in findings.contrasts if one.b in findings.baselines)
    return next((one for one in known if (one.a, one.question, one.level, one.scope) == wanted), None)


def texts(estimates: Sequence[Estimate | None], *, sign: bool = False) -> list[str]:
    """Format a column of estimates with a common number of decimals."""
    decimals = column_decimals(each for each in estimates if each is not None)
    return [text_of(each, decimals, sign=sign) for each in estimates]


def text_of(estimate: Estimate | None, decimals: int | None = None, *, sign: bool = False) -> str:
    """Format an estimate with its interval, or the reason why it is missing."""
    if estimate is None:
        return MISSING
    if estimate.value is None:
        return f"{MISSING} ({estimate.why})"
    return render_estimate(estimate, supported_decimals(estimate) if decimals is None else decimals, sign=sign)


def _group_table(findings: AgreementFindings, ratings: list[RatingAgreement]) -> Table | None:
    """The same in each group, where there are groups: Pearson and Spearman, as benchmarks give them."""
    groups = sorted({agreed.scope for each in ratings for agreed in each.agreed if agreed.scope.startswith("group:")})
    if not groups:
        return None
    heads = ["Measure"]
    for group in groups:
        heads += [f"{group.removeprefix('group:')}: {name}" for name in ("Pearson's r", "Spearman's ρ", "n")]
    columns = [[_measure_title(findings, each.measure) for each in ratings]]
    for group in groups:
        for statistic in ("pearson", "spearman"):
            cells = [each.get(statistic, group) for each in ratings]
            columns.append(texts([cell.headline if cell else None for cell in cells]))
        columns.append([f"{cell.estimate.n:,}" if cell else "0" for cell in cells])
    return Table(tuple(heads), tuple(zip(*columns, strict=True)))


def _votes(findings: AgreementFindings) -> Table | None:
    if not findings.preferences:
        return None
    ordered = sorted(findings.preferences, key=kappa_order)
    rule, rests = _shared_rule([each.margin_rule for each in ordered])
    columns = (
        [_measure_title(findings, each.measure) for each in ordered],
        texts([each.headline_kappa for each in ordered]),
        texts([each.headline_accuracy for each in ordered]),
        [f"{100 * each.ties:.0f}%" for each in ordered],
        [f"{each.margin:.3g}{rest}" for each, rest in zip(ordered, rests, strict=True)],
        [f"{each.scored:,} of {each.votes:,}" for each in ordered],
        texts([each.kappa for each in ordered]),
    )
    heads = (
        "Measure",
        "Cohen's kappa",
        "Decisive choices shared",
        "Ties",
        f"Margin for a tie{rule}",
        "Choices",
        "Kappa on these alone",
    )
    return Table(heads, tuple(zip(*columns, strict=True)))


def _shared_rule(rules: Sequence[str]) -> tuple[str, list[str]]:
    """Common margin rule of all rows, for the column head, and the remark of each value.

    >>> _shared_rule(["matched: as many as people (8 of 40)", "matched: as many as people (8 of 39)"])
    (', matched: as many as people', [' (8 of 40)', ' (8 of 39)'])
    """
    parts = [rule.partition(" (") for rule in rules]
    if len({start for start, _, _ in parts}) > 1:
        return "", [f" ({rule})" for rule in rules]
    return f", {parts[0][0]}", [blank + rest for _, blank, rest in parts]


def _orders(findings: AgreementFindings) -> list[tuple[str, Table, list[tuple[str, str, Table]]]]:
    """(against, summary table, details) for each order of people."""
    found = []
    for against in dict.fromkeys(each.against for each in findings.rankings):
        same = [each for each in findings.rankings if each.against == against]
        columns = (
            [_measure_title(findings, each.measure) for each in same],
            texts([each.spearman for each in same]),
            texts([each.kendall for each in same]),
            [plain_p(each.p) for each in same],
            [f"{len(each.systems)}{', too few to conclude' if each.refusal else ''}" for each in same],
        )
        table = Table(("Measure", "Spearman's ρ", "Kendall's τ", "p", "Systems"), tuple(zip(*columns, strict=True)))
        details = [(_measure_title(findings, each.measure), each.measure, _order(each)) for each in same]
        found.append((MeasureName(against).prose, table, details))
    return found


def _order(each: RankingAgreement) -> Table:
    rows = tuple(
        (
            one.system,
            number(one.people, 3 if abs(one.people) < 10 else 0),
            ranks(*one.people_rank) or MISSING,
            number(one.measure, 3 if abs(one.measure) < 10 else 1),
            ranks(*one.measure_rank) or MISSING,
        )
        for one in each.systems
    )
    return Table(("System", "People", "Rank", "Measure", "Rank"), rows)


def _aspects(findings: AgreementFindings) -> list[tuple[str, str]]:
    """(verdict, what it rests on) for each family of aspects."""
    found = []
    for each in findings.discriminants:
        text = (
            f"The {len(each.aspects)} aspects of the measure correlate with mean ρ {each.measure:.2f}, "
            f"people's with {each.people:.2f}; difference {text_of(each.excess, sign=True)}."
        )
        found.append(
            (f"{each.family} ({each.level}s): {each.verdict}", " ".join([text, *(f"{one}." for one in each.confused)]))
        )
    return found


def _ceilings(findings: AgreementFindings) -> Table:
    rows = tuple(
        (
            f"{MeasureName(each.question).prose} ({each.level}s)",
            f"{each.raters:.1f}",
            text_of(each.alpha) if each.alpha.value is not None else MISSING,
            MISSING if each.mean is None else f"{each.mean:.2f}",
            f"{each.ceiling:.2f}" if each.ceiling is not None else f"unknown: {each.why}",
        )
        for each in findings.ceilings
    )
    return Table(("Question", "Ratings per unit", "Alpha, ordinal", "Reliability of the mean", "Ceiling of |r|"), rows)


def read_agreement(path: Path | str) -> AgreementFindings:
    """Read findings written by ``write_agreement``, from its folder or its ``agreement.json``.

    Raises:
        DataError: there are none, or the run is not what was sealed.
    """
    return open_run(path).record(FINDINGS, AgreementFindings, again="trialogue agree")
