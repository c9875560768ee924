"""Majority and keyword rules."""

from pathlib import Path

import numpy as np
import pytest

from trialogue.errors import DataError
from trialogue.strategies.base import CLASSES, Example, StrategyClassifier
from trialogue.strategies.classifiers.baselines import RULES, Keywords, Majority, fit_keywords, fit_majority, rule_for
from trialogue.strategies.taxonomy import bundled_examples

EXAMPLES = [Example(text=str(place), label="similarity" if place else "credibility") for place in range(4)]


def test_the_majority_says_the_shares_of_its_data() -> None:
    model = fit_majority(EXAMPLES)
    assert isinstance(model, StrategyClassifier)
    assert model.classes == ("credibility", "similarity")
    assert model.probabilities(["a", "b"]).tolist() == [[0.25, 0.75]] * 2  # 1 and 3 of 4


def test_a_rule_gets_its_share_and_the_rest_goes_by_the_majority() -> None:
    model = fit_keywords(EXAMPLES)
    # .55 for the rule and .45 of .75 on top; .45 of .25 for the other
    assert model.probabilities(["Me too!", "Zzz"]).tolist() == [pytest.approx([0.1125, 0.8875]), [0.25, 0.75]]


def test_a_rule_for_a_class_that_the_data_lack_does_nothing() -> None:
    assert fit_keywords(EXAMPLES).probabilities(["Have you seen Coco?"]).tolist() == [[0.25, 0.75]]


def test_every_class_has_a_rule_and_rules_are_far_better_than_chance() -> None:
    assert {label for label, _ in RULES} == set(CLASSES)
    given = bundled_examples()
    right = np.mean([rule_for(example.text) == example.label for example in given])
    assert right > 0.3  # .13 is the share of the most frequent one


@pytest.mark.parametrize("kind", [Majority, Keywords])
def test_they_survive_saving(kind: type[Majority] | type[Keywords], tmp_path: Path) -> None:
    model = fit_majority(EXAMPLES) if kind is Majority else fit_keywords(EXAMPLES)
    model.save(tmp_path)
    read = kind.load(tmp_path)
    assert (read.origin, read.classes) == (model.origin, model.classes)
    assert (read.probabilities(["Me too!"]) == model.probabilities(["Me too!"])).all()


@pytest.mark.parametrize("content", [None, "{", "[]", '{"shares": {"a": "x"}, "origin": "o"}'])
def test_what_is_no_such_model_is_refused(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "shares.json").write_text(content)
    with pytest.raises(DataError, match="cannot be read"):
        Majority.load(tmp_path)
