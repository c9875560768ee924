"""The answer of a board: who leads among comparable rows, which rows are not among them, and versions against a baseline."""

from collections.abc import Iterator, Sequence

from trialogue.findings.board.records import BoardColumn, BoardRow, History, HistoryPoint, RowOrigin
from trialogue.findings.decision.verdict import statements_under
from trialogue.findings.protocol import DecisionProtocol
from trialogue.findings.records import Statement, StatementKind
from trialogue.findings.standings import League
from trialogue.findings.systems.answer import answer
from trialogue.findings.threat import Threat, Validity
from trialogue.findings.threats.summary import conditional_sentence
from trialogue.findings.wording import list_names, p_words, render_estimate, render_points
from trialogue.records import Estimate
from trialogue.stats.ranking.selection import best_of_equals

FEWEST_TO_CHOOSE = 3  # rows: of two, the test of their difference says it
MAX_NAMED = 3  # rows or histories named in the answer; the tables have the others


def board_answer(
    rows: Sequence[BoardRow],
    columns: Sequence[BoardColumn],
    found: Sequence[History],
    threats: Sequence[Threat],
    protocol: DecisionProtocol | None = None,
    *,
    not_shown: Sequence[str] = (),
) -> tuple[Statement, ...]:
    """Statements, most important first: on the first column, on versions, and the verdicts of the other columns.

    Under a decision protocol, the answer rests on the first column alone.
    """
    column = columns[0]
    league = next(iter(column.leagues), None)
    statements: list[Statement] = []
    if league is not None:
        said = answer([league], None, threats, rests_on=league.measure.measured)
        statements += said if protocol is None else statements_under(protocol, league, said, threats)
    else:
        text = f"No two rows are comparable on {column.measure.title}: the table says why."
        statements.append(Statement(kind_of=StatementKind.VERDICT, text=text))
    statements += [Statement(text=text) for history in found[:MAX_NAMED] for text in _on_history(history, threats)]
    further = [] if protocol is not None else [each.leagues[0] for each in columns[1:] if each.leagues][: MAX_NAMED - 1]
    statements += [answer([each], None, threats, rests_on=each.measure.measured)[0] for each in further]
    beside = [*_selection_note(league), *_not_ranked(rows, column, league)]
    if not_shown:
        beside.append(f"Not shown: {list_names(not_shown)}. Choose measures with --on.")
    return (*statements, *(Statement(kind_of=StatementKind.SCOPE, text=text) for text in beside))


def _selection_note(league: League | None) -> Iterator[str]:
    """That the first of several rows was chosen by the values it is shown with."""
    count = len(league.standings) if league is not None and league.measure.better != "neither" else 0
    if league is not None and count >= FEWEST_TO_CHOOSE and league.standings[0].rank_low is not None:
        yield (
            f"{league.standings[0].system} is the first of {count} rows by the values shown: the best of {count} equal ones "
            f"looks {best_of_equals(count):.1f} standard errors too good, so confirm its value on fresh needs, situations "
            "or people."
        )


def _not_ranked(rows: Sequence[BoardRow], column: BoardColumn, league: League | None) -> Iterator[str]:
    """Rows with a value that are ranked with none of the first league, with the first reason of each."""
    ranked = {each.system for each in league.standings} if league is not None else set()
    left = [cell for cell in column.cells if cell.why and cell.estimate.value is not None and cell.row not in ranked]
    own = {row.name for row in rows if row.origin is RowOrigin.RUN}
    for names, what in ((own, "Not ranked with the others"), (None, "Reported by others, and not ranked")):
        cells = [cell for cell in left if (cell.row in own) == (names is not None)]
        if cells:
            shown = "; ".join(f"{cell.row} ({cell.why[0]})" for cell in cells[:MAX_NAMED])
            more = f"; and {len(cells) - MAX_NAMED} more" if len(cells) > MAX_NAMED else ""
            lead = what if league is not None or names is None else f"On {column.measure.title}, apart"
            yield f"{lead}: {shown}{more}."


def _on_history(history: History, threats: Sequence[Threat]) -> Iterator[str]:
    """The last version that is comparable with the baseline, against it."""
    base = next((point for point in history.points if point.is_baseline), None)
    last = next((point for point in reversed(history.points) if point.contrast is not None), None)
    if base is None or last is None:
        return  # why is among the rows that are not ranked
    text = version_sentence(history, last, base)
    contrast = last.contrast
    assert contrast is not None
    if contrast.validity is Validity.CONDITIONAL and contrast.leader is not None:
        concerning = [
            threat
            for threat in threats
            if threat.concerns_measure(history.measure.name)
            and threat.concerns_pair(contrast.a, contrast.b, ahead=contrast.leader)
        ]
        text = conditional_sentence(text, concerning)
    yield text


def version_sentence(history: History, point: HistoryPoint, base: HistoryPoint) -> str:
    """What a version's comparison with the baseline says."""
    contrast = point.contrast
    assert contrast is not None
    size = effect(history, contrast.difference, contrast.p_adjusted)
    match contrast.verdict:
        case "a":
            said = f"is significantly better than the baseline {base.row}"
        case "b":
            said = f"is significantly worse than the baseline {base.row}"
        case "inconclusive":
            said = f"does not differ significantly from the baseline {base.row}"
        case _:
            return (
                f"There is no verdict on {point.row} against the baseline {base.row}: a threat blocks it, or nothing could "
                "be tested."
            )
    return f"{point.row} {said} (difference {size})."


def effect(history: History, difference: Estimate, p: float | None) -> str:
    """A difference with interval and corrected p; that of shares in percentage points."""
    size = render_points(difference) if history.measure.is_share else render_estimate(difference)
    return size + (f", p {p_words(p)}" if p is not None else "")
