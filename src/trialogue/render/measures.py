"""Titles, directions and order of measures in the report, including votes as a measure."""

import math
import re
import textwrap
from collections.abc import Sequence

from trialogue.findings import Findings, League, Measure, Standing, Votes
from trialogue.findings.family import ACROSS_MEASURES
from trialogue.findings.standings import OVER_MEASURES
from trialogue.findings.systems.answer import first_to_show, opposed_questions
from trialogue.findings.titles import titles_of
from trialogue.findings.validity import Validity, known_validity, validity_lines
from trialogue.records import VOTES, MeasureName
from trialogue.records.kinds.origins import with_raters
from trialogue.render.table import Insert

WIDEST = 7
"""Columns that fit a page of 1080 pixels, or of A4 across, in any font; more go into a further table."""
FEW = 4
"""Measures on a first screen, and in a table that fits one column of a paper."""
LONGEST_PIECE = 20  # characters without a place where a line may break; longer ones are broken
_BREAK = re.compile(r"(?<=[=:_|)/-])(?![,.;:)])|(?<=[,.])(?!\d)|(?=[@(])")  # never inside a number
JUDGES = {"people": "People", "simulation": "Simulated users", "metric": "Metrics", "judge": "Judges"}
"""Sources of measures, in the order of the league table."""
DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "neither": "not ranked"}
ARROWS = {"higher": "↑", "lower": "↓", "neither": ""}


_SCOPES = {ACROSS_MEASURES: " across all measures together", OVER_MEASURES: " across the deciding measures"}


def correction_words(correction: str, suffix: str = "") -> str:
    """A stored correction in words, with a suffix after the method.

    >>> correction_words("max-T or Bonferroni", "-corrected"), correction_words(ACROSS_MEASURES)
    ('max-T or Bonferroni-corrected', 'Bonferroni across all measures together')
    """
    method = "Bonferroni" if correction in _SCOPES else correction
    return f"{method}{suffix}{_SCOPES.get(correction, '')}"


def votes_league(votes: Votes) -> League:
    """Votes as a league: Bradley-Terry strengths with rank ranges."""
    measure = Measure(
        name=VOTES,
        title=with_raters("Votes", votes.rater_kinds),
        by="people",
        raters=votes.rater_kinds,
        better="higher",
        unit="Bradley–Terry strength, mean 1000",
        signature=None,
    )
    standings = tuple(
        Standing(
            system=each.system,
            estimate=each.strength,
            rank_low=each.rank_low,
            rank_high=each.rank_high,
        )
        for each in votes.strengths
    )
    return League(measure=measure, standings=standings, contrasts=votes.contrasts)


def all_leagues(findings: Findings) -> tuple[League, ...]:
    """Columns of the league table: human measures, votes, simulated users, metrics."""
    people = [league for league in findings.leagues if league.measure.by == "people"]
    simulated = [league for league in findings.leagues if league.measure.by == "simulation"]
    metrics = [league for league in findings.leagues if league.measure.by == "metric"]
    known = {league.measure.name for league in people}
    votes = [votes_league(findings.votes)] if findings.votes and findings.votes.strengths and VOTES not in known else []
    return (*people, *votes, *simulated, *metrics)


def table_leagues(findings: Findings) -> tuple[League, ...]:
    """Columns of league tables: all leagues, and behind them the judges', raw beside corrected."""
    return (*all_leagues(findings), *findings.judge_leagues)


def is_sparse(league: League) -> bool:
    """Whether a metric is undefined for most systems, or for all but one; people's answers never are."""
    size = len(league.standings)
    defined = sum(standing.estimate.value is not None for standing in league.standings)
    return league.measure.by != "people" and (2 * defined < size or defined < min(2, size))


def split_columns(leagues: Sequence[League], size: int) -> list[list[League]]:
    """Parts of at most so many columns, in order; a judge's raw column stays beside the corrected one, even if one fits."""
    parts: list[list[League]] = []
    for league in leagues:
        pair = parts and parts[-1][-1].measure.by == "judge" == league.measure.by
        beside = pair and parts[-1][-1].measure.measured == league.measure.measured
        if beside and len(parts[-1]) >= max(size, 2):
            parts.append([parts[-1].pop()])
        if not parts or (len(parts[-1]) >= size and not beside):
            parts.append([])
        parts[-1].append(league)
    return parts


def group_by_judges(leagues: Sequence[League]) -> list[list[League]]:
    """Group leagues by kind of judge: people, each kind of simulated users, metrics; in order of appearance."""
    groups: dict[tuple[str, str | None], list[League]] = {}
    for league in leagues:
        groups.setdefault((league.measure.by, league.measure.users), []).append(league)
    return list(groups.values())


def main_leagues(leagues: Sequence[League]) -> list[League]:
    """Main columns to show first if there are many; [] if all fit, or are of one kind.

    Of people the first three (votes are one), of each kind of simulated users the one that an answer about them rests on (as
    on the first screen), of metrics the first two that rank, alignment with human recommenders before others; at most as
    many as fit.
    """
    kinds = {league.measure.by for league in leagues}
    if len(leagues) <= WIDEST or "simulation" not in kinds or len(kinds) < 2:
        return []
    people = [league for league in leagues if league.measure.by == "people"]
    votes = [league for league in people if league.measure.name == VOTES]
    of_users = [group for group in group_by_judges(leagues) if group[0].measure.by == "simulation"]
    simulated = [first_to_show(group) for group in of_users]
    metrics = [league for league in leagues if league.measure.by == "metric" and is_ranked(league)]
    aligned = [league for league in metrics if league.measure.measured.metric == "behavior_alignment"][:1]
    # Votes are one of people's three columns. Simulated users get what is left, but at least one column.
    chosen = [*[league for league in people if league not in votes][: 3 - len(votes)], *votes]
    chosen += [*metrics[:1], *(league for league in aligned if league not in metrics[:1])]
    chosen += simulated[: max(1, WIDEST - len(chosen))]
    return [league for league in leagues if league in chosen]


def primary_of(findings: Findings) -> League | None:
    """League that the answer rests on; None if nothing ranks the systems."""
    return next((league for league in all_leagues(findings) if league.measure.name == findings.primary), None)


def few_leagues(findings: Findings, most: int = FEW) -> list[League]:
    """At most so many measures, for a first screen or a paper: what decides, one of each other side, and further ones.

    What decides is the measure that leads, or people's questions that contradict each other. Places that are left go to
    people's further questions and, where there is one side alone, to its other measures.

    Of simulated users it is the measure that an answer about them rests on; of metrics the first, as their order is given.
    The same ones stand in the comparison of the three sides (``workflows.experiment.columns``).
    """
    primary, leagues = primary_of(findings), all_leagues(findings)
    valued = [
        each
        for each in leagues
        if not is_sparse(each) and any(one.estimate.value is not None for one in each.standings)
    ]
    ranked = [each for each in valued if is_ranked(each)]
    deciding = ([primary] if primary is not None else opposed_questions(leagues))[:most]
    chosen = {each.measure.name: each for each in deciding}
    sides = set(map(_side, deciding))
    for side in dict.fromkeys(map(_side, ranked)):
        first, *others = [each for each in ranked if _side(each) == side]
        leading = first if side == ("metric", None) else first_to_show([first, *others])
        if side not in sides and len(chosen) < most:
            sides.add(side)
            chosen[leading.measure.name] = leading
    people = [each for each in ranked if each.measure.by == "people"]
    for league in (*people, *([] if len(sides) > 1 else (*ranked, *valued, *leagues))):
        if len(chosen) < most:
            chosen.setdefault(league.measure.name, league)
    return [league for league in leagues if league.measure.name in chosen]


def paper_leagues(findings: Findings) -> list[League]:
    """At most four measures of a paper's table; where a judge's scores were given, its columns are the last of them."""
    judges = findings.judge_leagues[:2]  # raw beside corrected
    return [*few_leagues(findings, FEW - len(judges)), *judges]


def _side(league: League) -> tuple[str, str | None]:
    """People, metrics, or the simulated users whose dialogues were measured."""
    return league.measure.by, league.measure.users


def systems_in_order(findings: Findings) -> list[str]:
    """All systems, best first by the primary measure; unranked ones follow by name."""
    primary = primary_of(findings)
    order = [standing.system for standing in primary.standings] if primary else []
    known = {facts.system for facts in findings.systems}
    for league in all_leagues(findings):
        known.update(standing.system for standing in league.standings)
    return order + sorted(known - set(order))


def system_names(findings: Findings) -> list[str]:
    """Names of all systems and baselines, those of votes included."""
    standings = (each for league in findings.leagues for each in (*league.standings, *league.baselines))
    votes = findings.votes.strengths if findings.votes is not None else ()
    return [each.system for part in (findings.systems, standings, votes) for each in part]


def baselines_in_order(leagues: Sequence[League]) -> list[str]:
    """All baselines, best first by the first measure that has them."""
    return list(dict.fromkeys(standing.system for league in leagues for standing in league.baselines))


def units_of(league: League) -> str:
    """Plural noun for the units of a league's distribution."""
    return "replies" if league.measure.measured.level == "response" else "dialogues"


def pooled_note(leagues: Sequence[League]) -> str:
    """Note on why means of dialogue values differ from the table's values; empty if they do not."""
    if not any(_is_pooled(league) for league in leagues):
        return ""
    return (
        " These means weight every dialogue equally, while values in the tables pool a system's "
        "dialogues (long ones weigh more, and counts are taken over all of them together), so the two "
        "differ."
    )


def _is_pooled(league: League) -> bool:
    """Whether the mean of a system's dialogues is not its value, by more than one part in a thousand."""
    for standing in league.standings:
        values, value = league.values.get(standing.system), standing.estimate.value
        if (
            values
            and value is not None
            and not math.isclose(sum(values) / len(values), value, rel_tol=1e-3, abs_tol=1e-9)
        ):
            return units_of(league) == "dialogues"
    return False


def confidence(league: League) -> str:
    """Confidence level of a league's intervals: ``95%``."""
    found = {s.estimate.interval.confidence for s in league.standings if s.estimate.interval}
    return " or ".join(f"{100 * share:g}%" for share in sorted(found)) or "95%"


def is_ranked(league: League) -> bool:
    """Whether the measure has a direction."""
    return league.measure.better != "neither"


def labels(leagues: Sequence[League]) -> dict[str, str]:
    """Title of each measure by name; no two are alike."""
    return titles_of(league.measure for league in leagues)


def short_name(name: str) -> str:
    """Full name of a measure without its version.

    >>> short_name("distinct(n=2)@ratio|v1")
    'distinct(n=2)@ratio'
    """
    return MeasureName(name).short


def pieces(name: str) -> list[str]:
    """Pieces of a name between which a line may break.

    >>> pieces("distinct(n=2)@per_response")
    ['distinct', '(n=', '2)', '@per_', 'response']
    >>> pieces("satisfaction (linear), 1,001 of 0.5")
    ['satisfaction ', '(linear),', ' 1,001 of 0.5']
    """
    found = [piece for piece in _BREAK.split(name) if piece]
    return [part for piece in found for part in textwrap.wrap(piece, LONGEST_PIECE, drop_whitespace=False)]


def metric_cards(cards: Sequence[tuple[Measure, Sequence[str]]], agreed: Sequence[Validity] = ()) -> Insert:
    """Cards of metrics, with what is known about their agreement with people."""

    def validity_of(name: str) -> list[list[str]]:
        return [validity_lines(card) for card in known_validity(name, more=agreed)]

    groups: dict[str, list[tuple[Measure, Sequence[str]]]] = {}
    for measure, columns in cards:  # variants and parameters of one metric share a card
        groups.setdefault("" if measure.card is None else measure.card.name, []).append((measure, columns))
    shown = [([MeasureName(each.name).variant for each, _ in group], group) for group in groups.values()]
    content = {"cards": shown, "directions": DIRECTIONS, "short_name": short_name, "validity_of": validity_of}
    return Insert("cards.html.j2", content)
