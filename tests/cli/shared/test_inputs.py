"""Anything missing is reported at once, and before the work."""

from pathlib import Path

import pytest

from tests.cli.test_strategy_commands import run
from trialogue.cli.shared.inputs import check_inputs
from trialogue.errors import UsageError
from trialogue.strategies.models import FILE
from trialogue.strategies.pairs.crossencoder import PARTS


def test_everything_that_is_missing_is_reported_at_once(tmp_path: Path) -> None:
    found = run(
        "align", "-s", "no_situations.jsonl", "no_replies.jsonl", "x=neither.jsonl", "--model", tmp_path,
        "--labels", tmp_path / "no_labels.jsonl", "--set", f"names={tmp_path / 'no_names.yaml'}",
        "--out", tmp_path / "out", "--set", f"pair_model={tmp_path / 'no_pairs'}",
    )  # fmt: skip
    assert isinstance(found.exception, UsageError)
    said = str(found.exception).splitlines()
    assert len(said) == 7
    for name in (
        "no_situations.jsonl",
        "no_replies.jsonl",
        "neither.jsonl",
        "no_labels",
        "no_names",
        "no model here",
        "no_pairs",
    ):
        assert sum(name in line for line in said) == 1, name
    assert "reading" not in found.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("strategies", "label", "nothing.jsonl", "--model", "nowhere"),
        ("strategies", "label", "nothing.jsonl", "--model", "nowhere", "--coverage"),
        ("strategies", "next", "nothing.jsonl", "--model", "nowhere"),
        ("strategies", "evaluate", "nowhere", "--data", "nothing.jsonl"),
        ("strategies", "train", "--data", "nothing.jsonl", "--data", "nowhere", "--out", "m"),
        (
            "strategies",
            "train",
            "--data",
            "nothing.jsonl",
            "--set",
            "names=nowhere",
            "--out",
            "p.csv",
            "--model",
            "pairs",
        ),
        ("reproduce", "behavior-alignment", "--pairs", "nothing.jsonl", "--predictions", "nowhere"),
    ],
)
def test_so_it_is_with_every_command(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = run(*words)
    assert isinstance(found.exception, UsageError), found.output
    assert "nothing.jsonl" in str(found.exception)
    assert "nowhere" in str(found.exception)


def test_a_classifier_of_pairs_is_not_taken_for_a_broken_model(tmp_path: Path) -> None:
    (tmp_path / PARTS).write_text("{}", "utf-8")
    with pytest.raises(UsageError, match="this is a pair classifier"):
        check_inputs(["demo"], model=str(tmp_path))
    check_inputs(["demo"], pair_model=str(tmp_path))


def test_a_folder_without_a_classifier_of_pairs_is_refused_with_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no pair classifier here \(no crossencoder.json\).*--model cross-encoder"):
        check_inputs(["demo"], pair_model=str(tmp_path))
    (tmp_path / FILE).write_text("{}", "utf-8")
    with pytest.raises(UsageError, match="this model labels sentences and belongs to --model"):
        check_inputs(["demo"], pair_model=str(tmp_path))


def test_a_name_that_no_file_can_have_is_of_nothing_that_is_there() -> None:
    long = "x" * 5_000
    with pytest.raises(UsageError) as refused:
        check_inputs([long], model=long, pair_model=long, files=[Path(long)])
    assert len(str(refused.value).splitlines()) == 4
