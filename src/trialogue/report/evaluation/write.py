"""Write findings to report files, and read them back."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from trialogue.errors import DataError, Problem
from trialogue.findings import Findings
from trialogue.findings.agreement.validity import FILE as VALIDITY
from trialogue.findings.agreement.validity import read_validity
from trialogue.records.base import SCHEMA
from trialogue.records.files.jsonl import parse_line, problems_of
from trialogue.records.files.opening import open_bytes, open_replacing, write_text
from trialogue.report.evaluation.page import render_page
from trialogue.report.evaluation.paper import METHODS, REFERENCES, methods_tex, references_bib
from trialogue.report.evaluation.paper_tables import (
    CAPTIONS,
    TABLE_LATEX,
    TABLE_MARKDOWN,
    captions_markdown,
    paper_table_latex,
    paper_table_markdown,
)
from trialogue.report.evaluation.summary import pairs_csv, summary_csv, summary_json
from trialogue.report.explorer.entries import Part
from trialogue.report.explorer.links import PAGE as EXPLORER
from trialogue.report.explorer.write import write_explorer
from trialogue.report.plots import Figure, figures

FINDINGS = "findings.json"
SUFFIXES = (".svg", ".png", ".pdf")
"""File formats of figures; the first is drawn without matplotlib."""
_OURS = re.compile(r"(forest|pairs|spread|variants)-[a-z0-9-]+|votes|differences")  # names that figures can have


def write_report(findings: Findings, folder: Path, *, png: bool = True, explored: Sequence[Part] | None = None) -> Path:
    """Write ``report.html``, findings and tables, figures, and the methods for a paper.

    ``findings.json``, ``summary.csv``, ``summary.json``, ``pairs.csv``, ``methods.tex``, ``references.bib``,
    ``league.tex``, ``league.md``, ``figures/`` (SVG, PNG, PDF and ``captions.md``).

    Every file appears whole or not at all, and the page last. Figures of an earlier report in the same folder that this one
    does not have are removed, since they would be taken for its own; other files stay. The same findings give the same
    bytes.

    Args:
        findings: findings that it shows.
        folder: folder to write to.
        png: whether figures are drawn as PNG and PDF, too, which takes most of the time of a report; as SVG they always are.
        explored: records for ``explorer.html`` beside the page; (): there is none, and that of an earlier report is removed;
            None: one that is there stays.

    Returns:
        The path of ``report.html``.
    """
    drawn = figures(findings)
    with open_replacing(folder / FINDINGS) as stream:
        stream.write(_line(findings).encode("utf-8", "surrogatepass"))
    write_text(folder / "summary.csv", summary_csv(findings))
    write_text(folder / "pairs.csv", pairs_csv(findings))
    write_text(folder / METHODS, methods_tex(findings))
    write_text(folder / REFERENCES, references_bib(findings))
    write_text(folder / "summary.json", summary_json(findings))
    write_text(folder / TABLE_LATEX, paper_table_latex(findings))
    write_text(folder / TABLE_MARKDOWN, paper_table_markdown(findings))
    _write_figures(drawn, folder / "figures", png=png)
    write_text(folder / "figures" / CAPTIONS, captions_markdown(findings, drawn))
    page = folder / "report.html"
    own = folder / VALIDITY
    if explored is not None:
        write_explorer(findings, explored, folder)
    validity = read_validity(own) if own.is_file() else ()
    write_text(page, render_page(findings, drawn, validity, explorer=(folder / EXPLORER).is_file()))
    return page


def _line(findings: Findings) -> str:
    """Findings as one line of JSON.

    In pydantic's Python mode, since its JSON mode mends lone surrogates in names that are keys, but not in other fields.
    """
    content = {"kind": findings.kind, "v": SCHEMA, **findings.model_dump(exclude_defaults=True)}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"


def _write_figures(drawn: list[Figure], folder: Path, *, png: bool) -> None:
    for figure in drawn:
        write_text(folder / f"{figure.name}.svg", figure.svg)
        for suffix, content in (("png", figure.png), ("pdf", figure.pdf)) if png else ():
            with open_replacing(folder / f"{figure.name}.{suffix}") as stream:
                stream.write(content)
    ours = {f"{figure.name}{suffix}" for figure in drawn for suffix in (SUFFIXES if png else SUFFIXES[:1])}
    for path in folder.glob("*.*"):
        if path.suffix in SUFFIXES and path.name not in ours and _OURS.fullmatch(path.stem):
            path.unlink()


def read_findings(folder: Path | str) -> Findings:
    """Read the findings of a run, for rendering.

    Args:
        folder: where ``write_report`` wrote, or its ``findings.json``.

    Raises:
        DataError: there are none, or they are damaged.
    """
    folder = Path(folder)
    path = folder if folder.is_file() else folder / FINDINGS
    if not path.exists():
        hint = f"Create it first: trialogue evaluate DATA --out {folder}"
        raise DataError(Problem("there are no findings here to report.", file=str(path), hint=hint))
    with open_bytes(path) as stream:
        raw = stream.read()
    try:
        return parse_line(raw.decode("utf-8", "surrogatepass"), {Findings.kind: Findings})
    except json.JSONDecodeError as error:
        problem = f"this is not JSON ({error.msg} at column {error.colno})."
        raise DataError(Problem(problem, file=str(path), hint="Run trialogue evaluate again.")) from error
    except ValidationError as error:
        raise DataError(problems_of(error, str(path), None), hint="Run trialogue evaluate again.") from error
    except ValueError as error:
        raise DataError(Problem(str(error), file=str(path), hint="Run trialogue evaluate again.")) from error
