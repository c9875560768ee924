"""Build the template context of the report page, and render it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from trialogue.findings import Findings, League, Measure, RankReversal, Sensitivity
from trialogue.findings.agreement.records import Validity
from trialogue.findings.agreement.validity import known_validity, validity_lines
from trialogue.findings.family import correction_within
from trialogue.records import VOTES, Raters
from trialogue.records.kinds.origins import kinds_of, one_and_many
from trialogue.report.drawing.theme import DARK, LIGHT, css_variables, system_colors
from trialogue.report.evaluation.chat import Chat, chat
from trialogue.report.evaluation.explorer_links import explorer_links
from trialogue.report.evaluation.first_screen import first_screen
from trialogue.report.evaluation.methods import methods
from trialogue.report.evaluation.reading import reading_lines
from trialogue.report.evaluation.threats import threat_lists
from trialogue.report.head_to_head import compare_head_to_head, turn_contrast
from trialogue.report.league_table import Table, league_table
from trialogue.report.long_names import with_short_names
from trialogue.report.measures import (
    DIRECTIONS,
    JUDGES,
    all_leagues,
    correction_words,
    is_ranked,
    labels,
    primary_of,
    short_name,
    system_names,
    systems_in_order,
    table_leagues,
)
from trialogue.report.numbers import MISSING, bounds, column_decimals, level, number, plain_p, ranks, render_estimate
from trialogue.report.plots import MAX_DRAWN, Figure, figures
from trialogue.report.plots.variants import variant_labels, variants_name
from trialogue.report.render.page import LONG, environment, manifest_rows
from trialogue.report.text import printable

if TYPE_CHECKING:
    from jinja2 import Template

MAX_TABLED = 60  # systems; beyond, a table of their pairs would be most of the page, and pairs.csv holds it
HEADINGS = {
    "best": "Best by {}",
    "worst": "Worst by {}",
    "liked": "Rated high by people, but not by {}",
    "praised": "Rated high by {}, but not by people",
}
EFFECTS = {
    "blocks": ("blocks verdicts", "block verdicts"),
    "demotes": ("makes verdicts conditional", "make verdicts conditional"),
    "notes": ("to note", "to note"),
}
OF_OTHERS = " (verdicts on other measures than the one above)"
"""Beside the counts of threats where none concerns the verdict above them."""
"""Effects of one threat and of several, as words after their number."""


@dataclass(frozen=True)
class PairRow:
    """Two systems on one measure, the leading one first."""

    ahead: str
    behind: str
    difference: str
    together: str
    """The simultaneous interval; empty without one."""
    p: str
    survives: str
    """``"yes"``, ``"no"`` or ``"not compared"``."""


@dataclass(frozen=True)
class PairTable:
    """Every pair of systems on one measure."""

    title: str
    name: str
    rows: tuple[PairRow, ...]
    correction: str

    @property
    def has_together(self) -> bool:
        """Whether there are simultaneous intervals."""
        return any(row.together for row in self.rows)


@dataclass(frozen=True)
class RankReversalRow:
    """Two systems whose order depends on the variant."""

    a: str
    b: str
    for_a: str
    for_b: str
    sure: bool


@dataclass(frozen=True)
class Family:
    """One metric under all its variants."""

    metric: str
    table: Table
    flips: tuple[RankReversalRow, ...]
    flipped: frozenset[str]
    figure: Figure | None


def render_html(findings: Findings) -> str:
    """Render the page as one HTML document without external resources or scripts.

    Text from the findings is escaped, whatever it holds; characters that HTML cannot hold become U+FFFD. The same findings
    give the same page.
    """
    return render_page(findings, figures(findings))


def render_page(
    findings: Findings, drawn: Sequence[Figure], validity: Sequence[Validity] = (), *, explorer: bool = False
) -> str:
    """Render the page with given figures, and validity cards from the run's own ratings.

    Args:
        findings: findings that it shows.
        drawn: the figures.
        validity: what is known about the metrics.
        explorer: whether ``explorer.html`` lies beside the page, to which numbers and dialogues then link.
    """
    shown = with_short_names(findings, system_names(findings))
    return printable(
        _template().render(
            **_content(shown, drawn),
            validity_of=validity_of(validity),
            explorer=explorer_links(findings, there=explorer),
        )
    )


def validity_of(own: Sequence[Validity] = ()) -> Callable[[str], list[list[str]]]:
    """Lines on a metric's known agreement with people, one list per card; empty if unknown."""
    return lambda name: [validity_lines(card) for card in known_validity(name, more=own)]


@cache
def _template() -> "Template":
    return environment().get_template("report.html.j2")


def _content(findings: Findings, drawn: Sequence[Figure]) -> dict[str, Any]:
    leagues, systems = all_leagues(findings), systems_in_order(findings)
    primary = primary_of(findings)
    sections = {section: [each for each in drawn if each.section == section] for section in _SECTIONS}
    names = labels(leagues)
    table, threats = league_table(table_leagues(findings), systems), threat_lists(findings)
    compared = [league for league in _focus(findings) if league.contrasts]
    voters = one_and_many(findings.votes.rater_kinds if findings.votes else ())
    first = first_screen(findings)
    return {
        "light": css_variables(LIGHT),
        "dark": css_variables(DARK),
        "findings": findings,
        "voter": voters[0],
        "voters": voters[1],
        "long_answer": bool(findings.answer) and len(findings.answer[0].text) > LONG,
        "first": first,
        "facts": _facts(findings),
        "reading": reading_lines(findings),
        "threats": threats,
        "threat_counts": ", ".join(
            f"{len(texts)} {EFFECTS[heading.severity][len(texts) > 1]}" for heading, texts in threats
        )
        + (OF_OTHERS if first.is_unthreatened else ""),
        "systems": systems,
        "colors": system_colors(systems),
        "duel": compare_head_to_head(leagues, systems) if len(systems) == 2 and leagues else None,
        "table": table,
        "key": _key(table),
        "primary": primary.measure if primary else None,
        "alpha": level(findings.alpha),
        "corrected": correction_words(findings.correction, "-corrected"),
        "figures": sections,
        "pair_tables": [
            _pair_table(league, correction_words(correction_within(findings, league)))
            for league in compared
            if 2 < len(systems) <= MAX_TABLED
        ],
        "no_pairs": _no_pairs(len(systems), any_pairs=bool(compared)),
        "most_tabled": MAX_TABLED,
        "strengths": _votes(findings),
        "wins": _wins(findings, systems),
        "families": [_family_section(family, systems, drawn) for family in findings.sensitivity],
        "chats": _chats(findings, names),
        "cards": cards_of(leagues),
        "directions": DIRECTIONS,
        "judges": list(JUDGES.values()),
        "short_name": short_name,
        "methods": methods(findings),
        "manifest": manifest_rows(findings.manifest),
    }


_SECTIONS = ("league", "votes", "spread", "metrics")


def cards_of(leagues: Sequence[League]) -> list[tuple[Measure, list[str]]]:
    """(Measure with a card, names of all its columns), each metric variant once.

    A metric of talks with several kinds of users has a column for each of them, and one card, without their names.
    """
    found: dict[str, tuple[Measure, list[str]]] = {}
    for measure in (league.measure for league in leagues if league.measure.card is not None):
        chosen = measure.model_copy(update={"name": measure.measured, "title": measure.plain_title, "users": None})
        found.setdefault(chosen.name, (chosen, []))[1].append(measure.name)
    return list(found.values())


def _key(table: Table) -> dict[str, bool]:
    """Marks that occur in the table and need a legend."""
    columns = [column for block in table.all_blocks for column in block.columns]
    named = [(column.name, cell) for column in columns for cell in column.cells.values()]
    cells = [cell for _, cell in named]
    return {
        "letters": any(cell.letters for cell in cells),
        "ranks": any(cell.ranks for name, cell in named if name != VOTES),
        "vote_ranks": any(cell.ranks for name, cell in named if name == VOTES),
        "leads": any(cell.leads for cell in cells),
    }


def _facts(findings: Findings) -> list[tuple[str, str]]:
    """Pairs (number, unit) for the top of the page; known ones only."""
    summed = sum(facts.dialogues for facts in findings.systems)
    dialogues = findings.dialogues if findings.dialogues is not None else summed
    found = [
        (len(findings.systems), "system", "systems"),
        (dialogues, "dialogue", "dialogues"),
        (sum(facts.replies for facts in findings.systems), "reply", "replies"),
        (findings.people or 0, *one_and_many(_rater_kinds(findings))),
        (findings.votes.votes if findings.votes else 0, "vote", "votes"),
    ]
    return [(f"{value:,}", one if value == 1 else many) for value, one, many in found if value]


def _rater_kinds(findings: Findings) -> tuple[Raters, ...]:
    return kinds_of(kind for league in all_leagues(findings) for kind in league.measure.raters)


def _focus(findings: Findings) -> list[League]:
    """Measures that rank and matter most: people's, votes, and the primary one."""
    return [
        league
        for league in all_leagues(findings)
        if is_ranked(league) and (league.measure.by == "people" or league.measure.name == findings.primary)
    ]


def _no_pairs(systems: int, *, any_pairs: bool) -> str:
    """Remark on comparisons omitted from pages with many systems, and their location; empty if none are."""
    if systems <= MAX_DRAWN:
        return ""
    if not any_pairs:
        return "The systems were not compared in pairs."
    what = "matrix of pairs is not drawn" if systems <= MAX_TABLED else "pairs are neither drawn nor listed"
    many = f"{systems} systems make {systems * (systems - 1) // 2:,} pairs, too many to read here"
    return f"The {what}: {many}. The file pairs.csv next to this page lists all of them."


def _pair_table(league: League, correction: str) -> PairTable:
    """Pairs with the largest difference first; those that were not compared last."""
    decimals = column_decimals(contrast.difference for contrast in league.contrasts)
    sign = -1 if league.measure.better == "lower" else 1
    rows = []
    for contrast in sorted(league.contrasts, key=lambda one: -abs(one.difference.value or 0.0)):
        value = contrast.difference.value
        shown = contrast if value is None or sign * value >= 0 else turn_contrast(contrast)
        text = render_estimate(shown.difference, decimals, sign=True)
        text += f" ({shown.difference.why})" if contrast.verdict == "undefined" and shown.difference.why else ""
        survives = {"a": "yes", "b": "yes", "undefined": "not compared"}.get(contrast.verdict, "no")
        together = bounds(shown.simultaneous, decimals, sign=True) if shown.simultaneous else ""
        rows.append(PairRow(shown.a, shown.b, text, together, plain_p(contrast.p_adjusted), survives))
    return PairTable(league.measure.title, league.measure.name, tuple(rows), correction)


def _votes(findings: Findings) -> list[list[str]]:
    """Strengths in numbers: system, strength, rank, strength with ties as half wins, Elo, its rank, share of wins."""
    strengths = findings.votes.strengths if findings.votes else ()
    return [
        [
            each.system,
            render_estimate(each.strength, 0),
            ranks(each.rank_low, each.rank_high) or MISSING,
            MISSING if each.strength_half is None else number(each.strength_half, 0),
            number(each.elo, 0),
            ranks(each.elo_rank_low, each.elo_rank_high),
            render_estimate(each.win_rate, 2),
        ]
        for each in strengths
    ]


def _wins(findings: Findings, systems: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Votes won by row against column; empty without votes, or with too many systems."""
    votes = findings.votes
    if votes is None or not votes.wins or len(systems) > MAX_TABLED:
        return []
    return [
        (a, ["" if a == b else _won(votes.wins.get(a, {}).get(b), votes.wins.get(b, {}).get(a)) for b in systems])
        for a in systems
    ]


def _won(won: float | None, lost: float | None) -> str:
    if won is None and lost is None:
        return MISSING
    return f"{won or 0:g}"


def _family_section(family: Sensitivity, systems: Sequence[str], drawn: Sequence[Figure]) -> Family:
    known = {standing.system for league in family.leagues for standing in league.standings}
    table = league_table(family.leagues, [system for system in systems if system in known])
    flipped = frozenset(system for flip in family.flips for system in (flip.a, flip.b))
    figure = next((each for each in drawn if each.name == variants_name(family)), None)
    return Family(family.metric, table, tuple(_flip(flip) for flip in family.flips), flipped, figure)


def _flip(flip: RankReversal) -> RankReversalRow:
    names = variant_labels([*flip.for_a, *flip.for_b])
    for_a, for_b = (", ".join(names[name] for name in side) for side in (flip.for_a, flip.for_b))
    return RankReversalRow(flip.a, flip.b, for_a, for_b, flip.sure)


def _chats(findings: Findings, names: dict[str, str]) -> dict[str, list[Chat]]:
    """Examples by heading."""
    chats = [chat(example, names=names) for example in findings.examples]
    by_role = {role: [each for each in chats if each.role == role] for role in HEADINGS}
    return {HEADINGS[role].format(found[0].measure): found for role, found in by_role.items() if found}
