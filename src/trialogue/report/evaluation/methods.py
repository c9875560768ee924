"""Methods text of an evaluation, in sentences for a paper."""

import re
from collections.abc import Iterable, Sequence

from trialogue.findings import Findings, League
from trialogue.findings.family import ACROSS_MEASURES, MIXED
from trialogue.findings.standings import OVER_MEASURES
from trialogue.findings.wording import list_names
from trialogue.records import ClusterKind, Interval
from trialogue.records.kinds.origins import one_and_many
from trialogue.report.measures import all_leagues, is_ranked, labels
from trialogue.report.numbers import count, level
from trialogue.stats.comparison.families import MIN_CLUSTERS

MAX_T = (
    "step-down max-T (Westfall and Young, 1993), with the dependence of the pairs estimated by a "
    "multiplier bootstrap of clusters"
)
NAMES = {
    "Holm": "Holm's step-down method",
    "max-T": MAX_T,
    MIXED: f"{MAX_T}, where each system has at least {MIN_CLUSTERS} clusters that vary, else Holm's step-down method",
    "Benjamini-Hochberg": "the method of Benjamini and Hochberg",
}
_COUNTED = re.compile(r"over \d+ clusters?")
_RAREFIED = re.compile(r"rarefied to [\d,]+ ")  # to the smaller of two systems, so another number for each pair
CLUSTERED = "Intervals and tests are clustered by"
CLUSTERS = {
    ClusterKind.NEED: "need of the simulated users, which all systems met",
    ClusterKind.PERSON: "person",
    ClusterKind.TASK: "task, which several trials attempt",
    ClusterKind.DIALOGUE: "dialogue",
}
EACH_ALONE = (
    "Replies to situations are treated as independent: the data do not say from which dialogues the situations come."
)
RATERS = "Where several people rated one response, these raters are treated as fixed: the results hold for them."
TEST = (
    "Interval and two-sided p-value of a difference come from the same construction: the interval, "
    "which is not corrected for multiplicity, excludes zero exactly if the uncorrected p is below "
    ".05. Clusters that both systems share are compared within pairs, others as independent groups. "
    "Shares of independent groups have Newcombe's (1998) hybrid of score intervals, with effective "
    "numbers of units if these are clustered, and shares of pairs Tango's (1998), with McNemar's "
    "test; other measures are compared by permutation of the studentised difference (Chung and "
    "Romano, 2013), by sign flips where clusters are shared; with more than 200 clusters, and for "
    "measures that count distinct items, by Student's t on the clusters' contributions, with "
    "Satterthwaite's degrees of freedom."
)
RANKS = (
    "A rank range runs from one plus the number of systems that are significantly better to the "
    "number of systems minus those that are significantly worse. Because these comparisons are "
    "corrected together, the ranges of all systems of a measure hold simultaneously (Mogstad et al., "
    "2024)."
)
LETTERS = (
    "Letters are a compact letter display (Piepho, 2004): systems that share a letter do not differ significantly."
)
ACROSS = "There is no correction for the number of measures."
TOGETHER = (
    "Simultaneous intervals, in findings.json and pairs.csv, are single-step: those of a measure all hold together."
)
DECIDING = (
    "p-values were corrected for the number of measures with Holm's step-down method: across the "
    "deciding measures together, and across the others together."
)
PAIRWISE = {
    OVER_MEASURES: DECIDING,
    ACROSS_MEASURES: "p-values were corrected for the number of measures with Holm's step-down method.",
}


def methods(findings: Findings) -> list[str]:
    """Methods paragraphs on sample, intervals, tests, ranks, votes and software, limited to the methods used."""
    leagues = all_leagues(findings)
    parts = [
        " ".join(findings.methods),
        _sample(findings),
        _intervals(findings),
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


def _intervals(findings: Findings) -> str:
    leagues = findings.leagues
    names = labels(leagues)
    made = [
        (names[league.measure.name], standing.estimate.interval)
        for league in leagues
        for standing in league.standings
        if standing.estimate.interval
    ]
    if not made:
        return ""
    raters = f" {RATERS}" if any(league.measure.by == "people" for league in leagues) else ""
    left_out = "Undefined values were left out and counted, never treated as zero."
    return f"{_clusters(findings)}{raters} Intervals: {_kinds(made)}. {left_out}"


def _clusters(findings: Findings) -> str:
    """What the units were clustered by, as the data were; of older files, the rule."""
    found = findings.reading.clusters
    named = [CLUSTERS[kind] for kind in found if kind in CLUSTERS]
    if not found:
        named = ["person, where the data name one, else dialogue"]
    several = ", each unit by the first of these that is known for it" if len(named) > 1 else ""
    sentences = [f"{CLUSTERED} {list_names(named)}{several}."] if named else []
    return " ".join([*sentences, *([EACH_ALONE] if ClusterKind.SITUATION in found else [])])


def _kinds(made: Iterable[tuple[str, Interval]]) -> str:
    """Ways in which intervals were made, from (measure, interval); with the measures where there are several ways."""
    users: dict[str, list[str]] = {}
    for name, interval in made:
        found = users.setdefault(kind_of(interval), [])
        found += [name] if name not in found else []
    if len(users) == 1:
        return next(iter(users))
    return "; ".join(f"{kind}, for {list_names(names)}" for kind, names in users.items())


def kind_of(interval: Interval) -> str:
    """Description of an interval's method, without counts that differ between systems.

    >>> kind_of(Interval(low=0, high=1, method="jackknife over 42 clusters, t"))
    '95% confidence, jackknife over clusters, t'
    >>> kind_of(Interval(low=0, high=1, method="jackknife over 42 clusters, t, rarefied to 2,146 n-grams"))
    '95% confidence, jackknife over clusters, t, rarefied to equal numbers of n-grams'
    """
    level = f"{100 * interval.confidence:g}% confidence"
    method = _RAREFIED.sub("rarefied to equal numbers of ", _COUNTED.sub("over clusters", interval.method))
    return f"{level}, {method}" if method else level


def _tests(findings: Findings, leagues: Sequence[League]) -> str:
    tested = [league for league in leagues if league.contrasts and is_ranked(league)]
    if not tested:
        return ""
    pairs = max(len(league.contrasts) for league in tested)
    alpha = level(findings.alpha)
    if pairs == 1:
        across = PAIRWISE.get(findings.correction, ACROSS)
        called = (
            f"The two systems were compared on each measure, and a difference was called significant at α = {alpha}."
        )
        return " ".join(part for part in (called, _describe_tests(tested), across) if part)
    over_all = findings.correction == ACROSS_MEASURES
    correction = NAMES["Holm"] if over_all else NAMES.get(findings.correction, findings.correction)
    of = "all measures together" if over_all else "a measure"
    called = (
        f"On each measure all {pairs:,} pairs of systems were compared; p-values were corrected across the "
        f"pairs of systems of {of} with {correction}, and differences called significant at α = {alpha}."
    )
    together = TOGETHER if any(each.simultaneous for league in tested for each in league.contrasts) else ""
    across = "" if over_all else ACROSS
    parts = (called, _describe_tests(tested), together, _left_out(tested), RANKS, across, LETTERS)
    return " ".join(part for part in parts if part)


def _describe_tests(tested: Sequence[League]) -> str:
    """The test and the intervals of differences, as far as there are any."""
    names = labels(tested)
    contrasts = [(names[league.measure.name], each.difference) for league in tested for each in league.contrasts]
    made = [(name, difference.interval) for name, difference in contrasts if difference.interval]
    test = TEST if any(difference.p is not None for _, difference in contrasts) else ""
    intervals = f"Intervals of differences, not corrected: {_kinds(made)}." if made else ""
    return f"{test} {intervals}".strip()


def _left_out(tested: Sequence[League]) -> str:
    """Number of pairs that could not be compared."""
    missing = sum(each.difference.value is None for league in tested for each in league.contrasts)
    return f"{count(missing, 'comparison')} could not be made; pairs.csv gives the reasons." if missing else ""


def _votes(findings: Findings) -> str:
    votes = findings.votes
    if votes is None or not votes.strengths:
        return ""
    who = f" by {count(votes.raters, *one_and_many(votes.rater_kinds))}" if votes.raters else ""
    return f"Votes: {count(votes.votes, 'pairwise vote')} ({count(votes.ties, 'tie')}){who}. {votes.method}".strip()


def _software(findings: Findings) -> str:
    manifest = findings.manifest
    versions = ", ".join(f"{name} {version}" for name, version in manifest.versions.items())
    seed = f" with seed {manifest.seed}" if manifest.seed is not None else ""
    return f"Computed{' by ' + versions if versions else ''}{seed}."
