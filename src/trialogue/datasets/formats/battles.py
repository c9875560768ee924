"""Battles: one row per choice between two named systems, as arenas and side-by-side evaluations write them.

A table or JSON objects with two systems (``model_a`` and ``model_b``, ``system_1`` and ``system_2``, ...) and who won:
``winner`` (or ``vote``, ``choice``, ...) names a side or a system, or ``winner_model_a``, ``winner_model_b`` and
``winner_tie`` are flags. What was compared is read where it stands beside them: ``conversation_a`` and ``conversation_b`` as
lists of messages, ``prompt`` with ``response_a`` and ``response_b``, or ids under ``dialogue_a`` and ``dialogue_b``.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.crsarena.dial import VOTES_HEADER
from trialogue.datasets.door.account import FieldTally, report_unread
from trialogue.datasets.door.conversation import IDS as CONVERSATION_IDS
from trialogue.datasets.door.conversation import USERS, Conversations
from trialogue.datasets.door.feedback import key_of, kind_of_name, kind_of_rater
from trialogue.datasets.door.values import identifier, is_absent, names_of, plain_number
from trialogue.datasets.formats.openai_chat import SHAPE
from trialogue.datasets.json_documents import ParseReport, bare_stem, kind_of
from trialogue.datasets.tables.rows import Row, columns_of, read_table, unpack
from trialogue.errors import TrialogueError
from trialogue.records import Preference, Raters
from trialogue.records.files.jsonl import Note

Side = Literal["a", "b"]
Choice = Literal["a", "b", "tie"]
_SIDES: tuple[Side, Side] = ("a", "b")
SIDES: tuple[tuple[str, str], ...] = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"))
SYSTEMS = ("model", "system", "crs", "agent", "bot", "assistant", "recommender", "method", "version", "")
CONVERSATIONS = ("conversation", "dialogue", "dialog", "messages", "chat")
REPLIES = ("response", "reply", "answer", "output", "completion")
PROMPTS = ("prompt", "question", "query", "user_message", "instruction")
VOTES = names_of("votes")
PERSONS = ("rater", "rater_id", "annotator", "annotator_id", "worker", *USERS)
"""Columns whose values are codes of people, unless a value is the name of a model."""
RATERS = (*PERSONS, "judge", "judge_id", "evaluator", "evaluator_id")
KINDS = ("raters", "rater_kind", "judge_type")
IDS = frozenset((*CONVERSATION_IDS, "battle_id", "vote_id", "question_id", "annotation_id", "row_id"))
REASONS = ("reason", "comment", "rationale", "justification", "explanation")
FORMS = ("{}", "{}_wins", "{}_is_better", "option_{}")
ORDERED = re.compile(r"\W*A\s*([<>=])[<>=]*\s*B\W*", re.IGNORECASE)
_TIES = "tie draw equal same both neither bothbad tie_bothbad both_bad both_good no_preference a_b"
TIES = frozenset(_TIES.split())
HINT = "It must name one of the two systems or sides, or be 'tie'."


@dataclass(frozen=True)
class Layout:
    """Where things stand in the rows, by column."""

    systems: tuple[str, str]
    """Names of the two systems."""
    sides: tuple[str, str]
    """Words for the sides in this file, such as a and b."""
    vote: str | None
    """Who won; None: flags say it."""
    flags: tuple[str, ...] | None
    """Whether the first won, the second won, or neither did."""
    compared: tuple[str, str] | None = None
    """Conversations or replies of the two; None: only votes are given."""
    prompt: str | None = None
    """What the user said, where replies are compared."""
    rater: str | None = None
    kind: str | None = None
    """Kind of rater."""
    reason: str | None = None

    @property
    def columns(self) -> set[str]:
        """All columns that are read."""
        single = {self.vote, self.prompt, self.rater, self.kind, self.reason}
        return {*self.systems, *(self.flags or ()), *(self.compared or ()), *single} - {None}


def layout_of(columns: list[str]) -> Layout | None:
    """The layout of a table of battles; None where its columns are not those of one."""
    named = {key_of(column): column for column in columns}
    for sides in SIDES:
        systems = _pair(named, SYSTEMS, sides)
        vote = next((named[key] for key in VOTES if key in named), None)
        keys = systems and (*(f"winner_{key_of(system)}" for system in systems), "winner_tie")
        flags = tuple(named[key] for key in keys) if keys and all(key in named for key in keys) else None
        if systems is None or (vote is None and flags is None):
            continue
        replies = _pair(named, REPLIES, sides)
        return Layout(
            systems, sides, vote, flags,
            compared=_pair(named, CONVERSATIONS, sides) or replies,
            prompt=_first(named, PROMPTS) if replies else None,
            rater=_first(named, RATERS), kind=_first(named, KINDS), reason=_first(named, REASONS),
        )  # fmt: skip
    return None


def _pair(named: Mapping[str, str], stems: tuple[str, ...], sides: tuple[str, str]) -> tuple[str, str] | None:
    for stem in stems:
        for form in ("{stem}_{side}", "{stem}{side}", "{side}_{stem}"):
            one, two = (form.format(stem=stem, side=side).strip("_") for side in sides)
            if one in named and two in named and (stem or sides == ("a", "b")):
                return named[one], named[two]
    return None


def _first(named: Mapping[str, str], keys: tuple[str, ...]) -> str | None:
    return next((named[key] for key in keys if key in named), None)


@dataclass
class _Reader:
    """Reads the rows of one file."""

    path: Path
    report: ParseReport
    layout: Layout
    preferences: list[Preference] = field(default_factory=list)

    def entries(self, rows: list[Row]) -> Iterator[tuple[int, dict[str, Any]]]:
        """The conversations of the rows, each with its line, as a format of chats reads them; keeps the votes."""
        stem, seen = bare_stem(self.path), set[str]()
        for number, row in enumerate(rows, start=1):
            if self._is_logged_again(row, seen):
                continue
            systems = tuple(identifier(row.cell(column)) for column in self.layout.systems)
            if not all(systems):
                self.report.wrong("this row does not name both systems.", line=row.line)
            elif systems[0] == systems[1]:
                self.report.wrong(f"this row compares {systems[0]!r} with itself.", line=row.line)
            else:
                dialogues = dict(zip("ab", self._dialogues(row, systems, f"{stem}-{number}"), strict=True))
                self._vote(row, systems, f"{stem}-{number}", {side: made[0] for side, made in dialogues.items()})
                yield from ((row.line, entry) for _, entry in dialogues.values() if entry is not None)

    def _is_logged_again(self, row: Row, seen: set[str]) -> bool:
        """Whether a row with an id repeats an earlier one cell by cell; without an id, two people may have voted alike."""
        if not any(key_of(column) in IDS and not is_absent(value) for column, value in row.cells.items()):
            return False
        cells = repr(sorted(row.cells.items()))
        if cells in seen:
            self.report.mend("a vote that is logged twice was read once", line=row.line)
            return True
        seen.add(cells)
        return False

    def _dialogues(
        self, row: Row, systems: tuple[str, ...], battle: str
    ) -> Iterator[tuple[str | None, dict[str, Any] | None]]:
        """Of both sides the id of the dialogue, and the dialogue where it stands in the row."""
        for side, system, column in zip("ab", systems, self.layout.compared or (None, None), strict=True):
            value = unpack(row.cell(column))
            if is_absent(value):
                yield None, None
            elif isinstance(value, str) and self.layout.prompt is None:
                yield identifier(value), None
            else:
                messages = value if _are_messages(value) else self._exchanges(row, value)
                rater = identifier(row.cell(self.layout.rater))
                user = {"user": rater} if rater else {}
                yield f"{battle}-{side}", {"id": f"{battle}-{side}", "system": system, "messages": messages, **user}

    def _exchanges(self, row: Row, replies: Any) -> list[dict[str, Any]]:
        """Prompts and replies in turn; several where both are lists."""
        asked = unpack(row.cell(self.layout.prompt))
        pairs = zip(_as_list(asked), _as_list(replies), strict=False)
        return [
            message
            for said, answer in pairs
            for message in ({"role": "user", "content": said}, {"role": "assistant", "content": answer})
        ]

    def _vote(self, row: Row, systems: tuple[str, ...], battle: str, dialogues: Mapping[str, str | None]) -> None:
        choice = self._choice(row, systems)
        if choice is None:
            return
        rater, kind = identifier(row.cell(self.layout.rater)) or None, row.text(self.layout.kind)
        by_default = Raters.PEOPLE if rater and key_of(str(self.layout.rater)) in PERSONS else Raters.UNKNOWN
        raters = kind_of_rater(kind) or (kind_of_name(rater) if rater else None) or by_default
        self.preferences.append(
            Preference(
                id=battle, a=systems[0], b=systems[1], choice=choice, rater=rater, raters=raters,
                dialogue_a=dialogues["a"], dialogue_b=dialogues["b"],
                reason=row.text(self.layout.reason).strip() or None, source=bare_stem(self.path),
            )
        )  # fmt: skip

    def _choice(self, row: Row, systems: tuple[str, ...]) -> Choice | None:
        if self.layout.flags is not None:
            return self._choice_by_flags(row, self.layout.flags)
        column = str(self.layout.vote)
        value = row.cell(column)
        if is_absent(value):
            self.report.mend("a row without a vote was read without one", column, line=row.line)
            return None
        given, key = identifier(value), key_of(identifier(value))
        if given in systems:
            return "a" if given == systems[0] else "b"
        if (ordered := ORDERED.fullmatch(str(value).strip())) is not None:  # A>B, A<<B, A=B
            return "tie" if ordered[1] == "=" else "a" if ordered[1] == ">" else "b"
        for place, side in enumerate(_SIDES):
            words = (form.format(pair[place]) for pair in SIDES for form in FORMS)
            if key in {key_of(self.layout.systems[place]), *words}:
                return side
        if key in TIES:
            return "tie"
        kind = "this vote names neither of the two systems."
        self.report.wrong(f"{kind[:-1]}: {kind_of(value)}.", column, line=row.line, hint=HINT, kind=kind)
        return None

    def _choice_by_flags(self, row: Row, flags: tuple[str, ...]) -> Choice | None:
        numbers = [plain_number(row.cell(flag)) if not is_absent(row.cell(flag)) else 0 for flag in flags]
        if sorted(number if number is not None else -1 for number in numbers) == [0, 0, 1]:
            return _CHOICES[numbers.index(1)]
        self.report.wrong("exactly one of the flags of the winner must be 1.", flags[0], line=row.line)
        return None


_CHOICES: tuple[Choice, Choice, Choice] = ("a", "b", "tie")


def _are_messages(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) and "role" in each for each in value)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _recognises(head: Head) -> bool:
    if head.is_folder:
        return False
    try:
        columns = columns_of(head.path)
    except (TrialogueError, csv.Error, ValueError):  # another reader says what is wrong with the file
        return False
    is_ours = "kind" in columns or set(columns) >= set(VOTES_HEADER)  # other formats say more
    return not is_ours and layout_of(columns) is not None


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    report = ParseReport(str(path), note)
    table = read_table(path, report)
    layout = layout_of(table.columns)
    if layout is None:
        report.wrong(
            "no battles: no two columns name systems with a winner.", line=1, hint="Such as: model_a, model_b, winner."
        )
        report.settle()
        return
    systems = {identifier(row.cell(column)) for row in table.rows for column in layout.systems}
    if len(systems) > max(len(table.rows), 2):
        named = " and ".join(map(repr, layout.systems))
        what = f"{named} have {len(systems)} values in {len(table.rows)} rows: texts, not systems."
        report.wrong(what, hint="Map the columns instead (trialogue check FILE --map OUT.yaml).")
        report.settle()
    reader = _Reader(path, report, layout)
    entries = list(reader.entries(table.rows))
    made = Conversations(SHAPE, bare_stem(path), report, fallback=lambda number: f"{bare_stem(path)}-{number}")
    yield from made.read(entries)
    report.settle()
    tally = FieldTally()
    for row in table.rows:
        for column in table.columns:
            if column not in layout.columns:
                tally.see(column, row.cells.get(column))
    report_unread(tally.fields(units=len(table.rows)), report, system_from=" and ".join(map(repr, layout.systems)))
    yield from reader.preferences


FORMAT = SimpleFormat(
    name="battles",
    summary="Battles: rows with two systems and the winner (model_a, model_b, winner), with or without conversations.",
    recognise=_recognises,
    reader=_read,
)
