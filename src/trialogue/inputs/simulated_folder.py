"""What a simulation keeps beside its dialogues: those of its baselines, its users' catalogue, and its seeds."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from trialogue.records import Dialogue, Role, read_records
from trialogue.records.files.dialogue_store import StoredDialogues, stored
from trialogue.simulation.batch.folder import DIALOGUES, LEDGER, MANIFEST, config_of, seed_of
from trialogue.simulation.source import users_of_source

FOLDER = "baselines"
"""The folder in that of a simulation."""


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
    joined = stored(dialogues)
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
    from trialogue.inputs.simulation_origin import origin_of  # here: most dialogues are of no simulation

    found = {origin_of(path).fields.get("catalogue") for path in simulated}
    return str(found.pop()) if len(found) == 1 and None not in found else None


def seeds_behind(paths: Iterable[Path]) -> tuple[int, ...]:
    """Seeds of the simulations that files of dialogues are from, in rising order."""
    folders = {path if path.is_dir() else path.parent for path in paths}
    return tuple(sorted({seed for each in folders if _is_simulated(each) and (seed := seed_of(each)) is not None}))


def _is_simulated(folder: Path) -> bool:
    """Whether a folder holds a batch; it is only opened if it has a file with the settings of one."""
    return any((folder / name).is_file() for name in (MANIFEST, LEDGER)) and bool(config_of(folder))
