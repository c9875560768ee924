"""A classifier of pairs beside beliefs over strategies: the paper's way, with and without the prior corrected."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.demo_records import demo_responses, demo_situations
from trialogue.cli.app import app
from trialogue.errors import DataError
from trialogue.fingerprints import fingerprints_of
from trialogue.metrics import Settings
from trialogue.records import Response, read_records, write_records
from trialogue.strategies.base import Floats
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.pairs.crossencoder import PARTS, CrossEncoder
from trialogue.subjects.alignment.commands.align import PAIRED, align
from trialogue.subjects.alignment.commands.write_labels import write_labels
from trialogue.workflows.score import score


class Always:
    """Thinks that a pair shares a strategy with a probability of .6."""

    origin = "always|1"
    fingerprints: frozenset[str] | None = None

    def same_probability(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        return np.full(len(left), 0.6)


def test_systems_are_also_judged_by_pair_and_the_naive_count_is_called_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(CrossEncoder, "load", lambda _folder: Always())
    run = align(["demo"], [], pair_model=str(tmp_path), resamples=100)
    naive = run.league("implicit_alignment(by=pair)@thresholded|v1")
    values = {each.system: each.estimate.value for each in naive.standings}
    assert len(values) == 3
    assert all("with every other one" in str(baseline.estimate.why) for baseline in naive.baselines)
    assert set(values.values()) == {1.0}  # every pair has more than one half
    corrected = run.league("implicit_alignment(by=pair)@emq|v1")
    assert "labels:always|1" in (corrected.measure.signature or "")
    assert any("by=pair)@thresholded is not corrected" in line for line in run.findings.warnings)


def test_a_classifier_that_was_trained_on_the_references_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    judge = Always()
    judge.fingerprints = fingerprints_of(one.reference.text for one in demo_situations() if one.reference is not None)
    monkeypatch.setattr(CrossEncoder, "load", lambda _folder: judge)
    run = align(["demo"], [], pair_model=str(tmp_path), baselines=False, resamples=100)
    assert run.findings.warnings[0].startswith("the pair classifier was trained on 63 of 63 ")
    assert "has memorised the references" in run.findings.warnings[0]
    assert any(line.startswith("Nothing calibrates always|1: ") for line in run.findings.warnings)


class Judge(Always):
    """Thinks that first words in common are a sign, so that values and intervals are no round numbers."""

    origin = "judge|1"

    def same_probability(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        alike = [one.split()[0].lower() == other.split()[0].lower() for one, other in zip(left, right, strict=True)]
        return np.where(alike, 0.8, 0.3)


def test_beliefs_are_written_onto_replies_and_anybody_computes_the_same_estimates_from_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(CrossEncoder, "load", lambda _folder: Judge())
    (tmp_path / PARTS).write_text("{}", "utf-8")
    situations, replies, labelled = (tmp_path / f"{name}.jsonl" for name in ("s", "r", "r.labelled"))
    write_records(situations, demo_situations())
    write_records(replies, demo_responses())
    words = ("strategies", "label", replies, "--situations", situations, "--set", f"pair_model={tmp_path}")
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output
    assert f"{labelled}: 189 records, 189 of 189 responses with pair probabilities" in done.stdout
    beliefs = [one.utterance.same_as_reference for one in read_records(labelled, Response)]
    assert {None if one is None else (one.origin, one.probability) for one in beliefs} == {
        ("judge|1", 0.8),
        ("judge|1", 0.3),
    }
    run = align([situations], [replies], pair_model=str(tmp_path), baselines=False, metrics=PAIRED, resamples=100)
    settings = Settings(resamples=100, permutations=100)
    again = {
        (one.measure, one.system, one.versus): one
        for one in score(situations, labelled, metrics=PAIRED, settings=settings)
    }
    expected = [one for one in run.scores if one.level in ("system", "difference")]
    assert len(expected) == 2 * 6  # two measures of three systems and three pairs
    for one in expected:
        found = again[one.measure, one.system, one.versus]
        assert (found.value, found.interval, found.p) == (one.value, one.interval, one.p)


def test_a_classifier_of_pairs_that_has_nothing_to_read_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    write_records(path, demo_responses())
    with pytest.raises(DataError, match=r"none of 189 responses has a reference.*--situations"):
        write_labels(str(path), tmp_path / "out.jsonl", default_model(), classifier=Always())
    assert not (tmp_path / "out.jsonl").exists()
    half = demo_situations()[:30]
    write_records(tmp_path / "s.jsonl", half)
    with pytest.warns(
        UserWarning, match="99 of 189 responses have no pair probability"
    ):  # 189 less three systems in 30 situations
        write_labels(
            str(path), tmp_path / "o", default_model(), situations=[str(tmp_path / "s.jsonl")], classifier=Always()
        )


def test_a_folder_without_a_classifier_of_pairs_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no cross-encoder here"):
        align(["demo"], [], pair_model=str(tmp_path))
