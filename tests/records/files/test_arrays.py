"""Arrays in one file: what is read, as a whole or in part, is what was written."""

from io import BytesIO
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trialogue.records.files.arrays import StoredArrays, write_arrays


@given(
    sizes=st.lists(st.tuples(st.sampled_from(["<i4", "<u8", "<f8", "|u1"]), st.integers(0, 9), st.integers(0, 3))),
    start=st.integers(-3, 10),
    stop=st.none() | st.integers(-3, 10),
)
def test_slices_and_items_are_those_of_the_arrays(
    tmp_path_factory: object, sizes: list[tuple[str, int, int]], start: int, stop: int | None
) -> None:
    arrays = {
        f"{place} \ud800 é": np.arange(size * max(width, 1)).astype(dtype).reshape((size, width) if width else size)
        for place, (dtype, size, width) in enumerate(sizes)
    }
    stream = BytesIO()
    write_arrays(stream, arrays)
    path = Path(tmp_path_factory.mktemp("arrays")) / "file"  # type: ignore[attr-defined]
    path.write_bytes(stream.getvalue())
    with StoredArrays(path) as stored:
        assert "absent" not in stored
        for name, array in arrays.items():
            assert name in stored
            assert len(stored[name]) == len(array)
            found, expected = stored[name][start:stop], array[start:stop]
            assert found.dtype == array.dtype
            assert found.tolist() == expected.tolist()
            assert found.shape == expected.shape
            assert array.ndim > 1 or [stored[name][place] for place in range(len(array))] == array.tolist()


def test_arrays_that_do_not_lie_in_one_piece_are_written_in_order(tmp_path: Path) -> None:
    table = np.arange(6.0).reshape(2, 3)
    with (tmp_path / "file").open("wb") as stream:
        write_arrays(stream, {"turned": table.T, "none": np.zeros((0, 0))})
    with StoredArrays(tmp_path / "file") as stored:
        assert stored["turned"][:].tolist() == table.T.tolist()
        assert stored["none"][:].shape == (0, 0)
