"""Metrics against the share of preferred replies in mixed systems."""

from collections.abc import Sequence
from typing import Literal

import pytest

from trialogue.errors import DataError, UsageError
from trialogue.metrics import Conversation, Reply, conversations_of, get_metrics
from trialogue.records import Dialogue, Labeller, Preference, StrategyLabel, Utterance
from trialogue.subjects.alignment.differentiation import PreferredPair, differentiation, preferred_pairs
from trialogue.subjects.alignment.pages.figures import mixtures


def said(text: str, strategy: str) -> Utterance:
    return Utterance(
        speaker="system", text=text, strategies=(StrategyLabel(strategy=strategy, origin="expert", by=Labeller.PERSON),)
    )


def answer(system: str, number: int, text: str, strategy: str) -> Conversation:
    reply = Reply(
        system,
        said(text, strategy),
        reference=said("You would love it.", "encouragement"),
        turn=2,
        situation_id=f"s{number}",
    )
    return Conversation(system, f"dialogue:{number}", (reply,), dialogue_id=f"d{number}")


def pairs(count: int = 40, *, right: int = 9, wrong: int = 1) -> list[PreferredPair]:
    """The ideal system does what people did in 9 of 10 cases, the worst in 1 of 10; the words do not tell them apart."""
    return [
        PreferredPair(
            answer("a", n, f"Words number {n} of x{n % 7}.", "encouragement" if n % 10 < right else "credibility"),
            answer("b", n, f"Words number {n} of y{n % 5}.", "encouragement" if n % 10 < wrong else "credibility"),
        )
        for n in range(count)
    ]


METRICS = ["behavior_alignment", "length@words", "distinct(n=1)@ratio", "bleu(k=1)@sacrebleu"]


def found(given: Sequence[PreferredPair] | None = None, **options: int) -> dict[str, object]:
    result = differentiation(given or pairs(), get_metrics(METRICS), resamples=200, **options)
    return {one.measure.name.partition("|")[0]: one for one in result}


def test_behavior_alignment_rises_in_a_line_from_worst_to_ideal() -> None:
    (one, *_) = differentiation(pairs(), get_metrics(["behavior_alignment"]), resamples=300)
    values = [mix.estimate.value for mix in one.mixes]
    assert [mix.share for mix in one.mixes] == pytest.approx([n / 10 for n in range(11)])
    assert values == pytest.approx([0.1 + 0.8 * n / 10 for n in range(11)], abs=0.03)
    assert values[0] == pytest.approx(0.1)
    assert values[-1] == pytest.approx(0.9)
    assert one.gain.value == pytest.approx(0.8)
    assert one.gain.interval is not None
    assert one.gain.interval.contains(0.8)
    assert one.tells is True
    assert all(mix.estimate.interval is not None for mix in one.mixes)


def test_a_metric_that_is_blind_to_the_difference_stays_flat() -> None:
    results = differentiation(pairs(), get_metrics(METRICS), resamples=200)
    length, distinct = results[1], results[2]
    assert {mix.estimate.value for mix in length.mixes} == {5.0}
    assert length.tells is False
    assert distinct.mixes[5].estimate.interval is not None
    assert abs(distinct.gain.value or 0) < 0.1


def test_the_same_seed_gives_the_same_numbers() -> None:
    assert found(seed=3) == found(seed=3)
    assert found(seed=3) != found(seed=4)


def test_where_a_metric_is_undefined_it_says_so_and_the_others_go_on() -> None:
    bare = [
        PreferredPair(*(Conversation(c.system, c.cluster, (Reply(c.system, c.replies[0].utterance),)) for c in sides))
        for sides in [(pair.better, pair.worse) for pair in pairs()]
    ]
    alignment, length, *_ = differentiation(bare, get_metrics(METRICS), resamples=50)
    assert alignment.mixes == ()
    assert "defined on both sides of only 0 pairs" in str(alignment.why)
    assert alignment.tells is None
    assert length.mixes


def test_too_few_pairs_are_refused() -> None:
    with pytest.raises(UsageError, match="5 pairs"):
        differentiation(pairs(4), get_metrics(METRICS))


def choice(number: int, system: Literal["a", "b", "tie"], **more: str) -> Preference:
    return Preference(id=str(number), a="a", b="b", choice=system, **more)


def test_preferences_between_replies_to_one_situation_become_pairs() -> None:
    conversations = [side for pair in pairs(6) for side in (pair.better, pair.worse)]
    votes = [choice(n, "a" if n else "b", situation_id=f"s{n}") for n in range(4)]
    votes += [choice(9, "tie", situation_id="s5"), choice(10, "b", situation_id="s1")]  # s1: one against one
    made = preferred_pairs(conversations, votes)
    assert [(one.better.system, one.better.replies[0].situation_id) for one in made] == [
        ("b", "s0"),
        ("a", "s2"),
        ("a", "s3"),
    ]


def test_preferences_between_dialogues_become_pairs() -> None:
    dialogues = [
        Dialogue(id=f"{system}{n}", utterances=(said("Hi", "no_strategy"),), system=system, user=f"u{n}")
        for n in range(3)
        for system in "ab"
    ]
    votes = [choice(n, "b", dialogue_a=f"a{n}", dialogue_b=f"b{n}") for n in range(3)]
    made = preferred_pairs(conversations_of(dialogues), votes)
    assert [one.better.dialogue_id for one in made] == ["b0", "b1", "b2"]
    assert made[0].cluster == "user:u0"


def test_preferences_that_fit_nothing_are_refused_with_what_would_do() -> None:
    with pytest.raises(DataError, match="none of the 1 preferences"):
        preferred_pairs([], [choice(1, "a", situation_id="s1")])


def test_the_figure_has_a_panel_for_each_metric_with_values() -> None:
    figure = mixtures(differentiation(pairs(), get_metrics(METRICS), resamples=50))
    assert figure.svg.count("Behavior Alignment") >= 1
    assert "100%" in figure.svg
    assert "goes from 0.100 to 0.900" in figure.alt
    assert mixtures([]).alt is not None
