"""Stages that run only when something they depend on changed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from trialogue.errors import UsageError
from trialogue.workflows.experiment import Plan, Stage, StageContext


def write(text: str) -> Callable[[StageContext], None]:
    """Work that writes a text, and what its needs wrote."""

    def work(doing: StageContext) -> None:
        before = "".join((folder / "out").read_text() for folder in doing.needed.values())
        (doing.folder / "out").write_text(before + text)

    return work


def chain(out: Path, **config: str) -> Plan:
    """a, then b and c, which need it; each told something."""
    stages = [
        Stage("a", write("a"), config={"messages": config.get("a", "")}),
        Stage("b", write("b"), config={"messages": config.get("b", "")}, needs=("a",)),
        Stage("c", write("c"), inputs={"file": config.get("c", "")}, needs=("a",)),
    ]
    return Plan(out, tuple(stages))


def quiet(_line: str) -> None:
    """Says nothing."""


def test_everything_runs_once_and_in_order(tmp_path: Path) -> None:
    plan = chain(tmp_path)
    assert plan.run(quiet) == ["a", "b", "c"]
    assert (plan.folders()["c"] / "out").read_text() == "ac"
    assert plan.run(quiet) == []


def test_a_change_runs_only_what_depends_on_it(tmp_path: Path) -> None:
    chain(tmp_path).run(quiet)
    assert chain(tmp_path, b="new").run(quiet) == ["b"]
    assert chain(tmp_path, c="another hash").run(quiet) == ["c"]
    assert chain(tmp_path, a="new").run(quiet) == ["a", "b", "c"]


def test_what_was_there_before_a_change_is_there_after_it_is_taken_back(tmp_path: Path) -> None:
    chain(tmp_path).run(quiet)
    chain(tmp_path, a="new").run(quiet)
    assert chain(tmp_path).run(quiet) == []


def test_an_interrupted_stage_is_done_anew_and_those_before_it_are_not(tmp_path: Path) -> None:
    plan = chain(tmp_path)

    def interrupted(doing: StageContext) -> None:
        (doing.folder / "out").write_text("half")
        raise KeyboardInterrupt

    broken = Plan(tmp_path, (plan.stages[0], Stage("b", interrupted, config={"messages": ""}, needs=("a",))))
    with pytest.raises(KeyboardInterrupt):
        broken.run(quiet)
    assert plan.run(quiet) == ["b", "c"]
    assert (plan.folders()["b"] / "out").read_text() == "ab"


def test_a_stage_that_grows_goes_on_in_its_folder_and_those_behind_it_run_again(tmp_path: Path) -> None:
    def longer(n: int) -> Plan:
        def work(doing: StageContext) -> None:
            path = doing.folder / "out"
            there = path.read_text() if path.exists() else ""
            path.write_text(there + "x" * (n - len(there)))

        return Plan(tmp_path, (Stage("a", work, grows={"n": n}), Stage("b", write("b"), needs=("a",))))

    longer(3).run(quiet)
    plan = longer(5)
    assert plan.folders()["a"] == longer(3).folders()["a"]
    assert plan.run(quiet) == ["a", "b"]
    assert (plan.folders()["b"] / "out").read_text() == "xxxxxb"


def test_a_damaged_mark_means_that_the_stage_is_not_done(tmp_path: Path) -> None:
    plan = chain(tmp_path)
    plan.run(quiet)
    (plan.folders()["b"] / "done.json").write_text("{", encoding="utf-8")
    assert plan.run(quiet) == ["b"]


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_a_stage_whose_files_are_damaged_is_done_anew_and_so_is_what_needs_it(tmp_path: Path, damage: str) -> None:
    def work(doing: StageContext) -> None:
        (doing.folder / "out").write_text("a")
        (doing.folder / "records.jsonl").write_text("{}\n")

    stages = (Stage("a", work), Stage("b", write("b"), needs=("a",)), Stage("c", write("c")))
    plan = Plan(tmp_path, stages)
    plan.run(quiet)
    records = plan.folders()["a"] / "records.jsonl"
    records.unlink() if damage == "gone" else records.write_text("{")
    assert plan.run(quiet) == ["a", "b"]


def test_forgetting_a_stage_takes_those_that_need_it_along(tmp_path: Path) -> None:
    plan = chain(tmp_path)
    plan.run(quiet)
    plan.forget(["a"])
    assert not plan.folders()["a"].exists()
    assert plan.run(quiet) == ["a", "b", "c"]
    plan.forget(["c"])
    assert plan.run(quiet) == ["c"]


def test_an_interruption_leaves_nothing_that_is_made_of_the_old_output(tmp_path: Path) -> None:
    plan = chain(tmp_path)
    plan.run(quiet)

    def interrupted(_doing: StageContext) -> None:
        raise KeyboardInterrupt

    plan.forget(["a"])
    with pytest.raises(KeyboardInterrupt):
        Plan(tmp_path, (Stage("a", interrupted, config={"messages": ""}),)).run(quiet)
    assert plan.run(quiet) == ["a", "b", "c"]


def test_two_experiments_do_not_work_in_one_folder_at_once(tmp_path: Path) -> None:
    def second(_doing: StageContext) -> None:
        chain(tmp_path).run(quiet)

    with pytest.raises(UsageError, match="another process is running an experiment there"):
        Plan(tmp_path, (Stage("first", second),)).run(quiet)
    assert chain(tmp_path).run(quiet) == ["a", "b", "c"]


def test_a_folder_that_may_not_be_changed_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = chain(tmp_path)
    plan.run(quiet)

    def refused(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("shutil.rmtree", refused)
    with pytest.raises(UsageError, match="cannot be changed: Permission denied"):
        plan.forget(["b"])


def test_a_file_in_the_place_of_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    plan = chain(tmp_path)
    folder = plan.folders()["a"]
    folder.parent.mkdir(parents=True)
    folder.write_text("mine")
    with pytest.raises(UsageError, match="is a file, but a folder is needed there"):
        plan.run(quiet)
    assert folder.read_text() == "mine"
