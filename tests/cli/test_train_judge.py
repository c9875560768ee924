"""``trialogue judge train`` from the outside."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.metrics.impressions.test_metric import corpus
from tests.metrics.satisfaction.test_corpora import chinese, corpora, talks
from trialogue.cli.app import app
from trialogue.errors import DataError, UsageError
from trialogue.metrics.impressions.metric import read_impressions
from trialogue.metrics.satisfaction.metric import read_satisfaction
from trialogue.records import write_records

RUN = CliRunner()


def test_a_judge_is_written_and_its_agreement_printed_beside_that_of_length(tmp_path: Path) -> None:
    dialogues, scores = corpus()
    write_records(tmp_path / "labels.jsonl", [*dialogues, *scores])
    out = tmp_path / "judge.json"
    found = RUN.invoke(app, ["judge", "train", str(tmp_path / "labels.jsonl"), "--out", str(out), "-q"])
    assert found.exit_code == 0, found.output
    assert "Spearman; that of length in brackets" in found.stdout
    assert "80 dialogues" in found.stdout
    assert read_impressions(out).origin == "labels.jsonl (80 dialogues)"


def test_without_answers_nothing_is_written(tmp_path: Path) -> None:
    write_records(tmp_path / "talk.jsonl", corpus()[0])
    out = tmp_path / "judge.json"
    with pytest.raises(DataError, match="no reply has a human label"):
        RUN.invoke(app, ["judge", "train", str(tmp_path / "talk.jsonl"), "-o", str(out), "-q"], catch_exceptions=False)
    assert not out.exists()


def test_satisfaction_is_trained_on_several_corpora_and_used(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{place}.jsonl") for place in range(3)]
    for path, own in zip(paths, corpora(), strict=True):
        write_records(Path(path), own)
    out = tmp_path / "satisfaction.json"
    found = RUN.invoke(app, ["judge", "train", *paths, "--satisfaction", "-o", str(out), "-q"])
    assert found.exit_code == 0, found.output
    assert "Agreement with people on each corpus, after training on the others" in found.stdout
    assert "  1.jsonl: 0." in found.stdout
    assert "Language: English. In any other, evaluate leaves this judge out." in found.stdout
    scored = RUN.invoke(app, ["score", paths[0], "--metric", f"satisfaction(model={out})"])
    assert scored.exit_code == 0, scored.output


def test_a_chinese_corpus_in_the_format_of_uss_makes_a_judge_of_chinese(tmp_path: Path) -> None:
    blocks = []
    for each in chinese("jddc", 40):
        lines = [
            f"{said.speaker.upper()}\t{said.text}\tOTHER\t{'3,3' if said.speaker == 'user' else ''}"
            for said in each.utterances
        ]
        blocks.append("\n".join([*lines, f"USER\tOVERALL\tOTHER\t{each.ratings[0].value:.0f},3"]))
    (tmp_path / "JDDC.txt").write_text("\n\n".join(blocks) + "\n", "utf-8")
    out = tmp_path / "satisfaction.json"
    found = RUN.invoke(app, ["judge", "train", str(tmp_path / "JDDC.txt"), "--satisfaction", "-o", str(out), "-q"])
    assert found.exit_code == 0, found.output
    assert "Language: Chinese." in found.stdout
    assert read_satisfaction(out).languages == ("zh",)


def test_what_all_corpora_lack_is_said_at_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_records(tmp_path / f"{name}.jsonl", talks("few", 5, low=1, high=5))
    given = [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]
    found = RUN.invoke(app, ["judge", "train", *given, "--satisfaction", "-o", str(tmp_path / "x.json")])
    assert isinstance(found.exception, DataError)
    assert [each.what[:6] for each in found.exception.problems] == ["a.json", "b.json"]
    twice = RUN.invoke(app, ["judge", "train", given[0], given[0], "--satisfaction"])
    assert isinstance(twice.exception, UsageError)
