"""The benchmark that chooses ensembles by corpus never chooses on the corpus that it scores a choice on."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.by_corpus import CANDIDATES, CRITERIA, LINEAR, Field, gain
from benchmarks.left_out import DOMAINS, HALVES, INSPIRED, REDIAL, SHOP, Trial

from trialogue.strategies.learning.dyads import draw_pairs

CLASSES = ("a", "b", "c")
MEMBERS = "nhgste"


def made(corpus: str, half: str, hidden: str | None, *, good: str = MEMBERS) -> Trial:
    """Sixty sentences, of which the good members say the label with noise and the others anything."""
    rng = np.random.default_rng([len(corpus), len(half), len(hidden or "")])
    truth = rng.integers(0, 3, 60)
    rows = {}
    for name in MEMBERS:
        scores = rng.normal(size=(60, 3))
        scores[np.arange(60), truth] += 3 if name in good else 0
        powers = np.exp(scores)
        rows[name] = powers / powers.sum(axis=1, keepdims=True)
    pairs = draw_pairs(truth, 100, rng=rng)
    groups = tuple(f"{corpus} {half} {place // 3}" for place in range(60))
    return Trial(corpus, half, hidden, CLASSES, rows, np.arange(60), truth, pairs, groups)


def all_of(*, good: str = MEMBERS) -> list[Trial]:
    found = [made(SHOP, "", None, good=good)]
    for half in HALVES:
        for hidden in (None, *DOMAINS):
            found += [made(INSPIRED, half, hidden, good=good), made(REDIAL, half, hidden, good=good)]
            found += [] if hidden is None else [made(hidden, half, hidden, good=good)]
    return found


@pytest.mark.parametrize("corpus", [INSPIRED, REDIAL, *DOMAINS, SHOP])
def test_other_labels_of_the_corpus_that_is_left_out_change_no_choice(corpus: str) -> None:
    trials = all_of()
    changed = [
        replace(each, truth=(each.truth + 1) % 3, pairs=each.pairs._replace(same=~each.pairs.same))
        if each.corpus == corpus
        else each
        for each in trials
    ]
    before, after = Field(trials), Field(changed)
    for place in before.of(corpus):
        for criterion in CRITERIA:
            assert before.unseen_by(place).best(criterion) == after.unseen_by(place).best(criterion)
        assert before.unseen_by(place).temperatures == after.unseen_by(place).temperatures


def test_a_choice_looks_at_no_model_that_has_seen_what_it_is_scored_on() -> None:
    for tested in all_of():
        for other in (each for each in all_of() if tested.is_unseen_by(each)):
            assert other.corpus != tested.corpus
            if tested.corpus == INSPIRED and other.half:  # tested on the half that its models were not trained on
                assert other.half == tested.half
            if tested.corpus in DOMAINS and other.half:
                assert other.hidden == tested.corpus


def test_where_only_one_network_is_any_good_it_is_chosen_alone_and_gains() -> None:
    field = Field(all_of(good="g"))
    place = field.of(REDIAL)[0]
    best = field.unseen_by(place).best("labels")
    assert field.candidates[best] == CANDIDATES[-1]
    assert set(CANDIDATES[-1].weights) == {"g"}
    found = gain(field, REDIAL, [best] * len(field.of(REDIAL)))
    assert (np.quantile(found.replicates, 0.025, axis=0) > 0).all()


def test_a_choice_among_some_candidates_is_the_best_of_them() -> None:
    field = Field(all_of(good="s"))
    compared = field.unseen_by(field.of(INSPIRED)[0])
    linear = [at for at, each in enumerate(field.candidates) if each.weights.keys() & LINEAR]
    chosen = compared.best("labels", linear)
    assert 0 < len(linear) < len(field.candidates)
    assert compared.labels[chosen] == max(compared.labels[at] for at in linear)
    assert compared.best("labels", range(len(field.candidates))) == compared.best("labels")


def test_the_shipped_ensemble_gains_nothing_on_itself() -> None:
    field = Field(all_of())
    found = gain(field, SHOP, [field.shipped] * len(field.of(SHOP)))
    assert not found.value.any()
    assert not found.replicates.any()
