"""Labelled sentences for tests: the bundled ones, dealt to invented dialogues."""

from collections.abc import Sequence

from trialogue.records import Dialogue, Labeller, StrategyLabel, Utterance
from trialogue.strategies.base import CLASSES, Example
from trialogue.strategies.taxonomy import bundled_examples


def examples(each: int, *, classes: Sequence[str] = CLASSES, dialogues: int = 20) -> list[Example]:
    """``each`` sentences of every class, dealt to dialogues in turn."""
    found: list[Example] = []
    for label in classes:
        own = [example for example in bundled_examples() if example.label == label][:each]
        found += own
    return [
        example.model_copy(update={"dialogue_id": f"d{place % dialogues}", "source": "made"})
        for place, example in enumerate(found)
    ]


def said(text: str, *labels: StrategyLabel) -> Utterance:
    return Utterance(speaker="system", text=text, strategies=labels or None)


def heard(text: str) -> Utterance:
    return Utterance(speaker="user", text=text)


def expert(strategy: str, *, text: str | None = None, origin: str = "expert") -> StrategyLabel:
    return StrategyLabel(strategy=strategy, origin=origin, text=text, by=Labeller.PERSON)


def talk(*utterances: Utterance, id: str = "d", system: str | None = None) -> Dialogue:  # noqa: A002
    return Dialogue(id=id, utterances=utterances, source="made", system=system)
