"""Which cluster alone has each of many distinct things: two sorted columns, 12 bytes a thing, however long the stream."""

from array import array
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

SHARED = -1  # owner of a thing that several clusters have
BUFFER = 1 << 20  # things held unsorted before they are merged into the columns; 12 MB


class Owners:
    """Distinct things, named by 64-bit hashes, and the one cluster that has each."""

    def __init__(self) -> None:
        self._keys: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._owners: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._new_keys, self._new_owners = array("q"), array("i")

    def add(self, hashes: Collection[int], cluster: int) -> None:
        """A cluster has these."""
        self._new_keys.extend(hashes)
        self._new_owners.extend(array("i", (cluster,)) * len(hashes))
        if len(self._new_keys) >= BUFFER:
            self._merge()

    def alone(self, clusters: int) -> tuple[int, NDArray[np.float64]]:
        """(distinct things in all, for each cluster how many it alone has)."""
        self._merge()
        single = self._owners[self._owners != SHARED]
        return len(self._keys), np.bincount(single, minlength=clusters).astype(float)

    def _merge(self) -> None:
        if not len(self._new_keys):
            return
        keys = np.concatenate([self._keys, np.frombuffer(self._new_keys, dtype=np.int64)])
        owners = np.concatenate([self._owners, np.frombuffer(self._new_owners, dtype=np.int32)])
        order = np.argsort(keys, kind="stable")
        keys, owners = keys[order], owners[order]
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        lowest, highest = np.minimum.reduceat(owners, starts), np.maximum.reduceat(owners, starts)
        self._keys, self._owners = keys[starts], np.where(lowest == highest, lowest, SHARED).astype(np.int32)
        self._new_keys, self._new_owners = array("q"), array("i")
