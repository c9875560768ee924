"""INSPIRED: labels, outcomes, films and the corpus' defects."""

import time
from pathlib import Path

import pytest

from trialogue.datasets import Head, Repairs
from trialogue.datasets.corpora.inspired import CORPUS, FORMAT, SOURCE
from trialogue.errors import DataError
from trialogue.records import NO_STRATEGY, STRATEGIES, Dialogue, sha256_of

SAMPLES = Path(__file__).parents[2] / "data" / "inspired"
COLUMNS = "dialog_id utt_id speaker turn_id text movies expert_label second_label fine_label coarse_label movie_id"


def table(folder: Path, *rows: str, columns: str = COLUMNS, name: str = "dev.tsv", end: str = "\n") -> Path:
    path = folder / name
    lines = ["\t".join(columns.split()), *("\t".join(row.split("|")) for row in rows)]
    path.write_text("\n".join(lines) + end, encoding="utf-8")
    return path


def read(path: Path) -> tuple[list[Dialogue], list[str]]:
    repairs = Repairs()
    dialogues = [record for record in FORMAT.read(path, note=repairs) if isinstance(record, Dialogue)]
    return dialogues, [str(problem) for problem in repairs.problems]


def mistakes(path: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        read(path)
    return [str(problem) for problem in caught.value.problems]


def test_a_folder_gives_every_split_in_the_order_of_names() -> None:
    dialogues, _ = read(SAMPLES)
    assert [(dialogue.id, dialogue.source) for dialogue in dialogues] == [
        ("made-1.pkl", "inspired/dev"),
        ("made-2.pkl", "inspired/dev"),
        ("made-3.pkl", "inspired/test"),
    ]
    assert {dialogue.system for dialogue in dialogues} == {"human"}


def test_both_labels_are_kept_with_their_origin() -> None:
    [dialogue, *_], _ = read(SAMPLES / "dev.tsv")
    labels = [[(label.strategy, label.origin) for label in said.strategies or ()] for said in dialogue.utterances]
    assert labels[0] == [("no_strategy", "expert")]
    assert labels[3] == [("personal_opinion", "expert"), ("similarity", "second")]
    assert dialogue.utterances[2].speaker == "user"
    assert dialogue.utterances[2].strategies is None


def test_the_label_column_may_have_the_name_that_the_readme_gives_it() -> None:
    [dialogue], notes = read(SAMPLES / "test.tsv")
    assert dialogue.utterances[0].strategies is not None
    assert notes == []


def test_outcome_and_trailer_belong_to_the_dialogue() -> None:
    [first, *_], _ = read(SAMPLES / "dev.tsv")
    assert first.outcome == {"fine": "accept_rating_good", "coarse": "accept_new"}
    assert first.meta == {"movie_id": "AAAAAAAAAA1"}


def test_a_row_that_lacks_the_outcome_takes_that_of_its_dialogue() -> None:
    dialogues, notes = read(SAMPLES / "dev.tsv")
    assert dialogues[1].outcome == {"fine": "reject", "coarse": "reject_new"}
    assert any("line 9, field movie_id: this row has no value (nan)" in note and "3 times" in note for note in notes)


def test_an_outcome_that_no_row_knows_is_absent(tmp_path: Path) -> None:
    [dialogue], _ = read(table(tmp_path, "d|1|SEEKER|1|hi||||nan|nan|nan"))
    assert dialogue.outcome == {}
    assert dialogue.meta == {}


def test_quotation_marks_are_put_back_and_reported_once() -> None:
    [dialogue, *_], notes = read(SAMPLES / "dev.tsv")
    assert dialogue.utterances[2].text == 'Mine is "Paper Lanterns", I like drama and crime.'
    assert dialogue.utterances[2].meta["text_with_placeholder"] == (
        'Mine is "[MOVIE_TITLE_0]", I like [MOVIE_GENRE_0] and [MOVIE_GENRE_1].'
    )
    assert sum("QUOTATION_MARK was replaced by the quotation mark" in note for note in notes) == 1


def test_lost_characters_stay_and_are_reported() -> None:
    [dialogue, *_], notes = read(SAMPLES / "dev.tsv")
    assert dialogue.utterances[5].text == "I\ufffd\ufffd\ufffdll watch it, thanks \U0001f600"
    assert any("line 7, field text: characters were lost before publication" in note for note in notes)


def test_films_are_mentions_with_offsets_into_the_repaired_text() -> None:
    [dialogue, *_], _ = read(SAMPLES / "dev.tsv")
    said = dialogue.utterances[2]
    found = {mention.title: said.text[mention.start : mention.end] for mention in said.mentions or ()}
    assert found == {"Paper Lanterns (1994)": "Paper Lanterns", "Mine (2016)": "Mine"}
    assert dialogue.utterances[0].mentions == ()


def test_a_film_given_twice_is_found_twice_and_one_not_in_the_text_has_no_offsets() -> None:
    [dialogue, *_], _ = read(SAMPLES / "dev.tsv")
    mentions = dialogue.utterances[4].mentions or ()
    assert [(mention.title, mention.start) for mention in mentions] == [
        ("Night Ferry (2003)", 11),
        ("Night Ferry (2003)", 34),
        ("Night Ferry II (2006)", None),
    ]


def test_turns_genres_and_people_are_kept() -> None:
    [dialogue, *_], _ = read(SAMPLES / "dev.tsv")
    assert dialogue.utterances[2].meta["genres"] == ["drama", "crime"]
    assert dialogue.utterances[3].meta["people"] == ["Ana Petrov"]
    assert [said.meta["turn_id"] for said in dialogue.utterances] == [1, 1, 1, 2, 2, 2]


def test_rows_out_of_order_and_apart_are_put_together(tmp_path: Path) -> None:
    rows = ("a|2|SEEKER|1|two||||||", "b|1|SEEKER|1|other||||||", "a|1|SEEKER|1|one||||||")
    dialogues, notes = read(table(tmp_path, *rows))
    assert [[said.text for said in dialogue.utterances] for dialogue in dialogues] == [["one", "two"], ["other"]]
    assert any("out of order; sorted by utt_id" in note for note in notes)


def test_an_unlabelled_recommender_and_a_strange_label_are_reported(tmp_path: Path) -> None:
    path = table(tmp_path, "a|1|RECOMMENDER|1|hi||||||", "a|2|RECOMMENDER|1|hi||flattery||||")
    [dialogue], notes = read(path)
    assert dialogue.utterances[0].strategies is None
    assert dialogue.utterances[1].strategies is not None
    assert any("'flattery' is not one of the 13 strategies; kept" in note for note in notes)
    assert any("has no label; its strategy is unknown" in note for note in notes)


def test_a_dialogue_that_contradicts_itself_goes_by_the_majority(tmp_path: Path) -> None:
    rows = [f"a|{n}|SEEKER|1|hi||||{label}|x|m" for n, label in enumerate(("reject", "accept_others", "reject"), 1)]
    [dialogue], notes = read(table(tmp_path, *rows))
    assert dialogue.outcome["fine"] == "reject"
    assert any("the rows of a dialogue have different values" in note for note in notes)


def test_a_last_row_cut_short_is_left_out_with_a_note(tmp_path: Path) -> None:
    path = table(tmp_path, "a|1|SEEKER|1|hi||||||", "a|2|SEEK", end="")
    [dialogue], notes = read(path)
    assert len(dialogue.utterances) == 1
    assert any("line 3: the last row is cut off" in note for note in notes)


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    rows = [
        "a|1|SEEKER|1|fine||||||",
        "a|1|SEEKER|1|twice||||||",
        "a|x|SEEKER|1|no number||||||",
        "a|3|BYSTANDER|1|who||||||",
        "|4|SEEKER|1|whose||||||",
        "a|5|SEEKER|1|a|tab|too|many|||||||",
        "a|6|SEEKER|too few",
        "|y|NOBODY|1|three mistakes||||||",
    ]
    messages = mistakes(table(tmp_path, *rows))
    assert len(messages) == 9  # one for each of six rows, three for the last one
    assert any("line 3, field utt_id: utterance 1 of dialogue 'a' is already in line 2." in each for each in messages)
    assert any("speaker 'BYSTANDER' is not one of RECOMMENDER, SEEKER." in each for each in messages)
    assert any("this row has 4 cells too many" in each for each in messages)
    assert any("this row has 7 cells too few" in each for each in messages)


def test_missing_columns_are_named(tmp_path: Path) -> None:
    [messages] = mistakes(table(tmp_path, columns="dialog_id text"))
    assert "these columns are missing: utt_id, speaker, expert_label or first_label." in messages


def test_an_empty_file_is_refused_with_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "dev.tsv"
    path.write_text("")
    assert mistakes(path) == [f"{path}: this file is empty. Is the file complete?"]


def test_bytes_that_are_not_utf_8_are_refused_with_their_line(tmp_path: Path) -> None:
    path = table(tmp_path, "a|1|SEEKER|1|hi||||||")
    path.write_bytes(path.read_bytes() + b"a\t2\tSEEKER\t1\tcaf\xe9\n")
    [messages] = mistakes(path)
    assert "line 3" in messages
    assert "iconv" in messages


def test_a_folder_without_such_files_is_refused(tmp_path: Path) -> None:
    [messages] = mistakes(tmp_path)
    assert messages.endswith("Get them with: trialogue data get inspired")


def test_a_dialogue_in_two_files_is_refused(tmp_path: Path) -> None:
    table(tmp_path, "a|1|SEEKER|1|hi||||||")
    table(tmp_path, "a|1|SEEKER|1|hi||||||", name="copy.tsv")
    assert "dialogue 'a' is already in copy.tsv" in mistakes(tmp_path)[0]


def test_its_files_and_folder_are_recognised_by_content(tmp_path: Path) -> None:
    (tmp_path / "renamed.txt").write_bytes((SAMPLES / "dev.tsv").read_bytes())
    assert FORMAT.recognises(Head(SAMPLES))
    assert FORMAT.recognises(Head(SAMPLES / "test.tsv"))
    assert FORMAT.recognises(Head(tmp_path / "renamed.txt"))
    assert not FORMAT.recognises(Head(tmp_path))  # only .tsv files of a folder are read


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("split", "counts"), [("dev", (99, 3538, 1860, 1587, 273)), ("test", (99, 3438, 1764, 1496, 268))]
)
def test_the_published_counts_come_out(mirror: Path, split: str, counts: tuple[int, ...]) -> None:
    dialogues, _ = read(mirror / "inspired" / f"{split}.tsv")
    said = [utterance for dialogue in dialogues for utterance in dialogue.utterances]
    first = [labels[0].strategy for u in said if u.speaker == "system" and (labels := u.strategies)]
    with_one, none = sum(label in STRATEGIES for label in first), first.count(NO_STRATEGY)
    assert (len(dialogues), len(said), sum(u.speaker == "system" for u in said), with_one, none) == counts
    assert all(u.strategies is None for u in said if u.speaker == "user")


@pytest.mark.mirror
def test_second_labels_films_and_outcomes_come_out(mirror: Path) -> None:
    dialogues = [record for record in CORPUS.read(mirror / "inspired", note=Repairs()) if isinstance(record, Dialogue)]
    said = [utterance for dialogue in dialogues for utterance in dialogue.utterances]
    assert sum(len(utterance.strategies or ()) == 2 for utterance in said) == 67  # 43 in dev, 24 in test
    mentions = [(u.text, mention) for u in said for mention in u.mentions or ()]
    assert len(mentions) == 1072
    assert sum(mention.start is None for _, mention in mentions) == 194
    assert all(dialogue.outcome.keys() == {"fine", "coarse"} and dialogue.meta["movie_id"] for dialogue in dialogues)
    assert sum(dialogue.outcome["fine"] == "accept_rating_good" for dialogue in dialogues) == 95  # 46 + 49


@pytest.mark.mirror
def test_the_checksums_are_those_of_the_publishers_files(mirror: Path) -> None:
    for file in SOURCE.files:
        if file.sha256:
            assert sha256_of(mirror / SOURCE.folder / file.path) == file.sha256


@pytest.mark.mirror
def test_dev_and_test_are_read_in_less_than_a_second(mirror: Path) -> None:
    best = min(_seconds(mirror / "inspired") for _ in range(3))
    assert best < 1.0


def _seconds(path: Path) -> float:
    start = time.process_time()
    read(path)
    return time.process_time() - start
