"""The error of the calibration is in the intervals of implicit alignment wherever it is measured, or a sentence says not."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.demo_records import demo_responses, demo_situations
from trialogue.cli.app import app
from trialogue.findings.calibration_notes import calibration_warnings
from trialogue.metrics import Settings
from trialogue.records import Reason, ReasonCode, Score, write_records
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.models import Model, save_model
from trialogue.subjects.alignment.commands.align import align
from trialogue.subjects.alignment.commands.result import AlignmentRun
from trialogue.subjects.alignment.commands.write_labels import write_labels
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.workflows.score import score

MEASURE = "implicit_alignment"


def without_error(model: Model) -> Model:
    calibration = model.card.calibration.model_copy(update={"matching_error": None})
    return Model(model.raw, model.card.model_copy(update={"calibration": calibration}))


def labelled(path: Path, model: Model) -> Path:
    unlabelled = path.with_name("unlabelled.jsonl")
    write_records(unlabelled, [*demo_situations(), *demo_responses()])
    write_labels(str(unlabelled), path, model)
    return path


def messages(scores: Sequence[Score]) -> dict[tuple[str | None, str | None], Score]:
    """Scores of systems and differences, without what depends on where the data lay."""
    return {
        (one.system, one.versus): one.model_copy(update={"signature": None, "p_adjusted": None})
        for one in scores
        if one.measure.startswith(MEASURE) and one.level in ("system", "difference")
    }


@pytest.fixture(scope="module")
def run() -> AlignmentRun:
    return align(["demo"], [], metrics=[MEASURE], resamples=100, baselines=False)


def test_align_evaluate_and_score_give_the_same_intervals_and_differences(run: AlignmentRun, tmp_path: Path) -> None:
    path = labelled(tmp_path / "labelled.jsonl", default_model())
    expected = messages(run.scores)
    assert len(expected) == 6  # three systems, three pairs
    assert messages(evaluate(path, metrics=[MEASURE], resamples=100, baselines=False).scores) == expected
    settings = Settings(resamples=100, permutations=100)
    assert messages(score(path, metrics=[MEASURE], settings=settings)) == expected
    for one in expected.values():
        assert one.interval is not None
        assert one.interval.method.endswith("including the error of the calibration")


def test_scores_standings_contrasts_and_signature_say_the_same(run: AlignmentRun) -> None:
    league = run.league(MEASURE)
    scores = {
        (one.system, one.versus): one.interval
        for one in run.scores
        if one.measure == league.measure.name and one.level in ("system", "difference")
    }
    assert {(each.system, None): each.estimate.interval for each in league.standings} | {
        (each.a, each.b): each.difference.interval for each in league.contrasts
    } == scores
    assert league.measure.signature is not None
    assert league.measure.signature.endswith("|interval:calibration")
    assert f"labels:{default_model().origin}|first|" in league.measure.signature


def test_a_model_that_does_not_know_its_error_gives_narrower_intervals_and_a_warning(
    run: AlignmentRun, tmp_path: Path
) -> None:
    save_model(without_error(default_model()), tmp_path / "old")
    old = align(["demo"], [], metrics=[MEASURE], resamples=100, model=str(tmp_path / "old"), baselines=False)
    assert any("calibration error of" in line and "do not include it" in line for line in old.findings.warnings)
    assert not any("calibration error" in line for line in run.findings.warnings)
    before, wider = messages(old.scores), 0
    for key, now in messages(run.scores).items():
        then = before[key]
        assert now.value == then.value
        assert now.interval is not None
        assert then.interval is not None
        assert now.interval.low <= then.interval.low
        assert now.interval.high >= then.interval.high
        wider += now.interval.low < then.interval.low or now.interval.high > then.interval.high
        assert (now.p is None) == (then.p is None)
        assert now.p is None or then.p is None or now.p >= then.p
    assert wider >= 4
    assert (old.league(MEASURE).measure.signature or "").endswith("|interval:without calibration")


def test_score_says_on_a_line_of_its_own_that_the_error_is_left_out(tmp_path: Path) -> None:
    path = labelled(tmp_path / "old.jsonl", without_error(default_model()))
    found = CliRunner().invoke(app, ["score", str(path), "-m", MEASURE, "--set", "resamples=100"])
    assert found.exit_code == 0
    sentence = "is unknown, so intervals, differences and p-values of implicit alignment do not include it"
    assert found.stderr.count(sentence) == 1
    assert "label again" in found.stderr
    assert len(found.stdout.splitlines()) == 6


def test_one_sentence_is_said_for_each_model_and_none_for_other_reasons() -> None:
    def unknown(model: str) -> Reason:
        return Reason.of(ReasonCode.CALIBRATION_ERROR_UNKNOWN, model=model)

    scores = [
        Score(measure="m", level="system", value=0.5, why=unknown(model), system=model)
        for model in ("one, with a comma|1", "two|1", "one, with a comma|1")
    ]
    others = [
        Score(measure="m", level="difference", value=0.5, why=unknown("three"), system="a", versus="b"),
        Score(measure="m", level="system", value=None, why=Reason.of(ReasonCode.NOTHING_TO_MEASURE), system="c"),
    ]
    found = calibration_warnings([*scores, *others])
    assert [line.partition("calibration error of ")[2].partition(" is unknown")[0] for line in found] == [
        "one, with a comma|1",
        "two|1",
    ]
    assert calibration_warnings(others) == []
