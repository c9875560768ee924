"""Write a study's findings to report files, and read them back."""

import json
import re
from pathlib import Path

from pydantic import ValidationError

from trialogue.errors import DataError, Problem
from trialogue.findings.people.records import StudyFindings
from trialogue.records.base import SCHEMA
from trialogue.records.files.jsonl import parse_line, problems_of
from trialogue.records.files.opening import open_bytes, open_replacing, write_text
from trialogue.report.study.figures import study_figures
from trialogue.report.study.page import render
from trialogue.report.study.tables import csv_files

FINDINGS = "findings.json"
TABLES = ("systems.csv", "pairs.csv", "agreement.csv", "sensitivity.csv", "choices.csv", "models.csv")
_OURS = re.compile(r"(distribution|odds|position|sensitivity)-[a-z0-9-]+|flow|choices|win-shares|labels")


def write_study_report(findings: StudyFindings, folder: Path) -> Path:
    """Write ``report.html``, ``findings.json``, tables as CSV, ``methods.txt`` and ``figures/``; returns the page's path.

    Every file appears whole or not at all, and the page last. Tables and figures of an earlier report of a study in the same
    folder that this one does not have are removed; other files stay. The same findings give the same bytes.
    """
    drawn = study_figures(findings)
    content = {"kind": findings.kind, "v": SCHEMA, **findings.model_dump(exclude_defaults=True)}
    line = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
    with open_replacing(folder / FINDINGS) as stream:
        stream.write(line.encode("utf-8", "surrogatepass"))
    tables = csv_files(findings)
    for name, text in tables.items():
        write_text(folder / name, text)
    for name in set(TABLES) - set(tables):
        (folder / name).unlink(missing_ok=True)
    write_text(folder / "methods.txt", " ".join(findings.methods) + "\n")
    for figure in drawn:
        write_text(folder / "figures" / f"{figure.name}.svg", figure.svg)
        with open_replacing(folder / "figures" / f"{figure.name}.png") as stream:
            stream.write(figure.png)
    names = {figure.name for figure in drawn}
    for path in (folder / "figures").glob("*.*"):
        if path.suffix in (".svg", ".png") and path.stem not in names and _OURS.fullmatch(path.stem):
            path.unlink()
    page = folder / "report.html"
    write_text(page, render(findings, drawn))
    return page


def read_study_findings(folder: Path) -> StudyFindings:
    """Read the findings of a study, for rendering.

    Raises:
        DataError: there are none, or they are damaged.
    """
    path = folder if folder.is_file() else folder / FINDINGS
    hint = "Create it again: trialogue study report FOLDER"
    with open_bytes(path) as stream:
        raw = stream.read()
    try:
        return parse_line(raw.decode("utf-8", "surrogatepass"), {StudyFindings.kind: StudyFindings})
    except ValidationError as error:
        raise DataError(problems_of(error, str(path), None), hint=hint) from error
    except ValueError as error:
        raise DataError(Problem(str(error), file=str(path), hint=hint)) from error
