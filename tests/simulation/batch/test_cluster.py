"""The same batch on a Dask cluster on this machine."""

from pathlib import Path

import pytest

from tests.simulation.standin import Counted, Fatal, make_agent, make_users
from trialogue import dask_cluster
from trialogue.errors import MissingExtraError, UsageError
from trialogue.simulation.batch import processes
from trialogue.simulation.batch.batch import run_batch
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner, WorkerSpec

PLAN = Plan(("a", "b"), ("u",), 40, seed=7)


distributed = pytest.importorskip("distributed", reason="Dask is not installed (extra 'cluster')")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("undisturbed")
    return run_batch(PLAN, make_agent, make_users, folder=folder).dialogues.read_bytes()


def test_a_cluster_gives_the_same_bytes_and_each_worker_makes_an_agent_once(tmp_path: Path, undisturbed: bytes) -> None:
    made = tmp_path / "made"
    made.mkdir()
    batch = run_batch(PLAN, Counted(made), make_users, folder=tmp_path, cluster="local", jobs=2)
    assert batch.dialogues.read_bytes() == undisturbed
    files = list(made.iterdir())
    assert 2 <= len(files) <= 4  # 2 agents, 1 or 2 workers that had to do with each
    assert {file.read_text() for file in files} == {"x"}


def test_a_killed_worker_costs_nothing_but_time(tmp_path: Path, undisturbed: bytes) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    users = Fatal(marks, numbers=[3], times=1)
    batch = run_batch(PLAN, make_agent, users, folder=tmp_path / "out", cluster="local", jobs=2)
    assert list(marks.iterdir())
    assert batch.dialogues.read_bytes() == undisturbed


def test_a_scheduler_that_does_not_answer_is_reported() -> None:
    with pytest.raises(UsageError, match=r"No Dask scheduler answers at 'tcp://127.0.0.1:9'"):
        processes.Cluster(
            WorkerSpec(make_agent, make_users, DialogueRunner()), address="tcp://127.0.0.1:9", connect_timeout_s=0.5
        )


def test_an_address_that_is_none_is_reported() -> None:
    with pytest.raises(UsageError, match="It is an address such as tcp://host:8786"):
        processes.Cluster(
            WorkerSpec(make_agent, make_users, DialogueRunner()), address="nonsense://here", connect_timeout_s=0.5
        )


def test_without_dask_the_command_that_installs_it_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str, *, extra: str, purpose: str) -> None:
        raise MissingExtraError(f"{module} is needed to {purpose}: trialogue[{extra}]")

    monkeypatch.setattr(dask_cluster, "need", missing)
    with pytest.raises(MissingExtraError, match=r"distributed is needed to run dialogues.*trialogue\[cluster\]"):
        run_batch(PLAN, make_agent, make_users, folder=tmp_path, cluster="local")


def test_a_cluster_without_workers_is_reported() -> None:
    with distributed.LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as empty:
        address = empty.scheduler_address
        with pytest.raises(UsageError, match=r"has no workers. Start some with: dask worker"):
            processes.Cluster(
                WorkerSpec(make_agent, make_users, DialogueRunner()), address=address, connect_timeout_s=0.5
            )


def test_a_cluster_that_is_there_is_used_and_left_as_it_was(tmp_path: Path, undisturbed: bytes) -> None:
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=3,
        processes=False,
        protocol="tcp://",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    ) as running:
        address = running.scheduler_address
        batch = run_batch(PLAN, make_agent, make_users, folder=tmp_path, cluster=address)
        assert batch.dialogues.read_bytes() == undisturbed
        assert processes._specs == {}  # its worker is a thread of this process: the batch has been forgotten
        assert processes._contexts == {}
        assert len(running.workers) == 1


def test_a_local_cluster_that_cannot_be_set_up_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Local:
        closed = False

        def close(self) -> None:
            self.closed = True

    class Client(Local):
        def close(self, **_: object) -> None:
            self.closed = True

        def register_plugin(self, plugin: object) -> None:
            raise RuntimeError("a worker refuses the plug-in")

    def start(*_: object) -> Local:
        started.append(Local())
        return started[-1]

    def connect(*_: object) -> Client:
        started.append(Client())
        return started[-1]  # type: ignore[return-value]

    monkeypatch.setattr(dask_cluster.DaskCluster, "_start", start)
    monkeypatch.setattr(dask_cluster.DaskCluster, "_connect", connect)
    with pytest.raises(RuntimeError, match="refuses the plug-in"):
        processes.Cluster(WorkerSpec(make_agent, make_users, DialogueRunner()))
    assert [each.closed for each in started] == [True, True]
