"""INFACT's text files: dialogues, situations, and systems' replies in both layouts."""

from collections import defaultdict
from pathlib import Path

import pytest

from trialogue.datasets import AnyRecord, Head, Repairs
from trialogue.datasets.corpora.infact import CORPUS, FORMAT, SOURCE
from trialogue.errors import DataError
from trialogue.records import Dialogue, Response, Situation, sha256_of, situations_of

SAMPLES = Path(__file__).parents[2] / "data" / "infact"
DIALOGUES = "CONVERSATION:1\nUSER: hi\nCHAT-BOT: hello you\nUSER: bye\n"
REPLIES = "CONVERSATION:1\nSEEKER: <s> hi </s>\nwelcome\nGROUND TRUTH: <s> hello you </s>\nSEEKER: <s> bye </s>\nciao\n"


def study(folder: Path, dialogues: str = DIALOGUES, **replies: str) -> Path:
    (folder / "dialogue_data.txt").write_text(dialogues)
    for name, text in replies.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


def read(path: Path) -> tuple[list[AnyRecord], list[str]]:
    repairs = Repairs()
    records = list(FORMAT.read(path, note=repairs))
    return records, [str(problem) for problem in repairs.problems]


def mistakes(path: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        read(path)
    return [str(problem) for problem in caught.value.problems]


def answers(records: list[AnyRecord]) -> dict[str, dict[str, Response]]:
    found: dict[str, dict[str, Response]] = defaultdict(dict)
    for record in records:
        if isinstance(record, Response):
            found[record.situation_id][record.system] = record
    return found


def test_replies_of_both_layouts_answer_the_same_situations() -> None:
    records, _ = read(SAMPLES)
    messages = {
        name: {s: r.utterance.text for s, r in by_system.items()} for name, by_system in answers(records).items()
    }
    assert messages == {
        "infact:1#1": {"BASE": "hello !", "OURS": "hi how are you"},
        "infact:1#3": {"BASE": "", "OURS": '"Night Ferry (2003) is one of my favorites'},
        "infact:1#5": {"BASE": "bye !", "OURS": "Bye"},
        "infact:2#2": {"BASE": 'have you seen "Tin Moon (1987)" ?', "OURS": ""},
    }


def test_a_dialogue_comes_before_its_situations_and_each_before_its_responses() -> None:
    records, _ = read(SAMPLES)
    kinds = [record.kind for record in records]
    assert kinds == [
        "dialogue",
        *["situation", "response", "response"] * 3,
        "dialogue",
        "situation",
        "response",
        "response",
    ]


def test_situations_are_those_that_the_dialogue_would_be_cut_into() -> None:
    records, _ = read(SAMPLES)
    cut = {s.id: s for record in records if isinstance(record, Dialogue) for s in situations_of(record)}
    situations = [record for record in records if isinstance(record, Situation)]
    for situation in situations:
        if situation.reference is not None:
            assert cut[situation.id].model_copy(update={"targets": None}) == situation
    assert [s.id for s in situations if s.reference is None] == ["infact:1#5"]  # the dialogue ends on the user


def test_the_context_comes_from_the_dialogue_file_and_differences_are_reported() -> None:
    records, notes = read(SAMPLES)
    [situation] = [r for r in records if isinstance(r, Situation) and r.id == "infact:2#2"]
    assert situation.context[-1].text == 'i like "Harbour Songs "'  # BASE has @77161
    messages = [note for note in notes if "differs from the dialogue file" in note]
    assert len(messages) == 1
    assert "BASE.txt, line 14" in messages[0]
    assert "(2 times" in messages[0]


def test_titles_in_quotes_are_mentions_in_one_spelling() -> None:
    records, _ = read(SAMPLES)
    dialogue = next(record for record in records if isinstance(record, Dialogue))
    said = dialogue.utterances[2]
    assert said.text == 'Something like "Paper Lanterns  (1994)", nothing "cheeky"'  # &quot; written out
    assert [(m.title, said.text[m.start : m.end]) for m in said.mentions or ()] == [
        ("Paper Lanterns (1994)", "Paper Lanterns  (1994)")
    ]
    reply = answers(records)["infact:1#3"]["OURS"].utterance
    assert [m.title for m in reply.mentions or ()] == ["Night Ferry (2003)"]  # no closing quote
    assert dialogue.utterances[0].mentions == ()


def test_blank_replies_are_responses_that_say_so() -> None:
    records, notes = read(SAMPLES)
    blank = [r for r in records if isinstance(r, Response) and r.meta]
    assert [(r.situation_id, r.system, r.meta) for r in blank] == [
        ("infact:1#3", "BASE", {"blank": True}),
        ("infact:2#2", "OURS", {"blank": True}),
    ]
    assert sum("a reply is blank" in note for note in notes) == 2  # one in each file


def test_an_opening_reply_and_a_surplus_ground_truth_are_reported() -> None:
    _, notes = read(SAMPLES)
    assert any("BASE.txt, line 13: a reply before the first seeker turn" in note for note in notes)
    assert any("BASE.txt, line 9: an utterance after the end of the dialogue was left out" in note for note in notes)


def test_the_dialogue_file_alone_gives_dialogues() -> None:
    records, _ = read(SAMPLES / "dialogue_data.txt")
    assert [(r.id, r.system, len(r.utterances)) for r in records if isinstance(r, Dialogue)] == [
        ("infact:1", "human", 5),
        ("infact:2", "human", 3),
    ]
    assert len(records) == 2


def test_a_response_file_alone_says_what_else_is_needed() -> None:
    [messages] = mistakes(SAMPLES / "OURS.txt")
    assert "the dialogue file is missing" in messages
    assert "Give the folder with this file and dialogue_data.txt" in messages


def test_a_folder_needs_one_dialogue_file(tmp_path: Path) -> None:
    (tmp_path / "A.txt").write_text(REPLIES)
    assert "expected exactly one dialogue file (USER: and CHAT-BOT: lines), found: none." in mistakes(tmp_path)[0]
    (tmp_path / "d1.txt").write_text(DIALOGUES)
    (tmp_path / "d2.txt").write_text(DIALOGUES)
    assert "found: d1.txt, d2.txt." in mistakes(tmp_path)[0]


def test_any_number_of_systems_is_read_and_other_files_are_not(tmp_path: Path) -> None:
    study(tmp_path, A=REPLIES, B=REPLIES, RCRS_MLE=REPLIES)
    (tmp_path / "notes.txt").write_text("nothing of INFACT's")
    records, notes = read(tmp_path)
    assert set(answers(records)["infact:1#1"]) == {"A", "B", "RCRS"}
    assert notes == []


def test_a_missing_line_is_found_because_speakers_do_not_match(tmp_path: Path) -> None:
    shifted = REPLIES.replace("GROUND TRUTH: <s> hello you </s>\n", "")
    messages = mistakes(study(tmp_path, A=shifted))
    assert any(
        "utterance 1 of conversation 1 is by the user here, and by the system in the dialogue file" in t
        for t in messages
    )


def test_dialogues_of_another_study_are_refused(tmp_path: Path) -> None:
    strange = (
        "CONVERSATION:1\nSEEKER: <s> ahoy </s>\nx\nGROUND TRUTH: <s> moin moin </s>\nSEEKER: <s> tschüss </s>\ny\n"
    )
    [messages] = mistakes(study(tmp_path, A=strange))
    assert "most of conversation 1 has no word in common with the dialogue file" in messages


def test_all_mistakes_of_all_files_are_reported_at_once(tmp_path: Path) -> None:
    doubled = "CONVERSATION:1\nSEEKER: <s> hi </s>\nwelcome\nonce more\n"
    unknown = "CONVERSATION:7\nSEEKER: <s> hi </s>\nwelcome\n"
    twice = "CONVERSATION:1\nSEEKER: <s> hi </s>\nCONVERSATION:1\nSEEKER: <s> hi </s>\n"
    messages = mistakes(study(tmp_path, A=doubled, B=unknown, C=twice))
    assert len(messages) == 3
    assert "A.txt, line 4: this turn already has a reply in line 3." in messages[0]
    assert "B.txt, line 1: the dialogue file has no conversation 7." in messages[1]
    assert "C.txt, line 3: conversation 1 already begins in line 1." in messages[2]


def test_a_line_without_tag_in_the_dialogue_file_is_a_mistake(tmp_path: Path) -> None:
    messages = mistakes(study(tmp_path, DIALOGUES + "and a second line\n"))
    assert "line 5: the line does not begin with USER: or CHAT-BOT:." in messages[0]


def test_other_text_is_refused_with_what_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("Dear reader,\n")
    assert "Expected CONVERSATION:1" in mistakes(path)[0]
    path.write_text("")
    assert "not one of INFACT's text files" in mistakes(path)[0]


def test_bytes_that_are_not_utf_8_are_refused_with_their_line(tmp_path: Path) -> None:
    path = study(tmp_path) / "dialogue_data.txt"
    path.write_bytes(path.read_bytes() + b"USER: caf\xe9\n")
    assert "line 5" in mistakes(path)[0]


def test_windows_line_ends_make_no_difference(tmp_path: Path) -> None:
    for file in SAMPLES.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert read(tmp_path)[0] == read(SAMPLES)[0]


def test_its_files_are_recognised_by_content(tmp_path: Path) -> None:
    assert all(FORMAT.recognises(Head(path)) for path in (SAMPLES, *SAMPLES.iterdir()))
    assert not FORMAT.recognises(Head(tmp_path))


@pytest.mark.mirror
def test_the_published_counts_come_out(mirror: Path) -> None:
    repairs = Repairs()
    records = list(CORPUS.read(mirror / "infact", note=repairs))
    dialogues = [record for record in records if isinstance(record, Dialogue)]
    assert (len(dialogues), sum(len(dialogue.utterances) for dialogue in dialogues)) == (70, 870)
    by_situation = answers(records)
    three = [by_system for by_system in by_situation.values() if len(by_system) == 3]
    assert len(three) == 396
    assert sum(not any(response.meta for response in by_system.values()) for by_system in three) == 373
    per_system = {name: sum(name in by_system for by_system in by_situation.values()) for name in three[0]}
    assert per_system == {"KBRD": 398, "KGSF": 396, "RCRS": 430}
    situations = {record.id for record in records if isinstance(record, Situation)}
    assert situations == set(by_situation)  # every situation that a system answers: 430
    assert len(situations) == 430


@pytest.mark.mirror
def test_the_known_irregularities_are_reported(mirror: Path) -> None:
    _, notes = read(mirror / "infact")
    expected = (
        "KBRD.txt, line 22: a reply before the first seeker turn was left out (44 times",
        "KGSF.txt, line 22: a reply before the first seeker turn was left out (44 times",
        "KBRD.txt, line 706: an utterance after the end of the dialogue was left out (2 times",
        "KBRD.txt, line 105: an utterance differs from the dialogue file, whose text was used (26 times",
        "KBRD.txt, line 89: a reply is blank; kept as an empty response (22 times",
        "KGSF.txt, line 143: a reply is blank; kept as an empty response (2 times",
        "dialogue_data.txt, line 915: an utterance is empty; kept.",
    )
    assert [part for part in expected if not any(part in note for note in notes)] == []


@pytest.mark.mirror
def test_the_checksums_are_those_of_the_publishers_files(mirror: Path) -> None:
    assert {f.path: f.sha256 for f in SOURCE.files} == {
        f.path: sha256_of(mirror / SOURCE.folder / f.path) for f in SOURCE.files
    }
