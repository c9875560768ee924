"""The answer in sentences: who is ahead on what people said, or on the measure that comes nearest to it."""

from collections.abc import Iterable, Sequence

from trialogue.metaeval.findings import Contrast, League, Standing, Strength, Votes
from trialogue.records import Estimate

BEST_FLOOR = "Without listening, "  # how the sentence on floors begins
FEW_CLUSTERS = 10  # fewer independent clusters than this, and a bootstrap interval is a guess


def primary_league(leagues: Sequence[League]) -> League | None:
    """The league that the answer rests on.

    Of those with a direction and values: one that compares systems before one that cannot, and then people's before
    metrics'; the first of equals.
    """
    ranked = [
        league
        for league in leagues
        if league.measure.better != "neither" and any(s.estimate.value is not None for s in league.standings)
    ]
    return min(ranked, key=lambda league: (not _compares(league), league.measure.by != "people"), default=None)


def _compares(league: League) -> bool:
    return any(contrast.verdict != "undefined" for contrast in league.contrasts)


def answer(leagues: Sequence[League], votes: Votes | None) -> tuple[str, ...]:
    """Sentences, the most important one first; never more than the corrected comparisons support."""
    league = primary_league(leagues)
    sentences = []
    if league is not None:
        sentences += _league_sentences(league) + floor_sentences(league, leagues)
    if votes is not None and votes.strengths:
        sentences.append(_votes_sentence(votes))
    if not sentences:
        return ("Nothing here ranks the systems: no measure with a direction could be computed.",)
    if league is not None and league.measure.by == "metric":
        voted = votes is not None and votes.strengths
        sentences.append(
            "Only the votes are people's judgement: a metric says what it measures, not what people like."
            if voted
            else "No person's judgement is among the data: this says what a metric measures, not what people like."
        )
    return tuple(sentences)


def titled(league: League) -> str:
    """What a sentence calls a measure: a metric with parameters and variant, which its name alone leaves open."""
    measure = league.measure
    detail = measure.measured.detail
    return measure.title if measure.by == "people" or not detail else f"{measure.title} ({detail})"


def _league_sentences(league: League) -> list[str]:
    title = titled(league)
    defined = [standing for standing in league.standings if standing.estimate.value is not None]
    tested = [standing for standing in defined if standing.rank_low is not None]
    left = [standing.system for standing in defined if standing.rank_low is None]
    if len(defined) == 1:
        only = defined[0]
        return [
            f"{only.system} reaches {written(only.estimate)} on {title}; with one system there is nothing to compare."
        ]
    if not tested:
        why = next((each.difference.why for each in league.contrasts if each.difference.why), "there are too few data")
        return [f"On {title}, {_list(sorted(left))} cannot be compared: {why}."]
    aside = f" {_list(left)} could not be compared." if left else ""
    return [_compared(league, tested, title) + aside]


def floor_sentences(league: League, leagues: Sequence[League] = ()) -> list[str]:
    """What the best recommender gets that does not listen, and which systems are above it; [] where there are no floors.

    Args:
        league: the measure that the answer rests on.
        leagues: all of them; an estimate of alignment that has no floors, because it rests on people's labels of pairs, is
            helped out by the next one that has.
    """
    best = next((floor for floor in league.floors if floor.estimate.value is not None), None)
    if best is None:
        if league.measure.is_alignment and any(each.floors for each in leagues):
            other = next(each for each in leagues if each.floors)
            return [
                sentence.replace(BEST_FLOOR, f"{BEST_FLOOR}on {titled(other)} ", 1)
                for sentence in floor_sentences(other)
            ]
        return []
    sides = {contrast.a: contrast.verdict for contrast in league.above_floor}
    order = [standing.system for standing in league.standings if standing.system in sides]
    above, below = ([system for system in order if sides[system] == side] for side in ("a", "b"))
    least = f"{BEST_FLOOR}{best.system} gets {written(best.estimate)}: "
    if not any(sides[system] != "undefined" for system in order):
        return [f"{least}whether any system is above it could not be tested."]
    if len(above) == len(order):
        said = f"{_list(above)} {'is' if len(above) == 1 else 'are'} above that"
        return [least + said + (f", {_by(league, above[0])}." if len(above) == 1 else ".")]
    if len(below) == len(order):
        return [f"{least}{_list(below)} {'is' if len(below) == 1 else 'are'} below that."]
    said = f"only {_list(above)} {'is' if len(above) == 1 else 'are'} surely above that" if above else ""
    if not above:
        said = f"{order[0]} is not surely above that" if len(order) == 1 else "no system is surely above that"
    worse = f"; {_list(below)} {'is' if len(below) == 1 else 'are'} below" if below else ""
    return [f"{least}{said}{worse}."]


def _by(league: League, system: str) -> str:
    """How far a system is from the best floor."""
    found = next(contrast.difference for contrast in league.above_floor if contrast.a == system)
    return f"by {written(found)}"


def _compared(league: League, tested: Sequence[Standing], title: str) -> str:
    best = tested[0]
    winners = [standing.system for standing in tested if standing.rank_low == 1]
    decided = [contrast for contrast in league.contrasts if contrast.verdict in ("a", "b")]
    count = sum(contrast.verdict != "undefined" for contrast in league.contrasts)
    if not decided:
        names = _list(sorted(standing.system for standing in tested))
        if count == 1:
            return f"On {title}, {names} cannot be told apart: the difference does not survive a test."
        return (
            f"On {title}, {names} cannot be told apart: none of the {count} differences survives correction for multiple "
            "comparisons."
        )
    if len(winners) == 1:
        first = f"{best.system} is best on {title} ({written(best.estimate)})."
    elif len(winners) < len(tested):
        first = f"On {title}, {_list(winners)} lead; they cannot be told apart."
    else:
        first = f"On {title}, no system is ahead of all others, but some differences hold."
    rest = _beaten_by_leaders(league, winners)
    tail = (
        f"{len(decided)} of {count} pairs differ after correction."
        if count > 1
        else _difference(decided[0], best.system)
    )
    return first + (f" {rest}" if rest else "") + f" {tail}"


def _beaten_by_leaders(league: League, winners: Sequence[str]) -> str:
    """Who every leader beats."""
    beaten_sets = []
    for winner in winners:
        losers = {
            contrast.b if contrast.verdict == "a" else contrast.a
            for contrast in league.contrasts
            if (contrast.verdict == "a" and contrast.a == winner) or (contrast.verdict == "b" and contrast.b == winner)
        }
        beaten_sets.append(losers)
    common = set.intersection(*beaten_sets) if beaten_sets else set()
    if not common:
        return ""
    ordered = [standing.system for standing in league.standings if standing.system in common]
    verb = "beats" if len(winners) == 1 else "All of them beat" if len(winners) > 2 else "Both beat"
    return f"It beats {_list(ordered)}." if len(winners) == 1 else f"{verb} {_list(ordered)}."


def _difference(contrast: Contrast, winner: str) -> str:
    """The difference of two systems, the winner's value first."""
    found = contrast.difference
    if contrast.b == winner:
        found = found.turned()
    p = contrast.p_adjusted
    return f"The difference is {written(found)}" + (f", p {p_words(p)}." if p is not None else ".")


def p_words(p: float) -> str:
    """A p-value with its sign, to follow "p ".

    >>> p_words(0.04), p_words(0.00001)
    ('= .040', '< .001')
    """
    return "< .001" if p < 0.001 else f"= {p:.3f}".replace("0.", ".", 1)


def _votes_sentence(votes: Votes) -> str:
    leaders: list[Strength] = [strength for strength in votes.strengths if strength.rank_low == 1]
    if not leaders:
        return f"{votes.votes} votes ({votes.ties} ties) do not rank the systems: {votes.why}."
    names = _list([strength.system for strength in leaders])
    verb = "comes first" if len(leaders) == 1 else "may come first"
    return f"In {votes.votes} votes ({votes.ties} ties) {names} {verb}."


def written(estimate: Estimate, *, digits: int | None = None) -> str:
    """A value with its interval: ``0.52 [0.38, 0.67]``; what rounds to zero has no sign.

    Args:
        estimate: what is written.
        digits: decimals; None: as many as the interval supports.
    """
    if estimate.value is None:
        return f"undefined ({estimate.why})"
    digits = _digits(estimate) if digits is None else digits
    text = f"{estimate.value:z.{digits}f}"
    if estimate.interval is None:
        return f"{text} (no interval)"
    return f"{text} [{estimate.interval.low:z.{digits}f}, {estimate.interval.high:z.{digits}f}]"


def decimals(estimates: Iterable[Estimate]) -> int:
    """Decimals for all values of a column: as many as the widest of their intervals supports, 2 without any."""
    return min((_digits(each) for each in estimates if each.interval is not None), default=2)


def _digits(estimate: Estimate) -> int:
    """Decimals that the width of the interval supports: two significant ones of the width."""
    import math

    width = estimate.interval.high - estimate.interval.low if estimate.interval else abs(estimate.value or 1.0)
    return 2 if width <= 0 else min(4, max(0, 1 - math.floor(math.log10(width))))


MOST_NAMES = 5  # in one sentence


def _list(names: Sequence[str]) -> str:
    """Names in a sentence: at most five, the others counted."""
    if len(names) == 1:
        return names[0]
    if len(names) > MOST_NAMES:
        return ", ".join(names[:MOST_NAMES]) + f" and {len(names) - MOST_NAMES} others"
    return ", ".join(names[:-1]) + " and " + names[-1]


def small_samples(leagues: Sequence[League]) -> list[str]:
    """A warning for each system whose intervals rest on too few clusters, with the measures where they do."""
    few: dict[str, list[tuple[int, str]]] = {}
    for league in leagues:
        for standing in league.standings:
            clusters = standing.estimate.clusters
            if clusters is not None and clusters < FEW_CLUSTERS:
                few.setdefault(standing.system, []).append((clusters, titled(league)))
    return [_few(system, found, all_of=len(leagues)) for system, found in sorted(few.items())]


def _few(system: str, found: Sequence[tuple[int, str]], *, all_of: int) -> str:
    count = max(clusters for clusters, _ in found)
    where = "every measure" if 1 < len(found) == all_of else _list([title for _, title in found])
    most = "at most " if len({clusters for clusters, _ in found}) > 1 else ""
    return (
        f"On {where}, {system} rests on {most}{count} independent {'cluster' if count == 1 else 'clusters'} (people or "
        "dialogues): "
        + ("there is no interval." if count == 1 else f"below {FEW_CLUSTERS}, intervals are too narrow to trust.")
    )
