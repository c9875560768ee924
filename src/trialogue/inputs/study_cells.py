"""Parse the CSV files of a study's export, row by row and cell by cell."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import get_args

from trialogue.errors import DataError, Problem
from trialogue.inputs.study_data import Code, Label, OptionKind, OptionValue, Participant
from trialogue.records.files.cells import unguard_cell
from trialogue.records.files.opening import open_bytes


def read_text(path: Path) -> str:
    """The text of a file in UTF-8; ``DataError`` names the first byte that is not."""
    with open_bytes(path) as stream:
        raw = stream.read()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "Convert it first, for example: iconv -f latin1 -t utf-8 IN > OUT"
        raise DataError(Problem(f"byte {error.start} is not UTF-8.", file=str(path), hint=hint)) from error


def read_rows(path: Path, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """(line, cells by column) of a CSV file; cells lose the apostrophe that guards a formula."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        head = [name.strip() for name in next(reader, [])]
        missing = [name for name in needed if name not in head]
        if missing:
            what = f"the first line lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}."
            raise DataError(Problem(what, file=str(path), line=1, hint=f"It has: {', '.join(head) or 'nothing'}."))
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, {name: unguard_cell(cell) for name, cell in zip(head, cells, strict=False)}
    except csv.Error as error:
        raise DataError(Problem(f"this is not CSV: {error}.", file=str(path), line=reader.line_num)) from error


def number(cells: Mapping[str, str], name: str) -> float | None:
    """A finite number, or None for an empty cell; ``ValueError`` otherwise."""
    text = cells.get(name, "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{name} is {text!r}, but must be a number or empty.") from None
    if value != value or abs(value) == float("inf"):
        raise ValueError(f"{name} is {text!r}, but must be a finite number or empty.")
    return value


def whole_number(cells: Mapping[str, str], name: str) -> int | None:
    """A whole number, or None for an empty cell; ``ValueError`` otherwise."""
    value = number(cells, name)
    if value is not None and value != int(value):
        raise ValueError(f"{name} is {cells[name]!r}, but must be a whole number or empty.")
    return None if value is None else int(value)


def required_text(cells: Mapping[str, str], name: str) -> str:
    """A cell that must not be empty."""
    text = cells.get(name, "").strip()
    if not text:
        raise ValueError(f"{name} is empty, but required.")
    return text


def parse_label(cells: Mapping[str, str]) -> Label:
    """A row of ``labels.csv``."""
    role = cells.get("role", "").strip() or "annotator"
    if role not in ("annotator", "adjudicator"):
        raise ValueError(f"role is {role!r}, but must be annotator or adjudicator.")
    place = whole_number(cells, "utterance")
    if place is None:
        raise ValueError("utterance is empty, but required.")
    return Label(
        required_text(cells, "dialogue_id"),
        place,
        required_text(cells, "rater"),
        required_text(cells, "label"),
        "adjudicator" if role == "adjudicator" else "annotator",
    )


def parse_offered(cells: Mapping[str, str]) -> OptionValue:
    """A row of ``options.csv``."""
    kinds: dict[str, OptionKind] = {kind: kind for kind in get_args(OptionKind)}
    kind, value = cells.get("kind", "").strip(), number(cells, "value")
    if kind not in kinds:
        raise ValueError(f"kind is {kind!r}; known: {', '.join(kinds)}.")
    if value is None:
        raise ValueError("value is required, but empty.")
    where = f"{cells.get('step', '')} {cells.get('situation_id', '')}"
    return OptionValue(
        required_text(cells, "rater"),
        where,
        required_text(cells, "question"),
        kinds[kind],
        required_text(cells, "option"),
        value,
        system=cells.get("system", "").strip(),
        situation_id=cells.get("situation_id", "").strip(),
    )


def parse_code(cells: Mapping[str, str]) -> Code:
    """A row of ``codes.csv``."""
    return Code(
        required_text(cells, "preference_id"), required_text(cells, "coder"), cells.get("code", "").strip() or None
    )


def parse_person(cells: Mapping[str, str]) -> Participant:
    """A row of ``participants.csv``."""
    flags = tuple(flag.strip() for flag in cells.get("flags", "").split(";") if flag.strip())
    optional = {
        name: cells.get(name, "").strip() or None
        for name in ("reached", "reason", "by_hand", "started_at", "finished_at")
    }
    given = {
        "participant": required_text(cells, "participant"),
        "state": required_text(cells, "state"),
        **optional,
        "flags": flags,
    }
    return Participant.model_validate(given)
