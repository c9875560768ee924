"""Read and validate items.jsonl, one item per line."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from trialogue.errors import DataError, Problem
from trialogue.records.files.validation import dotted_path, mistakes_of
from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import BY_TYPE, AnyItem, ChatItem

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
