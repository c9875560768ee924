"""Write a study's findings to report files, and read them back."""

import json
from pathlib import Path

from trialogue.findings.people.records import StudyFindings
from trialogue.records.base import SCHEMA
from trialogue.records.files.opening import open_replacing, write_text
from trialogue.records.runs import open_run, writes_run
from trialogue.report.study.figures import study_figures
from trialogue.report.study.page import render
from trialogue.report.study.tables import csv_files

FINDINGS = "findings.json"


@writes_run()
def write_study_report(findings: StudyFindings, folder: Path) -> Path:
    """Write ``report.html``, ``findings.json``, tables as CSV, ``methods.txt`` and ``figures/``; returns the page's path.

    Of an earlier report in the same folder nothing stays; files of others do. The same findings give the same bytes.
    """
    drawn = study_figures(findings)
    content = {"kind": findings.kind, "v": SCHEMA, **findings.model_dump(exclude_defaults=True)}
    line = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
    with open_replacing(folder / FINDINGS) as stream:
        stream.write(line.encode("utf-8", "surrogatepass"))
    for name, text in csv_files(findings).items():
        write_text(folder / name, text)
    write_text(folder / "methods.txt", " ".join(findings.methods) + "\n")
    for figure in drawn:
        write_text(folder / "figures" / f"{figure.name}.svg", figure.svg)
        with open_replacing(folder / "figures" / f"{figure.name}.png") as stream:
            stream.write(figure.png)
    page = folder / "report.html"
    write_text(page, render(findings, drawn))
    return page


def read_study_findings(folder: Path) -> StudyFindings:
    """Read the findings of a study, for rendering.

    Raises:
        DataError: there are none, or the report is not what was sealed.
    """
    return open_run(folder).record(FINDINGS, StudyFindings, again="trialogue study report")
