"""Tables of a study's report: formatted for the page, unrounded as CSV."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from trialogue.findings.people.records import (
    Agreement,
    ChoiceFindings,
    ChoicePair,
    ChoiceSensitivity,
    ModelFindings,
    RatingFindings,
    StudyFindings,
    TestResult,
)
from trialogue.records import Estimate
from trialogue.report.evaluation.summary import table_csv
from trialogue.report.numbers import MISSING, number, plain_p, render_estimate

VERDICTS = {"inconclusive": "inconclusive", "undefined": "not compared"}


@dataclass(frozen=True)
class Grid:
    """A table on the page."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()
    """Columns that are set right."""
    strong: frozenset[int] = frozenset()
    """Rows that hold."""
    notes: tuple[str, ...] = ()


def value_of(estimate: Estimate) -> str:
    """Format a value with its interval."""
    return render_estimate(estimate, 2)


def model_grids(findings: StudyFindings) -> tuple[Grid, ...]:
    """Tables of language-model answers beside people's, marked as such in every caption and column."""
    grids = []
    for each in findings.model_ratings:
        who = f"{each.rater} (language model)"
        rows = tuple((one.system, _mean_of(one.mean), _mean_of(one.people)) for one in each.systems)
        notes = (
            f"{each.ratings:,} ratings by {who}, {each.unanswered:,} questions without a valid answer; "
            f"{each.units:,} units were also rated by people.",
            f"Spearman's correlation of {who} with people's means: {value_of(each.correlation)}; of one person with the "
            f"mean of the others: {value_of(each.correlation_of_people)}.",
            f"{who} minus people, in points: {value_of(each.difference)}.",
        )
        caption = f"{each.title}: mean ratings by {who}, next to people's"
        grids.append(Grid(caption, ("System", who, "People"), rows, (1, 2), notes=notes))
    if findings.model_choices:
        chosen = tuple(
            (
                f"{one.rater} (language model)",
                f"{one.choices:,}",
                f"{one.ties:,}",
                f"{one.units:,}",
                value_of(one.agreement),
            )
            for one in findings.model_choices
        )
        head = ("Language model", "Choices", "Ties", "Pairs decided by both", "Agreement with people's majority")
        grids.append(Grid("Choices by language models, next to people's", head, chosen, (1, 2, 3, 4)))
    return tuple(grids)


def _mean_of(value: float | None) -> str:
    return MISSING if value is None else number(value, 2)


def tests_grid(found: RatingFindings) -> Grid:
    """All tests of systems, with their basis."""
    rows = [(_test_name(test), test.basis, _statistic(test), plain_p(test.p)) for test in found.tests]
    notes = tuple(f"{test.name}: {test.why}." for test in found.tests if test.p is None and test.why)
    strong = frozenset(place for place, test in enumerate(found.tests) if test.main)
    return Grid("Tests", ("Test", "Rests on", "Statistic", "p"), tuple(rows), (2, 3), strong, notes)


def _test_name(test: TestResult) -> str:
    return f"{test.name} (main)" if test.main else test.name


def _statistic(test: TestResult) -> str:
    if test.statistic is None:
        return MISSING
    freedom = ", ".join(f"{one:.3g}" if one != int(one) else f"{int(one)}" for one in test.freedom)
    letter = "F" if len(test.freedom) == 2 else "χ²"
    return f"{letter}({freedom}) = {number(test.statistic, 2)}"


def pairs_grid(found: RatingFindings) -> Grid:
    """All pairs of systems."""
    rows = []
    for pair in found.pairs:
        verdict = {"a": f"{pair.a} is better", "b": f"{pair.b} is better"}.get(pair.verdict) or VERDICTS[pair.verdict]
        rows.append(
            (
                f"{pair.a} – {pair.b}",
                value_of(pair.odds_ratio),
                plain_p(pair.p_adjusted),
                value_of(pair.difference),
                plain_p(pair.difference_p_adjusted),
                plain_p(pair.wilcoxon_p_adjusted),
                value_of(pair.superiority),
                value_of(pair.rank_biserial),
                verdict,
            )
        )
    head = (
        "Pair",
        "Odds ratio",
        "p (Holm)",
        "Points apart",
        "p (Holm)",
        "Wilcoxon p (Holm)",
        "A",
        "Rank-biserial",
        "Verdict",
    )
    strong = frozenset(place for place, pair in enumerate(found.pairs) if pair.verdict in ("a", "b"))
    return Grid("Every pair", head, tuple(rows), tuple(range(1, 8)), strong)


def agreement_grid(found: Sequence[Agreement]) -> Grid:
    """Agreement coefficients with their samples; reasons below missing ones."""
    rows = [(one.name, value_of(one.estimate), f"{one.estimate.n:,}", one.note) for one in found]
    notes = tuple(f"{one.name}: {one.estimate.why}." for one in found if one.estimate.value is None)
    return Grid("Agreement", ("Coefficient", "Value", "n", "Rests on"), tuple(rows), (1, 2), notes=notes)


def model_grid(model: ModelFindings) -> Grid:
    """Standard deviation of each random effect, and omitted effects with reasons."""
    rows = [(name.replace(" x ", " × "), value_of(spread)) for name, spread in model.spreads.items()]
    left = [f"{name.replace(' x ', ' × ')} is not in the model: {why}." for name, why in model.left_out.items()]
    edges = [f"{name.replace(' x ', ' × ')}: {one.why}." for name, one in model.spreads.items() if one.why]
    notes = (*left, *edges)
    return Grid("Spread of random effects", ("Effect", "Standard deviation, logits"), tuple(rows), (1,), notes=notes)


def choice_name(task: str, pair: ChoicePair) -> str:
    """Subject of a row: two systems, or a simulator (and a recommender)."""
    if task == "realism":
        return f"{pair.a}, {pair.group}" if pair.group else pair.a
    return f"{pair.a} – {pair.b}"


def choice_verdict(pair: ChoicePair) -> str:
    """Winner in words."""
    return {"a": f"{pair.a} wins", "b": f"{pair.b} wins"}.get(pair.verdict) or VERDICTS[pair.verdict]


def judgements(pair: ChoicePair) -> int:
    """Number of judgements."""
    return pair.wins + pair.losses + pair.ties


def pair_under(row: ChoiceSensitivity, main: ChoicePair) -> ChoicePair | None:
    """A pair of the main analysis under other exclusions; None without judgements."""
    return next((pair for pair in row.pairs if (pair.a, pair.b) == (main.a, main.b)), None)


def choices_grid(found: ChoiceFindings) -> Grid:
    """All pairs of sides."""
    rows = []
    for pair in found.pairs:
        rows.append(
            (
                choice_name(found.task, pair),
                f"{pair.wins:,}",
                f"{pair.losses:,}",
                f"{pair.ties:,}",
                value_of(pair.decisive),
                plain_p(pair.p_adjusted),
                value_of(pair.exact),
                plain_p(pair.exact.p),
                f"{pair.items:,} / {pair.raters:,}",
                choice_verdict(pair),
            )
        )
    head = (
        "Pair",
        "Wins",
        "Losses",
        "Ties",
        "Win share",
        "p (Holm)",
        "As if independent",
        "p",
        "Pairs / raters",
        "Verdict",
    )
    strong = frozenset(place for place, pair in enumerate(found.pairs) if pair.verdict in ("a", "b"))
    return Grid("Every comparison", head, tuple(rows), tuple(range(1, 9)), strong)


SYSTEM_FIELDS = ["measure", "system", "mean", "low", "high", "ratings", "raters", "items", "counts"]
PAIR_FIELDS = [
    *["measure", "a", "b", "odds_ratio", "odds_low", "odds_high", "p", "p_adjusted", "difference", "difference_low"],
    *["difference_high", "difference_p_adjusted", "wilcoxon_p_adjusted", "superiority", "rank_biserial", "verdict"],
]
AGREEMENT_FIELDS = ["measure", "coefficient", "value", "low", "high", "n", "clusters", "note", "why"]
SENSITIVITY_FIELDS = [
    *["measure", "left_out", "main", "participants", "ratings", "p", "a", "b", "log_odds", "verdict", "judgements"],
    *["win_share", "win_share_low", "win_share_high", "p_adjusted", "win", "win_low", "win_high"],
    *["lose", "lose_low", "lose_high", "tie", "tie_low", "tie_high"],
]
CHOICE_FIELDS = [
    *["a", "b", "group", "wins", "losses", "ties", "win_share", "low", "high", "p_by_item", "p_by_rater", "p_adjusted"],
    *["exact_low", "exact_high", "exact_p", "items", "raters", "verdict"],
]

MODEL_FIELDS = ["rater", "measure", "kind", "system", "value", "low", "high", "people", "n", "unanswered", "why"]


def csv_files(findings: StudyFindings) -> dict[str, str]:
    """Complete tables by file name; only those with rows."""
    files = {
        "systems.csv": (SYSTEM_FIELDS, _system_rows(findings)),
        "pairs.csv": (PAIR_FIELDS, _pair_rows(findings)),
        "agreement.csv": (AGREEMENT_FIELDS, _agreement_rows(findings)),
        "sensitivity.csv": (SENSITIVITY_FIELDS, [*_sensitivity_rows(findings), *_choice_sensitivity_rows(findings)]),
        "choices.csv": (CHOICE_FIELDS, _choice_rows(findings)),
        "models.csv": (MODEL_FIELDS, _model_rows(findings)),
    }
    listed = {name: (fields, list(rows)) for name, (fields, rows) in files.items()}
    return {name: table_csv(fields, rows) for name, (fields, rows) in listed.items() if rows}


def _span(estimate: Estimate, low: str = "low", high: str = "high") -> dict[str, float | None]:
    interval = estimate.interval
    return {low: interval.low if interval else None, high: interval.high if interval else None}


def _system_rows(findings: StudyFindings) -> Iterable[dict[str, Any]]:
    for each in findings.ratings:
        for one in each.systems:
            counts = " ".join(f"{point:g}:{count}" for point, count in zip(each.points, one.counts, strict=True))
            yield {
                "measure": each.measure,
                "system": one.system,
                "mean": one.mean.value,
                **_span(one.mean),
                "ratings": one.ratings,
                "raters": one.raters,
                "items": one.items,
                "counts": counts,
            }


def _pair_rows(findings: StudyFindings) -> Iterable[dict[str, Any]]:
    for each in findings.ratings:
        for pair in each.pairs:
            yield {
                "measure": each.measure,
                "a": pair.a,
                "b": pair.b,
                "odds_ratio": pair.odds_ratio.value,
                **_span(pair.odds_ratio, "odds_low", "odds_high"),
                "p": pair.odds_ratio.p,
                "p_adjusted": pair.p_adjusted,
                "difference": pair.difference.value,
                **_span(pair.difference, "difference_low", "difference_high"),
                "difference_p_adjusted": pair.difference_p_adjusted,
                "wilcoxon_p_adjusted": pair.wilcoxon_p_adjusted,
                "superiority": pair.superiority.value,
                "rank_biserial": pair.rank_biserial.value,
                "verdict": pair.verdict,
            }


def _agreement_rows(findings: StudyFindings) -> Iterable[dict[str, Any]]:
    groups = [(each.measure, each.agreement) for each in findings.ratings]
    if findings.choices is not None:
        groups.append((findings.choices.task, findings.choices.agreement))
    if findings.labels is not None:
        groups.append(("labels", findings.labels.agreement))
    for measure, found in groups:
        for one in found:
            yield {
                "measure": measure,
                "coefficient": one.name,
                "value": one.estimate.value,
                **_span(one.estimate),
                "n": one.estimate.n,
                "clusters": one.estimate.clusters,
                "note": one.note,
                "why": None if one.estimate.why is None else str(one.estimate.why),
            }


def _sensitivity_rows(findings: StudyFindings) -> Iterable[dict[str, Any]]:
    for each in findings.ratings:
        for row in each.sensitivity:
            for pair, odds, verdict in zip(each.pairs, row.pairs, row.verdicts, strict=False):
                yield {
                    "measure": each.measure,
                    "left_out": row.name,
                    "main": row.main,
                    "participants": row.participants,
                    "ratings": row.ratings,
                    "p": row.p,
                    "a": pair.a,
                    "b": pair.b,
                    "log_odds": odds.value,
                    "verdict": verdict,
                }


def _choice_sensitivity_rows(findings: StudyFindings) -> Iterable[dict[str, Any]]:
    """People, judgements and p are those of the pair here: there is no test of all systems at once."""
    choices = findings.choices
    if choices is None:
        return
    for row in choices.sensitivity:
        for pair in row.pairs:
            yield {
                "measure": choices.task,
                "left_out": row.name,
                "main": row.main,
                "participants": pair.raters,
                "p": pair.p,
                "a": pair.a,
                "b": pair.b,
                "verdict": pair.verdict,
                "judgements": judgements(pair),
                "win_share": pair.decisive.value,
                **_span(pair.decisive, "win_share_low", "win_share_high"),
                "p_adjusted": pair.p_adjusted,
                **_shares(pair),
            }


def _shares(pair: ChoicePair) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for name, share in pair.shares.items():
        found |= {name: share.value, **_span(share, f"{name}_low", f"{name}_high")}
    return found


def _choice_rows(findings: StudyFindings) -> Iterable[dict[str, Any]]:
    for pair in findings.choices.pairs if findings.choices else ():
        yield {
            "a": pair.a,
            "b": pair.b,
            "group": pair.group,
            "wins": pair.wins,
            "losses": pair.losses,
            "ties": pair.ties,
            "win_share": pair.decisive.value,
            **_span(pair.decisive),
            "p_by_item": pair.p_by_item,
            "p_by_rater": pair.p_by_rater,
            "p_adjusted": pair.p_adjusted,
            **_span(pair.exact, "exact_low", "exact_high"),
            "exact_p": pair.exact.p,
            "items": pair.items,
            "raters": pair.raters,
            "verdict": pair.verdict,
        }


def _model_rows(findings: StudyFindings) -> Iterable[dict[str, Any]]:
    """Rows on language models beside people: a mean per system, then the model's agreement with people."""
    for each in findings.model_ratings:
        about = {"rater": each.rater, "measure": each.measure, "unanswered": each.unanswered}
        for one in each.systems:
            yield {**about, "kind": "mean", "system": one.system, "value": one.mean, "people": one.people}
        for kind in ("correlation", "correlation_of_people", "difference"):
            yield {**about, "kind": kind, **_estimate_row(getattr(each, kind))}
    for chosen in findings.model_choices:
        yield {"rater": chosen.rater, "kind": "agreement", **_estimate_row(chosen.agreement)}


def _estimate_row(found: Estimate) -> dict[str, Any]:
    why = None if found.why is None else str(found.why)
    return {"value": found.value, **_span(found), "n": found.n, "why": why}
