"""Analyse an export beside the server: ``python -m trialogue.study.analysing ROOM``.

A process of its own, of low priority, so that people who answer meanwhile do not wait for it. What it made is deleted when
it is no longer wanted: somebody may have been erased in the meantime.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from trialogue.study import preview_files as files

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
        str(room / files.EXPORT),
        "--out",
        str(room / files.MAKING),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    shutil.rmtree(room / files.EXPORT, ignore_errors=True)
    if not (room / files.WANTED).exists():
        shutil.rmtree(room, ignore_errors=True)
    elif ran.returncode:
        (room / files.FAILED).write_text(ran.stderr.strip()[-2000:], "utf-8")
    else:
        (room / files.MAKING).rename(room / files.REPORT)
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
