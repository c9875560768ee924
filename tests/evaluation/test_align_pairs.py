"""A classifier of pairs beside beliefs over strategies: the paper's way, with and without the prior corrected."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from trialogue.datasets.demo import demo_situations
from trialogue.errors import DataError
from trialogue.evaluation.align import align
from trialogue.strategies.base import Floats
from trialogue.strategies.crossencoder import CrossEncoder
from trialogue.strategies.seen import hashes_of


class Always:
    """Thinks that a pair shares a strategy with a probability of .6."""

    origin = "always|1"
    seen: frozenset[str] | None = None

    def same(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        return np.full(len(left), 0.6)


def test_systems_and_floors_are_also_judged_by_pair_and_the_naive_count_is_called_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(CrossEncoder, "load", lambda _folder: Always())
    run = align(["demo"], [], pair_model=str(tmp_path), resamples=100)
    naive = run.league("implicit_alignment(by=pair)@thresholded|v1")
    values = {each.system: each.estimate.value for each in naive.standings}
    assert values.pop("floor:majority") is None  # has strategies and no words
    assert len(values) == 5
    assert set(values.values()) == {1.0}  # every pair has more than one half
    corrected = run.league("implicit_alignment(by=pair)@emq|v1")
    assert "labels:always|1" in (corrected.measure.signature or "")
    assert any("by=pair)@thresholded is naive" in line for line in run.findings.warnings)


def test_a_classifier_that_was_trained_on_the_references_is_told_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    judge = Always()
    judge.seen = hashes_of(one.reference.text for one in demo_situations() if one.reference is not None)
    monkeypatch.setattr(CrossEncoder, "load", lambda _folder: judge)
    run = align(["demo"], [], pair_model=str(tmp_path), floors=False, resamples=100)
    assert run.findings.warnings[0].startswith("the classifier of pairs was trained on 63 of 63 ")
    assert "knows the references by heart" in run.findings.warnings[0]
    assert any(line.startswith("Nothing calibrates always|1: ") for line in run.findings.warnings)


def test_a_folder_without_a_classifier_of_pairs_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no cross-encoder here"):
        align(["demo"], [], pair_model=str(tmp_path))
