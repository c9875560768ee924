"""Studies in files, and what is said of mistakes in them."""

from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.simulation.batch.simulation_file import SimulationFile, read_study, study_of

GOOD = """
agents:
  one film: {agent: fixed, text: "Have you seen Heat?"}
  same: echo
users: [cir6-pkg, qrfa-single]
n: 500
seed: 1
jobs: 2
out: runs/mine
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "study.yaml"
    path.write_text(text)
    return path


def mistakes(folder: Path, text: str) -> list[str]:
    with pytest.raises(DataError) as raised:
        read_study(written(folder, text))
    return [str(problem).removeprefix(str(folder)) for problem in raised.value.problems]


def test_a_study_is_read(tmp_path: Path) -> None:
    study = read_study(written(tmp_path, GOOD))
    assert study.n == 500
    assert study.out == Path("runs/mine")
    assert [study.plan()[place].id for place in (0, 500, 1999)] == [
        "one film/cir6-pkg/1",
        "one film/qrfa-single/1",
        "same/qrfa-single/500",
    ]
    assert study.settings()["agent_options"] == {
        "one film": {"agent": "fixed", "text": "Have you seen Heat?"},
        "same": "echo",
    }
    assert SimulationFile.model_validate(study.to_json()) == study.relative_to(Path())


def test_names_alone_stand_for_themselves() -> None:
    study = study_of({"agents": "echo", "users": "cir6-pkg"})
    assert (study.agents, study.users, study.n) == ({"echo": "echo"}, {"cir6-pkg": "cir6-pkg"}, 100)


def test_all_mistakes_are_reported_at_once_with_their_lines_and_guesses(tmp_path: Path) -> None:
    text = "agent: echo\nusers: [cir6-pkg]\nn: 0\nsed: 3\nmax_turns: ten\njobs: true\n"
    assert mistakes(tmp_path, text) == [
        "/study.yaml, field agents: this field is required. Agents by their names in dialogues: specifications or "
        "options, as ``make_agent`` takes them.",
        "/study.yaml, line 3, field n: expected a number of at least 1, got 0.",
        "/study.yaml, line 5, field max_turns: expected a whole number, got 'ten'.",
        "/study.yaml, line 6, field jobs: expected a whole number, got True.",
        "/study.yaml, line 1, field agent: There is no field 'agent'. Did you mean 'agents'? Known: agents, at_once, "
        "baselines, catalogue, cluster, jobs, max_calls, max_cost, max_failed, max_tokens, max_turns, n, needs, out, "
        "ratings, retry_failed, seed, stop_after, users.",
        "/study.yaml, line 4, field sed: There is no field 'sed'. Did you mean 'seed'? Known: agents, at_once, "
        "baselines, catalogue, cluster, jobs, max_calls, max_cost, max_failed, max_tokens, max_turns, n, needs, out, "
        "ratings, retry_failed, seed, stop_after, users.",
    ]


def test_a_file_of_phrases_that_is_not_there_is_reported_before_anything_is_begun(tmp_path: Path) -> None:
    (messages,) = mistakes(tmp_path, "agents: [echo]\nusers:\n  a: {users: cir6-pkg, phrases: nofile.txt}\n")
    assert "line 3, field users.a.phrases: there is no file of phrases" in messages
    assert "nofile.txt" in messages


def test_users_that_cannot_be_are_reported_beside_agents_that_cannot(tmp_path: Path) -> None:
    messages = mistakes(
        tmp_path,
        "agents: [ecko]\nusers:\n  a: cir6-pgk\n  b: {users: cir6-pkg, patiense: 3}\n  c: {users: cir6-pkg, typos: 2}\n",
    )
    assert len(messages) == 4
    assert "line 1, field agents[0]: There is no agent 'ecko'. Did you mean 'echo'" in messages[0]
    assert (
        "line 3, field users.a: There is no kind of simulated users 'cir6-pgk'. Did you mean 'cir6-pkg'" in messages[1]
    )
    assert "line 4, field users.b.patiense: There is no option of simulated users 'patiense'" in messages[2]
    assert "line 5, field users.c: " in messages[3]


def test_fields_given_beside_a_file_take_the_place_of_its_own(tmp_path: Path) -> None:
    study = read_study(written(tmp_path, GOOD), n=3, out="runs/other")
    assert (study.n, study.seed, study.out) == (3, 1, Path.cwd() / "runs/other")


def test_agents_that_cannot_be_are_reported_beside_other_mistakes(tmp_path: Path) -> None:
    messages = mistakes(tmp_path, "agents:\n  a: ecko\n  b: {agent: echo, speed: 3}\n  c: 5\nusers: []\n")
    assert len(messages) == 4
    assert "line 4, field agents.c: expected a string or fields (name: value), got 5." in messages[0]
    assert "line 5, field users: expected at least 1 entry, got none." in messages[1]
    assert "line 2, field agents.a: There is no agent 'ecko'. Did you mean 'echo'" in messages[2]
    assert "line 3, field agents.b.speed: There is no field 'speed'. Known: name." in messages[3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agents: [echo, echo]\nusers: [u]\n", "a name is given twice"),
        ("agents: [{agent: echo}]\nusers: [u]\n", "a list contains names only"),
        ("- agents\n", "this file has no fields"),
        ("", "this file has no fields"),
        ("agents: [echo\n", "this is not valid YAML"),
        ("agents: \x00\n", "this is not valid YAML"),
    ],
)
def test_what_is_no_study_is_refused(text: str, message: str, tmp_path: Path) -> None:
    assert message in mistakes(tmp_path, text)[0]


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        read_study(tmp_path / "none.yaml")


def test_an_unknown_protocol_points_at_its_own_line(tmp_path: Path) -> None:
    (messages,) = mistakes(tmp_path, "agents:\n  a:\n    agent: http://x\n    protocol: moviebott\nusers: cir6-pkg\n")
    assert "line 4, field agents.a.protocol: There is no protocol 'moviebott'. Did you mean 'moviebot" in messages


def test_files_that_are_missing_are_reported_wherever_they_are_named(tmp_path: Path) -> None:
    messages = mistakes(
        tmp_path,
        "agents:\n  a: {agent: reference:guided, catalogue: a.jsonl, wording: w.yaml}\n  b: {agent: replay, file: r.jsonl}\n"
        "users: cir6-pkg\ncatalogue: nowhere.jsonl\nratings: nobody.csv\n",
    )
    assert [problem.partition(":")[0] for problem in messages] == [
        "/study.yaml, line 2, field agents.a.catalogue",
        "/study.yaml, line 2, field agents.a.wording",
        "/study.yaml, line 3, field agents.b.file",
        "/study.yaml, line 5, field catalogue",
        "/study.yaml, line 6, field ratings",
    ]


def test_paths_are_relative_to_the_file_and_what_is_written_down_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "books.jsonl").write_text('{"id": "1", "title": "Emma"}\n')
    path = written(tmp_path, "agents: [echo]\nusers: [cir6-pkg]\ncatalogue: books.jsonl\nout: runs/mine\n")
    monkeypatch.chdir("/")
    study = read_study(path)
    assert study.resolve_paths().catalogue == str(tmp_path / "books.jsonl")
    assert study.resolve_paths().out == tmp_path / "runs/mine"
    assert study.catalogue == "books.jsonl"
    monkeypatch.chdir(tmp_path)
    assert read_study("study.yaml").settings() == study.settings()
    assert read_study("study.yaml", out="elsewhere").resolve_paths().out == Path("elsewhere")
    assert read_study(path, out="elsewhere").resolve_paths().out == tmp_path / "elsewhere"


def test_agents_and_users_of_one_module_that_cannot_be_imported_are_one_line_each(tmp_path: Path) -> None:
    names = [f"v{number}" for number in range(20)]
    fields = {
        "agents": {name: f"no_such_module.{name}:Agent" for name in names},
        "users": {name: f"no_such_module.{name}:Users" for name in names},
        "out": str(tmp_path),
    }
    with pytest.raises(DataError) as caught:
        study_of(fields)
    lines = str(caught.value).splitlines()
    assert [line.split(":")[0] for line in lines] == ["field agents.v0", "field users.v0"]
    assert all("No module named 'no_such_module'" in line and "(20 times; also in fields" in line for line in lines)
