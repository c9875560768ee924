"""Sparse incidence of types in clusters: two columns, 12 bytes per pair of type and cluster."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from trialogue.metrics.pieces import hash_order
from trialogue.stats.resampling.rarefaction import Occurrences, occurrences_of

BUFFER = 1 << 20  # pairs held before those that came twice are dropped; 12 MB

Clusters = NDArray[np.int32]


class Incidence:
    """Sparse incidence of types, named by 64-bit hashes, in clusters."""

    def __init__(self) -> None:
        self._hashes: list[NDArray[np.uint64]] = []
        self._clusters: list[Clusters] = []
        self._size = self._size_at_join = 0
        self._may_repeat = False

    def add(self, hashes: Collection[int], cluster: int) -> None:
        """Add the types of a cluster."""
        own = np.array([value % (1 << 64) for value in hashes], dtype=np.uint64)
        self.add_pairs(own, np.full(len(own), cluster, dtype=np.int32), are_new=False)

    def add_pairs(self, hashes: NDArray[np.uint64], clusters: Clusters, *, are_new: bool) -> None:
        """Add pairs of cluster and type.

        Args:
            hashes: shape (pairs,), of the types.
            clusters: shape (pairs,), which cluster has each.
            are_new: whether no pair occurs twice, here or before.
        """
        self._hashes.append(hashes)
        self._clusters.append(clusters)
        self._size += len(hashes)
        self._may_repeat = self._may_repeat or not are_new
        if self._may_repeat and self._size - self._size_at_join >= max(BUFFER, self._size_at_join):
            self._join()

    def merge(self, other: "Incidence", clusters: Clusters, *, are_new: bool) -> None:
        """Add the pairs of another incidence.

        Args:
            other: the other one.
            clusters: shape (clusters of the other,), what number each has here.
            are_new: whether none of them has anything here yet.
        """
        hashes, own = other._join()
        self.add_pairs(hashes, clusters[own], are_new=are_new)

    def occurrences(self, clusters: int) -> Occurrences:
        """Number of clusters in which types occur, without the hashes."""
        hashes, own = self._join()
        order = hash_order(hashes)
        return occurrences_of(hashes[order].view(np.int64), own[order], count=clusters)

    def _join(self) -> tuple[NDArray[np.uint64], Clusters]:
        """All pairs, each once: the same type may come again from a cluster's next conversation."""
        hashes = np.concatenate([np.zeros(0, dtype=np.uint64), *self._hashes])
        clusters = np.concatenate([np.zeros(0, dtype=np.int32), *self._clusters])
        if self._may_repeat:
            order = np.lexsort((clusters, hashes))
            hashes, clusters = hashes[order], clusters[order]
            differ = (hashes[1:] != hashes[:-1]) | (clusters[1:] != clusters[:-1])
            new = np.flatnonzero(np.concatenate([[len(hashes) > 0], differ]))
            hashes, clusters = hashes[new], clusters[new]
        self._hashes, self._clusters = [hashes], [clusters]
        self._size = self._size_at_join = len(hashes)
        self._may_repeat = False
        return hashes, clusters
