"""Going on from a dialogue, debugging, users shown and papers reproduced, as typed; in this process, which is quicker."""

import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.metrics.acts import acted
from trialogue.cli.app import app
from trialogue.cli.shared.progress import steps
from trialogue.errors import DataError, MissingDataError, TrialogueError, UnknownNameError, UsageError
from trialogue.records import Dialogue, read_records, write_records
from trialogue.simulation.batch.batch import Interrupted
from trialogue.simulation.users.options import METHODS

BAD = ("u:Non-disclose", "a:Elicit", "u:Disclose", "a:Fail", "u:Repeat", "a:List")


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def refused(kind: type[TrialogueError], *words: object) -> str:
    result = run(*words)
    assert isinstance(result.exception, kind), result.output
    return str(result.exception)


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    path = tmp_path / "talks.jsonl"
    write_records(path, [acted(*BAD, name=name, system="reference:popular") for name in ("one", "two")])
    return path


def test_a_dialogue_is_gone_on_with_from_the_turn_at_which_it_failed(talks: Path, tmp_path: Path) -> None:
    words = (
        "simulate",
        "--continue-from",
        talks,
        "--set",
        "dialogue=two",
        "--turn",
        2,
        "-n",
        4,
        "-o",
        tmp_path / "run",
    )
    done = run(*words)
    assert done.exit_code == 0, done.output
    assert "In two, turn 2 was not answered." in done.stdout
    assert "reference:popular, cir6-pkg: answered in 4 of 4;" in done.stdout  # it lists films whatever is said
    held = list(read_records(tmp_path / "run" / "dialogues.jsonl", Dialogue))
    assert [each.id for each in held][:1] == ["reference:popular/cir6-pkg/two@2/1"]
    begun = [(said.speaker, said.text, said.acts) for said in acted(*BAD).utterances[:3]]
    assert all([(said.speaker, said.text, said.acts) for said in each.utterances[:3]] == begun for each in held)
    assert "4 of them from the earlier run" in run(*words).output


def test_an_agent_that_a_file_describes_is_talked_to_under_the_name_that_stands_there(tmp_path: Path) -> None:
    file, other = tmp_path / "shop.yaml", tmp_path / "other.yaml"
    file.write_text("agent: 'fixed:Have you seen Heat?'\nname: shop assistant\n")
    words = ("simulate", "-a", file, "-n", 1, "-o", tmp_path / "run")
    assert run(*words).exit_code == 0
    (held,) = read_records(tmp_path / "run" / "dialogues.jsonl", Dialogue)
    assert held.system == "shop assistant"
    assert "--set 'dialogue=shop assistant/cir6-pkg/1'" in run("agents", "debug", tmp_path / "run").stdout
    other.write_text(file.read_text())
    assert "Two agents are called 'shop assistant'" in refused(UsageError, *words, "-a", other)
    file.write_text("agent: 'fixed:Have you seen Ronin?'\nname: shop assistant\n")
    assert "belongs to another simulation: content of" in refused(UsageError, *words)
    file.write_text("agent: 'fixed:Have you seen Ronin?'\ntimeout: 5\n")
    assert "There is no field 'timeout'" in refused(DataError, *words)


def test_names_of_a_study_are_known_to_whichever_user_goes_on_from_it(tmp_path: Path) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(
        f"agents: {{mine: 'fixed:Have you seen Heat?'}}\nusers: {{hasty: {{users: qrfa-single, patience: 1}}}}\nn: 1\n"
        f"catalogue: demo\nout: {tmp_path / 'run'}\n"
    )
    run("simulate", study)
    words = ("simulate", "--continue-from", tmp_path / "run", "--turn", 1, "-n", 2, "-o", tmp_path / "on")
    assert "mine, hasty: answered in 0 of 2" in run(*words).stdout
    held = list(read_records(tmp_path / "on" / "dialogues.jsonl", Dialogue))
    assert {each.ended_by for each in held} == {"user_gave_up"}  # hasty users again, not those of the default
    both = (*words[:-1], tmp_path / "both", "-a", "mine", "-a", "echo", "-u", "cir6-pkg")
    assert "mine, cir6-pkg" in (messages := run(*both).stdout)
    assert "echo, cir6-pkg" in messages


def test_what_to_go_on_from_must_be_clear(talks: Path) -> None:
    assert "choose one with --set dialogue=ID (one, two)" in refused(UsageError, "simulate", "--continue-from", talks)
    one = ("simulate", "--continue-from", talks, "--set", "dialogue=one")
    assert "--turn 4" in refused(UsageError, *one)
    assert "has 3 user turns, numbered from 1; there is no turn 9" in refused(UsageError, *one, "--turn", 9)
    write_records(talks, [acted(*BAD, name="one", system="mine")])
    assert "'mine', which is not a known agent: give an agent with --agent" in refused(UsageError, *one, "--turn", 2)
    assert "require --continue-from" in refused(UsageError, "simulate", "--turn", 2)
    assert "--continue-from does not use STUDY" in refused(UsageError, "simulate", "x.yaml", "--continue-from", talks)


def test_an_agent_is_debugged_in_words_and_in_json(talks: Path) -> None:
    words = run("agents", "debug", talks).stdout
    assert "reference:popular: 2 dialogues, 6 turns, 4 not answered (67%)" in words
    assert "--set dialogue=one --turn 2 -n 50" in words
    (found,) = json.loads(run("agents", "debug", talks, "--json").stdout)
    assert [act["act"] for act in found["acts"]] == ["Disclose", "Repeat"]
    assert found["goes_wrong"][0] == {"dialogue": "one", "turn": 2, "drop": 2}
    assert "first" in refused(UsageError, "agents", "debug", talks, "--set", "decides=frist")
    assert "no dialogues with 'mine'" in refused(DataError, "agents", "debug", talks, "--agent", "mine")


def test_users_are_shown_as_a_table_json_and_a_drawing(tmp_path: Path) -> None:
    messages = run("list", "users", "cir6-pkg/guided", "--out", tmp_path / "users.svg")
    assert "Complete → end 1.00" in messages.stdout
    assert (tmp_path / "users.svg").read_text(encoding="utf-8").startswith("<svg")
    found = json.loads(run("list", "users", "cir6-pkg/guided", "--set", "level=fine", "--json").stdout)
    assert {"from": "Complete", "to": "<end>", "count": 12} in found["transitions"]
    classes = run("list", "users", "qrfa-single").stdout
    assert "Query → " in classes
    assert "Feedback → Query" in classes  # through the agent's class between
    assert "Reveal" not in classes  # an action of CIR6
    paper = json.loads(run("list", "users", "qrfa-single", "--set", "as=paper", "--json").stdout)
    assert paper["options"]["agenda"] == "corpus"
    assert all(sum(shares.values()) == pytest.approx(1) for shares in paper["two_step"].values())
    assert "code" in refused(UnknownNameError, "list", "users", "qrfa-single", "--set", "as=book")
    assert "MI" in run("list", "users", "cir6-single").stdout
    assert (
        "MI" not in run("list", "users", "cir6-single", "--set", "as=paper").stdout
    )  # mixed initiative is no action of CIR6
    assert "coarse" in refused(UsageError, "list", "users", "cir6-pkg", "--set", "level=middle")
    assert "cir6-pkg" in refused(UnknownNameError, "list", "users", "cir6-pgk")
    assert "neither transition probabilities nor prompts" in refused(
        UsageError, "list", "users", "target-item:attributes"
    )


def test_users_cannot_be_fitted_on_dialogues_without_labels(tmp_path: Path) -> None:
    write_records(tmp_path / "plain.jsonl", [acted("u", "a")])
    said = refused(DataError, "users", "fit", "-d", tmp_path / "plain.jsonl", "-o", tmp_path / "users")
    assert "no user utterance of these dialogues has an act" in said
    assert "kdd2020" in said  # what would do
    assert not (tmp_path / "users").exists()
    words = ("users", "fit", "-d", tmp_path / "plain.jsonl", "-o", tmp_path / "plain.jsonl")
    assert "cannot be created as a folder" in refused(UsageError, *words)  # before anything is read or fitted
    assert "cir6-pkg" in refused(UnknownNameError, *words, "--method", "cir7")


@pytest.mark.mirror
def test_users_fitted_on_a_published_file_keep_its_labels_and_can_be_shown(mirror: Path, tmp_path: Path) -> None:
    file = mirror / "kdd2020" / "1224_ms.json"
    run("users", "fit", "-d", file, "--format", "kdd2020", "--method", "qrfa-single", "-o", tmp_path / "users")
    found = json.loads(run("list", "users", tmp_path / "users", "--set", "level=fine", "--json").stdout)
    assert (found["dialogues"], found["options"]["agenda"]) == (25, "qrfa-chain")
    assert "..." in {row["from"] for row in found["transitions"]}  # an odd label of the file, kept as it is


def test_the_bundled_users_are_listed_once_each() -> None:
    lines = run("list", "users").stdout.splitlines()
    assert [line.partition(" ")[0] for line in lines] == [
        "qrfa-single",
        "cir6-single",
        "cir6-pkg",
        "llm:single",
        "llm:dual",
        "llm:target-item",
        "llm:target-free",
        "llm:worded",
        "target-item:attributes",
    ]


def test_who_interrupts_learns_how_much_is_safe(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), steps():
        raise Interrupted("Interrupted: 3 of 5 dialogues are safe in runs/x/ledger.jsonl.")
    assert "3 of 5 dialogues are safe" in capsys.readouterr().err
    with pytest.raises(KeyboardInterrupt), steps():
        raise KeyboardInterrupt
    assert "unfinished files were not written" in capsys.readouterr().err


def test_waiting_times_are_kept_where_asked_for(tmp_path: Path) -> None:
    run("simulate", "-a", "echo", "-n", 1, "--set", "latency=true", "-o", tmp_path / "run")
    (held,) = read_records(tmp_path / "run" / "dialogues.jsonl", Dialogue)
    assert all("latency_s" in said.meta for said in held.utterances if said.speaker == "system")


def test_papers_that_cannot_be_reproduced_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No such command 'kdd2019'" in run("reproduce", "kdd2019").output
    assert "does not use --set as" in refused(UsageError, "simulate", "study.yaml", "--set", "as=paper")
    monkeypatch.delenv("TRIALOGUE_DATA_MIRROR", raising=False)
    monkeypatch.setenv("TRIALOGUE_DATA", str(tmp_path))
    said = refused(MissingDataError, "reproduce", "kdd2020", "-o", tmp_path / "out")
    assert "trialogue data get kdd2020 movielens-latest-small" in said


@pytest.mark.mirror
def test_the_tables_of_kdd_2020_are_printed_and_kept(mirror: Path, tmp_path: Path) -> None:
    done = run("reproduce", "kdd2020", "-n", 3, "--catalogue", "demo", "-o", tmp_path / "run")
    assert done.exit_code == 0, done.output
    assert "Real users: 12 of 12 cells" in done.stdout
    assert (tmp_path / "run" / "tables.txt").read_text(encoding="utf-8") in done.stdout
    assert len(json.loads((tmp_path / "run" / "tables.json").read_text())["cells"]) == 87
    study = (
        "study",
        "new",
        "--template",
        "realism",
        "--real",
        "kdd2020",
        "--set",
        f"per_cell={2}",
        "-o",
        tmp_path / "study",
    )
    made = run(*study, "--simulated", tmp_path / "run" / "realism" / "dialogues.jsonl")
    assert made.exit_code == 0, made.output
    items = [json.loads(line) for line in (tmp_path / "study" / "items.jsonl").read_text().splitlines()]
    cells = Counter((each["simulator"], each["agent"]) for each in items)
    assert cells == {(users, agent): 2 for users in METHODS for agent in ("and-chill", "kelly", "jmrs1")}


def test_the_published_tables_of_realism_need_no_data() -> None:
    words = run("reproduce", "kdd2020", "--published").stdout
    assert "win 27.1 [22, 33] (27)" in words  # 61 of 225
    assert "41 [37, 46]" in words  # 227 of 547


BOT = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"text": open("greeting.txt").read().strip()}), flush=True)
"""
ITEMS = "id,title,genre\n" + "".join(f"{n},Night Ferry {n},{'drama' if n % 2 else 'crime'}\n" for n in range(1, 30))
RATINGS = "user,item,rating\n" + "".join(f"u{u},{n},{1 + (u + n) % 5}\n" for u in range(4) for n in range(1, 30))


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study with a catalogue, a module, an agent's file and a command beside it, run from its own folder."""
    home = tmp_path / "home"
    (home / "study").mkdir(parents=True)
    (home / "study" / "books.csv").write_text(ITEMS)
    (home / "study" / "ratings.csv").write_text(RATINGS)
    (home / "study" / "shop_of_house.py").write_text("def reply(context):\n    return 'Have you seen Night Ferry?'\n")
    (home / "study" / "shelf.yaml").write_text("agent: 'fixed:Have you seen Blue Door?'\n")
    (home / "study" / "study.yaml").write_text(
        "agents: {code: 'shop_of_house:reply', file: {agent: shelf.yaml}, guided: 'reference:popular'}\n"
        "users: [cir6-pkg]\nn: 1\nbaselines: 0\ncatalogue: books.csv\nratings: ratings.csv\nout: ../runs/first\n"
    )
    monkeypatch.chdir(home)
    assert run("simulate", "study/study.yaml").exit_code == 0
    return home


@pytest.mark.parametrize("agent", ["code", "file", "guided"])
def test_a_dialogue_is_gone_on_with_from_another_folder_than_it_was_held_in(
    agent: str, house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Catalogue, files of agents and modules lie beside the study's file, wherever the command runs."""
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere" / "deep")
    name = f"{agent}/cir6-pkg/1"
    done = run(
        "simulate",
        "--continue-from",
        "../../home/runs/first",
        "--set",
        f"dialogue={name}",
        "--turn",
        1,
        "-n",
        1,
        "-o",
        "on",
    )
    assert done.exit_code == 0, done.output
    (held,) = read_records(Path("on") / "dialogues.jsonl", Dialogue)
    said = [each.text for each in held.utterances if each.speaker == "system"]
    assert any(
        "Night Ferry" in text or "Blue Door" in text for text in said
    )  # of the study's catalogue, not of the demo's


def test_both_may_be_moved_together(house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = house.rename(tmp_path / "moved")
    monkeypatch.chdir(tmp_path)
    words = ("--set", "dialogue=guided/cir6-pkg/1", "--turn", 1, "-n", 1, "-o", tmp_path / "on")
    done = run("simulate", "--continue-from", moved / "runs" / "first", *words)
    assert done.exit_code == 0, done.output


def test_a_command_runs_again_where_it_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "bot.py").write_text(BOT)
    (home / "greeting.txt").write_text("Have you seen Heat?\n")
    monkeypatch.chdir(home)
    words = ("-a", "subprocess:python3 bot.py", "-n", 1, "-o", "runs/one")
    assert run("simulate", *words).exit_code == 0
    monkeypatch.chdir(tmp_path)
    asked = run("agents", "debug", "home/runs/one")
    assert "trialogue simulate --continue-from home/runs/one" in asked.stdout
    on = ("--turn", 1, "-n", 1, "-o", "on", "--set", "dialogue=subprocess:python3 bot.py/cir6-pkg/1")
    done = run("simulate", "--continue-from", "home/runs/one", *on)
    assert done.exit_code == 0, done.output
    (held,) = read_records(Path("on") / "dialogues.jsonl", Dialogue)
    assert "Have you seen Heat?" in [each.text for each in held.utterances]
