"""Writing the explorer: the page, its scripts, and the data in chunks, in one pass over the rows."""

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

from trialogue.findings import Findings, Measure
from trialogue.records import MeasureName, Preference
from trialogue.records.base import JsonValue
from trialogue.records.files.opening import write_text
from trialogue.records.kinds.suspicions import Gate
from trialogue.render.drawing.theme import DARK, LIGHT, css_variables, system_colors
from trialogue.render.explorer.chunks import Json, plain, to_json, write_chunk
from trialogue.render.explorer.details import TextCodes, detail, round_value
from trialogue.render.explorer.entries import Entry, Part, entries_of
from trialogue.render.explorer.links import PAGE
from trialogue.render.explorer.threats import threat_rows
from trialogue.render.explorer.unit_scores import UnitScores
from trialogue.render.measures import all_leagues, baselines_in_order, labels

PREVIEW = 90  # characters of the first message in the list
TELLING = 4  # words of a message that says more than a greeting
NONE = -1  # of a column of numbers, where a row has nothing
FACETS = ("strategy", "act", "rater", "fault")
"""Multi-valued attributes of a row; each is stored in a chunk of its own, with the rows of every name."""


class Codes:
    """Names as numbers, in the order in which they come."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.column = array("i")

    def add(self, name: str | None) -> None:
        """The next row's name."""
        self.column.append(NONE if name is None else self.numbers.setdefault(name, len(self.numbers)))


class Postings:
    """The rows that have a name, by name."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, ...], array[int]] = {}

    def add(self, row: int, names: Iterable[tuple[str, ...]]) -> None:
        """The names of a row, each once; rows come in order."""
        for name in {*names}:
            self.rows.setdefault(name, array("i")).append(row)

    def names(self) -> list[tuple[str, ...]]:
        """In alphabetical order."""
        return sorted(self.rows)

    def steps(self) -> list[JsonValue]:
        """The rows of each name, as steps from one to the next, which are short to write."""
        found: list[JsonValue] = []
        for name in self.names():
            before = 0
            steps: list[JsonValue] = []
            for row in self.rows[name]:
                steps.append(row - before)
                before = row
            found.append(steps)
        return found


@dataclass
class Columns:
    """All columns of the rows so far."""

    ids: list[str] = field(default_factory=list)
    systems: Codes = field(default_factory=Codes)
    parts: Codes = field(default_factory=Codes)
    endings: Codes = field(default_factory=Codes)
    shared: Codes = field(default_factory=Codes)
    lengths: "array[int]" = field(default_factory=lambda: array("i"))
    previews: list[str] = field(default_factory=list)
    facets: dict[str, Postings] = field(default_factory=lambda: {name: Postings() for name in FACETS})
    measures: dict[str, "array[float]"] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    """Party at fault by ending; regular endings are absent."""
    replies: int = 0
    """Rows that are replies to situations."""

    def add(self, entry: Entry, part: str, facets: Mapping[str, Iterable[tuple[str, ...]]]) -> None:
        """Add a row without its values."""
        dialogue = entry.dialogue
        row = len(self.ids)
        self.ids.append(dialogue.id)
        self.systems.add(entry.system)
        self.parts.add(part)
        self.shared.add(entry.shared)
        self.endings.add(None if dialogue.ended_by is None else dialogue.ended_by.value)
        if dialogue.ended_by is not None and dialogue.ended_by.fault is not None:
            self.faults[dialogue.ended_by.value] = dialogue.ended_by.fault.value
        self.lengths.append(len(dialogue.utterances))
        self.replies += entry.is_reply
        self.previews.append(_preview(entry))
        for name, names in facets.items():
            self.facets[name].add(row, names)

    def add_values(self, values: Mapping[str, float]) -> None:
        """The values of the row that was added last, by column."""
        row = len(self.ids) - 1
        for name, value in values.items():
            column = self.measures.get(name)
            if column is None:
                column = self.measures[name] = array("d")
            if len(column) < row:
                column.extend([math.nan] * (row - len(column)))
            column.append(value)

    def values_of(self, measure: str) -> list[JsonValue]:
        """A column of values; null where a row has none."""
        column = self.measures[measure]
        known: list[JsonValue] = [None if value != value else round_value(value) for value in column]
        return [*known, *[None] * (len(self.ids) - len(known))]


def _preview(entry: Entry) -> str:
    """The user's first message beyond a greeting, on one line; for a reply, the message it answers."""
    said = [each.text for each in entry.dialogue.utterances if each.speaker == "user" and each.text.strip()]
    texts = said or [each.text for each in entry.dialogue.utterances] or [""]
    telling = (each for each in texts if len(each.split()) >= TELLING)
    text = texts[-1] if entry.is_reply else next(telling, texts[0])
    line = " ".join(text[: 4 * PREVIEW].split())
    return plain(line if len(line) <= PREVIEW else f"{line[:PREVIEW]}…")


FOLDER, APP, DATA = "explorer", "app", "data"
THEME = "theme.css"
TEXT_CHUNK = 1 << 20  # characters of text in a chunk: few files to search through, and none long to read
PREVIEW_CHUNK = 1024  # rows in a chunk of previews, of which those in view are read
DETAIL_CHUNK = 128  # rows in a chunk of details, of which one is read to open a dialogue


def write_explorer(findings: Findings, parts: Sequence[Part], folder: Path) -> Path | None:
    """Write ``explorer.html`` and the folder ``explorer`` beside a report; None where there is no row to explore.

    The same findings and records give the same bytes.

    Args:
        findings: what the report says: titles of measures, threats, the order of everything.
        parts: the records and their scores.
        folder: folder of the report.
    """
    if not any(part.size for part in parts):
        return None
    data = folder / FOLDER / DATA
    columns, starts = _write_rows(parts, data)
    _write_columns(findings, columns, parts, starts, data)
    _write_app(folder)
    return folder / PAGE


def _write_rows(parts: Sequence[Part], data: Path) -> tuple[Columns, dict[str, list[JsonValue]]]:
    """The chunks of texts and details; gives back the columns, and the first row of every chunk."""
    columns = Columns()
    starts: dict[str, list[JsonValue]] = {"text": [], "detail": []}
    texts: list[str] = []
    details: list[str] = []
    words, size = TextCodes(), 0

    def flush(kind: str, content: Json, first: int) -> None:
        name = f"{kind}-{len(starts[kind])}"
        write_chunk(data, name, content)
        starts[kind].append(first)

    for row, (part, entry, scores, votes) in enumerate(_rows(parts)):
        if size >= TEXT_CHUNK:
            flush("text", _json_list(texts), row - len(texts))
            texts, size = [], 0
        if len(details) == DETAIL_CHUNK:
            flush("detail", _with_words(words, details), row - len(details))
            details, words = [], TextCodes()
        answers, gates = scores.answers(entry), _gates(part, entry)
        raters = [(each.rater,) for each in answers if each.rater is not None]
        raters += [(vote.rater,) for vote in votes if vote.rater is not None]
        messages = [*map(words.message, entry.dialogue.utterances)]
        said = messages[-1:] if entry.is_reply else messages  # labels of a reply to a situation are its own
        facets: dict[str, Iterable[tuple[str, ...]]] = {
            "strategy": chain.from_iterable([message.strategies for message in said]),
            "act": chain.from_iterable([message.acts for message in said]),
            "rater": raters,
            "fault": [(gate.value,) for gate in gates],
        }
        columns.add(entry, part.name, facets)
        columns.add_values(scores.means(entry))
        size += sum([message.size for message in messages])
        texts.append(_json_list([message.text for message in messages]).text)
        values = scores.values(entry)
        details.append(detail(entry, messages, words, values=values, answers=answers, votes=votes, gates=gates))
    flush("text", _json_list(texts), len(columns.ids) - len(texts))
    flush("detail", _with_words(words, details), len(columns.ids) - len(details))
    return columns, starts


def _gates(part: Part, entry: Entry) -> Sequence[Gate]:
    """Faults of the user of a dialogue; who wrote a situation did not talk to the system."""
    return () if entry.is_reply else part.faults.get((entry.system, entry.dialogue.id), ())


def _rows(parts: Sequence[Part]) -> Iterator[tuple[Part, Entry, UnitScores, Sequence[Preference]]]:
    """Every row with its part, the scores to look its own up in, and its votes."""
    for part in parts:
        scores, votes = UnitScores.of(part.scores, part.users), _votes_by_row(part.preferences)
        for entry in entries_of(part):
            yield part, entry, scores, votes.get((entry.is_reply, entry.system, entry.dialogue.id), ())


def _votes_by_row(votes: Sequence[Preference]) -> Mapping[tuple[bool, str, str], list[Preference]]:
    found: dict[tuple[bool, str, str], list[Preference]] = {}
    for vote in votes:
        for system, dialogue in ((vote.a, vote.dialogue_a), (vote.b, vote.dialogue_b)):
            about = dialogue if dialogue is not None else vote.situation_id
            if about is not None:
                found.setdefault((dialogue is None, system, about), []).append(vote)
    return found


def _json_list(texts: Sequence[str]) -> Json:
    return Json(f"[{','.join(texts)}]")


def _with_words(words: TextCodes, rows: Sequence[str]) -> Json:
    return Json(f'{{"words":{to_json(words.texts())},"rows":[{",".join(rows)}]}}')


def _write_columns(
    findings: Findings,
    columns: Columns,
    parts: Sequence[Part],
    starts: Mapping[str, list[JsonValue]],
    data: Path,
) -> None:
    """The index and the columns; of measures those of the report in its order, then the others by name."""
    known = {league.measure.name: league.measure for league in all_leagues(findings)}
    order = [name for name in known if name in columns.measures]
    order += sorted(name for name in columns.measures if name not in known)
    for number, name in enumerate(order):
        write_chunk(data, f"measure-{number}", columns.values_of(name))
    for name in FACETS:
        write_chunk(data, f"facet-{name}", columns.facets[name].steps())
    for number, first in enumerate(range(0, len(columns.previews), PREVIEW_CHUNK)):
        write_chunk(data, f"previews-{number}", [*columns.previews[first : first + PREVIEW_CHUNK]])
    titles = labels(all_leagues(findings))
    measures = [_measure(name, known.get(name), titles.get(name, ""), columns) for name in order]
    primary = order.index(findings.primary) if findings.primary in order else None
    write_chunk(
        data, "index", {**_index(findings, columns, parts, starts), "measures": [*measures], "primary": primary}
    )


def _index(
    findings: Findings, columns: Columns, parts: Sequence[Part], starts: Mapping[str, list[JsonValue]]
) -> dict[str, JsonValue]:
    systems, users = list(columns.systems.numbers), {part.name: part.users for part in parts}
    colors = system_colors([facts.system for facts in findings.systems])
    # A system that was evaluated is no baseline here, even if one of the same name stands beside simulated users.
    baselines = {*baselines_in_order(all_leagues(findings))} - {facts.system for facts in findings.systems}
    facets: dict[str, JsonValue] = {
        facet: [[[plain(part) for part in name], len(postings.rows[name])] for name in postings.names()]
        for facet, postings in columns.facets.items()
    }
    return {
        "title": plain(findings.title),
        "systems": [[plain(name), colors.get(name, ""), name in baselines] for name in systems],
        "parts": [[plain(name), users.get(name)] for name in columns.parts.numbers],
        "endings": [[name, columns.faults.get(name, "")] for name in columns.endings.numbers],
        "facets": facets,
        "threats": [rows.to_json() for rows in threat_rows(findings)],
        "replies": columns.replies,
        "chunks": {"text": starts["text"], "detail": starts["detail"], "preview": PREVIEW_CHUNK},
        "rows": {
            "id": [plain(name) for name in columns.ids],
            "system": [*columns.systems.column],
            "part": [*columns.parts.column],
            "ending": [*columns.endings.column],
            "shared": [*columns.shared.column],
            "length": [*columns.lengths],
        },
    }


def _measure(name: str, measure: Measure | None, title: str, columns: Columns) -> dict[str, JsonValue]:
    values: list[Any] = [value for value in columns.measures[name] if value == value]
    return {
        "name": plain(name),
        "label": plain(title or MeasureName(name).prose),
        "unit": "" if measure is None else plain(measure.unit),
        "better": "neither" if measure is None else measure.better,
        "rows": len(values),
        "low": round_value(min(values)),
        "high": round_value(max(values)),
    }


def _app_files() -> list[str]:
    assets = files("trialogue.render.explorer") / "assets"
    return [*sorted(each.name for each in assets.iterdir() if each.name != PAGE), THEME]


def _write_app(folder: Path) -> None:
    assets = files("trialogue.render.explorer") / "assets"
    app = folder / FOLDER / APP
    for name in _app_files():
        text = theme_css() if name == THEME else (assets / name).read_text(encoding="utf-8")
        write_text(app / name, text)
    write_text(folder / PAGE, (assets / PAGE).read_text(encoding="utf-8"))


def theme_css() -> str:
    """The report's colors, for light and dark screens."""
    dark = f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {css_variables(DARK)} }} }}"
    return f":root {{ {css_variables(LIGHT)} }}\n{dark}\n"
