"""Build dialogues without texts from a mapped table whose rows are people's answers about a system: a questionnaire."""

from collections.abc import Collection, Iterator

from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.tables.dialogues import ROW_NUMBERS, TableIds, check_digits, ratings, tally_of
from trialogue.datasets.tables.mapping import Mapping
from trialogue.datasets.tables.rows import Row, Table
from trialogue.records import Dialogue

ALIKE = "{alike} of {rows} rows repeat others, and nothing tells copies from people who answered alike."
TELL_APART = "Add a column with a code for each person (participant), or the time of each answer."


def tells_rows_apart(table: Table, used: Collection[str]) -> bool:
    """Whether some column that is not read, such as the time of an answer, differs between most rows."""
    others = [name for name in table.columns if name not in used and name.strip().lower() not in ROW_NUMBERS]
    return any(2 * len({repr(row.cells.get(name)) for row in table.rows}) > len(table.rows) for name in others)


def answers(table: Table, mapping: Mapping, source: str, report: ParseReport) -> Iterator[Dialogue]:
    """A dialogue of which only the ratings are known for each system and dialogue id, else person, else row.

    Rows that repeat an earlier one are left out. Where no column tells rows apart, they are a mistake.
    """
    ids, tally = TableIds.of(table, mapping), tally_of(mapping)
    check_digits(table, mapping.dialogue or mapping.user, report)
    grouped: dict[tuple[str, str, str], list[Row]] = {}
    known: set[str] = set()
    alike = 0
    can_tell = tells_rows_apart(table, mapping.columns().values())
    for row in table.rows:
        unit = ids.dialogue.text(row.cell(mapping.dialogue)) or ids.user.text(row.cell(mapping.user))
        cells = repr(row.cells)
        if cells in known and not unit and not can_tell:
            alike += 1
        elif cells in known:
            report.mend("a row repeats an earlier one and was left out", line=row.line)
            continue
        known.add(cells)
        system = row.text(mapping.system).strip() or mapping.system_name or source
        grouped.setdefault((system, unit or str(row.line), ids.trial.text(row.cell(mapping.trial))), []).append(row)
    if alike:
        report.wrong(ALIKE.format(alike=alike, rows=len(table.rows)), hint=TELL_APART)
    columns = mapping.ratings | mapping.dialogue_ratings
    for (system, unit, trial), rows in grouped.items():
        yield Dialogue(
            id=f"{unit}/{trial}" if trial else unit,
            utterances=(),
            system=system,
            user=ids.user.text(rows[0].cell(mapping.user)) or None,
            source=source,
            ratings=tuple(
                rating
                for row in rows
                for rating in ratings(row, columns, mapping, report, ids=ids, tally=tally, system=system)
            ),
        )
    tally.settle(report)
