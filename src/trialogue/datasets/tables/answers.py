"""Build dialogues without texts from a mapped table whose rows are people's answers about a system: a questionnaire."""

from collections.abc import Iterator

from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.tables.dialogues import TableIds, check_digits, ratings, tally_of
from trialogue.datasets.tables.mapping import Mapping
from trialogue.datasets.tables.rows import Row, Table
from trialogue.records import Dialogue


def answers(table: Table, mapping: Mapping, source: str, report: ParseReport) -> Iterator[Dialogue]:
    """A dialogue of which only the ratings are known for each system and dialogue id, else person, else row.

    Rows that repeat an earlier one are left out where a dialogue or a person is named; else two people answered alike.
    """
    ids, tally = TableIds.of(table, mapping), tally_of(mapping)
    check_digits(table, mapping.dialogue or mapping.user, report)
    grouped: dict[tuple[str, str, str], list[Row]] = {}
    known: set[str] = set()
    for row in table.rows:
        unit = ids.dialogue.text(row.cell(mapping.dialogue)) or ids.user.text(row.cell(mapping.user))
        cells = repr(row.cells)
        if unit and cells in known:
            report.mend("a row repeats an earlier one and was left out", line=row.line)
            continue
        known.add(cells)
        system = row.text(mapping.system).strip() or mapping.system_name or source
        grouped.setdefault((system, unit or str(row.line), ids.trial.text(row.cell(mapping.trial))), []).append(row)
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
