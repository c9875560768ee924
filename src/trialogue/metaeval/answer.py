"""The answer in sentences: who is ahead on what people said, or on the measure that comes nearest to it."""

from collections.abc import Sequence

from trialogue.metaeval.findings import Contrast, League, Strength, Votes
from trialogue.records import Estimate

FEW_CLUSTERS = 10  # fewer independent clusters than this, and a bootstrap interval is a guess


def primary_league(leagues: Sequence[League]) -> League | None:
    """The league that the answer rests on: people's first, else the first metric that has a direction and values."""
    ranked = [
        league
        for league in leagues
        if league.measure.better != "neither" and any(s.estimate.value is not None for s in league.standings)
    ]
    return next((league for league in ranked if league.measure.by == "people"), ranked[0] if ranked else None)


def answer(leagues: Sequence[League], votes: Votes | None) -> tuple[str, ...]:
    """Sentences, the most important one first; never more than the corrected comparisons support."""
    league = primary_league(leagues)
    sentences = []
    if league is not None:
        sentences += _league_sentences(league)
    if votes is not None and votes.strengths:
        sentences.append(_votes_sentence(votes))
    if not sentences:
        return ("Nothing here ranks the systems: no measure with a direction could be computed.",)
    if league is not None and league.measure.by == "metric":
        sentences.append(
            "No person's judgement is among the data: this says what a metric measures, not what people like."
        )
    return tuple(sentences)


def _league_sentences(league: League) -> list[str]:
    title = league.measure.title
    defined = [standing for standing in league.standings if standing.estimate.value is not None]
    if len(defined) == 1:
        only = defined[0]
        return [
            f"{only.system} reaches {written(only.estimate)} on {title}; with one system there is nothing to compare."
        ]
    best, *_ = defined
    winners = [standing.system for standing in defined if standing.rank_low == 1]
    decided = sum(contrast.verdict in ("a", "b") for contrast in league.contrasts)
    count = len(league.contrasts)
    if decided == 0:
        return [
            f"On {title}, {_list(sorted(s.system for s in defined))} cannot be told apart: "
            f"{'the difference does' if count == 1 else f'none of the {count} differences does'} not survive "
            f"{'a test' if count == 1 else 'correction for multiple comparisons'}."
        ]
    if len(winners) == 1:
        first = f"{best.system} is best on {title} ({written(best.estimate)})."
    elif len(winners) < len(defined):
        first = f"On {title}, {_list(winners)} lead; they cannot be told apart."
    else:
        first = f"On {title}, no system is ahead of all others, but some differences hold."
    rest = _beaten_by_leaders(league, winners)
    tail = f"{decided} of {count} pairs differ after correction." if count > 1 else _difference(league.contrasts[0])
    return [first + (f" {rest}" if rest else "") + f" {tail}"]


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


def _difference(contrast: Contrast) -> str:
    p = contrast.p_adjusted
    return f"The difference is {written(contrast.difference)}" + (f", p {_p(p)}." if p is not None else ".")


def _p(p: float) -> str:
    return "< .001" if p < 0.001 else f"= {p:.3f}".replace("0.", ".", 1)


def _votes_sentence(votes: Votes) -> str:
    leaders: list[Strength] = [strength for strength in votes.strengths if strength.rank_low == 1]
    if not leaders:
        return f"{votes.votes} votes ({votes.ties} ties) do not rank the systems: {votes.note}."
    names = _list([strength.system for strength in leaders])
    verb = "comes first" if len(leaders) == 1 else "may come first"
    return f"In {votes.votes} votes ({votes.ties} ties) {names} {verb}."


def written(estimate: Estimate) -> str:
    """A value with its interval: ``0.52 [0.38, 0.67]``."""
    if estimate.value is None:
        return f"undefined ({estimate.why})"
    digits = _digits(estimate)
    text = f"{estimate.value:.{digits}f}"
    if estimate.interval is None:
        return f"{text} (no interval)"
    return f"{text} [{estimate.interval.low:.{digits}f}, {estimate.interval.high:.{digits}f}]"


def _digits(estimate: Estimate) -> int:
    """Decimals that the width of the interval supports: two significant ones of the width."""
    import math

    width = estimate.interval.high - estimate.interval.low if estimate.interval else abs(estimate.value or 1.0)
    return 2 if width <= 0 else min(4, max(0, 1 - math.floor(math.log10(width))))


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def small_samples(leagues: Sequence[League]) -> list[str]:
    """A warning for each system whose intervals rest on too few clusters."""
    few: dict[str, int] = {}
    for league in leagues:
        for standing in league.standings:
            clusters = standing.estimate.clusters
            if clusters is not None and clusters < FEW_CLUSTERS:
                few[standing.system] = max(clusters, few.get(standing.system, 0))
    return [
        f"{system} rests on {count} independent {'cluster' if count == 1 else 'clusters'} (people or dialogues): "
        + ("there is no interval." if count == 1 else f"below {FEW_CLUSTERS}, intervals are too narrow to trust.")
        for system, count in sorted(few.items())
    ]
