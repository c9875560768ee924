"""Writing DialogueKit JSON: whole for us, and as DialogueKit 0.1.1 itself reads it."""

import json
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.records import strategies as made
from trialogue.datasets.dialoguekit.format import read_dialoguekit, to_dialoguekit, write_dialoguekit
from trialogue.datasets.dialoguekit.needs import need_in
from trialogue.errors import Problem, UsageError
from trialogue.records import (
    Dialogue,
    DialogueAct,
    Ending,
    ItemOpinion,
    JsonValue,
    Mention,
    Rating,
    SlotValue,
    StrategyLabel,
    Utterance,
)

TESTS = Path(__file__).parent.parent.parent
WRITTEN = TESTS / "data" / "dialoguekit" / "written.json"
GOLDEN = TESTS / "golden" / "dialoguekit_0_1_1.json"
PYTHON = "TRIALOGUE_DIALOGUEKIT_PYTHON"

WANTED: dict[str, JsonValue] = {"constraints": {"GENRE": "comedy"}, "requests": ["PLOT"]}

TALKS = (
    Dialogue(
        id="Café-bot-ann-1",
        system="Café-bot",
        user="ann",
        source="ours",
        utterances=(
            Utterance(
                speaker="system",
                text="Which genres do you prefer?",
                id="u0",
                acts=(DialogueAct(intent="INQUIRE.ELICIT", slots=(SlotValue(slot="GENRE"),)),),
                strategies=(StrategyLabel(strategy="opinion_inquiry", origin="expert"),),
            ),
            Utterance(
                speaker="user",
                text="something like Amélie 🎬",
                id="u1",
                acts=(
                    DialogueAct(intent="DISCLOSE", slots=(SlotValue(slot="TITLE", value="Amélie", start=15, end=21),)),
                    DialogueAct(intent=""),
                ),
                ratings=(
                    Rating(name="utterance_feedback", value=1, rater="user", low=0, high=1),
                    Rating(name="satisfaction", value=4),
                ),
                meta={"annotations": [["sentiment", "positive"]], "mood": "curious", "slot_values": "ours to keep"},
            ),
            Utterance(
                speaker="system",
                text="Try Delicatessen.",
                id="u2",
                acts=(DialogueAct(intent="REVEAL", slots=(SlotValue(slot="TITLE", value="Delicatessen"),)),),
                mentions=(Mention(title="Delicatessen", item_id="m2", start=4, end=16),),
                ranking=("m2", "m7"),
            ),
            Utterance(speaker="system", text="", id="u3", acts=(DialogueAct(intent="END"),)),
        ),
        ratings=(Rating(name="satisfaction", value=1, rater="user", low=0, high=1),),
        opinions=(ItemOpinion(title="Delicatessen", by="user", liked=True),),
        outcome={"fine": "accepted"},
        meta={"information_need": WANTED},
        need=need_in(WANTED),
    ),
    Dialogue(
        id="crashed",
        system="Café-bot",
        user="bob",
        ended_by=Ending.USER_ERROR,
        ending_detail="IndexError: pop from an empty deque",
        utterances=(Utterance(speaker="system", text="Hello", id="c0", acts=(DialogueAct(intent="GREET"),)),),
        meta={"error": {"error_type": "IndexError", "trace": "pop from an empty deque"}},
    ),
)
"""Every field that DialogueKit has, and every one that it has not."""

SEES = """
import json, sys
import dialoguekit.core  # first: the other modules import each other in a circle
from dialoguekit.utils.dialogue_reader import json_to_dialogues

def act(given):
    intent = getattr(given.intent, "label", given.intent)
    return [intent, [[slot.slot, slot.value, slot.start, slot.end] for slot in given.annotations]]

def utterance(given):
    return {"participant": given.participant.name, "text": given.text, "id": given.utterance_id,
            "acts": [act(each) for each in given.dialogue_acts],
            "annotations": [[note.key, note.value] for note in given.annotations]}

def dialogue(given):
    feedback = {key: each.feedback.value for key, each in given._utterance_feedbacks.items()}
    return {"id": given.conversation_id, "agent": given.agent_id, "user": given.user_id, "feedback": feedback,
            "metadata": sorted(given.metadata), "utterances": [utterance(each) for each in given.utterances]}

read = json_to_dialogues(sys.argv[1])
print(json.dumps({"seen": [dialogue(each) for each in read], "exported": [each.to_dict() for each in read]}))
"""


def quiet(problem: Problem) -> None:
    raise AssertionError(f"nothing to mend in what we wrote ourselves: {problem}")


def in_dialoguekit(path: Path) -> dict[str, Any]:
    """What DialogueKit reads from a file, and what it exports again; skips where there is none."""
    python = os.environ.get(PYTHON)
    if not python:
        pytest.skip(f"{PYTHON} is not set: the Python of an environment with dialoguekit==0.1.1")
    run = subprocess.run([python, "-W", "ignore", "-c", SEES, str(path)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def reserved_or_any() -> st.SearchStrategy[dict[str, Any]]:
    """Metadata with keys that mean something to DialogueKit or to us."""
    keys = ["participant", "utterance", "utterance ID", "utterance_id", "dialogue_acts", "intent", "slots", "metadata"]
    keys += ["satisfaction", "utterance_feedback", "annotations", "trialogue", "conversation", "agent", "error", "v"]
    return st.dictionaries(st.sampled_from(keys) | made.name, made.json_value | st.just({"v": 1}), max_size=4)


def named_as_dialoguekit_does() -> st.SearchStrategy[Rating]:
    names = st.sampled_from(["satisfaction", "utterance_feedback"])
    values = st.sampled_from([0.0, 1.0, 0.5, 4.0])
    return made.rated(names, values, made.maybe(st.just("user")))


HARD_UTTERANCES = st.builds(
    lambda utterance, meta, ratings: utterance.model_copy(update={"meta": meta, "ratings": ratings}),
    made.user | made.system,
    reserved_or_any(),
    made.few(named_as_dialoguekit_does()),
)
HARD = st.builds(
    lambda dialogue, meta, utterances, agent: dialogue.model_copy(
        update={"meta": meta, "utterances": utterances, "system": agent, "user": agent}
    ),
    made.dialogues,
    reserved_or_any(),
    made.few(HARD_UTTERANCES),
    st.sampled_from([None, "", "Agent", "User", "56"]),
)


@settings(deadline=None, max_examples=80)
@given(st.lists(made.dialogues | HARD, min_size=1, max_size=3, unique_by=lambda dialogue: dialogue.id))
def test_what_is_written_and_read_again_is_equal_to_what_it_was(dialogues: list[Dialogue]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "dialogues.json"
        assert write_dialoguekit(path, dialogues) == len(dialogues)
        assert read_dialoguekit(path, note=lambda problem: None) == dialogues  # reported: offsets beyond the text


def test_writing_again_what_was_read_gives_the_same_bytes(tmp_path: Path) -> None:
    once, twice = tmp_path / "once.json", tmp_path / "twice.json"
    write_dialoguekit(once, TALKS)
    write_dialoguekit(twice, read_dialoguekit(once))
    assert once.read_bytes() == twice.read_bytes()


def test_both_spellings_of_ids_are_written() -> None:
    data = to_dialoguekit(TALKS[1])
    assert data["conversation_id"] == data["conversation ID"] == "crashed"
    assert data["conversation"] == [
        {
            "participant": "AGENT",
            "utterance": "Hello",
            "utterance_id": "c0",
            "utterance ID": "c0",
            "dialogue_acts": [{"intent": "GREET", "slot_values": []}],
        }
    ]


def test_what_dialoguekit_can_say_needs_no_key_of_ours() -> None:
    assert "trialogue" not in json.dumps(to_dialoguekit(TALKS[1]))
    assert "trialogue" in json.dumps(to_dialoguekit(TALKS[0]))  # strategies, mentions, ranking, opinions


def test_utterances_that_nobody_annotated_are_written_without_acts() -> None:
    bare = Dialogue(id="a", utterances=(Utterance(speaker="user", text="Hi"),))
    assert to_dialoguekit(bare)["conversation"] == [{"participant": "USER", "utterance": "Hi"}]


def test_a_compressed_file_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "dialogues.json.gz"
    write_dialoguekit(path, TALKS)
    assert read_dialoguekit(path) == list(TALKS)


def test_half_a_character_in_metadata_does_not_stop_the_writing(tmp_path: Path) -> None:
    path = tmp_path / "dialogues.json"
    write_dialoguekit(path, [Dialogue(id="a", utterances=(), meta={"raw": "\ud83d"})])
    notes: list[Problem] = []
    assert read_dialoguekit(path, note=notes.append)[0].meta == {"raw": "\ufffd"}
    assert "half a character" in str(notes[0])


def test_two_dialogues_of_one_id_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "dialogues.json"
    with pytest.raises(UsageError, match="for example 'crashed'"):
        write_dialoguekit(path, [TALKS[1], TALKS[1]])
    assert list(tmp_path.iterdir()) == []


def test_an_older_file_survives_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "dialogues.json"
    path.write_text("precious")
    not_json = TALKS[1].model_copy(update={"meta": {"score": float("nan")}})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_dialoguekit(path, [TALKS[0], not_json])
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_the_bytes_that_dialoguekit_was_shown_are_the_bytes_still_written(tmp_path: Path) -> None:
    path = tmp_path / "written.json"
    write_dialoguekit(path, TALKS)
    assert path.read_bytes() == WRITTEN.read_bytes(), "verify anew with DialogueKit, then update both golden files"


def test_dialoguekit_reads_ids_acts_slots_and_feedback_as_it_did_when_recorded(tmp_path: Path) -> None:
    assert in_dialoguekit(WRITTEN)["seen"] == json.loads(GOLDEN.read_text())["seen"]


def test_the_recorded_reading_by_dialoguekit_agrees_with_our_records() -> None:
    for dialogue, seen in zip(TALKS, json.loads(GOLDEN.read_text())["seen"], strict=True):
        assert (seen["id"], seen["agent"], seen["user"]) == (dialogue.id, dialogue.system, dialogue.user)
        for utterance, heard in zip(dialogue.utterances, seen["utterances"], strict=True):
            assert (heard["id"], heard["text"]) == (utterance.id, utterance.text)
            assert heard["participant"] == {"system": "AGENT", "user": "USER"}[utterance.speaker]
            assert heard["acts"] == [
                [act.intent or None, [[slot.slot, slot.value, slot.start, slot.end] for slot in act.slots]]
                for act in utterance.acts or ()
            ]


def test_a_trip_through_dialoguekit_and_back_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "exported.json"
    path.write_text(json.dumps(in_dialoguekit(WRITTEN)["exported"]))
    assert read_dialoguekit(path, note=quiet) == list(TALKS)


def test_dialoguekit_gives_ids_and_empty_acts_to_utterances_that_have_none(tmp_path: Path) -> None:
    bare = Dialogue(id="a", utterances=(Utterance(speaker="user", text="Hi"),))
    write_dialoguekit(tmp_path / "ours.json", [bare])
    path = tmp_path / "exported.json"
    path.write_text(json.dumps(in_dialoguekit(tmp_path / "ours.json")["exported"]))
    assert read_dialoguekit(path, note=quiet) == [
        bare.model_copy(update={"utterances": (Utterance(speaker="user", text="Hi", id="a_User_0", acts=()),)})
    ]


@pytest.mark.mirror
@pytest.mark.parametrize(
    "name", ["moviebot_dialoguekit/annotated_dialogues.json", "iard/formatted_IARD_annotated_gold.json"]
)
def test_real_files_pass_through_us_into_dialoguekit(name: str, mirror: Path, tmp_path: Path) -> None:
    ours = tmp_path / "ours.json"
    dialogues = read_dialoguekit(mirror / name, note=lambda problem: None)
    write_dialoguekit(ours, dialogues)
    theirs = in_dialoguekit(ours)["seen"]
    assert [each["id"] for each in theirs] == [dialogue.id for dialogue in dialogues]
    assert [each["acts"] for dialogue in theirs for each in dialogue["utterances"]] == [
        [
            [act.intent or None, [[slot.slot, slot.value, slot.start, slot.end] for slot in act.slots]]
            for act in said.acts or ()
        ]
        for dialogue in dialogues
        for said in dialogue.utterances
    ]
