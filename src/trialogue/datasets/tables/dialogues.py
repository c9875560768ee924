"""Build dialogues from a table with one row per utterance."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from trialogue.datasets.corpora.mentions import locate_titles
from trialogue.datasets.door.account import FeedbackTally
from trialogue.datasets.door.feedback import Said, feedback_under, key_of, kind_of_rater, scale_in, with_rater
from trialogue.datasets.door.traces import amounts_in
from trialogue.datasets.door.units import SHORTEST_LOOP, Clashes, Entry, Level, Units, level_of, quote_names, units_of
from trialogue.datasets.door.values import (
    DECIMAL_COMMA,
    Identifiers,
    identifier,
    is_absent,
    lost_digits,
    place_in_time,
    plain_number,
)
from trialogue.datasets.failures import FAILED_CONVERSATION, ending_in
from trialogue.datasets.json_documents import ParseReport, kind_of
from trialogue.datasets.tables.mapping import COSTS, Mapping, Speakers
from trialogue.datasets.tables.nested import SILENT
from trialogue.datasets.tables.rows import Row, Table, items, number, texts
from trialogue.records import Dialogue, Ending, JsonValue, Rating, Speaker, StrategyLabel, Utterance
from trialogue.records.trace import Trace

ROW_NUMBERS = frozenset({"", "unnamed: 0", "index", "row", "row_id", "row_number", "line", "#"})
"""Headings of numbers of rows, which differ in rows that are otherwise repeated."""

Key = tuple[str, str, str]
"""(Id, system, trial) of a conversation; "" where there is no column, or the cell is blank."""


@dataclass
class _Reading:
    """One table on its way to dialogues."""

    table: Table
    mapping: Mapping
    source: str
    report: ParseReport
    ids: "TableIds"
    speakers: Speakers
    tally: FeedbackTally
    two_contents: Clashes = field(default_factory=Clashes)
    scattered: Clashes = field(default_factory=Clashes)
    places: dict[int, int] = field(default_factory=dict)
    numbers_rows: bool = False
    """Whether the numbers to sort by go on through the whole table, so that repeated rows differ in them."""
    is_timed: bool = False
    """Whether rows are sorted by times."""
    by_other_raters: dict[int, list[Row]] = field(default_factory=dict)
    """Rows of the same message by other raters, by the one that was kept."""

    def with_other_raters(self, rows: Iterable[Row]) -> list[Row]:
        """Rows, each followed by those of the same message by other raters."""
        return [each for row in rows for each in (row, *self.by_other_raters.get(id(row), ()))]


@dataclass(frozen=True)
class TableIds:
    """How the identifiers of a table's columns compare."""

    dialogue: Identifiers
    user: Identifiers
    utterance: Identifiers
    rater: Identifiers
    situation: Identifiers
    ranking: Identifiers
    targets: Identifiers
    trial: Identifiers

    @classmethod
    def of(cls, table: Table, mapping: Mapping) -> "TableIds":
        """Rules for a table."""
        separator = mapping.list_separator
        return cls(
            dialogue=table.identifiers(mapping.dialogue),
            user=table.identifiers(mapping.user),
            utterance=table.identifiers(mapping.utterance_id),
            rater=table.identifiers(mapping.rater),
            situation=table.identifiers(mapping.situation),
            ranking=table.item_identifiers(mapping.ranking, separator),
            targets=table.item_identifiers(mapping.targets, separator),
            trial=table.identifiers(mapping.trial),
        )


def dialogues(table: Table, mapping: Mapping, source: str, report: ParseReport) -> Iterator[Dialogue]:
    """Build the dialogues in the order of their first rows, which need not be contiguous.

    Rows of one id are one dialogue for each system and trial. Repeated rows are left out; rows that cannot be of one
    conversation are an error that names the ids.
    """
    reading = _Reading(
        table,
        mapping,
        source,
        report,
        TableIds.of(table, mapping),
        Speakers(mapping.speakers),
        tally_of(mapping),
        places={id(row): place for place, row in enumerate(table.rows)},
        numbers_rows=_numbers_rows(table, mapping),
        is_timed=_is_timed(table, mapping),
    )
    check_digits(table, mapping.dialogue, report)
    units = {key: _unit(key, rows, reading) for key, rows in _groups(reading).items()}
    rating_columns = _rating_columns(units, reading)
    trials = {name: sum(1 for other in units if other[:2] == (name, system)) for name, system, _ in units}
    several = mapping.trial is not None and any(times > 1 for times in trials.values())
    for (name, system, trial), unit in units.items():
        own = f"{name}/{trial}" if several and trial else name
        yield _dialogue(own, name if mapping.trial is not None else None, system, unit.rows, rating_columns, reading)
    reading.speakers.settle(mapping.speaker or "", report)
    reading.tally.settle(report)
    _settle_units(units, reading)


def _is_timed(table: Table, mapping: Mapping) -> bool:
    """Whether rows are sorted by times, which two messages may share."""
    values = [value for row in table.rows if not is_absent(value := row.cell(mapping.order))]
    is_time = all(place_in_time(value) is not None for value in values)
    return bool(values) and is_time and any(plain_number(value) is None for value in values)


def _numbers_rows(table: Table, mapping: Mapping) -> bool:
    """Whether the column to sort by numbers the rows of several dialogues, and not the turns of each."""
    if mapping.order is None or mapping.order.strip().lower() not in ROW_NUMBERS:
        return False
    numbers = {repr(row.cells.get(mapping.order)) for row in table.rows}
    return len(numbers) == len(table.rows) and len({repr(row.cell(mapping.dialogue)) for row in table.rows}) > 1


def tally_of(mapping: Mapping) -> FeedbackTally:
    """Tally of the feedback in a mapped table."""
    return FeedbackTally(missing=mapping.missing, is_declared=mapping.scale is not None)


def check_digits(table: Table, column: str | None, report: ParseReport) -> None:
    """Report identifiers that a spreadsheet or a float rounded: different ones may have become equal."""
    rounded: dict[str, Row] = {}
    for row in table.rows:
        if lost_digits(value := row.cell(column)):
            rounded.setdefault(identifier(value), row)
    if rounded:
        what = (
            f"{len(rounded)} ids have lost digits, as long numbers do in a spreadsheet: {quote_names(list(rounded))}. "
            "Different ids may have become one."
        )
        line = next(iter(rounded.values())).line
        report.wrong(what, column or "", line=line, hint="Export the column as text.")


def _groups(reading: _Reading) -> dict[Key, list[Row]]:
    """Rows by conversation."""
    mapping, report = reading.mapping, reading.report
    by_name: dict[str, list[Row]] = {}
    for row in reading.table.rows:
        name = reading.ids.dialogue.text(row.cell(mapping.dialogue))
        if name:
            by_name.setdefault(name, []).append(row)
        else:
            report.wrong("the row has no dialogue id.", mapping.dialogue or "", line=row.line)
    found: dict[Key, list[Row]] = {}
    for name, rows in by_name.items():
        systems = [identifier(row.cell(mapping.system)) for row in rows]
        by_system = all(systems) and _are_apart(rows, systems, mapping, reading.speakers)
        for row, system in zip(rows, systems, strict=True):
            trial = reading.ids.trial.text(row.cell(mapping.trial))
            found.setdefault((name, system if by_system else "", trial), []).append(row)
    return found


def _are_apart(rows: list[Row], systems: list[str], mapping: Mapping, speakers: Speakers) -> bool:
    """Whether systems that share an id had a conversation each: of both sides, and none goes on where another stops."""
    groups: dict[str, list[Row]] = {}
    for row, system in zip(rows, systems, strict=True):
        groups.setdefault(system, []).append(row)
    sides = [
        {speakers.peek(row.text(mapping.speaker)) for row in group}
        for group in groups.values()
        if not all(row.cells.get(SILENT) for row in group)
    ]
    if len(groups) == 1 or not all({"user", "system"} <= side for side in sides):
        return len(groups) == 1
    if mapping.order is None or not all(plain_number(row.cell(mapping.order)) is not None for row in rows):
        return True
    ranges = sorted(
        (min(numbers), max(numbers))
        for group in groups.values()
        if (numbers := [found for row in group if (found := plain_number(row.cells.get(mapping.order))) is not None])
    )
    return any(later[0] <= earlier[1] for earlier, later in pairwise(ranges))


def _unit(key: Key, rows: list[Row], reading: _Reading) -> Units[Row]:
    """The rows of one conversation in order, without repetitions."""
    mapping = reading.mapping
    numbers = [_place(row, reading) for row in rows]
    apart = {name for name in reading.table.columns if name.strip().lower() in ROW_NUMBERS}
    apart.add(mapping.dialogue or "")
    apart -= set() if reading.numbers_rows else {mapping.order}
    entries = [
        Entry(
            row,
            content=tuple(_content(value) for name, value in row.cells.items() if name not in apart),
            opening=(row.text(mapping.speaker), row.text(mapping.text)),
            place=reading.places[id(row)],
            speaker=row.text(mapping.speaker),
            number=None if reading.numbers_rows or reading.is_timed else place,
        )
        for row, place in zip(rows, numbers, strict=True)
    ]
    if mapping.order is not None:
        for row in rows:
            if is_absent(row.cells.get(mapping.order)):
                reading.report.wrong(
                    "expected a number to sort by, got an empty cell.",
                    mapping.order,
                    line=row.line,
                    hint="Fill it in, or map another column under order.",
                )
    unit = units_of(_of_first_rater(entries, reading))
    if unit.has_two_contents:
        reading.two_contents.add(key[0], rows[0].line)
    elif unit.is_scattered:
        reading.scattered.add(key[0], rows[0].line)
    if mapping.order is not None:
        unit.rows = _sort_unit(
            unit.rows, {id(row): place or 0 for row, place in zip(rows, numbers, strict=True)}, reading
        )
    return unit


def _content(value: object) -> str:
    """A cell for comparison with others: a whole number is the same however it was stored."""
    return identifier(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else repr(value)


def _of_first_rater(entries: list[Entry[Row]], reading: _Reading) -> list[Entry[Row]]:
    """Without the repetitions of a conversation that stands in the table once for each of its raters."""
    column = reading.mapping.rater
    by_rater: dict[str, list[Entry[Row]]] = {}
    for entry in entries:
        by_rater.setdefault(entry.row.text(column), []).append(entry)
    first, *others = by_rater.values()
    if column is None or not others or len(first) < SHORTEST_LOOP:
        return entries
    texts_of = [[entry.opening for entry in one] for one in (first, *others)]
    if any(one != texts_of[0] for one in texts_of):
        return entries
    for rest in others:
        for kept, entry in zip(first, rest, strict=True):
            reading.by_other_raters.setdefault(id(kept.row), []).append(entry.row)
    return first


def _place(row: Row, reading: _Reading) -> float | None:
    """What a row is sorted by."""
    order = reading.mapping.order
    if order is None:
        return None
    return place_in_time(row.cell(order)) if reading.is_timed else number(row, order, reading.report)


def _sort_unit(rows: list[Row], numbers: dict[int, float], reading: _Reading) -> list[Row]:
    ordered = sorted(rows, key=lambda row: numbers[id(row)])
    if [id(row) for row in ordered] != [id(row) for row in rows]:
        reading.report.mend(
            "the rows of a dialogue are out of order; sorted", reading.mapping.order or "", line=rows[0].line
        )
    return ordered


def _settle_units(units: dict[Key, Units[Row]], reading: _Reading) -> None:
    """Report repetitions, ids of several conversations, and conversations in several blocks."""
    report, column = reading.report, reading.mapping.dialogue or ""
    repeated = {key: unit for key, unit in units.items() if unit.repeated}
    if repeated:
        names = quote_names(list(dict.fromkeys(key[0] for key in repeated)))
        total = sum(unit.repeated for unit in repeated.values())
        what = f"{total} rows repeat earlier rows of the same dialogue and were left out (dialogues {names})"
        report.mend(what, column, line=next(iter(repeated.values())).rows[0].line, hint="Was a log resumed?")
    if reading.two_contents.ids:
        what = f"several conversations share an id: {reading.two_contents.id_list()}."
        hint = "Give each its own id, or map the column that tells them apart as trial."
        report.wrong(what, column, line=reading.two_contents.line, hint=hint)
    if reading.scattered.ids and 2 * len(reading.scattered.ids) < len(units):
        what = (
            f"the rows of {len(reading.scattered.ids)} dialogues are in several blocks; each dialogue was read as "
            f"one: {reading.scattered.id_list()}"
        )
        report.mend(
            what, column, line=reading.scattered.line, hint="If these are different conversations, give them ids."
        )


def _rating_columns(units: dict[Key, Units[Row]], reading: _Reading) -> dict[Level, dict[str, str]]:
    """Rating columns by what they rate, which the data decide: whether a column is mapped or guessed makes no difference."""
    mapping = reading.mapping
    found = {Level.DIALOGUE: dict(mapping.dialogue_ratings), Level.UTTERANCE: dict(mapping.utterance_ratings)}
    for name, column in mapping.ratings.items():
        values = [
            [repr(value) for row in unit.rows if not is_absent(value := row.cells.get(column))]
            for unit in units.values()
        ]
        on_users = mapping.messages is None and any(
            not is_absent(row.cells.get(column)) and reading.speakers.peek(row.text(mapping.speaker)) == "user"
            for unit in units.values()
            for row in unit.rows
        )
        level, odd = (Level.UTTERANCE, []) if mapping.rater else level_of(values, on_users)
        if mapping.rater and _constant_by_rater(units, column, reading):
            level = Level.DIALOGUE
        keys = list(units)
        for place in odd:
            reading.two_contents.add(keys[place][0], units[keys[place]].rows[0].line)
        if not odd:
            found[level][name] = column
    return found


def _constant_by_rater(units: dict[Key, Units[Row]], column: str, reading: _Reading) -> bool:
    """Whether no rater gives a dialogue two values."""
    for unit in units.values():
        by_rater: dict[str, set[str]] = {}
        for row in reading.with_other_raters(unit.rows):
            if not is_absent(value := row.cells.get(column)):
                by_rater.setdefault(row.text(reading.mapping.rater), set()).add(repr(value))
        if any(len(values) > 1 for values in by_rater.values()):
            return False
    return True


def _dialogue(
    name: str, task: str | None, system: str, rows: list[Row], columns: dict[Level, dict[str, str]], reading: _Reading
) -> Dialogue:
    mapping, report = reading.mapping, reading.report
    system = system or _common_value(rows, mapping.system, Identifiers(), name, report) or mapping.system_name or ""
    on_rows = mapping.model_copy(update={"ratings": columns[Level.UTTERANCE]})
    spoken = [row for row in rows if not row.cells.get(SILENT)]
    if not spoken:
        report.mend("a conversation has no text by the user or assistant", mapping.messages or "", line=rows[0].line)
    utterances = [_utterance(row, system, on_rows, reading) for row in spoken]
    utterances, trace = _with_traces(utterances)
    failure = _failure(spoken, utterances, mapping, report)
    _check_ids(utterances, name, min(row.line for row in rows), mapping, report)
    return Dialogue(
        id=name,
        utterances=tuple(utterances),
        system=system or None,
        user=_common_value(rows, mapping.user, reading.ids.user, name, report) or None,
        task=task,
        source=reading.source,
        ratings=tuple(
            _dialogue_ratings(reading.with_other_raters(rows), columns[Level.DIALOGUE], system, name, reading)
        ),
        ended_by=None if failure is None else failure[0],
        ending_detail=None if failure is None else failure[1],
        trace=trace,
        meta=kept_cells(rows[0], mapping.meta_of_records),
    )


def _with_traces(utterances: list[Utterance]) -> tuple[list[Utterance], Trace | None]:
    """Utterances with what the system took for them, and what is of the whole dialogue: it stands beside the user's, too."""
    fields = [dict(said.meta) for said in utterances]
    found = [amounts_in(own) for own in fields]
    whole = next(
        (trace for said, trace in zip(utterances, found, strict=True) if said.speaker == "user" and trace), None
    )
    told = [
        said
        if trace is None
        else said.model_copy(update={"meta": meta, "trace": None if whole or said.speaker == "user" else trace})
        for said, meta, trace in zip(utterances, fields, found, strict=True)
    ]
    return told, whole


def _failure(
    rows: list[Row], utterances: list[Utterance], mapping: Mapping, report: ParseReport
) -> tuple[Ending, str | None] | None:
    """Failure of a dialogue, from the error column."""
    if mapping.error is None:
        return None
    found = ending_in(
        (row.cells.get(mapping.error), said.speaker == "system" and bool(said.text.strip()))
        for row, said in zip(rows, utterances, strict=True)
    )
    if found is not None:
        report.mend(FAILED_CONVERSATION, mapping.error, line=rows[-1].line)
    return found


def _common_value(rows: list[Row], column: str | None, ids: Identifiers, name: str, report: ParseReport) -> str:
    """Constant value of a column within a dialogue; "" if all cells are empty."""
    said = {value: row for row in reversed(rows) if (value := ids.text(row.cell(column)))}
    if len(said) > 1:
        what = f"dialogue {name!r} has several values: {', '.join(sorted(said)[:5])}."
        hint = "A dialogue must have one value. Do several dialogues share this id?"
        line = min(row.line for row in rows)
        report.wrong(what, column or "", line=line, hint=hint, kind="a dialogue has several values")
    return next(iter(said), "")


def _check_ids(utterances: list[Utterance], name: str, line: int, mapping: Mapping, report: ParseReport) -> None:
    ids = [utterance.id for utterance in utterances if utterance.id is not None]
    if len(set(ids)) < len(ids):
        twice = next(number for number in ids if ids.count(number) > 1)
        what = f"dialogue {name!r} has two utterances with the id {twice!r}."
        report.wrong(what, mapping.utterance_id or "", line=line, kind="two utterances share an id")


def _utterance(row: Row, system: str, mapping: Mapping, reading: _Reading) -> Utterance:
    speaker = reading.speakers.resolve(row.text(mapping.speaker), row.line)
    text = row.text(mapping.text)
    check_text(row, mapping.text, reading.report)
    if not text.strip():
        reading.report.mend("an utterance is empty; kept", mapping.text or "", line=row.line)
    said = make_utterance(
        speaker or "user", text, row, mapping, reading.report, ids=reading.ids, tally=reading.tally, system=system
    )
    others = [
        rating
        for other in reading.by_other_raters.get(id(row), ())
        for rating in ratings(
            other, mapping.ratings, mapping, reading.report, ids=reading.ids, tally=reading.tally, system=system
        )
    ]
    return said.model_copy(update={"ratings": (*said.ratings, *others)}) if others else said


def check_text(row: Row, column: str | None, report: ParseReport) -> None:
    """Report a cell that should be a text, and is a list or an object."""
    value = row.cell(column)
    if isinstance(value, list | dict):
        kind = "expected a text"
        report.wrong(f"{kind}, got {kind_of(value)}.", column or "", line=row.line, kind=kind)


def make_utterance(
    speaker: Speaker,
    text: str,
    row: Row,
    mapping: Mapping,
    report: ParseReport,
    *,
    ids: TableIds,
    tally: FeedbackTally,
    system: str,
) -> Utterance:
    """Build an utterance with all fields from its row."""
    strategies = texts(row, mapping.strategies, mapping.list_separator, report)
    titles = texts(row, mapping.mentions, mapping.list_separator, report)
    ranking = items(row, mapping.ranking, mapping.list_separator, report)
    labels = tuple(
        StrategyLabel(strategy=label, origin=mapping.strategy_origin, by=mapping.strategy_by)
        for label in strategies or ()
    )
    thought = "" if is_absent(row.cell(mapping.thought)) else row.text(mapping.thought).strip()
    return Utterance(
        speaker=speaker,
        text=text,
        thought=thought or None,
        id=ids.utterance.text(row.cell(mapping.utterance_id)) or None,
        strategies=labels or None,
        mentions=None if titles is None else locate_titles(titles, text),
        ranking=None if ranking is None or speaker == "user" else tuple(ids.ranking.text(item) for item in ranking),
        ratings=tuple(ratings(row, mapping.ratings, mapping, report, ids=ids, tally=tally, system=system)),
        meta=kept_cells(row, mapping.meta_of_rows),
    )


def ratings(
    row: Row,
    columns: dict[str, str],
    mapping: Mapping,
    report: ParseReport,
    *,
    ids: TableIds,
    tally: FeedbackTally,
    system: str,
) -> Iterator[Rating]:
    """Ratings in these columns of a row; a value outside the declared scale is a mistake."""
    for name, column in columns.items():
        low, high = mapping.scale or scale_in(column)[1:]
        for plain in feedback_under(name, row.cells.get(column)):
            said = with_rater(plain, row.cells)
            found = tally.see(said, system, row.line)
            if found is None:
                continue
            if low is not None and high is not None and not low <= found.value <= high:
                kind = f"outside the scale {low:g} to {high:g}"
                report.wrong(f"{found.value:g} is {kind}.", column, line=row.line, kind=kind)
                continue
            if isinstance(said.raw, str) and DECIMAL_COMMA.fullmatch(said.raw.strip()):
                report.mend("a decimal comma was read as a decimal point", column, line=row.line)
            rater = ids.rater.text(row.cell(mapping.rater)) or said.rater
            yield Rating(
                name=said.name,
                value=found.value,
                rater=rater or None,
                low=found.low if low is None else low,
                high=found.high if high is None else high,
                raters=kind_of_rater(row.text(mapping.origin)) or mapping.raters or said.raters,
            )


def _dialogue_ratings(
    rows: Sequence[Row], columns: dict[str, str], system: str, name: str, reading: _Reading
) -> list[Rating]:
    found: dict[tuple[str, str | None], Rating] = {}
    heard = FeedbackTally(missing=reading.tally.missing, is_declared=reading.tally.is_declared)
    for row in rows:
        for rating in ratings(
            row, columns, reading.mapping, reading.report, ids=reading.ids, tally=heard, system=system
        ):
            first = found.setdefault((rating.name, rating.rater), rating)
            if first.value != rating.value:
                what = f"dialogue {name!r} has two values: {first.value:g} and {rating.value:g}."
                hint = "If these are ratings of utterances, map them under ratings."
                kind = "a dialogue has two values"
                reading.report.wrong(what, rating.name, line=row.line, hint=hint, kind=kind)
    for unit_said in _once_each(rows, columns):
        reading.tally.see(unit_said[1], system, unit_said[0])
    return list(found.values())


def _once_each(rows: Sequence[Row], columns: dict[str, str]) -> Iterator[tuple[int, Said]]:
    """Different values of a dialogue's rating columns, each once: a value in every row is one rating."""
    known: set[tuple[str, str]] = set()
    for row in rows:
        for name, column in columns.items():
            for said in feedback_under(name, row.cells.get(column)):
                if (said.name, repr(said.raw)) not in known:
                    known.add((said.name, repr(said.raw)))
                    yield row.line, said


def kept_cells(row: Row, columns: Iterable[str]) -> dict[str, JsonValue]:
    """Non-empty cells of the further columns to keep; what a reply took is a number, however it is written."""
    kept = {column: value for column in columns if (value := row.cells.get(column)) not in (None, "")}
    costs = {column: plain_number(value) for column, value in kept.items() if key_of(column) in COSTS}
    return kept | {column: value for column, value in costs.items() if value is not None}
