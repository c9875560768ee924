"""Identify languages by their script where that tells them, and by py3langid.

The model of py3langid is kept unpacked in the user's cache folder.

The package unpacks 68 MB by LZMA in every process, which takes a second. Unpacked once, its arrays are mapped into memory,
and only what is looked at is read. If the folder is not writable, or an array is damaged, the package's own file is read.
"""

import contextlib
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
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


SCRIPTS: dict[str, tuple[str, ...]] = {
    "\u0370-\u03ff\u1f00-\u1fff": ("el",),
    "\u0400-\u052f": ("ru", "uk", "bg", "sr", "mk", "be", "kk", "ky", "mn"),
    "\u0530-\u058f": ("hy",),
    "\u0590-\u05ff": ("he",),
    "\u0600-\u06ff\u0750-\u077f": ("ar", "fa", "ur", "ps", "ug", "ku"),
    "\u0900-\u0963\u0970-\u097f": ("hi", "mr", "ne", "gom"),
    "\u0980-\u09ff": ("bn", "as"),
    "\u0a00-\u0a7f": ("pa",),
    "\u0a80-\u0aff": ("gu",),
    "\u0b00-\u0b7f": ("or",),
    "\u0b80-\u0bff": ("ta",),
    "\u0c00-\u0c7f": ("te",),
    "\u0c80-\u0cff": ("kn",),
    "\u0d00-\u0d7f": ("ml",),
    "\u0d80-\u0dff": ("si",),
    "\u10a0-\u10ff": ("ka",),
    "\u1200-\u137f": ("am",),
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af": ("ko",),
}
"""Languages of the alphabets that few languages share, the one of most writers first, by ranges of characters."""
_SCRIPTS = [(re.compile(f"[{characters}]"), languages) for characters, languages in SCRIPTS.items()]
_LETTER = re.compile(r"[^\W\d_]")
_BEYOND_LATIN = re.compile("[\u0370-\uffff]")


def languages_of_script(text: str) -> Sequence[str]:
    """Languages that the alphabet of most of a text's letters is of; empty if it is of many, such as the Latin one.

    >>> languages_of_script("Δεν ξέρω"), languages_of_script("No sé"), languages_of_script("हाँ, Heat")[0]
    (('el',), (), 'hi')
    """
    if _BEYOND_LATIN.search(text) is None:
        return ()
    letters = len(_LETTER.findall(text))
    for pattern, languages in _SCRIPTS:
        if 2 * len(pattern.findall(text)) >= max(letters, 1):
            return languages
    return ()


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
