"""First screen of the report: the answer, its caveats, a small table and one figure. Everything else is collapsed below."""

from collections.abc import Sequence
from dataclasses import dataclass

from trialogue.findings import Findings, League, Statement, StatementKind
from trialogue.findings.systems.answer import primary_league, threats_in_verdict
from trialogue.findings.threats import Severity, Validity
from trialogue.findings.threats.summary import threat_lines
from trialogue.report.drawing.theme import system_colors
from trialogue.report.league_table import Cell, Column, Notes, column
from trialogue.report.measures import all_leagues, few_leagues, labels, primary_of, systems_in_order
from trialogue.report.plots import Figure
from trialogue.report.plots.overview import glance

MAX_ROWS, FIRST_ROWS, LAST_ROWS = 12, 7, 3  # of more systems, the best and the worst are shown
MAX_THREATS = 3  # lines; every one is in the list below


@dataclass(frozen=True)
class BaselineCell:
    """Best baseline on one measure."""

    name: str
    cell: Cell


@dataclass(frozen=True)
class FirstScreen:
    """Content of the first screen."""

    answer: tuple[Statement, ...]
    """The verdict that decides, and what limits it."""
    rest: tuple[Statement, ...]
    """Verdicts of other parts; folded."""
    threats: tuple[str, ...]
    """Threats that block or demote the answer, at most three lines."""
    is_unthreatened: bool
    """Whether the answer has a firm verdict, and none of the threats that block or demote concerns it."""
    columns: tuple[Column, ...]
    """At most four measures: the one that decides and one of every other side; of one side alone, further ones."""
    systems: tuple[str, ...]
    """The rows above the gap."""
    last: tuple[str, ...]
    """The rows below it; empty where all systems are shown."""
    hidden: int
    """Systems in the gap."""
    baselines: tuple[BaselineCell | None, ...]
    """The best baseline of each column; () where no column has any."""
    figure: Figure | None
    """The measure that decides; None where nothing has a value."""
    marks: str
    """Legend of the table's marks, shown at its head; "" without marks."""


def first_screen(findings: Findings) -> FirstScreen:
    """Build the first screen."""
    leagues, systems = all_leagues(findings), systems_in_order(findings)
    answer, rest = _split_answer(findings.answer)
    chosen = few_leagues(findings)
    many = len(systems) > MAX_ROWS
    top = tuple(systems[:FIRST_ROWS] if many else systems)
    last = tuple(systems[-LAST_ROWS:]) if many else ()
    notes = Notes()
    names = labels(leagues)
    columns = tuple(column(league, systems, notes) for league in chosen)
    shown = next((each for each in (primary_of(findings), *chosen) if each is not None), None)
    best = [_best_baseline(league) for league in chosen]
    return FirstScreen(
        answer=answer,
        rest=rest,
        threats=_threats(findings, names),
        is_unthreatened=_is_unthreatened(findings),
        columns=columns,
        systems=top,
        last=last,
        hidden=len(systems) - len(top) - len(last),
        baselines=tuple(best) if any(best) else (),
        figure=glance(shown, (*top, *last), system_colors(systems)) if shown is not None else None,
        marks=_marks([cell for each in columns for cell in each.cells.values()]),
    )


def _split_answer(answer: Sequence[Statement]) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
    """The first verdict with what limits it; then, from the next verdict or the votes on, the rest."""
    others = (StatementKind.VERDICT, StatementKind.VOTES)
    place = next((at for at, each in enumerate(answer) if at and each.kind_of in others), len(answer))
    return tuple(answer[:place]), tuple(answer[place:])


def _threats(findings: Findings, names: dict[str, str]) -> tuple[str, ...]:
    """Threats that block or demote the leading measure or the whole run and are not part of the answer; blocking ones
    first."""
    league = primary_of(findings) or primary_league(findings.leagues)
    about = "" if league is None else league.measure.name
    users = (None, None if league is None else league.measure.users)
    grave = [threat for threat in findings.threats if threat.severity is not Severity.NOTES]
    stated = [] if league is None else threats_in_verdict(league, grave)
    own = [each for each in grave if each.concerns_measure(about) and each.users in users and each not in stated]
    lines = [line.text for line in threat_lines(own, names)]
    more = len(lines) - MAX_THREATS
    return (*lines[:MAX_THREATS], *([f"And {more} more, listed below."] if more > 0 else []))


def _is_unthreatened(findings: Findings) -> bool:
    league = primary_of(findings)
    if league is None or league.validity is not Validity.FIRM or _threats(findings, labels(all_leagues(findings))):
        return False
    decided = [each for each in league.contrasts if each.leader is not None]
    return bool(decided) and all(each.validity is Validity.FIRM for each in decided)


def _marks(cells: Sequence[Cell]) -> str:
    letters = ["same letter: no significant difference"] if any(cell.letters for cell in cells) else []
    return "; ".join([*letters, *(["shaded: may be the best"] if any(cell.leads for cell in cells) else [])])


def _best_baseline(league: League) -> BaselineCell | None:
    best = next((each for each in league.baselines if each.estimate.value is not None), None)
    if best is None:
        return None
    return BaselineCell(best.system, column(league, (), Notes(), (best.system,)).cells[best.system])
