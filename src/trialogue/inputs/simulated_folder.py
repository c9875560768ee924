"""What a simulation keeps beside its dialogues: those of its baselines, its users' catalogue, its folders, and its seeds."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from trialogue.records import Dialogue, JsonValue, Role, read_records
from trialogue.records.files.dialogue_store import StoredDialogues, as_stored
from trialogue.simulation.batch.folder import DIALOGUES, LEDGER, MANIFEST, config_of, seed_of
from trialogue.simulation.relative_paths import resolve_path
from trialogue.simulation.source import users_of_source

FOLDER = "baselines"
"""The folder in that of a simulation."""
ORIGIN = "origin.json"
"""The file in that of a simulation with its folders."""
RELATIVE_TO, RUN_IN = "relative_to", "run_in"


def baselines_in(folder: Path, *, users: str | None = None) -> Iterator[Dialogue]:
    """Dialogues of baselines beside a simulation, if any.

    Args:
        folder: folder of the simulation.
        users: only those with users of this name.
    """
    file = folder / FOLDER / DIALOGUES
    if file.is_file():
        held = read_records(file, Dialogue)
        yield from (each for each in held if users is None or users_of_source(each) == users)


def with_baselines(dialogues: Sequence[Dialogue], baselines: Iterable[Dialogue]) -> StoredDialogues:
    """Dialogues followed by those of baselines, without duplicates.

    A baseline that has the name of a system is renamed, and one that is with other users under the same id gets another id.

    >>> one = Dialogue(id="1", system="echo", utterances=())
    >>> [each.system for each in with_baselines([one], [one.model_copy(update={"role": Role.BASELINE})] * 2)]
    ['echo', 'echo (baseline)']
    """
    joined = as_stored(dialogues)
    systems = {system for system, role in joined.roles if role is Role.SYSTEM}
    found: dict[tuple[str | None, str], Dialogue] = {}
    for each in baselines:
        name = each.system
        while name in systems:
            name = f"{name} (baseline)"
        key = (name, each.id)
        while key in found and found[key].utterances != each.utterances:
            key = (name, f"{key[1]}'")
        found[key] = each.model_copy(update={"system": name, "id": key[1]})
    for each in found.values():
        joined.append(each)
    return joined


def catalogue_behind(paths: Iterable[Path]) -> str | None:
    """The catalogue of the simulations that files of dialogues are from; None: there is none, or there are several."""
    simulated = [path for path in paths if _is_simulated(path if path.is_dir() else path.parent)]
    if not simulated:
        return None
    found = {_catalogue(path if path.is_dir() else path.parent) for path in simulated}
    return str(found.pop()) if len(found) == 1 and None not in found else None


def _catalogue(folder: Path) -> JsonValue:
    given = config_of(folder).get("catalogue")
    return None if given is None else resolve_path(places_of(folder).get(RELATIVE_TO, Path()), given)


def places_of(folder: Path) -> dict[str, Path]:
    """Folders that a simulation recorded: what its paths are relative to, and where it was run; {} if it did not."""
    try:
        found = json.loads((folder / ORIGIN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    places = found.items() if isinstance(found, dict) else ()
    return {name: Path(os.path.relpath(folder / place)) for name, place in places if isinstance(place, str)}


def seeds_behind(paths: Iterable[Path]) -> tuple[int, ...]:
    """Seeds of the simulations that files of dialogues are from, in rising order."""
    folders = {path if path.is_dir() else path.parent for path in paths}
    return tuple(sorted({seed for each in folders if _is_simulated(each) and (seed := seed_of(each)) is not None}))


def _is_simulated(folder: Path) -> bool:
    """Whether a folder holds a batch; it is only opened if it has a file with the settings of one."""
    return any((folder / name).is_file() for name in (MANIFEST, LEDGER)) and bool(config_of(folder))
