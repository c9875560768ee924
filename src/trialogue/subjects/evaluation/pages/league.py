"""The league table: systems by measures, with letters, ranges of ranks, bars and notes for what is missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from trialogue.findings import Findings, League, Standing
from trialogue.findings.wording import list_names
from trialogue.records import Estimate
from trialogue.render.compact_letters import league_letters, uncompared_systems
from trialogue.render.document import EVERYWHERE, Column, Medium, Table
from trialogue.render.drawing.scale import Scale, league_extent
from trialogue.render.drawing.theme import system_colors
from trialogue.render.measures import (
    ARROWS,
    DIRECTIONS,
    JUDGES,
    baselines_in_order,
    is_ranked,
    labels,
    systems_in_order,
    table_leagues,
)
from trialogue.render.numbers import MISSING, bounds, column_decimals, count, number, ranks
from trialogue.render.table import Bar, Cell
from trialogue.subjects.evaluation.pages.explorer_links import ExplorerLinks

LONGEST_NAME = 28  # columns of a name on a terminal
NOT_MEASURED = Cell(MISSING, tip="not measured", note="Not measured for this system.")
BASELINES = "Below the line: baselines that ignore the user, unranked."


@dataclass(frozen=True)
class Systems:
    """The rows of league tables."""

    names: tuple[str, ...]
    """Systems, best first by the measure that the answer rests on."""
    colors: Mapping[str, str]
    """Their colors, as roles of the theme."""
    links: ExplorerLinks
    """Addresses of their dialogues."""
    titles: Mapping[str, str]
    """Titles of measures by name."""
    marked: frozenset[str] = frozenset()
    """Those that change places with another one between variants."""

    @classmethod
    def of(cls, findings: Findings, links: ExplorerLinks) -> "Systems":
        """The systems of findings, best first."""
        names = systems_in_order(findings)
        return cls(tuple(names), system_colors(names), links, labels(table_leagues(findings)))

    def cell(self, name: str) -> Cell:
        """A system's name."""
        color = self.colors.get(name, "accent")
        place = self.links.system(name) if name in self.names else ""
        mark = " ⇅" if name in self.marked else ""
        return Cell(name + mark, swatch="" if color == "accent" else color, href=place, what=f"Dialogues of {name}")


def league_table(
    leagues: Sequence[League],
    systems: Systems,
    label: str,
    *,
    where: frozenset[Medium] = EVERYWHERE,
    caption: str = "",
    note: str = "",
    points: float | None = None,
) -> Table[str]:
    """Leagues side by side: one column for each measure, baselines below a rule.

    Args:
        leagues: leagues in the order of the columns.
        systems: systems in the order of the rows; those that have nothing in any of the leagues are left out.
        label: what it shows.
        where: media that show it.
        caption: its caption in a paper.
        note: what is said below it.
        points: width on paper that it must fit.
    """
    known = {standing.system for league in leagues for standing in league.standings}
    rows = [name for name in systems.names if name in known] or list(systems.names)
    baselines = baselines_in_order(leagues)
    return Table(
        label,
        [*rows, *baselines] if leagues else [],
        [
            Column("System", systems.cell, longest=LONGEST_NAME, foot="Pairs that differ significantly"),
            *(league_column(league, systems) for league in leagues),
        ],
        note=" ".join(part for part in (note, BASELINES if baselines else "") if part),
        below_rule=len(baselines),
        where=where,
        caption=caption,
        points=points,
        splits=True,
    )


def league_column(league: League, systems: Systems, *, judge: bool = True) -> Column[str]:
    """One measure."""
    measure = league.measure
    cells = league_cells(league, systems)
    absent = dict.fromkeys(systems.names, NOT_MEASURED)
    unit = f"{measure.unit}; {DIRECTIONS[measure.better]}"
    return Column(
        f"{systems.titles.get(measure.name, measure.title)} {ARROWS[measure.better]}".strip(),
        lambda name: cells.get(name, absent.get(name, "")),
        unit=f"{JUDGES[measure.by]}: {unit}" if judge else JUDGES[measure.by],
        foot=decided_pairs(league),
    )


def league_cells(league: League, systems: Systems) -> dict[str, Cell]:
    """The cells of a measure by system and baseline."""
    decimals = column_decimals(standing.estimate for standing in league.standings)
    letters, remarks = league_letters(league), _remarks_of_pairs(league)
    scale = Scale(*league_extent(league), 0, 100)
    has_top_group = any((standing.rank_low or 1) > 1 for standing in league.standings)
    title = systems.titles.get(league.measure.name, league.measure.title)
    found = {each.system: _cell(each, decimals, scale, remarks.get(each.system, "")) for each in league.standings}
    for standing in league.standings:
        name = standing.system
        cell = replace(
            found[name],
            letters=letters.get(name, ""),
            ranks=ranks(standing.rank_low, standing.rank_high) if standing.estimate.value is not None else "",
            leads=has_top_group and standing.rank_low == 1,
            href=systems.links.cell(name, league.measure.name) if found[name].bar else "",
            what=f"{found[name].text}: dialogues of {name} by {title}",
        )
        found[name] = cell
    return {**{each.system: _cell(each, decimals, scale, "") for each in league.baselines}, **found}


def decided_pairs(league: League) -> str:
    """Number of significantly different pairs among those compared: ``14 of 36``; empty without pairs."""
    if not league.contrasts or not is_ranked(league):
        return ""
    compared = [contrast.verdict for contrast in league.contrasts if contrast.verdict != "undefined"]
    return f"{len(compared) - compared.count('inconclusive')} of {len(compared)}" if compared else "none compared"


def sparse_note(leagues: Sequence[League], titles: Mapping[str, str]) -> str:
    """Which metrics a table leaves out because most systems have no value, and why; "" for none."""
    named = [f"{titles[each.measure.name]} ({_commonest_reason(each)})" for each in leagues]
    return f"Not shown, since most systems have no value: {'; '.join(named)}." if named else ""


def _commonest_reason(league: League) -> str:
    reasons = [str(standing.estimate.why) for standing in league.standings if standing.estimate.why is not None]
    return max(dict.fromkeys(reasons), key=reasons.count)


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


def _cell(standing: Standing, decimals: int, scale: Scale, of_pairs: str) -> Cell:
    estimate = standing.estimate
    note = " ".join(part for part in (_remark(standing), of_pairs) if part)
    if estimate.value is None:
        return Cell(MISSING, tip=str(estimate.why), note=note)
    return Cell(
        text=number(estimate.value, decimals),
        interval=bounds(estimate.interval, decimals) if estimate.interval else "(no interval)",
        bar=Bar.of(estimate, scale),
        note=note,
        tip=note or sample(estimate),
    )


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
