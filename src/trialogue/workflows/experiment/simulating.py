"""Simulation stage: simulated users talk to agents, and its pace is measured."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from trialogue.llm.usage import Usage
from trialogue.records import JsonValue
from trialogue.simulating.model_usage import Meter, usage_text
from trialogue.simulating.simulate import PrintedProgress, simulate
from trialogue.simulation.batch.batch import Progress
from trialogue.simulation.batch.folder import finished_lines
from trialogue.simulation.batch.simulation_file import SimulationFile
from trialogue.simulation.relative_paths import resolve_path
from trialogue.workflows.experiment.contents import code_of, files_in
from trialogue.workflows.experiment.estimate.pace import (
    AgentDuration,
    TimeByAgent,
    append_measurements,
    summarise_dialogues,
)
from trialogue.workflows.experiment.file import Experiment
from trialogue.workflows.experiment.graph import Stage, StageContext

SIMULATE = "simulate"
"""The name of the stage."""


def simulation(experiment: Experiment) -> Stage:
    """Stage that simulates an experiment's dialogues."""
    study = experiment.study
    assert study is not None

    def work(doing: StageContext) -> None:
        here = study.model_copy(update={"out": doing.folder.absolute()})
        shares, tell = TimeByAgent(list(missing_dialogues(here))), PrintedProgress(doing.tell)
        meter = Meter(here.out)

        def progress(now: Progress) -> None:
            shares(now)
            tell(now)

        try:
            simulate(here, progress=progress)
        finally:
            asked = meter.usage_by_agent()
            _keep(here, shares, asked)
            for agent, usage in asked.items():
                doing.tell(usage_text(agent, usage))

    return Stage(
        name=SIMULATE,
        work=work,
        config={**study.settings(), "catalogue": study.catalogue, "ratings": study.ratings, "seed": study.seed},
        inputs={
            **code_of(study.agents),
            **files_in([study.catalogue, study.ratings, study.needs, study.agents, study.users], study.folder),
        },
        grows={"n": study.n},
        size=f"{len(study.plan()):,} dialogues of {', '.join(study.agents)} with {', '.join(study.users)}",
    )


def catalogue_of(experiment: Experiment, users: str | None) -> str | None:
    """Catalogue that needs are about: the simulation's, or for people the one whose items are linked; None: unknown."""
    if users is None:
        return None if experiment.catalogue is None else experiment.path(experiment.catalogue)
    return None if experiment.study is None else resolve_path(experiment.study.folder, experiment.study.catalogue)


def missing_dialogues(study: SimulationFile) -> Iterator[str]:
    """Agent of each dialogue missing from a simulation's ledger, in plan order."""
    there = ids_in(study.out)
    agents = (agent for agent in study.agents for _ in study.users for _ in range(study.n))
    return (agent for name, agent in zip(study.plan().ids(), agents, strict=True) if name not in there)


def setting_of(study: SimulationFile) -> dict[str, JsonValue]:
    """Settings, besides the agent, that determine the length of dialogues."""
    users: dict[str, JsonValue] = {**study.users}
    return {"users": users, "max_turns": study.max_turns, "catalogue": study.catalogue, "ratings": study.ratings}


def ids_in(folder: Path) -> frozenset[str]:
    """Ids of finished dialogues in a batch's folder."""
    found = set()
    for line in finished_lines(folder):
        with contextlib.suppress(ValueError, LookupError, TypeError):
            found.add(str(json.loads(line)["id"]))
    return frozenset(found)


def _keep(study: SimulationFile, shares: TimeByAgent, asked: Mapping[str, Usage]) -> None:
    """Store durations and statistics of the dialogues so far."""
    like = summarise_dialogues(study.out) if shares.held else {}
    append_measurements(
        study.out.parent,
        [
            AgentDuration.model_validate(
                {
                    "agent": agent,
                    "spec": study.agents[agent],
                    "setting": setting_of(study),
                    "held": held,
                    "seconds": shares.seconds[agent],
                    "at_once": study.jobs * study.at_once,
                    "usage": asked.get(agent),
                    **like[agent].to_fields(),
                }
            )
            for agent, held in shares.held.items()
            if agent in like
        ],
    )
