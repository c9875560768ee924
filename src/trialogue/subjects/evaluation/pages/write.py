"""Write findings to report files, and read them back."""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from trialogue.findings import Findings
from trialogue.findings.validity import FILE as VALIDITY
from trialogue.findings.validity import read_validity
from trialogue.records.base import SCHEMA
from trialogue.records.files.opening import open_replacing, write_text
from trialogue.records.runs import open_run, writes_run
from trialogue.render.explorer.entries import Part
from trialogue.render.explorer.links import PAGE as EXPLORER
from trialogue.render.explorer.write import FOLDER as EXPLORER_FOLDER
from trialogue.render.explorer.write import write_explorer
from trialogue.render.media.files import write_rendered
from trialogue.render.media.page import document_page
from trialogue.render.media.terminal import document_text
from trialogue.render.plots import Figure, figures
from trialogue.render.plots.base import FigureFormat
from trialogue.subjects.evaluation.pages.document import describe_data, evaluation_document
from trialogue.subjects.evaluation.pages.paper import METHODS, REFERENCES, methods_tex, references_bib
from trialogue.subjects.evaluation.pages.summary import summary_json

FINDINGS, CAPTIONS = "findings.json", "captions.md"
SUFFIXES = (".svg", ".png", ".pdf")
"""File formats of figures."""
_OURS = re.compile(r"(forest|pairs|spread|variants)-[a-z0-9-]+|votes|differences")  # names that figures can have


@writes_run(keep=True)
def write_report(
    findings: Findings,
    folder: Path,
    *,
    formats: Sequence[FigureFormat] = (),
    explored: Sequence[Part] | None = None,
) -> Path:
    """Write ``report.html``, findings and tables, figures, and the methods for a paper.

    ``findings.json``, ``summary.csv``, ``summary.json``, ``pairs.csv``, ``methods.tex``, ``references.bib``,
    ``league.tex``, ``league.md``, ``figures/`` (SVG, on request PNG and PDF, and ``captions.md``).

    The folder is a sealed run (``trialogue.records.runs``): of another run in it nothing stays, of the same one its scores
    do. The same findings give the same bytes.

    Args:
        findings: findings that it shows.
        folder: folder to write to.
        formats: formats of figures beside SVG, which matplotlib draws: most of the time of a report.
        explored: records for ``explorer.html`` beside the page; (): there is none; None: that of the same run stays.

    Returns:
        The path of ``report.html``.
    """
    drawn = figures(findings)
    with open_replacing(folder / FINDINGS) as stream:
        stream.write(_line(findings).encode("utf-8", "surrogatepass"))
    write_text(folder / METHODS, methods_tex(findings))
    write_text(folder / REFERENCES, references_bib(findings))
    write_text(folder / "summary.json", summary_json(findings))
    _write_figures(drawn, folder / "figures", formats)
    write_text(folder / "figures" / CAPTIONS, captions_markdown(findings, drawn))
    own = folder / VALIDITY
    if explored is not None:
        shutil.rmtree(folder / EXPLORER_FOLDER, ignore_errors=True)
        (folder / EXPLORER).unlink(missing_ok=True)
        write_explorer(findings, explored, folder)
    validity = read_validity(own) if own.is_file() else ()
    document = evaluation_document(findings, drawn, validity, explorer=(folder / EXPLORER).is_file())
    return write_rendered(document, folder)


def render_html(findings: Findings) -> str:
    """The page as one HTML document without external resources or scripts; the same findings give the same page."""
    return document_page(evaluation_document(findings, figures(findings)))


def text_table(findings: Findings, *, width: int | None = None) -> str:
    """The answer, its threats and the league table for a terminal.

    Args:
        findings: findings to print.
        width: columns of the terminal; its own by default, 80 where there is none.
    """
    return document_text(evaluation_document(findings), width=width)


def captions_markdown(findings: Findings, drawn: Sequence[Figure]) -> str:
    """Self-contained caption of each figure, by file."""
    entries = [f"**{figure.name}** {figure.title}. {describe_data(findings)}. {figure.caption}\n" for figure in drawn]
    return "\n".join(entries) if entries else "There are no figures.\n"


def _line(findings: Findings) -> str:
    """Findings as one line of JSON.

    In pydantic's Python mode, since its JSON mode mends lone surrogates in names that are keys, but not in other fields.
    """
    content = {"kind": findings.kind, "v": SCHEMA, **findings.model_dump(exclude_defaults=True)}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"


def _write_figures(drawn: list[Figure], folder: Path, formats: Sequence[FigureFormat]) -> None:
    ours: set[str] = set()
    for figure in drawn:
        for name, content in figure.files(formats).items():
            ours.add(name)
            with open_replacing(folder / name) as stream:
                stream.write(content)
    for path in folder.glob("*.*"):
        if path.suffix in SUFFIXES and path.name not in ours and _OURS.fullmatch(path.stem):
            path.unlink()


def read_findings(folder: Path | str) -> Findings:
    """Read the findings of a run, for rendering.

    Args:
        folder: where ``write_report`` wrote, or its ``findings.json``.

    Raises:
        DataError: there are none, or the run is not what was sealed.
    """
    return open_run(folder).record(FINDINGS, Findings, again="trialogue evaluate")
