"""Seconds of waiting: by hand."""

import pytest

from trialogue.metrics import Settings, conversations_of, get_metric, measure
from trialogue.records import Dialogue, Utterance

WAITS = (1, 2.5, 9, True, -1, "long")  # the last three are no seconds


def dialogue(name: str, *waits: object) -> Dialogue:
    said = [Utterance.model_validate({"speaker": "system", "text": "x", "meta": {"latency_s": wait}}) for wait in waits]
    return Dialogue(id=name, utterances=(Utterance(speaker="user", text="hi"), *said), system="A")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("latency@mean", (1 + 2.5 + 9 + 3.5) / 4),
        ("latency@longest", (9 + 3.5) / 2),
        ("latency@over", 1 / 4),
        ("latency(seconds=2)@over", 3 / 4),
        ("latency(seconds=2.5)@over", 2 / 4),
    ],
)
def test_waits_of_two_dialogues(name: str, value: float) -> None:
    talks = [dialogue("one", *WAITS), dialogue("two", 3.5)]
    scores = measure(conversations_of(talks), [get_metric(name)], settings=Settings(resamples=10))
    assert [score.value for score in scores if score.level == "system"] == [pytest.approx(value)]
