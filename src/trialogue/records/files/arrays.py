"""Arrays of numbers in one file, of which parts are read without the rest."""

import json
from collections.abc import Mapping
from io import SEEK_END
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, overload

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
TAIL = 8  # bytes at the end: how many the directory before them has


def write_arrays(stream: IO[bytes], arrays: Mapping[str, Numbers]) -> None:
    """Write arrays one after the other, and a directory of names, types, shapes and places."""
    places: dict[str, tuple[str, tuple[int, ...], int]] = {}
    start = 0
    for name, array in arrays.items():
        places[name] = array.dtype.str, array.shape, start
        stream.write(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
        start += array.nbytes
    directory = json.dumps(places).encode()
    stream.write(directory + len(directory).to_bytes(TAIL, "little"))


class StoredArray:
    """An array in a file; an item or a slice is read when it is asked for."""

    def __init__(self, stream: IO[bytes], dtype: str, shape: tuple[int, ...], start: int) -> None:
        """Keep where the array is."""
        self._stream, self._dtype, self._shape, self._start = stream, np.dtype(dtype), shape, start
        self._width = int(np.prod(shape[1:], dtype=np.int64))

    def __len__(self) -> int:
        return self._shape[0]

    @overload
    def __getitem__(self, place: int) -> Any: ...

    @overload
    def __getitem__(self, place: slice) -> Numbers: ...

    def __getitem__(self, place: int | slice) -> Any:
        """An item, as a number of Python, or the items of a slice without steps."""
        if not isinstance(place, slice):
            return self[place : place + 1][0].item()
        first, last, _ = place.indices(len(self))
        size = max(0, last - first)
        self._stream.seek(self._start + first * self._width * self._dtype.itemsize)
        return np.fromfile(self._stream, self._dtype, size * self._width).reshape(size, *self._shape[1:])


class StoredArrays:
    """A file of arrays; a context manager."""

    def __init__(self, path: Path) -> None:
        """Open the file."""
        self._stream = path.open("rb")
        self._stream.seek(-TAIL, SEEK_END)
        end = self._stream.tell()
        size = int.from_bytes(self._stream.read(TAIL), "little")
        self._stream.seek(end - size)
        self._places = json.loads(self._stream.read(size))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __getitem__(self, name: str) -> StoredArray:
        dtype, shape, start = self._places[name]
        return StoredArray(self._stream, dtype, tuple(shape), start)
