"""Identify languages by py3langid, whose model is kept unpacked in the user's cache folder.

The package unpacks 68 MB by LZMA in every process, which takes a second. Unpacked once, its arrays are mapped into memory,
and only what is looked at is read. If the folder is not writable, or an array is damaged, the package's own file is read.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from trialogue.cache import cache_folder

if TYPE_CHECKING:
    import numpy as np
    from py3langid.langid import LanguageIdentifier

CACHE_VERSION = 1  # part of the folder's name; raise it when the arrays are stored in another way
MODEL_ARRAYS = ("nb_ptc", "nb_pc", "nb_classes", "tk_nextmove", "tk_output", "tk_row")
"""Attributes of py3langid's identifier that hold its model, in the order of its constructor."""


@cache
def language_identifier() -> "LanguageIdentifier":
    """The identifier, made once. It is not the package's own: that one is shared by all who import the package, who may
    restrict its languages, and gives no probabilities."""
    import numpy as np
    import py3langid
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

    packed = Path(MODEL_DIR) / MODEL_FILE
    digest = hashlib.sha256(f"{CACHE_VERSION} {py3langid.__version__} ".encode() + packed.read_bytes()).hexdigest()[:24]
    folder = cache_folder() / "languages" / digest
    with contextlib.suppress(OSError, ValueError, EOFError):
        return _make_identifier(_read(folder))
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    with contextlib.suppress(OSError):  # a cache that cannot be written costs a second, not the result
        _write(folder, {name: np.asarray(getattr(identifier, name)) for name in MODEL_ARRAYS})
    return identifier


def _make_identifier(arrays: "dict[str, np.ndarray]") -> "LanguageIdentifier":
    from py3langid.langid import LanguageIdentifier

    return LanguageIdentifier(
        arrays["nb_ptc"],
        arrays["nb_pc"],
        arrays["nb_classes"].tolist(),
        memoryview(arrays["tk_nextmove"].data),  # gives integers, where an array gives numpy's
        arrays["tk_output"].tolist(),
        norm_probs=True,
        tk_row=arrays["tk_row"].tolist(),
    )


def _read(folder: Path) -> "dict[str, np.ndarray]":
    """Arrays, mapped into memory; OSError where there are none, ValueError where they are damaged."""
    import numpy as np

    return {
        name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)) for name in MODEL_ARRAYS
    }


def _write(folder: Path, arrays: "dict[str, np.ndarray]") -> None:
    """Write all arrays, or nothing: another process may read at the same time."""
    import numpy as np

    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".part", dir=folder.parent))
    try:
        for name, values in arrays.items():
            with (temporary / f"{name}.npy").open("wb") as stream:
                np.save(stream, values, allow_pickle=False)
                stream.flush()
                os.fsync(stream.fileno())  # the folder's name must not outlive a power cut that its content does not
        shutil.rmtree(folder, ignore_errors=True)  # damaged, or there would be no need to write
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
