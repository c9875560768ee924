"""Behavior Alignment from labels: Equations 1 and 2, every open choice, and what is undefined."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.datasets.corpora import inspired
from trialogue.errors import UsageError
from trialogue.metrics import Conversation, Reply, Settings, Undefined, get_metric, measure, offline_conversations
from trialogue.metrics.strategy_sets import CLASSES
from trialogue.records import (
    NO_STRATEGY,
    STRATEGIES,
    Dialogue,
    Labeller,
    Reason,
    ReasonCode,
    Response,
    Score,
    StrategyLabel,
    Utterance,
    situations_of,
)

# Short names for strategies; any other word stays as it is.
SHORT = {"a": "acknowledgment", "c": "credibility", "e": "encouragement", "o": "opinion_inquiry", "-": NO_STRATEGY}
Labels = str | Sequence[tuple[str, str]] | None


def utterance(labels: Labels) -> Utterance:
    """A system utterance with labels: letters of ``SHORT`` from one expert, or pairs of (letter or word, origin)."""
    pairs = [(letter, "expert") for letter in labels] if isinstance(labels, str) else labels
    strategies = None
    if pairs is not None:
        strategies = tuple(
            StrategyLabel(strategy=SHORT.get(word, word), origin=origin, by=Labeller.PERSON) for word, origin in pairs
        )
    return Utterance(speaker="system", text="...", strategies=strategies)


def reply(reference: Labels, said: Labels, *, turn: int = 1) -> Reply:
    return Reply("A", utterance(said), reference=utterance(reference), turn=turn, situation_id="s")


def talk(*pairs: tuple[Labels, Labels], first: int = 0, name: str = "d") -> Conversation:
    """A conversation from (reference, reply) pairs; with ``first=1`` it has begun before, and all of them count."""
    replies = tuple(reply(*pair, turn=turn) for turn, pair in enumerate(pairs, start=first))
    return Conversation("A", f"dialogue:{name}", replies, dialogue_id=name)


def scores(text: str, *conversations: Conversation) -> tuple[Score, list[Score]]:
    units: list[Score] = []
    found = measure(conversations, [get_metric(text)], settings=Settings(resamples=10), sink=units.append)
    return found[0], units


def value(text: str, *conversations: Conversation) -> float | None:
    return scores(text, *conversations)[0].value


def ba(variant: str = "summed", **chosen: str) -> str:
    inside = ",".join(f"{name}={choice}" for name, choice in chosen.items())
    return f"behavior_alignment({inside})@{variant}" if inside else f"behavior_alignment@{variant}"


LONG = talk(("a", "a"), ("c", "c"), ("o", "c"), ("e", "e"), name="long")  # first turn; then 2 of 3 match
SHORT_ONE = talk(("a", "a"), ("c", "c"), name="short")  # first turn; then 1 of 1 matches


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("summed", 3 / 4),  # (2 + 1) / (3 + 1)
        ("printed", 3 / 6),  # the same matches over all 6 replies
        ("summed_per_dialogue", (2 / 3 + 1) / 2),
        ("printed_per_dialogue", (2 / 4 + 1 / 2) / 2),
    ],
)
def test_equation_two_has_four_readings(variant: str, expected: float) -> None:
    assert value(ba(variant), LONG, SHORT_ONE) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("variant", "expected"), [("summed", 1.0), ("summed_per_dialogue", 1.0), ("printed", 3 / 4), ("kappa", 1.0)]
)
def test_only_without_the_first_turn_in_the_denominator_perfect_is_one(variant: str, expected: float) -> None:
    assert value(ba(variant), talk(("a", "a"), ("c", "c"), ("o", "o"), ("e", "e"))) == expected


def test_first_turns_count_where_they_are_included() -> None:
    assert value(ba(first="include"), LONG) == 3 / 4
    assert value(ba("printed", first="include"), LONG) == 3 / 4


def test_a_first_turn_is_one_that_no_system_turn_came_before() -> None:
    assert value(ba(), talk(("a", "a"), ("c", "o"), first=3)) == 0.5


OPENING = tuple(Utterance(speaker=speaker, text="...") for speaker in ("system", "user"))


def test_where_the_recommender_opens_the_first_reply_is_the_one_to_the_user_s_first_turn() -> None:
    first = Reply("A", utterance("c"), context=OPENING, reference=utterance("c"), turn=1)
    second = Reply("A", utterance("c"), context=OPENING * 2, reference=utterance("o"), turn=2)
    conversation = Conversation("A", "c", (first, second))
    assert value(ba(), conversation) == 0
    assert value(ba("printed"), conversation) == 0
    assert value(ba(first="exclude_opening"), conversation) == 1 / 2
    assert value(ba(first="include"), conversation) == 1 / 2


def test_the_opening_itself_is_a_first_turn_too() -> None:
    one = Reply("A", utterance("c"), reference=utterance("c"), turn=0)
    for first in ("exclude", "exclude_opening"):
        assert value(ba(first=first), Conversation("A", "c", (one,))) is None


def test_a_context_that_was_cut_short_is_no_beginning() -> None:
    for context, turn in ((OPENING[1:], 1), (OPENING, 5), ((), 1)):
        one = Reply("A", utterance("c"), context=context, reference=utterance("c"), turn=turn)
        assert value(ba(), Conversation("A", "c", (one,))) == 1


def test_a_first_turn_by_itself_has_no_value_under_any_reading() -> None:
    for variant in ("summed", "printed", "summed_per_dialogue", "printed_per_dialogue", "kappa"):
        found, units = scores(ba(variant), talk(("a", "a")))
        assert found.value is None
        assert all(unit.value is None and unit.why for unit in units)
    assert found.why == Reason.of(ReasonCode.FIRST_TURN_LEFT_OUT)


def test_no_strategy_is_a_class_or_left_out() -> None:
    one = talk(("-", "-"), ("-", "c"), ("c", "-"), ("c", "c"), first=1)
    assert value(ba(), one) == 2 / 4
    found, _ = scores(ba(none="exclude"), one)
    assert (found.value, found.skipped) == (1 / 2, 2)  # left: c against nothing, c against c
    assert found.left_out is not None
    assert found.left_out.cause == Reason.of(ReasonCode.REFERENCE_USES_NO_STRATEGY)


@pytest.mark.parametrize(
    ("several", "expected"),
    [("first", 0.0), ("any", 1.0), ("overlap", 1 / 3)],  # {c, o} and {o, e} share one of three
)
def test_several_strategies_of_an_utterance(several: str, expected: float) -> None:
    assert value(ba(several=several), talk(("co", "oe"), first=1)) == pytest.approx(expected)


def test_a_strategy_named_twice_counts_once() -> None:
    assert value(ba(several="overlap"), talk(("ccc", "co"), first=1)) == 0.5


TWO_ORIGINS = [("c", "expert"), ("o", "second"), ("e", "expert")]


@pytest.mark.parametrize(
    ("origin", "several", "expected"),
    [("first", "any", 0.0), ("all", "any", 1.0), ("first", "overlap", 0.0), ("all", "overlap", 1 / 3)],
)
def test_labels_of_the_first_origin_or_of_everybody(origin: str, several: str, expected: float) -> None:
    assert value(ba(origin=origin, several=several), talk((TWO_ORIGINS, "o"), first=1)) == pytest.approx(expected)


def test_the_first_origin_keeps_all_its_labels() -> None:
    assert value(ba(several="any"), talk((TWO_ORIGINS, "e"), first=1)) == 1.0


def why(text: str, one: Reply) -> str:
    metric: Any = get_metric(text)
    statistics = metric.statistics(one)
    assert isinstance(statistics, Undefined)
    return str(statistics.why)


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (Reply("A", utterance("c"), turn=1), "there is no reference: the human recommender's reply is unknown"),
        (reply(None, "c"), "the reference has no strategy labels"),
        (reply("", "c"), "the reference has no strategy labels"),
        (reply("c", None), "the reply has no strategy labels"),
        (reply("c", ""), "the reply has no strategy labels"),
    ],
)
def test_what_is_missing_is_named(one: Reply, reason: str) -> None:
    assert why(ba(), one) == reason


@pytest.mark.parametrize("whose", ["reference", "reply"])
def test_a_typo_is_neither_a_match_nor_a_mismatch(whose: str) -> None:
    typo = [("redibility", "expert")]  # as the paper prints it
    one = reply(typo, typo) if whose == "reference" else reply("c", typo)
    assert why(ba(), one) == (
        f"the {whose} has the label 'redibility', which is not one of the 13 strategies (did you mean 'credibility'?); "
        "map it to one, or use taxonomy=any for another label set"
    )


def test_a_label_far_from_all_gets_no_guess() -> None:
    assert "not one of the 13 strategies; map it to one" in why(ba(), reply([("xyz", "m")], "c"))


def test_labels_of_another_set_compare_with_each_other() -> None:
    other = [("greet", "m")]
    assert value(ba(taxonomy="any"), talk((other, other), (other, [("show", "m")]), first=1)) == 0.5


def test_two_sets_of_labels_do_not_compare() -> None:
    assert why(ba(taxonomy="any"), reply("c", [("show", "m")])) == (
        "the two sides use different label sets, 'credibility' and 'show'; map one to the other"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ba(first="skip"), "first must be exclude or exclude_opening or include, got 'skip'"),
        (ba(several="all"), "several must be first or any or overlap, got 'all'"),
        (ba(none="0"), "none must be class or exclude, got 0"),
        (ba("kappa", several="any"), "use several=first, taxonomy=inspired"),
        (ba("kappa", taxonomy="any"), "use several=first, taxonomy=inspired"),
        (ba("median"), "no variant 'median' of behavior_alignment"),
    ],
)
def test_an_impossible_choice_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        get_metric(text)


def test_every_choice_that_is_not_the_default_is_in_the_name() -> None:
    assert get_metric("behavior_alignment").measure == "behavior_alignment@summed|v1"
    chosen = get_metric("behavior_alignment(none=exclude,several=any,first=exclude)@printed")
    assert chosen.measure == "behavior_alignment(none=exclude,several=any)@printed|v1"


def test_only_kappa_may_fall_under_zero() -> None:
    assert get_metric("behavior_alignment").card.low == 0
    assert get_metric(ba("kappa")).card.low == -1


def test_kappa_by_hand() -> None:
    # human c c o o, system c o o o: 3 of 4 agree; by chance (2*1 + 2*3) / 16 = 1/2; kappa = (3/4 - 1/2) / (1/2)
    assert value(ba("kappa"), talk(("c", "c"), ("c", "o"), ("o", "o"), ("o", "o"), first=1)) == pytest.approx(0.5)


def test_kappa_of_a_constant_pair_of_raters_has_no_value() -> None:
    found, _ = scores(ba("kappa"), talk(("c", "c"), ("c", "c"), first=1))
    assert found.value is None


def test_kappa_of_one_reply_has_no_value() -> None:
    _, units = scores(ba("kappa"), talk(("c", "o"), ("o", "o"), first=1))
    assert [unit.value for unit in units if unit.level == "response"] == [None, None]


LETTER = st.sampled_from("aceo-")
PAIRS = st.lists(st.tuples(LETTER, LETTER), min_size=2, max_size=12)


@settings(deadline=None)
@given(PAIRS)
def test_kappa_is_scikit_learn_s(pairs: list[tuple[str, str]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    human, system = zip(*pairs, strict=True)
    found = value(ba("kappa"), talk(*pairs, first=1))
    if len({*human, *system}) == 1:
        assert found is None  # chance agrees always: 0/0
    else:
        assert found == pytest.approx(cohen_kappa_score(human, system))


@settings(deadline=None)
@given(PAIRS)
def test_alignment_is_symmetric_and_bounded(pairs: list[tuple[str, str]]) -> None:
    turned = [(said, reference) for reference, said in pairs]
    for variant in ("summed", "printed", "kappa"):
        here, there = value(ba(variant), talk(*pairs, first=0)), value(ba(variant), talk(*turned, first=0))
        assert here == pytest.approx(there)
        assert here is None or get_metric(ba(variant)).card.low <= here <= 1  # type: ignore[operator]


@settings(deadline=None)
@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_replies_does_not_matter(pairs: list[tuple[str, str]], random: Any) -> None:
    mixed = list(pairs)
    random.shuffle(mixed)
    replies = [tuple(reply(*pair) for pair in some) for some in (pairs, mixed)]
    here, there = (value(ba(), Conversation("A", "c", some)) for some in replies)
    assert here == there


def test_random_labels_align_by_chance_only() -> None:
    rng = np.random.default_rng(7)
    drawn = rng.choice(len(STRATEGIES), size=(4000, 2))
    pairs = [([(STRATEGIES[h], "m")], [(STRATEGIES[s], "m")]) for h, s in drawn]
    conversations = [talk(*pairs[start : start + 20], first=1, name=str(start)) for start in range(0, 4000, 20)]
    assert value(ba(), *conversations) == pytest.approx(1 / 13, abs=0.015)
    assert value(ba("kappa"), *conversations) == pytest.approx(0, abs=0.015)


def test_the_classes_are_the_thirteen_and_no_strategy() -> None:
    assert len(CLASSES) == 14


def test_the_origin_of_labels_is_in_the_signature() -> None:
    found, _ = scores(ba(), talk((TWO_ORIGINS, [("c", "model-1")]), first=1))
    assert found.signature is not None
    assert "|labels:expert+model-1+second|" in found.signature


@pytest.mark.mirror
def test_on_inspired_people_align_with_themselves_and_one_strategy_for_all_does_not(mirror: Path) -> None:
    records = inspired.CORPUS.read(mirror / "inspired", note=lambda problem: None)
    situations = [one for dialogue in records if isinstance(dialogue, Dialogue) for one in situations_of(dialogue)]
    human = [
        Response(situation_id=one.id, system="human", utterance=one.reference) for one in situations if one.reference
    ]
    always = [one.model_copy(update={"system": "always", "utterance": utterance("c")}) for one in human]
    conversations = offline_conversations(situations, [*human, *always])
    names = [ba(), ba("kappa"), ba("printed"), ba(first="exclude_opening"), ba("printed", first="exclude_opening")]
    metrics = [get_metric(name) for name in names]
    found = {
        (name, one.system): one
        for one in measure(conversations, metrics, settings=Settings(resamples=200, permutations=100))
        for name, metric in zip(names, metrics, strict=True)
        if one.level == "system" and one.measure == metric.measure
    }
    here = found[ba(), "human"]
    assert (here.value, here.n, here.skipped) == (1, 1702, 198)  # one first reply in each of 198 dialogues
    assert found[ba("printed"), "human"].value == pytest.approx(1702 / 1900)
    assert found[ba("kappa"), "human"].value == 1
    assert found[ba(), "always"].value == pytest.approx(247 / 1702)  # 247 later references start with credibility
    assert found[ba("kappa"), "always"].value == 0  # a constant is right by chance only
    for name in names[3:]:  # the recommender always opens: nothing is left out, and the denominators agree
        assert found[name, "always"].value == pytest.approx(247 / 1900)


def weighing(pair: Reply, weight: object, by: str = "ngram(order=2)|t=1") -> Reply:
    assert pair.reference is not None
    meta = {} if weight is None else {"strategy_weight": weight, "strategy_weight_by": by}
    return replace(pair, reference=pair.reference.model_copy(update={"meta": meta}))


def weighed_talk(*rows: tuple[str, str, float], first: int = 1) -> Conversation:
    replies = tuple(weighing(reply(a, b, turn=turn), w) for turn, (a, b, w) in enumerate(rows, start=first))
    return Conversation("A", "dialogue:d", replies, dialogue_id="d")


def test_a_reply_counts_as_much_as_its_weight_and_weights_are_divided_out() -> None:
    talked = weighed_talk(("a", "a", 3.0), ("c", "a", 1.0), ("e", "a", 2.0))
    # 3 / (3 + 1 + 2); without weights 1 of 3
    assert value("behavior_alignment(weight=inverse_entropy)", talked) == pytest.approx(0.5)
    assert value("behavior_alignment", talked) == pytest.approx(1 / 3)


def test_weights_that_are_all_alike_change_nothing_whatever_their_size() -> None:
    talked = weighed_talk(("a", "a", 7.0), ("c", "a", 7.0))
    assert value("behavior_alignment(weight=inverse_entropy)", talked) == pytest.approx(0.5)


def test_as_printed_the_first_turn_weighs_too() -> None:
    talked = weighed_talk(("a", "a", 2.0), ("c", "c", 3.0), ("c", "a", 5.0), first=0)
    # the first is summed as 0: 3 / (2 + 3 + 5)
    assert value("behavior_alignment(weight=inverse_entropy,first=exclude_opening)@printed", talked) == pytest.approx(
        0.3
    )


@pytest.mark.parametrize(
    ("weight", "why"), [(None, "has no weight"), (-1.0, "not a positive"), ("much", "not a positive")]
)
def test_a_reference_without_a_weight_that_is_one_is_left_out(weight: object, why: str) -> None:
    found = get_metric("behavior_alignment(weight=inverse_entropy)").statistics(weighing(reply("a", "a"), weight))  # type: ignore[union-attr]
    assert isinstance(found, Undefined)
    assert why in str(found.why)


def test_where_weights_come_from_stands_in_the_signature_and_the_name() -> None:
    found, _ = scores("behavior_alignment(weight=inverse_entropy)", weighed_talk(("a", "a", 2.0), ("c", "a", 1.0)))
    assert found.measure == "behavior_alignment(weight=inverse_entropy)@summed|v1"
    assert "weights=ngram(order=2)|t=1" in str(found.signature)
    with pytest.raises(UsageError, match="weight=none"):
        get_metric("behavior_alignment(weight=inverse_entropy)@kappa")
