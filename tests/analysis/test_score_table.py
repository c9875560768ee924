"""Scores of replies and dialogues as a Parquet table: the same scores as lines, read back by every command."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import trialogue
from trialogue import DataError, Run
from trialogue.analysis.saved_results import SCORE_TABLE, SCORES, read_run
from trialogue.cli.app import app
from trialogue.errors import MissingExtraError
from trialogue.records import Reason, ReasonCode, Score
from trialogue.records.files.score_parquet import ROWS, read_score_table, require_parquet, write_score_table

parquet: Any = pytest.importorskip("pyarrow.parquet", reason="needs the extra 'parquet'")


@pytest.fixture(scope="module")
def run() -> Run:
    return trialogue.evaluate("demo", resamples=100)


@pytest.fixture(scope="module")
def folders(run: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """As lines, and as a table."""
    lines, table = tmp_path_factory.mktemp("lines"), tmp_path_factory.mktemp("table")
    run.write(lines)
    run.write(table, parquet=True)
    return lines, table


def test_a_run_with_a_table_is_read_back_as_the_same_scores(folders: tuple[Path, Path]) -> None:
    lines, table = (read_run(folder) for folder in folders)
    assert len(lines.scores) > 500
    assert list(table.scores) == list(lines.scores)
    assert any(score.why is not None for score in table.scores)
    assert table.findings == lines.findings
    assert set(table.inputs) == {*lines.inputs, SCORE_TABLE}
    levels = {score.level for score in trialogue.records.read_records(folders[1] / SCORES, Score)}
    assert not levels & {"utterance", "response"}


def test_agree_and_compare_find_the_same_in_both(folders: tuple[Path, Path]) -> None:
    lines, table = (trialogue.agree(folder, resamples=100) for folder in folders)
    of_files: Any = {
        "title": True,
        "manifest": True,
        "validity": {"__all__": {"source"}},
    }  # name folders and files, or their sum
    assert table.model_dump(exclude=of_files) == lines.model_dump(exclude=of_files)
    found = [
        trialogue.compare(folder, folder, systems=["chip", "aria"], resamples=100).comparison for folder in folders
    ]
    assert found[0].judgements == found[1].judgements


def test_a_table_is_the_same_bytes_again_and_gone_when_lines_are_written(run: Run, tmp_path: Path) -> None:
    run.write(tmp_path, parquet=True)
    before = (tmp_path / SCORE_TABLE).read_bytes()
    run.write(tmp_path, parquet=True)
    assert (tmp_path / SCORE_TABLE).read_bytes() == before
    run.write(tmp_path)
    assert not (tmp_path / SCORE_TABLE).exists()


def test_more_rows_than_are_written_at_a_time_keep_their_order_and_all_that_they_say(tmp_path: Path) -> None:
    measure = "length@words|v1"
    whole = Score(measure=measure, level="response", value=0.1, system="ä", situation_id="s", dialogue_id="d")
    missing = Score(
        measure=measure,
        level="utterance",
        value=None,
        why=Reason.of(ReasonCode.TOO_FEW_RATERS, raters=3),
        system="ä",
        dialogue_id="d",
        utterance=7,
    )
    scores = [whole, missing] * (ROWS // 2 + 3)
    path = tmp_path / "scores.parquet"
    assert write_score_table(path, scores) == len(scores)
    assert list(read_score_table(path)) == scores
    assert parquet.read_table(path).num_rows == len(scores)
    assert path.stat().st_size < 20_000  # 65,542 rows that repeat themselves


def test_what_is_no_table_of_scores_is_refused_with_its_name(tmp_path: Path) -> None:
    import pyarrow

    path = tmp_path / "scores.parquet"
    path.write_bytes(b"PAR1 and nothing")
    with pytest.raises(DataError, match=r"scores\.parquet.*damaged"):
        list(read_score_table(path))
    parquet.write_table(pyarrow.table({"measure": ["m"]}), path)
    with pytest.raises(DataError, match="not a table of scores: it lacks level, system"):
        list(read_score_table(path))


def test_without_pyarrow_the_command_says_what_to_install_before_it_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib

    real = importlib.import_module

    def without(name: str, package: str | None = None) -> Any:
        if name.startswith("pyarrow"):
            raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'trialogue\[parquet\]'"):
        require_parquet()
    result = CliRunner().invoke(app, ["evaluate", "demo", "--set", "scores=parquet", "--out", str(tmp_path / "out")])
    assert result.exit_code != 0
    assert not (tmp_path / "out").exists()


def test_the_command_writes_the_table(tmp_path: Path) -> None:
    out = tmp_path / "out"
    given = [
        "evaluate",
        "demo",
        "-m",
        "length",
        "--set",
        "resamples=100",
        "--set",
        "scores=parquet",
        "--out",
        str(out),
        "-q",
    ]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 0, result.output
    assert (out / SCORE_TABLE).is_file()
    assert len(read_run(out).scores) > 20
