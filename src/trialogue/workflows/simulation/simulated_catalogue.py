"""The catalogue that simulated users knew, and the seeds they were drawn with, by the manifest beside their dialogues."""

from collections.abc import Iterable
from pathlib import Path

from trialogue.simulation.batch.folder import LEDGER, MANIFEST, config_of, seed_of


def catalogue_behind(paths: Iterable[Path]) -> str | None:
    """The catalogue of the simulations that files of dialogues are from; None: there is none, or there are several."""
    simulated = [path for path in paths if _is_simulated(path if path.is_dir() else path.parent)]
    if not simulated:
        return None
    from trialogue.workflows.simulation.origin import origin_of  # here: most dialogues are of no simulation

    found = {origin_of(path).fields.get("catalogue") for path in simulated}
    return str(found.pop()) if len(found) == 1 and None not in found else None


def seeds_behind(paths: Iterable[Path]) -> tuple[int, ...]:
    """Seeds of the simulations that files of dialogues are from, in rising order."""
    folders = {path if path.is_dir() else path.parent for path in paths}
    return tuple(sorted({seed for each in folders if _is_simulated(each) and (seed := seed_of(each)) is not None}))


def _is_simulated(folder: Path) -> bool:
    """Whether a folder holds a batch; it is only opened if it has a file with the settings of one."""
    return any((folder / name).is_file() for name in (MANIFEST, LEDGER)) and bool(config_of(folder))
