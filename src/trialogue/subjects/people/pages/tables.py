"""Tables of a study: tests and pairs of systems, agreement of raters, comparisons of dialogues, labels, and answers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trialogue.findings.family import correction_over
from trialogue.findings.records import Strength
from trialogue.findings.standings import Contrast
from trialogue.findings.threat import Validity
from trialogue.records import Estimate
from trialogue.render.compact_letters import league_letters
from trialogue.render.document import Column, Section, Table, from_estimate, in_files
from trialogue.render.numbers import plain_p, ranks, with_decimals
from trialogue.subjects.people.model_records import ModelChoices, ModelRatings, ModelSystem
from trialogue.subjects.people.records import (
    Agreement,
    ChoiceFindings,
    ChoicePair,
    CodeFindings,
    Exclusion,
    LabelClass,
    LabelFindings,
    ModelFindings,
    RatingFindings,
    StudyFindings,
    SystemRatings,
)

VERDICTS = {"inconclusive": "inconclusive", "undefined": "not compared"}
TWO = with_decimals(2)


def rules_table(rules: Sequence[Exclusion]) -> Table[Exclusion]:
    """Exclusion rules, and how many they hit."""
    return Table(
        "Exclusion rules",
        rules,
        [
            Column("Rule", lambda row: row.rule),
            Column("Meaning", lambda row: row.meaning or None),
            Column("Fixed before launch", lambda row: "yes" if row.planned else "no: exploratory"),
            Column("Completed participants hit", lambda row: row.participants),
        ],
    )


def standings_table(found: RatingFindings) -> Table[SystemRatings]:
    """Systems, best first; those that share a letter do not differ significantly."""
    letters = {} if found.league is None else league_letters(found.league)
    return Table(
        f"{found.title}: Systems",
        found.systems,
        [
            Column("System", lambda row: row.system),
            Column("Mean", lambda row: row.mean, TWO),
            Column("Letters", lambda row: letters.get(row.system)),
            Column("Ratings", lambda row: row.ratings),
            Column("Raters", lambda row: row.raters),
        ],
        lead="Systems that share a letter do not differ significantly." if letters else "",
    )


def pairs_table(found: RatingFindings, alpha: str) -> Table[Contrast] | None:
    """All pairs of systems; None where they were not compared."""
    league = found.league
    if league is None:
        return None
    correction = correction_over(league.correction.value, league.questions)
    return Table(
        f"{found.title}: Every pair",
        league.contrasts,
        [
            Column("Pair", lambda row: f"{row.a} – {row.b}"),
            *in_files(measure=lambda _: found.measure, a=lambda row: row.a, b=lambda row: row.b),
            Column("Difference", lambda row: row.difference, TWO),
            *from_estimate(lambda row: row.difference, value="difference", low="low", high="high", p="p"),
            Column("p", lambda row: row.difference.p, plain_p),
            Column(f"p ({correction})", lambda row: row.p_adjusted, plain_p, "p_adjusted"),
            Column("Verdict", _contrast_verdict),
            *in_files(verdict=lambda row: row.verdict, validity=lambda row: row.validity.value),
            *from_estimate(lambda row: row.difference, why="why"),
        ],
        file="pairs",
        strong=lambda row: row.leader is not None,
        lead="Differences of mean ratings are the first-named system minus the second. The verdict uses the corrected p at "
        f"α = {alpha}.",
        note=" ".join(
            f"{row.a} – {row.b}: {row.difference.why}." for row in league.contrasts if row.difference.why is not None
        ),
    )


def _contrast_verdict(pair: Contrast) -> str:
    text = VERDICTS.get(pair.verdict) or f"{pair.leader} is better"
    return f"{text}, conditional" if pair.leader is not None and pair.validity is Validity.CONDITIONAL else text


def _verdict(pair: ChoicePair, wins: str) -> str:
    return {"a": f"{pair.a} {wins}", "b": f"{pair.b} {wins}"}.get(pair.verdict) or VERDICTS[pair.verdict]


def agreement_table(found: Sequence[Agreement], *, measure: str, of: str) -> Table[Agreement]:
    """Agreement coefficients with their samples; reasons below missing ones."""
    return Table(
        f"{of}: Agreement",
        found,
        [
            *in_files(measure=lambda _: measure),
            Column("Coefficient", lambda row: row.name, key="coefficient"),
            Column("Value", lambda row: row.estimate, TWO),
            Column("n", lambda row: row.estimate.n),
            *from_estimate(lambda row: row.estimate, value="value", low="low", high="high", n="n", clusters="clusters"),
            Column("Based on", lambda row: row.note, key="note"),
            *from_estimate(lambda row: row.estimate, why="why"),
        ],
        file="agreement",
        note=_reasons((one.name, one.estimate) for one in found),
    )


def _reasons(named: Iterable[tuple[str, Estimate]]) -> str:
    """Why estimates are undefined, in one line."""
    return " ".join(f"{name}: {one.why}." for name, one in named if one.value is None and one.why)


def model_tables(model: ModelFindings, *, of: str) -> list[Table[Any]]:
    """Odds ratios and the standard deviation of each random effect, and omitted effects with reasons."""
    named = {name.replace(" x ", " × "): one for name, one in model.spreads.items()}
    left_out = [f"{name.replace(' x ', ' × ')} is not in the model: {why}." for name, why in model.left_out.items()]
    return [
        Table(
            f"{of}: Ordinal mixed model",
            model.pairs,
            [
                Column("Pair", lambda row: f"{row.a} – {row.b}"),
                Column("Odds ratio", lambda row: row.odds_ratio, TWO),
                Column("p (Bonferroni)", lambda row: row.p_adjusted, plain_p),
            ],
            lead=f"Cumulative-link mixed model of {model.n:,} ratings, for papers that report one. No verdict rests on it.",
            note=f"The model could not be fitted: {model.why}." if model.why else "",
        ),
        Table(
            f"{of}: Spread of random effects",
            list(named.items()),
            [Column("Effect", lambda row: row[0]), Column("Standard deviation, logits", lambda row: row[1], TWO)],
            note=" ".join([*left_out, *(f"{name}: {one.why}." for name, one in named.items() if one.why)]),
        ),
    ]


def choice_name(task: str, pair: ChoicePair) -> str:
    """Subject of a row: two systems, or a simulator (and a recommender)."""
    if task == "realism":
        return f"{pair.a}, {pair.group}" if pair.group else pair.a
    return f"{pair.a} – {pair.b}"


def choice_verdict(pair: ChoicePair) -> str:
    """Winner in words."""
    return _verdict(pair, "wins")


def judgements(pair: ChoicePair) -> int:
    """Number of judgements."""
    return pair.wins + pair.losses + pair.ties


def choices_table(found: ChoiceFindings) -> Table[ChoicePair]:
    """All pairs of sides."""
    return Table(
        "Every comparison",
        found.pairs,
        [
            Column("Pair", lambda row: choice_name(found.task, row)),
            *in_files(a=lambda row: row.a, b=lambda row: row.b, group=lambda row: row.group),
            Column("Wins", lambda row: row.wins, key="wins"),
            Column("Losses", lambda row: row.losses, key="losses"),
            Column("Ties", lambda row: row.ties, key="ties"),
            Column("Win share", lambda row: row.decisive, TWO),
            *from_estimate(lambda row: row.decisive, value="win_share", low="low", high="high"),
            *in_files(p_by_item=lambda row: row.p_by_item, p_by_rater=lambda row: row.p_by_rater),
            Column("p (Bonferroni)", lambda row: row.p_adjusted, plain_p, "p_adjusted"),
            Column("As if independent", lambda row: row.exact, TWO),
            Column("p", lambda row: row.exact.p, plain_p),
            *from_estimate(lambda row: row.exact, low="exact_low", high="exact_high", p="exact_p"),
            Column("Pairs / raters", lambda row: f"{row.items:,} / {row.raters:,}"),
            Column("Verdict", choice_verdict),
            *in_files(items=lambda row: row.items, raters=lambda row: row.raters, verdict=lambda row: row.verdict),
        ],
        file="choices",
        strong=lambda row: row.verdict in ("a", "b"),
        lead="Win share: wins among judgements that are not ties. Its p is the larger one of two tests, one clustered by "
        "pair, one by rater. Next to it: the exact test that treats all judgements as independent, which they are not.",
    )


def ranking_table(found: ChoiceFindings) -> Table[Strength] | None:
    """Systems by the strength that choices give them; None without any."""
    votes = found.votes
    if votes is None:
        return None
    return Table(
        "Ranking",
        votes.strengths,
        [
            Column("System", lambda row: row.system),
            Column("Strength", lambda row: row.strength, with_decimals(0)),
            Column("Ranks", lambda row: ranks(row.rank_low, row.rank_high) or None),
            Column("Share won", lambda row: row.win_rate, TWO),
        ],
        lead=votes.method,
        note=" ".join(f"{why}." for why in (votes.why, votes.left_out) if why is not None),
    )


def codes_table(found: ChoiceFindings) -> Table[CodeFindings]:
    """Codes of explanations, by coder and by the side that was chosen."""
    coders = sorted({coder for one in found.codes for coder in one.counts})
    sides = sorted({side for one in found.codes for side in one.by_side})
    return Table(
        "Codes of explanations",
        found.codes,
        [
            Column("Code", lambda row: row.code),
            *(Column(coder, _times(lambda row: row.counts, coder)) for coder in coders),
            *(Column(side, _times(lambda row: row.by_side, side)) for side in sides),
            Column("Share", lambda row: row.share, "{:.0%}".format),
            Column("Cohen's kappa", lambda row: row.kappa, TWO),
        ],
        note=_reasons((f"Cohen's kappa of {one.code}", one.kappa) for one in found.codes),
    )


def _times(counts: Callable[[CodeFindings], Mapping[str, int]], name: str) -> Callable[[CodeFindings], int]:
    return lambda row: counts(row).get(name, 0)


def classes_table(found: LabelFindings) -> Table[LabelClass]:
    """Every label."""
    return Table(
        "Every label",
        found.classes,
        [
            Column("Label", lambda row: row.label),
            Column("Given", lambda row: row.given),
            Column("Final", lambda row: row.count),
            Column("Alpha against all others", lambda row: row.kappa, TWO),
        ],
    )


def confusions_table(found: LabelFindings) -> Table[tuple[str, str, int]]:
    """Different labels that were given to one utterance."""
    return Table(
        "Labels given to one utterance",
        found.confusions,
        [
            Column("One", lambda row: row[0]),
            Column("Other", lambda row: row[1]),
            Column("Pairs of annotators", lambda row: row[2]),
        ],
    )


def model_sections(findings: StudyFindings) -> list[Section]:
    """Answers of language models beside people's, marked as such in every title and column."""
    sections = [_model_ratings(each) for each in findings.model_ratings]
    chosen = Table(
        "Choices by language models, next to people's",
        findings.model_choices,
        [
            Column[ModelChoices]("Language model", lambda row: f"{row.rater} (language model)"),
            Column("Choices", lambda row: row.choices),
            Column("Ties", lambda row: row.ties),
            Column("Pairs decided by both", lambda row: row.units),
            Column("Agreement with people's majority", lambda row: row.agreement, TWO),
        ],
    )
    return [*sections, Section(chosen.label, [chosen])]


def _model_ratings(found: ModelRatings) -> Section:
    who = f"{found.rater} (language model)"
    title = f"{found.title}: mean ratings by {who}, next to people's"
    table = Table(
        title,
        found.systems,
        [
            Column[ModelSystem]("System", lambda row: row.system),
            Column(who, lambda row: row.mean, TWO),
            Column("People", lambda row: row.people, TWO),
        ],
        note=f"{found.ratings:,} ratings by {who}, {found.unanswered:,} questions without a valid answer; "
        f"{found.units:,} units were also rated by people. Spearman's correlation of {who} with people's means: "
        f"{TWO(found.correlation)}; of one person with the mean of the others: {TWO(found.correlation_of_people)}. "
        f"{who} minus people, in points: {TWO(found.difference)}.",
    )
    return Section(title, [table])


@dataclass(frozen=True)
class _ModelNumber:
    """One number on a language model, as the file holds it."""

    rater: str
    kind: str
    value: float | None
    estimate: Estimate | None = None
    measure: str | None = None
    unanswered: int | None = None
    system: str | None = None
    people: float | None = None


def file_tables(findings: StudyFindings) -> list[Table[Any]]:
    """Tables that only files have: means of systems, and numbers on language models beside people."""
    rated = [(each, one) for each in findings.ratings for one in each.systems]
    return [
        Table(
            "Systems",
            rated,
            [
                *in_files(measure=lambda row: row[0].measure, system=lambda row: row[1].system),
                *from_estimate(lambda row: row[1].mean, value="mean", low="low", high="high"),
                *in_files(ratings=lambda row: row[1].ratings, raters=lambda row: row[1].raters),
                *in_files(items=lambda row: row[1].items, counts=_counts),
            ],
            file="systems",
        ),
        Table(
            "Language models",
            list(_model_numbers(findings)),
            [
                *in_files(rater=lambda row: row.rater, measure=lambda row: row.measure, kind=lambda row: row.kind),
                *in_files(system=lambda row: row.system, value=lambda row: row.value),
                *from_estimate(lambda row: row.estimate, low="low", high="high"),
                *in_files(people=lambda row: row.people),
                *from_estimate(lambda row: row.estimate, n="n"),
                *in_files(unanswered=lambda row: row.unanswered),
                *from_estimate(lambda row: row.estimate, why="why"),
            ],
            file="models",
        ),
    ]


def _counts(row: tuple[RatingFindings, SystemRatings]) -> str:
    found, one = row
    return " ".join(f"{point:g}:{count}" for point, count in zip(found.points, one.counts, strict=True))


def _model_numbers(findings: StudyFindings) -> Iterator[_ModelNumber]:
    """A mean per system, then the model's agreement with people."""
    for each in findings.model_ratings:
        about: dict[str, Any] = {"measure": each.measure, "unanswered": each.unanswered}
        for one in each.systems:
            yield _ModelNumber(each.rater, "mean", one.mean, system=one.system, people=one.people, **about)
        for kind in ("correlation", "correlation_of_people", "difference"):
            estimate: Estimate = getattr(each, kind)
            yield _ModelNumber(each.rater, kind, estimate.value, estimate, **about)
    for chosen in findings.model_choices:
        yield _ModelNumber(chosen.rater, "agreement", chosen.agreement.value, chosen.agreement)
