"""Analyse an export in a separate process beside the server: ``python -m trialogue.study.analysing ROOM``.

The process has low priority, so that participants do not wait for it. Its output is deleted when
it is no longer wanted, because data may have been erased in the meantime. The file names in a preview's folder are
defined here, for the server as well; nothing here needs Django.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

WANTED = "wanted"
"""Exists as long as the preview is wanted; without it, nothing in its folder is shown."""
EXPORTED = "export"
"""Export to analyse; deleted afterwards."""
MAKING = "making"
"""The report while it is written."""
REPORT = "report"
"""The report."""
FAILED = "failed.txt"
"""Why there is no report."""
NICE = 10


def main(room: Path) -> int:
    """The report of ``export`` in a folder; why there is none, in ``failed.txt``."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    command = [
        sys.executable,
        "-m",
        "trialogue",
        "study",
        "report",
        str(room / EXPORTED),
        "--out",
        str(room / MAKING),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    shutil.rmtree(room / EXPORTED, ignore_errors=True)
    if not (room / WANTED).exists():
        shutil.rmtree(room, ignore_errors=True)
    elif ran.returncode:
        (room / FAILED).write_text(ran.stderr.strip()[-2000:], "utf-8")
    else:
        (room / MAKING).rename(room / REPORT)
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
