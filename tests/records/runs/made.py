"""Folders that a test made by hand, sealed as a run is."""

from pathlib import Path

from trialogue.records import Manifest, sha256_of
from trialogue.records.files.jsonl import to_line
from trialogue.records.runs import MANIFEST
from trialogue.records.runs.placing import read_manifest


def reseal(folder: Path) -> Path:
    """Seal whatever the folder holds now: a run of this content, as a writer would have made it."""
    path = folder / MANIFEST
    old = read_manifest(folder)
    files = sorted(each for each in folder.rglob("*") if each.is_file() and each != path and each.name[0] != ".")
    names = {each.relative_to(folder).as_posix(): each for each in files}
    manifest = (old or Manifest(command="evaluate")).provenance.model_copy(
        update={
            "outputs": {name: sha256_of(each) for name, each in names.items()},
            "sizes": {name: each.stat().st_size for name, each in names.items()},
        }
    )
    path.write_text(to_line(manifest.with_seal()) + "\n", encoding="utf-8")
    return folder
