"""How much of the house a dialogue passes on its way from a file to a report."""

import json
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import trialogue

HOUSE = Path(trialogue.__file__).parent
MOST = 229  # files of Python; the goal of the plan is 90, as it was before documents and the audit of the sample


def conversations(folder: Path) -> Path:
    """Twelve rated dialogues with each of two systems."""
    rows = [
        {
            "id": f"{system}{place}",
            "system": system,
            "user": f"u{place}",
            "utterances": [
                {"speaker": "user", "text": "What shall I watch?"},
                {"speaker": "system", "text": f"Watch film {place} of {system}."},
            ],
            "ratings": [{"name": "liked", "value": 1 + place % 5, "low": 1, "high": 5, "rater": "user"}],
        }
        for system in ("a", "b")
        for place in range(12)
    ]
    file = folder / "dialogues.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return file


def test_the_way_from_a_file_to_a_report_runs_through_no_more_files_than_it_did(tmp_path: Path) -> None:
    file = conversations(tmp_path)
    trialogue.evaluate(file, resamples=100).write(tmp_path / "first")  # imports and caches
    passed: Counter[str] = Counter()

    def watch(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.endswith(".py"):
            passed[code.co_filename] += 1

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        trialogue.evaluate(file, resamples=100).write(tmp_path / "second")
    finally:
        sys.setprofile(before)
    files = {Path(name) for name in passed if Path(name).is_relative_to(HOUSE)}
    folders = {path.parent for path in files}
    assert len(files) <= MOST, f"{len(files)} files in {len(folders)} folders"
