"""Unit scores as a Parquet table, for data frames and databases: one row per score, columns compressed.

Needs pyarrow (the extra ``parquet``). Rows have the order of the scores, and read back they are equal to them.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from trialogue.errors import DataError, Problem
from trialogue.extras import need
from trialogue.records.files.jsonl import Opener
from trialogue.records.files.opening import open_bytes, open_replacing
from trialogue.records.reasons.reason import Reason
from trialogue.records.score import Score

EXTRA, PURPOSE = "parquet", "write and read scores as Parquet"
ROWS = 1 << 16  # at a time: some 10 MB as records
NAMES = ("measure", "level", "system", "dialogue_id", "situation_id")
"""Columns of texts, most of which occur in many rows."""
COLUMNS = (*NAMES, "utterance", "value", "why")


def require_parquet() -> None:
    """Raise MissingExtraError if the package that writes and reads Parquet is not installed."""
    _packages()


def write_score_table(path: Path, scores: Iterable[Score]) -> int:
    """Write unit scores to a file, which appears whole or not at all; returns their number.

    Args:
        path: the file.
        scores: scores of replies and dialogues: with value or reason, without interval, rater or versus.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    arrow, parquet = _packages()
    text = arrow.dictionary(arrow.int32(), arrow.string())
    fields = [*((name, text) for name in NAMES), ("utterance", arrow.int32()), ("value", arrow.float64())]
    schema = arrow.schema([*fields, ("why", arrow.string())])
    rest, count = iter(scores), 0
    with open_replacing(path) as stream, parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        while some := list(islice(rest, ROWS)):
            columns = [[getattr(score, name) for score in some] for name in COLUMNS[:-1]]
            columns.append([None if score.why is None else _reason_text(score.why) for score in some])
            arrays = [arrow.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))
            count += len(some)
    return count


def read_score_table(path: Path, *, opener: Opener = open_bytes) -> Iterator[Score]:
    """The scores of a file in their order; ``opener`` opens it.

    Raises:
        MissingExtraError: pyarrow is not installed.
        DataError: the file is damaged, or is another table.
    """
    arrow, parquet = _packages()
    try:
        with opener(path) as stream:
            table = parquet.ParquetFile(stream)
            missing = [name for name in COLUMNS if name not in table.schema_arrow.names]
            if missing:
                columns = ", ".join(missing)
                raise DataError(Problem(f"this is not a table of scores: it lacks {columns}.", str(path)))
            reasons: dict[str | None, Reason | None] = {None: None}
            for batch in table.iter_batches(batch_size=ROWS, columns=list(COLUMNS)):
                yield from (_score(row, reasons) for row in batch.to_pylist())
    except (arrow.ArrowException, OSError, ValueError) as error:
        hint = "Run trialogue evaluate again."
        raise DataError(Problem(f"the table of scores is damaged ({error}).", str(path), hint=hint)) from error


def _packages() -> tuple[Any, Any]:
    arrow, parquet = (need(name, extra=EXTRA, purpose=PURPOSE) for name in ("pyarrow", "pyarrow.parquet"))
    return arrow, parquet


def _score(row: dict[str, Any], reasons: dict[str | None, Reason | None]) -> Score:
    why = row["why"]
    if why not in reasons:
        reasons[why] = Reason.model_validate(json.loads(why))
    return Score.model_validate({**row, "why": reasons[why]})


def _reason_text(why: Reason) -> str:
    return json.dumps(why.to_json(), ensure_ascii=False, separators=(",", ":"))
