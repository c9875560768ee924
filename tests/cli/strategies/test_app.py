"""Strategies and alignment on the command line."""

from pathlib import Path

from tests.cli.words import process, trialogue
from trialogue.records import Dialogue, read_records


def test_the_thirteen_strategies_are_explained() -> None:
    listing = trialogue("list", "strategies").stdout.splitlines()
    assert len(listing) == 14  # and no_strategy
    assert "for example:" in trialogue("list", "strategies", "credibility").stdout
    assert "Did you mean 'credibility'" in trialogue("list", "strategies", "credibilty").stderr


def test_systems_are_aligned_beside_the_baselines(tmp_path: Path) -> None:
    done = trialogue("align", "--situations", "demo", "--set", "resamples=200", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert "Behavior Alignment" in done.stdout
    assert "random-human" in done.stdout


def test_alignment_without_responses_says_what_is_missing(tmp_path: Path) -> None:
    from tests.demo_records import demo_situations
    from trialogue.records import write_records

    write_records(tmp_path / "s.jsonl", demo_situations())
    done = process("align", "--situations", tmp_path / "s.jsonl", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "contains no conversations, responses or answers" in done.stderr


def test_alignment_without_references_says_what_is_missing(tmp_path: Path) -> None:
    from tests.demo_records import demo_responses, demo_situations
    from trialogue.records import write_records

    bare = [situation.model_copy(update={"reference": None}) for situation in demo_situations()]
    write_records(tmp_path / "s.jsonl", [*bare, *demo_responses()])
    done = trialogue("align", "--situations", tmp_path / "s.jsonl", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "has a reference" in done.stderr


def test_labels_are_written_with_their_origin(tmp_path: Path) -> None:
    done = trialogue("strategies", "label", "demo", tmp_path / "labelled.jsonl")
    assert done.returncode == 0, done.stderr
    from trialogue.datasets.formats.trialogue_jsonl import TYPES

    dialogues = [each for each in read_records(tmp_path / "labelled.jsonl", *TYPES) if isinstance(each, Dialogue)]
    said = [utterance for utterance in dialogues[0].utterances if utterance.speaker == "system"]
    assert all(utterance.strategies and utterance.strategies[0].origin.startswith("tfidf|") for utterance in said)
