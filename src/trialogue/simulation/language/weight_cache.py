"""Cache of fitted linear-model weights, in the user's cache folder.

Fitting takes a fifth of a second, and importing the fitting code ten times as long. Every simulating process needs the
same weights, so the first one fits and stores them. A file is named after a hash of everything that the weights depend on; a
damaged one is fitted again, and if the folder is not writable nothing is stored.
"""

import contextlib
import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import astuple
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from trialogue.cache import cache_folder
from trialogue.errors import UsageError
from trialogue.records.files.manifest import versions_of
from trialogue.records.files.opening import open_replacing
from trialogue.simulation.language.nlu import Example
from trialogue.simulation.language.nlu_linear import Weights, fitted_weights

VERSION = 1  # of how weights are fitted and kept; part of the name of a file
FILES = 32  # files that are kept, of 1 MB each; bundled users need 8
ARRAYS = ("idf", "of_letters", "of_before", "of_place", "intercepts")


def cached_weights(examples: Sequence[Example], *, context: bool = True) -> Weights:
    """Weights identical to those of ``fitted_weights``: from this process, from the cache, or fitted now.

    Raises:
        DataError: there are no examples.
    """
    return _load_or_fit(tuple(examples), context, cache_folder() / "understanding")


@lru_cache(8)
def _load_or_fit(examples: tuple[Example, ...], context: bool, folder: Path) -> Weights:
    path = folder / f"{_name(examples, context)}.npz"
    with contextlib.suppress(OSError, ValueError, LookupError, EOFError, zipfile.BadZipFile):
        return _read(path)
    weights = fitted_weights(examples, context=context)
    with contextlib.suppress(OSError, UsageError):  # a cache that cannot be written costs seconds, not the result
        _write(weights, path)
    return weights


def _name(examples: tuple[Example, ...], context: bool) -> str:
    """A name for everything that the weights depend on."""
    versions = versions_of("numpy", "scipy", "scikit-learn")
    parts = [VERSION, versions, context, [astuple(example) for example in examples]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def _read(path: Path) -> Weights:
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as held:  # np.load leaves a damaged file open
        words: dict[str, Any] = json.loads(held["words"].tobytes())
        arrays = {name: held[name] for name in ARRAYS}
    return Weights(
        labels=tuple(words["labels"]),
        vocabulary={piece: at for at, piece in enumerate(words["vocabulary"])},
        befores={label: at for at, label in enumerate(words["befores"])},
        **arrays,
    )


def _write(weights: Weights, path: Path) -> None:
    words = {name: list(getattr(weights, name)) for name in ("labels", "vocabulary", "befores")}
    stream = io.BytesIO()
    arrays = {name: getattr(weights, name) for name in ARRAYS}
    np.savez(stream, words=np.frombuffer(json.dumps(words).encode(), dtype=np.uint8), **arrays)
    with open_replacing(path) as file:
        file.write(stream.getvalue())
    for old in sorted(path.parent.glob("*.npz"), key=lambda each: each.stat().st_mtime)[:-FILES]:
        old.unlink(missing_ok=True)
