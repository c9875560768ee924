"""Simulation files: which agents meet which users, how often, and with which settings. Validated before anything runs.

agents:
  guided: reference:guided                                   # a name, and the agent it stands for
  mine: {agent: "http://localhost:5001", protocol: moviebot}
users: [cir6-pkg, qrfa-single]                               # or only names
catalogue: books.jsonl                                       # default: the bundled films; paths are relative to the file
ratings: ratings.csv
n: 500
seed: 1                                                      # or fresh: drawn anew, and recorded
jobs: 2
out: runs/guided-or-mine
"""

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le
from pydantic import BeforeValidator, ConfigDict, Field, PrivateAttr, ValidationError

from trialogue.agents.registry import OptionsError, spec_of
from trialogue.errors import DataError, Problem, TrialogueError, UnknownNameError
from trialogue.llm.usage import Limits
from trialogue.options import Jobs, MaxCalls, MaxCost, MaxTokens, Seed
from trialogue.records import Ending, JsonValue, Record
from trialogue.records.files.validation import Mistake, Place
from trialogue.records.files.yaml_file import Lines, lines_of, problems_of_fields, read_fields
from trialogue.simulation.batch.folder import seed_of
from trialogue.simulation.batch.plan import GUESSABLE, Plan
from trialogue.simulation.batch.workers import EXTERNAL, STOP_AFTER
from trialogue.simulation.dialogue import MAX_TURNS
from trialogue.simulation.paths import check_catalogue, located_agent, located_users
from trialogue.simulation.relative_paths import resolve_path
from trialogue.simulation.users.kinds import kind_mistakes

Specs = dict[str, str | dict[str, JsonValue]]


def _name_entries(given: object) -> object:
    """Entries by name, from a name or a list of names; duplicates are refused."""
    if isinstance(given, str):
        given = [given]
    if isinstance(given, list):
        if not all(isinstance(name, str) for name in given):
            raise ValueError("a list contains names only; give options as 'name: {agent: ..., ...}'")
        if len(set(given)) < len(given):
            raise ValueError("a name is given twice; every dialogue needs its own id")
        return {name: name for name in given}
    return given


Named = Annotated[Specs, BeforeValidator(_name_entries), Field(min_length=1)]
Whole = Annotated[int, Field(strict=True)]
Name = Annotated[str, Field(min_length=1)]
FRESH = "fresh"
LARGEST = 2**53  # every reader of JSON keeps whole numbers below it exactly
DEFAULT_OUT = Path("runs/study")


class SimulationFile(Record):
    """Settings of a simulation."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    agents: Named
    """Agents by their names in dialogues: specifications or options, as ``make_agent`` takes them."""
    users: Named
    """Simulated users by their names: a kind of users, or a kind with its options."""
    n: Annotated[Whole, Ge(1)] = 100
    """Number of dialogues of each agent with each kind of user."""
    seed: Annotated[Seed, Field(strict=True)] = 0
    """Random seed. ``fresh``: drawn anew from the operating system, or that of the run in ``out``."""
    max_turns: Annotated[Whole, Ge(1)] = MAX_TURNS
    """Maximum number of user utterances in a dialogue."""
    jobs: Annotated[Jobs, Field(strict=True)] = 1
    """Number of processes. The results are the same for any number."""
    at_once: Annotated[Whole, Ge(1)] = 1
    """Number of concurrent dialogues per process, for agents with latency."""
    cluster: Name | None = None
    """Address of a Dask scheduler, or ``local``; null: no cluster."""
    catalogue: Name = "demo"
    """Items that users know: demo, a MovieLens corpus, or a file of items (with ratings). They are those of reference agents
    without a catalogue, too."""
    ratings: Name | None = None
    """File with ratings of the items: a table with the columns user, item, rating. Users are sampled from them; null: from
    the catalogue's own."""
    needs: Name | None = None
    """Test set: file with the users' needs, as ``save_needs`` writes it (default: drawn by the seed)."""
    baselines: Annotated[Whole, Ge(0)] = 100
    """Dialogues of each baseline with each kind of users, at most n; 0: no baselines, so that no outcome can lead."""
    stop_after: Annotated[Whole, Ge(0)] = STOP_AFTER
    """Stop an agent with its users after this many failures in a row with the same cause (0: never)."""
    max_failed: Annotated[float, Ge(0), Le(1)] = 0.1
    """Exit with code 1 if more than this share of an agent's dialogues failed."""
    retry_failed: bool | tuple[Ending, ...] = False
    """Run failed dialogues of an earlier run again: those whose failure says nothing about the agent's replies (true), or
    those with these endings."""
    max_cost: MaxCost | None = None
    """What requests to language models may cost in total, for agents, users and their understanding; null: unlimited."""
    max_calls: Annotated[MaxCalls, Field(strict=True)] | None = None
    """Number of requests to language models."""
    max_tokens: Annotated[MaxTokens, Field(strict=True)] | None = None
    """Tokens of prompts and answers of language models."""
    out: Path = DEFAULT_OUT
    """The folder for ledger, dialogues and manifest."""
    _folder: Path = PrivateAttr(default=Path())

    @property
    def folder(self) -> Path:
        """Base folder of relative paths: the folder of the file."""
        return self._folder

    def relative_to(self, folder: Path) -> "SimulationFile":
        """Copy with paths relative to a folder."""
        study = self.model_copy()
        study._folder = folder
        return study

    def plan(self) -> Plan:
        """Plan of the dialogues.

        Raises:
            UsageError: ids would collide.
        """
        return Plan(tuple(self.agents), tuple(self.users), self.n, seed=self.seed)

    def resolve_paths(self) -> "SimulationFile":
        """Copy with paths resolved for use from the working directory.

        The stored ``settings`` keep the paths as written in the file, so that they do not depend on the working
        directory.
        """
        if self.folder == Path():
            return self
        study = self.model_copy(
            update={
                "agents": {name: located_agent(spec, self.folder) for name, spec in self.agents.items()},
                "users": {name: located_users(spec, self.folder) for name, spec in self.users.items()},
                "catalogue": resolve_path(self.folder, self.catalogue),
                "ratings": resolve_path(self.folder, self.ratings),
                "needs": resolve_path(self.folder, self.needs),
                "out": resolve_path(self.folder, self.out),
            }
        )
        return study.relative_to(Path())

    @property
    def limits(self) -> Limits:
        """Limits on language models."""
        return Limits(max_cost=self.max_cost, max_calls=self.max_calls, max_tokens=self.max_tokens)

    @property
    def retried_endings(self) -> frozenset[Ending]:
        """Endings of the dialogues that are run again."""
        if isinstance(self.retry_failed, bool):
            return EXTERNAL if self.retry_failed else frozenset()
        return frozenset(self.retry_failed)

    def settings(self) -> dict[str, JsonValue]:
        """Settings that determine the dialogues, beside the plan: neither output folder nor number of processes."""
        agents: dict[str, JsonValue] = {**self.agents}
        return {"agent_options": agents, **self.user_settings()}

    def user_settings(self) -> dict[str, JsonValue]:
        """Settings that do not concern agents."""
        users: dict[str, JsonValue] = {**self.users}
        ratings: dict[str, JsonValue] = {} if self.ratings is None else {"ratings": self.ratings}
        return {"user_options": users, "max_turns": self.max_turns, **ratings}


def read_study(path: Path | str, **changes: Any) -> SimulationFile:
    """Read a simulation from a YAML file. Paths in it are relative to its folder.

    Args:
        path: the file.
        changes: fields in place of those of the file; paths among them are relative to where the command runs.

    Raises:
        DataError: with every mistake in it at once: unknown fields (with the nearest known one), wrong values, agents and
            users that cannot be, files that are missing.
    """
    path = Path(path)
    hint = "A study has lines such as 'agents: [echo]', 'users: [cir6-pkg]', 'n: 100'."
    if path.parent != Path():
        changes = {name: resolve_path(Path.cwd(), _path(name, value)) for name, value in changes.items()}
    fields = {**read_fields(path, hint=hint), **changes}
    return study_of(fields, file=str(path), lines=lines_of(path), folder=path.parent)


def _path(name: str, value: object) -> object:
    """A folder for results as a path: it is none yet, so that its text alone would not tell."""
    return Path(str(value)) if name == "out" else value


def study_of(
    data: Mapping[str, Any], *, file: str = "", lines: Lines | None = None, under: Place = (), folder: Path = Path()
) -> SimulationFile:
    """Parse a simulation from fields.

    Args:
        data: the fields.
        file: named in mistakes.
        lines: the line of each place in it.
        under: where in it the fields stand.
        folder: what paths in the fields are relative to.

    Raises:
        DataError: as ``read_study``.

    >>> study_of({"agents": "echo", "users": ["cir6-pkg", "qrfa-single"], "n": 5}).plan()[5].id
    'echo/qrfa-single/1'
    """
    lines = lines or Lines()
    problems: list[Problem] = []
    study: SimulationFile | None = None
    if data.get("seed") == FRESH and not under:  # the stages of an experiment are cached by their settings
        data = {**data, "seed": _fresh_seed(resolve_path(folder, data.get("out", DEFAULT_OUT)))}
    try:
        study = SimulationFile.model_validate(dict(data)).relative_to(folder)
    except ValidationError as error:
        problems = problems_of_fields(error, data, SimulationFile, file=file, lines=lines, under=under)
    found = [*_wrong_agents(data.get("agents"), folder), *_wrong_users(data.get("users"), folder)]
    found += _missing_files(data, folder)
    problems += [mistake.problem(file, lines, under=under) for mistake in found]
    if study is None or problems:
        raise DataError(problems)
    return study


def _fresh_seed(out: object) -> int:
    """A seed that nobody can have seen or guess, or that of the run that the folder holds, if it is one."""
    recorded = seed_of(Path(str(out)))
    if recorded is not None and recorded >= GUESSABLE:
        return recorded
    return GUESSABLE + secrets.randbelow(LARGEST - GUESSABLE)


def _specs(given: object) -> dict[str, str | dict[str, JsonValue]]:
    """Agents or users by name, as far as they are given as they should be; the rest is reported elsewhere."""
    try:
        named = _name_entries(given)
    except ValueError:
        return {}
    specs = named.items() if isinstance(named, dict) else ()
    return {str(name): spec for name, spec in specs if isinstance(spec, str | dict)}


def _place(kind: str, given: object, name: str) -> Place:
    """Location of an entry: in a mapping by name, or in a list."""
    return (kind, given.index(name)) if isinstance(given, list) else (kind, name)


def _wrong_agents(given: object, folder: Path) -> Iterator[Mistake]:
    """Mistakes in the agents' specifications, found without creating agents."""
    for name, spec in _specs(given).items():
        place = _place("agents", given, name)
        try:
            mistakes = spec_of(located_agent(spec, folder)).mistakes()
        except OptionsError as error:
            mistakes = list(error.mistakes)
        except UnknownNameError as error:
            yield Mistake((*place, *_option_of(error.given, spec)), str(error))
            continue
        except TrialogueError as error:
            yield Mistake(place, str(error), kind=_cause(error))
            continue
        yield from (Mistake((*place, *mistake.place), mistake.what, mistake.hint) for mistake in mistakes)


def _cause(error: Exception) -> str:
    """What the import of a module failed with, which all that is named in it has in common; "": something else."""
    return "" if error.__cause__ is None else str(error.__cause__)


def _option_of(value: str, spec: object) -> Place:
    """The option that holds a value; () where the whole spec is that value, or none does."""
    options = spec.items() if isinstance(spec, dict) else ()
    return next(((name,) for name, option in options if option == value), ())


def _wrong_users(given: object, folder: Path) -> Iterator[Mistake]:
    """Mistakes in users' names and options, found without fitting."""
    for name, spec in _specs(given).items():
        place = _place("users", given, name)
        options = located_users(spec, folder)
        kind = options.pop("users", name)
        mistakes = kind_mistakes(kind, options) if isinstance(kind, str) else []
        for option, error in mistakes:
            given = _option_of(error.given, spec) if isinstance(error, UnknownNameError) else ()
            yield Mistake((*place, option) if option else (*place, *given), str(error), kind=_cause(error))
        phrases = options.get("phrases")
        if not mistakes and isinstance(phrases, str) and not Path(phrases).is_file():
            yield Mistake((*place, "phrases"), f"there is no file of phrases {phrases!r}.")


def _missing_files(data: Mapping[str, Any], folder: Path) -> Iterator[Mistake]:
    """Catalogue and ratings that are not there."""
    catalogue = data.get("catalogue")
    if isinstance(catalogue, str):
        try:
            check_catalogue(str(resolve_path(folder, catalogue)))
        except TrialogueError as error:
            yield Mistake(("catalogue",), str(error))
    for name, what in (("ratings", "ratings"), ("needs", "needs (a test set)")):
        given = data.get(name)
        if isinstance(given, str) and not Path(resolve_path(folder, given)).is_file():
            yield Mistake((name,), f"there is no file of {what} {given!r}.")
