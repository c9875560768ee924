"""The scores behind the columns of an experiment."""

from pathlib import Path

import pytest

from tests.records.runs.made import reseal
from trialogue.records import Score, ScoreBlock, write_records
from trialogue.records.files.jsonl import parse_line
from trialogue.workflows.experiment.columns import _scores

GOLDEN = Path(__file__).parents[2] / "records" / "golden" / "v5_blocks.jsonl"


@pytest.mark.parametrize("name", ["liked", "Zufrieden: „schön“?", 'a "quoted" \\ name\t', "\N{THUMBS UP SIGN}"])
def test_scores_of_one_measure_are_found_among_others_as_our_writer_writes_them(tmp_path: Path, name: str) -> None:
    scores = [
        Score(measure=measure, level="dialogue", value=value, system="a", dialogue_id=f"d{value}")
        for measure, value in ((name, 1.0), ("another", 2.0), (f"{name} too", 3.0), (name, 4.0))
    ]
    write_records(tmp_path / "scores.jsonl", scores)
    assert list(_scores(reseal(tmp_path), name)) == [scores[0], scores[3]]


def test_scores_are_found_in_blocks(tmp_path: Path) -> None:
    block = parse_line(GOLDEN.read_text("utf-8"), {ScoreBlock.kind: ScoreBlock})
    write_records(tmp_path / "scores.jsonl", [block])
    assert len(list(_scores(reseal(tmp_path), "length@words|v1"))) == 5
