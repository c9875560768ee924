"""How the numbers were made, in sentences ready for a paper."""

import re
from collections.abc import Iterable, Sequence

from trialogue.metaeval import Findings, League
from trialogue.records import Interval
from trialogue.report.measures import all_leagues, labels, ranked
from trialogue.report.numbers import count, level

NAMES = {"Holm": "Holm's step-down method", "Benjamini-Hochberg": "the method of Benjamini and Hochberg"}
_COUNTED = re.compile(r"over \d+ clusters?")
ACROSS = "Nothing is corrected for the number of measures."


def methods(findings: Findings) -> list[str]:
    """Paragraphs: sample, intervals, tests, ranks, votes, software. What was not done is not mentioned."""
    leagues = all_leagues(findings)
    parts = [
        " ".join(findings.methods),
        _sample(findings),
        _intervals(findings.leagues),
        _tests(findings, leagues),
        _votes(findings),
        _software(findings),
    ]
    return [part for part in parts if part]


def _sample(findings: Findings) -> str:
    systems = len(findings.systems)
    replies = sum(facts.replies for facts in findings.systems)
    measures = len(findings.leagues)
    what = f"compared {systems} recommenders" if systems > 1 else "measured one recommender"
    return f"We {what} on {count(measures, 'measure')} over {count(replies, 'reply', 'replies')}."


def _intervals(leagues: Sequence[League]) -> str:
    kinds: dict[str, list[str]] = {}
    names = labels(leagues)
    for league in leagues:
        for standing in league.standings:
            if standing.estimate.interval:
                users = kinds.setdefault(kind_of(standing.estimate.interval), [])
                users += [name for name in [names[league.measure.name]] if name not in users]
    if not kinds:
        return ""
    said = list(kinds) if len(kinds) == 1 else [f"{kind}, for {', '.join(users)}" for kind, users in kinds.items()]
    return f"Intervals: {'; '.join(said)}. Values that are undefined were left out and counted, never taken as zero."


def kind_of(interval: Interval) -> str:
    """How an interval was made, without the number of clusters, which differs between systems.

    >>> kind_of(Interval(low=0, high=1, method="jackknife over 42 clusters, t"))
    '95 % confidence, jackknife over clusters, t'
    """
    level = f"{100 * interval.confidence:g} % confidence"
    return f"{level}, {_COUNTED.sub('over clusters', interval.method)}" if interval.method else level


def _tests(findings: Findings, leagues: Iterable[League]) -> str:
    tested = [league for league in leagues if league.contrasts and ranked(league)]
    if not tested:
        return ""
    correction = NAMES.get(findings.correction, findings.correction)
    pairs = max(len(league.contrasts) for league in tested)
    differences = {c.difference.interval for league in tested for c in league.contrasts if c.difference.interval}
    kinds = sorted({kind_of(interval) for interval in differences})
    made = f" (intervals of differences: {'; '.join(kinds)})" if kinds else ""
    if pairs == 1:
        return f"The two systems were compared on each measure{made} at α = {level(findings.alpha)}. {ACROSS}"
    return (
        f"On each measure all {pairs} pairs of systems were compared{made}; p-values were corrected over the pairs of a "
        f"measure with {correction} and differences called at α = {level(findings.alpha)}. A rank range runs from one more "
        "than the number of systems that are significantly better to the number of systems less those that are "
        f"significantly worse. {ACROSS} "
        "Letters are a compact letter display (Piepho, 2004): systems that share a letter cannot be told apart."
    )


def _votes(findings: Findings) -> str:
    votes = findings.votes
    if votes is None or not votes.strengths:
        return ""
    who = f" by {count(votes.raters, 'person', 'people')}" if votes.raters else ""
    return f"Votes: {count(votes.votes, 'pairwise vote')} ({count(votes.ties, 'tie')}){who}. {votes.method}".strip()


def _software(findings: Findings) -> str:
    manifest = findings.manifest
    versions = ", ".join(f"{name} {version}" for name, version in manifest.versions.items())
    seed = f" with seed {manifest.seed}" if manifest.seed is not None else ""
    return f"Computed{' by ' + versions if versions else ''}{seed}."
