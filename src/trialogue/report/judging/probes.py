"""Bias probes of judges as a table."""

from collections.abc import Sequence

from trialogue.findings.judging.probe_records import ProbeFinding, ProbeVerdict
from trialogue.judges.probes.kinds import DEFECTS, ProbeKind
from trialogue.records import Estimate
from trialogue.report.document import Column, Table
from trialogue.report.numbers import MISSING, count, plain_p, supported_decimals, with_decimals

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
