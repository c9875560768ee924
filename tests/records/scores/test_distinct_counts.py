"""What a run keeps of distinct things."""

import json
from pathlib import Path
from typing import Any

import pytest

from trialogue.errors import DataError
from trialogue.metrics import Conversation, Reply, Settings, get_metric
from trialogue.metrics.base import CountMetric
from trialogue.metrics.engine.distinct_samples import CountedSample
from trialogue.metrics.engine.engine import Measurement
from trialogue.records import DistinctCounts, Utterance, read_records
from trialogue.records.files.jsonl import to_line

GOLDEN = Path(__file__).parent.parent / "golden" / "v5_counts.jsonl"


def conversation(system: str, dialogue: str, text: str) -> Conversation:
    reply = Reply(system, Utterance(speaker="system", text=text), dialogue_id=dialogue)
    return Conversation(system, dialogue, (reply,), dialogue_id=dialogue)


def test_the_golden_line_is_what_two_dialogues_leave() -> None:
    """Of "a b a" and "b c", a and c occur in one dialogue, b in both."""
    found = Measurement([get_metric("distinct(n=1)@ratio")])
    found.add([conversation("aria", "d1", "a b a"), conversation("aria", "d2", "b c")])
    assert [to_line(each) for each in found.counts()] == GOLDEN.read_text().splitlines()
    assert list(read_records(GOLDEN, DistinctCounts)) == found.counts()


def test_counts_read_back_give_the_same_difference_as_the_texts() -> None:
    metric = get_metric("distinct(n=2)@ratio")
    assert isinstance(metric, CountMetric)
    words = [[f"w{(n * place) % 17}" for place in range(9)] for n in range(1, 30)]
    texts = {"a": words[:9], "b": words[5:]}
    found = Measurement([metric], settings=Settings(resamples=50))
    found.add([conversation(name, f"{n}", " ".join(own)) for name, all_ in texts.items() for n, own in enumerate(all_)])
    (expected,) = (each for each in found.scores() if each.level == "difference")
    one, other = (CountedSample.of(DistinctCounts(**each.to_json()), metric) for each in found.counts())
    got = one.minus(other, confidence=0.95)
    assert (got.value, got.interval, got.p) == (expected.value, expected.interval, expected.p)
    assert got.interval is not None
    assert "rarefied_to" in got.interval.facts


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"total": [3]}, "total has 1 numbers for 2 clusters"),
        ({"clusters": ["d1", "d1"]}, "a cluster occurs twice"),
        ({"occurrences": [2, 1]}, "occurrences must ascend"),
        ({"groups": [2, 1]}, "groups count 3 pairs, places 4 and held 4"),
        ({"places": [0, 1, 0, 2]}, "1 things at place 2 of 2"),
        ({"held": [1, 1, 2, 1]}, "do not add up"),
        ({"things": [3, 1]}, "do not add up"),
    ],
)
def test_damaged_counts_are_refused_with_file_and_line(change: dict[str, Any], what: str, tmp_path: Path) -> None:
    line = json.loads(GOLDEN.read_text()) | change
    (tmp_path / "counts.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(DataError, match=what) as caught:
        list(read_records(tmp_path / "counts.jsonl", DistinctCounts))
    assert "counts.jsonl" in str(caught.value)
