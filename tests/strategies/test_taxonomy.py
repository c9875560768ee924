"""The thirteen strategies, their definitions, and the examples that come with Trialogue."""

import re
from collections import Counter
from pathlib import Path

import pytest

from trialogue.errors import UnknownNameError
from trialogue.records import read_records
from trialogue.strategies.base import CLASSES, Example, canonical
from trialogue.strategies.learning.folds import normalise_words
from trialogue.strategies.taxonomy import TAXONOMY, bundled_examples, general_examples, habitual_examples


def test_every_class_is_defined_in_the_order_of_the_paper() -> None:
    assert tuple(sorted(TAXONOMY)) == tuple(sorted(CLASSES))
    for name, strategy in TAXONOMY.items():
        assert strategy.name == name
        assert strategy.title == name.replace("_", " ")
        for part in (strategy.definition, strategy.use, strategy.avoid):
            assert part.endswith((".", "?"))


def test_every_strategy_names_the_neighbors_it_is_taken_for_and_never_itself() -> None:
    for name, strategy in TAXONOMY.items():
        others = [neighbor.strategy for neighbor in strategy.neighbors]
        assert len(others) >= 2
        assert name not in others
        assert set(others) <= set(CLASSES)


def test_every_class_has_at_least_45_examples() -> None:
    counts = Counter(example.label for example in bundled_examples())
    assert set(counts) == set(CLASSES)
    assert min(counts.values()) >= 45


def test_examples_with_the_habits_of_a_corpus_and_general_ones_cover_every_class_and_share_no_words() -> None:
    habitual, general = habitual_examples(), general_examples()
    assert {each.label for each in habitual} == {each.label for each in general} == set(CLASSES)
    assert not {(normalise_words(each.text), each.label) for each in habitual} & {
        (normalise_words(each.text), each.label) for each in general
    }
    assert bundled_examples() == habitual + general


def test_no_example_occurs_twice_within_a_class() -> None:
    seen = Counter((example.text, example.label) for example in bundled_examples())
    assert [pair for pair, n in seen.items() if n > 1] == []


def test_examples_vary_in_length_and_form() -> None:
    texts = [example.text for example in bundled_examples()]
    lengths = [len(text.split()) for text in texts]
    assert min(lengths) == 1
    assert max(lengths) >= 15
    assert sum(text.endswith("?") for text in texts) > 300
    assert sum(text[0].islower() for text in texts) > 80  # as people type


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower().replace("'", "").replace("’", "")))


@pytest.mark.mirror
def test_examples_are_not_taken_from_inspired(mirror: Path) -> None:
    said = set()
    for name in ("dev.tsv", "test.tsv"):
        rows = (mirror / "inspired" / name).read_text("utf-8", errors="replace").splitlines()
        said |= {_plain(row.split("\t")[4]) for row in rows[1:]}
    shared = [example.text for example in bundled_examples() if _plain(example.text) in said]
    # Stock phrases of any such chat ("What was the last movie you saw?") are; nothing of ten words or more is.
    assert max(len(text.split()) for text in shared) < 10
    assert len(shared) < 0.15 * len(bundled_examples())


def test_names_are_understood_in_other_spellings() -> None:
    assert canonical("Opinion Inquiry") == "opinion_inquiry"
    assert canonical(" self-modeling ") == "self_modeling"
    assert canonical("redibility") == "credibility"  # as the paper prints it
    assert canonical("ASK", mapping={"ASK": "opinion_inquiry"}) == "opinion_inquiry"


def test_an_unknown_name_is_refused_with_the_nearest_ones() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'encouragement'") as raised:
        canonical("encouragment")
    assert "Map the names" in str(raised.value)


def test_examples_survive_a_trip_through_a_file(tmp_path: Path) -> None:
    from trialogue.records import write_records

    examples = [
        Example(text="Me too!", label="similarity", dialogue_id="d1", context=(("user", "I love it"),), source="x"),
        Example(text="Ünïcode 🎬", label="other"),
    ]
    write_records(tmp_path / "e.jsonl", examples)
    assert list(read_records(tmp_path / "e.jsonl", Example)) == examples
