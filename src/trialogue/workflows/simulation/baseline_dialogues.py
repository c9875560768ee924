"""Dialogues of the baselines beside those of a simulation: read them, and put them beside the others."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from trialogue.records import Dialogue, Role, read_records
from trialogue.records.files.dialogue_store import StoredDialogues
from trialogue.simulation.batch.folder import DIALOGUES
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


def with_baselines(dialogues: Sequence[Dialogue], baselines: Iterable[Dialogue]) -> Sequence[Dialogue]:
    """Dialogues followed by those of baselines, without duplicates.

    A baseline that has the name of a system is renamed, and one that is with other users under the same id gets another id.

    >>> one = Dialogue(id="1", system="echo", utterances=())
    >>> [each.system for each in with_baselines([one], [one.model_copy(update={"role": Role.BASELINE})] * 2)]
    ['echo', 'echo (baseline)']
    """
    if isinstance(dialogues, StoredDialogues):
        systems = {system for system, role in dialogues.roles if role is Role.SYSTEM}
    else:
        systems = {each.system for each in dialogues if each.role is Role.SYSTEM}
    found: dict[tuple[str | None, str], Dialogue] = {}
    for each in baselines:
        name = each.system
        while name in systems:
            name = f"{name} (baseline)"
        key = (name, each.id)
        while key in found and found[key].utterances != each.utterances:
            key = (name, f"{key[1]}'")
        found[key] = each.model_copy(update={"system": name, "id": key[1]})
    if isinstance(dialogues, StoredDialogues):
        for each in found.values():
            dialogues.append(each)
        return dialogues
    return [*dialogues, *found.values()]
