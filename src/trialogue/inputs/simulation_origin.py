"""Settings behind the dialogues of a simulation, found from any working directory, so that a dialogue can be continued.

The settings of a batch hold paths as in its simulation file, independent of the working directory. The folder they are
relative to is recorded beside the dialogues, itself as a relative path, so that everything may be moved together.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trialogue.agents.protocols.subprocess_agent import SubprocessSpec
from trialogue.agents.registry import spec_of
from trialogue.errors import TrialogueError
from trialogue.inputs.simulated_folder import ORIGIN, RELATIVE_TO, RUN_IN, places_of
from trialogue.records import Dialogue, JsonValue
from trialogue.records.files.opening import write_text
from trialogue.simulation.batch.folder import config_of
from trialogue.simulation.paths import located_agent, located_users
from trialogue.simulation.relative_paths import resolve_path
from trialogue.simulation.source import users_of_source


def record_folders(folder: Path, out: Path) -> None:
    """Record the base folder of relative paths and the working directory, relative to ``out``."""
    places = {RELATIVE_TO: folder, RUN_IN: Path()}
    content = {name: Path(os.path.relpath(place.resolve(), out.resolve())).as_posix() for name, place in places.items()}
    write_text(out / ORIGIN, json.dumps(content) + "\n")


@dataclass(frozen=True)
class Origin:
    """Settings of a simulation by the names in its dialogues, with resolved paths."""

    agents: Mapping[str, Any] = field(default_factory=dict)
    """Texts or options of agents."""
    users: Mapping[str, Any] = field(default_factory=dict)
    """Texts or options of users."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Further settings of the simulation: catalogue, ratings, max_turns."""
    folder: Path = Path()
    """Base of relative paths: the folder of the simulation file."""
    run_in: Path = Path()
    """The folder in which the simulation was run."""

    def users_of(self, dialogue: Dialogue) -> dict[str, Any]:
        """Users that took part in a dialogue; {} if unknown."""
        name = users_of_source(dialogue)
        return {name: self.users[name]} if name is not None and name in self.users else {}


def origin_of(source: str | Path) -> Origin:
    """Recorded settings of a simulation's dialogues; empty for any other file or corpus.

    A simulation of an earlier version did not write down where it was run: paths are then those from here.

    Args:
        source: the folder of a simulation, or a file in it.
    """
    out = Path(source) if Path(source).is_dir() else Path(source).parent
    config = config_of(out)
    agents, users = config.get("agent_options"), config.get("user_options")
    places = places_of(out)
    folder, run_in = (places.get(name, Path()) for name in (RELATIVE_TO, RUN_IN))
    return Origin(
        {name: _agent(spec, folder, run_in) for name, spec in _specs(agents)},
        {name: located_users(spec, folder) for name, spec in _specs(users)},
        {
            name: resolve_path(folder, config[name])
            for name in ("catalogue", "ratings", "max_turns")
            if config.get(name) is not None
        },
        folder,
        run_in,
    )


def _specs(given: JsonValue) -> Iterator[tuple[str, str | dict[str, JsonValue]]]:
    """Agents or users by name, as far as they are written as they should be."""
    for name, spec in given.items() if isinstance(given, dict) else ():
        if isinstance(spec, str | dict):
            yield name, spec


def _agent(spec: str | dict[str, JsonValue], folder: Path, run_in: Path) -> str | dict[str, JsonValue]:
    """Agent specification relative to the current directory; commands run in the original one."""
    located = located_agent(spec, folder)
    try:
        is_command = isinstance(found := spec_of(located), SubprocessSpec) and found.folder is None
    except TrialogueError:  # reported where the study is checked
        return located
    if not is_command or run_in == Path():
        return located
    return {**(located if isinstance(located, dict) else {"agent": located}), "folder": str(run_in)}
