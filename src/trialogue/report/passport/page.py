"""HTML page of a passport."""

from pathlib import Path

from trialogue.findings.passport.answer import headline
from trialogue.findings.passport.records import PassportFindings
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import open_replacing, write_text
from trialogue.records.runs import writes_run
from trialogue.report.drawing.theme import DARK, LIGHT, css_variables
from trialogue.report.passport.tables import (
    discriminators_table,
    distances_table,
    doses_table,
    features_table,
    gates_table,
    orders_table,
    overview,
    passport_csv,
    rankings_table,
    spreads_table,
    threat_lists,
)
from trialogue.report.plots.agreement import Row, forest_of
from trialogue.report.plots.base import Figure
from trialogue.report.render.page import environment, manifest_rows
from trialogue.report.text import printable

PAGE, FINDINGS, TABLE = "passport.html", "passport.json", "passport.csv"


@writes_run()
def write_passport(findings: PassportFindings, folder: Path) -> Path:
    """Write ``passport.html``, ``passport.json``, ``passport.csv`` and a figure; returns the path of the page."""
    write_text(folder / FINDINGS, to_line(findings) + "\n")
    write_text(folder / TABLE, passport_csv(findings))
    figure = discriminators(findings)
    if figure is not None:
        write_text(folder / "figures" / f"{figure.name}.svg", figure.svg)
        with open_replacing(folder / "figures" / f"{figure.name}.png") as stream:
            stream.write(figure.png)
    page = folder / PAGE
    write_text(page, passport_page(findings))
    return page


def passport_page(findings: PassportFindings) -> str:
    """The whole page as one HTML document that loads nothing and runs no script."""
    return printable(
        environment()
        .get_template("passport.html.j2")
        .render(
            light=css_variables(LIGHT),
            dark=css_variables(DARK),
            findings=findings,
            headline=headline(findings),
            overview=overview(findings),
            threats=threat_lists(findings),
            figure=discriminators(findings),
            distances=distances_table(findings),
            discriminators=discriminators_table(findings),
            features=features_table(findings),
            rankings=rankings_table(findings),
            orders=orders_table(findings),
            doses=doses_table(findings),
            spreads=spreads_table(findings),
            gates=gates_table(findings),
            manifest=manifest_rows(findings.manifest),
        )
    )


def discriminators(findings: PassportFindings) -> Figure | None:
    """Every discriminator by its AUC, and what the classifier makes of real users alone; None where none is defined."""
    behavior = findings.behavior
    if behavior is None:
        return None
    rows = [
        Row(each.title, each.auc, None, each.is_trivial)
        for each in behavior.discriminators
        if each.auc.value is not None
    ]
    if behavior.split_half.value is not None:
        rows.append(Row("classifier, real halves", behavior.split_half, None, True))
    if not rows:
        return None
    return forest_of(
        name="passport-discriminators",
        title="Can simulated users be distinguished from real ones?",
        rows=rows,
        statistic="AUC",
        chance=0.5,
        notes=("Hollow: individual counts, and the classifier on random halves of the real users.",),
    )
