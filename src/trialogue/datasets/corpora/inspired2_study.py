"""The INFACT study of INSPIRED2 (Manzoor & Jannach, KaRS 2022): meaningfulness of four systems' replies, by three raters.

Two workbooks, one per recommender (retrieval-based RB-CRS, and CRB-CRS), each with two versions of the corpus it retrieves
from: INSPIRED ("v1") and INSPIRED2 ("v2"). Systems are ``RB-CRS/INSPIRED``, ``RB-CRS/INSPIRED2`` and so on. All four
answer the same situations. A rating is 1 to 3; its rater is the number of its column in its situation: the publication does
not state that a column is one person throughout.

The last reply of 12 dialogues has no human counterpart. Published figures use the other 465 situations, and so do the
records, unless ``unanswered=True`` requests all 477.

A sheet holds one block of columns per system: ``Dialogs`` and, to its right, ``Ratings-1``, ``Ratings-2``, ... A
line is ``CONVERSATION:7`` or a text with its speaker before ``~``: SEEKER, the human recommender (GROUND-TRUTH or
RECOMMENDER), or the system under study (REC), whose reply is placed between the seeker's turn and the human reply to it.
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from trialogue.datasets.base import AnyRecord, Corpus, Head, SimpleFormat, card
from trialogue.datasets.json_documents import ParseReport, files_at, in_file_or_folder
from trialogue.errors import DataError, Problem
from trialogue.extras import need
from trialogue.records import Rating, Response, Situation, Speaker, Utterance
from trialogue.records.files.jsonl import Note, warn

TEXTS, MARKS = "Dialogs", "Ratings-"
CONVERSATION = re.compile(r"\s*CONVERSATION\s*:\s*(\d+)\s*$")
SPOKEN = re.compile(r"\s*(SEEKER|GROUND-TRUTH|RECOMMENDER|REC)\s*~\s*(.*?)\s*$", re.DOTALL)
SPEAKERS: dict[str, Speaker] = {"SEEKER": "user", "GROUND-TRUTH": "system", "RECOMMENDER": "system"}
SYSTEM = re.compile(r"\bC?RB-CRS\b")
LOW, HIGH = 1, 3  # the scale of meaningfulness
MAX_READ = 4 << 20  # bytes of a sheet looked at to recognise it; the study's have a quarter of a MiB

Cells = Sequence[object]


@dataclass(frozen=True)
class Block:
    """Columns of one system in a sheet."""

    system: str
    texts: int
    """Column of the dialogue lines, from 0."""
    marks: dict[str, int]
    """Column by rater, who goes by the number in its heading."""


@dataclass
class Reply:
    """One system's reply to one situation."""

    system: str
    conversation: int
    context: tuple[Utterance, ...]
    utterance: Utterance
    line: int
    reference: Utterance | None = None


def is_study(path: Path) -> bool:
    """Whether a file is a workbook with such a sheet; needs no Excel package."""
    text = b""
    try:
        with ZipFile(path) as archive:
            for name in archive.namelist():
                if name == "xl/sharedStrings.xml" or name.startswith("xl/worksheets/sheet"):
                    with archive.open(name) as part:
                        text += part.read(MAX_READ)
    except (BadZipFile, OSError, zlib.error, RuntimeError):  # the last: encrypted, or in an unknown compression
        return False
    return all(word in text for word in (b"Ratings-1", b"SEEKER", b"REC~"))


def read_workbook(path: Path, report: ParseReport) -> list[Reply]:
    """Read every reply of every system in a workbook, in the order of its sheets, blocks and rows.

    Raises:
        MissingExtraError: openpyxl is not installed.
        DataError: this is no workbook, or none of its sheets is laid out as the study's.
    """
    openpyxl = need("openpyxl", extra="data", purpose="read Excel workbooks")
    try:
        workbook = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (BadZipFile, KeyError, OSError, ValueError) as error:
        hint = "Is the file complete? An .xlsx file is a zip archive."
        raise DataError(Problem(f"not an Excel workbook ({error}).", str(path), hint=hint)) from error
    try:
        sheets = {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in workbook.worksheets}
    finally:
        workbook.close()
    replies = [reply for rows in sheets.values() for reply in _replies_of_sheet(rows, report)]
    if not replies and not report.problems:
        hint = f"Expected columns {TEXTS}, {MARKS}1, {MARKS}2, ..., and lines such as 'SEEKER~ hello'."
        raise DataError(
            Problem(f"none of its sheets ({', '.join(sheets)}) belongs to the study.", str(path), hint=hint)
        )
    return replies


def _replies_of_sheet(rows: list[Cells], report: ParseReport) -> Iterator[Reply]:
    head = next((index for index, row in enumerate(rows) if TEXTS in row), None)
    if head is None:
        return
    titles = rows[head - 1] if head else ()
    for block in _blocks(rows[head], titles, Path(report.file).stem, report):
        yield from _replies_of_block(rows[head + 1 :], block, head + 2, report)


def _blocks(headings: Cells, titles: Cells, stem: str, report: ParseReport) -> Iterator[Block]:
    starts = [column for column, heading in enumerate(headings) if heading == TEXTS]
    for start, end in zip(starts, [*starts[1:], len(headings)], strict=True):
        title = str(titles[start] if start < len(titles) and titles[start] else f"column {start + 1}").strip()
        marks = {
            str(headings[column]).removeprefix(MARKS): column
            for column in range(start + 1, end)
            if str(headings[column]).startswith(MARKS)
        }
        yield Block(_system(title, stem, report), start, marks)


def _system(title: str, stem: str, report: ParseReport) -> str:
    """The system's name: its kind as the file's name says it, and the corpus it retrieves from as the heading does."""
    kind, _, corpus = title.partition(" with ")
    in_stem = SYSTEM.search(stem)
    if in_stem and corpus and in_stem[0] != kind:
        report.mend(
            f"a heading says {kind}, the file name says {in_stem[0]}; the file name was used", "heading", line=1
        )
    kind = in_stem[0] if in_stem else kind
    return f"{kind}/{corpus}" if corpus else title


def _replies_of_block(rows: list[Cells], block: Block, first_line: int, report: ParseReport) -> Iterator[Reply]:
    conversation, context = 0, list[Utterance]()
    waiting: Reply | None = None  # a reply whose human counterpart comes next
    for line, row in enumerate(rows, start=first_line):
        text = str(row[block.texts] or "") if block.texts < len(row) else ""
        if begins := CONVERSATION.match(text):
            conversation, context, waiting = int(begins[1]), [], None
        elif spoken := SPOKEN.match(text):
            if spoken[1] == "REC":
                waiting = _reply(spoken[2], row, block, conversation, context, line, report)
                if waiting:
                    yield waiting
                continue
            said = Utterance(speaker=SPEAKERS[spoken[1]], text=spoken[2])
            if waiting and said.speaker == "system":
                waiting.reference = said
            waiting = None
            context.append(said)
        elif text.strip():
            hint = "A line begins with CONVERSATION:, SEEKER~, GROUND-TRUTH~, RECOMMENDER~ or REC~."
            report.wrong(f"this line has no speaker: {text[:40]!r}.", f"column {block.texts + 1}", line=line, hint=hint)


def _reply(
    text: str, row: Cells, block: Block, conversation: int, context: list[Utterance], line: int, report: ParseReport
) -> Reply | None:
    if not context or context[-1].speaker != "user":
        report.wrong("this reply does not follow a seeker's turn.", f"column {block.texts + 1}", line=line)
        return None
    ratings = tuple(_ratings(row, block, line, report))
    said = Utterance(speaker="system", text=text, ratings=ratings)
    return Reply(block.system, conversation, tuple(context), said, line)


def _ratings(row: Cells, block: Block, line: int, report: ParseReport) -> Iterator[Rating]:
    for rater, column in block.marks.items():
        value = row[column] if column < len(row) else None
        mark = str(value).strip() if value is not None else ""
        if not mark:
            report.mend("a rating is missing", f"column {column + 1}", line=line)
        elif mark.removesuffix(".0") not in {str(number) for number in range(LOW, HIGH + 1)}:
            report.wrong(f"expected a rating from {LOW} to {HIGH}, got {mark!r}.", f"column {column + 1}", line=line)
        else:
            yield Rating(name="meaningfulness", value=float(mark), rater=rater, low=LOW, high=HIGH)


NAME = "inspired2-study"


def read_study(path: Path, *, note: Note = warn, unanswered: bool = False) -> Iterator[Situation | Response]:
    """Read every situation with its human reference, followed by the responses with their ratings.

    Args:
        path: one workbook, or a folder of them.
        note: called with each repair or omission.
        unanswered: also give situations that no human reply follows; their reference is None.

    Raises:
        MissingExtraError: openpyxl is not installed.
        DataError: with every mistake, or because two systems answer different situations under one number.
    """
    situations: dict[str, Situation] = {}
    responses: dict[str, dict[str, Response]] = {}
    problems: list[Problem] = []
    hint = f"Get them with: trialogue data get {NAME}"
    what = "no workbook in this folder belongs to the study."
    for file in files_at(path, _is_workbook, what=what, hint=hint, suffixes=(".xlsx",)):
        report = ParseReport(str(file), note)
        for reply in read_workbook(file, report):
            if reply.reference is None and not unanswered:
                report.mend("a reply without a human counterpart was left out", line=reply.line)
            else:
                _file(reply, situations, responses, report)
        problems += report.problems
        report.problems.clear()
        report.settle()
    if problems:
        raise DataError(problems)
    for situation in situations.values():
        yield situation
        yield from responses[situation.id].values()


def _file(
    reply: Reply, situations: dict[str, Situation], responses: dict[str, dict[str, Response]], report: ParseReport
) -> None:
    situation = _situation(reply)
    if situations.setdefault(situation.id, situation) != situation:
        what = f"situation {situation.id} of {reply.system} differs from that of the systems before it."
        report.wrong(what, line=reply.line, hint="All systems of the study answer the same situations.")
    of_situation = responses.setdefault(situation.id, {})
    if reply.system in of_situation:
        what = f"{reply.system} answers situation {situation.id} twice."
        report.wrong(what, line=reply.line, hint="Is one of the workbooks a copy?")
    said = reply.utterance
    # A column is another person in another situation: the number alone would make three people of all of them.
    rated = tuple(each.model_copy(update={"rater": f"{situation.id}/{each.rater}"}) for each in said.ratings)
    utterance = said.model_copy(update={"ratings": rated})
    of_situation[reply.system] = Response(situation_id=situation.id, system=reply.system, utterance=utterance)


def _situation(reply: Reply) -> Situation:
    return Situation(
        id=f"{NAME}:{reply.conversation}#{len(reply.context)}",
        context=reply.context,
        reference=reply.reference,
        dialogue_id=f"{NAME}:{reply.conversation}",
        turn=sum(utterance.speaker == "system" for utterance in reply.context),
        source=NAME,
    )


def _is_workbook(head: Head) -> bool:
    return is_study(head.path)


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    return read_study(path, note=note)


SOURCE = card(NAME)

FORMAT = SimpleFormat(
    name=NAME,
    summary="The two Excel workbooks of the INSPIRED2 study (needs the extra 'data'): replies with three ratings each.",
    recognise=in_file_or_folder(_is_workbook, suffixes=(".xlsx",)),
    reader=_read,
)

CORPUS = Corpus(source=SOURCE, reader=_read)
