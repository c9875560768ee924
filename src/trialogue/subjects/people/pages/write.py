"""Write a study's findings to report files, and read them back."""

import json
from pathlib import Path

from trialogue.records.base import SCHEMA
from trialogue.records.files.opening import open_replacing, write_text
from trialogue.records.runs import open_run, writes_run
from trialogue.render.media.files import write_rendered
from trialogue.subjects.people.pages.document import METHODS, study_document
from trialogue.subjects.people.records import StudyFindings

FINDINGS = "findings.json"


@writes_run()
def write_study_report(findings: StudyFindings, folder: Path) -> Path:
    """Write ``report.html``, ``findings.json``, tables as CSV, ``methods.txt`` and ``figures/``; returns the page's path.

    Of an earlier report in the same folder nothing stays; files of others do. The same findings give the same bytes.
    """
    document = study_document(findings)
    content = {"kind": findings.kind, "v": SCHEMA, **findings.model_dump(exclude_defaults=True)}
    line = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
    with open_replacing(folder / FINDINGS) as stream:
        stream.write(line.encode("utf-8", "surrogatepass"))
    write_text(folder / METHODS, " ".join(findings.methods) + "\n")
    return write_rendered(document, folder)


def read_study_findings(folder: Path) -> StudyFindings:
    """Read the findings of a study, for rendering.

    Raises:
        DataError: there are none, or the report is not what was sealed.
    """
    return open_run(folder).record(FINDINGS, StudyFindings, again="trialogue study report")
