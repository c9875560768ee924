"""Read tasks and their catalogue: the JSON Lines of ``trialogue.tasks``, or a folder as tau-Rec publishes it.

All mistakes of all files are raised at once, with file, line and field: of the schema, ids given twice, wishes about fields
that no item has, watched items that do not exist, policies that the catalogue cannot check, and tasks that are declared
solvable although no item satisfies them, or the other way round.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from trialogue.datasets.corpora.demo import bundled_path
from trialogue.datasets.json_documents import JsonObject, ParseReport, kind_of, read_objects
from trialogue.errors import DataError, Problem, UsageError
from trialogue.records.files.jsonl import problems_of
from trialogue.tasks.task import FIELD_OF, Catalogue, Op, Policy, Reveal, Task, TaskSet, Wish, is_number

DEMO = "demo"
CATALOGUES = ("catalogue.jsonl", "catalogue.json", "catalog.json", "catalog.jsonl")
TASKS = ("tasks.jsonl", "tasks.json")
CREDIT = (
    "Tasks and catalogue: tau-Rec, Narasimhan and Narasimhan (2026), CC BY 4.0, with data of TMDB, which does not endorse "
    "this."
)
THEIRS = {
    "].": "].constraint.",
    "wishes": "constraints",
    "policies": "policy_flags",
    "watched": "user_history",
    "solvable": "no_valid_recommendation",
}
"""tau-Rec's names of fields, for messages."""


class _Predicate(BaseModel):
    field: str
    op: Op
    value: Any


class _Constraint(BaseModel):
    constraint: _Predicate
    reveal: Reveal


class _History(BaseModel):
    watched: list[str] = []


class _TauRecTask(BaseModel):
    """A task in tau-Rec's own words."""

    model_config = ConfigDict(extra="allow")

    id: str
    constraints: list[_Constraint]
    persona: str = ""
    soft_preferences: list[str] = []
    policy_flags: list[Policy] = []
    no_valid_recommendation: bool = False
    user_id: str = "user"
    user_history: dict[str, _History] = {}
    user_services: list[str] = []

    def task(self) -> Task:
        """The same task in ours."""
        return Task(
            id=self.id,
            wishes=tuple(Wish(**dict(each.constraint), reveal=each.reveal) for each in self.constraints),
            policies=tuple(self.policy_flags),
            solvable=not self.no_valid_recommendation,
            user=self.user_id,
            watched=tuple(self.user_history.get(self.user_id, _History()).watched),
            services=tuple(self.user_services),
            persona=self.persona,
            preferences=tuple(self.soft_preferences),
            meta=self.model_extra or {},
        )


def read_task_set(given: str | Path, *, catalogue: str | Path | None = None) -> TaskSet:
    """Read tasks and the catalogue beside them.

    Args:
        given: ``"demo"``, a folder with ``tasks.jsonl`` or a folder ``tasks``, or a file.
        catalogue: JSON list or JSON Lines of items; None: the one beside the tasks.

    Raises:
        DataError: something in the files is wrong; with everything that is.
        UsageError: there are no tasks, or no catalogue.
    """
    if str(given) == DEMO:
        return _read([bundled_path("tasks.jsonl")], Path(catalogue) if catalogue else bundled_path("films.jsonl"))
    path = Path(given)
    folder = path if path.is_dir() else path.parent
    files = sorted((path / "tasks").glob("*.json")) if path.is_dir() else [path] if path.is_file() else []
    files = files or [path / name for name in TASKS if (path / name).is_file()]
    if not files:
        raise UsageError(
            f"{given}: no tasks here. Give 'demo', a file of tasks, or a folder with tasks.jsonl or tasks/."
        )
    items = (
        Path(catalogue)
        if catalogue
        else next((folder / each for each in CATALOGUES if (folder / each).is_file()), None)
    )
    if items is None:
        raise UsageError(
            f"{given}: no catalogue beside the tasks ({', '.join(CATALOGUES)}). Name one with --catalogue."
        )
    return _read(files, items)


def _read(files: list[Path], catalogue: Path) -> TaskSet:
    problems: list[Problem] = []
    items = _read_catalogue(catalogue, problems)
    tasks: dict[str, Task] = {}
    is_tau_rec = False
    for file in files:
        for line, entry in _objects(file, problems):
            is_theirs = "constraints" in entry
            is_tau_rec |= is_theirs and any(name.startswith("tmdb_") for name in items.items)
            if task := _task(entry, file, line, problems):
                if task.id in tasks:
                    problems.append(Problem(f"duplicate id {task.id!r}. Ids must be unique.", str(file), line, "id"))
                tasks[task.id] = task
                if items.items:
                    problems += _mistakes(task, items, _noter(file, line, is_theirs=is_theirs))
    if not items.items and not problems:
        problems.append(Problem("the catalogue has no items. Write one JSON object per line.", str(catalogue)))
    if not tasks and not problems:
        problems.append(Problem("the file has no tasks. Write one JSON object per line.", str(files[0])))
    if problems:
        raise DataError(problems)
    return TaskSet(tuple(tasks.values()), items, CREDIT if is_tau_rec else "")


def _objects(file: Path, problems: list[Problem]) -> Iterator[tuple[int, JsonObject]]:
    report = ParseReport(str(file), problems.append)  # a repair would change what is scored
    try:
        yield from read_objects(file, report)
        report.settle()
    except DataError as error:
        problems += error.problems


def _read_catalogue(file: Path, problems: list[Problem]) -> Catalogue:
    items: dict[str, JsonObject] = {}
    for line, item in _objects(file, problems):
        name = item.get("id")
        if not isinstance(name, str) or not name:
            problems.append(Problem(f"expected a text as id, got {kind_of(name)}.", str(file), line, "id"))
        elif name in items:
            problems.append(Problem(f"duplicate id {name!r}. Ids must be unique.", str(file), line, "id"))
        else:
            items[name] = item
    return Catalogue(items)


def _task(entry: JsonObject, file: Path, line: int, problems: list[Problem]) -> Task | None:
    try:
        if "constraints" in entry:
            return _TauRecTask.model_validate(entry).task()
        return Task.model_validate({key: value for key, value in entry.items() if key not in ("kind", "v")})
    except ValidationError as error:
        problems += problems_of(error, str(file), line)
        return None


def _noter(file: Path, line: int, *, is_theirs: bool) -> Callable[[str, str], Problem]:
    """How a mistake at a field of a task is noted, under the name that the file has for it."""

    def at(what: str, field: str) -> Problem:
        for ours, theirs in THEIRS.items() if is_theirs else ():
            field = field.replace(ours, theirs, 1)
        return Problem(what, str(file), line, field)

    return at


def _mistakes(task: Task, catalogue: Catalogue, at: Callable[[str, str], Problem]) -> Iterator[Problem]:
    """What a task says that its catalogue contradicts."""
    unchecked = [field for place, wish in enumerate(task.wishes) for field in _bad_field(wish, place, catalogue)]
    yield from (at(what, field) for field, what in unchecked)
    for policy in task.policies:
        if (field := FIELD_OF.get(policy)) is not None and field not in catalogue.fields:
            yield at(f"{policy.value} cannot be checked: no item has the field {field!r}.", "policies")
    if unknown := [name for name in task.watched if name not in catalogue.items]:
        yield at(f"not in the catalogue: {', '.join(unknown)}. Give ids of its items.", "watched")
    fitting = 0 if unchecked else len(catalogue.fitting(task))
    if not unchecked and task.solvable is not bool(fitting):
        said = "solvable" if task.solvable else "not solvable"
        yield at(f"declared {said}, but {fitting} items satisfy all wishes. Correct one of them.", "solvable")


def _bad_field(wish: Wish, place: int, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    values = [item[wish.field] for item in catalogue.items.values() if item.get(wish.field) is not None]
    field = f"wishes[{place}]"
    if not values:
        yield (
            f"{field}.field",
            f"no item has the field {wish.field!r}; they have {', '.join(sorted(catalogue.fields))}.",
        )
    elif wish.op in (Op.AT_MOST, Op.AT_LEAST) and not any(map(is_number, values)):
        yield f"{field}.op", f"{wish.op.value} compares numbers, but {wish.field!r} is {kind_of(values[0])}."
