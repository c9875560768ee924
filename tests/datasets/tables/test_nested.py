"""Nested JSON laid out as a table: published layouts, paths, who speaks, what is left out, and mistakes."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.datasets.tables.test_format import mistakes, read, write
from trialogue.datasets import Repairs
from trialogue.datasets.tables.format import guess_mapping, load_mapping, proposal, table_format
from trialogue.datasets.tables.mapping import Mapping
from trialogue.errors import DataError
from trialogue.inputs.locations import resolve
from trialogue.records import Dialogue
from trialogue.workflows.mapped import mapping_of

GALLERY = Path(__file__).parents[3] / "examples" / "mappings"
TURNS = {"messages": "turns", "dialogue": "id", "speaker": "turns.who", "text": "turns.say"}


def made(folder: Path, value: Any, name: str = "made.json") -> Path:
    return write(folder, json.dumps(value, indent=1), name)


def dialogues(path: Path, mapping: Any) -> list[Dialogue]:
    return [record for record in read(path, mapping)[0] if isinstance(record, Dialogue)]


def lines(dialogue: Dialogue) -> list[str]:
    return [f"{said.speaker}: {said.text}" for said in dialogue.utterances]


@pytest.mark.parametrize(
    ("file", "ids", "sizes", "first", "system"),
    [
        ("tg-redial.json", list("01234"), [4, 6, 4, 4, 6], "system: 周末打算做什么?", "TG-ReDial"),
        (
            "opendialkg.csv",
            [f"opendialkg-{n}" for n in range(1, 6)],
            [3, 4, 2, 3, 4],
            "user: Anything new by the author of The Salt Road?",
            "OpenDialKG",
        ),
        (
            "pearl.jsonl",
            [f"pearl-{n}" for n in range(1, 6)],
            [3, 5, 3, 4, 3],
            "user: I want something about craft.",
            "PEARL",
        ),
        (
            "reddit-movie.csv",
            [f"t3_inv{n}_0" for n in range(1, 6)],
            [3, 2, 4, 2, 3],
            "user: Looking for heist films where nobody gets hurt.",
            "Reddit",
        ),
        ("sgd.json", [f"{n}_00000" for n in range(1, 6)], [4, 4, 4, 2, 6], "user: Find me a comedy nearby.", "SGD"),
        (
            "taskmaster.json",
            [f"dlg-invented-{n}" for n in range(1, 6)],
            [4, 6, 3, 3, 5],
            "user: Hi, what is playing today?",
            "Taskmaster",
        ),
    ],
)
def test_published_layouts_are_read_with_their_mappings(
    file: str, ids: list[str], sizes: list[int], first: str, system: str
) -> None:
    path = GALLERY / file
    given_ = resolve(str(path), mapping=path.with_suffix(".yaml"))
    found = [record for record in given_.records(Repairs()) if isinstance(record, Dialogue)]
    assert [each.id for each in found] == ids
    assert [len(each.utterances) for each in found] == sizes
    assert lines(found[0])[0] == first
    assert {each.system for each in found} == {system}
    assert all({said.speaker for said in each.utterances} == {"user", "system"} for each in found)


def test_what_the_layouts_hold_beside_the_texts_is_kept_or_named() -> None:
    def of(name: str) -> tuple[list[Dialogue], str]:
        path = next(each for each in GALLERY.glob(f"{name}.*") if each.suffix != ".yaml")
        records, notes = read(path, path.with_suffix(".yaml"))
        return [each for each in records if isinstance(each, Dialogue)], " ".join(notes)

    rated, notes = of("opendialkg")
    assert [each.ratings[0].value for each in rated] == [5, 4, 3, 5, 2]
    assert {(each.ratings[0].low, each.ratings[0].high) for each in rated} == {(1, 5)}
    assert "4 messages without text (such as actions and tool steps) were left out" in notes
    assert "not read: Messages.type." in notes
    assert "may hold people's feedback: 'Assistant Rating'" in notes
    posts, notes = of("reddit-movie")
    assert posts[0].utterances[1].meta == {"upvotes": "12"}
    people, notes = of("pearl")
    assert [each.user for each in people] == ["u01", "u02", "u03", "u04", "u05"]
    assert people[0].meta == {"gt_movie_title": "The Night Baker"}
    assert "goal_path, mentionMovies" in of("tg-redial")[1]
    assert "turns.frames" in of("sgd")[1]


def test_objects_keyed_by_id_and_lists_within_a_document_are_records(tmp_path: Path) -> None:
    talk = [{"who": "user", "say": "hi"}, {"who": "bot", "say": "hello"}]
    keyed = made(tmp_path, {"a": {"turns": talk}, "b": {"turns": talk}})
    fields = {**TURNS, "records": "*", "dialogue": "*"}
    assert [each.id for each in dialogues(keyed, fields)] == ["a", "b"]
    inside = made(tmp_path, {"version": 2, "data": {"talks": [{"id": 1, "turns": talk}]}}, "inside.json")
    assert [lines(each) for each in dialogues(inside, {**TURNS, "records": "data.talks"})] == [
        ["user: hi", "system: hello"]
    ]
    bare = made(tmp_path, {"a": talk, "b": talk}, "bare.json")
    rows = {"records": "*", "dialogue": "*", "speaker": "who", "text": "say"}
    assert [lines(each) for each in dialogues(bare, rows)] == [["user: hi", "system: hello"]] * 2
    named = made(tmp_path, {"id": "x", "turns": {"1": talk[0], "2": talk[1]}}, "named.json")
    assert lines(dialogues(named, TURNS)[0]) == ["user: hi", "system: hello"]


def test_plain_strings_say_whose_they_are_or_alternate(tmp_path: Path) -> None:
    path = made(tmp_path, [{"talk": ["Seeker: hi", "Recommender: Heat: a film", ""]}])
    fields = {"messages": "talk", "text": "talk"}
    assert lines(dialogues(path, fields)[0]) == ["user: hi", "system: Heat: a film"]
    bare = made(tmp_path, [{"talk": ["hello", "hi", "", "Heat"]}], "bare.json")
    assert lines(dialogues(bare, {**fields, "first_speaker": "system"})[0]) == [
        "system: hello",
        "user: hi",
        "system: ",
        "user: Heat",
    ]
    (found, *_) = mistakes(bare, fields)
    assert "a message does not say whose it is ('User: ...'): the text 'hello'." in found
    assert "first_speaker: user" in found
    strange = made(tmp_path, [{"talk": ["Bo: hi", "User: hello"]}], "strange.json")
    assert "unknown speakers, neither user nor system: 'Bo' (1×)." in mistakes(strange, fields)[0]
    assert lines(dialogues(strange, {**fields, "speakers": {"Bo": "system"}})[0])[0] == "system: hi"


def test_a_record_is_one_dialogue_whatever_it_repeats(tmp_path: Path) -> None:
    loop = [{"who": "user", "say": "again"}, {"who": "bot", "say": "no"}] * 2
    assert len(dialogues(made(tmp_path, [{"id": 1, "turns": loop}]), TURNS)[0].utterances) == 4
    twice = made(tmp_path, [{"id": 1, "turns": loop}] * 2, "twice.json")
    records, notes = read(twice, TURNS)
    assert len(records) == 1
    assert "a record repeats an earlier one and was left out" in notes[0]
    clash = made(tmp_path, [{"id": 1, "turns": loop}, {"id": 1, "turns": loop[:2]}], "clash.json")
    assert "several conversations share an id: '1'." in mistakes(clash, TURNS)[0]
    trials = made(tmp_path, [{"id": 1, "n": n, "turns": loop[:2]} for n in (1, 2)], "trials.json")
    assert [each.id for each in dialogues(trials, {**TURNS, "trial": "n"})] == ["1/1", "1/2"]


def test_paths_lead_through_objects_lists_text_of_json_and_keys_with_dots(tmp_path: Path) -> None:
    turn = {"who": "bot", "say": "Heat", "recs": [{"item": {"id": 3}}, {"item": {"id": 1}}, {}], "a.b": 5}
    entry = {"id": 1, "info": json.dumps({"stars": 4, "more": 1}), "turns": [{"who": "user", "say": "hi"}, turn]}
    fields = {
        **TURNS,
        "ranking": "turns.recs.*.item.id",
        "dialogue_ratings": {"stars": "info.stars"},
        "utterance_ratings": {"odd": "turns.a.b"},
    }
    records, notes = read(made(tmp_path, [entry]), fields)
    (found,) = records
    assert isinstance(found, Dialogue)
    assert found.utterances[1].ranking == ("3", "1")
    assert [(each.name, each.value) for each in found.ratings] == [("stars", 4.0)]
    assert [each.value for each in found.utterances[1].ratings] == [5.0]
    assert "not read: info.more." in " ".join(notes)


def test_paths_that_lead_nowhere_are_named_with_the_nearest_ones(tmp_path: Path) -> None:
    path = made(tmp_path, [{"id": 1, "turns": [{"who": "user", "said": "hi"}]}])
    (found,) = mistakes(path, TURNS)
    assert found.startswith("field turns.say: there is no column 'turns.say', which the mapping uses as text.")
    assert "'turns.said'" in found
    assert "no record has messages at 'turn'. Did you mean 'turns'?" in mistakes(path, {**TURNS, "messages": "turn"})[0]
    assert any("there is nothing at this path" in each for each in mistakes(path, {**TURNS, "records": "data"}))


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ("hi", "expected a list of messages, got the text 'hi'."),
        ([["user", "hi"]], "expected each message to be an object, got a list."),
        (["hi"], "text: turns"),
        ([{"who": "user", "say": {"en": "hi"}}], "expected a text, got an object."),
    ],
)
def test_messages_of_another_shape_are_mistakes(turns: Any, said: str, tmp_path: Path) -> None:
    path = made(tmp_path, [{"id": 1, "turns": turns}, {"id": 2, "turns": [{"who": "user", "say": "x"}]}])
    assert said in " ".join(mistakes(path, TURNS))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"messages": "m", "text": "m.t"}, "speaker (a path) or first_speaker"),
        ({"messages": "m", "text": "m.t", "speaker": "m.s", "first_speaker": "user"}, "exclude each other"),
        ({"dialogue": "d", "text": "t", "speaker": "s", "first_speaker": "user"}, "first_speaker requires messages"),
    ],
)
def test_a_mapping_of_messages_says_whose_they_are(fields: dict[str, str], said: str) -> None:
    with pytest.raises(DataError) as caught:
        load_mapping(fields)
    assert said in str(caught.value)


def test_unknown_json_lines_are_named_with_the_mapping_that_would_read_them(tmp_path: Path) -> None:
    row = {"dialog_id": 1, "context": ["hi there"], "template": "Try Heat, it is good"}
    path = write(
        tmp_path, json.dumps(row) + "\n" + json.dumps(row | {"context": ["a good film?"]}) + "\n", "test.jsonl"
    )
    with pytest.raises(
        DataError, match="JSON Lines, but these fields are not recognised: dialog_id, context, template"
    ) as caught:
        list(resolve(str(path)).records(Repairs()))
    hint = "{dialogue: dialog_id, system_name: test, context: context, response: template}"
    assert hint in str(caught.value)
    write(tmp_path, proposal(path).yaml("test.jsonl"), "map.yaml")
    assert len(read(path, tmp_path / "map.yaml")[0]) == 4  # two situations and their two replies


def test_records_that_say_whose_every_message_is_are_read_without_a_mapping(tmp_path: Path) -> None:
    path = made(tmp_path, [{"id": 1, "meta": {"rating": 4}, "turns": [{"from": "user", "value": "hi"}]}], "x.json")
    assert guess_mapping(path, note=Repairs()) == Mapping(
        messages="turns",
        dialogue="id",
        speaker="turns.from",
        text="turns.value",
        ratings={"rating": "meta.rating"},
    )
    strange = made(tmp_path, [{"id": 1, "turns": [{"from": "Bo", "value": "hi"}]}], "y.json")
    assert guess_mapping(strange, note=Repairs()) is None
    assert "# Whose are these? speakers: {Bo: user}" in proposal(strange).yaml("y.json")


NAMES = st.sampled_from(["user", "assistant", "SYSTEM", "Seeker"])
WORD = st.text("abcäé 'é:\n-#{", min_size=1, max_size=9)
MESSAGE = st.fixed_dictionaries(
    {"role": NAMES, "text": WORD}, optional={"stars": st.integers(1, 5), "extra": st.lists(WORD)}
)
ENTRY = st.fixed_dictionaries(
    {"log": st.lists(MESSAGE, min_size=1, max_size=4)}, optional={"info": st.dictionaries(WORD, WORD)}
)


@given(
    entries=st.lists(ENTRY, min_size=1, max_size=4),
    layout=st.sampled_from(["list", "lines", "keyed", "inside"]),
    has_ids=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_the_mapping_that_detection_writes_gives_the_same_records(
    entries: list[dict[str, Any]], layout: str, has_ids: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("x")
    if has_ids:
        entries = [{"dialogue_id": f"d{place}", **each} for place, each in enumerate(entries)]
    value: Any = {
        "list": entries,
        "keyed": {f"k{place}": each for place, each in enumerate(entries)},
        "inside": {"v": 1, "talks": entries},
        "lines": None,
    }[layout]
    text = "".join(json.dumps(each) + "\n" for each in entries) if layout == "lines" else json.dumps(value)
    path = write(folder, text, "x.json")
    mapping = guess_mapping(path, note=Repairs())
    if mapping is None:  # one record only, in which what it holds could be anything
        assert layout == "keyed"
        return
    write(folder, proposal(path).yaml("x.json"), "map.yaml")
    assert load_mapping(folder / "map.yaml") == mapping
    detected = [record.to_json() for record in resolve(str(path)).records(Repairs())]
    given_back = [record.to_json() for record in resolve(str(path), mapping=folder / "map.yaml").records(Repairs())]
    assert detected == given_back
    assert len(detected) == len(entries)


def test_a_table_is_read_by_the_mapping_that_detection_writes(tmp_path: Path) -> None:
    path = write(tmp_path, "session,role,text,stars,note\n1,user,hi,4,x\n1,bot,yo,4,\n2,user,hey,2,\n2,bot,hm,2,y\n")
    assert mapping_of(path).format_name is None
    text = proposal(path).yaml("made.csv")
    assert text.splitlines()[-1] == "#   note"
    write(tmp_path, text, "map.yaml")
    assert read(path, tmp_path / "map.yaml")[0] == list(
        table_format(guess_mapping(path, note=Repairs()) or {}).read(path, note=Repairs())
    )


def test_a_known_format_has_a_mapping_if_one_gives_the_same_records(tmp_path: Path) -> None:
    line = '{"id": "1", "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}\n'
    chat = mapping_of(write(tmp_path, line, "chat.jsonl"))
    assert chat.format_name == "openai-chat"
    assert chat.proposal is not None
    assert chat.proposal.mapping is not None
    tools = line.replace('"hello"}', '"hello", "tool_calls": [{"id": 1}]}, {"role": "tool", "content": "x"}')
    assert mapping_of(write(tmp_path, tools, "tools.jsonl")).proposal is None


def test_a_mapping_is_of_the_files_that_have_its_columns(tmp_path: Path) -> None:
    fields = {"dialogue": "d", "speaker": "s", "text": "t"}
    table = write(tmp_path, "d,s,t\n1,user,hi\n1,bot,yo\n")
    chat = write(tmp_path, '{"messages": [{"role": "user", "content": "hi"}]}\n', "chat.jsonl")
    other = write(tmp_path, "x,y\n1,2\n", "other.csv")
    assert len(list(resolve(str(table), mapping=fields).records(Repairs()))) == 1
    assert len(list(resolve(str(chat), mapping=fields).records(Repairs()))) == 1
    with pytest.raises(DataError, match="there is no column 'd'"):
        list(resolve(str(other), mapping=fields).records(Repairs()))


@pytest.mark.parametrize("order", ["index", "turn"])
def test_a_word_said_twice_is_no_repeated_row_where_turns_are_numbered(order: str, tmp_path: Path) -> None:
    text = f"d,{order},s,t\n" + "".join(
        f"{d},{n},{who},{what}\n"
        for d in (1, 2)
        for n, (who, what) in enumerate([("user", "yes"), ("bot", "sure"), ("user", "yes"), ("bot", "ok")])
    )
    found = dialogues(write(tmp_path, text), {"dialogue": "d", "speaker": "s", "text": "t", "order": order})
    assert [len(each.utterances) for each in found] == [4, 4]


def test_rows_that_are_numbered_through_the_table_are_repeated_all_the_same(tmp_path: Path) -> None:
    talk = [("user", "hi"), ("bot", "yo")]
    rows = [(d, who, what) for d in (1, 2, 1) for who, what in talk]
    text = "index,d,s,t\n" + "".join(f"{n},{d},{who},{what}\n" for n, (d, who, what) in enumerate(rows))
    records, notes = read(write(tmp_path, text), {"dialogue": "d", "speaker": "s", "text": "t", "order": "index"})
    assert [len(each.utterances) for each in records if isinstance(each, Dialogue)] == [2, 2]
    assert "2 rows repeat earlier rows" in notes[0]
