"""``trialogue train-judge`` from the outside."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.metrics.impressions.test_metric import corpus
from trialogue.cli.app import app
from trialogue.errors import DataError
from trialogue.metrics.impressions.metric import read_impressions
from trialogue.records import write_records

RUN = CliRunner()


def test_a_judge_is_written_and_its_agreement_printed_beside_that_of_length(tmp_path: Path) -> None:
    dialogues, scores = corpus()
    write_records(tmp_path / "labels.jsonl", [*dialogues, *scores])
    out = tmp_path / "judge.json"
    found = RUN.invoke(app, ["train-judge", str(tmp_path / "labels.jsonl"), "--out", str(out), "-q"])
    assert found.exit_code == 0, found.output
    assert "Spearman; length in brackets" in found.stdout
    assert "80 dialogues" in found.stdout
    assert read_impressions(out).origin == "labels.jsonl (80 dialogues)"


def test_without_answers_nothing_is_written(tmp_path: Path) -> None:
    write_records(tmp_path / "talk.jsonl", corpus()[0])
    out = tmp_path / "judge.json"
    with pytest.raises(DataError, match="no reply has a label by a person"):
        RUN.invoke(app, ["train-judge", str(tmp_path / "talk.jsonl"), "-o", str(out), "-q"], catch_exceptions=False)
    assert not out.exists()
