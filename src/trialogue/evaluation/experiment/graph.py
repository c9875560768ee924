"""Stages whose outputs are folders named after everything that they depend on.

The key of a stage is a hash of what it is told, of the content of the files it reads, of the stages it needs and of
Trialogue's version. Its folder holds ``done.json`` once it is finished, and not before; a folder without it is work in
progress.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trialogue.errors import UsageError
from trialogue.records import JsonValue
from trialogue.records.files import make_folder, write_text
from trialogue.records.manifest import versions_of

DONE = "done.json"
KEY = 12  # hex digits of a key in a folder's name
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Doing:
    """What a stage gets to do its work."""

    folder: Path
    """Where its output goes; what an interrupted attempt left may be there."""
    needed: Mapping[str, Path]
    """The folders of the stages it needs, by name."""
    tell: Tell
    """Says how far it is."""


@dataclass(frozen=True)
class Stage:
    """One step of an experiment."""

    name: str
    """Its name, and the beginning of its folder's."""
    work: Callable[[Doing], None]
    """Does it."""
    config: Mapping[str, JsonValue] = field(default_factory=dict)
    """What it is told: everything that changes its output."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """sha256 of the files that it reads, by name."""
    needs: tuple[str, ...] = ()
    """Stages before it."""
    grows: Mapping[str, JsonValue] = field(default_factory=dict)
    """What it is told that only makes its output longer: a change goes on in the same folder."""
    size: str = ""
    """How much work it is, in words."""


@dataclass(frozen=True)
class Plan:
    """Stages in order, with where each one's output is."""

    out: Path
    stages: tuple[Stage, ...]

    def __post_init__(self) -> None:
        """Every stage comes after those it needs."""
        known: set[str] = set()
        for stage in self.stages:
            assert known >= set(stage.needs), f"{stage.name} needs {set(stage.needs) - known}"
            known.add(stage.name)

    def keys(self) -> dict[str, str]:
        """The key of each stage."""
        keys: dict[str, str] = {}
        for stage in self.stages:
            before = {name: keys[name] for name in stage.needs}
            keys[stage.name] = _hash([_lasting(stage, before), dict(stage.grows)])
        return keys

    def folders(self) -> dict[str, Path]:
        """The folder of each stage."""
        keys = self.keys()
        return {stage.name: self.out / "stages" / f"{stage.name}-{self._place(stage, keys)}" for stage in self.stages}

    def _place(self, stage: Stage, keys: Mapping[str, str]) -> str:
        return _hash([_lasting(stage, {name: keys[name] for name in stage.needs})])[:KEY]

    def is_done(self, stage: Stage) -> bool:
        """Whether its output is there already."""
        marker = self.folders()[stage.name] / DONE
        try:
            return bool(json.loads(marker.read_text(encoding="utf-8"))["key"] == self.keys()[stage.name])
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def run(self, tell: Tell) -> list[str]:
        """Do every stage that is not done; the names of those that were."""
        folders, keys = self.folders(), self.keys()
        ran: list[str] = []
        for place, stage in enumerate(self.stages, start=1):
            heading = f"stage {place} of {len(self.stages)}, {stage.name}"
            if self.is_done(stage):
                tell(f"{heading}: there already")
                continue
            tell(f"{heading}{': ' + stage.size if stage.size else ''}")
            folder = _begin(folders[stage.name], resumable=bool(stage.grows))
            start = time.perf_counter()
            stage.work(Doing(folder, {name: folders[name] for name in stage.needs}, tell))
            write_text(folder / DONE, json.dumps({"stage": stage.name, "key": keys[stage.name]}) + "\n")
            tell(f"{heading}: done in {time.perf_counter() - start:.1f} s")
            ran.append(stage.name)
        return ran


def _begin(folder: Path, *, resumable: bool) -> Path:
    """The folder, without a mark that it is done, and empty where the stage cannot go on from what is there."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is in the way: it is a file. Move it away, or choose another folder with out.")
    if folder.exists() and not resumable:
        shutil.rmtree(folder)
    make_folder(folder)
    (folder / DONE).unlink(missing_ok=True)
    return folder


def _lasting(stage: Stage, before: Mapping[str, str]) -> JsonValue:
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
