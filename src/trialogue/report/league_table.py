"""League table: systems by measures, one column per measure, with footnotes for missing values."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trialogue.findings import League, Standing
from trialogue.findings.wording import list_names
from trialogue.records import Estimate
from trialogue.report.compact_letters import league_letters, uncompared_systems
from trialogue.report.drawing.scale import Scale, league_extent
from trialogue.report.measures import (
    ARROWS,
    DIRECTIONS,
    JUDGES,
    WIDEST,
    baselines_in_order,
    group_by_judges,
    is_ranked,
    main_leagues,
    split_columns,
)
from trialogue.report.numbers import MISSING, bounds, column_decimals, count, number, ranks


@dataclass(frozen=True)
class Bar:
    """An interval on its column's scale, in percent of the width."""

    left: float
    width: float
    dot: float


@dataclass(frozen=True)
class Cell:
    """One system on one measure, formatted."""

    text: str
    interval: str = ""
    bar: Bar | None = None
    letters: str = ""
    ranks: str = ""
    leads: bool = False
    note: int | None = None
    why: str = ""
    n: str = ""


@dataclass(frozen=True)
class Head:
    """Head of a measure's column or row."""

    name: str
    title: str
    judge: str
    arrow: str
    direction: str
    unit: str


@dataclass(frozen=True)
class Column(Head):
    """One measure."""

    decided: str
    cells: dict[str, Cell]


@dataclass(frozen=True)
class Block:
    """Columns that fit side by side."""

    columns: tuple[Column, ...]
    systems: tuple[str, ...]
    """Its rows: systems with anything in one of these columns."""
    baselines: tuple[str, ...] = ()
    """Further rows, below a rule: baselines that ignore the user."""

    @property
    def groups(self) -> list[tuple[str, int]]:
        """(Judges, number of columns), left to right."""
        counts = Counter(column.judge for column in self.columns)
        return [(judge, counts[judge]) for judge in JUDGES.values() if counts[judge]]


@dataclass
class Notes:
    """Footnotes; equal ones share a number."""

    texts: list[str] = field(default_factory=list)

    def number_of(self, text: str) -> int:
        """Number of a note, from 1, added if new."""
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1


@dataclass(frozen=True)
class Table:
    """League table in blocks of columns."""

    systems: tuple[str, ...]
    blocks: tuple[Block, ...]
    notes: tuple[str, ...]
    folded: tuple[Block, ...] = ()
    """Further blocks, which a page shows when it is asked to."""
    folded_notes: tuple[str, ...] = ()
    """Their footnotes, numbered by themselves."""

    @property
    def all_blocks(self) -> tuple[Block, ...]:
        """All blocks."""
        return (*self.blocks, *self.folded)


def league_table(leagues: Sequence[League], systems: Sequence[str]) -> Table:
    """Build the table of leagues over systems in the given order.

    Where there are talks with simulated users beside something else, and more columns than fit side by side, the first
    block holds the main measures of people, of simulated users and of metrics; all others are folded, by who judged.
    """
    held = {league.measure.name: {each.system for each in league.standings} for league in leagues}
    main = main_leagues(leagues)
    parts = _split(main) if main else _split(leagues)
    rest = [part for group in group_by_judges([each for each in leagues if each not in main]) for part in _split(group)]
    notes, folded_notes = Notes(), Notes()
    blocks = tuple(_block(part, systems, held, notes) for part in parts)
    folded = tuple(_block(part, systems, held, folded_notes) for part in rest) if main else ()
    return Table(tuple(systems), blocks, tuple(notes.texts), folded, tuple(folded_notes.texts))


def _block(leagues: Sequence[League], systems: Sequence[str], held: Mapping[str, set[str]], notes: Notes) -> Block:
    known = set().union(*(held[league.measure.name] for league in leagues))
    rows = tuple(system for system in systems if system in known) or tuple(systems)
    baselines = tuple(baselines_in_order(leagues))
    return Block(tuple(column(league, rows, notes, baselines) for league in leagues), rows, baselines)


def _split(leagues: Sequence[League]) -> list[Sequence[League]]:
    """Parts of about equal width."""
    if not leagues:
        return []
    parts = -(-len(leagues) // WIDEST)
    return [*split_columns(leagues, -(-len(leagues) // parts))]


def column(league: League, systems: Sequence[str], notes: Notes, baselines: Sequence[str] = ()) -> Column:
    """Format one measure; a baseline without a value has an empty cell."""
    decimals = column_decimals(standing.estimate for standing in league.standings)
    letters = league_letters(league)
    scale = Scale(*league_extent(league), 0, 100)
    open_top = has_a_top_group(league)
    by_system = {standing.system: standing for standing in league.standings}
    remarks = _remarks_of_pairs(league)
    cells = {
        system: _cell(
            by_system[system], decimals, letters.get(system, ""), scale, open_top, notes, remarks.get(system, "")
        )
        if system in by_system
        else Cell(MISSING, why="not measured", note=notes.number_of("Not measured for this system."))
        for system in systems
    }
    known = {standing.system: standing for standing in league.baselines}
    for baseline in baselines:
        cells[baseline] = (
            _cell(known[baseline], decimals, "", scale, False, notes, "") if baseline in known else Cell("")
        )
    return Column(**head_of(league), decided=decided_pairs(league), cells=cells)


def head_of(league: League) -> dict[str, str]:
    """Fields of a measure's ``Head``."""
    measure = league.measure
    return {
        "name": measure.name,
        "title": measure.title,
        "judge": JUDGES[measure.by],
        "arrow": ARROWS[measure.better],
        "direction": DIRECTIONS[measure.better],
        "unit": measure.unit,
    }


def has_a_top_group(league: League) -> bool:
    """Whether some systems are significantly worse than the best, so that the others form a top group."""
    return any((standing.rank_low or 1) > 1 for standing in league.standings)


def decided_pairs(league: League) -> str:
    """Number of significantly different pairs among those compared: ``14 of 36``; empty without pairs."""
    if not league.contrasts or not is_ranked(league):
        return ""
    compared = [contrast.verdict for contrast in league.contrasts if contrast.verdict != "undefined"]
    return f"{len(compared) - compared.count('inconclusive')} of {len(compared)}" if compared else "none compared"


def _remarks_of_pairs(league: League) -> dict[str, str]:
    """Remarks on systems' comparisons beyond values and letters, by system."""
    alone, against = _letter_reasons(league), _better_below(league)
    return {
        system: " ".join(_sentence(each[system]) for each in (alone, against) if system in each)
        for system in {**alone, **against}
    }


def _better_below(league: League) -> dict[str, str]:
    """Systems that are significantly better than others although their value is not.

    A difference is taken on equal terms, at equal amounts of text or on the same situations; each system's own value is of
    all that it said.
    """
    order = {standing.system: standing.estimate.value for standing in league.standings}
    beaten: dict[str, list[str]] = {}
    for contrast in league.contrasts:
        if contrast.verdict not in ("a", "b"):
            continue
        winner, loser = (contrast.a, contrast.b) if contrast.verdict == "a" else (contrast.b, contrast.a)
        first, second = order.get(winner), order.get(loser)
        if first is not None and second is not None and _is_ahead(second, first, league.measure.better):
            beaten.setdefault(winner, []).append(loser)
    return {
        winner: (
            f"significantly better than {list_names(losers)} on equal terms (equal amounts of text, or the same "
            "situations), though not by its own value, which covers all its replies"
        )
        for winner, losers in beaten.items()
    }


def _is_ahead(value: float, other: float, better: str) -> bool:
    """Whether a value is better than another one, in a measure's direction."""
    return value > other if better == "higher" else value < other


def _letter_reasons(league: League) -> dict[str, str]:
    """Why systems have no letter though they have a value: a comparison that could not be made, with its reason."""
    if not is_ranked(league):
        return {}
    undefined = [contrast for contrast in league.contrasts if contrast.verdict == "undefined"]
    why = next((contrast.difference.why for contrast in undefined if contrast.difference.why), None)
    said = f"not compared with every system; for example: {why}" if why else "not compared with every system"
    return dict.fromkeys(uncompared_systems(league), said)


def _cell(
    standing: Standing, decimals: int, letters: str, scale: Scale, open_top: bool, notes: Notes, of_pairs: str
) -> Cell:
    estimate = standing.estimate
    remark = " ".join(part for part in (_remark(standing), of_pairs) if part)
    note = notes.number_of(remark) if remark else None
    if estimate.value is None:
        return Cell(MISSING, why=str(estimate.why), note=note)
    return Cell(
        text=number(estimate.value, decimals),
        interval=bounds(estimate.interval, decimals) if estimate.interval else "no interval",
        bar=bar(estimate, scale),
        letters=letters,
        ranks=ranks(standing.rank_low, standing.rank_high),
        leads=open_top and standing.rank_low == 1,
        note=note,
        why=remark,
        n=sample(estimate),
    )


def bar(estimate: Estimate, scale: Scale) -> Bar | None:
    """Convert an estimate to a bar with a dot; None if undefined."""
    if estimate.value is None:
        return None
    low = scale(estimate.interval.low if estimate.interval else estimate.value)
    high = scale(estimate.interval.high if estimate.interval else estimate.value)
    return Bar(round(low, 2), round(high - low, 2), round(scale(estimate.value), 2))


def sample(estimate: Estimate) -> str:
    """Sample size of an estimate: ``n = 44 in 40 clusters``; for clustered shares also the intraclass correlation."""
    if not estimate.n:
        return ""
    inside = f" in {count(estimate.clusters, 'cluster')}" if estimate.clusters is not None else ""
    facts = estimate.interval.facts if estimate.interval else {}
    if "smallest_cluster" in facts:
        inside += f" of {facts['smallest_cluster']:g} to {facts['largest_cluster']:g}"
    if "correlation" in facts:
        inside += f", intraclass correlation {facts['correlation']:.2f}"
    return f"n = {estimate.n:,}{inside}"


def _remark(standing: Standing) -> str:
    """Remark on a cell, as a sentence; empty if none."""
    estimate = standing.estimate
    if estimate.value is None:
        return _sentence(f"Undefined: {estimate.why}")
    parts = []
    if estimate.why is not None:
        parts.append(f"no interval: {estimate.why}" if estimate.interval is None else str(estimate.why))
    if standing.left_out is not None:
        parts.append(str(standing.left_out))
    elif standing.skipped:
        parts.append(f"{count(standing.skipped, 'unit')} left out as undefined")
    if estimate.interval is None and not parts:
        parts.append("no interval could be computed")
    return _sentence("; ".join(parts)) if parts else ""


def _sentence(text: str) -> str:
    text = text.strip().rstrip(".")
    return text[:1].upper() + text[1:] + "."
