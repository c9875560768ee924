"""Scores as columns: one line of a file, many scores."""

import json
from pathlib import Path
from typing import Any

import pytest

from trialogue.errors import DataError
from trialogue.records import Reason, ReasonCode, Score, ScoreBlock, read_records
from trialogue.records.files.jsonl import parse_line, to_line

GOLDEN = Path(__file__).parent.parent / "golden" / "v5_blocks.jsonl"
EMPTY = Reason.of(ReasonCode.REPLY_EMPTY)


def test_a_golden_line_holds_these_scores() -> None:
    """A dialogue without a value and without a reason has no score: the third measure has one score."""
    of = {"system": "aria"}
    expected = [
        Score(measure="length@words|v1", level="utterance", value=7.0, dialogue_id="d1", utterance=1, **of),
        Score(measure="length@words|v1", level="utterance", value=3.0, dialogue_id="d1", utterance=3, **of),
        Score(measure="length@words|v1", level="utterance", value=5.0, dialogue_id="d2", utterance=1, **of),
        Score(measure="length@words|v1", level="dialogue", value=5.0, dialogue_id="d1", **of),
        Score(measure="length@words|v1", level="dialogue", value=5.0, dialogue_id="d2", **of),
        Score(measure="repetition@self|v1", level="utterance", value=0.0, dialogue_id="d1", utterance=1, **of),
        Score(
            measure="repetition@self|v1", level="utterance", value=None, why=EMPTY, dialogue_id="d1", utterance=3, **of
        ),
        Score(measure="repetition@self|v1", level="utterance", value=1.0, dialogue_id="d2", utterance=1, **of),
        Score(measure="repetition@self|v1", level="dialogue", value=0.0, dialogue_id="d1", **of),
        Score(measure="repetition@self|v1", level="dialogue", value=1.0, dialogue_id="d2", **of),
        Score(measure="turns@user_utterances|v1", level="dialogue", value=2.0, dialogue_id="d1", **of),
    ]
    assert list(read_records(GOLDEN, Score)) == expected


def test_a_block_is_written_as_the_golden_file_has_it() -> None:
    line = GOLDEN.read_text()
    assert to_line(parse_line(line, {ScoreBlock.kind: ScoreBlock})) + "\n" == line


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"replies": [2]}, "2 dialogues have 1 numbers of replies"),
        ({"utterances": [1]}, "there are 3 replies, but 1 utterances"),
        ({"columns": [{"measure": "m", "replies": [1.0]}]}, "m has 1 values for 3 replies"),
        ({"columns": [{"measure": "m", "dialogues": [1.0]}]}, "m has 1 values for 2 dialogues"),
        (
            {"columns": [{"measure": "m", "gaps": [{"why": {"code": "reply_empty"}, "replies": [0]}]}]},
            "m has a gap at a place where it has no column",
        ),
    ],
)
def test_a_block_whose_columns_do_not_fit_is_refused(tmp_path: Path, change: dict[str, Any], what: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(json.loads(GOLDEN.read_text()) | change) + "\n")
    with pytest.raises(DataError, match=what):
        list(read_records(path, Score))
