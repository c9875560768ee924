"""What the page of a dialogue shows: everything that its records and scores hold."""

from pathlib import Path
from typing import Any

from tests.render.explorer.made import LENGTH, SATISFIED, TURNS, part, talk, written
from trialogue.records import Dialogue, Mention, Utterance
from trialogue.records.kinds.suspicions import Gate
from trialogue.records.trace import ToolCall, Trace
from trialogue.render.explorer.entries import Part
from trialogue.render.explorer.messages import LONGEST_META


def detail_of(tmp_path: Path, row: int) -> tuple[dict[str, Any], list[str]]:
    chunk = written(tmp_path, part())["detail-0"]
    return chunk["rows"][row], chunk["words"]


def test_a_dialogue_has_its_values_answers_and_votes(tmp_path: Path) -> None:
    detail, words = detail_of(tmp_path, 0)
    assert [(words[measure], value) for measure, value, _ in detail["v"]] == [(TURNS, 2.0), (SATISFIED, 2.5)]
    answers = [
        (words[name], value, words[rater], words[kind], *scale[:2]) for name, value, rater, kind, *scale in detail["r"]
    ]
    assert answers == [(SATISFIED, 4.0, "u1", "invented", 1.0, 5.0), (SATISFIED, 1.0, "u2", "invented", 1.0, 5.0)]
    assert detail["p"] == [["B", "fourth", "won", "p9", "people", "it listens"]]


def test_the_other_side_of_a_vote_has_lost(tmp_path: Path) -> None:
    assert detail_of(tmp_path, 3)[0]["p"] == [["A", "rich", "lost", "p9", "people", "it listens"]]


def test_a_message_has_its_acts_labels_items_time_and_scores(tmp_path: Path) -> None:
    detail, words = detail_of(tmp_path, 0)
    asked, said = detail["u"]
    assert [[words[intent], slots] for intent, slots in asked["a"]] == [["Disclose", ""]]
    assert asked["b"] == "recognised by llm|v1|tiny"
    start, end, title, item, by = asked["m"][0]
    assert (start, end) == (10, 14)  # the emoji is two of JavaScript's characters
    assert (words[title], words[item], words[by]) == ("Heat (1995)", "heat", "linked")
    strategy, probability, origin, labeller = said["l"][0]
    assert (words[strategy], probability, words[origin], words[labeller]) == ("offer_help", 0.75, "m|v1", "model")
    assert (said["w"], said["k"], said["x"]) == (1.25, ["ronin", "heat"], [["thought", "cars"]])
    assert [(words[measure], value) for measure, value, _ in said["v"]] == [(LENGTH, 3.0)]
    assert (asked.get("s"), said["s"]) == (None, 1)


def test_an_undefined_value_has_its_reason(tmp_path: Path) -> None:
    detail, words = detail_of(tmp_path, 2)
    ((measure, value, why),) = detail["v"]
    assert (words[measure], value) == (TURNS, None)
    assert words[why] == "3 raters are too few to estimate how much people differ"


def test_facts_needs_and_meta_are_shown(tmp_path: Path) -> None:
    detail, _ = detail_of(tmp_path, 0)
    assert ["ended by", "an error of the agent (fault: agent)"] in detail["f"]
    assert ["user", "u1"] in detail["f"]
    assert detail["n"] == [["genre", "crime (may be given up)"], ["happiest with", "r"]]
    assert detail["x"] == [["k", "[1]"]]


def test_faults_of_the_user_are_facts_of_dialogues(tmp_path: Path) -> None:
    looping = Part(scores=(), dialogues=[talk("d", "A", ["a", "b"])], faults={("A", "d"): (Gate.LOOP,)})
    data = written(tmp_path, looping)
    assert ["faults of the user", "loops"] in data["detail-0"]["rows"][0]["f"]
    assert data["index"]["facets"]["fault"] == [[["loop"], 1]]


def test_mentions_that_lie_outside_the_text_have_no_place(tmp_path: Path) -> None:
    places = ((1, 9), (None, None), (2, 1))
    mentions = tuple(Mention(title="A", start=start, end=end) for start, end in places)
    said = Utterance(speaker="system", text="ok", mentions=mentions)
    odd = talk("d", "A", ["a"]).model_copy(update={"utterances": (said,)})
    rows = written(tmp_path, Part(scores=(), dialogues=[odd]))["detail-0"]["rows"]
    assert [mention[:2] for mention in rows[0]["u"][0]["m"]] == [[None, None]] * 3


def test_what_is_very_long_is_cut(tmp_path: Path) -> None:
    long = talk("d", "A", ["a"], meta={"log": "x" * 9_000})
    rows = written(tmp_path, Part(scores=(), dialogues=[long]))["detail-0"]["rows"]
    assert rows[0]["x"] == [["log", "x" * LONGEST_META + "…"]]


def test_a_dialogue_without_messages_is_a_row(tmp_path: Path) -> None:
    data = written(tmp_path, Part(scores=(), dialogues=[talk("d", "A", [])]))
    assert (data["text-0"], data["previews-0"], data["detail-0"]["rows"]) == ([[]], [""], [{}])


def test_markdown_of_systems_is_a_tree_of_places_in_the_text(tmp_path: Path) -> None:
    said = ["**mine**", "\U0001f600 *Heat* [x](javascript:a) [y](https://a.example) <b>", "hi", "plain"]
    rows = written(tmp_path, Part((), dialogues=(talk("d", "A", said),)))["detail-0"]["rows"][0]["u"]
    assert [row.get("t") for row in rows] == [
        None,
        [["p", [[0, 3], ["em", [[4, 8]]], [9, 28], ["a", [[29, 30]], "https://a.example"], [50, 54]]]],
        None,
        None,
    ]


def test_a_message_has_the_calls_of_tools_and_what_it_took(tmp_path: Path) -> None:
    calls = (
        ToolCall(name="search", arguments={"city": "Rome"}, result=[1], has_result=True, latency_s=0.25),
        ToolCall(
            name="order", arguments="{", error="<b>no index</b>", has_result=True, is_declared=True, refused="no JSON"
        ),
        ToolCall(name=""),
    )
    trace = Trace(calls=calls, latency_s=1.5, input_tokens=7, cost=0.002)
    said = (Utterance(speaker="user", text="hi"), Utterance(speaker="system", text="Hello", trace=trace))
    open_trace = Trace(calls=calls[2:], output_tokens=3)
    dialogue = Dialogue(id="d", system="A", utterances=said, trace=open_trace)
    detail = written(tmp_path, Part(scores=(), dialogues=(dialogue,)))["detail-0"]["rows"][0]
    message = detail["u"][1]
    assert message["c"] == [
        ["search", '{"city": "Rome"}', "[1]", "", "", 0.25],
        ["order", "{", "", "<b>no index</b>", "no JSON", None],
        ["", "", "", "", "", None],
    ]
    assert message["w"] == 1.5
    assert ["tokens read", "7"] in message["x"]
    assert ["cost", "0.002"] in message["x"]
    assert "c" not in detail["u"][0]
    assert detail["c"] == [["", "", "", "", "", None]]
    assert ["tokens written", "3"] in detail["x"]
