"""Exceptions raised by Trialogue.

TrialogueError            any error that the user can fix; the command line prints it and exits with code 2
├── UsageError            an invalid request: unknown name, impossible parameter
│   └── UnknownNameError  a name that is not in a registry; lists the known ones, nearest first
├── DataError             invalid files; carries every problem found, not only the first
├── MissingDataError      a corpus that is not on this machine; names the command that downloads it
└── MissingExtraError     an optional dependency that is not installed; names the command that installs it

A message states what is wrong, what was given, and what to do. Bugs are not caught: they stay tracebacks.
"""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class TrialogueError(Exception):
    """Base class of errors that the user can fix."""


class UsageError(TrialogueError):
    """Invalid request."""


class UnknownNameError(UsageError):
    """Name that is not in a registry; the message suggests the nearest ones and says ``where`` it would have to be.

    >>> print(UnknownNameError("metric", "bluu", ["bleu", "distinct"]))
    There is no metric 'bluu'. Did you mean 'bleu'? Known: bleu, distinct.
    """

    def __init__(self, kind: str, given: str, known: Iterable[str], *, where: str = "", hint: str = "") -> None:
        names = sorted(known)
        near = difflib.get_close_matches(given, names, n=3, cutoff=0.6)
        guess = f" Did you mean {' or '.join(repr(name) for name in near)}?" if near else ""
        listing = f" Known: {', '.join(names)}." if names else " None are known."
        there = f" {where}" if where else ""
        super().__init__(f"There is no {kind} {given!r}{there}.{guess}{listing}{' ' + hint if hint else ''}")
        self.given, self.near = given, near


@dataclass(frozen=True)
class Problem:
    """One problem in a file: location, description and remedy."""

    what: str
    file: str = ""
    line: int | None = None
    field: str = ""
    hint: str = ""
    kind: str = ""
    """What it has in common with others whose ``what`` differs in the value; "": ``what`` is the kind."""

    def __str__(self) -> str:
        where = self.file + (f", line {self.line}" if self.line is not None else "")
        where += f"{', ' if where else ''}field {self.field}" if self.field else ""
        return (f"{where}: " if where else "") + self.what + (f" {self.hint}" if self.hint else "")


@dataclass(frozen=True)
class Unread(Problem):
    """Columns or fields of a file that were not read."""

    columns: tuple[str, ...] = ()
    """Names of the columns or fields that were not read."""
    may_be_feedback: bool = False
    """Whether they may hold people's judgements."""
    may_be_system: bool = False
    """Whether they may say which system answered."""


SHOWN = 20  # kinds of problems printed of a bad file; a screenful
FURTHER_PLACES = 5  # named beside the first of a kind


class DataError(TrialogueError):
    """Invalid file or files, with every problem found; those of one kind are one line of the message, with their count."""

    def __init__(self, problems: Sequence[Problem] | Problem, *, hint: str = "") -> None:
        self.problems = [problems] if isinstance(problems, Problem) else list(problems)
        kinds: dict[tuple[str, ...], list[Problem]] = {}
        for problem in self.problems:
            key = (problem.file, _field_of_entries(problem.field), problem.kind or problem.what, problem.hint)
            kinds.setdefault(key, []).append(problem)
        lines = [_line_of(alike) for alike in list(kinds.values())[:SHOWN]]
        if len(kinds) > SHOWN:
            lines.append(
                f"... and {len(kinds) - SHOWN} more kinds of problems ({len(self.problems)} problems in total)."
            )
        if hint:
            lines.append(hint)
        super().__init__("\n".join(lines))


def _field_of_entries(field: str) -> str:
    """The field without the name or number of its entry: ``agents.*.url`` for ``agents.mine.url``."""
    return re.sub(r"\[\d+\]", "[*]", re.sub(r"^([^.\[]+)\.[^.\[]+", r"\1.*", field))


def _line_of(alike: Sequence[Problem]) -> str:
    """Problems of one kind as one line: the first, how many there are, and where the next ones are."""
    if len(alike) == 1:
        return str(alike[0])
    if len({problem.field for problem in alike}) > 1:
        where, places = "field", [problem.field for problem in alike[1:]]
    else:
        where, places = "line", [str(problem.line) for problem in alike[1:] if problem.line is not None]
    more = f", and {len(places) - FURTHER_PLACES} more" if len(places) > FURTHER_PLACES else ""
    listed = (
        f"; also in {where}{'s' if len(places) > 1 else ''} {', '.join(places[:FURTHER_PLACES])}{more}"
        if places
        else ""
    )
    return f"{alike[0]} ({len(alike)} times{listed})"


class MissingDataError(TrialogueError):
    """Corpus that is not on this machine."""


class MissingExtraError(TrialogueError):
    """Optional dependency that is not installed."""
