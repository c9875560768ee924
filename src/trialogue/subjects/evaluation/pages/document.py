"""What an evaluation says: the answer, its threats, the league table, differences, votes, dialogues, and how it was made."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import Path

from trialogue.findings import (
    Findings,
    League,
    RankReversal,
    Sensitivity,
    Statement,
    StatementKind,
    SystemFacts,
)
from trialogue.findings import Section as OtherSection
from trialogue.findings.family import ACROSS_MEASURES, correction_within
from trialogue.findings.records import CellValue, Noted, Values
from trialogue.findings.systems.answer import primary_league, threats_in_verdict
from trialogue.findings.threat import Severity, Threat, ThreatCode, Validity
from trialogue.findings.threats.summary import threat_lines
from trialogue.findings.validity import Validity as Agreement
from trialogue.records import VOTES, Estimate, Raters
from trialogue.records.kinds.origins import kinds_of, one_and_many
from trialogue.render.compact_letters import league_letters
from trialogue.render.document import (
    Column,
    Document,
    Link,
    Medium,
    Part,
    Section,
    Sentences,
    Table,
    from_estimate,
    in_files,
)
from trialogue.render.long_names import with_short_names
from trialogue.render.measures import (
    WIDEST,
    all_leagues,
    confidence,
    correction_words,
    few_leagues,
    group_by_judges,
    is_ranked,
    is_sparse,
    labels,
    main_leagues,
    metric_cards,
    paper_leagues,
    primary_of,
    split_columns,
    system_names,
    systems_in_order,
    table_leagues,
)
from trialogue.render.media.papers import COLUMN
from trialogue.render.numbers import MISSING, column_decimals, count, level, number, percent, plain_p, render_estimate
from trialogue.render.plots import MAX_DRAWN, Figure
from trialogue.render.plots.variants import variant_labels, variants_name
from trialogue.render.table import AnyCell, Cell, Insert
from trialogue.render.text import distinct_texts
from trialogue.subjects.evaluation.pages.chat import chat
from trialogue.subjects.evaluation.pages.explorer_links import explorer_links
from trialogue.subjects.evaluation.pages.first_screen import first_parts
from trialogue.subjects.evaluation.pages.head_to_head import head_to_head, pairs_table
from trialogue.subjects.evaluation.pages.league import Systems, league_table, sparse_note
from trialogue.subjects.evaluation.pages.log import first_of_log, harm_lines, log_sections
from trialogue.subjects.evaluation.pages.methods import cards_of, methods
from trialogue.subjects.evaluation.pages.paper import METHODS, REFERENCES
from trialogue.subjects.evaluation.pages.reading import reading_lines, sample_line
from trialogue.subjects.evaluation.pages.summary import pairs_table as pairs_file
from trialogue.subjects.evaluation.pages.summary import sample_table
from trialogue.subjects.evaluation.pages.summary import standings_table as standings_file
from trialogue.subjects.evaluation.pages.votes import strengths_table, wins_table

IN_TERMINAL = 3  # measures; the report has all
PAGE, SCREENS = frozenset({Medium.PAGE}), frozenset({Medium.PAGE, Medium.TERMINAL})
TERMINAL, PAPER = frozenset({Medium.TERMINAL}), frozenset({Medium.PAPER})
MAX_TABLED = 60  # systems; beyond, a table of their pairs would be most of the page, and pairs.csv holds it
MAX_THREATS = 3  # lines on the first screen; every one is in the list below
HEADINGS = {
    "best": "Best by {}",
    "worst": "Worst by {}",
    "liked": "Rated high by people, but not by {}",
    "praised": "Rated high by {}, but not by people",
}
CLEARANCE = "None of the threats to validity that were checked blocks or demotes this verdict."
OF_OTHERS = " (verdicts on other measures than the one above)"
"""Beside the counts of threats where none concerns the verdict above them."""
ALONE = (
    "There is only one system, so there is nothing to compare: these are its values with their intervals. Add a second "
    "system to find out which is better."
)
FORMULAS = (
    "Different formulas share the same name. Each variant has its own column; the name alone is not informative if the "
    "ranking of systems depends on the variant."
)
FOR_PAPERS = f"The same for a paper, with references: {METHODS} and {REFERENCES} next to this page."


def evaluation_document(
    found: Findings, drawn: Sequence[Figure] = (), agreed: Sequence[Agreement] = (), *, explorer: bool = False
) -> Document:
    """The document of an evaluation; its files have the whole names of systems, people read short ones.

    Args:
        found: findings that it shows.
        drawn: the figures; (): none, as on a terminal.
        agreed: what the run's own ratings say about its metrics.
        explorer: whether ``explorer.html`` lies beside the page, to which numbers and dialogues then lead.
    """
    links = explorer_links(found, there=explorer)
    shown = with_short_names(found, system_names(found))
    leagues, systems = all_leagues(shown), Systems.of(shown, links)
    first, further = _split_answer(shown.answer)
    against = _against(shown, systems)
    is_clear = not against and _is_firm(shown)
    cards = cards_of(leagues)
    sections = [_other(each, place) for place, each in enumerate(shown.sections, start=1)]
    return Document(
        name="report",
        findings="findings.json",
        brand="report",
        title=shown.title,
        answer=[each.text for each in first],
        clearance=CLEARANCE if is_clear else "",
        against=against,
        first=first_of_log(shown, systems) or first_parts(shown, systems),
        facts=_facts(shown),
        aside=list(_lines_aside(shown, systems)),
        further=[each.text for each in further],
        threats=_ordered_threats(shown),
        threats_of=OF_OTHERS if is_clear else "",
        threat_links=[Link(href, text) for text, href in links.threats],
        titles=systems.titles,
        colors=systems.colors,
        is_linked=explorer,
        sections=[
            Section("What was read", [Sentences([sample_line(shown), *reading_lines(shown)], where=TERMINAL)]),
            *log_sections(shown, systems),
            *sections,
            Section("Dialogues to open", list(_chats(shown, systems)), "dialogues", is_extra=True, where=PAGE),
            *_leagues(shown, leagues, systems),
            Section(
                "Which differences are significant" if len(systems.names) > 1 else "In a picture",
                list(_differences(shown, drawn, systems)),
                "differences",
                where=PAGE,
            ),
            _votes(shown, drawn, systems),
            Section("Distribution over dialogues", _of(drawn, "spread"), "spread", is_extra=True, where=PAGE),
            Section("All metrics", _of(drawn, "metrics"), "metrics", is_extra=True, where=PAGE),
            Section(
                "Does the formula matter?",
                list(_variants(shown, drawn, systems)),
                "variants",
                is_extra=True,
                where=PAGE,
            ),
            Section(
                "What the metrics are",
                [metric_cards(cards, agreed) if cards else None],
                "cards",
                is_extra=True,
                where=PAGE,
            ),
            Section("Amount of data", [_amounts(shown, systems)], "amounts", is_extra=True, where=PAGE),
            Section("Files", [standings_file(found), pairs_file(found), sample_table(found)], where=frozenset()),
        ],
        warnings=shown.warnings,
        methods=[*methods(shown), FOR_PAPERS],
        beside=["summary.json", METHODS, REFERENCES],
        paper="league",
        is_folded=True,
        record=found,
        manifest=found.manifest,
    )


def league_document(found: Findings) -> Document:
    """The answer and all measures in tables as wide as a page, for notebooks and papers."""
    document = evaluation_document(found)
    systems = Systems.of(found, explorer_links(found, there=False))
    blocks = split_columns(table_leagues(found), WIDEST)
    tables = [league_table(block, systems, f"Part {place}") for place, block in enumerate(blocks, start=1)]
    whole = [each.text for each in found.answer]
    return replace(document, title=found.title, answer=whole, further=(), against=(), sections=[Section("", tables)])


def _split_answer(answer: Sequence[Statement]) -> tuple[Sequence[Statement], Sequence[Statement]]:
    """The first verdict with what limits it; then, from the next verdict or the votes on, the rest."""
    others = (StatementKind.VERDICT, StatementKind.VOTES)
    verdicts = [at for at, each in enumerate(answer) if each.kind_of in others]  # a threat may stand before the first
    place = verdicts[1] if len(verdicts) > 1 else len(answer)
    return answer[:place], answer[place:]


def _against(found: Findings, systems: Systems) -> list[str]:
    """Threats that block or demote the leading measure or the whole run and are not part of the answer; blocking ones
    first."""
    league = primary_of(found) or primary_league(found.leagues)
    about = "" if league is None else league.measure.name
    users = (None, None if league is None else league.measure.users)
    grave = [threat for threat in found.threats if threat.severity is not Severity.NOTES]
    stated = [] if league is None else threats_in_verdict(league, grave)
    stated = [*stated, *(each for each in grave if each.code is ThreatCode.UNRECOGNISED_TITLES)]
    own = [each for each in grave if each.concerns_measure(about) and each.users in users and each not in stated]
    said = {each.text for each in found.answer}  # the answer states a threat that leaves no verdict
    lines = [line.text for line in threat_lines(own, systems.titles) if line.text not in said]
    more = len(lines) - MAX_THREATS
    return [*lines[:MAX_THREATS], *([f"And {more} more, listed below."] if more > 0 else [])]


def _is_firm(found: Findings) -> bool:
    """Whether the answer has a verdict, and nothing demotes any of it."""
    league = primary_of(found)
    if league is None or league.validity is not Validity.FIRM:
        return False
    decided = [each for each in league.contrasts if each.leader is not None]
    return bool(decided) and all(each.validity is Validity.FIRM for each in decided)


def _ordered_threats(found: Findings) -> list[Threat]:
    """Threats to the answer first."""
    primary = primary_league(found.leagues)
    name = "" if primary is None else primary.measure.name
    return sorted(found.threats, key=lambda threat: not threat.concerns_measure(name))


def _facts(found: Findings) -> list[tuple[int, str, str]]:
    raters: tuple[Raters, ...] = kinds_of(kind for league in all_leagues(found) for kind in league.measure.raters)
    summed = sum(facts.dialogues for facts in found.systems)
    return [
        (len(found.systems), "system", "systems"),
        (summed if found.dialogues is None else found.dialogues, "dialogue", "dialogues"),
        (sum(facts.replies for facts in found.systems), "reply", "replies"),
        (found.people or 0, *one_and_many(raters)),
        (found.votes.votes if found.votes else 0, "vote", "votes"),
    ]


def _lines_aside(found: Findings, systems: Systems) -> Iterator[Part]:
    links = systems.links
    yield Sentences([*harm_lines(found, systems), *reading_lines(found)])
    names = systems_in_order(found)
    if links.there:
        yield Link(links.answer(*names) if len(names) == 2 else links.start_page(), "Look at the dialogues")
    elif found.no_explorer is not None:
        yield Sentences([f"No explorer: {found.no_explorer} (--set explorer=true)"])


def _other(section: OtherSection, place: int) -> Section:
    """A section of another analysis."""
    is_picture = section.page is not None and Path(section.page).suffix == ".svg"
    text = "As a picture" if is_picture else "Everything on this"
    link = Link(section.page, text, section.title) if section.page is not None else None
    parts: list[Part] = [
        Sentences(section.sentences, "said"),
        Table(f"{section.title}, table", section.rows, list(_other_columns(section)), file=section.file),
        link,
    ]
    return Section(section.title, parts, f"section-{place}", is_extra=True, where=PAGE)


def _other_columns(section: OtherSection) -> Iterator[Column[tuple[CellValue, ...]]]:
    """Columns of its table; in its file, intervals have columns of their own, and no two columns have one name."""
    heads = [each.head or "name" for each in section.columns]
    keys = iter(distinct_texts([f"{head}{end}" for head in heads for end in ("", ", low", ", high")]))
    for at, column in enumerate(section.columns):
        estimates = [each for row in section.rows if (each := _estimate(at, row)) is not None]
        yield Column(column.head or " ", itemgetter(at), partial(_cell, column.values, column_decimals(estimates)))
        key, low, high = next(keys), next(keys), next(keys)
        if section.file:
            yield from in_files(**{key: partial(_value, at)})
            yield from from_estimate(partial(_estimate, at), **({"low": low, "high": high} if estimates else {}))


def _value(at: int, row: tuple[CellValue, ...]) -> CellValue:
    cell = row[at]
    return cell.value if isinstance(cell, Noted) else cell


def _estimate(at: int, row: tuple[CellValue, ...]) -> Estimate | None:
    value = _value(at, row)
    return value if isinstance(value, Estimate) else None


def _cell(values: Values, decimals: int, cell: CellValue) -> AnyCell:
    match cell, values:
        case Noted(), _:
            value = "" if cell.value is None else _cell(values, decimals, cell.value)
            return "\n".join(part for part in (str(value), cell.note) if part)
        case Estimate(value=None), _:
            return Cell(MISSING, tip=str(cell.why or ""))
        case Estimate(), _:
            return render_estimate(cell, decimals)
        case float(), Values.SHARES:
            return percent(cell)
        case float(), Values.P_VALUES:
            return plain_p(cell)
        case float(), _:
            return number(cell, 2)
        case int(), _:
            return f"{cell:,}"
    return str(cell)


def _chats(found: Findings, systems: Systems) -> Iterator[Part]:
    """Examples by heading."""
    chats = [chat(example, names=systems.titles) for example in found.examples]
    by_role = {role: [each for each in chats if each.role == role] for role in HEADINGS}
    shown = {HEADINGS[role].format(each[0].measure): each for role, each in by_role.items() if each}
    if shown:
        yield Insert("chats.html.j2", {"chats": shown, "colors": systems.colors, "explorer": systems.links})


def _leagues(found: Findings, leagues: Sequence[League], systems: Systems) -> Iterator[Section]:
    """The league table of each medium; of two systems, a page sets them head to head."""
    title = "All measures: league table" if len(systems.names) > 1 else "Values"
    everything = table_leagues(found)
    sparse = [each for each in everything if is_sparse(each) and each.measure.name != found.primary]
    dense = [each for each in everything if each not in sparse]
    few = dense if len(dense) <= IN_TERMINAL else [each for each in few_leagues(found, IN_TERMINAL) if each in dense]
    more = len(everything) - len(few)
    note = " ".join(
        part for part in (_key(found, few), f"{count(more, 'more measure')} in the report." if more else "") if part
    )
    if found.log is None or not found.log.leads:
        yield Section("", [league_table(few, systems, title, where=TERMINAL, note=note)], where=TERMINAL)
    chosen = paper_leagues(found)
    caption = paper_caption(found, chosen)
    paper = league_table(chosen, systems, "Systems by measures", where=PAPER, caption=caption, points=COLUMN)
    yield Section("", [paper], where=PAPER)
    if len(systems.names) == 2 and leagues:
        shown = [each for each in leagues if each in dense]
        table_of_two = head_to_head(shown, systems, alpha=found.alpha, note=sparse_note(sparse, systems.titles))
        yield Section("Head to head on every measure", [table_of_two], "league", where=PAGE)
        return
    main = [each for each in main_leagues(leagues) if each in dense]
    blocks = _blocks(main or dense)
    rest = group_by_judges([each for each in dense if main and each not in main])
    folded = [block for group in rest for block in _blocks(group)]
    table: list[Part] = [
        Sentences([_lead(found, systems)]),
        *_tables(blocks, systems, "Systems by measures", note=sparse_note(sparse, systems.titles)),
        Section("Every other measure", _tables([*folded, *_blocks(sparse)], systems, "Every other measure"), fold=True),
        *([] if everything else [Sentences(["Nothing could be measured; the notes on the data may give the reason."])]),
    ]
    yield Section(title, table, "league", where=PAGE)


def _blocks(leagues: Sequence[League]) -> list[list[League]]:
    """Parts of about equal width that fit a page."""
    parts = -(-len(leagues) // WIDEST)
    return split_columns(leagues, -(-len(leagues) // parts)) if leagues else []


def _tables(blocks: Sequence[Sequence[League]], systems: Systems, label: str, *, note: str = "") -> list[Part]:
    """A table for each part; the last one has the note."""
    return [
        league_table(
            block,
            systems,
            label + (f", part {place}" if len(blocks) > 1 else ""),
            where=PAGE,
            note=note if place == len(blocks) else "",
        )
        for place, block in enumerate(blocks, start=1)
    ]


def _lead(found: Findings, systems: Systems) -> str:
    if len(systems.names) < 2:
        return ALONE
    primary = primary_of(found)
    order = f"from best to worst by {systems.titles[primary.measure.name]}" if primary else "by name"
    return f"Systems {order}. {_key(found, table_leagues(found), on_page=True)}".strip()


def _key(found: Findings, leagues: Sequence[League], *, on_page: bool = False) -> str:
    """What the marks of a league table mean, as far as there are any."""
    parts = []
    if any(league_letters(league) for league in leagues):
        corrected = correction_words(found.correction, "-corrected")
        parts.append(
            f"Systems that share a letter do not differ significantly ({corrected}, α = {level(found.alpha)})."
        )
    ranked = {league.measure.name == VOTES for league in leagues if any(each.rank_low for each in league.standings)}
    if on_page and False in ranked:
        parts.append(
            "#Ranks are the ranges consistent with the corrected comparisons, for all systems of a measure simultaneously."
        )
    if on_page and True in ranked:
        of_votes = "Under Votes, ranks" if False in ranked else "Ranks"
        parts.append(f"{of_votes} are those in 95% of resamples, for each system individually, not corrected.")
    if on_page and any((each.rank_low or 1) > 1 for league in leagues for each in league.standings):
        parts.append("Shaded systems may be the best.")
    return " ".join(parts)


def paper_caption(found: Findings, leagues: Sequence[League]) -> str:
    """Self-contained caption of the paper's table."""
    levels = " or ".join(dict.fromkeys(map(confidence, leagues)))
    arrows = "; an arrow says which direction is better" if any(map(is_ranked, leagues)) else ""
    parts = [f"Values of {describe_data(found)}, with {levels} intervals{arrows}."]
    users = dict.fromkeys(each.measure.users for each in leagues if each.measure.users)
    if users:
        parts.append(f"The simulated users of these dialogues: {', '.join(users)}.")
    if any(league_letters(league) for league in leagues):
        corrected = correction_words(found.correction, "-corrected")
        if found.correction != ACROSS_MEASURES:
            corrected += " across the pairs of a measure"
            questions = max(league.questions for league in leagues)
            corrected += f" and people's {questions} questions" if questions > 1 else ""
        parts.append(
            f"Systems that share a letter do not differ significantly ({corrected}, α = {level(found.alpha)})."
        )
    if any((each.rank_low or 1) > 1 for league in leagues for each in league.standings):
        parts.append("Bold: may be the best.")
    return " ".join(parts)


def describe_data(found: Findings) -> str:
    """How many systems and dialogues are behind the numbers."""
    summed = sum(facts.dialogues for facts in found.systems)
    dialogues = found.dialogues if found.dialogues is not None else summed
    return count(len(found.systems), "system") + (f" in {count(dialogues, 'dialogue')}" if dialogues else "")


def _differences(found: Findings, drawn: Sequence[Figure], systems: Systems) -> Iterator[Part]:
    """Figures of the measures that matter most, and tables of their pairs."""
    compared = [league for league in _focus(found) if league.contrasts]
    yield from _of(drawn, "league")
    if missing := _no_pairs(len(systems.names), any_pairs=bool(compared)):
        yield Sentences([missing], "")
    if 2 < len(systems.names) <= MAX_TABLED:
        for league in compared:
            table = pairs_table(league, systems, correction_words(correction_within(found, league)))
            title = f"Every pair on {systems.titles[league.measure.name]}, with p-values"
            yield Section(title, [table], fold=True)


def _focus(found: Findings) -> list[League]:
    """Measures that rank and matter most: people's, votes, and the primary one."""
    return [
        league
        for league in all_leagues(found)
        if is_ranked(league) and (league.measure.by == "people" or league.measure.name == found.primary)
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


def _votes(found: Findings, drawn: Sequence[Figure], systems: Systems) -> Section:
    votes = found.votes
    voter, voters = one_and_many(votes.rater_kinds if votes else ())
    parts: list[Part] = []
    if votes is not None and (votes.strengths or votes.wins):
        by = f", by {count(votes.raters, voter, voters)}" if votes.raters else ""
        notes = [f" Note: {why}." for why in (votes.why, votes.left_out) if why is not None]
        said = f"{votes.votes} votes between two systems, {votes.ties} of them ties{by}.{''.join(notes)}"
        wins = wins_table(votes, systems) if len(systems.names) <= MAX_TABLED else None
        parts = [
            Sentences([said]),
            *_of(drawn, "votes"),
            Section("Strengths in numbers", [strengths_table(votes)], fold=True),
            Section("Head-to-head votes", [wins], fold=True),
        ]
    return Section(f"What {voters} voted", parts, "votes", where=PAGE)


def _of(drawn: Sequence[Figure], section: str) -> list[Part]:
    return [each for each in drawn if each.section == section]


def _variants(found: Findings, drawn: Sequence[Figure], systems: Systems) -> Iterator[Part]:
    if found.sensitivity:
        yield Sentences([FORMULAS])
    for family in found.sensitivity:
        yield Section(family.metric, list(_family(family, drawn, systems)))


def _family(family: Sensitivity, drawn: Sequence[Figure], systems: Systems) -> Iterator[Part]:
    """One metric under all its variants."""
    changes = (
        f"{count(len(family.flips), 'pair changes', 'pairs change')} places between variants: ⇅ marked in the table."
    )
    yield Sentences([changes if family.flips else "All variants rank the systems in the same order."], "")
    marked = frozenset(system for flip in family.flips for system in (flip.a, flip.b))
    rows = replace(systems, marked=marked, titles={**systems.titles, **labels(family.leagues)})
    yield from _tables(_blocks(family.leagues), rows, f"{family.metric} by variant")
    if len(systems.names) <= MAX_TABLED:
        title = f"Pairs of {family.metric} whose order depends on the variant"
        yield Section(title, [_flips(family)], fold=True)
    yield next((each for each in drawn if each.name == variants_name(family)), None)


def _flips(family: Sensitivity) -> Table[RankReversal]:
    def variants_of(side: Callable[[RankReversal], Sequence[str]]) -> Callable[[RankReversal], str]:
        def write(flip: RankReversal) -> str:
            names = variant_labels([*flip.for_a, *flip.for_b])
            return ", ".join(names[name] for name in side(flip))

        return write

    return Table(
        f"Pairs of {family.metric} that change places",
        family.flips,
        [
            Column("System", lambda flip: flip.a),
            Column("ahead under", variants_of(lambda flip: flip.for_a)),
            Column("other system", lambda flip: flip.b),
            Column("which is ahead under", variants_of(lambda flip: flip.for_b)),
            Column("Both significant after correction", lambda flip: "yes" if flip.sure else "no"),
        ],
        strong=lambda flip: flip.sure,
    )


def _amounts(found: Findings, systems: Systems) -> Table[SystemFacts]:
    return Table(
        "Amount of data per system",
        found.systems,
        [
            Column("System", lambda facts: systems.cell(facts.system)),
            Column("Dialogues", lambda facts: facts.dialogues),
            Column("Replies", lambda facts: facts.replies),
            Column("People", lambda facts: facts.people),
        ],
    )
