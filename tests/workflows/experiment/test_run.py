"""Experiments from end to end, on what is bundled."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from trialogue.errors import DataError, UnknownNameError
from trialogue.findings import StatementKind
from trialogue.records import Dialogue, Score, Utterance, write_records
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.pages.write import read_findings
from trialogue.subjects.simulated_users.commands.beside import read_passport
from trialogue.subjects.simulated_users.records import PassportPart
from trialogue.workflows.experiment import experiment_of, plan_steps, plan_text, run_experiment
from trialogue.workflows.experiment.run import ExperimentResult

FAST = {"metrics": ["turns", "repetition"], "resamples": 100, "seed": 1}


def small(out: Path, **more: Any) -> dict[str, Any]:
    """Two agents, named as two of the systems that people talked to; one kind of users; the bundled conversations."""
    agents = {"aria": "reference:popular", "bolt": "echo"}
    simulate = {"agents": agents, "users": ["cir6-pkg"], "n": 10, "max_turns": 5}
    return {"out": str(out), "simulate": simulate, "dialogues": ["demo"], **FAST, **more}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an experiment that was run."""
    folder = tmp_path_factory.mktemp("experiment")
    run_experiment(experiment_of(small(folder)))
    return folder


@pytest.fixture(scope="module")
def again(done: Path) -> ExperimentResult:
    """What running it once more gives, with nothing left to do."""
    return run_experiment(experiment_of(small(done)))


@pytest.fixture(scope="module")
def without_people(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ExperimentResult]:
    """The folder of an experiment with simulated users alone, to be copied, and what running it gave."""
    folder = tmp_path_factory.mktemp("without people")
    return folder, run_experiment(experiment_of(small(folder, dialogues=[])))


def test_people_and_simulated_users_stand_side_by_side(again: ExperimentResult) -> None:
    assert again.ran == ()
    judges = {league.measure.by for league in again.findings.leagues}
    assert judges == {"people", "simulation", "metric"}
    names = [league.measure.name for league in again.findings.leagues]
    assert "cir6-pkg: repetition@self|v1" in names
    assert "repetition@self|v1" in names
    assert len(set(names)) == len(names)
    assert {facts.system for facts in again.findings.systems} == {"aria", "bolt", "chip"}


def test_the_report_says_whether_measures_agree_with_people_and_users_are_like_them(
    done: Path, again: ExperimentResult
) -> None:
    sections = again.findings.sections
    assert [section.title for section in sections] == [
        "Do the three agree?",
        "Do measures agree with people?",
        "Are simulated users like people? (cir6-pkg)",
        "Passport of the simulated users (cir6-pkg)",
    ]
    for section in sections[1:]:
        assert section.page is not None
        assert (done / section.page).is_file()
        assert all(len(row) == len(section.heads) for row in section.rows)


def test_the_passport_of_the_users_says_what_these_dialogues_show_and_what_they_do_not(
    done: Path, again: ExperimentResult
) -> None:
    section = again.findings.sections[-1]
    said = {part: (text, dialogues) for part, text, dialogues in section.rows}
    assert len(said) == len(PassportPart)
    (folder,) = done.glob("stages/passport-*")
    found = read_passport(folder / "passport.json")
    assert found.users == "cir6-pkg"
    assert found.behavior is not None
    # Aria and Bolt stand on both sides; the baselines that are run beside them are nobody's users.
    assert {system for order in found.orders for system in [each.system for each in order.ranks]} <= {"aria", "bolt"}
    missing = {each.part for each in found.missing}
    assert {PassportPart.KNOWN_GROUPS, PassportPart.STABILITY} <= missing
    assert PassportPart.BEHAVIOR not in missing


def test_no_passport_is_written_where_none_is_asked_for_or_users_are_not_compared(tmp_path: Path) -> None:
    for more in ({"passport": False}, {"realism": False}):
        steps = plan_steps(experiment_of(small(tmp_path / "new", **more)))
        assert "passport-cir6-pkg" not in [step.name for step in steps]


def test_the_report_holds_what_was_judged_measured_and_simulated_against_each_other(again: ExperimentResult) -> None:
    section = again.findings.sections[0]
    shared = {row[1]: row[2:4] for row in section.rows}
    assert shared == {
        "judged ~ measured": (3, "too few systems"),
        "judged ~ simulated": (2, "too few systems"),
        "measured ~ simulated": (2, "too few systems"),
    }
    assert ("Satisfaction (invented people) ~ Repetition", "judged ~ measured") in [row[:2] for row in section.rows]


def test_after_a_run_a_dry_run_rests_on_it(done: Path) -> None:
    run_experiment(experiment_of(small(done)))
    assert [step.name for step in plan_steps(experiment_of(small(done))) if step.takes is not None] == ["report"]
    given = small(done)
    given["simulate"]["n"] = 13
    steps = plan_steps(experiment_of(given))
    assert all(step.takes.measured for step in steps if step.takes is not None)
    agents = steps[0].takes.agents if steps[0].takes else ()
    assert [(each.agent, each.dialogues) for each in agents] == [("aria", 3), ("bolt", 3)]
    assert "as measured here" in plan_text(steps)
    assert "reference rates" not in plan_text(steps).lower()


def test_threats_to_the_verdicts_on_simulated_users_say_whose_they_are(again: ExperimentResult) -> None:
    threats = again.findings.threats
    simulated = [threat for threat in threats if threat.users == "cir6-pkg"]
    assert simulated
    assert all(threat.measure is None or threat.measure.startswith("cir6-pkg: ") for threat in simulated)


def test_without_people_the_report_says_that_nobody_judged(without_people: tuple[Path, ExperimentResult]) -> None:
    found = without_people[1].findings
    assert found.answer[-1].kind_of is StatementKind.SCOPE
    assert found.primary is None  # replies of two recommenders alone decide nothing
    assert {league.measure.users for league in found.leagues} == {"cir6-pkg"}
    assert not found.sections


def test_another_metric_simulates_and_reads_nothing_again(done: Path) -> None:
    again = run_experiment(experiment_of(small(done, metrics=["repetition"])))
    assert again.ran == ("measure-simulated-cir6-pkg", "measure-people", "agree", "columns")


def test_another_title_runs_no_stage_again(done: Path) -> None:
    again = run_experiment(experiment_of(small(done, title="A better title")))
    assert again.ran == ()
    assert again.findings.title == "A better title"


def test_more_dialogues_go_on_from_those_that_are_there(
    without_people: tuple[Path, ExperimentResult], tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(without_people[0], folder)
    given = small(folder, dialogues=[])
    (file,) = folder.glob("stages/simulate-*/dialogues.jsonl")
    before = file.read_text(encoding="utf-8").splitlines()
    given["simulate"]["n"] = 11
    assert "simulate" in run_experiment(experiment_of(given)).ran
    after = file.read_text(encoding="utf-8").splitlines()
    assert len(after) == 22  # 2 agents x 11
    assert set(before) <= set(after)


def test_the_same_experiment_gives_the_same_bytes(done: Path, two: tuple[Path, Path]) -> None:
    run_experiment(experiment_of(small(done)))
    for name in ("findings.json", "summary.csv", "report.html"):
        assert (done / name).read_bytes() == (two[0] / name).read_bytes()


def test_a_dry_run_says_what_is_there_and_does_nothing(tmp_path: Path) -> None:
    steps = plan_steps(experiment_of(small(tmp_path / "new")))
    assert [step.name for step in steps] == [
        "simulate",
        "simulated-cir6-pkg",
        "measure-simulated-cir6-pkg",
        "people",
        "measure-people",
        "agree",
        "realism-cir6-pkg",
        "passport-cir6-pkg",
        "columns",
        "report",
    ]
    assert not any(step.there for step in steps)
    assert not (tmp_path / "new").exists()


def test_a_stage_can_be_done_again_and_an_unknown_one_is_reported(done: Path) -> None:
    assert "measure-people" in run_experiment(experiment_of(small(done)), again=("measure-people",)).ran
    with pytest.raises(UnknownNameError, match="measure-people"):
        run_experiment(experiment_of(small(done)), again=("measure-poeple",))


def test_an_agent_whose_code_changed_talks_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    code = "def agent(history):\n    return 'hello'\n"
    (tmp_path / "my_crs_under_test.py").write_text(code, encoding="utf-8")
    simulate = {"agents": {"mine": "my_crs_under_test:agent"}, "users": ["cir6-pkg"], "n": 1, "max_turns": 2}
    given = experiment_of({"out": str(tmp_path / "out"), "simulate": simulate, **FAST})
    before = [step.folder for step in plan_steps(given)]
    (tmp_path / "my_crs_under_test.py").write_text(code.replace("hello", "hi"), encoding="utf-8")
    assert before[0] != plan_steps(given)[0].folder


def test_a_catalogue_that_changed_is_talked_about_anew(tmp_path: Path) -> None:
    books = tmp_path / "books.jsonl"
    simulate = {"agents": ["echo"], "users": ["cir6-pkg"], "n": 1, "catalogue": str(books)}
    folders = []
    for title in ("Emma", "Persuasion"):
        books.write_text(f'{{"id": "1", "title": "{title}"}}\n', encoding="utf-8")
        folders.append(
            plan_steps(experiment_of({"out": str(tmp_path / "out"), "simulate": simulate, **FAST}))[0].folder
        )
    assert folders[0] != folders[1]


def test_one_rating_without_conversations_gives_no_verdict(tmp_path: Path) -> None:
    score = Score(
        measure="human:satisfaction", level="dialogue", value=1.0, system="crs", dialogue_id="talk", rater="p"
    )
    write_records(tmp_path / "only.jsonl", [score])
    given = {"out": str(tmp_path / "out"), "dialogues": str(tmp_path / "only.jsonl"), **FAST}
    found = run_experiment(experiment_of(given))
    assert "there is no second system to compare" in str(found.findings.answer[0])


def test_kinds_of_users_with_odd_names_have_stages_of_their_own(tmp_path: Path) -> None:
    names = ["a/b", "a-b", "a b", "x" * 300, "x" * 301, "../up"]
    simulate = {"agents": ["echo"], "users": dict.fromkeys(names, "cir6-pkg"), "n": 1}
    *steps, _report = plan_steps(experiment_of({"out": str(tmp_path), "simulate": simulate, **FAST}))
    assert len({step.folder for step in steps}) == len(steps) == 1 + 2 * len(names)
    assert all(step.folder.parent == tmp_path / "stages" and len(step.folder.name) < 200 for step in steps)


def test_what_is_linked_to_a_catalogue_that_changed_is_linked_anew(tmp_path: Path) -> None:
    films = tmp_path / "films.csv"
    folders = []
    for title in ("Heat", "Emma"):
        films.write_text(f"id,title\n1,{title}\n", encoding="utf-8")
        folders.append(
            plan_steps(experiment_of({"out": str(tmp_path), "dialogues": "demo", "catalogue": str(films)}))[0].folder
        )
    assert folders[0] != folders[1]


def test_talks_held_again_are_measured_again(without_people: tuple[Path, ExperimentResult], tmp_path: Path) -> None:
    shutil.copytree(without_people[0], tmp_path / "copy")
    given = experiment_of(small(tmp_path / "copy", dialogues=[]))
    assert run_experiment(given).ran == ()
    assert run_experiment(given, again=("simulate",)).ran == (
        "simulate",
        "simulated-cir6-pkg",
        "measure-simulated-cir6-pkg",
    )


def test_an_agent_that_failed_in_every_dialogue_is_named_and_the_report_is_still_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_broken_crs.py").write_text("def agent(message):\n    return 1 / 0\n", encoding="utf-8")
    simulate = {"agents": {"broken": "my_broken_crs:agent", "popular": "reference:popular"}, "users": ["cir6-pkg"]}
    given = experiment_of({"out": str(tmp_path / "out"), "simulate": {**simulate, "n": 3, "max_turns": 3}, **FAST})
    found = run_experiment(given)
    assert [str(each) for each in found.always_failed] == [
        "agent 'broken' failed in all of its 3 dialogues with cir6-pkg. To test it alone: trialogue agents check AGENT"
    ]
    assert found.report.is_file()
    assert run_experiment(given).always_failed == found.always_failed  # nothing ran again, and it is still said


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folders of two experiments whose agents differ."""
    before, after = tmp_path_factory.mktemp("before"), tmp_path_factory.mktemp("after")
    run_experiment(experiment_of(small(before)))
    given = small(after)
    given["simulate"]["agents"] = {"aria": "reference:guided", "bolt": "echo"}
    run_experiment(experiment_of(given))
    return before, after


def test_two_experiments_are_compared_on_measures_of_people_and_of_simulated_users(two: tuple[Path, Path]) -> None:
    found = compare(*two, systems=["aria"], resamples=100).comparison
    assert found.notes[0] == "Compared: the measures of the stages measure-people, measure-simulated-cir6-pkg."
    by_measure = {each.measure: each for each in found.judgements}
    assert "human:satisfaction" in by_measure
    # people talked to the same systems in both: nothing moved there; simulated users talked to another agent
    assert by_measure["repetition@self|v1"].difference.value == pytest.approx(0)
    own = {folder: read_findings(next(folder.glob("stages/measure-simulated-*"))) for folder in two}
    before, after = (
        next(
            standing.estimate.value
            for league in own[folder].leagues
            for standing in league.standings
            if (league.measure.name, standing.system) == ("repetition@self|v1", "aria")
        )
        for folder in two
    )
    assert before is not None
    assert after is not None
    assert by_measure["cir6-pkg: repetition@self|v1"].difference.value == pytest.approx(after - before)


def test_an_experiment_without_the_scores_of_a_stage_says_what_to_do(two: tuple[Path, Path], tmp_path: Path) -> None:
    shutil.copytree(two[0], tmp_path / "copy")
    next((tmp_path / "copy").glob("stages/measure-people-*/scores.jsonl")).unlink()
    with pytest.raises(
        DataError,
        match=r"(?s)scores.jsonl: this file of the run is missing.*trialogue run repeats only what is missing",
    ):
        compare(tmp_path / "copy", two[1], systems=["aria"])


def test_a_stage_of_another_experiment_or_a_changed_one_is_refused(two: tuple[Path, Path], tmp_path: Path) -> None:
    shutil.copytree(two[0], tmp_path / "copy")
    stage = next((tmp_path / "copy").glob("stages/measure-people-*"))
    other = next(two[1].glob("stages/measure-simulated-*"))  # whole, and its own seals fit
    shutil.rmtree(stage)
    shutil.copytree(other, stage)
    with pytest.raises(DataError, match="the report is of another run of this stage: expected seal"):
        compare(tmp_path / "copy", two[1], systems=["aria"])
    (tmp_path / "copy" / "measured.json").write_text("[]")
    with pytest.raises(DataError, match=r"measured.json: this file of the run was changed"):
        compare(tmp_path / "copy", two[1], systems=["aria"])


def test_a_system_that_failed_in_every_dialogue_that_was_read_is_named_too(tmp_path: Path) -> None:
    said = (Utterance(speaker="user", text="hi"), Utterance(speaker="system", text="hello"))
    dialogues = [
        Dialogue(id=f"{system}-{number}", system=system, utterances=said, ended_by=ending)
        for number in range(3)
        for system, ending in (("broken", "agent_error"), ("fine", "agent_ended"))
    ]
    write_records(tmp_path / "talks.jsonl", dialogues)
    found = run_experiment(
        experiment_of({"out": str(tmp_path / "out"), "dialogues": str(tmp_path / "talks.jsonl"), **FAST})
    )
    assert [(each.agent, each.dialogues) for each in found.always_failed] == [("broken", 3)]
