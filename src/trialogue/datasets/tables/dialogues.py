"""Build dialogues from a table with one row per utterance."""

from collections.abc import Iterator

from trialogue.datasets.corpora.mentions import locate_titles
from trialogue.datasets.failures import FAILED_CONVERSATION, ending_in
from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.tables.mapping import Mapping
from trialogue.datasets.tables.rows import ABSENT, Row, Table, items, number
from trialogue.datasets.tables.speakers import Speakers
from trialogue.records import Dialogue, Ending, JsonValue, Rating, Speaker, StrategyLabel, Utterance


def dialogues(table: Table, mapping: Mapping, source: str, report: ParseReport) -> Iterator[Dialogue]:
    """Build the dialogues in the order of their first rows, which need not be contiguous."""
    by_dialogue: dict[str, list[Row]] = {}
    for row in table.rows:
        name = row.text(mapping.dialogue).strip()
        if name:
            by_dialogue.setdefault(name, []).append(row)
        else:
            report.wrong("the row has no dialogue id.", mapping.dialogue or "", line=row.line)
    speakers = Speakers(mapping.speakers)
    for name, rows in by_dialogue.items():
        yield _dialogue(name, rows, mapping, source, speakers, report)
    speakers.settle(mapping.speaker or "", report)


def _dialogue(
    name: str, rows: list[Row], mapping: Mapping, source: str, speakers: Speakers, report: ParseReport
) -> Dialogue:
    ordered = _sort_rows(rows, mapping.order, report)
    utterances = [_utterance(row, mapping, speakers, report) for row in ordered]
    failure = _failure(ordered, utterances, mapping, report)
    _check_ids(utterances, name, rows[0].line, mapping, report)
    return Dialogue(
        id=name,
        utterances=tuple(utterances),
        system=_common_value(rows, mapping.system, name, report) or mapping.system_name,
        user=_common_value(rows, mapping.user, name, report) or None,
        source=source,
        ratings=tuple(_dialogue_ratings(rows, mapping, name, report)),
        ended_by=None if failure is None else failure[0],
        ending_detail=None if failure is None else failure[1],
    )


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


def _sort_rows(rows: list[Row], column: str | None, report: ParseReport) -> list[Row]:
    if column is None:
        return rows
    numbers = [number(row, column, report) for row in rows]
    for row, place in zip(rows, numbers, strict=True):
        if place is None and row.text(column).strip().lower() in ABSENT:
            report.wrong("expected a number to sort by.", column, line=row.line)
    order = sorted(range(len(rows)), key=lambda index: numbers[index] or 0)
    if order != list(range(len(rows))):
        report.mend("the rows of a dialogue are out of order; sorted", column, line=rows[0].line)
    return [rows[index] for index in order]


def _common_value(rows: list[Row], column: str | None, name: str, report: ParseReport) -> str:
    """Constant value of a column within a dialogue; "" if all cells are empty."""
    said = {value: row for row in reversed(rows) if (value := row.text(column).strip())}
    if len(said) > 1:
        what = f"dialogue {name!r} has several: {', '.join(sorted(said)[:5])}."
        hint = "A dialogue has one. Do several dialogues share this id?"
        report.wrong(what, column or "", line=rows[0].line, hint=hint)
    return next(iter(said), "")


def _check_ids(utterances: list[Utterance], name: str, line: int, mapping: Mapping, report: ParseReport) -> None:
    ids = [utterance.id for utterance in utterances if utterance.id is not None]
    if len(set(ids)) < len(ids):
        twice = next(number for number in ids if ids.count(number) > 1)
        report.wrong(
            f"dialogue {name!r} has two utterances with the id {twice!r}.", mapping.utterance_id or "", line=line
        )


def _utterance(row: Row, mapping: Mapping, speakers: Speakers, report: ParseReport) -> Utterance:
    speaker = speakers.resolve(row.text(mapping.speaker), row.line)
    text = row.text(mapping.text)
    if not text.strip():
        report.mend("an utterance is empty; kept", mapping.text or "", line=row.line)
    return make_utterance(speaker or "user", text, row, mapping, report)


def make_utterance(speaker: Speaker, text: str, row: Row, mapping: Mapping, report: ParseReport) -> Utterance:
    """Build an utterance with all fields from its row."""
    strategies = items(row, mapping.strategies, mapping.list_separator, report)
    titles = items(row, mapping.mentions, mapping.list_separator, report)
    ranking = items(row, mapping.ranking, mapping.list_separator, report)
    labels = tuple(
        StrategyLabel(strategy=label, origin=mapping.strategy_origin, by=mapping.strategy_by)
        for label in strategies or ()
    )
    return Utterance(
        speaker=speaker,
        text=text,
        id=row.text(mapping.utterance_id).strip() or None,
        strategies=labels or None,
        mentions=None if titles is None else locate_titles(titles, text),
        ranking=tuple(ranking) if ranking else None,
        ratings=tuple(ratings(row, mapping.ratings, mapping, report)),
        meta=kept_cells(row, mapping),
    )


def ratings(row: Row, columns: dict[str, str], mapping: Mapping, report: ParseReport) -> Iterator[Rating]:
    """Ratings in these columns of a row; a value outside the scale is a mistake."""
    low, high = mapping.scale or (None, None)
    for name, column in columns.items():
        value = number(row, column, report)
        if value is None:
            continue
        if low is not None and high is not None and not low <= value <= high:
            report.wrong(f"{value:g} is outside the scale {low:g} to {high:g}.", column, line=row.line)
            continue
        rater = row.text(mapping.rater).strip() or None
        yield Rating(name=name, value=value, rater=rater, low=low, high=high, raters=mapping.raters)


def _dialogue_ratings(rows: list[Row], mapping: Mapping, name: str, report: ParseReport) -> list[Rating]:
    found: dict[tuple[str, str | None], Rating] = {}
    for row in rows:
        for rating in ratings(row, mapping.dialogue_ratings, mapping, report):
            first = found.setdefault((rating.name, rating.rater), rating)
            if first.value != rating.value:
                what = f"dialogue {name!r} has two values: {first.value:g} and {rating.value:g}."
                hint = "If these are ratings of utterances, map them under ratings."
                report.wrong(what, mapping.dialogue_ratings[rating.name], line=row.line, hint=hint)
    return list(found.values())


def kept_cells(row: Row, mapping: Mapping) -> dict[str, JsonValue]:
    """Non-empty cells of the further columns to keep."""
    return {column: value for column in mapping.meta if (value := row.cells.get(column)) not in (None, "")}
