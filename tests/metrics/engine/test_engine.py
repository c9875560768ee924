"""One pass over conversations: what comes out, in which order, and what must not matter."""

import gc
import tracemalloc
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from tests.untraced import untraced
from trialogue.errors import UsageError
from trialogue.metrics import Conversation, Reply, Settings, get_metric, measure
from trialogue.metrics.base import Array, DistinctTypes
from trialogue.metrics.engine import engine
from trialogue.metrics.text.length import Length
from trialogue.records import Card, Labeller, Mention, Reason, ReasonCode, Score, StrategyLabel, Utterance, Variant

FEW = Settings(resamples=200, permutations=199)


class Vocabulary:
    """Distinct over all words: a counted metric."""

    card = Card(
        name="vocabulary",
        title="Vocabulary",
        summary="-",
        unit="share",
        better="neither",
        level="response",
        variants={"plain": Variant(summary="-", source="-")},
        default="plain",
    )
    measure = "vocabulary@plain|v1"

    def types(self, unit: Reply) -> DistinctTypes:
        return DistinctTypes(unit.text.split())

    def value(self, distinct: Array, total: Array, extra: Array) -> Array:
        return distinct / total


def talk(system: str, *texts: str, name: str = "d", cluster: str | None = None) -> Conversation:
    replies = tuple(
        Reply(system, Utterance(speaker="system", text=text), index=place) for place, text in enumerate(texts)
    )
    return Conversation(system, cluster or f"dialogue:{name}", replies, dialogue_id=name)


def talks() -> list[Conversation]:
    words = ["see", "up", "or", "heat", "then", "go", "and", "try", "the", "old", "one"]
    return [
        talk(system, *(" ".join(words[place % 7 :: step]) for step in range(1, 4)), name=str(place))
        for place in range(30)
        for system in ("B", "A", "C")
    ]


METRICS: list[Any] = [Length(), Vocabulary()]


def test_system_scores_come_first_then_differences_systems_in_alphabetical_order() -> None:
    scores = measure(talks(), METRICS, settings=FEW)
    assert [(one.measure, one.level, one.system, one.versus) for one in scores] == [
        *[(metric.measure, "system", system, None) for metric in METRICS for system in "ABC"],
        *[(metric.measure, "difference", *pair) for metric in METRICS for pair in ("AB", "AC", "BC")],
    ]


def test_no_conversations_no_scores() -> None:
    assert measure([], METRICS) == []


def test_no_metrics_no_scores() -> None:
    assert measure(talks(), []) == []


@pytest.mark.parametrize("size", [1, 7, 90, 1000])
def test_the_order_of_conversations_and_the_size_of_batches_do_not_matter(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = measure(talks(), METRICS, settings=FEW)
    monkeypatch.setattr(engine, "BATCH", size)
    assert measure(talks(), METRICS, settings=FEW) == expected
    assert measure(talks()[::-1], METRICS, settings=FEW) == expected


def test_other_metrics_and_systems_beside_it_do_not_change_a_number() -> None:
    alone = measure([one for one in talks() if one.system == "A"], [Length()], settings=FEW)[0]
    among = measure(talks(), METRICS, settings=FEW)[0]
    assert alone == among


def test_a_seed_gives_the_same_numbers_again_and_another_seed_only_other_arrangements() -> None:
    rng = np.random.default_rng(0)
    some = [talk(system, "w " * rng.integers(1, 9), name=str(place)) for place in range(30) for system in "AB"]
    first, again = (measure(some, [Length()], settings=FEW) for _ in range(2))
    other = measure(some, [Length()], settings=Settings(seed=1, resamples=200, permutations=199))
    assert first == again
    assert [one.value for one in first] == [one.value for one in other]
    *systems, pair = [one.interval for one in first]
    *same_systems, other_pair = [one.interval for one in other]
    assert systems == same_systems  # nothing is drawn for the interval of one system
    assert pair != other_pair


def test_the_sink_gets_every_unit_and_every_dialogue() -> None:
    units: list[Score] = []
    measure([talk("A", "a b", "c"), talk("B", "d")], METRICS, settings=FEW, sink=units.append)
    for metric in METRICS:
        mine = [(one.system, one.level, one.utterance, one.value) for one in units if one.measure == metric.measure]
        assert sorted(mine, key=str) == sorted(
            [
                ("A", "utterance", 0, 2.0 if metric is METRICS[0] else 1.0),
                ("A", "utterance", 1, 1.0),
                ("A", "dialogue", None, 1.5 if metric is METRICS[0] else 1.0),
                ("B", "utterance", 0, 1.0),
                ("B", "dialogue", None, 1.0),
            ],
            key=str,
        )


def test_conversations_are_streamed_and_not_kept() -> None:
    alive = 0

    class Tracked(Utterance):
        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def stream() -> Iterator[Conversation]:
        nonlocal alive
        for number in range(3 * engine.BATCH):
            alive += 1
            assert alive <= 2 * engine.BATCH + 2  # the batch at work and the one that comes in
            replies = (Reply("A", Tracked(speaker="system", text=f"w{number % 5} v")),)
            yield Conversation("A", f"dialogue:{number}", replies, dialogue_id=str(number))

    gc.collect()
    scores = measure(stream(), METRICS, settings=FEW)
    assert scores[0].n == 3 * engine.BATCH


@pytest.mark.slow
@untraced()
def test_memory_grows_with_a_row_per_conversation_and_not_with_the_text() -> None:
    """20,000 conversations of 2,000 characters each would be 40 MB of text."""

    def stream() -> Iterator[Conversation]:
        for number in range(20_000):
            text = f"{number % 100} " + "x" * 2_000
            replies = (Reply("A", Utterance(speaker="system", text=text)),)
            yield Conversation("A", f"dialogue:{number}", replies, dialogue_id=str(number))

    tracemalloc.start()
    try:
        scores = measure(stream(), [Length()], settings=Settings(resamples=20))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert scores[0].n == 20_000
    assert peak < 25e6  # 16 bytes of sums and a name of 80 for each, and what sorting the clusters takes


def test_a_system_of_empty_replies_has_a_length_of_zero_and_no_vocabulary() -> None:
    length, vocabulary = measure([talk("A", "", ""), talk("A", "", name="e")], METRICS, settings=FEW)
    assert length.value == 0.0
    assert length.interval is None
    assert length.why is not None
    assert vocabulary.value is None
    assert vocabulary.why


def test_a_system_without_replies_has_no_value() -> None:
    scores = measure([talk("A"), talk("B", "x"), talk("B", "y z", name="e")], METRICS, settings=FEW)
    assert [one.why for one in scores if one.system == "A"] == [Reason.of(ReasonCode.NOTHING_TO_MEASURE)] * 4


def test_what_is_left_out_is_counted_and_its_commonest_reason_given() -> None:
    def reply(strategies: str | None, reference: str | None) -> Reply:
        sides = [
            None
            if word is None
            else Utterance(
                speaker="system", text="x", strategies=(StrategyLabel(strategy=word, origin="me", by=Labeller.PERSON),)
            )
            for word in (strategies, reference)
        ]
        return Reply("A", sides[0] or Utterance(speaker="system", text="x"), reference=sides[1], turn=1)

    def scored(*replies: Reply) -> Score:
        conversations = [Conversation("A", str(place), (one,)) for place, one in enumerate(replies)]
        return measure(conversations, [get_metric("behavior_alignment")], settings=FEW)[0]

    good = [reply("credibility", "credibility"), reply("credibility", "similarity")]
    none, mute = reply("credibility", None), reply(None, "credibility")
    assert scored(*good).why is None
    assert scored(*good).skipped == 0
    one = scored(*good, none)
    assert one.skipped == 1
    assert one.left_out == Reason.of(
        ReasonCode.LEFT_OUT_FOR_ONE_REASON, Reason.of(ReasonCode.NO_HUMAN_REFERENCE), units=1
    )
    three = scored(*good, none, mute, mute)
    assert three.skipped == 3
    assert str(three.left_out) == "3 units left out, 2 of them because the reply has no strategy labels"


def test_a_missing_interval_and_what_is_left_out_are_both_explained() -> None:
    metric = get_metric("item_ratio@count")
    mentions = (Mention(title="Up"),)
    said = [Utterance(speaker="system", text="Up", mentions=mentions), Utterance(speaker="system", text="")]
    replies = tuple(Reply("A", utterance) for utterance in said)
    found = measure([Conversation("A", "c", replies)], [metric], settings=FEW)[0]
    assert found.why == Reason.of(ReasonCode.ONE_CLUSTER)
    assert str(found.left_out).startswith("1 unit left out because the reply is empty")


def test_two_metrics_of_one_name_are_refused() -> None:
    class Other(Length):
        def statistics(self, unit: Reply) -> Sequence[float]:
            return (1.0, 1.0)

    with pytest.raises(UsageError, match=r"have the same name: length@words\|v1"):
        measure(talks(), [Length(), Other()])


def test_systems_are_distinguished_by_their_name_only() -> None:
    scores = measure([talk("A", "x"), talk("A ", "y y")], [Length()], settings=FEW)
    assert [one.system for one in scores if one.level == "system"] == ["A", "A "]


def test_the_signature_holds_what_made_the_number() -> None:
    from trialogue import __version__

    settings = Settings(seed=7, resamples=300)
    found = measure(talks()[:3], [Length()], settings=settings, data_hash="abc")[0]
    assert found.signature == f"length@words|v1|seed:7|resamples:300|data:abc|trialogue:{__version__}"


def test_the_signature_names_who_found_the_items_also_those_of_the_context() -> None:
    def utterance(origin: str | None) -> Utterance:
        mentions = None if origin is None else (Mention(title="Up", item_id="u", origin=origin),)
        return Utterance(speaker="system", text="x", ranking=("v",), mentions=mentions)

    reply = Reply("A", utterance("annotated"), context=(utterance("linker-1"),), targets=("v",))
    conversation = Conversation("A", "c", (reply,))
    metrics = [get_metric(name) for name in ("recall@per_label", "recall@per_label_novel", "item_ratio")]
    plain, novel, items = (one.signature or "" for one in measure([conversation], metrics, settings=FEW))
    assert "labels" not in plain
    assert "|labels:annotated+linker-1|" in novel
    assert "|labels:annotated|" in items


def test_systems_on_the_same_conversations_are_compared_in_pairs() -> None:
    # B says one or two words more than A everywhere, whatever the length: paired, that is certain
    texts = ["w " * length for length in range(1, 31)]
    conversations = [
        talk(system, text + more, name=str(place))
        for place, text in enumerate(texts)
        for system, more in (("A", ""), ("B", "w w" if place % 2 else "w"))
    ]
    difference = measure(conversations, [Length()], settings=FEW)[-1]
    assert difference.value == pytest.approx(-1.5)
    assert difference.p == pytest.approx(2 / 200)  # none of 199 permutations is as far out; twice that tail
    assert (difference.n, difference.clusters) == (60, 30)
