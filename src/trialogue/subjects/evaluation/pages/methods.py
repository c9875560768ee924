"""Methods text of an evaluation, in sentences for a paper."""

import re
from collections.abc import Sequence

from trialogue.findings import Findings, League, Measure
from trialogue.findings.family import ACROSS_MEASURES, MIXED
from trialogue.findings.standings import OVER_MEASURES
from trialogue.findings.wording import list_names
from trialogue.records import ClusterKind, Interval
from trialogue.records.kinds.origins import one_and_many
from trialogue.render.measures import all_leagues, is_ranked, labels
from trialogue.render.numbers import count, level
from trialogue.stats.comparison.families import MIN_CLUSTERS
from trialogue.stats.comparison.two_sides import HALL

MAX_T = "single-step max-T (Westfall and Young, 1993)"
NAMES = {
    "Bonferroni": "Bonferroni's method",
    "max-T": MAX_T,
    MIXED: f"{MAX_T}, below {MIN_CLUSTERS} clusters Bonferroni's method",
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
EACH_ALONE = "Replies to situations are treated as independent, as the data name no dialogues."
RATERS = "Raters of one response are treated as fixed."
TEST = "Interval and p-value of a difference come from the same construction; the interval is not corrected."
LETTERS = "Letters are a compact letter display (Piepho, 2004)."
RANKS = "Rank ranges hold simultaneously (Mogstad et al., 2024)."
ACROSS = "There is no correction for the number of measures."
DECIDING = (
    "p-values were corrected for the number of measures across the deciding measures together (with Bonferroni's method); "
    "those of other measures are not corrected."
)
PAIRWISE = {
    OVER_MEASURES: DECIDING,
    ACROSS_MEASURES: "p-values were corrected for the number of measures with Bonferroni's method.",
}
CITED = {
    "Newcombe's hybrid score": "Newcombe's (1998) hybrid score",
    "Tango's score of pairs": "Tango's (1998) score of pairs",
    "larger of studentised permutation and": "larger of a studentised permutation (Chung and Romano, 2013) and",
    HALL: "Hall's (1992) t transformed for skewness, with Satterthwaite's degrees of freedom",
}
"""Names of methods in intervals, and how a paper cites them."""


def methods(findings: Findings, leagues: Sequence[League] | None = None) -> list[str]:
    """Methods paragraphs on sample, intervals, tests, ranks, votes and software, limited to the methods used.

    Args:
        findings: the findings.
        leagues: the measures that are described; None: all.
    """
    leagues = all_leagues(findings) if leagues is None else leagues
    parts = [
        " ".join(findings.methods),
        _sample(findings),
        _intervals(findings, leagues),
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


def _intervals(findings: Findings, leagues: Sequence[League]) -> str:
    leagues = [league for league in leagues if league in findings.leagues]  # votes have a paragraph of their own
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
    left_out = "Undefined values were left out and counted."
    return f"{_clusters(findings)}{raters} {_kinds(made, 'intervals')} {left_out}"


def _clusters(findings: Findings) -> str:
    """What the units were clustered by, as the data were; of older files, the rule."""
    found = findings.reading.clusters
    named = [CLUSTERS[kind] for kind in found if kind in CLUSTERS]
    if not found:
        named = ["person if the data identify people, otherwise dialogue"]
    several = ", each unit by the first of these that is known for it" if len(named) > 1 else ""
    sentences = [f"{CLUSTERED} {list_names(named)}{several}."] if named else []
    return " ".join([*sentences, *([EACH_ALONE] if ClusterKind.SITUATION in found else [])])


def _kinds(made: Sequence[tuple[str, Interval]], what: str) -> str:
    """Sentence on how intervals were made, from (measure, interval); with the measures where there are several ways."""
    users: dict[str, list[str]] = {}
    for name, interval in made:
        found = users.setdefault(kind_of(interval), [])
        found += [name] if name not in found else []
    levels = " or ".join(dict.fromkeys(f"{100 * interval.confidence:g}%" for _, interval in made))
    ways = [f"for {list_names(names)}, {kind}" if len(users) > 1 else kind for kind, names in users.items()]
    return f"{levels} {what}: {'; '.join(ways)}."


def kind_of(interval: Interval) -> str:
    """Description of an interval's method, without counts that differ between systems.

    >>> kind_of(Interval(low=0, high=1, method="jackknife over 42 clusters, t"))
    'jackknife over clusters, t'
    >>> kind_of(Interval(low=0, high=1, method="jackknife over 42 clusters, t, rarefied to 2,146 n-grams"))
    'jackknife over clusters, t, rarefied to equal numbers of n-grams'
    """
    method = _RAREFIED.sub("rarefied to equal numbers of ", _COUNTED.sub("over clusters", interval.method))
    for name, cited in CITED.items():
        method = method.replace(name, cited)
    return method or "of unknown kind"


def _tests(findings: Findings, leagues: Sequence[League]) -> str:
    tested = [league for league in leagues if league.contrasts and is_ranked(league)]
    if not tested:
        return ""
    pairs = max(len(league.contrasts) for league in tested)
    alpha = level(findings.alpha)
    if pairs == 1:
        across = PAIRWISE.get(findings.correction) or _over_questions(tested) or ACROSS
        called = (
            f"The two systems were compared on each measure, and a difference was called significant at α = {alpha}."
        )
        return " ".join(part for part in (called, _describe_tests(tested), across) if part)
    over_all = findings.correction == ACROSS_MEASURES
    correction = NAMES["Bonferroni"] if over_all else NAMES.get(findings.correction, findings.correction)
    of = "all measures together" if over_all else "each measure"
    called = f"p-values were corrected across the {pairs:,} pairs of systems of {of} with {correction} (α = {alpha})."
    across = "" if over_all else _over_questions(tested) or ACROSS
    parts = (_describe_tests(tested), called, across, _left_out(tested), LETTERS, RANKS)
    return " ".join(part for part in parts if part)


def _over_questions(tested: Sequence[League]) -> str:
    """That p-values of several questions to people were corrected together; "" without."""
    questions = max(league.questions for league in tested)
    if questions < 2:
        return ""
    return (
        f"Those of people's {questions} questions were multiplied by {questions} (Bonferroni), as no question was declared "
        "to decide; there is no correction for the number of other measures."
    )


def _describe_tests(tested: Sequence[League]) -> str:
    """The tests and the intervals of differences, as far as there are any."""
    names = labels(tested)
    contrasts = [(names[league.measure.name], each.difference) for league in tested for each in league.contrasts]
    made = [(name, difference.interval) for name, difference in contrasts if difference.interval]
    intervals = _kinds(made, "intervals of differences") if made else ""
    test = TEST if any(difference.p is not None for _, difference in contrasts) else ""
    return f"{intervals} {test}".strip()


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
    version = manifest.versions.get("trialogue")
    by = f" by trialogue {version}" if version else ""
    seed = f" with seed {manifest.seed}" if manifest.seed is not None else ""
    return f"Computed{by}{seed}; manifest.json has the versions of libraries."


def cards_of(leagues: Sequence[League]) -> list[tuple[Measure, list[str]]]:
    """(Measure with a card, names of all its columns), each metric variant once.

    A metric of talks with several kinds of users has a column for each of them, and one card, without their names.
    """
    found: dict[str, tuple[Measure, list[str]]] = {}
    for measure in (league.measure for league in leagues if league.measure.card is not None):
        chosen = measure.model_copy(update={"name": measure.measured, "title": measure.plain_title, "users": None})
        found.setdefault(chosen.name, (chosen, []))[1].append(measure.name)
    return list(found.values())
