"""What a unit is: repeated rows, several conversations under one id, trials, identifiers."""

import json
from pathlib import Path

import pytest

from trialogue.datasets import Repairs
from trialogue.errors import DataError
from trialogue.inputs.inputs import InputRecords, gather
from trialogue.records import Dialogue


def read(folder: Path, text: str, name: str = "made.csv") -> InputRecords:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return gather([str(path)])


def lines(material: InputRecords) -> list[list[str]]:
    return [[said.text for said in dialogue.utterances] for dialogue in material.dialogues]


HEAD = "dialogue_id,role,text\n"
ONCE = "1,user,hello\n1,assistant,Try Alien\n"


def test_rows_of_a_resumed_log_are_read_once_with_a_note(tmp_path: Path) -> None:
    material = read(tmp_path, HEAD + ONCE + ONCE)
    assert lines(material) == [["hello", "Try Alien"]]
    assert any("2 rows repeat earlier rows of the same dialogue" in warning for warning in material.warnings)
    apart = read(tmp_path, HEAD + ONCE + "2,user,hi\n2,assistant,Heat\n" + ONCE)
    assert lines(apart) == [["hello", "Try Alien"], ["hi", "Heat"]]


def test_a_dialogue_that_was_broken_off_and_logged_again_is_the_whole_one(tmp_path: Path) -> None:
    begun = "1,user,hello\n1,assistant,Try Alien\n1,user,no\n"
    material = read(tmp_path, HEAD + begun + "2,user,hi\n2,assistant,Heat\n" + begun + "1,assistant,Try Heat\n")
    assert lines(material)[0] == ["hello", "Try Alien", "no", "Try Heat"]


def test_an_agent_that_says_the_same_three_times_is_one_that_loops(tmp_path: Path) -> None:
    assert len(lines(read(tmp_path, HEAD + ONCE * 3))[0]) == 6


@pytest.mark.parametrize(
    "second", ["1,1,user,good day\n1,2,assistant,Try Heat\n", "1,1,user,hello\n1,2,assistant,Try Heat\n"]
)
def test_a_repeated_turn_number_is_several_conversations_under_one_id(tmp_path: Path, second: str) -> None:
    rows = "dialogue_id,turn,role,text\n1,1,user,hello\n1,2,assistant,Try Alien\n2,1,user,x\n2,2,assistant,y\n"
    with pytest.raises(DataError, match="several conversations share an id: '1'"):
        read(tmp_path, rows + second)


def test_a_turn_that_both_sides_share_and_messages_in_a_row_are_no_repetition(tmp_path: Path) -> None:
    rows = "dialogue_id,turn,role,text\n1,1,user,hello\n1,1,assistant,well\n1,1,assistant,Try Alien\n1,2,user,no\n"
    assert lines(read(tmp_path, rows)) == [["hello", "well", "Try Alien", "no"]]


@pytest.mark.parametrize("rounded", ["1.23457E+17", "1.2E+10"])
def test_ids_that_a_spreadsheet_rounded_are_an_error(tmp_path: Path, rounded: str) -> None:
    with pytest.raises(DataError, match="1 ids have lost digits"):
        read(tmp_path, HEAD + f"{rounded},user,hi\n{rounded},assistant,Heat\n")


def test_a_rating_that_varies_in_one_dialogue_alone_shows_that_two_share_its_id(tmp_path: Path) -> None:
    rows = ["dialogue_id,role,text,stars"]
    for number in range(12):
        rows += [f"{number},user,hi {number},{1 + number % 5}", f"{number},assistant,Heat {number},{1 + number % 5}"]
    rows += ["3,user,hello,1", "3,assistant,Joker,1"]
    with pytest.raises(DataError, match="several conversations share an id: '3'"):
        read(tmp_path, "\n".join(rows))


def test_trials_are_dialogues_of_their_own_clustered_in_their_task(tmp_path: Path) -> None:
    rows = "dialogue_id,trial,role,text\n" + "".join(f"7,{n},user,hi\n7,{n},assistant,Heat {n}\n" for n in range(3))
    material = read(tmp_path, rows)
    assert [(each.id, each.cluster) for each in material.dialogues] == [(f"7/{n}", "task:7") for n in range(3)]
    chats = "\n".join(json.dumps({"id": 7, "epoch": n, "messages": chat("hi", f"Heat {n}")}) for n in range(3))
    logged = read(tmp_path, chats, "made.jsonl")
    assert [(each.id, each.cluster) for each in logged.dialogues] == [(f"7/{n}", "task:7") for n in range(3)]


def chat(*texts: str) -> list[dict[str, str]]:
    return [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]


def test_systems_that_share_ids_of_scenarios_have_a_dialogue_each(tmp_path: Path) -> None:
    rows = "dialogue_id,system,role,text\n" + "".join(
        f"1,{system},user,hi\n1,{system},assistant,{system} says\n" for system in "AB"
    )
    material = read(tmp_path, rows)
    assert [(each.system, each.id, len(each.utterances)) for each in material.dialogues] == [
        ("A", "1", 2),
        ("B", "1", 2),
    ]
    entries = [{"id": "1", "model": system, "messages": chat("hi", f"{system} says")} for system in "AB"]
    logged = read(tmp_path, "\n".join(map(json.dumps, entries)), "made.jsonl")
    assert [(each.system, each.id) for each in logged.dialogues] == [("A", "1"), ("B", "1")]


def test_a_conversation_that_is_handed_over_has_two_systems_which_is_an_error(tmp_path: Path) -> None:
    rows = "dialogue_id,turn,system,role,text\n1,1,A,user,hi\n1,2,A,assistant,x\n1,3,B,user,y\n1,4,B,assistant,z\n"
    with pytest.raises(DataError, match="dialogue '1' has several values: A, B"):
        read(tmp_path, rows)


def test_the_same_entry_twice_is_one_and_another_one_under_its_id_is_an_error(tmp_path: Path) -> None:
    one = json.dumps({"id": "a", "messages": chat("hi", "Heat")})
    other = json.dumps({"id": "a", "messages": chat("hi", "Joker")})
    material = read(tmp_path, f"{one}\n{one}\n", "made.jsonl")
    assert len(material.dialogues) == 1
    assert any("1 conversations repeat earlier ones" in warning for warning in material.warnings)
    with pytest.raises(DataError, match="duplicate id 'a'"):
        read(tmp_path, f"{one}\n{other}\n", "made.jsonl")


@pytest.mark.parametrize("written", [("1", "2"), ("1.0", "2.0"), (1, 2), (1.0, 2.0)])
def test_identifiers_compare_as_what_they_are(tmp_path: Path, written: tuple[object, object]) -> None:
    rows = [
        {
            "situation_id": f"s{place}",
            "context": "hi",
            "system": "A",
            "response": "x",
            "targets": [each],
            "ranking": [each],
        }
        for place, each in enumerate(written)
    ]
    rows[0]["ranking"] = [1]
    material = read(tmp_path, "\n".join(map(json.dumps, rows)), "made.jsonl")
    ranked = [response.utterance.ranking for response in material.responses]
    assert ranked == [situation.targets for situation in material.situations] == [("1",), ("2",)]


def test_an_empty_list_is_a_value_and_a_blank_cell_is_none(tmp_path: Path) -> None:
    head = "situation_id,context,system,response,targets,ranking\n"
    material = read(tmp_path, head + 's1,hi,A,x,"[""1""]","[""1""]"\ns2,ho,A,y,"[""1""]",[]\ns3,hu,A,z,"[""1""]",\n')
    assert [response.utterance.ranking for response in material.responses] == [("1",), (), None]
    assert any("blank rankings were read as not recorded" in warning for warning in material.warnings)


def test_contexts_that_go_on_from_others_are_named_where_no_dialogue_is(tmp_path: Path) -> None:
    pairs = [
        {"pred": "x", "label": "y", "context": ["hi"]},
        {"pred": "x", "label": "z", "context": ["hi", "hello", "a thriller"]},
    ]
    alone = read(tmp_path, "\n".join(map(json.dumps, pairs)), "made.jsonl")
    assert any("1 of 2 contexts go on from another context" in warning for warning in alone.warnings)
    told = read(tmp_path, "\n".join(json.dumps({**pair, "dialog_id": 4}) for pair in pairs), "made.jsonl")
    assert {situation.cluster for situation in told.situations} == {"dialogue:4"}
    assert not any("contexts go on" in warning for warning in told.warnings)


def test_what_reads_a_repeated_table_reports_each_kind_once(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    path.write_text("situation_id,context,system,response,stars\n" + "".join(f"{n},hi,A,x,9\n" for n in range(50)))
    from trialogue.datasets.tables.format import table_format

    mapping = {"situation": "situation_id", "context": "context", "system": "system", "response": "response"}
    with pytest.raises(DataError) as caught:
        list(table_format({**mapping, "ratings": ["stars"], "scale": [1, 5]}).read(path, note=Repairs()))
    assert len(str(caught.value).splitlines()) == 1
    assert "(50 times" in str(caught.value)


def test_a_dialogue_keeps_its_cluster_through_a_round_trip() -> None:
    dialogue = Dialogue(id="7/1", utterances=(), task="7")
    assert Dialogue.model_validate(dialogue.to_json()).cluster == "task:7"


def ranked(folder: Path, target: str, item: str, *, cases: int = 60) -> InputRecords:
    rows = [
        {
            "situation_id": f"s{n}",
            "context": "hi",
            "system": "A",
            "response": "x",
            "targets": [target.format(n)],
            "ranking": [item.format(n)],
        }
        for n in range(cases)
    ]
    return read(folder, "\n".join(map(json.dumps, rows)), "made.jsonl")


def test_rankings_without_any_known_item_are_an_error_never_a_value(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no item that A recommends .* is a target of any of its 60 situations"):
        ranked(tmp_path, "tt{}", "{}")
    assert len(ranked(tmp_path, "tt{}", "tt{}").responses) == 60
    assert len(ranked(tmp_path, "tt{}", "{}", cases=3).responses) == 3
