"""The paper's training pairs, made anew and exported."""

import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.strategies.made import examples
from trialogue.errors import UsageError
from trialogue.strategies.base import CLASSES
from trialogue.strategies.learning.calibration import codes
from trialogue.strategies.learning.dyads import count_pairs
from trialogue.strategies.learning.scoring import label_scores
from trialogue.strategies.pairs.protocols import (
    COLUMNS,
    PAPER_CONFUSIONS,
    PairSet,
    hard_classes,
    mixed_hard_pairs,
    original_pairs,
    write_pairs,
)
from trialogue.strategies.paper_data import read_pairs

GIVEN = examples(40)


def _rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture(scope="module")
def original() -> PairSet:
    return original_pairs(GIVEN, rng=_rng(), same=3_000, different=2_500)


def test_original_has_as_many_of_each_kind_as_asked_for_and_none_twice(original: PairSet) -> None:
    assert (len(original), int(original.same.sum())) == (5_500, 3_000)
    for one, other, same in original.rows():
        assert (one.label == other.label) == same
    ends = {frozenset(pair) for pair in zip(original.left.tolist(), original.right.tolist(), strict=True)}
    assert len(ends) == 5_500
    assert not original.hard.any()


def test_the_seed_makes_the_set(original: PairSet) -> None:
    again = original_pairs(GIVEN, rng=_rng(), same=3_000, different=2_500)
    assert (again.left == original.left).all()
    assert (again.right == original.right).all()


def test_more_pairs_than_there_are_is_refused() -> None:
    with pytest.raises(UsageError, match="50000 pairs with one strategy and 50000 with two were requested"):
        original_pairs(GIVEN, rng=_rng())


def test_mixed_hard_replaces_pairs_with_two_strategies_evenly_over_the_hard_ones(original: PairSet) -> None:
    hard = mixed_hard_pairs(original, PAPER_CONFUSIONS, rng=_rng(), count=1_001)
    assert (len(hard), int(hard.same.sum()), int(hard.hard.sum())) == (5_500, 3_000, 1_001)
    kinds = Counter(
        (GIVEN[one].label, GIVEN[other].label)
        for one, other in zip(hard.left[hard.hard].tolist(), hard.right[hard.hard].tolist(), strict=True)
    )
    # 1,001 = 5 * 200 + 1: one strategy has one more
    assert sorted(kinds.values()) == [200, 200, 200, 200, 201]
    assert dict(kinds.keys()) == PAPER_CONFUSIONS
    kept = ~hard.hard
    assert (hard.left[kept] == original.left[kept]).all()
    assert not original.hard.any()  # what was given is not changed


@pytest.mark.parametrize(
    ("hard", "count"),
    [({"similarity": "Greet"}, 10), ({}, 10), (PAPER_CONFUSIONS, 2_501), ({"similarity": "similarity"}, 1)],
)
def test_hard_pairs_that_cannot_be_made_are_refused(original: PairSet, hard: dict[str, str], count: int) -> None:
    with pytest.raises(UsageError, match="hard pairs cannot be added"):
        mixed_hard_pairs(original, hard, rng=_rng(), count=count)


def test_hard_classes_are_those_found_too_rarely_with_what_they_are_taken_for() -> None:
    truth = np.array([0, 0, 0, 1, 1, 1])
    rows = np.eye(14)[[0, 1, 1, 1, 1, 1]]  # acknowledgment found once in three, taken for credibility
    scores = label_scores(
        rows, truth, CLASSES, list("abcdef"), unit="sentence", rng=np.random.default_rng(0), resamples=10
    )
    assert hard_classes(scores) == {"acknowledgment": "credibility"}
    assert hard_classes(scores, below=0.3) == {}


def test_a_csv_of_pairs_is_read_by_what_reads_the_released_files(original: PairSet, tmp_path: Path) -> None:
    assert write_pairs(tmp_path / "pairs.csv", original) == 5_500
    raw = (tmp_path / "pairs.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbfInput Text Part 1,")
    with (tmp_path / "pairs.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    assert tuple(rows[0]) == COLUMNS
    first = next(original.rows())
    assert rows[1] == [first[0].text, first[1].text, str(int(first[2]))]
    read = read_pairs(tmp_path / "pairs.csv")
    assert (read.same == original.same).all()
    assert read.said is None


def test_json_lines_also_say_strategies_dialogues_and_which_are_hard(original: PairSet, tmp_path: Path) -> None:
    hard = mixed_hard_pairs(original, PAPER_CONFUSIONS, rng=_rng(), count=500)
    write_pairs(tmp_path / "pairs.jsonl", hard)
    rows = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 5_500
    assert sum(row["hard"] for row in rows) == 500
    assert set(rows[0]) == {"texts", "strategies", "dialogues", "same", "hard"}
    assert all((row["strategies"][0] == row["strategies"][1]) == row["same"] for row in rows)


def test_another_suffix_is_refused(original: PairSet, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.csv or \.jsonl"):
        write_pairs(tmp_path / "pairs.tsv", original)
    assert list(tmp_path.iterdir()) == []


def test_each_kind_needs_only_its_own_number_of_pairs() -> None:
    rows = examples(3)  # few pairs with one strategy, many with two
    same, different = count_pairs(codes([each.label for each in rows], CLASSES))
    assert same < different
    pairs = original_pairs(rows, rng=_rng(), same=same, different=different)
    assert (int(pairs.same.sum()), int((~pairs.same).sum())) == (same, different)
    with pytest.raises(UsageError, match=f"{same + 1} pairs with one strategy and 2 with two were requested"):
        original_pairs(rows, rng=_rng(), same=same + 1, different=2)
