"""Failures in a row stop an agent's dialogues; failed dialogues are run again on request, and only then."""

from pathlib import Path

import pytest

from tests.simulation.standin import Talker, TalkerSession, make_agent, make_users
from trialogue.agents.base import Agent
from trialogue.llm.usage import DialogueSpend
from trialogue.records import Dialogue, Ending, read_records
from trialogue.simulation.batch.batch import run_batch
from trialogue.simulation.batch.folder import read_finished
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import EXTERNAL, Breaker, FinishedDialogue, Halted
from trialogue.transport.failures import AgentFailure, FailureKind

PLAN = Plan(("mended", "fine"), ("u",), 12)


class Storm(Talker):
    """Refuses sessions while ``kind`` is set."""

    def __init__(self, name: str, kind: FailureKind | None, log: list[str]) -> None:
        super().__init__(name)
        self.kind, self.log = kind, log

    def open(self, dialogue_id: str, *, seed: int) -> TalkerSession:
        self.log.append(dialogue_id)
        if self.kind is not None and self.name != "fine":
            raise AgentFailure(self.kind, "slow down")
        return super().open(dialogue_id, seed=seed)


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_storm_stops_one_agent_and_the_same_command_with_retry_gives_what_an_undisturbed_run_does(
    tmp_path: Path, at_once: int
) -> None:
    log: list[str] = []
    with pytest.raises(
        Halted, match=r"'mended' with u: \d+ dialogues in a row ended by a server's rate limit \(slow down\)"
    ) as halt:
        run_batch(
            PLAN,
            lambda name: Storm(name, "rate_limited", log),
            make_users,
            folder=tmp_path,
            stop_after=3,
            at_once=at_once,
        )
    assert "--retry-failed" in str(halt.value)
    done = list(read_finished(tmp_path))
    assert sum(each.system == "fine" for each in done) == 12  # the other agent is not held up
    assert 3 <= sum(each.system == "mended" for each in done) < 12
    assert f"{len(done)} of 24 dialogues are kept" in str(halt.value)
    batch = run_batch(PLAN, make_agent, make_users, folder=tmp_path, retry=EXTERNAL)
    assert batch.failure_count == 0
    run_batch(PLAN, make_agent, make_users, folder=tmp_path / "undisturbed")
    for name in ("dialogues.jsonl", "manifest.json"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "undisturbed" / name).read_bytes()


def test_a_finished_run_keeps_its_failures_unless_they_are_to_be_repeated(tmp_path: Path) -> None:
    log: list[str] = []
    plan = Plan(("mended",), ("u",), 4)
    run_batch(plan, lambda name: Storm(name, "rate_limited", log), make_users, folder=tmp_path)
    run_batch(plan, lambda name: Storm(name, None, log), make_users, folder=tmp_path)
    assert len(log) == 4
    run_batch(plan, lambda name: Storm(name, None, log), make_users, folder=tmp_path, retry=[Ending.AGENT_TIMEOUT])
    assert len(log) == 4
    batch = run_batch(
        plan, lambda name: Storm(name, None, log), make_users, folder=tmp_path, retry=[Ending.RATE_LIMITED]
    )
    assert (len(log), batch.failure_count, batch.resumed) == (8, 0, 0)


def test_what_the_agent_failed_at_itself_is_kept_by_default(tmp_path: Path) -> None:
    plan = Plan(("mended",), ("u",), 3)
    run_batch(plan, lambda name: Storm(name, "malformed", []), make_users, folder=tmp_path)
    batch = run_batch(plan, lambda name: Storm(name, None, []), make_users, folder=tmp_path, retry=EXTERNAL)
    assert batch.endings == {Ending.AGENT_INVALID_REPLY: 3}
    assert "retried" not in batch.manifest.config
    for _ in range(2):  # whoever repeats an agent's own failures leaves a trace, also in later runs
        batch = run_batch(
            plan, lambda name: Storm(name, None, []), make_users, folder=tmp_path, retry=[Ending.AGENT_INVALID_REPLY]
        )
        assert batch.manifest.config["retried"] == {"agent_invalid_reply": 3}


def test_an_interrupted_repetition_loses_nothing(tmp_path: Path) -> None:
    """Two of four dialogues failed; their repetition is stopped, and the next plain command makes up for it."""

    class Halves(Storm):
        def open(self, dialogue_id: str, *, seed: int) -> TalkerSession:
            if dialogue_id.endswith(("1", "3")):
                raise AgentFailure("unreachable", "nobody there")
            return Talker.open(self, dialogue_id, seed=seed)

    def killed(name: str) -> Agent:
        raise KeyboardInterrupt

    plan = Plan(("mended",), ("u",), 4)
    run_batch(plan, lambda name: Halves(name, None, []), make_users, folder=tmp_path)
    kept = {each.id: each for each in read_records(tmp_path / "dialogues.jsonl", Dialogue) if not each.fault}
    with pytest.raises(KeyboardInterrupt):
        run_batch(plan, killed, make_users, folder=tmp_path, retry=EXTERNAL)
    batch = run_batch(plan, make_agent, make_users, folder=tmp_path)
    assert (batch.resumed, batch.failure_count) == (2, 0)
    assert kept.items() <= {each.id: each for each in read_records(batch.dialogues, Dialogue)}.items()


def ended(ending: Ending | None) -> FinishedDialogue:
    line = b'{"kind":"dialogue","v":2,"id":"d","utterances":[]}'
    return FinishedDialogue("d", ending, line, "a", "u", DialogueSpend())


@pytest.mark.parametrize(
    ("endings", "is_open"),
    [
        ([Ending.RATE_LIMITED] * 3, True),
        ([Ending.AGENDA_EMPTY, *[Ending.RATE_LIMITED] * 3], True),
        ([Ending.RATE_LIMITED, Ending.RATE_LIMITED, Ending.USER_GAVE_UP, Ending.RATE_LIMITED], False),
        ([Ending.RATE_LIMITED, Ending.HARNESS_ERROR, Ending.RATE_LIMITED], False),  # no one cause
        ([Ending.AGENT_UNREACHABLE] * 3, True),
        ([Ending.AGENT_ERROR] * 9, False),  # a result
        ([None, *[Ending.AGENT_TIMEOUT] * 9], False),
    ],
)
def test_what_opens_it(endings: list[Ending | None], is_open: bool) -> None:
    breaker = Breaker(3)
    for ending in endings:
        breaker.take(ended(ending))
    assert breaker.is_open(("a", "u")) is is_open
    assert not breaker.is_open(("a", "others"))


def test_zero_never_opens_it() -> None:
    breaker = Breaker(0)
    for _ in range(99):
        breaker.take(ended(Ending.RATE_LIMITED))
    assert not breaker.outages
