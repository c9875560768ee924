"""Manifests: versions, configuration, seed and sha256 of the inputs of a file.

No clock and no host name: the same inputs and seed give the same bytes.
"""

import hashlib
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from trialogue.records.base import JsonValue, Record

OURS = __name__.partition(".")[0]
CHUNK = 1 << 20  # bytes hashed at a time, so that a large file is never in memory whole


class Manifest(Record):
    """Provenance of an output."""

    kind: ClassVar[str] = "manifest"

    command: str
    """Command, such as ``"evaluate"``."""
    config: dict[str, JsonValue] = Field(default_factory=dict)
    """Every option that changes a number."""
    seed: int | None = None
    """Random seed; None: nothing was random."""
    inputs: dict[str, str] = Field(default_factory=dict)
    """sha256 by input name."""
    outputs: dict[str, str] = Field(default_factory=dict)
    """sha256 by output name."""
    versions: dict[str, str] = Field(default_factory=dict)
    """Version by package, ``trialogue`` first."""

    @property
    def data_hash(self) -> str:
        """One short hash over all inputs, in order of their names."""
        joined = "\n".join(f"{name} {digest}" for name, digest in sorted(self.inputs.items()))
        return hashlib.sha256(joined.encode()).hexdigest()[:12]


def sha256_of(path: Path) -> str:
    """Hex sha256 of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def versions_of(*packages: str) -> dict[str, str]:
    """Versions of installed packages; Trialogue's is that of its code.

    What happens to be loaded does not matter for what is installed, or the same work could give other bytes. A copy that
    nobody installed (a folder on the path) has a version only where it is loaded: nothing else tells it. An installed
    Trialogue may be of another version than the code that runs (of a checkout that went on since), and it is this code that
    makes the numbers.
    """
    found = {package: _version_of(package) for package in packages}
    return {package: number for package, number in found.items() if number is not None}


def _version_of(package: str) -> str | None:
    """None: it is not here, or not yet."""
    if package == OURS:
        return str(sys.modules[OURS].__version__)
    try:
        return _installed_version(package)
    except PackageNotFoundError:  # a copy that nobody installed says for itself
        said = getattr(sys.modules.get(package), "__version__", None)
        return said if isinstance(said, str) else None


@cache
def _installed_version(package: str) -> str:
    """Remembered, since to look on the disk takes milliseconds; that there is none is not, as errors are not."""
    return version(package)
