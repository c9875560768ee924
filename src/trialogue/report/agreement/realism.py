"""HTML page about realism: simulated compared with real users."""

import shutil
import textwrap
from pathlib import Path

from trialogue.findings.realism.records import Divergence, Order, Prediction, RealismFindings
from trialogue.records.files.cells import csv_text
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import open_replacing, write_text
from trialogue.records.runs import writes_run
from trialogue.report.agreement.page import LONG, text_of, texts
from trialogue.report.drawing.theme import DARK, LIGHT, css_variables
from trialogue.report.measures import short_name
from trialogue.report.numbers import MISSING, plain_p
from trialogue.report.plots.agreement import Row, forest_of
from trialogue.report.plots.base import Figure
from trialogue.report.render.page import environment, manifest_rows
from trialogue.report.table import Table
from trialogue.report.text import one_line, printable

PAGE, FINDINGS, TABLE = "realism.html", "realism.json", "realism.csv"


@writes_run()
def write_realism(findings: RealismFindings, folder: Path) -> Path:
    """Write ``realism.html``, ``realism.json``, ``realism.csv`` and a figure; returns the path of the page."""
    figure = giveaways(findings)
    write_text(folder / FINDINGS, to_line(findings) + "\n")
    write_text(folder / TABLE, _csv(findings))
    if figure is not None:
        write_text(folder / "figures" / f"{figure.name}.svg", figure.svg)
        with open_replacing(folder / "figures" / f"{figure.name}.png") as stream:
            stream.write(figure.png)
    page = folder / PAGE
    write_text(page, realism_page(findings))
    return page


def realism_page(findings: RealismFindings) -> str:
    """Render the page as one HTML document without external resources or scripts."""
    return printable(
        environment()
        .get_template("realism.html.j2")
        .render(
            light=css_variables(LIGHT),
            dark=css_variables(DARK),
            findings=findings,
            long_answer=len(findings.answer[0]) > LONG,
            features=_features(findings),
            figure=giveaways(findings),
            acts=None if findings.divergence is None else _acts(findings.divergence),
            acts_lead="" if findings.divergence is None else _acts_lead(findings.divergence),
            orders=_orders(findings.predictions) if findings.predictions else None,
            manifest=manifest_rows(findings.manifest),
        )
    )


def giveaways(findings: RealismFindings) -> Figure | None:
    """Figure of the AUC of every feature between simulated and real dialogues, with the classifier on top."""
    rows = [Row(gap.title, gap.giveaway, None, False) for gap in findings.gaps if gap.giveaway.value is not None]
    if findings.two_sample.auc.value is not None:
        rows.append(Row("classifier, all features", findings.two_sample.auc, None, True))
    if not rows:
        return None
    return forest_of(
        name="realism-giveaways",
        title="What distinguishes simulated users",
        rows=rows,
        statistic="probability that a simulated dialogue has more of it",
        chance=0.5,
        notes=("Hollow: the classifier's AUC on held-out dialogues.",),
    )


def _features(findings: RealismFindings) -> Table:
    away = texts([gap.giveaway for gap in findings.gaps])
    rows = tuple(
        (gap.title, *texts([gap.real, gap.simulated]), text_of(gap.difference, sign=True), given)
        for gap, given in zip(findings.gaps, away, strict=True)
    )
    return Table(("Feature", "Real", "Simulated", "Difference", "Giveaway"), rows)


def _acts_lead(found: Divergence) -> str:
    baseline = (
        ""
        if found.split_half.value is None
        else f" Random halves of the real users differ by {found.split_half.value:.3f}."
    )
    return f"Shares of {found.acts}. DS-KL {text_of(found.value)} nats.{baseline}"


def _acts(found: Divergence) -> Table:
    order = sorted(found.shares.items(), key=lambda pair: (-pair[1][0], pair[0]))
    rows = tuple((name, f"{100 * real:.1f}%", f"{100 * own:.1f}%") for name, (real, own) in order)
    return Table(("Act", "Real", "Simulated"), rows)


def _orders(predictions: tuple[Prediction, ...]) -> Table:
    rows = tuple(
        (
            short_name(each.measure),
            short_name(each.against),
            _order(each.simulated),
            _order(each.real),
            text_of(each.spearman),
            plain_p(each.p),
            str(each.refusal or ""),
        )
        for each in predictions
    )
    return Table(("Simulated users by", "Real users by", "Simulated", "Real", "Spearman's ρ", "p", "Says"), rows)


def _order(order: Order) -> str:
    share = MISSING if order.share is None else f"{100 * order.share:.0f}%"
    return " > ".join(order.systems) + f" ({share})"


def _csv(findings: RealismFindings) -> str:
    head = ["feature", "real", "simulated", "difference", "low", "high", "p", "giveaway", "weight"]
    rows = []
    for gap in findings.gaps:
        interval = gap.difference.interval
        ends = [interval.low, interval.high] if interval else [None, None]
        values = [
            gap.real.value,
            gap.simulated.value,
            gap.difference.value,
            *ends,
            gap.difference.p,
            gap.giveaway.value,
        ]
        rows.append([gap.name, *values, findings.two_sample.weights.get(gap.name)])
    return csv_text(head, rows)


def realism_text(findings: RealismFindings, *, width: int | None = None) -> str:
    """Render the answer and the features as plain text."""
    width = min(120, max(60, width or shutil.get_terminal_size((80, 24)).columns))
    lines = [textwrap.fill(one_line(sentence), width) for sentence in findings.answer]
    lines.append("")
    lines.append(f"{'feature':<22}{'real':>10}{'simulated':>12}   giveaway")
    for gap in findings.gaps:
        real, own = (f"{each.value:.3f}" if each.value is not None else MISSING for each in (gap.real, gap.simulated))
        lines.append(f"{gap.name:<22}{real:>10}{own:>12}   {text_of(gap.giveaway)}")
    return "\n".join(lines)
