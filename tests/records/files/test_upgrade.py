"""Lines of every version of the file format, as they were written, still read."""

import json
from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.records import Dialogue, Ending, Fault, Labeller, Response, Score, Situation, read_records
from trialogue.records.base import SCHEMA
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.upgrade import upgrade

GOLDEN = Path(__file__).parent.parent / "golden"
VERSIONS = range(1, SCHEMA + 1)


@pytest.mark.parametrize("version", VERSIONS)
def test_each_version_has_golden_lines(version: int) -> None:
    assert (GOLDEN / f"v{version}.jsonl").is_file()


def test_no_golden_lines_are_of_a_version_that_is_still_to_come() -> None:
    versions = {path.stem for path in GOLDEN.glob("v*.jsonl") if path.stem.removeprefix("v").isdigit()}
    assert versions == {f"v{version}" for version in VERSIONS}


@pytest.mark.parametrize("version", VERSIONS)
def test_golden_lines_of_each_version_read_as_the_same_records(version: int) -> None:
    """What today's version says of the same things is in the newest file."""
    kinds = (Dialogue, Situation, Response, Score)
    old = list(read_records(GOLDEN / f"v{version}.jsonl", *kinds))
    new = list(read_records(GOLDEN / f"v{SCHEMA}.jsonl", *kinds))
    assert old == new


def test_todays_lines_are_written_as_the_newest_golden_file_has_them() -> None:
    path = GOLDEN / f"v{SCHEMA}.jsonl"
    records = read_records(path, Dialogue, Situation, Response, Score)
    assert [to_line(record) for record in records] == path.read_text(encoding="utf-8").splitlines()


def test_a_version_below_the_first_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"kind":"dialogue","v":0,"id":"a","utterances":[]}\n')
    with pytest.raises(DataError, match="schema version 0"):
        list(read_records(path, Dialogue))


def test_a_label_of_version_1_is_a_persons_only_where_its_origin_says_so(tmp_path: Path) -> None:
    """A label without a probability may be an LLM's."""
    labels = [
        {"strategy": "similarity", "origin": "expert"},
        {"strategy": "similarity", "origin": "gpt-4.1"},
        {"strategy": "similarity", "origin": "tfidf|v1", "probability": 0.9},
    ]
    utterance = {"speaker": "system", "text": "x", "strategies": labels}
    seeker = {"speaker": "user", "text": "hi"}
    lines = [
        {"kind": "dialogue", "v": 1, "id": "d", "utterances": [utterance]},
        {"kind": "situation", "v": 1, "id": "s", "context": [utterance, seeker], "reference": utterance},
        {"kind": "response", "v": 1, "situation_id": "s", "system": "a", "utterance": utterance},
    ]
    (tmp_path / "old.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    dialogue, situation, response = read_records(tmp_path / "old.jsonl", Dialogue, Situation, Response)
    assert isinstance(dialogue, Dialogue)
    assert isinstance(situation, Situation)
    assert isinstance(response, Response)
    for said in (dialogue.utterances[0], situation.context[0], situation.reference, response.utterance):
        assert said is not None
        assert [label.by for label in said.strategies or ()] == [Labeller.PERSON, None, Labeller.MODEL]


def test_mentions_of_version_1_say_how_they_were_found(tmp_path: Path) -> None:
    origins = {
        "annotated": "annotated",
        "linker(v1,catalogue=abc)": "linked",
        "declared": "declared",
        "me": "annotated",
    }
    mentions = [{"title": "Heat", "origin": origin} for origin in origins] + [{"title": "Heat"}]
    said = {"speaker": "system", "text": "Heat", "mentions": mentions}
    path = tmp_path / "old.jsonl"
    path.write_text(json.dumps({"kind": "dialogue", "v": 1, "id": "d", "utterances": [said]}) + "\n")
    (dialogue,) = read_records(path, Dialogue)
    found = [mention.by.value for mention in dialogue.utterances[0].mentions or ()]
    assert found == [*origins.values(), "annotated"]


@pytest.mark.parametrize("word", ["crashed", "exception", "bored", "agent-error", "Timeout", ""])
def test_a_word_of_version_1_that_says_nothing_of_success_is_no_success(tmp_path: Path, word: str) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text(json.dumps({"kind": "dialogue", "v": 1, "id": "d", "utterances": [], "ended_by": word}) + "\n")
    (found,) = read_records(path, Dialogue)
    assert (found.fault, found.ending_detail) == (Fault.UNKNOWN, word)


@pytest.mark.parametrize("ending", Ending)
def test_a_word_of_version_1_that_is_one_of_todays_endings_is_that_ending(tmp_path: Path, ending: Ending) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text(json.dumps({"kind": "dialogue", "v": 1, "id": "d", "utterances": [], "ended_by": ending}) + "\n")
    (found,) = read_records(path, Dialogue)
    assert found.ended_by is ending


def test_what_version_1_called_an_undecided_comparison_is_inconclusive() -> None:
    contrasts = [{"verdict": "cannot tell"}, {"verdict": "a"}]
    upgrade("findings", {"leagues": [{"measure": {}, "contrasts": contrasts}]}, 1)
    assert contrasts == [{"verdict": "inconclusive"}, {"verdict": "a"}]


def test_the_calibration_of_a_belief_of_version_4_is_read_under_its_new_name(tmp_path: Path) -> None:
    belief = {"origin": "m", "probabilities": {"similarity": 1.0}, "same": [2.0, 0.5], "same_error": [0.1, 0.0, 0.2]}
    said = {"speaker": "system", "text": "x", "strategy_distribution": belief}
    seeker = {"speaker": "user", "text": "hi"}
    lines = [
        {"kind": "dialogue", "v": 4, "id": "d", "utterances": [seeker, said]},
        {"kind": "situation", "v": 4, "id": "s", "context": [said, seeker], "reference": said},
        {"kind": "response", "v": 4, "situation_id": "s", "system": "a", "utterance": said},
    ]
    path = tmp_path / "old.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    dialogue, situation, response = read_records(path, Dialogue, Situation, Response)
    assert isinstance(dialogue, Dialogue)
    assert isinstance(situation, Situation)
    assert isinstance(response, Response)
    for utterance in (dialogue.utterances[1], situation.context[0], situation.reference, response.utterance):
        assert utterance is not None
        assert utterance.strategy_distribution is not None
        distribution = utterance.strategy_distribution
        assert (distribution.matching, distribution.matching_error) == ((2.0, 0.5), (0.1, 0.0, 0.2))


def test_dialogues_inside_findings_are_upgraded_like_those_of_a_file() -> None:
    belief = {"origin": "m", "probabilities": {"similarity": 1.0}, "same": [2.0, 0.5]}
    said = {"speaker": "system", "text": "x", "strategy_distribution": belief}
    fields = {"examples": [{"dialogue": {"id": "d", "utterances": [said]}, "answers": [{"system": "floor:context"}]}]}
    upgrade("findings", fields, 1)
    assert belief["matching"] == [2.0, 0.5]
    assert "same" not in belief
    assert fields["examples"][0]["answers"] == [{"system": "floor:context", "role": "baseline"}]
    upgrade("findings", {"examples": [{"dialogue": "not one"}, 3]}, 1)  # left to the validation


def test_the_old_name_of_a_calibration_in_a_line_of_today_is_refused_by_its_field(tmp_path: Path) -> None:
    belief = {"origin": "m", "probabilities": {"similarity": 1.0}, "same": [2.0, 0.5]}
    said = {"speaker": "system", "text": "x", "strategy_distribution": belief}
    path = tmp_path / "new.jsonl"
    path.write_text(json.dumps({"kind": "dialogue", "v": SCHEMA, "id": "d", "utterances": [said]}) + "\n")
    with pytest.raises(DataError, match=r"strategy_distribution\.same"):
        list(read_records(path, Dialogue))
