"""HTML page about a judge: its raw scores, labels alone, and corrected values."""

from pathlib import Path

from trialogue.findings.judging.records import JudgingFindings
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import write_text
from trialogue.records.runs import writes_run
from trialogue.report.agreement.page import LONG
from trialogue.report.drawing.theme import DARK, LIGHT, css_variables
from trialogue.report.evaluation.page import environment, manifest_rows
from trialogue.report.judging.card import card_latex, card_markdown, card_table
from trialogue.report.judging.probes import KEY, probes_latex, probes_markdown, probes_table
from trialogue.report.judging.tables import (
    correlations_table,
    differences_table,
    judging_csv,
    systems_table,
    threat_lists,
)
from trialogue.report.judging.wording import facts
from trialogue.report.text import printable

PAGE, FINDINGS, TABLE = "judging.html", "judging.json", "judging.csv"
CARD_LATEX, CARD_MARKDOWN = "judge_card.tex", "judge_card.md"
PROBES_LATEX, PROBES_MARKDOWN = "judge_probes.tex", "judge_probes.md"


@writes_run()
def write_judging(findings: JudgingFindings, folder: Path) -> Path:
    """Write ``judging.html``, ``.json``, ``.csv`` and the judge's card and probes (``.tex``, ``.md``).

    Returns the path of the page.
    """
    write_text(folder / FINDINGS, to_line(findings) + "\n")
    write_text(folder / TABLE, judging_csv(findings))
    if findings.card is not None:
        write_text(folder / CARD_LATEX, card_latex(findings.card))
        write_text(folder / CARD_MARKDOWN, card_markdown(findings.card))
    if findings.probes:
        write_text(folder / PROBES_LATEX, probes_latex(findings.probes))
        write_text(folder / PROBES_MARKDOWN, probes_markdown(findings.probes))
    page = folder / PAGE
    write_text(page, judging_page(findings))
    return page


def judging_page(findings: JudgingFindings) -> str:
    """Render the page as one HTML document without external resources or scripts."""
    return printable(
        environment()
        .get_template("judging.html.j2")
        .render(
            light=css_variables(LIGHT),
            dark=css_variables(DARK),
            findings=findings,
            long_answer=len(findings.answer[0]) > LONG,
            facts=facts(findings),
            systems=systems_table(findings),
            differences=differences_table(findings) if findings.differences else None,
            correlations=correlations_table(findings) if findings.correlations else None,
            threats=threat_lists(findings),
            card=None if findings.card is None else card_table(findings.card),
            probes=probes_table(findings.probes) if findings.probes else None,
            probes_key=KEY,
            manifest=manifest_rows(findings.manifest),
        )
    )
