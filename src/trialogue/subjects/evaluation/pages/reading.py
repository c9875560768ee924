"""What was read and compared, in lines for the first screen and the terminal: rated units, design, test, unread columns."""

from collections.abc import Collection, Iterator

from trialogue.findings import Findings
from trialogue.findings.sample.records import Crossing, Design, Draw, Factor
from trialogue.findings.wording import list_names
from trialogue.records import Rated, Reading
from trialogue.render.measures import primary_of
from trialogue.render.numbers import count
from trialogue.stats.comparison.crossed_raters import RATERS

MAX_SYSTEMS = 6  # whose rated shares are listed one by one
MAX_NAMES = 8  # of columns that were not read
SHORT_OF = "may hold people's judgements"
NOUNS = {
    Factor.PEOPLE: ("user", "users", "met"),  # who may be invented, or a script
    Factor.NEEDS: ("need", "needs", "met"),
    Factor.TASKS: ("task", "tasks", "were given to"),
    Factor.SITUATIONS: ("situation", "situations", "were given to"),
    Factor.RATERS: ("rater", "raters", "rated"),
    Factor.SOURCES: ("source", "sources", "are those of"),
}
"""One, many, and what they have to do with systems."""
DRAWS = {
    Draw.RECORDED: "a plan drew them at random",
    Draw.UNEQUAL: "a plan drew them with unequal chances, and the means do not correct for that",
    Draw.UNKNOWN: "nothing records how these were chosen",
}
OF_UNITS = (Factor.PEOPLE, Factor.NEEDS, Factor.TASKS, Factor.SITUATIONS)


def reading_lines(findings: Findings) -> list[str]:
    """Lines on what was read, most important first; [] for older files, which do not say."""
    sliced = () if findings.log is None else findings.log.fields
    return [*_rated_shares(findings), *compared_lines(findings), *_unread(findings.reading, sliced)]


def sample_line(findings: Findings) -> str:
    """How much was read: systems, dialogues, replies and people."""
    dialogues = (
        findings.dialogues if findings.dialogues is not None else sum(each.dialogues for each in findings.systems)
    )
    if findings.votes is not None and not findings.systems:
        return f"Read: {count(findings.votes.votes, 'vote')} on {count(len(findings.votes.strengths), 'system')}."
    parts = [
        count(len(findings.systems), "system"),
        count(dialogues, "dialogue"),
        count(sum(each.replies for each in findings.systems), "reply", "replies"),
        *([count(findings.people, "person", "people")] if findings.people else []),
    ]
    return f"Read: {', '.join(parts)}."


def _rated_shares(findings: Findings) -> Iterator[str]:
    shares = {name: each for name, each in findings.reading.rated.items() if each.units}
    total, units = sum(each.rated for each in shares.values()), sum(each.units for each in shares.values())
    if not total:
        return
    what = "dialogues" if all(each.is_of_dialogues for each in shares.values()) else "replies"
    draws = {column.draw for column in findings.sample.columns} - {Draw.ALL}
    how = f"; {DRAWS[min(draws)]}" if len(draws) == 1 else ""
    if total == units:
        yield f"Rated: all {units:,} {what}."
    elif len(shares) > MAX_SYSTEMS:
        yield f"Rated: {total:,} of {units:,} {what} ({_lowest(shares)}){how}."
    else:
        yield f"Rated: {', '.join(f'{name} {each.rated:,} of {each.units:,}' for name, each in shares.items())} {what}{how}."


def _lowest(shares: dict[str, Rated]) -> str:
    name = min(shares, key=lambda each: (shares[each].rated / shares[each].units, each))
    return f"fewest of {name}: {shares[name].rated:,} of {shares[name].units:,}"


def _unread(reading: Reading, sliced: Collection[str]) -> Iterator[str]:
    judging = list(dict.fromkeys(reading.may_be_feedback))
    if judging:
        yield f"Not read, but {SHORT_OF}: {list_names(judging)}."
    names = list(
        dict.fromkeys(name for each in reading.unread for name in each.names if name not in (*judging, *sliced))
    )
    if names:
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        yield f"Not read: {', '.join(names[:MAX_NAMES])}{more}."


def compared_lines(findings: Findings) -> list[str]:
    """Lines on the design and the inference; [] for older files, and where nothing is compared."""
    if len(findings.systems) < 2 or not findings.sample.units:
        return []
    return [*_design(findings), *_inference(findings)]


def _design(findings: Findings) -> Iterator[str]:
    systems = len({each.system for each in findings.sample.units})
    parts = [_clause(each, systems) for each in _beside_systems(findings)]
    uneven = [each for each in findings.sample.units if each.effective < each.clusters / 2]
    parts += [
        f"the {each.clusters:,} clusters of {each.system} are worth {each.effective:.0f} of equal size"
        for each in uneven
    ]
    if parts:
        yield f"Compared: {'; '.join(parts)}."


def _beside_systems(findings: Findings) -> list[Crossing]:
    return [each for each in findings.sample.crossings if each.beside is Factor.SYSTEMS and each.factor in NOUNS]


def _clause(crossing: Crossing, systems: int) -> str:
    one, many, verb = NOUNS[crossing.factor]
    total = count(crossing.levels, one, many)
    every = "both systems" if systems == 2 else f"all {systems} systems"
    match crossing.design:
        case Design.CROSSED:
            return f"{total} {verb} {every}"
        case Design.PARTLY:
            more = "" if systems == 2 else f" ({crossing.every:,} {every})"
            return f"{crossing.several:,} of {total} {verb} {'both' if systems == 2 else 'several'} systems{more}"
        case _:
            return f"none of {total} {verb} more than one system"


def _inference(findings: Findings) -> Iterator[str]:
    """Which test decides on the leading measure, and why that one."""
    league = primary_of(findings)
    tested = [each.difference.interval for each in league.contrasts if each.difference.p is not None] if league else []
    interval = next((each for each in tested if each is not None), None)
    if league is None or interval is None:
        return
    crossings = {each.factor: each for each in _beside_systems(findings)}
    own = next((crossings[factor] for factor in OF_UNITS if factor in crossings), None)
    if RATERS in interval.facts:
        why = "raters rated several dialogues of several systems"
    elif own is not None and own.several:
        why = f"several systems share {NOUNS[own.factor][1]}"
    elif own is not None:
        why = f"the systems share no {NOUNS[own.factor][1]}"
    else:
        why = "dialogues are independent as far as the data say"
    yield f"Test on {league.measure.title}: {interval.method}, because {why}."
