"""Language-model usage of a simulation across its processes: calls, tokens, cost."""

import json
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import ValidationError

from trialogue.agents.base import Session
from trialogue.agents.llm.agent import HuggingFaceAgent, LlmAgent
from trialogue.errors import DataError
from trialogue.llm.usage import Usage
from trialogue.records.files.jsonl import read_lines, to_line
from trialogue.simulation.users.kinds import SimulatedUsers
from trialogue.simulation.users.user import SimulatedUser

USAGE = "usage.jsonl"
"""In a simulation's folder: a line for each process that asked a model, as an agent or as users (whose name stands where an
agent's would). What a killed process asked is not in it."""


class Metered:
    """Agent wrapper that writes the model's usage on closing."""

    def __init__(self, agent: LlmAgent | HuggingFaceAgent, name: str, file: Path) -> None:
        """``name``: the agent's name in the simulation."""
        self._agent, self._file = agent, file
        self.name = name
        self.sessions_at_once = agent.sessions_at_once

    def open(self, dialogue_id: str, *, seed: int) -> Session:
        """Open a session of the model."""
        return self._agent.open(dialogue_id, seed=seed)

    def close(self) -> None:
        """Write the usage, if any, and close the model."""
        usage = self._agent.usage()
        self._agent.close()
        _write(self._file, self.name, usage)


@runtime_checkable
class Accountable(Protocol):
    """Users, or other objects, that report their model usage."""

    def usage(self) -> Usage:
        """Usage and cost of the model."""
        ...

    def close(self) -> None:
        """Release resources."""
        ...


class MeteredUsers:
    """Wrapper of simulated users that writes their model's usage on closing."""

    def __init__(self, users: SimulatedUsers, name: str, file: Path) -> None:
        """``users``: ``Accountable``; ``name``: their name in the simulation."""
        self._users, self._file = users, file
        self.name = name
        self.world = getattr(users, "world", None)
        self.signature = getattr(users, "signature", None)

    def new(self, case: str, *, seed: int) -> SimulatedUser:
        """Create the user of a case."""
        return self._users.new(case, seed=seed)

    def close(self) -> None:
        """Write the usage, if any, and close the users."""
        if isinstance(self._users, Accountable):
            usage = self._users.usage()
            self._users.close()
            _write(self._file, self.name, usage)


def _write(file: Path, name: str, usage: Usage) -> None:
    """Add a line; closing never fails, so that what a model cost is not known where it cannot be written."""
    if not (usage.calls or usage.cached or usage.failures):
        return
    line = json.dumps({"agent": name, "usage": json.loads(to_line(usage))}, ensure_ascii=False)
    try:
        with file.open("a", encoding="utf-8", errors="replace") as stream:
            stream.write(line + "\n")
    except OSError:
        return


def usages(file: Path) -> list[tuple[str, Usage]]:
    """(Agent, usage of one process) in a file, oldest first; [] without one. Damaged lines are skipped."""
    found: list[tuple[str, Usage]] = []
    if not file.is_file():
        return found
    try:
        for _, text in read_lines(file, note=lambda _: None):
            try:
                fields = json.loads(text)
                usage = {key: value for key, value in fields["usage"].items() if key not in ("kind", "v")}
                found.append((str(fields["agent"]), Usage.model_validate(usage)))
            except (ValueError, LookupError, TypeError, AttributeError, ValidationError):
                continue
    except DataError:
        return found
    return found


class Meter:
    """Usage of a simulation's models from now on, over all processes."""

    def __init__(self, folder: Path) -> None:
        """``folder``: the simulation's folder."""
        self._file = folder / USAGE
        self._before = len(usages(self._file))

    def usage_by_agent(self) -> dict[str, Usage]:
        """Usage by agent; processes that have not ended are not included."""
        found: dict[str, list[Usage]] = {}
        for agent, usage in usages(self._file)[self._before :]:
            found.setdefault(agent, []).append(usage)
        return {agent: add_usage(parts) for agent, parts in found.items()}


def add_usage(parts: list[Usage]) -> Usage:
    """Sum the usage of several processes; the cost is unknown if any is.

    >>> one = Usage(model="m", calls=2, prompt_tokens=10, cost=0.5, currency="USD")
    >>> both = add_usage([one, one])
    >>> both.calls, both.prompt_tokens, both.cost
    (4, 20, 1.0)
    """
    counts = ("calls", "cached", "retries", "failures", "prompt_tokens", "completion_tokens", "unreported")
    sums = {name: sum(getattr(part, name) for part in parts) for name in counts}
    costs = [part.cost for part in parts if part.cost is not None]
    known = len(costs) == len(parts)
    return Usage(
        model=parts[0].model,
        **sums,
        cost=sum(costs) if known else None,
        currency=parts[0].currency if known else None,
        why=next((part.why for part in parts if part.why), None),
    )


def usage_text(agent: str, usage: Usage) -> str:
    """Usage in words.

    >>> usage_text("mine", Usage(model="m", calls=2, prompt_tokens=10, completion_tokens=3, why="no price"))
    'mine: 2 calls, 0 answers from the cache; 10 prompt tokens, 3 answer tokens; cost unknown: no price'
    >>> usage_text("mine", Usage(model="m", cached=5, why="no price"))
    'mine: replayed from the cache (5 answers, 0 calls): a replay, not a replication'
    """
    cost = f"{usage.cost:,.4g} {usage.currency}" if usage.cost is not None else f"unknown: {usage.why}"
    if usage.cached and not usage.calls:
        return f"{agent}: replayed from the cache ({usage.cached:,} answers, 0 calls): a replay, not a replication"
    return (
        f"{agent}: {usage.calls:,} calls, {usage.cached:,} answers from the cache; "
        f"{usage.prompt_tokens:,} prompt tokens, {usage.completion_tokens:,} answer tokens; cost {cost}"
    )
