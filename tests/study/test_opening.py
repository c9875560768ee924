"""Study folders as people hand them in: new ones, broken ones, and ones that mean harm."""

import json
import sqlite3
import stat
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from tests.study.served import folder_of
from trialogue.cli.app import app
from trialogue.errors import DataError, TrialogueError, UsageError
from trialogue.records import Dialogue, Utterance, write_records
from trialogue.study.databases import backup
from trialogue.study.design import folder as items_file
from trialogue.study.design.checks import advice
from trialogue.study.design.file import preset, preset_names
from trialogue.study.design.folder import new_study, template_names, template_path
from trialogue.study.design.items import RealismItem
from trialogue.study.design.questions import text_in
from trialogue.study.design.reading import read_study, study_of
from trialogue.study.opening import read_folder, secret_key, set_up
from trialogue.study.server import preview_copy, serve
from trialogue.subjects.people.commands.items import items_for


def cli(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*(() if words[0] == "check" else ("study",)), *words])
    if isinstance(result.exception, TrialogueError):
        return 2, str(result.exception)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


@pytest.mark.parametrize("name", template_names())
def test_every_template_makes_a_study_that_can_be_served(name: str, tmp_path: Path) -> None:
    out = tmp_path / "study"
    given = ["--real", "demo", "--simulated", "demo"] if name == "realism" else []
    code, said = cli("new", "--template", name, *given, "--set", "most=5", "--out", str(out))
    assert code == 0, said
    file, items, _ = read_folder(out)
    assert 0 < len(items) <= 5
    notes = [note.partition(":")[0] for note in advice(file)]
    # INFACT has one check, and refuses nobody's payment
    few = ["There are fewer attention checks than a rejection requires"] if name == "infact" else []
    assert notes == ["The consent text is still that of the template", *few]
    code, said = cli("check", str(out))
    assert code == 0
    assert "Participants needed" in said
    assert cli("new", "--template", name, *given, "--out", str(out)) == (
        2,
        f"{out / 'study.yaml'} exists already. Choose another folder with --out.",
    )


def test_presets_are_questions_and_bands_of_age_do_not_overlap() -> None:
    assert all(preset(name) for name in preset_names())
    age = next(question for question in preset("infact-demographics") if question.name == "age")
    bands = [tuple(map(int, option.value.split("-"))) for option in age.options if "-" in option.value]
    assert all(before[1] < after[0] for before, after in pairwise(bands))


PAPER = {  # Tables 1 and 2 of INFACT, the first word of each category in the paper's order
    "gender": ["Male", "Female", "Other"],
    "english": ["Beginner", "Intermediate", "Fluent", "Advanced"],
    "education": ["High school or less", "Bachelor's degree", "Master's degree", "Doctorate", "Other"],
    "films_watched": ["Every day", "Several times a week", "Once a week", "Once every few weeks", "Less often"],
    "used_chatbot": ["Yes", "No"],
    "used_crs": ["Yes", "No"],
}


def test_the_infact_template_has_the_papers_order_counts_categories_and_frames() -> None:
    with template_path("infact") as path:
        file = study_of(yaml.safe_load(path.read_text("utf-8")))
    assert file.phases == ("consent", "instructions", "tasks", "after", "exit")
    assert file.tasks_per_participant == 10  # one of them the check
    assert (file.attention.checks, file.attention.about, file.exclusion[0]) == (1, "one_reply", "failed_checks")
    experience, about, last = (page.questions for page in file.after)
    assert [question.name for question in last] == ["remarks"]
    for question in about:
        shown = [text_in(option.label, "en") for option in question.options]
        assert (
            question.name == "age" or [each for each in shown if each != "I prefer not to say"] == PAPER[question.name]
        )
    framed = [question.name for question in experience if "only the best response" in text_in(question.question, "en")]
    assert framed == ["useful", "would_use"]
    assert all(len(question.options) == 5 for question in experience)
    assert all(
        text_in(question.question, "de") != text_in(question.question, "en") for question in [*experience, *about]
    )
    assert "quot" not in str(file.instructions)


def test_a_realism_study_needs_people_and_simulated_users() -> None:
    with pytest.raises(UsageError, match="--real"):
        items_for("realism")


def dialogues(path: Path, system: str, said: str) -> str:
    """A file with one dialogue of a system, whose id is that of every other system's first."""
    talk = [{"speaker": "user", "text": "Hi"}, {"speaker": "system", "text": said}]
    write_records(path, [Dialogue.model_validate({"id": "1", "system": system, "utterances": talk})])
    return str(path)


def talk(name: str, system: str, said: str, source: str | None = None) -> Dialogue:
    turns = [{"speaker": "user", "text": said}, {"speaker": "system", "text": f"{system} to {said}"}]
    fields = {"id": name, "system": system, "utterances": turns, "source": source}
    return Dialogue.model_validate(fields)


def test_pairs_are_stratified_and_a_replay_goes_with_the_dialogues_that_it_replays(tmp_path: Path) -> None:
    people = [talk(f"{system}-{n}", system, f"person {n}") for system in ("kelly", "jmrs1") for n in range(4)]
    users = [
        talk(f"{system}/{kind}/{n}", system, f"{kind} {n}", f"simulated/{kind}")
        for system, times in (("replay:kelly", 9), ("replay:jmrs1", 5))
        for kind in ("qrfa-single", "cir6-pkg")
        for n in range(times)
    ]
    write_records(tmp_path / "people.jsonl", people)
    write_records(tmp_path / "users.jsonl", users)
    notes: list[str] = []
    given = {"human": [tmp_path / "people.jsonl"], "simulated": [tmp_path / "users.jsonl"]}

    def drawn(**limits: int) -> tuple[Counter[tuple[str, str]], Counter[str]]:
        items = [
            item
            for item in items_for("realism", **given, note=lambda each: notes.append(str(each)), **limits)  # type: ignore[arg-type]
            if isinstance(item, RealismItem)
        ]
        return Counter((item.simulator, item.agent) for item in items), Counter(str(item.dialogue_id) for item in items)

    cells, beside = drawn(per_cell=4)
    assert cells == {(kind, agent): 4 for kind in ("qrfa-single", "cir6-pkg") for agent in ("kelly", "jmrs1")}
    assert set(beside.values()) == {2}  # each of 4 human dialogues beside 2 of 8 simulated ones
    assert "16 of 28 simulated dialogues are drawn, at most 4 per simulator and agent" in notes[0]
    assert set(drawn(per_cell=25, most=8)[0].values()) == {2}


def test_dialogues_of_two_systems_with_the_same_id_are_labelled_and_compared_apart(tmp_path: Path) -> None:
    a, b = dialogues(tmp_path / "a.jsonl", "aria", "Hello"), dialogues(tmp_path / "b.jsonl", "bolt", "Yes?")
    assert [item.dialogue for item in items_for("labelling", [a, b])] == ["aria/1", "bolt/1"]
    assert [item.dialogue for item in items_for("labelling", [a])] == ["1"]


def test_a_realism_pair_is_of_one_agent_or_refused_with_the_agents_of_both_sides(tmp_path: Path) -> None:
    a, b = dialogues(tmp_path / "a.jsonl", "aria", "Hello"), dialogues(tmp_path / "b.jsonl", "bolt", "Yes?")
    with pytest.raises(DataError, match=r"agent bolt.*human dialogues: aria.*same agent(.|\n)*--simulated NAME=FILE"):
        items_for("realism", human=[a], simulated=[b])
    assert len(items_for("realism", human=[f"one={a}"], simulated=[f"one={b}"])) == 1
    another = dialogues(tmp_path / "c.jsonl", "aria", "Good day")
    messages: list[str] = []
    (pair,) = items_for("realism", human=[a], simulated=[another, b], note=lambda each: messages.append(str(each)))
    assert isinstance(pair, RealismItem)
    assert pair.agent == "aria"
    assert len(messages) == 1
    assert "1 simulated dialogue (agent bolt)" in messages[0]


def test_a_simulator_is_the_kind_of_users_not_the_code_of_one_dialogue(tmp_path: Path) -> None:
    people = dialogues(tmp_path / "a.jsonl", "aria", "Hello")
    robots = tmp_path / "b.jsonl"
    talk = (Utterance(speaker="user", text="Hi"), Utterance(speaker="system", text="Yes?"))
    write_records(
        robots,
        [
            Dialogue(id=f"s{n}", system="aria", user=f"{n}/7", source="simulated/cir6", utterances=talk)
            for n in range(3)
        ],
    )
    pairs = items_for("realism", human=[people], simulated=[robots])
    assert [pair.simulator for pair in pairs if isinstance(pair, RealismItem)] == ["cir6"] * 3


def test_what_no_page_can_show_is_reported_before_there_is_a_study(tmp_path: Path) -> None:
    long, silent = dialogues(tmp_path / "a.jsonl", "aria", "x" * 20_001), tmp_path / "b.jsonl"
    with pytest.raises(DataError, match=r"item aria/1#1.*at most 20000 characters"):
        items_for("labelling", [long])
    write_records(silent, [Dialogue(id="2", system="aria", utterances=())])
    with pytest.raises(DataError, match="at least one dialogue with a human user"):
        items_for("realism", human=[silent], simulated=[dialogues(tmp_path / "c.jsonl", "aria", "Hello")])


def test_nobody_sees_a_persons_dialogue_in_two_pairs_and_all_are_taken_equally_often() -> None:
    pairs = items_for("realism", human=["demo"], simulated=["demo"])
    taken = Counter(pair.dialogue for pair in pairs)
    assert {pair.dialogue for pair in pairs} == {pair.human.id for pair in pairs if isinstance(pair, RealismItem)}
    assert max(taken.values()) - min(taken.values()) <= 2  # without the chance that drew with replacement


def test_as_many_people_are_needed_as_may_see_items_of_one_dialogue(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "study", items=4, raters_per_item=3, items_per_participant=3)
    assert "4, with 3 items each" in cli("check", str(folder))[1]  # 4 items x 3 people / 3
    rows = [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]
    (folder / "items.jsonl").write_text("".join(json.dumps({**row, "dialogue_id": "d"}) + "\n" for row in rows))
    said = cli("check", str(folder))[1]
    assert "12, with 1 item each" in said  # of one dialogue nobody sees two
    assert "items_per_participant is 3, but a participant can be shown at most 1." in said


def test_languages_without_words_of_ours_and_the_templates_consent_are_reported() -> None:
    own = {"study": "s", "title": "T", "type": "preference", "phases": ["tasks", "exit"], "attention": {"checks": 0}}
    messages = advice(study_of({**own, "language": "de-at", "languages": ["ar"]}))
    assert [note for note in messages if "'ar'" in note and "shown in English" in note] != []
    assert not [note for note in messages if "de-at" in note]


def test_the_same_seed_draws_the_same_items() -> None:
    assert items_for("rating", most=4, seed=3) == items_for("rating", most=4, seed=3)
    assert items_for("rating", most=4, seed=3) != items_for("rating", most=4, seed=4)


def test_an_unknown_template_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'rating'"):
        new_study(tmp_path, "ratings", [])
    with pytest.raises(UsageError), template_path("../file"):
        pass


def test_a_study_of_conversations_takes_the_systems_that_are_named(tmp_path: Path) -> None:
    agents = {"mine": "http://localhost:5001", 'the "old" one: 2': "my_bot:Bot"}
    folder = new_study(tmp_path / "study", "chat", items_for("chat", agents=list(agents)), agents=agents)
    file, items, _ = read_folder(folder)
    assert file.agents == agents
    assert [item.systems for item in items] == [("mine",), ('the "old" one: 2',)]
    with pytest.raises(UsageError, match="one list of agents"):
        new_study(tmp_path / "other", "rating", [], agents=agents)
    assert not (tmp_path / "other").exists()


def test_the_items_file_lies_in_the_folder(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "study", items=1)
    text = (folder / "study.yaml").read_text()
    for outside in ("../other.jsonl", "/etc/passwd"):
        (folder / "study.yaml").write_text(text + f"\nitems: {outside}\n")
        with pytest.raises(DataError, match="outside the study"):
            read_folder(folder)


def test_a_file_that_refers_to_itself_without_end_is_refused_quickly(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 20)]
    (tmp_path / "study.yaml").write_text("\n".join(lines))
    with pytest.raises(DataError, match="too large"):
        read_study(tmp_path)
    (tmp_path / "study.yaml").write_text("title: !!python/object/apply:os.system [ls]\n")
    with pytest.raises(DataError, match="not valid YAML"):
        read_study(tmp_path)


def test_more_items_than_a_study_can_have_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path / "study", items=12)
    monkeypatch.setattr(items_file, "MAX_ITEMS", 10)
    with pytest.raises(DataError, match="more than 10 items"):
        read_folder(folder)


def test_every_mistake_of_the_items_is_reported_with_its_line(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "study", items=2)
    path = folder / "items.jsonl"
    first = path.read_text().splitlines()[0]
    path.write_text("\n".join([first, first, "[]", "{", json.dumps({"key": "x"}), "", first.replace("item-0", "y")]))
    with pytest.raises(DataError) as caught:
        read_folder(folder)
    messages = {problem.line for problem in caught.value.problems}
    assert {2, 3, 4, 5} <= messages
    assert 7 not in messages


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = secret_key(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = path.read_text()
    assert len(key.strip()) >= 50
    assert secret_key(tmp_path).read_text() == key
    path.chmod(0o644)
    with pytest.raises(UsageError, match="chmod 600"):
        secret_key(tmp_path)
    path.chmod(0o600)
    path.write_text("django-insecure")
    with pytest.raises(UsageError, match="no secret"):
        secret_key(tmp_path)


@pytest.mark.parametrize("host", ["*", ".example.org", "*.example.org"])
def test_hosts_without_a_name_are_refused(host: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Name the hosts"):
        set_up(tmp_path, hosts=[host])


def test_listening_to_the_world_needs_a_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--name"):
        serve(tmp_path, host="0.0.0.0")


def test_a_preview_is_the_study_without_its_platform(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "study", items=2, platform={"name": "prolific", "signed": True})
    before = sorted(path.name for path in folder.iterdir())
    room = tmp_path / "room"
    room.mkdir()
    file, items, _ = read_folder(preview_copy(folder, room))
    assert (file.platform.name, file.platform.signed, len(items)) == ("none", False, 2)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_backup_replaces_nothing_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    out = tmp_path / "copy.sqlite3"
    with pytest.raises(UsageError, match="does not exist: this study has not been served"):
        backup(tmp_path, out)
    (tmp_path / "study.sqlite3").write_bytes(b"SQLite format 3\x00" + b"?" * 5000)
    with pytest.raises(UsageError, match="cannot be copied"):
        backup(tmp_path, out)
    assert [path.name for path in tmp_path.iterdir()] == ["study.sqlite3"]
    (tmp_path / "study.sqlite3").unlink()
    with sqlite3.connect(tmp_path / "study.sqlite3") as connection:
        connection.execute("create table t (x)")
    connection.close()
    assert backup(tmp_path, out) == out
    with pytest.raises(UsageError, match="already exists, and"):
        backup(tmp_path, out)


def test_links_are_signed_for_one_person_each(tmp_path: Path) -> None:
    from urllib.parse import parse_qsl, urlsplit

    from trialogue.study.design.platforms import verify

    folder = folder_of(tmp_path / "open", items=1)
    assert (
        "Warning: anyone with the study URL"
        in cli("recruit", str(folder), "links", "anna", "--base", "https://study.example.org/")[1]
    )
    folder = folder_of(tmp_path / "study", items=1, platform={"signed": True})
    code, said = cli("recruit", str(folder), "links", "anna", "ben", "--base", "https://study.example.org/")
    assert code == 0
    key = (folder / "secret.key").read_text().strip()
    found = [dict(parse_qsl(urlsplit(line).query)) for line in said.split()]
    assert [each["id"] for each in found] == ["anna", "ben"]
    assert all(verify(each, study="rating", key=key) for each in found)
    assert not verify({**found[0], "id": "ben"}, study="rating", key=key)


def test_yes_and_no_without_quotes_get_advice() -> None:
    page = {"heading": "You", "questions": [{"name": "adult", "question": "18?", "choice": [True, False]}]}
    fields = {"study": "s", "title": "T", "type": "preference", "phases": ["tasks", "after", "exit"], "after": [page]}
    with pytest.raises(DataError, match="Put it in quotes: YAML reads Yes, No, On and Off as true and false"):
        study_of(fields)


def test_a_mistake_within_a_page_is_reported_at_its_own_line_and_in_our_words(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(
        "study: s\ntitle: T\ntype: preference\nphases: [tasks, after, exit]\nafter:\n- heading: You\n  questions:\n"
        "  - name: age\n    question: How old?\n    nubmer: {}\n  - name: 5\n    question: Why?\n    text: {lines: many}\n"
        "minutes: 0\n"
    )
    with pytest.raises(DataError) as raised:
        read_study(path)
    messages = {problem.field: (problem.line, problem.what) for problem in raised.value.problems}
    assert messages["after[0].questions[0].nubmer"][0] == 10
    assert messages["after[0].questions[1].name"] == (11, "expected a string, got 5.")
    assert messages["after[0].questions[1].text.lines"] == (13, "expected a whole number, got 'many'.")
    assert messages["minutes"] == (14, "expected a number above 0, got 0.")


def test_conversations_of_two_versions_are_rated_or_compared_each_once(tmp_path: Path) -> None:
    """300 chats of each version, of which 100 had the same tasks; and two more of one of them."""
    counts = {"old": [*range(300)], "new": [*range(200, 502)]}
    for version, numbers in counts.items():
        lines = [
            {"id": f"c{n}", "utterances": [{"speaker": "user", "text": "Hi."}, {"speaker": "system", "text": version}]}
            for n in numbers
        ]
        (tmp_path / f"{version}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    files = [f"{version}={tmp_path / version}.jsonl" for version in counts]
    notes: list[str] = []
    pairs = items_for("preference", files, whole=True, note=lambda each: notes.append(str(each)))
    shown = [tuple(talk.id.rpartition("/")[2] for talk in (item.dialogues or {}).values()) for item in pairs]  # type: ignore[union-attr]
    assert len(pairs) == len({old for old, _ in shown}) == len({new for _, new in shown}) == 300
    assert sum(a == b for a, b in shown) == 100
    assert notes == ["2 dialogues of new are left out: the other system has no dialogue to compare with them."]
    assert len(items_for("rating", files, whole=True)) == 602
    new_study(tmp_path / "s", "conversations-preference", pairs)
    new_study(tmp_path / "t", "conversations-rating", items_for("rating", files, whole=True))
    with pytest.raises(DataError, match="which needs dialogues of two systems"):
        items_for("preference", files[:1], whole=True)
