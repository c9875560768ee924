"""Bias probes of judges as a table, for terminal and page, LaTeX and Markdown."""

from collections.abc import Sequence

from trialogue.findings.judging.probe_records import ProbeFinding, ProbeVerdict
from trialogue.judges.probes.kinds import DEFECTS, ProbeKind
from trialogue.records import Estimate
from trialogue.report.exports import latex_rows, markdown_rows
from trialogue.report.numbers import MISSING, count, plain_p, render_estimate, supported_decimals
from trialogue.report.table import Table

HEADS = ("Probe", "Change of the score", "Cases moved", "Agreement", "p", "Verdict", "Rests on")
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
KEY = (
    "Cases moved: up (first three), at all (rewording), down (defects). Agreement: share of pairs with the same answers "
    "in both orders; rank correlation with scores after rewording. p by Holm's method over the probes of a judge."
)


def probes_table(found: Sequence[ProbeFinding]) -> Table:
    """One row per probe and judge."""
    return Table(_heads(found), tuple(_row(each, found) for each in found))


def probes_latex(found: Sequence[ProbeFinding]) -> str:
    """The probes as a booktabs ``tabular``."""
    return latex_rows([dict(zip(_heads(found), _row(each, found), strict=True)) for each in found]) + "\n"


def probes_markdown(found: Sequence[ProbeFinding]) -> str:
    """The probes as a Markdown table."""
    return markdown_rows([dict(zip(_heads(found), _row(each, found), strict=True)) for each in found])


def _is_panel(found: Sequence[ProbeFinding]) -> bool:
    return len({each.judge for each in found}) > 1


def _heads(found: Sequence[ProbeFinding]) -> tuple[str, ...]:
    return ("Judge", *HEADS) if _is_panel(found) else HEADS


def _row(each: ProbeFinding, found: Sequence[ProbeFinding]) -> tuple[str, ...]:
    kind = "pair" if each.probe is ProbeKind.POSITION else "dialogue"
    rests = [count(each.effect.n, kind)]
    if each.unanswered:
        rests.append(f"{each.unanswered} unanswered")
    if each.inapplicable:
        rests.append(f"{each.inapplicable} {'without an applicable reply' if each.probe in DEFECTS else 'not asked'}")
    if each.verdict is ProbeVerdict.TOO_FEW:
        rests.append(f"{each.least} needed")
    elif each.effect.value is None or each.effect.interval is None:
        rests.append(str(each.effect.why))
    row = (
        NAMES[each.probe],
        _value(each.effect, sign=True),
        _value(each.moved),
        MISSING if each.agreement is None else _value(each.agreement),
        MISSING if each.p_adjusted is None else plain_p(each.p_adjusted),
        VERDICTS[each.verdict],
        "; ".join(rests),
    )
    return (each.judge, *row) if _is_panel(found) else row


def _value(estimate: Estimate, *, sign: bool = False) -> str:
    return MISSING if estimate.value is None else render_estimate(estimate, supported_decimals(estimate), sign=sign)
