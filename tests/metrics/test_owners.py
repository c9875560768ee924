"""Owners of distinct things, against sets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.metrics import owners
from trialogue.metrics.owners import Owners

HASH = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)


@given(parts=st.lists(st.tuples(st.sets(HASH, max_size=6), st.integers(0, 3)), max_size=12), buffer=st.integers(1, 20))
def test_what_a_cluster_alone_has_is_counted_as_sets_would(parts: list[tuple[set[int], int]], buffer: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(owners, "BUFFER", buffer)
        found = Owners()
        having: dict[int, set[int]] = {cluster: set() for cluster in range(4)}
        for hashes, cluster in parts:
            found.add(hashes, cluster)
            having[cluster] |= hashes
        distinct, alone = found.alone(4)
    assert distinct == len(set().union(*having.values()))
    for cluster, own in having.items():
        others = set().union(*(rest for other, rest in having.items() if other != cluster))
        assert alone[cluster] == len(own - others)


def test_nothing_is_owned_at_first() -> None:
    distinct, alone = Owners().alone(2)
    assert distinct == 0
    assert alone.tolist() == [0.0, 0.0]
