"""Rates of strategies, corrected with labels of people."""

import numpy as np
import pytest

from trialogue.findings.alignment_profile import alignment_profiles, strategy_rates
from trialogue.findings.alignment_records import AlignmentProfile, StrategyRate, alignment_sections
from trialogue.metrics import Conversation
from trialogue.metrics.base import Reply
from trialogue.records import Labeller, StrategyDistribution, StrategyLabel, Utterance
from trialogue.records.files.jsonl import parse_line, to_line

FIRST, SECOND = "credibility", "similarity"


def utterance(strategy: str, chance: float, *, by_person: bool) -> Utterance:
    """A model that believes in credibility with this chance, and labels; a person may have labelled before."""
    labeller = Labeller.PERSON if by_person else Labeller.MODEL
    guess = FIRST if chance >= 0.5 else SECOND
    label = StrategyLabel(strategy=strategy if by_person else guess, origin="x", by=labeller)
    shares = {FIRST: chance, SECOND: 1 - chance}
    belief = StrategyDistribution(origin="m", probabilities=shares, matching=(1.0, 0.0))
    return Utterance(speaker="system", text="x", strategies=(label,), strategy_distribution=belief)


def conversations(labels: int, *, share: float = 0.3, seed: int = 0, believe: bool = True) -> list[Conversation]:
    """400 dialogues of one reply; people use credibility in half, the system in ``share``; the model sees more of it."""
    rng = np.random.default_rng(seed)

    def said(truth: float, number: int) -> Utterance:
        uses = rng.random() < truth
        chance = float(np.clip((0.8 if uses else 0.3) + rng.normal(0, 0.1), 0, 1))
        made = utterance(FIRST if uses else SECOND, chance, by_person=number < labels)
        return made if believe else made.model_copy(update={"strategy_distribution": None})

    found = []
    for number in range(400):
        reply = Reply("a", said(share, number), reference=said(0.5, number), turn=2)
        found.append(Conversation("a", f"d{number}", (reply,)))
    return found


def rate_of(rates: tuple[StrategyRate, ...], strategy: str) -> StrategyRate:
    return next(each for each in rates if each.strategy == strategy)


def test_labels_correct_what_the_model_sees_too_often() -> None:
    rate = rate_of(strategy_rates(conversations(80, seed=1)), FIRST)
    assert rate.labels == 80
    assert rate.modelled_system == pytest.approx(0.3 + 0.5 * 0.3, abs=0.04)  # .3 of all, and .5 more of the right ones
    assert rate.system.interval is not None
    assert rate.system.interval.contains(0.3)
    assert not rate.system.interval.contains(rate.modelled_system)
    assert rate.human.interval is not None
    assert rate.human.interval.contains(0.5)
    assert rate.difference is not None
    assert rate.difference.interval is not None
    assert rate.difference.interval.contains(-0.2)
    assert rate.difference.interval.high < 0


def test_the_corrected_rate_is_right_on_average_and_its_interval_holds_the_truth() -> None:
    errors, covered = [], []
    for seed in range(60):
        system = rate_of(strategy_rates(conversations(60, seed=seed)), FIRST).system
        assert system.value is not None
        assert system.interval is not None
        errors.append(system.value - 0.3)
        covered.append(system.interval.contains(0.3))
    assert abs(np.mean(errors)) < 0.02  # the standard error of 60 of them is .006
    assert np.mean(covered) >= 0.88  # of .95; the Monte Carlo error is .028


def test_rates_of_two_strategies_that_are_all_there_is_are_complements() -> None:
    rates = strategy_rates(conversations(60))
    assert [each.strategy for each in rates] in ([FIRST, SECOND], [SECOND, FIRST])
    first, second = (rate_of(rates, name).system.value or 0.0 for name in (FIRST, SECOND))
    assert first + second == pytest.approx(1.0)


@pytest.mark.parametrize("labels", [0, 9])
def test_without_ten_labels_on_a_side_there_are_no_rates(labels: int) -> None:
    assert strategy_rates(conversations(labels)) == ()
    assert len(strategy_rates(conversations(10))) == 2


def test_without_a_model_there_are_no_corrected_rates() -> None:
    assert strategy_rates(conversations(60, believe=False)) == ()


def test_a_profile_holds_the_rates_and_its_sections_show_them_beside_the_uncorrected_ones() -> None:
    (profile,) = alignment_profiles(conversations(60), resamples=10)
    assert profile.rates == strategy_rates(conversations(60))
    assert parse_line(to_line(profile), {AlignmentProfile.kind: AlignmentProfile}) == profile
    section = next(each for each in alignment_sections([profile]) if "corrected with labels" in each.title)
    assert section.heads == ["Strategy", "The human, for a", "a", "a, uncorrected"]
    assert {row[0] for row in section.rows} == {FIRST, SECOND}
    uncorrected = rate_of(profile.rates, FIRST).modelled_system
    assert next(row for row in section.rows if row[0] == FIRST)[3] == uncorrected
    titles = [each.title for each in alignment_sections([profile.model_copy(update={"rates": ()})])]
    assert section.title not in titles
