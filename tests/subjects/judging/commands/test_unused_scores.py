"""Scores given beside dialogues that ``evaluate`` does not show are named in a warning."""

from pathlib import Path

from tests.subjects.judging.commands.test_judge import World
from trialogue.records import write_records
from trialogue.subjects.evaluation.commands.evaluate import evaluate


def test_scores_of_other_measures_are_named_and_others_not(tmp_path: Path) -> None:
    world = World(tmp_path)
    files = world.files()
    run = evaluate(files["dialogues"], files["scores"], files["labels"], metrics=["length"], resamples=50)
    (warning,) = (each for each in run.findings.warnings if "not shown" in each)
    assert warning.startswith("80 imported scores of llm:overall are not shown")
    named = [
        each.model_copy(update={"measure": "judge(tiny, overall, 0123abcd)@stated|v1:overall"}) for each in world.scores
    ]
    write_records(tmp_path / "named.jsonl", [type(each).model_validate(each.model_dump()) for each in named])
    run = evaluate(files["dialogues"], tmp_path / "named.jsonl", files["labels"], metrics=["length"], resamples=50)
    assert not any("not shown" in each for each in run.findings.warnings)
