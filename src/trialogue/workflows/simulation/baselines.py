"""Baselines of every simulation: five agents that ignore the user, run with the same users as the evaluated agents.

Their scores are what simulated users give away for free. Their dialogues are in a separate folder
beside those of the agents, so that they are not mistaken for systems, and every report of the simulation includes them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from trialogue.agents.base import Agent
from trialogue.records import Dialogue, JsonValue, Role, read_records
from trialogue.records.files.dialogue_store import StoredDialogues
from trialogue.simulation.batch.batch import Batch, Progress, run_batch
from trialogue.simulation.batch.folder import DIALOGUES
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.processes import ProcessPool
from trialogue.simulation.batch.simulation_file import SimulationFile
from trialogue.simulation.batch.workers import DialogueRunner, Recipe
from trialogue.simulation.source import users_of_source
from trialogue.simulation.users.kinds import SimulatedUsers

FOLDER = "baselines"
"""The folder in that of a simulation."""

BASELINES: Mapping[str, str] = MappingProxyType(
    {
        "off-topic": "off-topic",
        "echo": "echo",
        "popular": "reference:popular",
        "random item": "reference:random",
        "catalogue dump": "reference:dump",
    }
)
"""Descriptions of the baselines, by their names in reports."""


def baseline_recipe(
    study: SimulationFile, make_agent: Callable[[str], Agent], make_users: Callable[[str], SimulatedUsers]
) -> Recipe:
    """Recipe for simulating dialogues with the baselines; arguments as for ``simulate_baselines``."""
    return Recipe(make_agent, make_users, DialogueRunner(max_turns=study.max_turns, role=Role.BASELINE))


def simulate_baselines(
    study: SimulationFile,
    recipe: Recipe,
    *,
    settings: Mapping[str, JsonValue],
    progress: Callable[[Progress], None] | None = None,
    pool: ProcessPool | None = None,
) -> Batch | None:
    """Run the missing dialogues of the baselines; None if the simulation has none.

    Args:
        study: located, with as many dialogues of each baseline with each users as ``baselines`` says.
        recipe: of ``baseline_recipe``: a baseline by its name, users by their name in the study.
        settings: what else makes the dialogues what they are.
        progress: called with the state of the batch.
        pool: processes that the simulation uses, too.
    """
    if not study.baselines:
        return None
    plan = Plan(tuple(BASELINES), tuple(study.users), min(study.n, study.baselines), seed=study.seed)
    return run_batch(
        plan,
        recipe.make_agent,
        recipe.make_users,
        folder=study.out / FOLDER,
        jobs=study.jobs,
        cluster=study.cluster,
        at_once=study.at_once,
        talk=recipe.talk,
        settings=settings,
        progress=progress,
        pool=pool,
    )


def baselines_in(folder: Path, *, users: str | None = None) -> Iterator[Dialogue]:
    """Dialogues of baselines beside a simulation, if any.

    Args:
        folder: of the simulation.
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


def baseline_options() -> dict[str, dict[str, JsonValue]]:
    """Options of the baselines, in the form of a simulation's agents."""
    return {name: {"agent": spec} for name, spec in BASELINES.items()}
