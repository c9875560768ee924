"""What a reply is: thought apart from what is said, tools' parts, one Unicode form, blank texts."""

import json
import unicodedata
from pathlib import Path

import pytest

from trialogue.agents.replies import turn_of
from trialogue.inputs.inputs import gather
from trialogue.inputs.memory import in_memory
from trialogue.records import Mention, Utterance
from trialogue.records.spoken import in_one_form, is_blank, settle_utterance, split_channels
from trialogue.transport.failures import AgentFailure

SAID, THOUGHT = "Have you seen Heat?", "They like thrillers."


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{THOUGHT}</think>\n\n{SAID}",
        f"<thinking>\n{THOUGHT}\n</thinking> {SAID}",
        f"{THOUGHT}</think>{SAID}",
        f"[THINK]{THOUGHT}[/THINK]{SAID}",
        f"◁think▷{THOUGHT}◁/think▷{SAID}",
        f"<|begin_of_thought|>{THOUGHT}<|end_of_thought|><|begin_of_solution|>{SAID}<|end_of_solution|>",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{SAID}<|return|>",
        f"&lt;think&gt;{THOUGHT}&lt;/think&gt;{SAID}",
        f"<think>{THOUGHT}</think><answer>{SAID}</answer>",
        f"<THINK>{THOUGHT}</THINK>{SAID}",
    ],
)
def test_thought_is_apart_in_every_form(text: str) -> None:
    assert split_channels(text) == (SAID, THOUGHT)
    [message] = turn_of(text).utterances
    assert (message.text, message.thought) == (SAID, THOUGHT)


@pytest.mark.parametrize("text", [SAID, "I <3 Heat", "a [b] c", "<b>Heat</b>", "I think so", "Thoughts? <thinker>"])
def test_texts_without_thought_stay_as_they_are(text: str) -> None:
    assert split_channels(text) == (text, None)


def test_thought_that_was_cut_off_leaves_nothing_said() -> None:
    assert split_channels(f"<think>{THOUGHT}") == ("", THOUGHT)
    with pytest.raises(AgentFailure, match="reasoning but no reply"):
        turn_of(f"<think>{THOUGHT}")


def test_mentions_move_with_what_is_said() -> None:
    text = f"<think>Heat?</think>{SAID}"
    said = Utterance(
        speaker="system",
        text=text,
        mentions=(Mention(title="Heat", start=7, end=11), Mention(title="Heat", start=34, end=38)),
    )
    [mention] = settle_utterance(said).mentions or ()
    assert settle_utterance(said).text[mention.start : mention.end] == "Heat"


def test_composed_and_decomposed_texts_are_equal_with_their_offsets() -> None:
    text = unicodedata.normalize("NFD", "Voilà Amélie, un très bon film")
    start = text.index("A")
    said = Utterance(speaker="system", text=text, mentions=(Mention(title="x", start=start, end=start + 7),))
    [mention] = settle_utterance(said).mentions or ()
    assert settle_utterance(said).text == in_one_form(text) == unicodedata.normalize("NFC", text)
    assert settle_utterance(said).text[mention.start : mention.end] == "Amélie"


def test_what_shows_nothing_is_blank() -> None:
    assert [is_blank(text) for text in ("", " \n", "\u200b", "\ufeff\u2060", "。", "a\u200b")] == [True] * 4 + [
        False
    ] * 2


def anthropic() -> dict[str, object]:
    return {
        "id": "a",
        "messages": [
            {"role": "user", "content": "a thriller"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": THOUGHT},
                    {"type": "tool_use", "id": "t1", "name": "search", "input": {"genre": "thriller"}},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Heat"}]},
            {"role": "assistant", "content": [{"type": "text", "text": SAID}]},
        ],
    }


def openai() -> dict[str, object]:
    return {
        "id": "a",
        "messages": [
            {"role": "user", "content": "a thriller"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "t1", "function": {"name": "search"}}]},
            {"role": "tool", "tool_call_id": "t1", "content": "Heat"},
            {"role": "assistant", "content": SAID, "reasoning_content": THOUGHT},
        ],
    }


@pytest.mark.parametrize("entry", [anthropic(), openai()])
def test_tool_blocks_are_no_turns_in_any_form(entry: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps(entry) + "\n")
    [dialogue] = gather([str(path)]).dialogues
    assert [(said.speaker, said.text) for said in dialogue.utterances] == [("user", "a thriller"), ("system", SAID)]
    trace = dialogue.utterances[1].trace
    assert trace is not None
    assert trace.calls is not None
    assert [(call.name, call.result) for call in trace.calls] == [("search", "Heat")]


def test_every_entrance_keeps_thought_apart(tmp_path: Path) -> None:
    text = f"<think>{THOUGHT}</think>{SAID}"
    forms = {
        "chat.jsonl": json.dumps(
            {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": text}]}
        ),
        "gpt.jsonl": json.dumps({"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": text}]}),
        "table.csv": f'dialogue_id,role,text\n1,user,hi\n1,bot,"{text}"\n',
        "pairs.jsonl": json.dumps({"pred": text, "label": "x", "context": ["hi"]}),
        "ours.jsonl": json.dumps(
            {
                "kind": "dialogue",
                "id": "1",
                "utterances": [{"speaker": "user", "text": "hi"}, {"speaker": "system", "text": text}],
            }
        ),
    }
    for name, content in forms.items():
        (tmp_path / name).write_text(content + "\n")
        material = gather([str(tmp_path / name)])
        replies = [said for each in material.dialogues for said in each.utterances if said.speaker == "system"]
        replies += [response.utterance for response in material.responses]
        assert [(said.text, said.thought) for said in replies] == [(SAID, THOUGHT)], name
        assert any("reasoning" in warning for warning in material.warnings), name
    held = in_memory([text], contexts=["hi"]).held
    assert [each.utterance.text for each in held if each.kind == "response"] == [SAID]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "answer", [{"text": "", "error": "model overloaded"}, {"text": " ", "error": {"message": "model overloaded"}}]
)
def test_the_servers_own_words_are_in_the_failure(answer: dict[str, object]) -> None:
    with pytest.raises(AgentFailure, match="model overloaded"):
        turn_of(answer)
