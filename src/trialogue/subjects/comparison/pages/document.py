"""What a comparison of two versions says: the verdict, each measure, threats, and what lost most."""

from collections.abc import Sequence

from trialogue.findings.threat import Validity
from trialogue.records import Manifest
from trialogue.render.document import Column, Document, Medium, Section, Sentences, Table, in_files
from trialogue.render.long_names import with_short_names
from trialogue.render.numbers import plain_p, signed_text
from trialogue.subjects.comparison.records import ChangedUnit, Comparison, Light, MeasureComparison

RED: tuple[Light, ...] = ("worse", "mixed", "no verdict")
"""Lights that fail: a version that cannot be judged has not been shown to be as good."""
GREEN: tuple[Light, ...] = ("better", "not worse", "equivalent")
SYMBOLS = {"error": "🔴", "warning": "🟡", "notice": "🟢"}
COLORS = {"error": "RED", "warning": "YELLOW", "notice": "GREEN"}
MAX_LOSSES = 5
PULL_REQUEST = frozenset({Medium.PAPER})
CORRECTED = "p-values, but not intervals, are corrected (Bonferroni), those that decide apart from the others."


def comparison_document(found: Comparison, *, title: str = "") -> Document:
    """The document of a comparison, read on a terminal and, under another title, in a pull request."""
    shown = with_short_names(found, [found.before, found.after])
    return Document(
        name="comparison",
        brand="comparison",
        title=title or _headline(shown),
        is_titled=True,
        answer=shown.answer,
        sections=[
            Section("Deciding measures", [_judgements(shown, decides=True)], "deciding"),
            Section("Others", [_judgements(shown, decides=False)], "others"),
            Section("Corrections", [Sentences([CORRECTED], "", where=PULL_REQUEST)]),
            Section("Largest losses", [_losses(shown)], "losses", fold=True),
            Section("Notes", [Sentences(shown.notes, "warnings", where=PULL_REQUEST)], fold=True),
        ],
        threats=shown.threats,
        titles={each.measure: each.title for each in shown.judgements},
        record=found,
        manifest=Manifest(command="compare"),  # that of its report says how it was made
    )


def pull_request_document(found: Comparison) -> Document:
    """The document of a comparison as a comment, whose title says what was compared."""
    return comparison_document(
        found, title=f"{SYMBOLS[level_of(found.light, found.validity)]} {comparison_title(found)}"
    )


def level_of(light: Light, validity: Validity = Validity.FIRM) -> str:
    """Severity of a verdict: ``error``, ``warning`` or ``notice``; a conditional one is never a notice.

    >>> level_of("worse"), level_of("inconclusive"), level_of("better"), level_of("better", Validity.CONDITIONAL)
    ('error', 'warning', 'notice', 'warning')
    """
    if light in RED:
        return "error"
    return "notice" if light in GREEN and validity is Validity.FIRM else "warning"


def comparison_title(found: Comparison) -> str:
    """What was compared, and the verdict."""
    return f"{found.after}, compared with {found.before}: {_under_condition(found)}"


def _headline(found: Comparison) -> str:
    """The light in words. A verdict made conditional by a threat is never green."""
    if found.light == "no verdict":
        return "NO VERDICT"
    return f"{COLORS[level_of(found.light, found.validity)]}: {_under_condition(found)}"


def _under_condition(found: Comparison) -> str:
    return f"{found.light}, conditionally" if found.validity is Validity.CONDITIONAL else found.light


def _judgements(found: Comparison, *, decides: bool) -> Table[MeasureComparison]:
    of_kind = [each for each in found.judgements if each.decides == decides]
    rows = of_kind if decides else [each for each in of_kind if each.difference.value is not None]
    corrected = decides and sum(each.p_adjusted is not None for each in rows) > 1
    heading = f"{'Deciding measures' if decides else 'Others'} ({found.after} minus {found.before}"
    left_out = f"; {len(of_kind) - len(rows):,} without a value are not shown" if len(rows) < len(of_kind) else ""
    return Table(
        "Deciding measures" if decides else "Other measures",
        rows,
        [
            Column("Measure", lambda each: each.title),
            Column("Difference", lambda each: each.difference, signed_text),
            Column("p", lambda each: each.p_adjusted, plain_p),
            Column("Verdict", _verdict),
        ],
        heading=f"{heading}{'; p corrected across these measures, intervals not' if corrected else ''}{left_out}):",
    )


def _verdict(judgement: MeasureComparison) -> str:
    is_conditional = judgement.validity is Validity.CONDITIONAL
    return f"{judgement.light}, conditional" if is_conditional else judgement.light


def _losses(found: Comparison) -> Table[ChangedUnit]:
    titles = {each.measure: each.title for each in found.judgements}
    return Table(
        "Largest losses",
        found.moved[:MAX_LOSSES],
        [
            Column("Unit", lambda each: each.unit),
            Column("Measure", lambda each: titles.get(each.measure, each.measure)),
            Column("Before", lambda each: f"{each.before:z.4g}"),
            Column("After", lambda each: f"{each.after:z.4g}"),
        ],
        heading="Largest losses:",
    )


def moved_table(moved: Sequence[ChangedUnit]) -> Table[ChangedUnit]:
    """Units that lost most in a file, with the names of measures."""
    return Table(
        "",
        moved,
        in_files(
            measure=lambda each: each.measure,
            unit=lambda each: each.unit,
            before=lambda each: each.before,
            after=lambda each: each.after,
        ),
    )
