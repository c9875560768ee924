"""Reading DialogueKit JSON: every spelling seen in real files, every mistake at once."""

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
from trialogue.datasets import Head, Repairs
from trialogue.datasets.dialoguekit.format import (
    FORMAT,
    IARD,
    MOVIEBOT,
    read_dialoguekit,
    to_dialoguekit,
    write_dialoguekit,
)
from trialogue.datasets.dialoguekit.parsing import need_in
from trialogue.errors import DataError, Problem, UsageError
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

DATA = Path(__file__).parent.parent.parent / "data" / "dialoguekit"


def written(folder: Path, content: Any, name: str = "dialogues.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def one(folder: Path, *utterances: Any, **more: Any) -> Dialogue:
    """The only dialogue of a file with one dialogue."""
    dialogue = {"conversation_id": "d", "conversation": list(utterances), **more}
    return read_dialoguekit(written(folder, [dialogue]), note=lambda problem: None)[0]


def problems_of(path: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        read_dialoguekit(path)
    return [f"{problem.field}: {problem.what}" for problem in caught.value.problems]


@pytest.fixture(scope="module")
def spellings() -> tuple[list[Dialogue], Repairs]:
    repairs = Repairs()
    return read_dialoguekit(DATA / "spellings.json", note=repairs), repairs


def test_both_spellings_of_ids_are_read_and_numbers_are_ids(spellings: tuple[list[Dialogue], Repairs]) -> None:
    first, second, *_ = spellings[0]
    assert [first.id, first.utterances[0].id] == ["IAI MovieBot-ann-1", "IAI MovieBot-ann-1_0"]
    assert [second.id, second.utterances[0].id, second.utterances[1].id] == ["474", "7", None]


def test_agent_and_user_may_be_objects_texts_numbers_or_missing(spellings: tuple[list[Dialogue], Repairs]) -> None:
    parties = [(dialogue.system, dialogue.user) for dialogue in spellings[0]]
    assert parties == [("IAI MovieBot", "ann"), ("56", None), ("IAI MovieBot", None), (None, None)]


def test_the_placeholder_user_is_nobody_so_that_its_dialogues_are_not_one_persons(tmp_path: Path) -> None:
    dialogue = one(tmp_path, agent={"id": "Agent", "type": "AGENT"}, user={"id": "User", "type": "USER"})
    assert (dialogue.system, dialogue.user) == (None, None)
    assert dialogue.cluster == "dialogue:d"


def test_slots_are_read_from_lists_and_objects_with_offsets_in_any_form(
    spellings: tuple[list[Dialogue], Repairs],
) -> None:
    first, second, *_ = spellings[0]
    assert first.utterances[0].acts == (DialogueAct(intent="INQUIRE.ELICIT", slots=(SlotValue(slot="GENRE"),)),)
    title = SlotValue(slot="TITLE", value="the piano", start=15, end=24)
    assert first.utterances[1].acts == (DialogueAct(intent="DISCLOSE", slots=(title,)),)
    assert second.utterances[1].acts == (DialogueAct(intent="", slots=(SlotValue(slot="GENRE", value="comedy"),)),)


def test_a_slot_may_be_an_object_or_lack_its_end_but_not_have_five_parts(tmp_path: Path) -> None:
    def slots(*given: Any) -> Any:
        return {"participant": "USER", "utterance": "Heat", "dialogue_acts": [{"intent": "X", "slot_values": [*given]}]}

    said = one(
        tmp_path, slots({"slot": "TITLE", "value": "Heat", "start": 0}, {"key": "YEAR", "value": 1995}, ["GENRE"])
    )
    assert said.utterances[0].acts is not None
    assert said.utterances[0].acts[0].slots == (
        SlotValue(slot="TITLE", value="Heat", start=0),
        SlotValue(slot="YEAR", value="1995"),
        SlotValue(slot="GENRE"),
    )
    path = written(tmp_path, [{"conversation_id": "d", "conversation": [slots([1, 2, 3, 4, 5])]}])
    assert problems_of(path)[0].endswith("a slot must be [slot, value, start, end], got [1, 2, 3, 4, 5].")


def test_an_intent_that_is_null_or_empty_is_empty(spellings: tuple[list[Dialogue], Repairs]) -> None:
    second = spellings[0][1]
    assert [utterance.acts for utterance in second.utterances[2:]] == [(DialogueAct(intent=""),), ()]
    assert second.utterances[0].acts is None  # not annotated, which is not the same as having none


def test_an_intent_of_the_utterance_itself_is_its_act(spellings: tuple[list[Dialogue], Repairs]) -> None:
    assert spellings[0][2].utterances[0].acts == (DialogueAct(intent="GREET"),)


def test_feedback_and_satisfaction_become_ratings(spellings: tuple[list[Dialogue], Repairs]) -> None:
    first, second, *_ = spellings[0]
    assert first.utterances[1].ratings == (
        Rating(name="utterance_feedback", value=1, rater="user", low=0, high=1),
        Rating(name="satisfaction", value=4),
    )
    assert second.utterances[0].ratings == (Rating(name="satisfaction", value=3),)


def test_metadata_flat_or_nested_and_annotations_are_kept(spellings: tuple[list[Dialogue], Repairs]) -> None:
    first, second, *_ = spellings[0]
    assert first.utterances[1].meta == {"annotations": [["sentiment", "positive"]], "mood": "fine"}
    assert second.utterances[0].meta == {"tone": "flat"}
    assert first.meta == {"utility": {"success": 1}}


def test_a_crashed_dialogue_says_that_an_error_ended_it(spellings: tuple[list[Dialogue], Repairs]) -> None:
    crashed = spellings[0][2]
    assert (crashed.ended_by, crashed.fault) == ("user_error", "user")  # the agenda of a UserSimCRS user is a deque
    assert crashed.ending_detail == "IndexError: pop from an empty deque"
    assert crashed.meta["error"] == {"error_type": "IndexError", "trace": "pop from an empty deque"}


def test_two_system_turns_in_a_row_and_single_utterances_are_dialogues(
    spellings: tuple[list[Dialogue], Repairs],
) -> None:
    assert [utterance.speaker for utterance in spellings[0][1].utterances] == ["user", "system", "system", "user"]
    assert [len(dialogue.utterances) for dialogue in spellings[0]] == [2, 4, 1, 0]


def test_ids_are_made_unique_with_a_note_and_the_written_one_is_kept(
    spellings: tuple[list[Dialogue], Repairs],
) -> None:
    dialogues, repairs = spellings
    assert [dialogue.id for dialogue in dialogues] == ["IAI MovieBot-ann-1", "474", "474~2", "dialogue-4"]
    assert dialogues[2].meta["conversation_id"] == "474"
    assert [(problem.field, problem.what) for problem in repairs.problems] == [
        ("[2].conversation_id", "a repeated dialogue id was made unique."),
        ("[3]", "a dialogue without an id was named by its position."),
    ]


def test_a_unique_name_is_found_even_if_the_obvious_one_is_taken(tmp_path: Path) -> None:
    path = written(tmp_path, [{"conversation_id": name, "conversation": []} for name in ("a", "a~2", "a", "a")])
    repairs = Repairs()
    assert [dialogue.id for dialogue in read_dialoguekit(path, note=repairs)] == ["a", "a~2", "a~2~", "a~3"]
    assert repairs.problems[0].what.endswith("(2 times, first here).")


def test_offsets_that_point_nowhere_are_left_out_kept_and_reported(tmp_path: Path) -> None:
    slots = [
        ["TITLE", "Conan", "1982", None],
        ["TITLE", "Conan", 3, 1],
        ["TITLE", "Conan", 0, 5],
        ["YEAR", 1982, 6.5, 9],
    ]
    utterance = {
        "participant": "USER",
        "utterance": "Conan (1982)",
        "dialogue_acts": [{"intent": "X", "slot_values": slots}],
    }
    repairs = Repairs()
    path = written(tmp_path, [{"conversation_id": "d", "conversation": [utterance]}])
    said = read_dialoguekit(path, note=repairs)[0].utterances[0]
    assert said.acts is not None
    assert [(slot.value, slot.start, slot.end) for slot in said.acts[0].slots] == [
        ("Conan", None, None),
        ("Conan", None, None),
        ("Conan", 0, 5),
        ("1982", None, None),
    ]
    assert said.meta["slot_offsets_as_written"] == {"0.0": ["1982", None], "0.1": [3, 1], "0.3": [6.5, 9]}
    assert "(3 times, first here)" in repairs.problems[0].what


def test_an_intent_that_yaml_turned_into_true_is_read_as_text_with_a_note(tmp_path: Path) -> None:
    utterance = {"participant": "USER", "utterance": "yes", "dialogue_acts": [{"intent": True, "slot_values": []}]}
    repairs = Repairs()
    path = written(tmp_path, [{"conversation_id": "d", "conversation": [utterance]}])
    assert read_dialoguekit(path, note=repairs)[0].utterances[0].acts == (DialogueAct(intent="true"),)
    assert "YES and NO without quotes" in repairs.problems[0].hint


def test_ids_that_differ_between_the_spellings_are_both_kept(tmp_path: Path) -> None:
    utterance = {"participant": "USER", "utterance": "x", "utterance_id": "new", "utterance ID": "old"}
    said = one(tmp_path, utterance).utterances[0]
    assert (said.id, said.meta) == ("new", {"utterance ID": "old"})


def test_what_an_agent_is_said_to_be_beyond_its_id_is_kept(tmp_path: Path) -> None:
    agent = {"id": "bot", "type": "AGENT", "version": "2.1"}
    assert one(tmp_path, agent=agent).meta == {"agent": agent}


def test_a_key_both_inside_and_outside_of_metadata_is_kept_twice(tmp_path: Path) -> None:
    assert one(tmp_path, topic="films", metadata={"topic": "books"}).meta == {
        "topic": "books",
        "topic (outside metadata)": "films",
    }


def test_values_that_are_no_ratings_stay_metadata(tmp_path: Path) -> None:
    utterance = {"participant": "USER", "utterance": "x", "satisfaction": "high", "utterance_feedback": 2}
    said = one(tmp_path, utterance).utterances[0]
    assert (said.ratings, said.meta) == ((), {"satisfaction": "high", "utterance_feedback": 2})


def test_a_foreign_key_of_our_name_is_metadata(tmp_path: Path) -> None:
    assert one(tmp_path, metadata={"trialogue": "is a word"}).meta == {"trialogue": "is a word"}


def test_a_part_written_by_a_newer_trialogue_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, [{"conversation_id": "d", "conversation": [], "metadata": {"trialogue": {"v": 3}}}])
    with pytest.raises(DataError, match=r"version 3, but this version of Trialogue reads up to 2\. Upgrade Trialogue"):
        read_dialoguekit(path)


def test_a_part_of_ours_that_somebody_broke_is_refused_with_its_place(tmp_path: Path) -> None:
    ours = {"trialogue": {"v": 1, "ratings": [{"name": "x"}], "colour": "red"}}
    path = written(tmp_path, [{"conversation_id": "d", "conversation": [], "metadata": ours}])
    assert problems_of(path) == [
        "[0].ratings[0].value: this field is required.",
        "[0].colour: 'colour' is not a known field.",
    ]


def test_ten_mistakes_are_reported_at_once_each_with_its_place() -> None:
    assert problems_of(DATA / "ten_mistakes.json") == [
        "[0]: a dialogue must be an object, got the text 'hello'.",
        "[1].conversation_id: an id must be a string or a whole number, got true.",
        "[1].conversation: a conversation must be a list of utterances, got the text 'none'.",
        "[2].agent: an id must be a string or a whole number, got a list.",
        "[2].user: an id must be a string or a whole number, got the number 1.5.",
        "[3].conversation[1]: an utterance must be an object, got the number 3.",
        "[3].conversation[2].utterance: the text of an utterance must be a string, got the number 4.",
        "[3].conversation[2].participant: the text 'HOST' is not a participant.",
        "[3].conversation[3].dialogue_acts: dialogue acts must be a list, got the text 'GREET'.",
        "[3].conversation[4].dialogue_acts[0].slot_values[0]: a slot must be [slot, value, start, end], got 7.",
        "[3].conversation[4].dialogue_acts[0].slot_values[1][1]: a slot and its value must be strings, got an object.",
        "[3].conversation[4].dialogue_acts[0].intent: an intent must be a string, got a list.",
    ]


def test_an_act_or_its_slots_of_the_wrong_kind_are_refused(tmp_path: Path) -> None:
    acts = ["GREET", {"intent": "X", "slot_values": "GENRE"}]
    utterance = {"participant": "USER", "utterance": "x", "dialogue_acts": acts}
    path = written(tmp_path, [{"conversation_id": "d", "conversation": [utterance]}])
    assert problems_of(path) == [
        "[0].conversation[0].dialogue_acts[0]: a dialogue act must be an object, got the text 'GREET'.",
        "[0].conversation[0].dialogue_acts[1].slot_values: slot values must be a list, got the text 'GENRE'.",
    ]


def test_an_empty_list_is_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"is empty; expected dialogues\. Was the simulation"):
        list(FORMAT.read(written(tmp_path, [])))


def test_a_single_dialogue_that_is_no_list_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a list of dialogues, got an object\. Enclose a single dialogue in"):
        read_dialoguekit(written(tmp_path, {"conversation": []}))


def test_an_utterance_without_text_is_read_as_empty_and_reported(tmp_path: Path) -> None:
    repairs = Repairs()
    path = written(tmp_path, [{"conversation_id": "d", "conversation": [{"participant": "agent", "utterance": None}]}])
    assert read_dialoguekit(path, note=repairs)[0].utterances[0].text == ""
    assert repairs.problems[0].field == "[0].conversation[0].utterance"


def test_metadata_deeper_than_any_data_is_refused_in_a_short_message(tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(400):
        deep = {"a": deep}
    path = written(tmp_path, [{"conversation_id": "d", "conversation": [], "metadata": {"deep": deep}}])
    with pytest.raises(DataError) as caught:
        read_dialoguekit(path)
    assert len(str(caught.value)) < 1000


def test_dialogues_are_recognised_by_their_keys_and_left_to_crsarena_if_they_have_a_sentiment(tmp_path: Path) -> None:
    utterance = {"participant": "USER", "utterance": "x"}
    plain = [{"conversation_id": "d", "conversation": [utterance], "metadata": {"mood": "satisfied"}}]
    arena = [{"conversation_id": "d", "conversation": [utterance], "metadata": {"sentiment": "satisfied"}}]
    assert FORMAT.recognises(Head(written(tmp_path, plain)))
    assert not FORMAT.recognises(Head(written(tmp_path, arena)))
    assert not FORMAT.recognises(Head(written(tmp_path, [{"conversation": []}])))
    assert not FORMAT.recognises(Head(tmp_path))


@pytest.mark.mirror
def test_moviebot_has_8_dialogues_and_210_utterances(mirror: Path) -> None:
    repairs = Repairs()
    dialogues = [
        each for each in MOVIEBOT.read(mirror / MOVIEBOT.source.folder, note=repairs) if isinstance(each, Dialogue)
    ]
    utterances = [utterance for dialogue in dialogues for utterance in dialogue.utterances]
    assert (len(dialogues), len(utterances)) == (8, 210) == tuple(MOVIEBOT.source.counts.values())
    assert sum(utterance.speaker == "user" for utterance in utterances) == 101
    assert sum(len(act.slots) for utterance in utterances for act in utterance.acts or ()) == 114
    assert {(each.system, each.user, each.source) for each in dialogues} == {("IAI MovieBot", None, "moviebot")}
    assert repairs.problems == []


@pytest.mark.mirror
def test_iard_has_77_dialogues_and_1103_utterances(mirror: Path) -> None:
    repairs = Repairs()
    dialogues = [each for each in IARD.read(mirror / IARD.source.folder, note=repairs) if isinstance(each, Dialogue)]
    utterances = [utterance for dialogue in dialogues for utterance in dialogue.utterances]
    assert (len(dialogues), len(utterances)) == (77, 1_103) == tuple(IARD.source.counts.values())
    assert sum(len(utterance.acts or ()) for utterance in utterances) == 1_707
    assert sum(len(act.slots) for utterance in utterances for act in utterance.acts or ()) == 1_163  # 1,095 + 67 + 1
    assert {dialogue.system for dialogue in dialogues} == {"human"}
    assert (dialogues[0].user, dialogues[0].meta["recommender"]) == ("1", "16")
    assert [problem.field for problem in repairs.problems] == ["[52].conversation[9].dialogue_acts[0].slot_values[0]"]


def test_one_simulator_is_many_users_whose_dialogues_are_clustered_by_what_they_want(tmp_path: Path) -> None:
    def simulated(agent: str, genre: str) -> dict[str, Any]:
        return {
            "conversation ID": f"{agent}-{genre}",
            "conversation": [{"participant": "USER", "utterance": "hi", "utterance ID": "1", "dialogue_acts": []}],
            "agent": {"id": agent, "type": "AGENT"},
            "user": {"id": "User Simulator", "type": "USER"},
            "metadata": {
                "information_need": {
                    "target_items": [{"item_id": "7", "properties": {}}],
                    "constraints": {"GENRE": genre},
                    "requests": ["PLOT"],
                }
            },
        }

    data = [simulated(agent, genre) for agent in ("a", "b") for genre in ("comedy", "drama")]
    found = read_dialoguekit(written(tmp_path, data), note=lambda problem: None)
    clusters = [each.cluster for each in found]
    assert clusters[:2] == clusters[2:]  # crossed with agents
    assert len(set(clusters)) == 2
    assert found[0].need is not None
    assert (found[0].need.acceptable, found[0].need.source) == (("7",), "imported")
    assert found[0].user == "User Simulator"


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
