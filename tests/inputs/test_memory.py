"""Data in memory are read as files are, and every mistake says where in the data it is."""

from pathlib import Path
from typing import Any

import polars
import pytest

import trialogue
from trialogue import DataError, Dialogue, Response, Situation, UsageError
from trialogue.inputs.inputs import gather
from trialogue.inputs.memory import in_memory
from trialogue.records import Utterance, write_records

A = ["Have you seen Heat?", "You could watch Alien tonight.", "I like comedies, too."] * 4
B = ["What do you like?", "Alien is good.", "Fine by me."] * 4
PEOPLE = ["Have you watched Heat?", "Try Alien tonight.", "I love comedies, too."] * 4


def chat(system: str, rating: int, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": f"hello {rating}"}]
    return {"messages": messages, "system": system, "rating": rating, **more}


def mistakes(data: Any, **more: Any) -> list[str]:
    with pytest.raises(DataError) as caught:
        in_memory(data, **more)
    return [str(problem) for problem in caught.value.problems]


def test_lists_of_replies_are_evaluated_against_references() -> None:
    run = trialogue.evaluate({"A": A, "B": B}, references=PEOPLE, resamples=100)
    assert [facts.replies for facts in run.findings.systems] == [12, 12]
    (bleu,) = [league for league in run.findings.leagues if league.measure.measured.metric == "bleu"]
    assert bleu.standings[0].system == "A"
    assert run.findings.title == "Evaluation of A, B"
    assert set(run.findings.manifest.inputs) == {"A, B"}


def test_data_in_memory_give_the_scores_of_the_same_records_in_a_file(tmp_path: Path) -> None:
    held = in_memory({"A": A, "B": B}, references=PEOPLE)
    write_records(tmp_path / "same.jsonl", held.held)
    here = trialogue.evaluate(held, resamples=100)
    there = trialogue.evaluate(tmp_path / "same.jsonl", resamples=100)
    assert [score.value for score in here.scores] == [score.value for score in there.scores]


def test_the_same_data_have_the_same_checksum_and_others_another() -> None:
    assert in_memory({"A": A}).digests() == in_memory({"A": tuple(A)}).digests()
    assert in_memory({"A": A}).digests() != in_memory({"A": B}).digests()


def test_replies_are_scored_by_one_metric() -> None:
    (score,) = trialogue.score(["a b a b"], metric="distinct(n=2)@ratio")
    assert score.value == pytest.approx(2 / 3)  # ab, ba, ab: 3 bigrams, 2 distinct
    with pytest.raises(UsageError, match="name a metric"):
        trialogue.score(["a b"])
    with pytest.raises(UsageError, match=r"Write metric='turns'\."):
        trialogue.score(["a b"], metrics="turns")


def test_contexts_are_texts_or_messages_that_end_on_the_user() -> None:
    contexts = [
        "hi",
        ["hello", "who?", "me"],
        [{"role": "assistant", "content": "hm"}, {"role": "user", "content": "x"}],
    ]
    held = in_memory(["a", "b", "c"], contexts=contexts).held
    said = [[(one.speaker, one.text) for one in each.context] for each in held if isinstance(each, Situation)]
    assert said == [
        [("user", "hi")],
        [("user", "hello"), ("system", "who?"), ("user", "me")],
        [("system", "hm"), ("user", "x")],
    ]
    assert mistakes(["a", "b"], contexts=[["hi"], 3]) == [
        "contexts[1]: expected a string or a list of messages, got the number 3."
    ]
    assert mistakes(["a"], contexts=[[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hm"}]]) == [
        "contexts[0]: the last message must be the user's."
    ]


def test_conversations_are_read_with_their_system_and_rating() -> None:
    run = trialogue.evaluate([chat("AB"[i % 2], 1 + i % 5) for i in range(20)], resamples=100)
    assert run.findings.primary == "human:rating"
    assert [facts.system for facts in run.findings.systems] == ["A", "B"]
    assert any("'rating' was read as people's ratings" in line for line in run.findings.warnings)


def test_names_of_systems_given_with_conversations_count_before_those_within() -> None:
    held = in_memory({"mine": [chat("other", 1)], "yours": [chat("other", 2)]}).held
    assert [one.system for one in held if isinstance(one, Dialogue)] == ["mine", "yours"]


def test_all_mistakes_come_at_once_with_place_and_field() -> None:
    bad = [
        {"messages": [{"role": "bot", "content": "x"}]},
        chat("A", 1),
        {**chat("A", 1), "metadata": "b"},
    ]
    assert mistakes(bad) == [
        "data[0], field messages.0.role: unknown role 'bot'. Known: user, assistant, system, developer, tool, function.",
        "data[2], field metadata: expected an object, got the text 'b'.",
    ]
    assert mistakes({"A": ["a", 3, None], "B": ["a", "b", "c"]}, references=["x", 1, "y"]) == [
        "A[1]: expected a string, got the number 3.",
        "A[2]: expected a string, got null.",
        "references[1]: expected a string, or a list of strings, got the number 1.",
    ]
    assert mistakes([chat("A", 1), "a", Dialogue(id="x", utterances=())])[0].startswith(
        "data[1]: expected a conversation"
    )
    assert mistakes([chat("A", 1, id="x"), chat("A", 2, id="x")]) == [
        "data[1], field id: duplicate id 'x' (first used by data[0]). "
        "Ids must be unique within a system; without ids, conversations are numbered."
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "data: it is empty."),
        ({"A": []}, "A: it is empty."),
        ({"A": "a reply"}, "A: expected a list of replies, conversations, records or rows, or a data frame"),
        (5, "got the number 5"),
        ({"A": ["a"], "B": ["a", "b"]}, "the lists differ in length: A 1, B 2."),
        ([{"x": 1}], "the contents of these columns are not clear from their names: x."),
    ],
)
def test_what_cannot_be_read_says_what_would_do(data: Any, words: str) -> None:
    assert words in mistakes(data)[0]


def test_references_belong_to_replies_alone() -> None:
    for given in ("demo", [chat("A", 1)]):
        with pytest.raises(UsageError, match="references and contexts belong to lists of replies"):
            list(trialogue.read(given, references=["x"]))
    with pytest.raises(UsageError, match="give a list of them"):
        trialogue.evaluate({"messages": []})


def test_records_are_taken_as_they_are_and_files_beside_them(tmp_path: Path) -> None:
    dialogue = Dialogue(id="d", utterances=(Utterance(speaker="user", text="hi"),))
    write_records(tmp_path / "more.jsonl", [dialogue.model_copy(update={"system": "filed"})])
    material = gather([[dialogue], tmp_path / "more.jsonl"])
    assert [(one.id, one.system) for one in material.dialogues] == [("d", "system"), ("d", "filed")]
    assert list(material.hashes) == ["data", "more.jsonl"]


def test_situations_and_replies_in_memory_are_aligned() -> None:
    contexts = [["hello", "hi, what do you like?", f"film {i}"] for i in range(12)]
    records = list(trialogue.read({"A": A, "B": B}, references=PEOPLE, contexts=contexts))
    situations = [one for one in records if isinstance(one, Situation)]
    responses = [one for one in records if isinstance(one, Response)]
    run = trialogue.align(situations, responses, baselines=False, resamples=100)
    assert [profile.system for profile in run.profiles] == ["A", "B"]


def test_conversations_in_memory_are_compared_and_planned_with() -> None:
    old, new = ([chat(name, low + i % 3) for i in range(30)] for name, low in (("old", 1), ("new", 2)))
    found = trialogue.compare(old, new, resamples=100).comparison
    assert (found.before, found.after, found.light) == ("old", "new", "better")
    with pytest.raises(UsageError, match="compared with itself"):
        trialogue.compare(old, list(old), resamples=100)
    plan = trialogue.plan(old, difference=0.5, on="human:rating", users=[30], simulations=10)
    assert plan.sizes[0].users == 30


class Stand:
    """A data frame as others make one: polars has ``to_dicts``, Arrow ``to_pylist``, ``datasets`` ``to_list``."""

    def __init__(self, maker: str, rows: list[dict[str, Any]]) -> None:
        setattr(self, "columns" if maker == "to_dicts" else "column_names", list(rows[0]))
        setattr(self, maker, lambda: rows)


ROWS = [
    {
        "conversation_id": i // 2,
        "role": ["user", "bot"][i % 2],
        "message": f"m {i}",
        "model": "A",
        "stars": 3 + i // 2 % 2,
    }
    for i in range(8)
]


@pytest.mark.parametrize("maker", ["to_dicts", "to_pylist", "to_list", "rows"])
def test_frames_and_rows_are_tables_whose_columns_are_guessed(maker: str) -> None:
    data: Any = ROWS if maker == "rows" else Stand(maker, ROWS)
    held = in_memory(data)
    dialogues = [one for one in held.held if isinstance(one, Dialogue)]
    assert [(one.id, one.system, one.ratings[0].value) for one in dialogues[:2]] == [("0", "A", 3), ("1", "A", 4)]
    assert "ratings.stars: stars" in str(held.notes[0])


def test_pandas_frames_are_read_without_their_missing_values() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS)
    frame["stars"] = frame["stars"].astype("Int64")
    frame.loc[frame["conversation_id"] == 1, "stars"] = pandas.NA
    held = in_memory(frame).held
    assert [[rating.value for rating in one.ratings] for one in held if isinstance(one, Dialogue)] == [
        [3],
        [],
        [3],
        [4],
    ]
    assert [one.text for one in held[0].utterances] == ["m 0", "m 1"]  # type: ignore[union-attr]


def test_columns_of_a_frame_are_mapped_and_their_mistakes_placed() -> None:
    rows = [{"c": "x", "who": "user", "what": "hi"}, {"c": "x", "who": "martian", "what": "hm"}]
    columns = {"dialogue": "c", "speaker": "who", "text": "what"}
    (mistake,) = mistakes(rows, mapping=columns)
    assert mistake.startswith("data[1], field who: unknown speakers, neither user nor system: 'martian'")
    (found,) = in_memory(rows, mapping={**columns, "speakers": {"martian": "system"}}).held
    assert isinstance(found, Dialogue)
    assert found.utterances[1].speaker == "system"


def test_polars_frames_are_read_as_they_are() -> None:
    held = in_memory(polars.DataFrame(ROWS)).held
    assert [one.id for one in held if isinstance(one, Dialogue)] == ["0", "1", "2", "3"]
