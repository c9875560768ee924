"""Simulated users on the command line."""

from pathlib import Path

from tests.cli.test_commands import trialogue
from trialogue.records import Dialogue, read_records

AGENTS = ("--agent", "reference:guided", "--agent", "reference:popular")


def test_users_talk_to_agents_and_every_dialogue_says_why_it_ended(tmp_path: Path) -> None:
    done = trialogue("simulate", *AGENTS, "--users", "cir6-pkg", "-n", "3", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    dialogues = list(read_records(tmp_path / "run" / "dialogues.jsonl", Dialogue))
    assert [each.id for each in dialogues][:2] == ["reference:guided/cir6-pkg/1", "reference:guided/cir6-pkg/2"]
    assert len(dialogues) == 6
    assert all(each.ended_by for each in dialogues)


def test_two_processes_hold_the_same_dialogues_as_one(tmp_path: Path) -> None:
    for name, jobs in (("one", "1"), ("two", "2")):
        out = tmp_path / name
        done = trialogue("simulate", *AGENTS, "-u", "qrfa-single", "-n", "4", "--jobs", jobs, "--out", out)
        assert done.returncode == 0, done.stderr
    one, two = ((tmp_path / name / "dialogues.jsonl").read_bytes() for name in ("one", "two"))
    assert one == two


def test_a_finished_run_is_not_held_again_and_a_longer_one_goes_on(tmp_path: Path) -> None:
    trialogue("simulate", "-a", "reference:popular", "-n", "2", "--out", tmp_path / "run")
    done = trialogue("simulate", "-a", "reference:popular", "-n", "3", "--out", tmp_path / "run")
    assert "2 of them were there before" in done.stderr
    assert len(list(read_records(tmp_path / "run" / "dialogues.jsonl", Dialogue))) == 3


def test_an_agent_that_is_not_there_gives_recorded_failures(tmp_path: Path) -> None:
    words = ("simulate", "-a", "http://127.0.0.1:9", "--protocol", "moviebot", "-n", "2", "--out", tmp_path / "run")
    done = trialogue(*words)
    assert done.returncode == 0, done.stderr
    assert "2 ended by agent_error" in done.stdout


def test_all_mistakes_of_a_study_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("agents: [reference:giuded]\nusers: [cir6-pkg]\nn: 0\nsede: 1\n")
    done = trialogue("simulate", tmp_path / "study.yaml")
    assert done.returncode == 2
    assert "seed" in done.stderr
    assert "line 3" in done.stderr
    assert "guided" in done.stderr


def test_without_an_agent_it_says_what_to_name() -> None:
    done = trialogue("simulate")
    assert done.returncode == 2
    assert "--agent reference:guided" in done.stderr


def test_unknown_users_are_answered_with_the_known_ones(tmp_path: Path) -> None:
    done = trialogue("simulate", "-a", "reference:popular", "-u", "cir6-pgk", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "cir6-pkg" in done.stderr


def test_a_smaller_number_counts_only_the_dialogues_it_asks_for(tmp_path: Path) -> None:
    trialogue("simulate", "-a", "reference:popular", "-n", "3", "--out", tmp_path / "run")
    done = trialogue("simulate", "-a", "reference:popular", "-n", "2", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert sum(int(line.split()[0]) for line in done.stdout.splitlines() if " ended by " in line) == 2
    assert done.stderr.count("2 of 2 dialogues") == 1


def test_options_beside_a_study_take_the_place_of_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("agents: [reference:popular]\nusers: [cir6-pkg]\nn: 50\n")
    done = trialogue("simulate", tmp_path / "study.yaml", "-n", "2", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert len(list(read_records(tmp_path / "run" / "dialogues.jsonl", Dialogue))) == 2


def test_an_agent_that_stands_in_a_study_twice_is_no_slip_that_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(
        "agents: {a: echo, a: reference:popular}\nusers: [cir6-pkg]\nusers: [qrfa-single]\n"
    )
    done = trialogue("simulate", tmp_path / "study.yaml")
    assert done.returncode == 2
    assert "field users: this field stands in line 2 already" in done.stderr
