"""Conversations within a cell, in any usual form: read as if each message were an object, or refused, never an id."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trialogue.datasets.tables.format import proposal
from trialogue.errors import DataError
from trialogue.inputs.inputs import gather
from trialogue.records import Dialogue

Talk = list[tuple[str, str]]
REPLIES = ["Try Heat (1995).", "1. Heat\n2. Ronin", "What about Arrival?", "I don't know; perhaps “Heat”."]
TALKS: list[Talk] = [
    [("user", f"something like number {n} please"), ("assistant", REPLIES[n % 4])]
    + ([("user", "and one more?"), ("assistant", REPLIES[(n + 1) % 4])] if n % 3 else [])
    for n in range(24)
]


def exchanges(talk: Talk, asks: str, answers: str) -> list[dict[str, str]]:
    return [{asks: talk[at][1], answers: talk[at + 1][1]} for at in range(0, len(talk), 2)]


FORMS: dict[str, Callable[[Talk], Any]] = {
    "pairs": lambda talk: [[who, text] for who, text in talk],
    "pairs with other names": lambda talk: [["USR" if who == "user" else "Bot:", text] for who, text in talk],
    "pairs with a time": lambda talk: [[who, text, "10:00"] for who, text in talk],
    "by speaker": lambda talk: [{who: text} for who, text in talk],
    "by speaker with more": lambda talk: [{"Human" if who == "user" else "AI": text, "at": 3} for who, text in talk],
    "exchanges": lambda talk: exchanges(talk, "user", "assistant"),
    "q and a": lambda talk: exchanges(talk, "q", "a"),
    "question and answer": lambda talk: exchanges(talk, "Question", "Answer"),
    "user_message and bot_response": lambda talk: exchanges(talk, "user_message", "bot_response"),
    "pairs of texts": lambda talk: [list(each.values()) for each in exchanges(talk, "q", "a")],
    "numbered": lambda talk: {str(n): {"role": who, "content": text} for n, (who, text) in enumerate(talk)},
    "text": lambda talk: "\n".join(f"{who}: {text}" for who, text in talk),
}


def messages(talk: Talk) -> Any:
    return [{"role": who, "content": text} for who, text in talk]


BY_THEMSELVES = [name for name in FORMS if name.startswith(("pairs with", "by speaker")) or name == "pairs"]


def rows(form: Callable[[Talk], Any], heading: str) -> list[dict[str, Any]]:
    return [
        {"id": n, "system": "AB"[n % 2], heading: form(talk), "satisfaction": 1 + n % 5} for n, talk in enumerate(TALKS)
    ]


def written(path: Path, given: list[dict[str, Any]]) -> Path:
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(given[0]))
            writer.writeheader()
            writer.writerows(
                {key: json.dumps(value) if isinstance(value, list | dict) else value for key, value in row.items()}
                for row in given
            )
    elif path.suffix == ".json":
        path.write_text(json.dumps({"version": 2, "conversations": given}), encoding="utf-8")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    return path


def content(dialogue: Dialogue) -> Any:
    said = [(each.speaker, each.text) for each in dialogue.utterances]
    return dialogue.id, dialogue.system, said, [(each.name, each.value) for each in dialogue.ratings]


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv"])
@pytest.mark.parametrize("heading", ["dialog", "conversation", "turns", "history", "chat_log"])
@pytest.mark.parametrize("name", FORMS)
def test_a_conversation_is_read_in_whatever_form_a_cell_holds_it(
    tmp_path: Path, name: str, heading: str, suffix: str
) -> None:
    if name == "text" and suffix == ".json":
        pytest.skip("a document's transcripts are read from its own columns alone")
    found = gather([written(tmp_path / f"talks{suffix}", rows(FORMS[name], heading))]).dialogues
    sides = {"user": "user", "assistant": "system"}
    expected = [
        (str(n), "AB"[n % 2], [(sides[who], text) for who, text in talk], [("satisfaction", 1 + n % 5)])
        for n, talk in enumerate(TALKS)
    ]
    assert [content(each) for each in found] == expected


@pytest.mark.parametrize("name", BY_THEMSELVES)
def test_messages_that_say_whose_they_are_need_no_heading(tmp_path: Path, name: str) -> None:
    found = gather([written(tmp_path / "talks.jsonl", rows(FORMS[name], "stuff"))]).dialogues
    assert [len(each.utterances) for each in found] == [len(talk) for talk in TALKS]


DOUBTFUL: dict[str, Callable[[Talk], Any]] = {
    "texts in turn": lambda talk: [text for _, text in talk],
    "names nobody knows": lambda talk: [["Anna" if who == "user" else "Otto", text] for who, text in talk],
    "numbers": lambda talk: [[who, 3] for who, _ in talk],
    "half of it": lambda talk: [[who, text] for who, text in talk[:1]] + [text for _, text in talk[1:]],
    "one side": lambda talk: [{"user": text} for _, text in talk],
    "lists in lists": lambda talk: [[[text]] for _, text in talk],
}


@pytest.mark.parametrize("heading", ["dialog", "conversation", "talk"])
@pytest.mark.parametrize("name", [name for name in DOUBTFUL if name != "numbers"])
def test_what_leaves_doubt_is_refused_and_not_taken_for_an_id(tmp_path: Path, name: str, heading: str) -> None:
    """Lists of texts under "dialog" were read as the ids of a table of scores, and their texts were lost."""
    path = written(tmp_path / "talks.jsonl", rows(DOUBTFUL[name], heading))
    with pytest.raises(DataError, match="these fields are not recognised"):
        gather([path])


def test_texts_in_turn_are_proposed_with_the_user_first(tmp_path: Path) -> None:
    path = written(tmp_path / "talks.jsonl", rows(DOUBTFUL["texts in turn"], "dialog"))
    mapping = proposal(path).mapping
    assert mapping is not None
    assert (mapping.messages, mapping.text, mapping.first_speaker, mapping.dialogue) == (
        "dialog",
        "dialog",
        "user",
        "id",
    )
    found = gather([path], mapping=mapping).dialogues
    assert [[each.speaker for each in dialogue.utterances] for dialogue in found[:2]] == [
        ["user", "system"],
        ["user", "system", "user", "system"],
    ]


def test_a_missing_answer_is_no_message_and_further_fields_stay_with_the_reply(tmp_path: Path) -> None:
    talks = [
        {"id": n, "system": "A", "turns": [
            {"q": "a thriller, please", "a": "Heat, from 1995", "rating": 4},
            {"q": "and a comedy?", "a": "Barbie, from 2023", "rating": 2 + n},
            {"q": "thanks a lot", "a": None},
        ]}
        for n in range(4)
    ]  # fmt: skip
    found = gather([written(tmp_path / "talks.jsonl", talks)]).dialogues
    assert [(each.speaker, each.text) for each in found[0].utterances] == [
        ("user", "a thriller, please"),
        ("system", "Heat, from 1995"),
        ("user", "and a comedy?"),
        ("system", "Barbie, from 2023"),
        ("user", "thanks a lot"),
    ]
    assert [[rating.value for rating in each.ratings] for each in found[1].utterances] == [[], [4], [], [3], []]


def test_calls_of_tools_and_remarks_of_raters_are_no_conversation(tmp_path: Path) -> None:
    more = {
        "searches": [{"query": "a good thriller", "response": "3 films found"}],
        "annotations": [{"user": "ann", "score": 3}],
        "feedback": [{"rater": "bob", "comment": "very good indeed"}],
    }
    plain = [
        {**row, **more} for row in rows(lambda talk: [{"role": who, "content": text} for who, text in talk], "messages")
    ]
    found = gather([written(tmp_path / "talks.jsonl", plain)]).dialogues
    assert [len(each.utterances) for each in found] == [len(talk) for talk in TALKS]


def test_contexts_beside_replies_are_left_to_their_reader(tmp_path: Path) -> None:
    given = [
        {
            "situation_id": f"s{n}",
            "system": "AB"[n % 2],
            "history": "User: a film?\nBot: Which?\nUser: Crime",
            "response": "Heat",
        }
        for n in range(4)
    ]
    found = gather([written(tmp_path / "replies.jsonl", given)])
    assert (len(found.dialogues), len(found.responses)) == (0, 4)
    assert [len(each.context) for each in found.situations] == [3] * 4


def test_scores_with_nested_columns_keep_their_own_ids(tmp_path: Path) -> None:
    given = [
        {"dialogue_id": n, "system": "AB"[n % 2], "items": ["m1", "m2"], "satisfaction": 1 + n % 5} for n in range(12)
    ]
    found = gather([written(tmp_path / "scores.jsonl", given)])
    assert sorted({each.id for each in found.dialogues}) == sorted(map(str, range(12)))


@pytest.mark.parametrize("name", ["pairs", "by speaker", "messages"])
def test_a_document_of_conversations_by_their_ids_is_read_whole(tmp_path: Path, name: str) -> None:
    """The first one was read, and the others were named as columns that are not."""
    form = {**FORMS, "messages": messages}[name]
    path = tmp_path / "talks.json"
    path.write_text(json.dumps({f"c{n}": form(talk) for n, talk in enumerate(TALKS)}), encoding="utf-8")
    found = gather([path]).dialogues
    assert [(each.id, len(each.utterances)) for each in found] == [(f"c{n}", len(talk)) for n, talk in enumerate(TALKS)]


def test_a_later_conversation_in_another_form_is_a_mistake_with_its_line(tmp_path: Path) -> None:
    """It was left out, and its fields were named as not read."""
    given = rows(FORMS["pairs"], "dialog")
    given[22]["dialog"] = [{"role": who, "content": text} for who, text in TALKS[22]]
    with pytest.raises(
        DataError, match=r"line 23, field dialog: a conversation is in another form than the first ones"
    ):
        gather([written(tmp_path / "talks.jsonl", given)])
    given[22]["dialog"] = None
    assert len(gather([written(tmp_path / "blank.jsonl", given)]).dialogues) == 23


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
@pytest.mark.parametrize("name", ["pairs", "by speaker", "messages"])
def test_lists_of_messages_with_nothing_beside_them_are_numbered(tmp_path: Path, name: str, suffix: str) -> None:
    form = {**FORMS, "messages": messages}[name]
    talks = [form(talk) for talk in TALKS]
    path = tmp_path / f"talks{suffix}"
    lines = "".join(json.dumps(talk) + "\n" for talk in talks)
    path.write_text(json.dumps(talks) if suffix == ".json" else lines, encoding="utf-8")
    found = gather([path]).dialogues
    assert [[each.text for each in dialogue.utterances] for dialogue in found] == [
        [text for _, text in talk] for talk in TALKS
    ]
    assert len({each.id for each in found}) == len(TALKS)


def test_what_is_no_list_among_lists_is_a_mistake_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "talks.jsonl"
    lines = [json.dumps(messages(talk)) for talk in TALKS]
    path.write_text("\n".join([*lines[:5], '{"role": "user"', "3", *lines[5:]]) + "\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        gather([path])
    assert [each.line for each in caught.value.problems] == [6, 7]


@pytest.mark.parametrize("name", ["pairs", "exchanges", "messages"])
def test_conversations_without_a_message_are_named_and_hide_no_form(tmp_path: Path, name: str) -> None:
    """A system whose conversations were all empty was gone without a word."""
    form = {**FORMS, "messages": messages}[name]
    given = [row | ({"dialog": []} if row["system"] == "B" else {}) for row in rows(form, "dialog")]
    found = gather([written(tmp_path / "talks.jsonl", given)])
    assert {each.system for each in found.dialogues} == {"A", "B"}
    assert {len(each.utterances) for each in found.dialogues if each.system == "B"} == {0}
    assert any("a conversation has no text by the user or assistant (12 times" in each for each in found.warnings)


@pytest.mark.parametrize("name", [*sorted({*FORMS} - {"numbered", "text"}), "messages"])  # those are no lists
@pytest.mark.parametrize("empty", [(3,), (0, 5, 6)])
def test_conversations_without_a_message_are_the_same_under_every_heading(
    tmp_path: Path, name: str, empty: tuple[int, ...]
) -> None:
    """Under ``messages`` they were dialogues whose ratings counted, under other headings they were left out."""
    form = {**FORMS, "messages": messages}[name]
    given = rows(form, "dialog")
    for place in empty:
        given[place]["dialog"] = []
    usual = [
        {("messages" if key == "dialog" else key): value for key, value in each.items()}
        for each in rows(messages, "dialog")
    ]
    for place in empty:
        usual[place]["messages"] = []
    found, expected = gather([written(tmp_path / "a.jsonl", given)]), gather([written(tmp_path / "b.jsonl", usual)])
    sides = [
        [(each.id, each.system, len(each.utterances), each.ratings and each.ratings[0].value) for each in one.dialogues]
        for one in (found, expected)
    ]
    assert sorted(sides[0]) == sorted(sides[1])
    assert sum(not said for _, _, said, _ in sides[0]) == len(empty)
