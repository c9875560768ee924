"""Rows that others report: their file's schema, and their cells on a board. They are listed and never ranked.

The schema is open to anybody: ``trialogue list schemas rows`` prints it, and a board writes its own rows in it.
"""

from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from trialogue.records import Estimate, Interval, MeasureName, Reason, ReasonCode, Record
from trialogue.subjects.board.records import BoardCell, BoardColumn, BoardRow, RowOrigin

FORMAT = "trialogue-board-rows"


class ReportedValue(Record):
    """One value of a reported system."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    measure: MeasureName = Field(min_length=1)
    """Full name of the measure, such as need_met(turns=10)@named|v1 or human:satisfaction."""
    value: float
    """The value, in the unit of the measure."""
    users: str | None = None
    """The kind of simulated users; null: people, or replies to situations."""
    low: float | None = None
    """Lower end of the confidence interval."""
    high: float | None = None
    """Upper end of the confidence interval."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """Confidence of the interval."""
    n: int | None = Field(default=None, ge=1)
    """Dialogues or replies behind the value."""
    runs: int = Field(default=1, ge=1)
    """Runs (seeds, prompts) behind the value."""
    signature: str | None = Field(default=None, min_length=1)
    """Everything that made the number; null: unknown."""
    key: str | None = Field(default=None, min_length=1)
    """Key of the conditions, as a board of Trialogue writes it; null: unknown."""

    @model_validator(mode="after")
    def _has_an_interval(self) -> Self:
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval needs both ends: give low and high, or neither.")
        if self.low is not None and self.high is not None and not self.low <= self.value <= self.high:
            raise ValueError(f"the value {self.value:g} is not between low {self.low:g} and high {self.high:g}.")
        return self


class ReportedRow(Record):
    """One reported system."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    system: str = Field(min_length=1)
    """Name of the system."""
    version: str = ""
    """Its version; empty: none is stated."""
    source: str = Field(min_length=1)
    """Where the values were published: a citation or an address."""
    data: str | None = None
    """Hash or name of the data; null: unknown."""
    dialogues: int | None = Field(default=None, ge=1)
    """Dialogues of the system; null: unknown."""
    values: tuple[ReportedValue, ...] = Field(min_length=1)
    """Its values, each measure once."""

    @model_validator(mode="after")
    def _names_a_measure_once(self) -> Self:
        keys = [(each.measure, each.users) for each in self.values]
        twice = next((measure for measure, users in keys if keys.count((measure, users)) > 1), None)
        if twice is not None:
            raise ValueError(f"the measure {str(twice)!r} has several values.")
        return self


class ReportedRows(Record):
    """A file of reported rows."""

    model_config = ConfigDict(use_attribute_docstrings=True, title="Rows of a Trialogue board")

    format: Literal["trialogue-board-rows"]
    """What this file is."""
    v: Literal[1]
    """Version of the format."""
    rows: tuple[ReportedRow, ...] = Field(min_length=1)
    """The reported systems, one row each."""


def rows_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a file of rows."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **ReportedRows.model_json_schema()}


def reported_row(row: ReportedRow, name: str) -> BoardRow:
    """A reported row on the board, under a name that no other row has."""
    return BoardRow(
        name=name,
        system=row.system,
        version=row.version,
        origin=RowOrigin.REPORTED,
        data=(row.data,) if row.data is not None else (),
        dialogues=row.dialogues,
        source=row.source,
    )


def reported_cell(row: ReportedRow, name: str, column: BoardColumn) -> BoardCell:
    """Its cell on a column: never ranked, with the reason."""
    measure = column.measure
    value = next((each for each in row.values if (each.measure, each.users) == (measure.measured, measure.users)), None)
    if value is None:
        missing = Estimate(value=None, why=Reason.of(ReasonCode.BOARD_NOT_REPORTED))
        return BoardCell(row=name, estimate=missing, why=(Reason.of(ReasonCode.BOARD_UNDEFINED, missing.why),))
    interval = None
    if value.low is not None and value.high is not None:
        interval = Interval(low=value.low, high=value.high, confidence=value.confidence, method="as reported")
    why = None if interval is not None else Reason.of(ReasonCode.BOARD_NO_INTERVAL_REPORTED)
    return BoardCell(
        row=name,
        estimate=Estimate(value=value.value, interval=interval, n=value.n or 0, why=why),
        runs=value.runs,
        signature=value.signature,
        why=(_unranked_reason(value, column),),
    )


def _unranked_reason(value: ReportedValue, column: BoardColumn) -> Reason:
    if value.signature is None and value.key is None:
        return Reason.of(ReasonCode.BOARD_REPORTED_UNSIGNED)
    keys = {cell.conditions.key for cell in column.cells if cell.conditions is not None}
    signatures = {cell.signature for cell in column.cells if cell.signature is not None}
    same = value.key in keys or value.signature in signatures
    return Reason.of(ReasonCode.BOARD_REPORTED if same else ReasonCode.BOARD_REPORTED_DIFFERS)
