"""Batches: the same dialogues however they are held, and nothing lost whatever happens on the way."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.simulation.standin import Counted, Fatal, Talker, TalkerSession, TinyUsers, make_agent, make_users
from tests.untraced import untraced
from trialogue.errors import TrialogueError, UsageError
from trialogue.records import Dialogue, Ending, Fault, read_records
from trialogue.simulation.batch.batch import Batch, Interrupted, Progress, run_batch
from trialogue.simulation.batch.folder import finished_lines
from trialogue.simulation.batch.ledger import Ledger
from trialogue.simulation.batch.plan import Opening, Plan

PLAN = Plan(("a", "b"), ("u",), 30, seed=7)


def exported(folder: Path) -> bytes:
    return (folder / "dialogues.jsonl").read_bytes() + (folder / "manifest.json").read_bytes()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("undisturbed")
    run_batch(PLAN, make_agent, make_users, folder=folder)
    return exported(folder)


def test_all_dialogues_of_the_plan_are_there_in_its_order(tmp_path: Path) -> None:
    batch = run_batch(PLAN, make_agent, make_users, folder=tmp_path)
    dialogues = list(read_records(batch.dialogues, Dialogue))
    assert [dialogue.id for dialogue in dialogues] == list(PLAN.ids())
    assert {(said.system, said.source) for said in dialogues} == {("a", "simulated/u"), ("b", "simulated/u")}
    assert (
        len({str(dialogue.utterances) for dialogue in dialogues}) == 30
    )  # both agents are one, and meet the same users
    assert [dialogue.user for dialogue in dialogues[:30]] == [dialogue.user for dialogue in dialogues[30:]]
    assert batch.endings == {"agenda_empty": 60}


def test_two_processes_give_the_same_bytes(tmp_path: Path, undisturbed: bytes) -> None:
    run_batch(PLAN, make_agent, make_users, folder=tmp_path, jobs=2)
    assert exported(tmp_path) == undisturbed


@pytest.mark.parametrize("jobs", [1, 2])
def test_threads_give_the_same_bytes(jobs: int, tmp_path: Path, undisturbed: bytes) -> None:
    run_batch(PLAN, make_agent, make_users, folder=tmp_path, jobs=jobs, at_once=4)
    assert exported(tmp_path) == undisturbed


def test_each_process_makes_an_agent_once(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    run_batch(PLAN, Counted(made), make_users, folder=tmp_path, jobs=2)
    files = list(made.iterdir())
    assert 2 <= len(files) <= 4  # 2 agents, 1 or 2 processes that had to do with each
    assert {file.read_text() for file in files} == {"x"}


def test_an_agent_of_one_session_never_has_two(tmp_path: Path, undisturbed: bytes) -> None:
    agents = {name: Talker(name, sessions_at_once=limit) for name, limit in (("a", 1), ("b", 3))}
    for agent in agents.values():
        agent.slow_s = 0.0005
    run_batch(PLAN, agents.__getitem__, make_users, folder=tmp_path, at_once=4)
    assert agents["a"].most_open == 1
    assert 2 <= agents["b"].most_open <= 3
    assert exported(tmp_path) == undisturbed


def test_what_is_finished_is_not_done_again_and_more_can_be_added(tmp_path: Path, undisturbed: bytes) -> None:
    run_batch(Plan(("a", "b"), ("u",), 10, seed=7), make_agent, make_users, folder=tmp_path)
    before = (tmp_path / "dialogues.jsonl").read_bytes().splitlines()
    batch = run_batch(PLAN, make_agent, make_users, folder=tmp_path)
    assert batch.resumed == 20
    assert set(before) <= set((tmp_path / "dialogues.jsonl").read_bytes().splitlines())
    assert (tmp_path / "ledger.jsonl").read_bytes().count(b"\n") == 1  # the manifest: each dialogue is there once
    assert exported(tmp_path) == undisturbed


def test_another_seed_or_other_settings_are_refused(tmp_path: Path) -> None:
    plan = Plan(("a",), ("u",), 2)
    run_batch(plan, make_agent, make_users, folder=tmp_path, settings={"max_turns": 5})
    with pytest.raises(UsageError, match="max_turns was 5 and is now 6"):
        run_batch(plan, make_agent, make_users, folder=tmp_path, settings={"max_turns": 6})
    with pytest.raises(UsageError, match="seed was 0 and is now 1"):
        run_batch(Plan(("a",), ("u",), 2, seed=1), make_agent, make_users, folder=tmp_path, settings={"max_turns": 5})


def test_a_failed_dialogue_is_a_record_and_counted(tmp_path: Path) -> None:
    messages: list[Progress] = []
    batch = run_batch(
        Plan(("a", "unreachable"), ("u",), 3), make_agent, make_users, folder=tmp_path, progress=messages.append
    )
    assert batch.endings == {Ending.AGENDA_EMPTY: 3, Ending.AGENT_UNREACHABLE: 3}
    assert batch.failure_count == 3
    assert (messages[-1].done, messages[-1].total, messages[-1].failed, messages[-1].eta_s) == (6, 6, 3, 0.0)
    last = list(read_records(batch.dialogues, Dialogue))[-1]
    assert (last.fault, last.ending_detail, last.meta) == (Fault.AGENT, "nobody there", {})


def test_the_time_left_is_reported_by_the_pace_so_far() -> None:
    assert Progress(done=30, total=50, resumed=10, failed=0, elapsed_s=10.0).eta_s == 10.0  # 20 in 10 s, 20 to go
    assert Progress(done=10, total=50, resumed=10, failed=0, elapsed_s=3.0).eta_s is None


def test_a_killed_process_costs_nothing_but_time(tmp_path: Path, undisturbed: bytes) -> None:
    users = Fatal(_folder(tmp_path), numbers=[3, 17], times=1)
    batch = run_batch(PLAN, make_agent, users, folder=tmp_path / "out", jobs=2)
    assert batch.failure_count == 0
    assert exported(tmp_path / "out") == undisturbed


def test_a_dialogue_that_always_kills_its_process_is_recorded_and_the_others_are_held(
    tmp_path: Path, undisturbed: bytes
) -> None:
    users = Fatal(_folder(tmp_path), numbers=[5], times=1000)
    batch = run_batch(PLAN, make_agent, users, folder=tmp_path / "out", jobs=2)
    assert batch.endings == {"agenda_empty": 58, "lost": 2}  # number 5 of each agent
    assert batch.failure_count == 2
    whole = [line for line in undisturbed.splitlines()[:-1] if b'/u/5"' not in line]
    held = [line for line in (tmp_path / "out" / "dialogues.jsonl").read_bytes().splitlines() if b'/u/5"' not in line]
    assert held == whole


def test_processes_that_die_as_soon_as_they_make_an_agent_are_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trialogue.simulation.batch.dispatch.FRUITLESS", 1)
    with pytest.raises(TrialogueError, match=r"died 1 times in a row.*creating the agent 'a'"):
        run_batch(PLAN, _killing, make_users, folder=tmp_path, jobs=2)


def test_a_mistake_in_an_agent_is_raised_as_it_is_and_what_was_finished_is_kept(tmp_path: Path) -> None:
    class Broken(Talker):
        def open(self, dialogue_id: str, *, seed: int) -> TalkerSession:
            raise ZeroDivisionError("a bug")

    def broken(name: str) -> Talker:
        return Broken(name) if name == "b" else Talker(name)

    with pytest.raises(ZeroDivisionError, match="a bug"):
        run_batch(PLAN, broken, make_users, folder=tmp_path)
    assert (tmp_path / "ledger.jsonl").read_bytes().count(b"\n") == 31  # the manifest, and all of agent a
    with pytest.raises(ZeroDivisionError, match="a bug"):
        run_batch(PLAN, broken, make_users, folder=tmp_path, jobs=2)


@pytest.mark.parametrize(("jobs", "at_once"), [(1, 1), (1, 2)])
def test_an_agent_that_cannot_be_made_is_reported_before_the_first_dialogue(
    jobs: int, at_once: int, tmp_path: Path
) -> None:
    def made(name: str) -> Talker:
        if name == "b":  # the second one, whose turn would come after all dialogues with the first
            raise UsageError("b needs a key")
        return Talker(name)

    with pytest.raises(UsageError, match="b needs a key"):
        run_batch(PLAN, made, make_users, folder=tmp_path, jobs=jobs, at_once=at_once)
    with Ledger(tmp_path, PLAN.to_json(), seed=7) as ledger:
        assert len(ledger) == 0


def test_an_interruption_says_how_to_go_on(tmp_path: Path, undisturbed: bytes) -> None:
    with pytest.raises(
        Interrupted, match=r"Interrupted: 12 of 60 dialogues are safe in .*ledger.jsonl. Run the same command"
    ):
        run_batch(PLAN, make_agent, _Interrupting, folder=tmp_path)
    run_batch(PLAN, make_agent, make_users, folder=tmp_path)
    assert exported(tmp_path) == undisturbed


def test_an_interruption_between_a_line_and_its_count_is_counted_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, lines = Ledger._write, [0]

    def written_and_interrupted(self: Ledger, line: bytes) -> None:
        write(self, line)
        lines[0] += 1
        if lines[0] == 6:  # the manifest and five dialogues
            raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "_write", written_and_interrupted)
    with pytest.raises(Interrupted, match="Interrupted: 5 of 60 dialogues"):
        run_batch(PLAN, make_agent, make_users, folder=tmp_path)


class _Interrupting(TinyUsers):
    def __init__(self, name: str) -> None:
        self.made = 0

    def new(self, dialogue_id: str, *, seed: int) -> object:  # type: ignore[override]
        self.made += 1
        if self.made > 12:
            raise KeyboardInterrupt
        return super().new(dialogue_id, seed=seed)


def test_dialogues_go_on_from_an_opening(tmp_path: Path) -> None:
    first = next(iter(read_records(_run(tmp_path / "first", Plan(("a",), ("u",), 1)).dialogues, Dialogue)))
    opening = Opening(first.id, 1, first.utterances[:2])
    batch = _run(tmp_path / "second", Plan(("b",), ("u",), 5, openings=(opening,)))
    again = list(read_records(batch.dialogues, Dialogue))
    assert [dialogue.id for dialogue in again] == [f"b/u/a/u/1@1/{number}" for number in range(1, 6)]
    assert all(dialogue.utterances[:2] == first.utterances[:2] for dialogue in again)
    assert len({str(dialogue.utterances) for dialogue in again}) == 5


@pytest.mark.parametrize("option", ["jobs", "at_once"])
def test_nought_processes_are_refused(option: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"{option} must be at least 1; given: 0"):
        run_batch(PLAN, make_agent, make_users, folder=tmp_path, **{option: 0})  # type: ignore[arg-type]


BATCH = """
import signal, sys
from tests.simulation.standin import Talker, make_users
from trialogue.simulation.batch.batch import run_batch
from trialogue.simulation.batch.plan import Plan
signal.signal(signal.SIGINT, signal.default_int_handler)  # which who runs tests in the background has switched off
folder, jobs, n, slow = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
told = []
def tell(progress):
    if progress.done > 20 and not told:
        told.append(print("going", flush=True))
def make(name):
    return Talker(name, slow_s=slow)
print("ready", flush=True)
plan = Plan(("a", "b"), ("u",), n, seed=7)
run_batch(plan, make, make_users, folder=folder, jobs=jobs, progress=tell, note=lambda problem: None)
"""
ROOT = Path(__file__).parents[3]


def batch_command(folder: Path, *, jobs: int, n: int, slow_s: float = 0.0) -> list[str]:
    return [sys.executable, "-c", BATCH, str(folder), str(jobs), str(n), str(slow_s)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_leaves_a_ledger_to_go_on_from(jobs: int, tmp_path: Path) -> None:
    command = batch_command(tmp_path, jobs=jobs, n=5_000, slow_s=0.0005)
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert [process.stdout.readline() for _ in range(2)] == ["ready\n", "going\n"]
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to every process
        last = process.stderr.read().splitlines()[-1]
    assert process.returncode not in (0, None)
    found = re.search(
        r"Interrupted: ([\d,]+) of 10,000 dialogues are safe in .*ledger.jsonl. Run the same command", last
    )
    assert found is not None
    lines = (tmp_path / "ledger.jsonl").read_bytes().splitlines()[1:]
    assert len(lines) == len({json.loads(line)["id"] for line in lines}) > 20
    assert int(found[1].replace(",", "")) == len(lines)


KILLED_AT_RANDOM = """
import os, select, signal, sys
import numpy as np
from tests.simulation.standin import make_agent, make_users
from trialogue.simulation.batch.batch import run_batch
from trialogue.simulation.batch.plan import Plan

folder, n, kills, within_s = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
plan, killed = Plan(("a", "b"), ("u",), n, seed=7), 0
for moment in [*np.random.default_rng(4).uniform(0, within_s, size=kills), 600]:
    over, mine = os.pipe()  # read to its end when the child is over
    child = os.fork()
    if child == 0:
        os.close(over)
        run_batch(plan, make_agent, make_users, folder=folder, note=lambda problem: None)
        os._exit(0)
    os.close(mine)
    if not select.select([over], [], [], moment)[0]:
        os.kill(child, signal.SIGKILL)
        killed += 1
    _, status = os.waitpid(child, 0)
    os.close(over)
sys.exit(f"{killed} killed, then {status}")
"""


@untraced()
def check_after_kills(tmp_path: Path, n: int) -> None:
    _run(tmp_path / "undisturbed", Plan(("a", "b"), ("u",), n, seed=7))
    assert exported(tmp_path / "killed") == exported(tmp_path / "undisturbed")
    ids = [json.loads(line)["id"] for line in finished_lines(tmp_path / "killed")]
    assert len(ids) == len(set(ids)) == 2 * n


def test_a_batch_killed_fifty_times_gives_the_same_dialogues_none_lost_none_twice(tmp_path: Path) -> None:
    """Children of one process, so that nothing has to be imported fifty times; a child that ends early is not killed."""
    command = [sys.executable, "-c", KILLED_AT_RANDOM, str(tmp_path / "killed"), "2500", "50", "0.05"]
    done = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
    found = re.fullmatch(r"(\d+) killed, then 0\n", done.stderr)
    assert found is not None, done.stderr
    assert int(found[1]) >= 40
    check_after_kills(tmp_path, 2_500)


@pytest.mark.slow
def test_a_batch_of_two_processes_killed_five_times_gives_the_same_dialogues(tmp_path: Path) -> None:
    command = batch_command(tmp_path / "killed", jobs=2, n=1_000, slow_s=0.001)
    killed = 0
    for moment in np.random.default_rng(4).uniform(0, 1, size=5):
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                process.wait(timeout=moment)
            except subprocess.TimeoutExpired:
                killed += 1
            process.kill()
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    assert killed >= 2  # the others had ended by then
    check_after_kills(tmp_path, 1_000)


def _run(folder: Path, plan: Plan) -> Batch:
    return run_batch(plan, make_agent, make_users, folder=folder)


def _folder(path: Path) -> Path:
    (path / "marks").mkdir()
    return path / "marks"


def _killing(name: str) -> Talker:
    os.kill(os.getpid(), signal.SIGKILL)
    return Talker(name)
