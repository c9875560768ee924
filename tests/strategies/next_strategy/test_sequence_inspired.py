"""What is claimed of INSPIRED in ``benchmarks/SEQUENCE.md``, on the corpus itself."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.sequence_orders import choose_order

from trialogue.datasets import get_corpus
from trialogue.records import STRATEGIES, Dialogue
from trialogue.strategies.next_strategy.evaluation import (
    cross_validate,
    next_strategy_accuracy,
)
from trialogue.strategies.next_strategy.ngram import NGramFit
from trialogue.strategies.next_strategy.sequence import Tokens, sequences_of

pytestmark = [pytest.mark.mirror, pytest.mark.reproduction]


@pytest.fixture(scope="module")
def talks(mirror: Path) -> dict[str, Tokens]:
    records = get_corpus("inspired").read(mirror / "inspired", note=lambda problem: None)
    return sequences_of(record for record in records if isinstance(record, Dialogue))


def test_every_labelled_sentence_is_predicted_once(talks: dict[str, Tokens]) -> None:
    made = cross_validate(NGramFit(1), talks, rng=np.random.default_rng(0))
    assert len(talks) == 198
    assert len(made.targets) == 3624  # recommender sentences of dev and test
    assert len(made.restrict(STRATEGIES).targets) == 3083  # those with one of the 13
    assert next_strategy_accuracy(made, rng=None).top1.value == pytest.approx(
        541 / 3624, abs=0.001
    )  # always no_strategy


def test_one_behavior_back_is_chosen_and_beats_none(talks: dict[str, Tokens]) -> None:
    choice = choose_order(talks, rng=np.random.default_rng(0))
    assert choice.best.order == 2
    assert choice.perplexities[2, "witten_bell"] == pytest.approx(8.24, abs=0.05)
    assert choice.perplexities[1, "witten_bell"] == pytest.approx(10.98, abs=0.05)
