"""ReDial: films in place of their ids, questionnaires, and both layouts."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.datasets import Head, Repairs
from trialogue.datasets.corpora.redial import CORPUS, FORMAT, SOURCE, resolve_titles
from trialogue.errors import DataError
from trialogue.records import Dialogue, sha256_of, situations_of

SAMPLES = Path(__file__).parents[2] / "data" / "redial"


def entry(**changes: Any) -> dict[str, Any]:
    messages = [{"senderWorkerId": 1, "text": "hi", "messageId": 5, "timeOffset": 0}]
    plain = {"conversationId": "1", "initiatorWorkerId": 1, "respondentWorkerId": 2, "messages": messages}
    return plain | {"movieMentions": {}, "initiatorQuestions": {}, "respondentQuestions": {}} | changes


def write(folder: Path, *entries: object, end: str = "\n") -> Path:
    path = folder / "made.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in entries) + end)
    return path


def read(path: Path) -> tuple[list[Dialogue], list[str]]:
    repairs = Repairs()
    dialogues = [record for record in FORMAT.read(path, note=repairs) if isinstance(record, Dialogue)]
    return dialogues, [str(problem) for problem in repairs.problems]


def mistakes(path: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        read(path)
    return [str(problem) for problem in caught.value.problems]


def test_film_ids_become_titles_with_offsets_and_the_text_as_published_is_kept() -> None:
    [dialogue, _], _ = read(SAMPLES / "raw.jsonl")
    first, second, last = dialogue.utterances
    assert first.text == "Hi! I like Paper Lanterns (1994), have you seen @50 first dates?"
    assert first.meta == {
        "as_published": "Hi! I like @101, have you seen @50 first dates?",
        "time_offset_s": 0.0,
    }
    assert [(m.title, m.item_id, first.text[m.start : m.end]) for m in first.mentions or ()] == [
        ("Paper Lanterns (1994)", "101", "Paper Lanterns (1994)")
    ]
    assert second.text == "Yes! Night Ferry and Night Ferry again, or @999."
    assert [second.text[m.start : m.end] for m in second.mentions or ()] == ["Night Ferry", "Night Ferry"]
    assert last.text == "Thanks é 😀"
    assert "as_published" not in last.meta


def test_ids_without_title_stay_and_are_reported() -> None:
    _, notes = read(SAMPLES / "raw.jsonl")
    assert any(
        "a film id (@…) has no title in its conversation; the id stays in the text (2 times" in note for note in notes
    )


def test_the_seeker_began_the_conversation_and_a_person_recommends() -> None:
    [first, second], _ = read(SAMPLES / "raw.jsonl")
    assert [said.speaker for said in first.utterances] == ["user", "system", "user"]
    assert [said.speaker for said in second.utterances] == ["system", "user"]
    assert (first.system, first.user, first.meta["recommender"]) == ("human", "worker 7", "worker 8")
    assert first.source == "redial/raw"
    assert [said.id for said in first.utterances] == ["1001", "1002", "1003"]


def test_two_means_that_a_party_did_not_say() -> None:
    [dialogue, _], _ = read(SAMPLES / "raw.jsonl")
    reported = {(o.by, o.title): (o.suggested, o.seen, o.liked) for o in dialogue.opinions or ()}
    assert reported["user", "Night Ferry"] == (True, None, False)
    assert reported["system", "Night Ferry"] == (True, False, None)
    assert reported["user", "Paper Lanterns (1994)"] == (False, True, True)


def test_answers_about_a_film_without_title_go_by_its_id() -> None:
    [dialogue, _], notes = read(SAMPLES / "raw.jsonl")
    assert ("@50", "50") in {(opinion.title, opinion.item_id) for opinion in dialogue.opinions or ()}
    assert any("answers about a film without a title" in note for note in notes)


def test_empty_questionnaires_are_lists_in_the_corpus_and_unknown_here() -> None:
    [_, dialogue], _ = read(SAMPLES / "raw.jsonl")
    assert dialogue.opinions is None
    assert dialogue.utterances[0].mentions == ()


def test_ievalms_layout_is_read_as_well() -> None:
    [dialogue], notes = read(SAMPLES / "ievalm.jsonl")
    assert [said.id for said in dialogue.utterances] == ["0", "1"]
    assert dialogue.utterances[1].text == "I like Paper Lanterns (1994)"
    assert notes == []


def test_a_folder_gives_all_its_files() -> None:
    dialogues, _ = read(SAMPLES)
    assert [dialogue.id for dialogue in dialogues] == ["3", "1", "2"]  # ievalm.jsonl before raw.jsonl


@given(
    st.lists(st.tuples(st.text(alphabet="ab @é😀", max_size=5), st.sampled_from(["1", "2", "3"])), max_size=6),
    st.text(alphabet="ab ?", max_size=5),
)
def test_every_mention_stands_where_it_says(parts: list[tuple[str, str]], tail: str) -> None:
    published = "".join(f"{text}@{number} " for text, number in parts) + tail
    titles = {"1": "Tin Moon (1987)", "2": None}
    text, mentions = resolve_titles(published, titles)
    assert [text[mention.start : mention.end] for mention in mentions] == [mention.title for mention in mentions]
    assert len(mentions) == sum(number == "1" for _, number in parts)


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        entry(conversationId=None),
        entry(conversationId="2", initiatorWorkerId=2),
        entry(conversationId="3", messages="hi"),
        entry(conversationId="4", messages=[{"senderWorkerId": 3, "text": "hi"}, {"senderWorkerId": 1}, 7]),
        entry(conversationId="5", movieMentions={"1": 5}),
        entry(conversationId="6", initiatorQuestions={"1": {"suggested": 3}}),
        entry(conversationId="7", respondentQuestions={"1": []}),
        entry(conversationId="8", movieMentions="none"),
        entry(conversationId="9"),
        entry(conversationId="9"),
        ["no", "object"],
    )
    reported = mistakes(path)
    assert len(reported) == 13  # those below, and in line 2 a message of worker 1, who is nobody there
    for part in (
        "line 1, field conversationId: expected a number or a string, got null.",
        "line 2, field initiatorWorkerId: initiator and respondent are the same worker, 2.",
        "line 3, field messages: expected a list of messages, got the text 'hi'.",
        "line 4, field messages.0.senderWorkerId: the number 3 is neither initiator nor respondent.",
        "line 4, field messages.1: expected a message with a 'text' string.",
        "line 4, field messages.2: expected a message with a 'text' string.",
        "line 5, field movieMentions.1: expected a title, got the number 5.",
        "line 6, field initiatorQuestions.1.suggested: expected 0, 1 or 2, got the number 3.",
        "line 7, field respondentQuestions.1: expected answers {suggested, seen, liked}, got a list.",
        "line 8, field movieMentions: expected an object, got the text 'none'.",
        "line 10, field conversationId: dialogue '9' is already in made.jsonl, line 9.",
        "line 11: expected an object, got a list.",
    ):
        assert any(part in each for each in reported), part


def test_a_last_line_cut_short_is_left_out_with_a_note(tmp_path: Path) -> None:
    path = write(tmp_path, entry(), end='\n{"conversationId": "2", "mess')
    dialogues, notes = read(path)
    assert len(dialogues) == 1
    assert any("line 2: the last line is cut off" in note for note in notes)


def test_a_broken_line_in_the_middle_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl"
    path.write_text(json.dumps(entry()) + '\n{"conversationId": \n' + json.dumps(entry(conversationId="2")) + "\n")
    [reported] = mistakes(path)
    assert "line 2: not valid JSON" in reported


def test_a_dialogue_without_messages_is_kept_and_reported(tmp_path: Path) -> None:
    [dialogue], notes = read(write(tmp_path, entry(messages=[])))
    assert dialogue.utterances == ()
    assert any("a dialogue without messages" in note for note in notes)


def test_an_empty_file_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    assert "trialogue data get redial" in mistakes(tmp_path)[0]
    (tmp_path / "made.jsonl").write_text("\n")
    assert "this file is empty" in mistakes(tmp_path / "made.jsonl")[0]


def test_its_files_are_recognised_by_content() -> None:
    assert FORMAT.recognises(Head(SAMPLES))
    assert FORMAT.recognises(Head(SAMPLES / "raw.jsonl"))
    assert FORMAT.recognises(Head(SAMPLES / "ievalm.jsonl"))


@pytest.mark.mirror
def test_the_published_counts_come_out(mirror: Path) -> None:
    repairs = Repairs()
    read_all = list(CORPUS.read(mirror / "redial", note=repairs))
    dialogues = [record for record in read_all if isinstance(record, Dialogue)]
    said = [utterance for dialogue in dialogues for utterance in dialogue.utterances]
    mentions = [(u.text, mention) for u in said for mention in u.mentions or ()]
    assert (len(dialogues), len(said)) == (1000, 12395)
    assert len(mentions) == 6327  # 6,328 ids in the texts, one of which has no title
    assert all(text[mention.start : mention.end] == mention.title for text, mention in mentions)
    assert not any("  " in mention.title for _, mention in mentions)
    assert len(repairs.problems) == 1


@pytest.mark.mirror
def test_the_flags_come_out(mirror: Path) -> None:
    dialogues, _ = read(mirror / "redial" / "valid_data.jsonl")
    opinions = [opinion for dialogue in dialogues for opinion in dialogue.opinions or ()]
    by_seeker = [opinion for opinion in opinions if opinion.by == "user"]
    assert (
        sum(o.suggested is True for o in by_seeker) == 1596 + 1156 + 329 + 186 + 107 + 85 + 50 + 45 + 19
    )  # counted in the file
    assert sum(o.suggested is None for o in opinions) == 0
    # What the flag means: films that the initiator's form calls suggested were first named by the respondent.
    first = {(d.id, m.item_id): u.speaker for d in dialogues for u in reversed(d.utterances) for m in u.mentions or ()}
    named = [(first.get((d.id, o.item_id)), o.suggested) for d in dialogues for o in d.opinions or () if o.by == "user"]
    assert named.count(("system", True)) == 3457
    assert named.count(("user", False)) == 1542


@pytest.mark.mirror
def test_situations_have_targets_from_the_annotated_films(mirror: Path) -> None:
    dialogues, _ = read(mirror / "redial" / "valid_data.jsonl")
    situations = [situation for dialogue in dialogues[:50] for situation in situations_of(dialogue)]
    assert all(situation.targets is not None for situation in situations)


@pytest.mark.mirror
def test_the_checksum_is_that_of_the_publishers_file(mirror: Path) -> None:
    [file] = SOURCE.files
    assert sha256_of(mirror / SOURCE.folder / file.path) == file.sha256
