"""Training dialogues are recognised by what is said in them, not by names; what is not among them is not."""

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.fingerprints import (
    FILE,
    FORMER_FILE,
    TrainingDialogues,
    TrainingExposure,
    exchanges_of,
    exposure_of,
    fingerprints_of,
    known_texts,
    normalise,
    read_fingerprints,
    training_dialogues,
    write_fingerprints,
)
from trialogue.records import Dialogue, Utterance

LINES = (
    "I’d love a comedy, please!",
    "How about “Amélie” (2001)?",
    "Seen it. Anything with Tom Hanks & a dog?",
    "Turner & Hooch: you'll like it.",
    "no dogs now, something slow",
    "Then try Stalker.",
)


def dialogue(*texts: str, system: str = "kbrd", name: str = "d") -> Dialogue:
    speakers = ("user", "system")
    said = tuple(Utterance.model_validate({"speaker": speakers[n % 2], "text": text}) for n, text in enumerate(texts))
    return Dialogue(id=name, utterances=said, system=system)


def trained() -> TrainingDialogues:
    return training_dialogues([("kbrd", dialogue(*LINES)), ("unicrs", dialogue("a thriller", "Have you seen Heat?"))])


def fold_of(found: Dialogue) -> str | None:
    recognised = trained().recognise(found)
    return recognised.fold if recognised else None


@pytest.mark.parametrize(
    "change",
    [
        str.upper,
        lambda text: f"  {text.replace(' ', '   ')}\n",
        lambda text: text.replace("’", "'").replace("“", '"').replace("”", '"'),
        lambda text: text.replace("?", " ?!"),
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: text.replace("&", "&amp;"),
        lambda text: text.encode("utf-8").decode("latin-1"),
        lambda text: f"Assistant: {text}",
    ],
    ids=["case", "spacing", "quotes", "punctuation", "decomposed", "entities", "mojibake", "role"],
)
def test_a_dialogue_is_recognised_however_its_text_is_written(change: Callable[[str], str]) -> None:
    assert fold_of(dialogue(*map(change, LINES), system="something else", name="other")) == "kbrd"


def test_a_dropped_or_an_added_turn_hides_nothing() -> None:
    assert fold_of(dialogue(*LINES[:-1])) == "kbrd"
    assert fold_of(dialogue(*LINES[:2])) == "kbrd"
    assert fold_of(dialogue(*LINES, "thanks", "Enjoy!", "bye")) == "kbrd"  # 3 of 4 exchanges are known
    assert fold_of(dialogue("a thriller", "Have you seen Heat?", "yes", "And Ronin?")) == "unicrs"  # 1 of 2


def test_utterances_cut_in_two_are_the_same_turn() -> None:
    said = dialogue(*LINES).utterances
    halves = (said[0].model_copy(update={"text": "I’d love"}), said[0].model_copy(update={"text": "a comedy, please"}))
    assert exchanges_of((*halves, *said[1:])) == exchanges_of(said)


def test_dialogues_that_share_less_than_half_of_their_exchanges_are_not_recognised() -> None:
    assert (
        fold_of(dialogue(*LINES[:2], "who is in it", "Nobody whom you know.", "then a western", "High Noon is one."))
        is None
    )  # 1 of 3
    assert fold_of(dialogue(LINES[0], "Heat.")) is None  # the same question, another answer
    assert fold_of(dialogue("hello")) is None  # no exchange at all


def test_short_exchanges_that_occur_anywhere_decide_only_where_there_are_no_longer_ones() -> None:
    found = training_dialogues([("a", dialogue("a long film about dogs", "Try Beethoven.", "thanks", "Bye!"))])
    assert found.recognise(dialogue("anything with Bruce Willis", "Die Hard.", "thanks", "Bye!")) is None
    assert found.recognise(dialogue("thanks", "Bye!")) is not None


def test_the_fold_with_most_exchanges_counts_then_the_first_by_name() -> None:
    pair = ("hi", "Hello!")
    found = training_dialogues([("b", dialogue(*pair)), ("a", dialogue(*pair)), ("c", dialogue(*pair, "x", "Y."))])
    assert (recognised := found.recognise(dialogue(*pair))) is not None
    assert recognised.fold == "a"
    assert (recognised := found.recognise(dialogue(*pair, "x", "Y."))) is not None
    assert (recognised.fold, recognised.known, recognised.exchanges) == ("c", 2, 2)


def test_no_word_of_a_dialogue_is_kept() -> None:
    text = trained().model_dump_json()
    assert "comedy" not in text.lower()
    assert TrainingDialogues.model_validate_json(text) == trained()


def test_exposure_counts_recognised_dialogues_of_each_system() -> None:
    given = [dialogue(*LINES, system="mine"), dialogue("a thriller", "Have you seen Heat?", system="mine")]
    given += [dialogue("new", "New.", system="mine"), dialogue("new", "New.", system="yours")]
    found = exposure_of("m|v1", given, trained(), out_of_fold={"kbrd"})
    assert found == (TrainingExposure(measure="m|v1", system="mine", dialogues=3, recognised=2, out_of_fold=1),)
    assert found[0].excluded_count == 1


def test_a_text_of_punctuation_alone_stays_as_it_is() -> None:
    assert normalise(" ?! ") == "?!"
    assert normalise("喜剧电影") == "喜剧电影"


def test_fingerprints_of_texts_are_read_again_also_from_the_file_of_earlier_versions(tmp_path: Path) -> None:
    hashes = fingerprints_of(["It stars Tom Hanks.", "Me too!"])
    assert read_fingerprints(tmp_path) is None
    (tmp_path / FORMER_FILE).write_text(json.dumps({"same_words": sorted(hashes)}))
    assert read_fingerprints(tmp_path) == hashes
    write_fingerprints(hashes, tmp_path)
    assert read_fingerprints(tmp_path) == hashes
    assert known_texts(hashes, ["me too", "you too"]).known == 1
    (tmp_path / FILE).write_text("[]")
    with pytest.raises(DataError, match="cannot be read"):
        read_fingerprints(tmp_path)


def test_hashes_of_earlier_versions_are_those_of_today() -> None:
    # sha256("me too") begins so; the hash of "Me, too!" in files of version 0.1
    assert fingerprints_of(["Me, too!"]) == {"62a8a7b871"}
