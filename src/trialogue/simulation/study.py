"""A study in a file: which agents talk to which users, how often, and how. Checked whole, before anything is begun.

agents:
  guided: reference:guided                                   # a name, and what it stands for
  mine: {agent: "http://localhost:5001", protocol: moviebot}
users: [cir6-pkg, qrfa-single]                               # or only names
catalogue: books.jsonl                                       # default: the bundled films
ratings: ratings.csv
n: 500
seed: 1
jobs: 2
out: runs/guided-or-mine
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError

from trialogue.agents.registry import spec_of
from trialogue.errors import DataError, Problem, TrialogueError, UsageError
from trialogue.records import JsonValue, Record
from trialogue.records.yaml_file import lines_of, problem_of, read_fields
from trialogue.simulation.fit import check_users
from trialogue.simulation.options import UserOptions
from trialogue.simulation.plan import Plan
from trialogue.simulation.talk import MAX_TURNS

Specs = dict[str, str | dict[str, JsonValue]]


def _by_name(given: object) -> object:
    """A name alone, or a list of names, as names that stand for themselves; nobody may be listed twice."""
    if isinstance(given, str):
        given = [given]
    if isinstance(given, list):
        if not all(isinstance(name, str) for name in given):
            raise ValueError("a list holds names only; give options as 'name: {agent: ..., ...}'")
        if len(set(given)) < len(given):
            raise ValueError("a name stands there twice; every dialogue needs an id of its own")
        return {name: name for name in given}
    return given


Named = Annotated[Specs, BeforeValidator(_by_name), Field(min_length=1)]
Whole = Annotated[int, Field(strict=True)]


class Study(Record):
    """What is simulated."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    agents: Named
    """What the agents are, by the names they have in dialogues: texts or options, as ``make_agent`` takes them."""
    users: Named
    """What the users are, by name."""
    n: Whole = Field(default=100, ge=1)
    """Dialogues of each agent with each users."""
    seed: Whole = 0
    """Seed of everything random."""
    max_turns: Whole = Field(default=MAX_TURNS, ge=1)
    """User utterances after which a dialogue is over."""
    jobs: Whole = Field(default=1, ge=1)
    """Processes."""
    at_once: Whole = Field(default=1, ge=1)
    """Dialogues that each process holds at the same time, for agents that are waited for."""
    cluster: str | None = Field(default=None, min_length=1)
    """Address of a Dask scheduler, or ``local``; null: no cluster."""
    catalogue: str = Field(default="demo", min_length=1)
    """What users, and reference agents without a catalogue of their own, know: demo, a MovieLens corpus, a file of items."""
    ratings: str | None = Field(default=None, min_length=1)
    """A file of ratings, of which users are sampled; null: the catalogue's own."""
    out: Path = Path("runs/study")
    """The folder for ledger, dialogues and manifest."""

    def plan(self) -> Plan:
        """Its dialogues.

        Raises:
            UsageError: ids would run together.
        """
        return Plan(tuple(self.agents), tuple(self.users), self.n, seed=self.seed)

    def settings(self) -> dict[str, JsonValue]:
        """What makes its dialogues what they are, beside the plan: not where, nor by how many processes, they are held."""
        agents: dict[str, JsonValue] = {**self.agents}
        users: dict[str, JsonValue] = {**self.users}
        ratings: dict[str, JsonValue] = {} if self.ratings is None else {"ratings": self.ratings}
        return {"agent_options": agents, "user_options": users, "max_turns": self.max_turns, **ratings}


def read_study(path: Path | str, **changes: Any) -> Study:
    """The study that a YAML file describes.

    Args:
        path: the file.
        changes: fields in place of those of the file.

    Raises:
        DataError: with every mistake in it at once: unknown fields (with the nearest known one), wrong values, agents that
            cannot be.
    """
    path = Path(path)
    hint = "A study has lines such as 'agents: [echo]', 'users: [cir6-pkg]', 'n: 100'."
    return study_of({**read_fields(path, hint=hint), **changes}, file=str(path), lines=lines_of(path))


def study_of(data: Mapping[str, Any], *, file: str = "", lines: Mapping[str, int] | None = None) -> Study:
    """The study that fields describe.

    Args:
        data: the fields.
        file: named in mistakes.
        lines: the line of each field in it.

    Raises:
        DataError: as ``read_study``.

    >>> study_of({"agents": "echo", "users": ["cir6-pkg", "qrfa-single"], "n": 5}).plan()[5].id
    'echo/qrfa-single/1'
    """
    lines = lines or {}
    problems: list[Problem] = []
    study: Study | None = None
    try:
        study = Study.model_validate(dict(data))
    except ValidationError as error:
        problems = list(dict.fromkeys(_problem(detail, file, lines) for detail in error.errors(include_url=False)))
    problems += _agents_wrong(data.get("agents"), file, lines)
    problems += _users_wrong(data.get("users"), file, lines)
    if study is None or problems:
        raise DataError(problems)
    return study


def _agents_wrong(given: object, file: str, lines: Mapping[str, int]) -> list[Problem]:
    """What is wrong with the agents themselves, where there are any; the rest is told elsewhere."""
    try:
        agents = _by_name(given)
    except ValueError:
        return []
    problems = []
    for name, spec in agents.items() if isinstance(agents, dict) else ():
        if isinstance(spec, str | dict):
            try:
                spec_of(spec)
            except TrialogueError as error:
                problems.append(Problem(str(error), file, lines.get("agents"), f"agents.{name}"))
    return problems


def _users_wrong(given: object, file: str, lines: Mapping[str, int]) -> list[Problem]:
    """What is wrong with the names and options of users, found without fitting any."""
    try:
        users = _by_name(given)
    except ValueError:
        return []
    problems = []
    for name, spec in users.items() if isinstance(users, dict) else ():
        options = dict(spec) if isinstance(spec, dict) else {"users": spec}
        kind = options.pop("users", name)
        try:
            if isinstance(spec, str | dict) and isinstance(kind, str):
                check_users(kind)
                phrases = UserOptions().changed(options).phrases
                if phrases is not None and not Path(phrases).is_file():
                    raise UsageError(f"There is no file of phrases {phrases!r}.")
        except TrialogueError as error:
            problems.append(Problem(str(error), file, lines.get("users"), f"users.{name}"))
    return problems


def _problem(detail: Any, file: str, lines: Mapping[str, int]) -> Problem:
    first = str(detail["loc"][0])
    if detail["type"] == "too_short":
        return Problem("at least one is needed.", file, lines.get(first), first)
    if detail["loc"][1:] and first in ("agents", "users"):
        places = [str(part) for part in detail["loc"] if part not in ("str", "dict[str,json-or-python[any]]")]
        field = ".".join(place for place in places if not place.startswith("dict["))
        what = "this is a name, or options such as {agent: ..., timeout_s: 60}."
        return Problem(what, file, lines.get(first), field)
    return problem_of(detail, Study, file, lines)
