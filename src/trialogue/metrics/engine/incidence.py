"""Which clusters have which of many distinct things: two columns, 12 bytes for each thing of each cluster."""

from array import array
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from trialogue.stats.resampling.rarefaction import Occurrences, occurrences_of

BUFFER = 1 << 20  # pairs held unsorted before they are put in order; 12 MB


class Incidence:
    """Distinct things, named by 64-bit hashes, and the clusters that have each."""

    def __init__(self) -> None:
        self._keys: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._clusters: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._new_keys, self._new_clusters = array("q"), array("i")

    def add(self, hashes: Collection[int], cluster: int) -> None:
        """A cluster has these."""
        self._new_keys.extend(hashes)
        self._new_clusters.extend(array("i", (cluster,)) * len(hashes))
        if len(self._new_keys) >= max(BUFFER, len(self._keys)):
            self._merge()

    def occurrences(self, clusters: int) -> Occurrences:
        """In how many of the clusters things occur; of hashes nothing is left, so it is the same in every process."""
        self._merge()
        return occurrences_of(self._keys, self._clusters, count=clusters)

    def _merge(self) -> None:
        """Put the pairs in order, each once: the same thing may come again from a cluster's next conversation."""
        if not len(self._new_keys):
            return
        keys = np.concatenate([self._keys, np.frombuffer(self._new_keys, dtype=np.int64)])
        clusters = np.concatenate([self._clusters, np.frombuffer(self._new_clusters, dtype=np.int32)])
        self._new_keys, self._new_clusters = array("q"), array("i")
        order = np.lexsort((clusters, keys))
        keys, clusters = keys[order], clusters[order]
        new = np.concatenate([[True], (keys[1:] != keys[:-1]) | (clusters[1:] != clusters[:-1])])
        self._keys, self._clusters = keys[new], clusters[new]
