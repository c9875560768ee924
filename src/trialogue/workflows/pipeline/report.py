"""The last step: findings and scores to a folder of files."""

from collections.abc import Sequence
from pathlib import Path

from trialogue.findings import Findings
from trialogue.records import Preference, Score, write_records
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import write_text

OF_AGREEMENT = ("validity.json", "agreement.html", "agreement.json", "agreement.csv")


def report(
    findings: Findings, folder: Path | str, *, scores: Sequence[Score] = (), preferences: Sequence[Preference] = ()
) -> Path:
    """Write scores, votes, findings, manifest, tables, figures and the page; returns the path of ``report.html``.

    What ``trialogue agree`` made of earlier scores in the same folder is removed, since it would be taken for these'.
    """
    from trialogue.report import write_report

    folder = Path(folder)
    write_records(folder / "scores.jsonl", scores)
    if preferences:
        write_records(folder / "preferences.jsonl", preferences)
    else:
        (folder / "preferences.jsonl").unlink(missing_ok=True)  # of an earlier run
    for name in OF_AGREEMENT:
        (folder / name).unlink(missing_ok=True)
    page = write_report(findings, folder)
    write_text(folder / "manifest.json", to_line(findings.manifest) + "\n")
    return page
