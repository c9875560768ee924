"""What a dry run says an experiment will take, and what it does not know."""

from pathlib import Path
from typing import Any

import pytest

from trialogue.agents import Workload
from trialogue.llm.usage import Usage
from trialogue.simulation.batch.batch import Progress
from trialogue.simulation.batch.simulation_file import SimulationFile, study_of
from trialogue.workflows.experiment import experiment_of, plan_steps, plan_text
from trialogue.workflows.experiment.estimate.agents import AgentEstimate, agent_estimates
from trialogue.workflows.experiment.estimate.pace import (
    FILE,
    AgentDuration,
    Mean,
    StageDuration,
    TimeByAgent,
    append_measurements,
    read_measurements,
    summarise_dialogues,
)
from trialogue.workflows.experiment.estimate.ranges import Range
from trialogue.workflows.experiment.estimate.rates import DIALOGUE_S, FASTER, KILOBYTES, SETUP_S, SLOWER, STAGES
from trialogue.workflows.experiment.estimate.total import StageEstimate
from trialogue.workflows.experiment.simulating import setting_of

MODEL = {"agent": "http://localhost:8000/v1", "protocol": "llm", "model": "some", "max_tokens": 200}
PRICED = {**MODEL, "price": {"prompt_per_million": 2, "completion_per_million": 8, "currency": "EUR"}}


def study(agent: Any, **more: Any) -> SimulationFile:
    return study_of({"agents": {"mine": agent}, "users": ["cir6-pkg"], "n": 10, "max_turns": 5, **more})


def took(given: SimulationFile, **more: Any) -> AgentDuration:
    """Four dialogues, asked 3 times each on the mean, which took 60 seconds."""
    fields: dict[str, Any] = {"agent": "mine", "spec": given.agents["mine"], "setting": setting_of(given), "held": 4}
    fields |= {"seconds": 60.0, "at_once": 1, "dialogues": 4, "asked": Mean(value=3, error=0.5), "kilobytes": 2.0}
    return AgentDuration(**{**fields, **more})


def estimate(given: SimulationFile, *before: AgentDuration) -> AgentEstimate:
    (found,) = agent_estimates(given, {"mine": given.n}, before)
    return found


def test_the_time_of_an_agent_that_nobody_measured_is_unknown_and_not_nothing() -> None:
    found = estimate(study(MODEL))
    assert found.seconds is None
    assert "no earlier run" in found.why
    assert found.asked == Range(10, 50)  # every dialogue once, or up to 5 turns of 10 dialogues
    assert found.prompt_tokens is None
    assert found.completion_tokens == Range(0, 10_000)  # 50 answers of at most 200 tokens
    assert found.cost is None
    assert any("price is not given" in note for note in found.notes)


def test_a_recommender_of_ours_is_estimated_at_the_rates_of_a_benchmark() -> None:
    found = estimate(study("reference:guided"))
    assert found.seconds == pytest.approx(
        (10 * DIALOGUE_S[Workload.RANKS_ITEMS] * FASTER, 10 * DIALOGUE_S[Workload.RANKS_ITEMS] * SLOWER)
    )
    assert not found.measured


def test_reference_rates_are_not_used_for_another_catalogue(tmp_path: Path) -> None:
    (tmp_path / "books.jsonl").write_text('{"id": "1", "title": "Emma"}\n', encoding="utf-8")
    found = estimate(study("reference:guided", catalogue=str(tmp_path / "books.jsonl")))
    assert found.seconds is None
    assert "bundled films" in found.why


def test_what_an_earlier_run_measured_goes_before() -> None:
    given = study(MODEL)
    found = estimate(given, took(given, seconds=6_000.0), took(given))
    # the last counts: 60 s for 4 dialogues, 15 s each; of them the set-up may have taken SETUP_S; 0.7 to 1.5 times
    assert found.seconds == pytest.approx(((60 - SETUP_S) / 4 * 10 * 0.7, 15 * 10 * 1.5))
    # 30 +- 2 * sd * sqrt(10 + 100 / 4), sd = 0.5 * sqrt(4) = 1
    assert found.asked == pytest.approx((30 - 2 * 35**0.5, 30 + 2 * 35**0.5))
    assert found.measured


def test_more_at_once_may_or_may_not_be_faster() -> None:
    given = study(MODEL, at_once=5)
    found = estimate(given, took(given))
    assert found.seconds == pytest.approx(((60 - SETUP_S) / 4 * 10 * 0.7 / 5, 15 * 10 * 1.5))


def test_with_other_users_an_agent_takes_what_it_took_each_time_it_was_asked() -> None:
    before = took(study(MODEL))
    found = estimate(study(MODEL, max_turns=8), before)
    assert found.asked == Range(10, 80)
    # 5 s each time: 60 s for 4 dialogues of 3
    assert found.seconds == pytest.approx(((60 - SETUP_S) / 12 * 10 * 0.7, 5 * 80 * 1.5))
    assert found.prompt_tokens is None


def test_another_model_is_another_agent() -> None:
    assert estimate(study({**MODEL, "model": "other"}), took(study(MODEL))).seconds is None


def test_tokens_and_price_give_the_cost() -> None:
    given = study(PRICED)
    usage = Usage(model="some", calls=12, prompt_tokens=6_000, completion_tokens=600)
    found = estimate(given, took(given, asked=Mean(value=3, error=0), usage=usage))
    # 10 dialogues of 3 calls, of 500 and 50 tokens; 2 and 8 EUR a million
    assert found.prompt_tokens == pytest.approx((15_000, 15_000))
    assert found.cost == pytest.approx((0.03 + 0.012,) * 2)
    assert found.currency == "EUR"
    assert found.notes == ()


def test_tokens_that_answers_did_not_report_stay_unknown() -> None:
    given = study(PRICED)
    found = estimate(given, took(given, usage=Usage(model="some", calls=12, unreported=12)))
    assert found.prompt_tokens is None
    assert found.cost is None


def test_what_came_from_a_cache_says_little_of_how_long_it_takes() -> None:
    given = study(PRICED)
    half = estimate(given, took(given, usage=Usage(model="some", calls=6, cached=6))).seconds
    assert half is not None
    assert half.high == pytest.approx(
        2 * 15 * 10 * 1.5
    )  # as if each answer that was kept had taken as long as the others
    assert estimate(given, took(given, usage=Usage(model="some", cached=12))).seconds is None


def test_a_single_dialogue_gives_no_range() -> None:
    given = study(PRICED)
    assert estimate(given, took(given, asked=Mean(value=3))).asked == Range(10, 50)


def test_time_between_two_tellings_belongs_to_the_last_that_ended_between_them() -> None:
    shares = TimeByAgent(["a", "a", "b", "b"])
    for done, elapsed in ((5, 1.0), (5, 2.0), (8, 4.0), (9, 4.5)):  # 5 were there before
        shares(Progress(done, 9, 5, 0, elapsed))
    # a, a and b ended in 4 s, of which the first two took 0.1 s at most: else they would have been told of
    assert shares.seconds == pytest.approx({"a": 0.2 / 3, "b": 4 - 0.2 / 3 + 0.5})
    assert shares.held == {"a": 2, "b": 2}


def test_what_was_asked_in_dialogues_is_counted(tmp_path: Path) -> None:
    said = '{"speaker":"user","text":"?"},{"speaker":"system","text":"!"}'
    lines = [
        '{"kind":"manifest"}',
        *(f'{{"id":"{n}","system":"m","utterances":[{said}]}}' for n in (1, 2)),
        '{"id":"cut',
    ]
    (tmp_path / "ledger.jsonl").write_text("\n".join(lines), encoding="utf-8")
    messages = summarise_dialogues(tmp_path)["m"].to_fields()
    assert messages["dialogues"] == 2
    assert messages["asked"] == Mean(value=1, error=0)


def test_a_damaged_line_of_measurements_is_passed_over(tmp_path: Path) -> None:
    stage = StageDuration(stage="agree", megabytes=1, seconds=2)
    append_measurements(tmp_path, [stage])
    with (tmp_path / FILE).open("a", encoding="utf-8") as stream:
        stream.write('{"kind":"stage_took","v":1}\n[]\n{"kind":"other","v":1}\n{"kind"')
    assert read_measurements(tmp_path) == [stage]
    assert read_measurements(tmp_path / "nowhere") == []


def test_measurements_that_no_disk_takes_are_not_kept(tmp_path: Path) -> None:
    append_measurements(tmp_path / "nowhere", [StageDuration(stage="agree", megabytes=1, seconds=2)])
    assert not (tmp_path / "nowhere").exists()


def small(out: Path, **more: Any) -> dict[str, Any]:
    simulate = {"agents": ["reference:popular", "echo"], "users": ["cir6-pkg"], "n": 3, "max_turns": 3, **more}
    return {"out": str(out), "simulate": simulate, "metrics": ["turns"], "resamples": 100}


def takes(given: dict[str, Any]) -> dict[str, StageEstimate | None]:
    return {step.name: step.takes for step in plan_steps(experiment_of(given))}


def test_a_first_dry_run_says_that_it_knows_only_reference_rates(tmp_path: Path) -> None:
    found = takes(small(tmp_path / "new"))
    assert [name for name, each in found.items() if each is not None and not each.measured] == list(found)
    report = found["report"]
    assert report is not None
    megabytes = 6 * KILOBYTES / 1e3  # 2 agents x 3 dialogues
    assert report.seconds == pytest.approx(Range(FASTER, SLOWER).times(*[STAGES["report"].seconds_for(megabytes)] * 2))
    assert "Reference rates are from another machine" in plan_text(plan_steps(experiment_of(small(tmp_path / "new"))))


def test_unknown_time_and_cost_are_said_to_be_unknown(tmp_path: Path) -> None:
    text = plan_text(plan_steps(experiment_of(small(tmp_path, agents={"mine": PRICED, "ours": "echo"}))))
    assert "plus the time of mine, which is unknown" in text
    assert "Cost: unknown for mine." in text
    assert "start with a small n" in text
    assert not (tmp_path / "stages").exists()
