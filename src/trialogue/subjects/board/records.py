"""Records of a board: rows of systems, columns of measures, histories, and what was left out."""

from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from trialogue.findings.records import Statement
from trialogue.findings.standings import Contrast, League, Measure
from trialogue.findings.threat import Threat, Validity
from trialogue.records import Estimate, Manifest, Reason, Record
from trialogue.subjects.board.conditions import Conditions


class RowOrigin(StrEnum):
    """Where a row comes from."""

    RUN = "run"
    """A run folder: its values can be recomputed."""
    REPORTED = "reported"
    """A file of rows: somebody else's values, which nobody can recompute here."""


class BoardRow(Record):
    """One system in one version."""

    name: str
    """What the board calls it; unique on the board."""
    system: str
    """Name of the system in its runs."""
    version: str
    """The version that its runs were given for, or that its report states."""
    origin: RowOrigin = RowOrigin.RUN
    """Where it comes from."""
    runs: tuple[str, ...] = ()
    """Names of the runs that are pooled; () for a reported row."""
    data: tuple[str, ...] = ()
    """Data hash of each run, or the one that was reported."""
    dialogues: int | None = None
    """Its dialogues (or dialogues behind its situations) over all runs; None: not reported."""
    simulated: int = 0
    """Those among them with simulated users."""
    people: int | None = None
    """People who talked to it, by run summed; None: unknown, or none."""
    models: tuple[str, ...] = ()
    """Language models that answered for it."""
    source: str = ""
    """Where a reported row was published."""
    validity: Validity = Validity.FIRM
    """What the threats leave of the verdicts about it on the shown measures, at worst."""


class BoardCell(Record):
    """A row's value on a measure."""

    row: str
    """Name of the row on the board."""
    estimate: Estimate
    """Its value; of several runs the mean over runs."""
    runs: int = 1
    """Number of runs behind the value."""
    between: float | None = None
    """Standard deviation between runs, without what the sample of units explains; None with one run."""
    signature: str | None = None
    """Everything that made the number, in the words of its (first) run or report."""
    conditions: Conditions | None = None
    """What it must share to be compared; None for a reported value, and where nothing was measured."""
    rank_low: int | None = None
    """Best rank within its group consistent with the corrected comparisons; None: it is not ranked."""
    rank_high: int | None = None
    """Worst rank within its group, likewise."""
    group: int | None = None
    """Index of its league among those of the column; None: it is in none."""
    why: tuple[Reason, ...] = ()
    """Why it is not ranked with the first league of the column; () if it is."""
    validity: Validity = Validity.FIRM
    """What the threats leave of verdicts about it."""


class BoardColumn(Record):
    """One measure over all rows."""

    measure: Measure
    """The measure, with its direction and unit."""
    cells: tuple[BoardCell, ...]
    """One for each row, in the order of the rows."""
    leagues: tuple[League, ...] = ()
    """Rows that are comparable, one league for each set of conditions that at least two rows share; the largest first.
    Systems in them are called by the names of rows. They have passed the gate."""

    def cell(self, row: str) -> BoardCell:
        """The cell of a row."""
        return next(each for each in self.cells if each.row == row)


class HistoryPoint(Record):
    """One version in a history."""

    row: str
    """Name of the row on the board."""
    version: str
    """The version that the row is of."""
    estimate: Estimate
    """Value of the version on the measure; of several runs the mean over runs."""
    runs: int = 1
    """Number of runs behind the value."""
    is_baseline: bool = False
    """Whether the others are compared with it."""
    contrast: Contrast | None = None
    """It less the baseline, as the column's league has it; None for the baseline, and where they are not comparable."""
    why: tuple[Reason, ...] = ()
    """Why there is no comparison with the baseline; () where there is one."""


class History(Record):
    """One measure of one system over its versions."""

    system: str
    """Name of the system, the same in all versions."""
    measure: Measure
    """The measure, with its direction and unit."""
    points: tuple[HistoryPoint, ...] = Field(min_length=2)
    """Versions in the order in which they were given."""


class LeftOut(Record):
    """A run that does not count."""

    run: str
    """Name of the run."""
    version: str
    """The version that it was given for."""
    system: str
    """Name of the system in that run."""
    why: Reason
    """Why it does not count."""


class BoardFindings(Record):
    """A board of runs."""

    kind: ClassVar[str] = "board"

    title: str
    """What it is of."""
    answer: tuple[Statement, ...]
    """The answer, most important sentence first."""
    rows: tuple[BoardRow, ...]
    """Rows: those ranked on the first column first, best first; then the others; reported ones last."""
    dialogues: int | None = None
    """Different dialogues behind the first column; None in older files."""
    columns: tuple[BoardColumn, ...]
    """Measures; the first one is that of the answer and of the histories."""
    histories: tuple[History, ...] = ()
    """Systems with several versions."""
    baseline: str | None = None
    """The version that the histories compare with."""
    threats: tuple[Threat, ...] = ()
    """What could make verdicts wrong, those that block first; systems are called by the names of rows."""
    left_out: tuple[LeftOut, ...] = ()
    """Runs that do not count, such as copies."""
    methods: tuple[str, ...] = ()
    """How the numbers were made."""
    alpha: float = 0.05
    """Significance level, after correction across the pairs of a league."""
    manifest: Manifest
    """How it was made."""
