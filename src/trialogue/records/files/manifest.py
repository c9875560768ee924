"""Manifests: versions, configuration, seed, sha256 of the inputs, and the seals of the files that were written.

No clock, no host name and no path of this machine: the same inputs and seed give the same bytes.
"""

import hashlib
import re
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from trialogue.records.base import JsonValue, Record
from trialogue.records.files.jsonl import to_line

OURS = __name__.partition(".")[0]
SEAL = ',"seal":"'  # how the last field of a manifest's line begins
_VERSION = re.compile("^Version:(.*)", re.MULTILINE)
CHUNK = 1 << 20  # bytes hashed at a time, so that a large file is never in memory whole


class Manifest(Record):
    """Provenance of an output."""

    kind: ClassVar[str] = "manifest"

    command: str
    """Command, such as ``"evaluate"``."""
    call: dict[str, JsonValue] = Field(default_factory=dict)
    """Arguments of the command that differ from their defaults, with which it can be run again."""
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
    sizes: dict[str, int] = Field(default_factory=dict)
    """Bytes by output name."""
    added: "tuple[Manifest, ...]" = ()
    """Manifests of commands that later added files to the same run, such as ``agree``."""
    seal: str | None = None
    """sha256 of everything above; None: not sealed."""

    @property
    def data_hash(self) -> str:
        """One short hash over all inputs, in order of their names."""
        joined = "\n".join(f"{name} {digest}" for name, digest in sorted(self.inputs.items()))
        return hashlib.sha256(joined.encode()).hexdigest()[:12]

    @property
    def parts(self) -> "tuple[Manifest, ...]":
        """This one, and those of commands that added files."""
        return (self, *self.added)

    @property
    def files(self) -> dict[str, tuple[str, int]]:
        """(sha256, bytes) by name of every file of a run, with those that were added."""
        return {
            name: (digest, part.sizes.get(name, -1)) for part in self.parts for name, digest in part.outputs.items()
        }

    @property
    def provenance(self) -> "Manifest":
        """How the files were made, without the files."""
        return self.model_copy(update={"outputs": {}, "sizes": {}, "added": (), "seal": None})

    def with_seal(self) -> "Manifest":
        """The same with its seal, so that a changed character in a stored manifest is noticed."""
        line = to_line(self.model_copy(update={"seal": None}))
        return self.model_copy(update={"seal": hashlib.sha256(line.encode("utf-8", "replace")).hexdigest()})

    def fits(self, text: str) -> bool:
        """Whether a stored line is what this seal was made of, to the last character."""
        line, _, rest = text.rpartition(SEAL)
        digest = hashlib.sha256(f"{line}}}".encode("utf-8", "replace")).hexdigest()
        return digest == self.seal and rest == f'{self.seal}"}}\n'


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
    found = distribution(package)
    stated = _VERSION.search(found.read_text("METADATA") or "")  # parsing numpy's whole file takes 3 ms
    return found.version if stated is None else stated[1].strip()
