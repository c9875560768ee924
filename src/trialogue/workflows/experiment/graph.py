"""Stage graph: each stage writes to a folder named after a hash of its dependencies.

The key of a stage is a hash of its parameters, of the content of the files it reads, of the stages it depends on and of
Trialogue's version. Its folder holds ``done.json`` only after it has finished; a folder without it is incomplete. A stage
that is rerun under the same key (on request, or because its files are damaged) also reruns the stages that depend on it. One
process at a time works in a folder.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from trialogue.errors import UsageError
from trialogue.records import JsonValue
from trialogue.records.files.locks import claim
from trialogue.records.files.manifest import sha256_of, versions_of
from trialogue.records.files.opening import make_folder, write_text

DONE = "done.json"
LOCK = ".lock"  # held by the process that works in the folder of all stages
DATA = (".json", ".jsonl")  # what later stages read; pages may be drawn again, and looked at files appear
KEY = 12  # hex digits of a key in a folder's name
Tell = Callable[[str], None]
Took = Callable[[str, float], None]


@dataclass(frozen=True)
class StageContext:
    """Context passed to a running stage."""

    folder: Path
    """Output folder; may contain files of an interrupted attempt."""
    needed: Mapping[str, Path]
    """The folders of the stages it needs, by name."""
    tell: Tell
    """Says how far it is."""


@dataclass(frozen=True)
class Stage:
    """One step of an experiment."""

    name: str
    """Its name, and the beginning of its folder's."""
    work: Callable[[StageContext], None]
    config: Mapping[str, JsonValue] = field(default_factory=dict)
    """Its options: everything that changes its output."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """sha256 of the files that it reads, by name."""
    needs: tuple[str, ...] = ()
    """Names of the stages whose output it reads."""
    grows: Mapping[str, JsonValue] = field(default_factory=dict)
    """Options that only extend the output: after a change, the stage continues in the same folder."""
    size: str = ""
    """Amount of work, as text."""
    reads: int = 0
    """Bytes of the data that it reads itself, beside what the stages it needs give it."""


@dataclass(frozen=True)
class Plan:
    """Stages in order, with their output folders."""

    out: Path
    stages: tuple[Stage, ...]

    def __post_init__(self) -> None:
        """Check that every stage comes after its dependencies."""
        known: set[str] = set()
        for stage in self.stages:
            assert known >= set(stage.needs), f"{stage.name} needs {set(stage.needs) - known}"
            known.add(stage.name)

    def keys(self) -> dict[str, str]:
        """The key of each stage."""
        keys: dict[str, str] = {}
        for stage in self.stages:
            before = {name: keys[name] for name in stage.needs}
            keys[stage.name] = _hash([_cache_key(stage, before), dict(stage.grows)])
        return keys

    def folders(self) -> dict[str, Path]:
        """The folder of each stage."""
        keys = self.keys()
        return {stage.name: self.out / "stages" / f"{stage.name}-{self._place(stage, keys)}" for stage in self.stages}

    def _place(self, stage: Stage, keys: Mapping[str, str]) -> str:
        return _hash([_cache_key(stage, {name: keys[name] for name in stage.needs})])[:KEY]

    def is_done(self, stage: Stage) -> bool:
        """Whether the output exists and is complete, and its files are what was written."""
        folder = self.folders()[stage.name]
        try:
            mark = json.loads((folder / DONE).read_text(encoding="utf-8"))
            files = {name: sha256_of(folder / name) for name in mark["files"]}
            return bool(mark["key"] == self.keys()[stage.name] and mark["files"] == files)
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def dependents(self, names: Iterable[str]) -> list[str]:
        """Stages and everything that depends on them, in order."""
        found = set(names)
        for stage in self.stages:
            if found & set(stage.needs):
                found.add(stage.name)
        return [stage.name for stage in self.stages if stage.name in found]

    def forget(self, names: Iterable[str]) -> None:
        """Delete the outputs of stages, and mark their dependents as unfinished.

        Raises:
            UsageError: a folder may not be changed, or another process works here.
        """
        folders, names = self.folders(), list(names)
        if not names:
            return
        with _lock_folder(self.out / "stages"), _report_unwritable(self.out / "stages"):
            self._unmark(names)
            for name in names:
                if folders[name].is_dir():
                    shutil.rmtree(folders[name])

    def _unmark(self, names: Iterable[str]) -> None:
        """Remove the done marks of all stages that depend on these, before anything else happens."""
        folders = self.folders()
        for name in self.dependents(names):
            if folders[name].is_dir():
                (folders[name] / DONE).unlink(missing_ok=True)

    def run(self, tell: Tell, *, took: Took | None = None) -> list[str]:
        """Run every unfinished stage; returns their names.

        Args:
            tell: called for each stage.
            took: called with the name and seconds of each stage that was run now.

        Raises:
            UsageError: a folder may not be changed, or another process works here.
        """
        took = took or (lambda _stage, _seconds: None)
        with _lock_folder(self.out / "stages"):
            places = list(enumerate(self.stages, start=1))
            return [stage.name for place, stage in places if self._done_now(place, stage, tell, took)]

    def _done_now(self, place: int, stage: Stage, tell: Tell, took: Took) -> bool:
        """Do a stage unless it is done; whether it had to be."""
        folders = self.folders()
        heading = f"stage {place} of {len(self.stages)}, {stage.name}"
        if self.is_done(stage):
            tell(f"{heading}: already done")
            return False
        tell(f"{heading}{': ' + stage.size if stage.size else ''}")
        with _report_unwritable(folders[stage.name]):
            # The mark goes first: killed from here on, the stage is simply not done, and neither is what was made of it.
            self._unmark([stage.name])
            folder = _begin(folders[stage.name], resumable=bool(stage.grows))
        start = time.perf_counter()
        stage.work(StageContext(folder, {name: folders[name] for name in stage.needs}, tell))
        mark = {"stage": stage.name, "key": self.keys()[stage.name], "files": _hashes(folder)}
        # Last, and by renaming: a stage with a mark is whole, whenever the process was killed.
        write_text(folder / DONE, json.dumps(mark) + "\n")
        seconds = time.perf_counter() - start
        took(stage.name, seconds)
        tell(f"{heading}: done in {seconds:.1f} s")
        return True


def _hashes(folder: Path) -> dict[str, str]:
    """sha256 of each file that a later stage may read."""
    return {path.name: sha256_of(path) for path in sorted(folder.iterdir()) if path.suffix in DATA}


@contextmanager
def _report_unwritable(folder: Path) -> Iterator[None]:
    """A folder that may not be changed is the user's to put right."""
    try:
        yield
    except OSError as error:
        what = f"{error.filename or folder} cannot be changed: {error.strerror}."
        raise UsageError(f"{what} Check its permissions, or choose another folder with out.") from error


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder."""
    make_folder(folder)
    with _report_unwritable(folder):
        held = claim(folder / LOCK)
    if held is None:
        hint = "Wait for it, stop it, or choose another folder with out."
        raise UsageError(f"{folder} is in use: another process is running an experiment there. {hint}")
    try:
        yield
    finally:
        held.release()


def _begin(folder: Path, *, resumable: bool) -> Path:
    """Prepare the folder: without a done mark, and empty unless the stage can continue from its content."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(
            f"{folder} is a file, but a folder is needed there. Move it, or choose another folder with out."
        )
    if folder.exists() and not resumable:
        shutil.rmtree(folder)
    make_folder(folder)
    return folder


def _cache_key(stage: Stage, before: Mapping[str, str]) -> JsonValue:
    return {
        "stage": stage.name,
        "config": dict(stage.config),
        "inputs": dict(stage.inputs),
        "needs": dict(before),
        "trialogue": versions_of("trialogue").get("trialogue", ""),
    }


def _hash(content: Sequence[JsonValue]) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
