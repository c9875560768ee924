"""Comparing two runs, or two files."""

from pathlib import Path

import pytest

from trialogue.errors import DataError, UnknownNameError, UsageError
from trialogue.evaluation import evaluate
from trialogue.evaluation.compare import compare
from trialogue.records import Dialogue, Utterance, write_records

METRICS = ["length@words", "turns@user_utterances", "distinct(n=2)@ratio"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over the bundled conversations of three systems."""
    folder = tmp_path_factory.mktemp("run")
    evaluate("demo", metrics=METRICS, resamples=200).write(folder)
    return folder


def talks(path: Path, system: str, *replies: str) -> Path:
    """A file with one dialogue for each reply."""
    write_records(path, [
        Dialogue(id=f"talk {n}", system=system, utterances=(
            Utterance(speaker="user", text="hello"), Utterance(speaker="system", text=reply)))
        for n, reply in enumerate(replies)
    ])  # fmt: skip
    return path


def test_two_systems_of_one_run_are_compared_by_name(folder: Path) -> None:
    compared = compare(folder, folder, systems=["aria", "chip"], resamples=200)
    assert (compared.comparison.before, compared.comparison.after) == ("aria", "chip")
    assert compared.comparison.light == "worse"  # satisfaction .7 against .2 in the bundled conversations
    assert compared.comparison.answer[0] == "chip is worse than aria on Satisfaction."


def test_a_run_compared_with_itself_shows_no_difference(folder: Path) -> None:
    compared = compare(folder, folder, systems=["bolt"], resamples=200)
    assert compared.comparison.light == "cannot tell"
    assert not compared.comparison.moved


def test_two_files_of_conversations_are_evaluated_first(tmp_path: Path) -> None:
    short = talks(tmp_path / "old.jsonl", "crs", *["try this film"] * 6)
    long = talks(tmp_path / "new.jsonl", "crs", *[f"try this film {'please ' * n}".strip() for n in range(1, 7)])
    compared = compare(short, long, on=["length"], resamples=200)
    assert (compared.comparison.before, compared.comparison.after) == ("old", "new")
    found = {each.measure.partition("|")[0]: each for each in compared.comparison.judgements}
    length = found["length@words"]
    assert length.difference.value == pytest.approx(3.5)  # (1 + ... + 6) / 6 words more
    assert length.decides


def test_what_is_written_is_the_same_for_the_same_runs(folder: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        compare(folder, folder, systems=["aria", "bolt"], resamples=200).write(tmp_path / name)
    for file in ("comparison.json", "moved.csv", "report.html"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert (tmp_path / "one" / "moved.csv").read_text().startswith("measure,unit,before,after\n")


def test_a_run_of_several_systems_needs_a_name(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"holds 3 systems .*--system"):
        compare(folder, folder)


def test_unknown_systems_and_measures_are_named_with_the_nearest(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'chip'"):
        compare(folder, folder, systems=["chipp"])
    with pytest.raises(UnknownNameError, match="measure that both runs hold"):
        compare(folder, folder, systems=["chip"], on=["lenth"])


def test_a_margin_needs_a_measure(folder: Path) -> None:
    with pytest.raises(UsageError, match="margin"):
        compare(folder, folder, systems=["chip"], margin=0.1)


@pytest.mark.parametrize("margin", [float("nan"), float("inf"), -1.0])
def test_a_margin_is_a_number(folder: Path, margin: float) -> None:
    with pytest.raises(UsageError, match="at least 0"):
        compare(folder, folder, systems=["aria", "bolt"], on=["human:satisfaction"], margin=margin)


def test_versions_with_points_in_their_names_keep_them(tmp_path: Path) -> None:
    for version in ("v1.0", "v1.1"):
        run = evaluate(
            talks(tmp_path / f"{version}.jsonl", "crs", *["try this"] * 3), metrics=["length"], resamples=100
        )
        run.write(tmp_path / version)
    for ending in ("", ".jsonl"):
        given = [tmp_path / f"v1.0{ending}", tmp_path / f"v1.1{ending}"]
        found = compare(*given, resamples=100).comparison
        assert (found.before, found.after) == ("v1.0", "v1.1")


def test_a_text_too_long_for_a_path_names_nothing(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match="no file or corpus"):
        compare("x" * 5_000, folder)


def test_a_run_whose_scores_are_empty_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "findings.json").write_bytes((folder / "findings.json").read_bytes())
    (tmp_path / "scores.jsonl").touch()
    with pytest.raises(DataError, match="no score in it"):
        compare(tmp_path, folder)


def test_a_run_without_its_scores_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "findings.json").write_bytes((folder / "findings.json").read_bytes())
    with pytest.raises(DataError, match=r"no scores beside the findings"):
        compare(tmp_path, folder, systems=["chip"])


def test_of_an_experiment_the_stages_are_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "findings.json").write_bytes((folder / "findings.json").read_bytes())
    (tmp_path / "stages" / "measure-people-1").mkdir(parents=True)
    with pytest.raises(DataError, match=r"experiment; compare what one of its stages measured: .*measure-people-1"):
        compare(tmp_path, folder)


def test_runs_without_a_measure_in_common_are_refused(folder: Path, tmp_path: Path) -> None:
    file = talks(tmp_path / "a.jsonl", "crs", "one", "two")
    for name, metric in (("one", "length@words"), ("two", "length@characters")):
        evaluate(str(file), metrics=[metric], resamples=200).write(tmp_path / name)
    with pytest.raises(DataError, match="no measure in common"):
        compare(tmp_path / "one", tmp_path / "two")
