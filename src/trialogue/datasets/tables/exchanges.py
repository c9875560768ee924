"""Tables with one row per exchange: the user's message and the system's reply to it, side by side."""

from trialogue.datasets.door.values import is_absent
from trialogue.datasets.tables.mapping import Mapping
from trialogue.datasets.tables.rows import Row, Table

SPEAKER, TEXT, DIALOGUE = "(speaker)", "(text)", "(row)"
"""Columns of the rows that an exchange becomes; no heading is in brackets."""


def split_exchanges(table: Table, mapping: Mapping) -> tuple[Table, Mapping]:
    """The same table with a row for each message, and its mapping; ratings and items stay with the reply.

    Without a column of dialogue ids, each row is a dialogue of its own.
    """
    of_replies = {
        *mapping.ratings.values(),
        *mapping.utterance_ratings.values(),
        *(getattr(mapping, name) for name in ("utterance_id", "strategies", "mentions", "ranking", "error", "thought")),
        *mapping.meta,
    }
    rows: list[Row] = []
    for number, row in enumerate(table.rows, start=1):
        cells = row.cells if mapping.dialogue is not None else {**row.cells, DIALOGUE: str(number)}
        asked, answered = row.cell(mapping.user_text), row.cell(mapping.system_text)
        has_error = mapping.error is not None and not is_absent(row.cells.get(mapping.error))
        if not is_absent(asked):
            kept = {name: value for name, value in cells.items() if name not in of_replies}
            rows.append(Row(row.line, {**kept, SPEAKER: "user", TEXT: asked}))
        if not is_absent(answered) or has_error:
            rows.append(Row(row.line, {**cells, SPEAKER: "system", TEXT: answered}))
    declared = {"speaker": SPEAKER, "text": TEXT, "dialogue": mapping.dialogue or DIALOGUE}
    made = mapping.model_copy(update={**declared, "user_text": None, "system_text": None})
    return Table([*table.columns, SPEAKER, TEXT, *([] if mapping.dialogue else [DIALOGUE])], rows), made
