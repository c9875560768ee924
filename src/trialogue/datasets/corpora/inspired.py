"""INSPIRED (Hayati et al., EMNLP 2020): people recommending films to people, with a strategy label per sentence.

Kept are both labels (origin ``expert`` and ``second``; ``no_strategy`` is a label, too), the outcome, the films, genres and
people mentioned, the text with placeholders where it differs, and the trailer's id. The five ``*_dict`` columns repeat the
dialogue's entities on every row and are not read.

A row is a sentence, not a turn: a turn (``meta["turn_id"]``) may hold several. Texts are as published with one repair:
the word QUOTATION_MARK, which the corpus writes for a quotation mark, is replaced by one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Corpus, Head, SimpleFormat, card
from trialogue.datasets.corpora.mentions import locate_titles
from trialogue.datasets.json_documents import ParseReport, bare_stem, files_at, in_file_or_folder
from trialogue.errors import DataError, Problem
from trialogue.records import NO_STRATEGY, STRATEGIES, Dialogue, JsonValue, Labeller, Speaker, StrategyLabel, Utterance
from trialogue.records.files.jsonl import MAX_PROBLEMS, Note, read_lines

REQUIRED = ("dialog_id", "utt_id", "speaker", "text")
LABELS = ("expert_label", "first_label")  # the files say the one, their README the other
SPEAKERS: dict[str, Speaker] = {"RECOMMENDER": "system", "SEEKER": "user"}
OUTCOMES = {"fine": "fine_label", "coarse": "coarse_label"}
LISTS = {"genres": "genres", "people": "people_names"}
KNOWN_LABELS = frozenset((*STRATEGIES, NO_STRATEGY))
QUOTE_WORD = "QUOTATION_MARK"
LOST = "\ufffd"  # what is left of a character that was decoded wrongly before publication

LONGEST_NUMBER = 18  # digits; a longer one numbers no turn


@dataclass(frozen=True)
class _Row:
    line: int
    cells: dict[str, str]
    dialogue: str
    number: int
    speaker: Speaker

    def cell(self, column: str) -> str:
        """A cell's content, "" where it is absent or the word nan."""
        value = self.cells.get(column, "").strip()
        return "" if value == "nan" else value


def has_columns(first_line: str) -> bool:
    """Whether a header line has the columns that identify INSPIRED's files."""
    columns = first_line.rstrip("\r\n").split("\t")
    return all(name in columns for name in REQUIRED) and any(name in columns for name in LABELS)


def read_file(path: Path, note: Note) -> list[Dialogue]:
    """Read the dialogues of one file, in the order of their first rows.

    Raises:
        DataError: missing columns, rows of another length, unknown speakers, an utterance that occurs twice.
    """
    report = ParseReport(str(path), note)
    by_dialogue: dict[str, list[_Row]] = {}
    for row in _check_unique(_rows(path, report), report):
        by_dialogue.setdefault(row.dialogue, []).append(row)
    source = f"inspired/{bare_stem(path)}"
    dialogues = [_dialogue(name, rows, source, report) for name, rows in by_dialogue.items()]
    report.settle()
    return dialogues


def _rows(path: Path, report: ParseReport) -> Iterator[_Row]:
    columns: list[str] = []
    for number, line in read_lines(path, note=report.note):
        cells = line.rstrip("\r\n").split("\t")
        if not columns:
            columns = _header(cells, str(path), number)
        elif len(cells) < len(columns) and not line.endswith("\n"):
            report.mend("the last row is cut off and was left out", line=number)
        elif row := _row(dict(zip(columns, cells, strict=False)), len(cells) - len(columns), number, report):
            yield row
        if len(report.problems) >= MAX_PROBLEMS:
            return
    if not columns:
        raise DataError(Problem("this file is empty.", str(path), hint="Is the file complete?"))


def _header(columns: list[str], file: str, line: int) -> list[str]:
    missing = [name for name in REQUIRED if name not in columns]
    if not any(name in columns for name in LABELS):
        missing.append(" or ".join(LABELS))
    if missing:
        what = f"these columns are missing: {', '.join(missing)}. The header has: {', '.join(columns)[:200]}."
        hint = "INSPIRED's files are tab-separated, with column names in the first row."
        raise DataError(Problem(what, file, line, hint=hint))
    return columns


def _row(cells: dict[str, str], surplus: int, line: int, report: ParseReport) -> _Row | None:
    if surplus:
        more = f"{abs(surplus)} {'cell' if abs(surplus) == 1 else 'cells'} too {'many' if surplus > 0 else 'few'}"
        report.wrong(f"this row has {more}.", line=line, hint="Does a text contain a tab or a line break?")
        return None
    name, number = cells["dialog_id"].strip(), cells["utt_id"].strip()
    speaker = SPEAKERS.get(cells["speaker"].strip().upper())
    if speaker is None:
        report.wrong(f"speaker {cells['speaker']!r} is not one of {', '.join(SPEAKERS)}.", "speaker", line=line)
    if not name:
        report.wrong("the row has no dialogue id.", "dialog_id", line=line)
    if not number.isdecimal():
        report.wrong(f"{number!r} is not a number.", "utt_id", line=line)
    return _Row(line, cells, name, int(number), speaker) if speaker and name and number.isdecimal() else None


def _check_unique(rows: Iterable[_Row], report: ParseReport) -> Iterator[_Row]:
    seen: dict[tuple[str, int], int] = {}
    for row in rows:
        if (first := seen.setdefault((row.dialogue, row.number), row.line)) != row.line:
            what = f"utterance {row.number} of dialogue {row.dialogue!r} is already in line {first}."
            report.wrong(what, "utt_id", line=row.line)
        yield row


def _dialogue(name: str, rows: list[_Row], source: str, report: ParseReport) -> Dialogue:
    ordered = sorted(rows, key=lambda row: row.number)
    if ordered != rows:
        report.mend("the rows of a dialogue are out of order; sorted by utt_id", line=rows[0].line)
    movie = _common_value(ordered, "movie_id", report)
    return Dialogue(
        id=name,
        utterances=tuple(_utterance(row, report) for row in ordered),
        system="human",
        source=source,
        outcome={kind: label for kind, column in OUTCOMES.items() if (label := _common_value(ordered, column, report))},
        meta={"movie_id": movie} if movie else {},
    )


def _common_value(rows: list[_Row], column: str, report: ParseReport) -> str:
    """Constant value of a column over the rows of a dialogue; "" if all are empty."""
    said = Counter(value for row in rows if (value := row.cell(column)))
    for row in rows:
        if said and not row.cell(column):
            report.mend(
                "this row has no value (nan); that of the dialogue's other rows was used", column, line=row.line
            )
    if len(said) > 1:
        report.mend(
            "the rows of a dialogue have different values; the most frequent one was used", column, line=rows[0].line
        )
    return said.most_common(1)[0][0] if said else ""


def _utterance(row: _Row, report: ParseReport) -> Utterance:
    text = _restore_quotes(row.cells["text"])
    if text != row.cells["text"]:
        report.mend(f"{QUOTE_WORD} was replaced by the quotation mark that it stands for", "text", line=row.line)
    if LOST in text:
        report.mend("characters were lost before publication (\\ufffd); kept as they are", "text", line=row.line)
    titles = [title for part in row.cell("movies").split(";") if (title := part.strip())]
    return Utterance(
        speaker=row.speaker,
        text=text,
        id=str(row.number),
        strategies=_strategies(row, report),
        mentions=locate_titles(titles, text) if "movies" in row.cells else None,
        meta=_meta(row, text),
    )


def _strategies(row: _Row, report: ParseReport) -> tuple[StrategyLabel, ...] | None:
    first, second = row.cell(LABELS[0]) or row.cell(LABELS[1]), row.cell("second_label")
    if row.speaker == "system" and not first:
        report.mend("a recommender's utterance has no label; its strategy is unknown", LABELS[0], line=row.line)
    labels = [(label, origin) for label, origin in ((first, "expert"), (second, "second")) if label]
    for label, _ in labels:
        if label not in KNOWN_LABELS:
            report.mend(f"{label!r} is not one of the 13 strategies; kept", LABELS[0], line=row.line)
    return tuple(_label(label, origin) for label, origin in labels) or None


@cache
def _label(label: str, origin: str) -> StrategyLabel:
    return StrategyLabel(strategy=label, origin=origin, by=Labeller.PERSON)


def _meta(row: _Row, text: str) -> dict[str, JsonValue]:
    meta: dict[str, JsonValue] = {}
    if (turn := row.cell("turn_id")).isdecimal() and len(turn) <= LONGEST_NUMBER:
        meta["turn_id"] = int(turn)
    for name, column in LISTS.items():
        values: list[JsonValue] = [part.strip() for part in row.cell(column).split(";") if part.strip()]
        if values:
            meta[name] = values
    if (placeholders := _restore_quotes(row.cells.get("text_with_placeholder", ""))) not in ("", text):
        meta["text_with_placeholder"] = placeholders
    return meta


def _restore_quotes(text: str) -> str:
    return text.replace(QUOTE_WORD, '"')


def _is_inspired(head: Head) -> bool:
    return has_columns(head.first_line)


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    seen: dict[str, Path] = {}
    what = f"no .tsv file in this folder has INSPIRED's columns ({', '.join(REQUIRED)}, expert_label, ...)."
    hint = "Get them with: trialogue data get inspired"
    for file in files_at(path, _is_inspired, what=what, hint=hint, suffixes=(".tsv",)):
        dialogues = read_file(file, note)
        twice = [
            Problem(f"dialogue {dialogue.id!r} is already in {seen[dialogue.id].name}.", str(file), field="dialog_id")
            for dialogue in dialogues
            if dialogue.id in seen
        ]
        if twice:
            raise DataError(twice, hint="Is one of the files a copy? Remove it, or name the other files one by one.")
        seen |= dict.fromkeys((dialogue.id for dialogue in dialogues), file)
        yield from dialogues


SOURCE = card("inspired")

FORMAT = SimpleFormat(
    name="inspired",
    summary="INSPIRED's tab-separated files with strategies: one .tsv, or a folder of dev.tsv, test.tsv, train.tsv.",
    recognise=in_file_or_folder(_is_inspired, suffixes=(".tsv",)),
    reader=_read,
)

CORPUS = Corpus(source=SOURCE, reader=_read)
