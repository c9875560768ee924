"""What a judging says: systems and their differences by the judge, by labels alone, and by both; the judge; its biases."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from trialogue.findings.threat import Validity
from trialogue.judges.probe_kinds import DEFECTS, ProbeKind
from trialogue.records import Estimate
from trialogue.records.kinds.origins import possessive_of
from trialogue.render.document import (
    EVERYWHERE,
    PAGES,
    Column,
    Document,
    Section,
    Sentences,
    Table,
    from_estimate,
    in_files,
)
from trialogue.render.numbers import MISSING, column_decimals, count, plain_p, ranks, supported_decimals, with_decimals
from trialogue.stats.correction.table import Estimand
from trialogue.subjects.judging.records import (
    JudgeCard,
    JudgedCorrelation,
    JudgedDifference,
    JudgedSystem,
    JudgedValue,
    JudgingFindings,
    ProbeFinding,
    ProbeVerdict,
    ScaleUse,
)

STATISTICS = {"pearson": "Pearson", "spearman": "Spearman"}
SCOPES = {"within": "within systems", "between": "between systems"}


@dataclass(frozen=True)
class _Line:
    """One property of the judge."""

    name: str
    value: str | None
    """With its interval; None: unknown."""
    basis: str
    """What the value was computed from, or why it is unknown."""


def card_table(card: JudgeCard | None) -> Table[_Line]:
    """The card: property, value with interval, and what it is based on or why it is missing; no rows without a card."""
    return Table(
        "What is known about the judge, and from which units",
        [] if card is None else list(_lines(card)),
        [
            Column("Judge's report card", lambda line: line.name),
            Column("Value", lambda line: line.value),
            Column("Based on", lambda line: line.basis),
        ],
        lead="The judge's raw scores compared with people's labels of the same units. judge_card.tex and judge_card.md hold "
        "this table.",
        paper="judge_card",
    )


def _lines(card: JudgeCard) -> Iterator[_Line]:
    unit = card.level
    for each in card.agreement:
        name = f"agreement {SCOPES[each.scope]} ({STATISTICS[each.statistic]})"
        if each.penalised is not None:
            name += ", missing scores as worst guesses"
        yield _of_estimate(name, each.headline, unit if each.scope == "within" else "system")
    ceiling = card.ceiling
    if ceiling.ceiling is None:
        yield _Line("ceiling of agreement, from raters", None, str(ceiling.why))
    else:
        yield _Line(
            "ceiling of agreement, from raters",
            with_decimals(2)(ceiling.ceiling),
            f"{ceiling.raters:.1f} raters per {unit}"
            + ("" if ceiling.single is None else f", reliability of one {ceiling.single:.2f}"),
        )
    for row in card.leniency:
        yield _of_estimate(f"leniency toward {row.system}", row.leniency, unit, sign=True)
    if card.scale is not None:
        yield from _scale_lines(card.scale)
    yield _of_estimate("score per doubling of length, at equal quality", card.verbosity, unit, sign=True)
    yield _of_estimate("leniency toward its own family, minus toward others", card.self_preference, unit, sign=True)
    judged = sum(each.judged for each in card.leniency)
    missing = sum(each.unscored for each in card.leniency)
    yield _Line("missing scores", f"{missing / judged:.1%}" if judged else None, f"{missing} of {count(judged, unit)}")


def _of_estimate(name: str, estimate: Estimate, unit: str, *, sign: bool = False) -> _Line:
    if estimate.value is None:
        return _Line(name, None, str(estimate.why))
    basis = count(estimate.n, unit)
    if estimate.interval is None and estimate.why is not None:
        basis += f"; no interval: {estimate.why}"
    return _Line(name, with_decimals(supported_decimals(estimate), sign=sign)(estimate), basis)


def _scale_lines(scale: ScaleUse) -> Iterator[_Line]:
    ends = f"scale {scale.low:g} to {scale.high:g}" + ("" if scale.is_declared else ", as far as labels show")
    yield _Line(
        "scores at the top of the scale", f"{scale.judge_at_high:.0%}", f"people {scale.people_at_high:.0%}; {ends}"
    )
    yield _Line("scores at the bottom of the scale", f"{scale.judge_at_low:.0%}", f"people {scale.people_at_low:.0%}")
    if scale.spread_ratio is not None:
        yield _Line(
            "spread of scores, relative to people's", with_decimals(2)(scale.spread_ratio), "standard deviations"
        )
    for each in scale.shares:
        yield _Line(f"share of {each.value:g}", f"{each.judge:.0%}", f"people {each.people:.0%}")


NAMES = {
    ProbeKind.POSITION: "shown first, of two (answers for the first minus for the second)",
    ProbeKind.PADDING: "replies padded with empty sentences",
    ProbeKind.INJECTION: "a reply asks for the highest score",
    ProbeKind.WORDING: "instruction reworded",
    ProbeKind.REVERSED_WORDING: "instruction reworded, scale upside down",
    ProbeKind.WRONG_YEAR: "defect: wrong year of an item",
    ProbeKind.CONTRADICTION: "defect: recommends what the user disliked",
    ProbeKind.REPETITION: "defect: repeats the previous reply",
}
VERDICTS = {
    ProbeVerdict.BIASED: "biased",
    ProbeVerdict.NOT_SHOWN: "no bias shown",
    ProbeVerdict.NOTICED: "noticed",
    ProbeVerdict.UNNOTICED: "not shown to be noticed",
    ProbeVerdict.UNSTABLE: "order of dialogues not shown to be kept",
    ProbeVerdict.TOO_FEW: "too few cases to tell",
    ProbeVerdict.UNDEFINED: MISSING,
}
MOVED = "up (first three), at all (rewording), down (defects)"
AGREEMENT = "share of pairs with the same answers in both orders; rank correlation with scores after rewording"


def probes_table(found: Sequence[ProbeFinding]) -> Table[ProbeFinding]:
    """One row per probe and judge."""
    is_panel = len({each.judge for each in found}) > 1
    return Table(
        "What changed the judge's scores",
        found,
        [
            *([Column[ProbeFinding]("Judge", lambda row: row.judge)] if is_panel else []),
            Column("Probe", lambda row: NAMES[row.probe]),
            Column("Change of the score", lambda row: row.effect, lambda value: _value(value, sign=True)),
            Column("Cases moved", lambda row: row.moved, _value, note=MOVED),
            Column("Agreement", lambda row: row.agreement, _value, note=AGREEMENT),
            Column("p", lambda row: row.p_adjusted, plain_p, note="by Bonferroni's method over the probes of a judge"),
            Column("Verdict", lambda row: VERDICTS[row.verdict]),
            Column("Based on", _basis),
        ],
        lead="The same dialogues twice, with one thing changed.",
        paper="judge_probes",
    )


def _basis(row: ProbeFinding) -> str:
    """How many cases there were, and what kept others out or a verdict from being reached."""
    said = [count(row.effect.n, "pair" if row.probe is ProbeKind.POSITION else "dialogue")]
    if row.unanswered:
        said.append(f"{row.unanswered} unanswered")
    if row.inapplicable:
        said.append(f"{row.inapplicable} {'without an applicable reply' if row.probe in DEFECTS else 'not asked'}")
    if row.verdict is ProbeVerdict.TOO_FEW:
        said.append(f"{row.least} needed")
    elif row.effect.value is None or row.effect.interval is None:
        said.append(str(row.effect.why))
    return "; ".join(said)


def _value(estimate: Estimate, *, sign: bool = False) -> str:
    return with_decimals(supported_decimals(estimate), sign=sign)(estimate)


T = TypeVar("T")
OVERALL = "all systems"
KEY = "Each interval has the stated confidence; ranks, p-values and verdicts hold for all systems together."
WIDTH = "the width of the corrected interval, as a share of that from labels alone"
MAX_PAIRS = 12  # differences on a terminal; the page has all


def judging_document(found: JudgingFindings) -> Document:
    """The document of a judging."""
    return Document(
        name="judging",
        brand="a judge, corrected",
        title=found.title,
        answer=found.answer,
        sections=[
            Section("Systems", [Sentences(facts(found)), _systems(found)], "systems"),
            Section("Differences", [_differences(found)], "differences"),
            Section("Other measures and people", [_correlations(found)], "correlations"),
            Section("Report card of the judge", [card_table(found.card)], "card"),
            Section("Bias probes", [probes_table(found.probes)], "probes"),
        ],
        threats=found.threats,
        closing=[KEY],
        warnings=found.warnings,
        methods=found.methods,
        record=found,
        manifest=found.manifest,
    )


@dataclass(frozen=True)
class _Mean:
    """A mean: of a system, or of all of them."""

    value: JudgedValue
    judged: int
    labels: int
    system: JudgedSystem | None


def _systems(found: JudgingFindings) -> Table[_Mean]:
    """Means of systems, best first, and overall."""
    rows = [_Mean(each.value, each.judged, each.labels, each) for each in found.systems]
    rows.append(_Mean(found.overall, found.judged, found.labels, None))
    is_labelled = found.overall.raw is None
    return Table(
        "Means of systems by the judge, by labels alone, and corrected",
        rows,
        [
            Column("System", lambda row: row.system.system if row.system else OVERALL),
            *in_files(kind=lambda _: "mean", system=_of_system(lambda each: each.system), versus=lambda _: None),
            *in_files(judged=lambda row: row.judged, labels=lambda row: row.labels),
            *_sides(lambda row: row.value, rows),
            Column("Labels", lambda row: f"{row.labels}/{row.judged}" if is_labelled else None, where=PAGES),
            Column(
                "Rank", lambda row: (ranks(row.system.best_rank, row.system.worst_rank) or None) if row.system else ""
            ),
            *in_files(
                rank=_of_system(lambda each: each.rank),
                best_rank=_of_system(lambda each: each.best_rank),
                worst_rank=_of_system(lambda each: each.worst_rank),
                validity=_of_system(lambda each: each.validity.value),
            ),
            *from_estimate(lambda row: row.value.leading, why="why"),
        ],
    )


def _of_system(take: Callable[[JudgedSystem], Any]) -> Callable[[_Mean], Any]:
    return lambda row: None if row.system is None else take(row.system)


def _differences(found: JudgingFindings) -> Table[JudgedDifference]:
    """All differences, with Bonferroni-adjusted p-values."""
    return Table(
        "Differences of systems by the judge, by labels alone, and corrected",
        found.differences,
        [
            Column("Difference", lambda row: f"{row.a} − {row.b}"),
            *in_files(kind=lambda _: "difference", system=lambda row: row.a, versus=lambda row: row.b),
            *_sides(lambda row: row.value, found.differences, sign=True),
            *from_estimate(lambda row: row.value.leading, p="p"),
            Column("p", lambda row: row.p_adjusted, plain_p, "p_adjusted"),
            Column("Verdict", _verdict),
            *in_files(verdict=lambda row: row.verdict, validity=lambda row: row.validity.value),
            *from_estimate(lambda row: row.value.leading, why="why"),
        ],
        lead="p is that of the corrected difference, after Bonferroni's correction across all pairs.",
        most=MAX_PAIRS,
        noun="difference",
    )


def _verdict(row: JudgedDifference) -> str:
    return f"{row.verdict} (conditional)" if row.validity is Validity.CONDITIONAL else row.verdict


def _sides(value: Callable[[T], JudgedValue], rows: Sequence[T], *, sign: bool = False) -> list[Column[T]]:
    """One quantity three times: by the judge, by labels and by both; people see the last two only where labels exist."""
    text = with_decimals(column_decimals([value(row).leading for row in rows]), sign=sign)
    note = "" if sign else WIDTH

    def of_labels(estimate: Callable[[JudgedValue], Estimate]) -> Callable[[T], Estimate | None]:
        return lambda row: estimate(value(row)) if value(row).raw is None else None

    return [
        Column("Judge alone", lambda row: value(row).raw or value(row).judge, text),
        *in_files(judge=lambda row: value(row).judge),
        *from_estimate(lambda row: value(row).raw, low="judge_low", high="judge_high"),
        Column("Labels alone", of_labels(lambda each: each.alone), text, where=PAGES if sign else EVERYWHERE),
        *from_estimate(lambda row: value(row).alone, value="alone", low="alone_low", high="alone_high"),
        Column("Corrected", of_labels(lambda each: each.corrected), text),
        *from_estimate(lambda row: value(row).corrected, value="corrected", low="low", high="high"),
        *in_files(weight=lambda row: value(row).weight),
        Column(
            "Width",
            lambda row: value(row).width_ratio,
            "{:.0%}".format,
            "width_ratio",
            PAGES,
            note=note,
        ),
    ]


def _correlations(found: JudgingFindings) -> Table[JudgedCorrelation]:
    """Spearman's correlations of other measures with people's answers; the file has Pearson's and Kendall's, too."""
    return Table(
        "Correlations of other measures with the judge and with people",
        [each for each in found.correlations if each.statistic == "spearman"],
        [
            Column("Measure", lambda row: str(row.measure)),
            Column("With the judge", lambda row: row.judge, with_decimals(2)),
            Column("Labels alone", lambda row: row.alone, _correlation),
            Column("Corrected", lambda row: row.corrected, _correlation),
            Column("Width", lambda row: row.width_ratio, "{:.0%}".format, where=PAGES),
            Column("Units", lambda row: row.units, where=PAGES),
        ],
        lead="Spearman's correlation of each measure of the run with people's answers, over all systems together, from the "
        "judge's scores of all units and the labels. judging.json also has Pearson's and Kendall's.",
        heading="Spearman's correlation of other measures with people's answers:",
    )


def _correlation(estimate: Estimate) -> str:
    return str(estimate.why) if estimate.value is None else with_decimals(2)(estimate)


def facts(findings: JudgingFindings) -> list[str]:
    """Sentences on the judge, the labels and the population."""
    unit = "dialogue" if findings.level == "dialogue" else "turn"
    scored = f"{findings.judge} scored {count(findings.judged - findings.abstained, unit)}"
    of_people = f"{possessive_of(findings.labels_by)} labels of {findings.question.replace('_', ' ')}"
    lines = [
        f"{scored}; {findings.labels} of {findings.judged} have {of_people}."
        if findings.overall.raw is None
        else f"{scored} of {findings.judged}; none has a label by people.",
        f"The estimate is the mean of these {unit}s."
        if findings.estimand is Estimand.THESE
        else f"The estimate is the mean of the population that these {unit}s were drawn from.",
    ]
    if findings.noise is not None and findings.leniency is not None:
        whom = "these raters on average" if findings.raters is Estimand.THESE else "raters in general"
        lines.append(
            f"The target is the judgement of {whom}. A single label varies with standard deviation "
            f"{findings.noise**0.5:.2f} about its {unit}'s mean, and "
            f"raters differ in leniency by {findings.leniency**0.5:.2f}."
        )
    if findings.looks > 1:
        level = 1 - (1 - findings.confidence) / findings.looks
        lines.append(
            f"Intervals hold for all {findings.looks} looks at the data together: each has {level:.1%} confidence."
        )
    return lines
