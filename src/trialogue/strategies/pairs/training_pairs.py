"""Rebuild the paper's training pairs, "Original" and "Mixed-hard", from any labelled corpus, and export them.

Yang et al. (SIGIR 2024), section 3: 50,000 pairs with one strategy and 50,000 with two; in Mixed-hard 10,000 of the latter
are replaced by hard ones, a sentence of a strategy that a classifier of strategies gets right less than .7 of the time with
one of the strategy it is most often mistaken for. The released material does not say how pairs were sampled. Here no pair of
Original occurs twice, and hard ones are spread evenly over the hard strategies.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trialogue.errors import UsageError
from trialogue.records.files.opening import open_replacing
from trialogue.strategies.base import Example, Ints, ordered_classes
from trialogue.strategies.learning.calibration import codes
from trialogue.strategies.learning.dyads import Bools
from trialogue.strategies.learning.pair_sampling import draw_pairs
from trialogue.strategies.learning.scoring import LabelScores

SAME, DIFFERENT, HARD = 50_000, 50_000, 10_000
HARD_BELOW = 0.7

PAPER_HARD: dict[str, str] = {
    "personal_experience": "credibility",
    "rephrase_preference": "preference_confirmation",
    "self_modeling": "personal_experience",
    "similarity": "acknowledgment",
    "transparency": "opinion_inquiry",
}
"""The paper's own hard strategies, each with what it is most often taken for (Table 2)."""

COLUMNS = ("Input Text Part 1", "Input Text Part 2", "Ground Truth Label")
"""Columns of the released files, so that their readers can read ours."""


@dataclass(frozen=True, eq=False)
class PairSet:
    """Pairs of labelled sentences."""

    examples: tuple[Example, ...]
    """The sentences."""
    left: Ints
    """Index of one sentence of each pair, shape (n,)."""
    right: Ints
    """Index of the other."""
    same: Bools
    """Whether they share a strategy."""
    hard: Bools
    """Whether it was put in as a hard negative."""

    def __len__(self) -> int:
        return len(self.left)

    def rows(self) -> Iterator[tuple[Example, Example, bool]]:
        """Iterate over pairs: both sentences, and whether they share a strategy."""
        for left, right, same in zip(self.left.tolist(), self.right.tolist(), self.same.tolist(), strict=True):
            yield self.examples[left], self.examples[right], same


def original_pairs(
    examples: Sequence[Example], *, rng: np.random.Generator, same: int = SAME, different: int = DIFFERENT
) -> PairSet:
    """The paper's "Original": pairs with one strategy and pairs with two, in random order.

    Raises:
        UsageError: the examples do not have so many pairs.
    """
    columns = codes([example.label for example in examples], ordered_classes(example.label for example in examples))
    drawn = draw_pairs(columns, max(same, different), rng=rng, exact=True)
    kept = np.concatenate([np.arange(same), max(same, different) + np.arange(different)])
    order = rng.permutation(kept)
    left, right, truth = (part[order] for part in drawn)
    return PairSet(tuple(examples), left, right, truth, np.zeros(len(order), dtype=bool))


def mixed_hard_pairs(
    pairs: PairSet, hard: Mapping[str, str], *, rng: np.random.Generator, count: int = HARD
) -> PairSet:
    """The paper's "Mixed-hard": replace ``count`` of the pairs with two strategies by hard ones.

    Args:
        pairs: an Original set.
        hard: strategies with what each is most often taken for: ``hard_classes``, or ``PAPER_HARD``.
        rng: source of randomness.
        count: how many; evenly over ``hard``, the first ones one more where it does not divide.

    Raises:
        UsageError: no hard strategy has sentences on both sides, or there are fewer pairs with two strategies.
    """
    members: dict[str, list[int]] = {}
    for index, example in enumerate(pairs.examples):
        members.setdefault(example.label, []).append(index)
    usable = [(one, other) for one, other in hard.items() if one in members and other in members and one != other]
    negatives = np.flatnonzero(~pairs.same)
    if not usable or len(negatives) < count:
        raise UsageError(
            f"{count} hard pairs cannot be added: {len(negatives)} pairs with two strategies, and sentences of "
            f"{len(usable)} of the {len(hard)} hard strategies with those that they are confused with."
        )
    left, right, marked = pairs.left.copy(), pairs.right.copy(), pairs.hard.copy()
    for turn, places in enumerate(np.array_split(rng.choice(negatives, size=count, replace=False), len(usable))):
        one, other = usable[turn]
        left[places] = rng.choice(members[one], size=len(places))
        right[places] = rng.choice(members[other], size=len(places))
        marked[places] = True
    return PairSet(pairs.examples, left, right, pairs.same, marked)


def hard_classes(scores: LabelScores, *, below: float = HARD_BELOW) -> dict[str, str]:
    """Strategies with a recall below ``below``, and the class each is most often mistaken for."""
    return {
        found.strategy: found.confusions[0].strategy
        for found in scores.classes
        if found.recall is not None and found.recall < below and found.confusions
    }


def write_pairs(path: Path | str, pairs: PairSet) -> int:
    """Write pairs as ``.csv`` (columns of the released files, UTF-8 with BOM) or ``.jsonl``; returns their number.

    JSON Lines also say the strategies, the dialogues, and whether a pair is a hard one.

    Raises:
        UsageError: the name ends in neither.
    """
    path = Path(path)
    check_pairs_name(path)
    with open_replacing(path) as stream:
        if path.suffix == ".jsonl":
            for line in _lines(pairs):
                stream.write(line.encode())
        else:
            text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="", write_through=True)
            table = csv.writer(text)
            table.writerow(COLUMNS)
            table.writerows((one.text, other.text, int(same)) for one, other, same in pairs.rows())
            text.detach()
    return len(pairs)


def check_pairs_name(path: Path) -> None:
    """Raise UsageError unless a name ends in .csv or .jsonl."""
    if path.suffix not in (".csv", ".jsonl"):
        raise UsageError(f"pairs can be written to .csv or .jsonl, got {path.name!r}.")


def _lines(pairs: PairSet) -> Iterator[str]:
    for (one, other, same), hard in zip(pairs.rows(), pairs.hard.tolist(), strict=True):
        row = {"texts": [one.text, other.text], "strategies": [one.label, other.label], "same": same, "hard": hard}
        row["dialogues"] = [one.dialogue_id, other.dialogue_id]
        yield json.dumps(row, ensure_ascii=False) + "\n"
