"""Durations of stages and agent calls measured in earlier runs of an experiment, the basis of dry-run estimates.

A file beside the stages, one line per measurement, the last one counts. No result depends on it: it may be
deleted, and unreadable lines are skipped.
"""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Annotated, ClassVar

from pydantic import Field, ValidationError

from trialogue.errors import DataError
from trialogue.llm.usage import Usage
from trialogue.records import JsonValue, Record
from trialogue.records.files.jsonl import read_lines, to_line
from trialogue.simulation.batch.batch import PROGRESS_S, Progress
from trialogue.simulation.batch.folder import finished_lines

FILE = "pace.jsonl"
NonNegative = Annotated[float, Field(ge=0)]


class StageDuration(Record):
    """Measured duration of a stage."""

    kind: ClassVar[str] = "stage_took"

    stage: str
    """Name of the stage."""
    megabytes: NonNegative
    """Size of the input data in megabytes."""
    seconds: NonNegative
    """Wall time in seconds."""


class Mean(Record):
    """A mean over dialogues."""

    value: NonNegative
    """Mean over the dialogues."""
    error: NonNegative | None = None
    """Its standard error; None if it is of a single dialogue."""


class AgentDuration(Record):
    """Measured calls and durations of an agent's dialogues."""

    kind: ClassVar[str] = "agent_took"

    agent: str
    """Name of the agent."""
    spec: JsonValue
    """Specification of the agent."""
    setting: JsonValue
    """The users it talked to, and the maximum length of dialogues."""
    held: Annotated[int, Field(ge=1)]
    """Number of dialogues that were run in ``seconds``."""
    seconds: NonNegative
    """Wall time in seconds, including reading of the catalogue and fitting of users."""
    at_once: Annotated[int, Field(ge=1)]
    """Number of concurrent dialogues."""
    dialogues: Annotated[int, Field(ge=1)]
    """Number of dialogues in the folder, with those of earlier runs; ``asked`` and ``kilobytes`` are means over them."""
    asked: Mean
    """Number of its turns per dialogue."""
    usage: Usage | None = None
    """Language-model usage in these dialogues; None: no model, or killed."""
    kilobytes: NonNegative
    """Mean size of a dialogue in a file."""


def append_measurements(folder: Path, measured: Iterable[Record]) -> None:
    """Append measurements to those of a stages folder; nothing happens if they cannot be written."""
    lines = "".join(f"{to_line(each)}\n" for each in measured)
    try:
        with (folder / FILE).open("a", encoding="utf-8", errors="replace") as stream:
            stream.write(lines)
    except OSError:
        return


def read_measurements(folder: Path) -> list[StageDuration | AgentDuration]:
    """Measurements of a stages folder, oldest first; [] if there are none."""
    if not (folder / FILE).is_file():
        return []
    try:
        return [each for _, text in read_lines(folder / FILE, note=lambda _: None) for each in _measurement(text)]
    except DataError:
        return []


def _measurement(text: str) -> Iterator[StageDuration | AgentDuration]:
    try:
        fields = json.loads(text)
        kind = {made.kind: made for made in (StageDuration, AgentDuration)}[fields.pop("kind")]
        fields.pop("v")
        yield kind.model_validate(fields)
    except (ValueError, LookupError, TypeError, AttributeError, ValidationError):
        return


class TimeByAgent:
    """Splits the time of a batch among its agents, by dialogues finished between two updates.

    A batch reports a dialogue when it ends, but not within ``PROGRESS_S`` of its last report. So of the dialogues in one
    report, all but the last ended within ``PROGRESS_S`` of the report before, and share at most that time; the last one
    took the rest.
    """

    def __init__(self, agents: Sequence[str]) -> None:
        """``agents``: agent of each dialogue to run, in order."""
        self._agents, self._done, self._elapsed = agents, 0, 0.0
        self.seconds: dict[str, float] = {}
        self.held: dict[str, int] = {}

    def __call__(self, now: Progress) -> None:
        """Receive the progress of the batch."""
        ended = self._agents[self._done : now.done - now.resumed]
        if not ended:
            return
        passed = now.elapsed_s - self._elapsed
        each = min(passed, PROGRESS_S) / len(ended)
        for agent in ended:
            self.seconds[agent] = self.seconds.get(agent, 0.0) + each
            self.held[agent] = self.held.get(agent, 0) + 1
        self.seconds[ended[-1]] += passed - each * len(ended)
        self._done, self._elapsed = now.done - now.resumed, now.elapsed_s


class DialogueStatistics:
    """Statistics of one agent's dialogues."""

    def __init__(self) -> None:
        self._bytes = 0
        self._asked: list[int] = []

    def add(self, utterances: Sequence[Mapping[str, JsonValue]], size: int) -> None:
        """Add a dialogue, whose line has ``size`` bytes."""
        self._bytes += size
        self._asked.append(sum(said.get("speaker") == "user" for said in utterances))

    def to_fields(self) -> dict[str, Mean | float]:
        """The dialogue fields of ``AgentDuration``."""
        count = len(self._asked)
        return {"dialogues": count, "asked": _mean(self._asked), "kilobytes": self._bytes / count / 1e3}


def summarise_dialogues(folder: Path) -> dict[str, DialogueStatistics]:
    """Statistics of the dialogues in a batch's folder, by agent."""
    found: dict[str, DialogueStatistics] = {}
    for line in finished_lines(folder):
        with contextlib.suppress(ValueError, LookupError, TypeError, AttributeError):
            fields = json.loads(line)
            found.setdefault(fields["system"], DialogueStatistics()).add(fields["utterances"], len(line))
    return found


def _mean(values: Sequence[int]) -> Mean:
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
    return Mean(value=mean(values), error=error)
