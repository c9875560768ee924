"""Which clusters have which things, against sets."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.metrics.engine import distinct_totals
from trialogue.metrics.engine.distinct_totals import Incidence

HASH = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)


@given(
    parts=st.lists(st.tuples(st.sets(HASH, max_size=6), st.integers(0, 3)), max_size=12),
    buffer=st.integers(1, 20),
    part=st.integers(0, 30),
)
def test_what_a_cluster_alone_has_is_counted_as_sets_would(
    parts: list[tuple[set[int], int]], buffer: int, part: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(distinct_totals, "BUFFER", buffer)
        patched.setattr(distinct_totals, "PART", part)
        found = Incidence()
        having: dict[int, set[int]] = {cluster: set() for cluster in range(4)}
        for hashes, cluster in parts:
            found.add(hashes, cluster)
            having[cluster] |= hashes
        counts = found.occurrences(4)
    alone = counts.unique_counts()
    assert counts.distinct == len(set().union(*having.values()))
    for cluster, own in having.items():
        others = set().union(*(rest for other, rest in having.items() if other != cluster))
        assert alone[cluster] == len(own - others)
        having_too = Counter(sum(thing in rest for rest in having.values()) for thing in own)
        inside = counts.cluster == cluster
        listed = dict(zip(counts.occurrences[counts.place[inside]], counts.held[inside], strict=True))
        assert listed == having_too


def test_there_is_nothing_at_first() -> None:
    counts = Incidence().occurrences(2)
    assert counts.distinct == 0
    assert counts.unique_counts().tolist() == [0.0, 0.0]


def test_what_came_twice_is_dropped_as_soon_as_it_fills_the_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct_totals, "BUFFER", 100)
    found, joined, join = Incidence(), list[int](), Incidence._join

    def watched(self: Incidence) -> object:
        joined.append(self._size)
        return join(self)

    monkeypatch.setattr(Incidence, "_join", watched)
    for _ in range(50):  # the same ten things of one cluster
        found.add(range(10), 0)
    assert joined == [100, 110, 110, 110, 110]  # ten are left each time; a hundred more fill the buffer again
