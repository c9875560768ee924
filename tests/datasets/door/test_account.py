"""Fields of a conversation that no reader understands are named, those that may hold judgements first."""

import json
from pathlib import Path

import pytest

from trialogue.datasets.base import read
from trialogue.errors import Problem, Unread


@pytest.mark.parametrize(
    ("name", "is_flagged"),
    [
        ("annotations", True),
        ("post_survey", True),
        ("humanEvaluations", True),
        ("winner", True),
        ("preferred", True),
        ("annotated_at", False),
        ("survey_link", False),
    ],
)
def test_fields_that_may_hold_judgements_are_flagged(tmp_path: Path, name: str, is_flagged: bool) -> None:
    rows = [{"messages": [{"role": "user", "content": "hi"}], "id": str(i), name: {"x": [f"t{i}"]}} for i in range(3)]
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    notes: list[Problem] = []
    list(read(path, note=notes.append))
    assert [note.may_be_feedback for note in notes if isinstance(note, Unread)] == [is_flagged]
