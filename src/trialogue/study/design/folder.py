"""Study folders: read and write their items file, and create a new one from a template."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from pydantic import ValidationError

from trialogue.errors import DataError, Problem, UnknownNameError, UsageError
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import make_folder, open_replacing, write_text
from trialogue.records.files.validation import dotted_path, mistakes_of
from trialogue.study.design.file import FILE, StudyFile
from trialogue.study.design.items import BY_TYPE, AnyItem, ChatItem
from trialogue.study.design.reading import read_study

MAX_ITEMS = 200_000  # items of a study
MAX_OF_AN_ITEM = 3  # mistakes of one item; further ones are mostly those of the items before it, too


def read_items(path: Path, study: StudyFile) -> list[AnyItem]:
    """The items of a study.

    Raises:
        DataError: with every mistake in the file at once (at most three per line), or if it has no items.
    """
    made = BY_TYPE[study.type]
    items: list[AnyItem] = []
    problems: list[Problem] = []
    keys: dict[str, int] = {}
    for line, fields in _lines(path, problems):
        try:
            item = made.model_validate({name: value for name, value in fields.items() if name not in ("kind", "v")})
        except ValidationError as error:
            problems += [
                Problem(mistake.what, str(path), line, dotted_path(mistake.place), mistake.hint)
                for mistake in mistakes_of(error, fields, made)[:MAX_OF_AN_ITEM]
            ]
            continue
        if item.key in keys:
            problems.append(
                Problem(f"duplicate key {item.key!r} (first used in line {keys[item.key]}).", str(path), line, "key")
            )
        keys.setdefault(item.key, line)
        problems.extend(_unknown_agents(item, study, str(path), line))
        items.append(item)
        if len(items) > MAX_ITEMS:
            raise DataError(Problem(f"the file has more than {MAX_ITEMS:,} items.", str(path), hint="Split the study."))
    if not items and not problems:
        problems.append(Problem("the file has no items. Write one JSON object per line.", str(path)))
    if problems:
        raise DataError(problems)
    return items


def _unknown_agents(item: AnyItem, study: StudyFile, file: str, line: int) -> list[Problem]:
    if not isinstance(item, ChatItem):
        return []
    known = ", ".join(study.agents)
    return [
        Problem(f"the study file has no agent {name!r}. Known: {known}.", file, line, "agents")
        for name in item.agents
        if name not in study.agents
    ]


def _lines(path: Path, problems: list[Problem]) -> Iterator[tuple[int, Mapping[str, object]]]:
    try:
        stream = path.open(encoding="utf-8")
    except OSError as error:
        raise DataError(Problem(f"the items cannot be read: {error.strerror}.", str(path))) from error
    with stream:
        try:
            for number, line in enumerate(stream, start=1):
                if not line.strip():
                    continue
                try:
                    fields = json.loads(line)
                except (ValueError, RecursionError):
                    problems.append(Problem("not valid JSON. Write one JSON object per line.", str(path), number))
                    continue
                if isinstance(fields, dict):
                    yield number, fields
                else:
                    problems.append(Problem("expected a JSON object with fields on this line.", str(path), number))
        except UnicodeDecodeError as error:
            raise DataError(Problem("the file is not UTF-8. Save it as UTF-8.", str(path))) from error


FOLDER = "templates"
_AGENTS = re.compile(r"^(?P<head>agents:.*\n)(?:[ ]+.*\n)+", re.MULTILINE)


def template_names() -> list[str]:
    """Templates that come with Trialogue."""
    entries = (files("trialogue.study.design") / FOLDER).iterdir()
    return sorted(entry.name.removesuffix(".yaml") for entry in entries if entry.name.endswith(".yaml"))


@contextmanager
def template_path(name: str) -> Iterator[Path]:
    """The study file of a template.

    Raises:
        UnknownNameError: there is no such template.
    """
    if name not in template_names():
        raise UnknownNameError("template", name, template_names())
    with as_file(files("trialogue.study.design") / FOLDER / f"{name}.yaml") as path:
        yield path


def new_study(out: Path, name: str, items: Sequence[AnyItem], *, agents: Mapping[str, str] | None = None) -> Path:
    """Write a study folder from a template.

    Args:
        out: the folder.
        name: name of the template.
        items: the items to show.
        agents: systems to chat with, by name, in place of the template's.

    Raises:
        UsageError: the folder already contains a study.
        UnknownNameError: there is no such template.
    """
    with template_path(name) as path:
        text = _with_agents(path.read_text(encoding="utf-8"), agents or {})
    return write_study(out, text, items)


def write_study(out: Path, text: str, items: Sequence[AnyItem]) -> Path:
    """Write a study folder from the text of its file, which is validated first.

    Args:
        out: the folder.
        text: text of the study file.
        items: the items to show.

    Raises:
        UsageError: the folder already contains a study.
        DataError: mistakes in the text.
    """
    if (out / FILE).exists():
        raise UsageError(f"{out / FILE} exists already. Choose another folder with --out.")
    make_folder(out)
    with open_replacing(out / "items.jsonl") as stream:
        for item in items:
            stream.write(to_line(item).encode("utf-8", "replace") + b"\n")
    write_text(out / FILE, text)
    read_items(out / "items.jsonl", read_study(out))
    return out


def _with_agents(text: str, agents: Mapping[str, str]) -> str:
    """A study file with other agents; JSON is YAML, so that no name or address needs care."""
    if not agents:
        return text
    lines = "".join(f"  {json.dumps(name)}: {json.dumps(spec)}\n" for name, spec in agents.items())
    changed, times = _AGENTS.subn(lambda found: found["head"] + lines, text)
    if times != 1:  # a template whose agents are not written as a block, one a line
        raise UsageError(f"expected one list of agents to replace in this template, found {times}.")
    return changed
