"""What is known of scripted participants is held against what the analysis finds."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.study.bots import made
from trialogue.errors import UsageError
from trialogue.findings.standings import Contrast, League, Measure
from trialogue.records import Estimate, Interval, Manifest
from trialogue.subjects.people import StudyFindings
from trialogue.subjects.people.commands.parameter_recovery import compare_with_truth, simulate_and_analyse
from trialogue.subjects.people.records import ModelFindings, ModelPair, RatingFindings

NONE = Estimate(value=None, why="not asked")


def findings(a: str, b: str, odds: tuple[float, float, float], verdict: Any) -> StudyFindings:
    """Findings of one criterion with one pair, of which a is the better one by its mean."""
    value, low, high = odds
    found = Estimate(value=value, interval=Interval(low=low, high=high, method="Wald"))
    measure = Measure(name="human:sense", title="Sense", by="people", better="higher", unit="rating")
    contrast = Contrast(a=a, b=b, difference=NONE, p_adjusted=0.01, verdict=verdict)
    rated = RatingFindings(
        measure="human:sense",
        title="Sense",
        better="higher",
        points=(1, 2),
        systems=(),
        league=League(measure=measure, standings=(), contrasts=(contrast,)),
        model=ModelFindings(
            n=1,
            pairs=(ModelPair(a=a, b=b, odds_ratio=found, p_adjusted=0.01),),
            spreads={},
            fixed=(),
            left_out={},
            log_likelihood=None,
        ),
    )
    manifest = Manifest(command="test", config={}, seed=0, inputs={}, versions={})
    return StudyFindings(title="t", answer=(), ratings=(rated,), manifest=manifest)


def test_odds_become_logits_and_are_held_against_what_is_known() -> None:
    (pair,) = compare_with_truth(findings("x", "y", (2.718281828, 1.0, 7.389056099), "a"), {"x": 1.5, "y": 0.0})
    assert (pair.a, pair.b, pair.verdict, pair.is_covered) == ("x", "y", "right", True)
    assert pair.found == pytest.approx(1)  # ln e
    assert pair.interval == pytest.approx((0, 2))  # ln 1, ln e^2


def test_a_pair_that_is_the_wrong_way_round_is_reported() -> None:
    (pair,) = compare_with_truth(findings("x", "y", (2.718281828, 1.5, 7.389056099), "a"), {"x": 0.0, "y": 1.0})
    assert (pair.a, pair.b, pair.verdict, pair.is_covered) == ("y", "x", "wrong", False)
    assert pair.found == pytest.approx(-1)


def test_a_pair_without_a_finding_is_undefined_and_equal_systems_are_no_pair() -> None:
    said = findings("x", "y", (1.0, 0.5, 2.0), "inconclusive")
    assert [pair.verdict for pair in compare_with_truth(said, {"x": 1.0, "y": 0.0, "z": 0.0})] == [
        "inconclusive",
        "undefined",
    ]
    assert compare_with_truth(said, {"x": 0.0, "y": 0.0}) == ()


def test_a_study_is_walked_exported_and_analysed(tmp_path: Path) -> None:
    folder = made.preference(tmp_path / "study")
    effects = {"fine": 2.5, "poor": -2.5}
    found = simulate_and_analyse(
        folder, tmp_path / "out", workers=4, effects=effects, seed=1, drop_out=0.0, careless=0.25
    )
    assert found.simulated.wrong == []
    assert found.simulated.coverage == {"2": 6}
    assert found.simulated.means["fine"] > 0.5 > found.simulated.means["poor"]
    assert [(pair.a, pair.b, pair.known) for pair in found.pairs] == [("fine", "poor", 5.0)]
    assert found.wrong == []
    assert "These answers come from scripts, not people: a rehearsal." in Path(found.report).read_text("utf-8")
    assert json.loads((tmp_path / "out" / "export" / "study.json").read_text("utf-8"))["simulated"] is True
    assert sorted(path.name for path in folder.iterdir()) == ["items.jsonl", "study.yaml"]


def test_a_folder_with_something_in_it_is_refused_before_anybody_walks(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="new or empty folder"):
        simulate_and_analyse(made.rating(tmp_path), tmp_path, workers=4)
