"""Scores of recorded trials: the same as when they were played, and what is left out."""

from functools import partial

import pytest

from tests.tasks.players import Constant, Listener, Player
from trialogue.errors import DataError
from trialogue.records import Dialogue, Ending, JsonValue, Raters, Rating, Utterance
from trialogue.records.trace import ToolCall, Trace
from trialogue.render.tasks import tasks_text
from trialogue.tasks import (
    Baseline,
    Ends,
    TaskSet,
    Trial,
    Turn,
    baselines_of,
    read_task_set,
    score_baselines,
    score_trials,
)
from trialogue.tasks.task import Reveal
from trialogue.tasks.trials import turns_of


@pytest.fixture(scope="module")
def demo() -> TaskSet:
    return read_task_set("demo")


def mod(number: int, count: int) -> int:
    """A choice that differs between trials."""
    return number % count


def trials_of(
    tasks: TaskSet, player: Player, system: str, *, ends: Ends = Ends.RECOMMEND, trials: int = 2
) -> list[Dialogue]:
    found = []
    for task in tasks.tasks:
        for number in range(trials):
            trial = Trial(task, tasks.catalogue, ends=ends)
            player.play(trial, partial(mod, number))
            found.append(trial.dialogue(system, number))
            again = turns_of(found[-1])
            assert again == trial.turns
    return found


@pytest.mark.parametrize("ends", [Ends.RECOMMEND, Ends.ACCEPTED])
def test_a_recorded_trial_has_the_scores_that_it_had_when_it_was_played(demo: TaskSet, ends: Ends) -> None:
    quiet = trials_of(demo, Constant(None), "quiet", ends=ends)
    listener = trials_of(demo, Listener(demo.catalogue), "listener", ends=ends)
    found = score_trials(quiet + listener, demo, ends=ends)
    scores = {each.name: each for each in found.systems}
    assert found.measures[0] == f"pass(k=1)@{ends.value}|v1"
    assert scores["quiet"].passes[0].value == pytest.approx(2 / 12)
    assert scores["quiet"].constraint == scores["quiet"].passes[0]
    assert scores["quiet"].policy is not None
    assert scores["quiet"].policy.value == 1
    assert (scores["listener"].tasks, scores["listener"].trials) == (12, 24)
    played = [Trial(task, demo.catalogue, ends=ends) for task in demo.tasks]
    for trial in played:
        Listener(demo.catalogue).play(trial, lambda count: 0)
    first = score_trials([each for each in listener if each.id.endswith("/0")], demo, ends=ends).systems[0]
    assert first.passes[0].value == pytest.approx(sum(bool(trial.outcome().reward) for trial in played) / 12)
    assert found.to_beat is Baseline.NON_ASKER
    chances = baselines_of(demo, ends=ends)[3].tasks.values()
    assert found.baselines[3].passes[1].value == pytest.approx(float(sum(each.reward**2 for each in chances)) / 12)
    assert [each.name for each in found.baselines] == [
        each.value for each in Baseline if each is not Baseline.DO_NOTHING
    ]


@pytest.mark.parametrize("ends", [Ends.RECOMMEND, Ends.ACCEPTED])
def test_what_an_agent_had_been_told_when_it_decided_is_measured(demo: TaskSet, ends: Ends) -> None:
    agents: dict[str, Player] = {"deaf": Constant(None), "hears": Listener(demo.catalogue)}
    agents["asks"] = Listener(demo.catalogue, asks=True)
    given = [each for name, agent in agents.items() for each in trials_of(demo, agent, name, ends=ends, trials=1)]
    found = score_trials(given, demo, ends=ends)
    knew = {each.name: each.knew and each.knew.value for each in found.systems}
    said = [task.places_of(Reveal.VOLUNTEER) for task in demo.tasks]
    learnable = [task.places_of(Reveal.VOLUNTEER, Reveal.ON_ASK) for task in demo.tasks]
    share = sum(len(own) / len(all_of) for own, all_of in zip(said, learnable, strict=True)) / len(said)
    assert share < 1
    assert knew["asks"] == 1
    assert knew["deaf"] == pytest.approx(share)  # it was told so much, and did not listen
    if ends is Ends.RECOMMEND:
        assert knew["hears"] == pytest.approx(share)
    assert "Knew when deciding" in tasks_text(found)
    unrecorded = [
        each.model_copy(update={"utterances": tuple(said.model_copy(update={"meta": {}}) for said in each.utterances)})
        for each in given
    ]
    assert {each.knew for each in score_trials(unrecorded, demo, ends=ends).systems} == {None}


def test_a_system_is_compared_with_the_agent_that_asks_nothing(demo: TaskSet) -> None:
    quiet = trials_of(demo, Constant(None), "quiet")
    oracle = [
        dialogue.model_copy(update={"system": "oracle"})
        for task in demo.tasks
        for dialogue in trials_of(
            TaskSet((task,), demo.catalogue), Listener(demo.catalogue, knows=task.wishes), "oracle", trials=1
        )
    ]
    text = " ".join(tasks_text(score_trials(quiet + oracle, demo)).split())
    assert (
        "quiet is not significantly above an agent that asks nothing (0.54)" in text
        or "quiet is significantly below" in text
    )
    assert "oracle is significantly above an agent that asks nothing (0.54), with a reward of 1.00" in text
    assert "pass^2 @recommend" in text


def test_what_is_left_out_is_counted_and_named(demo: TaskSet) -> None:
    known = trials_of(TaskSet(demo.tasks[:1], demo.catalogue), Constant(None), "mine", trials=1)
    bare = Dialogue(id="x", utterances=(Utterance(speaker="system", text="Hello"),), system="mine")
    others = [
        bare,
        bare.model_copy(update={"id": "y", "task": demo.tasks[1].id}),
        bare.model_copy(update={"id": "z", "task": "of another set", "trace": Trace(calls=())}),
        known[0].model_copy(update={"id": "w", "ended_by": Ending.RATE_LIMITED}),
    ]
    found = score_trials([*known, *others], demo)
    said = " ".join(found.notes)
    for part in ("1 of 5 trials have no task", "no recorded calls", "not in the set", "no fault of the system"):
        assert part in said
    assert "mine has no trial of 11 of 12 tasks: night-shift, old-detective" in said
    assert found.systems[0].trials == 1
    alone = known[0].model_copy(update={"id": demo.tasks[0].id, "task": None})
    assert score_trials([alone], demo).systems[0].tasks == 1  # its id is that of its task
    assert all(each.tasks == 1 for each in found.baselines)  # on what was attempted
    with pytest.raises(DataError, match=r"no trial can be scored: 1 of 1 trials have no task"):
        score_trials([bare], demo)


def test_a_system_that_attempts_easy_tasks_alone_is_compared_on_these(demo: TaskSet) -> None:
    impossible = TaskSet(demo.tasks[-2:], demo.catalogue)  # abstaining is right; asking nothing has 1 and 0
    found = score_trials(
        trials_of(impossible, Constant(None), "picky") + trials_of(demo, Constant(None), "quiet"), demo
    )
    text = " ".join(tasks_text(found).split())
    assert "picky has no trial of 10 of 12 tasks" in text
    assert "quiet has no trial" not in text
    assert "picky is not significantly above an agent that asks nothing (0.50), with a reward of 1.00" in text
    assert "quiet is not significantly above an agent that asks nothing (0.54), with a reward of 0.17" in text


def test_a_failure_of_the_agent_counts_as_a_failed_trial(demo: TaskSet) -> None:
    last = TaskSet(demo.tasks[-1:], demo.catalogue)  # abstaining is right
    (good,) = trials_of(last, Constant(None), "mine", trials=1)
    assert score_trials([good], last).systems[0].passes[0].value == 1
    crashed = good.model_copy(update={"ended_by": Ending.AGENT_ERROR})
    assert score_trials([crashed], last).systems[0].passes[0].value == 0


def test_acceptance_that_nobody_recorded_is_unknown_and_not_a_failure(demo: TaskSet) -> None:
    task = demo.tasks[0]
    call = ToolCall(name="recommend", arguments={"item_id": demo.catalogue.fitting(task)[0]})
    said = (Utterance(speaker="system", text="This one.", trace=Trace(calls=(call,))),)
    log = Dialogue(id="a", utterances=said, system="mine", task=task.id)
    assert score_trials([log], demo).systems[0].passes[0].value == 1
    found = score_trials([log], demo, ends=Ends.ACCEPTED)
    assert (found.systems[0].passes[0].value, found.systems[0].above) == (None, None)
    assert "nobody recorded whether the user accepted" in " ".join(tasks_text(found).split())


def test_calls_after_the_last_message_count() -> None:
    call = ToolCall(name="recommend", arguments={"item_id": None})
    said = (Utterance(speaker="system", text="Hm.", trace=Trace(calls=())), Utterance(speaker="user", text="Well?"))
    log = Dialogue(id="a", utterances=said, system="mine", task="t", trace=Trace(calls=(call,)))
    assert turns_of(log) == (Turn("Hm."), Turn("", (call,)))
    assert turns_of(log.model_copy(update={"trace": None})) == (Turn("Hm."),)
    assert turns_of(log.model_copy(update={"trace": None, "utterances": said[1:]})) is None


@pytest.mark.parametrize(("reward", "verdict"), [(0.0, "significantly below"), (1.0, "significantly above")])
def test_a_verdict_against_doing_nothing_is_in_the_answer(reward: float, verdict: str) -> None:
    def trial(number: int) -> Dialogue:
        expected: dict[str, JsonValue] = {
            "actions": [] if reward == 0 else [{"name": "write"}],
            "outputs": [],
            "state": "s",
        }
        rating = Rating(name="reward", value=reward, raters=Raters.PROGRAM, low=0, high=1)
        meta: dict[str, JsonValue] = {"expected": expected | {"outputs": [] if reward == 0 else ["42"]}}
        meta["user_model"] = "openai/gpt-4.1"
        return Dialogue(id=f"{number}", task=f"{number}", utterances=(), system="gpt-5", ratings=(rating,), meta=meta)

    text = " ".join(tasks_text(score_trials(map(trial, range(12)))).split())
    assert f"gpt-5 is {verdict} an agent that does nothing ({1 - reward:.2f})" in text
    assert "gpt-5 and its simulated user are both of the family GPT" in text


def test_only_a_programs_reward_counts_where_trials_are_not_scored_anew() -> None:
    def rated(number: int, raters: Raters, value: float) -> Dialogue:
        rating = Rating(name="reward", value=value, raters=raters, low=0, high=1)
        said = (Utterance(speaker="system", text="Done."),)
        return Dialogue(id=str(number), utterances=said, system="mine", task=f"t{number}", ratings=(rating,))

    found = score_trials([rated(1, Raters.PROGRAM, 1), rated(2, Raters.PEOPLE, 1), rated(3, Raters.PROGRAM, 0.9)])
    assert (found.ends, found.systems[0].trials, found.systems[0].passes[0].value) == (Ends.RECORDED, 2, 0.5)
    assert found.notes == ("1 of 3 trials have no recorded reward.",)
    assert "the file does not say whether doing nothing succeeds in 2 tasks" in " ".join(tasks_text(found).split())


def test_baselines_alone_have_no_systems(demo: TaskSet) -> None:
    found = score_baselines(demo)
    assert (found.systems, len(found.baselines)) == ((), 6)
    assert "Reward @recommend" in tasks_text(found)
