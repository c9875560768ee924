"""Systems that answered different situations are compared on those that both answered."""

from pathlib import Path

from tests.demo_records import demo_responses, demo_situations
from tests.workflows.made import offline, written
from trialogue.records import Reason, ReasonCode, Record, Response
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.commands.evaluate import evaluate

METRICS = ["token_f1", "distinct(n=1)@ratio"]
FEW = 4


def replies(records: list[Record]) -> list[Record]:
    """Situations, "echo", who says nothing of worth in the first four, and "same", who says these four word for word."""
    found: list[Record] = []
    for one in records:
        if not isinstance(one, Response):
            found.append(one)
        elif one.system == "mute" and int(one.situation_id[1:]) < FEW:
            found += [one.model_copy(update={"system": name}) for name in ("echo", "same")]
        elif one.system == "echo" and int(one.situation_id[1:]) >= FEW:
            found.append(one)
    return found


def test_a_system_does_not_beat_its_own_replies_because_it_answered_more(tmp_path: Path) -> None:
    run = evaluate(written(tmp_path / "all.jsonl", replies(offline())), metrics=METRICS, resamples=200)
    for name in ("token_f1", "distinct(n=1)@ratio|v1"):
        league = run.league(name)
        (contrast,) = league.contrasts
        assert contrast.difference.value == 0
        assert contrast.verdict == "inconclusive"
    values = {one.system: one.estimate.n for one in run.league("token_f1").standings}
    assert values == {"echo": 12, "same": FEW}  # each system's own value is of all that it answered
    assert any("same answered 4 of the 12 situations" in warning for warning in run.findings.warnings)
    (difference,) = (one for one in run.scores if one.level == "difference" and one.measure.startswith("token_f1"))
    assert str(difference.signature).endswith("|situations:shared")


def test_systems_with_nothing_in_common_are_not_compared(tmp_path: Path) -> None:
    records = [
        one
        for one in offline()
        if not isinstance(one, Response) or (one.system == "echo") == (int(one.situation_id[1:]) < FEW)
    ]
    run = evaluate(written(tmp_path / "all.jsonl", records), metrics=METRICS[:1], resamples=200)
    (contrast,) = run.league("token_f1").contrasts
    assert (contrast.difference.value, contrast.verdict) == (None, "undefined")
    assert contrast.difference.why == Reason.of(ReasonCode.NOTHING_SHARED)


def test_a_system_that_answered_few_situations_is_not_held_against_baselines(tmp_path: Path) -> None:
    situations = list(demo_situations())
    chosen = {one.id for one in situations[:20]}
    said = [one for one in demo_responses() if one.system == "bolt" or one.situation_id in chosen]
    run = evaluate(
        written(tmp_path / "all.jsonl", [*situations, *said]), metrics=["behavior_alignment@summed"], resamples=200
    )
    league = run.league("behavior_alignment@summed|v1")
    assert {one.a: one.verdict for one in league.above_baseline}["aria"] == "undefined"
    assert {one.a: one.verdict for one in league.above_baseline}["bolt"] != "undefined"


def test_a_version_that_answered_fewer_situations_is_compared_on_those(tmp_path: Path) -> None:
    records = replies(offline())
    whole = written(tmp_path / "v1.jsonl", [one for one in records if getattr(one, "system", "echo") != "same"])
    part = written(tmp_path / "v2.jsonl", [one for one in records if getattr(one, "system", "same") != "echo"])
    for file, run in ((whole, "one"), (part, "two")):
        evaluate(file, metrics=METRICS[:1], resamples=200).write(tmp_path / run)
    found = compare(tmp_path / "one", tmp_path / "two", resamples=200).comparison
    (judged,) = found.judgements
    assert (judged.difference.value, found.light) == (0, "no verdict")
    assert any("in the 4 situations that both answered: echo answered 12, same 4" in note for note in found.notes)
