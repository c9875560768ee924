"""Baselines of every simulation: six agents that ignore the user, run with the same users as the evaluated agents.

Their scores are what simulated users give away for free. Their dialogues are in a separate folder
beside those of the agents, so that they are not mistaken for systems, and every report of the simulation includes them.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from trialogue.agents.base import Agent
from trialogue.records import JsonValue, Role
from trialogue.simulation.batch.batch import Batch, Progress, run_batch
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.processes import ProcessPool
from trialogue.simulation.batch.simulation_file import SimulationFile
from trialogue.simulation.batch.workers import DialogueRunner, WorkerSpec
from trialogue.simulation.users.kinds import SimulatedUsers
from trialogue.workflows.simulation.simulated_folder import FOLDER

BASELINES: Mapping[str, str] = MappingProxyType(
    {
        "off-topic": "off-topic",
        "echo": "echo",
        "popular": "reference:popular",
        "random item": "reference:random",
        "static list": "reference:static",
        "catalogue dump": "reference:dump",
    }
)
"""Descriptions of the baselines, by their names in reports."""


def baseline_spec(
    study: SimulationFile, make_agent: Callable[[str], Agent], make_users: Callable[[str], SimulatedUsers]
) -> WorkerSpec:
    """WorkerSpec for simulating dialogues with the baselines; arguments as for ``simulate_baselines``."""
    return WorkerSpec(make_agent, make_users, DialogueRunner(max_turns=study.max_turns, role=Role.BASELINE))


def simulate_baselines(
    study: SimulationFile,
    spec: WorkerSpec,
    *,
    settings: Mapping[str, JsonValue],
    progress: Callable[[Progress], None] | None = None,
    pool: ProcessPool | None = None,
) -> Batch | None:
    """Run the missing dialogues of the baselines; None if the simulation has none.

    Args:
        study: located, with as many dialogues of each baseline with each kind of users as ``baselines`` says.
        spec: spec of ``baseline_spec``: a baseline by its name, users by their name in the study.
        settings: what else makes the dialogues what they are.
        progress: called with the state of the batch.
        pool: processes that the simulation uses, too.
    """
    if not study.baselines:
        return None
    plan = Plan(tuple(BASELINES), tuple(study.users), min(study.n, study.baselines), seed=study.seed)
    return run_batch(
        plan,
        spec.make_agent,
        spec.make_users,
        folder=study.out / FOLDER,
        jobs=study.jobs,
        cluster=study.cluster,
        at_once=study.at_once,
        talk=spec.talk,
        settings=settings,
        progress=progress,
        pool=pool,
    )


def baseline_options() -> dict[str, dict[str, JsonValue]]:
    """Options of the baselines, in the form of a simulation's agents."""
    return {name: {"agent": spec} for name, spec in BASELINES.items()}
