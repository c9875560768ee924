"""The answer about agreement in sentences, with its warnings.

Test which of several measures agree with people better than chance, corrected for multiple comparisons.

The best of twenty pure-noise measures has an uncorrected interval above chance more often than not, so single intervals must
not be used to name a best measure.
"""

from collections.abc import Sequence
from statistics import NormalDist

from trialogue.findings.records import Section, columns
from trialogue.findings.titles import titles_of
from trialogue.findings.wording import render_estimate
from trialogue.records import VOTES, Estimate, MeasureName, Raters, ReasonCode
from trialogue.records.kinds.origins import named_raters, possessive_of
from trialogue.stats import bonferroni
from trialogue.subjects.agreement.rating_agreement import CHANCE
from trialogue.subjects.agreement.records import (
    AgreementCoefficient,
    AgreementContrast,
    AgreementFindings,
    PreferenceAgreement,
    RatingAgreement,
    Statistic,
)

LEVEL = 0.05
MIN_CLUSTERS = 10  # below, the bootstrap's intervals are too narrow to trust


def above_chance(estimates: Sequence[Estimate], chance: float, *, level: float = LEVEL) -> list[bool]:
    """Whether each estimate is significantly above chance, Bonferroni-corrected across all of them.

    Args:
        estimates: agreement of measures on one question.
        chance: agreement expected by chance, such as .5 for an AUC.
        level: significance level of the test.
    """
    adjusted = bonferroni([p_of_interval(each, chance) for each in estimates])
    return [
        p is not None and p <= level and (each.value or 0.0) > chance
        for each, p in zip(estimates, adjusted, strict=True)
    ]


def p_of_interval(estimate: Estimate, chance: float) -> float | None:
    """Two-sided p-value against chance, derived from the interval; None without a value, an interval or enough clusters.

    The standard error is taken from the half of the interval that faces chance, as intervals of coefficients are skewed.
    Altman & Bland (2011), "How to obtain the P value from a confidence interval", BMJ 343:d2304.

    >>> from trialogue.records import Interval
    >>> interval = Interval(low=0.5, high=0.7, method="made")
    >>> round(p_of_interval(Estimate(value=0.6, interval=interval, n=40, clusters=40), 0.5), 3)
    0.05
    """
    value, interval = estimate.value, estimate.interval
    if value is None or has_few_clusters(estimate):
        return None
    if interval is None:  # where every resample is as perfect as the sample, the bootstrap has no interval
        is_perfect = estimate.why is not None and estimate.why.code is ReasonCode.RESAMPLES_ALL_EQUAL
        return 0.0 if is_perfect and value != chance else None
    half_width = value - interval.low if value > chance else interval.high - value
    if half_width <= 0:
        return None if value == chance else 0.0
    z = abs(value - chance) / half_width * NormalDist().inv_cdf((1 + interval.confidence) / 2)
    return float(2 * (1 - NormalDist().cdf(z)))


def has_few_clusters(estimate: Estimate) -> bool:
    """Whether an estimate has too few independent clusters for a meaningful interval."""
    return estimate.clusters is not None and estimate.clusters < MIN_CLUSTERS


COVERED = 0.98  # share of rated units below which a missing value is worth a warning
PARADOXES = frozenset({ReasonCode.SIMPSON_WITH_PEOPLE_OVERALL, ReasonCode.SIMPSON_AGAINST_PEOPLE_OVERALL})
NAMES: dict[str, str] = {"auc": "AUC", "spearman": "ρ", "pearson": "r", "kendall": "τ"}


def answer(findings: AgreementFindings) -> tuple[str, ...]:
    """Sentences, most important first: per question the measure that agrees best, and whether it beats a baseline."""
    questions = dict.fromkeys((each.question, each.level) for each in findings.ratings)
    order = sorted(questions, key=lambda key: ({"dialogue": 0, "turn": 1, "system": 2}[key[1]], key[0]))
    sentences = [text for question, level in order for text in _question_sentences(findings, question, level)]
    sentences += _votes(findings)
    if not sentences:
        return ("Agreement between measures and people cannot be computed: no unit has both a rating and a value.",)
    return tuple(sentences)


def title_of(findings: AgreementFindings, name: str) -> str:
    """Title of a measure in sentences."""
    return titles_of(findings.measures).get(name, name)


def main_statistic(ratings: Sequence[RatingAgreement]) -> Statistic:
    """AUC for binary questions, else Spearman's correlation."""
    return "auc" if any(each.get("auc") is not None for each in ratings) else "spearman"


def _question_sentences(findings: AgreementFindings, question: str, level: str) -> list[str]:
    ratings = [each for each in findings.ratings if (each.question, each.level) == (question, level)]
    statistic = main_statistic(ratings)
    known = [(found, each) for each in ratings if (found := _defined_statistic(each, statistic)) is not None]
    metrics = [(found, each) for found, each in known if not MeasureName(each.measure).is_judgement]
    if not metrics:
        return []
    asked = MeasureName(question).prose
    sure_ones = above_chance([found.headline for found, _ in metrics], CHANCE[statistic])
    leading = [pair for pair, is_sure in zip(metrics, sure_ones, strict=True) if is_sure]
    if not leading:
        return [
            _none_above_chance(findings, metrics, f"{possessive_of(findings.raters_of(question))} {asked} ({level}s)"),
            *_reference(findings, max(metrics, key=_agreement)[0], question, level),
        ]
    found, best = max(leading, key=_agreement)
    inside = _defined_statistic(best, statistic, "within")
    also = f"; within systems {render_estimate(inside.headline)}" if inside else ""
    first = (
        f"{title_of(findings, best.measure)} agrees best with {possessive_of(findings.raters_of(question))} "
        f"{asked} ({level}s): {NAMES[statistic]} {render_estimate(found.headline)}{also}."
    )
    return [
        first,
        *_coverage(best, found),
        *_reference(findings, found, question, level),
        *_baselines(findings, best, question, level),
    ]


def _agreement(pair: tuple[AgreementCoefficient, RatingAgreement]) -> float:
    return pair[0].headline.value or 0.0


def _none_above_chance(
    findings: AgreementFindings, metrics: Sequence[tuple[AgreementCoefficient, RatingAgreement]], what: str
) -> str:
    """That no metric is shown to agree with people: there are too few units, or none is better than chance."""
    tested = [
        (found, each) for found, each in metrics if p_of_interval(found.headline, CHANCE[found.statistic]) is not None
    ]
    if not tested:
        clusters = max(found.headline.clusters or 0 for found, _ in metrics)
        return (
            f"No metric can be compared with {what}: {clusters} independent clusters (people or dialogues) "
            f"are too few; at least {MIN_CLUSTERS} are needed."
            if clusters < MIN_CLUSTERS
            else f"No metric can be compared with {what}: none of the agreements has an interval."
        )
    found, best = max(tested, key=_agreement)
    return (
        f"No metric agrees significantly better than chance with {what} (0 of {len(tested)} after correction); the highest "
        f"is {title_of(findings, best.measure)}: {NAMES[found.statistic]} {render_estimate(found.headline)}."
    )


def measure_sentence(findings: AgreementFindings, each: RatingAgreement) -> str:
    """Sentence on one measure's agreement with people on one question, including missing values."""
    statistic = main_statistic([each])
    pooled = each.get(statistic)
    asked = MeasureName(each.question).prose
    name = title_of(findings, each.measure)
    if pooled is None or pooled.headline.value is None:
        return f"{name} cannot be compared with people's {asked} ({each.level}s)."
    is_sure = any(above_chance([pooled.headline], CHANCE[statistic]))
    goes = "agrees" if is_sure else "does not agree significantly better than chance"
    sentence = (
        f"{name} {goes} with people's {asked} ({each.level}s): {NAMES[statistic]} {render_estimate(pooled.headline)}."
    )
    return " ".join([sentence, *_coverage(each, pooled)])


def _coverage(best: RatingAgreement, found: AgreementCoefficient) -> list[str]:
    """Coverage of the units, and the coefficient over those with a value; empty if every unit has one."""
    if found.penalised is None:
        return []
    lacking = best.rated - best.scored
    return [
        f"It has no value for {lacking:,} of {best.rated:,} {best.level}s, which count as its worst guesses; on the other "
        f"{best.scored:,} alone: {render_estimate(found.estimate)}."
    ]


def _reference(findings: AgreementFindings, found: AgreementCoefficient, question: str, level: str) -> list[str]:
    """Whether who rated tells more than the best measure; nothing where people rated one dialogue each."""
    reference = next((each for each in findings.references if (each.question, each.level) == (question, level)), None)
    mean = _defined_statistic(reference, found.statistic) if reference is not None else None
    if reference is None or mean is None or (mean.estimate.value or 0.0) <= (found.headline.value or 0.0):
        return []
    return [
        (
            "A user's mean rating of their other dialogues, which uses no dialogue content, predicts better "
            f"than any metric: {NAMES[found.statistic]} {render_estimate(mean.estimate)} ({reference.scored:,} "
            f"{level}s)."
        )
    ]


def _baselines(findings: AgreementFindings, best: RatingAgreement, question: str, level: str) -> list[str]:
    contrasts = [
        each
        for each in findings.contrasts
        if (each.question, each.level, each.scope) == (question, level, "pooled") and each.b in findings.baselines
    ]
    if best.measure in findings.baselines:
        return ["That is a trivial baseline: no metric agrees better on this question."]
    mine = next((each for each in contrasts if each.a == best.measure), None)
    if mine is None:
        return []
    verdict = "significantly better" if significant_sign(mine) > 0 else "not significantly better"
    difference = render_estimate(mine.difference)
    sentence = f"It is {verdict} than the best baseline, {title_of(findings, mine.b)}: difference {difference}."
    metrics = [
        each
        for each in contrasts
        if each.b == mine.b and not MeasureName(each.a).is_judgement and each.a not in findings.baselines
    ]
    better = sum(significant_sign(each) > 0 for each in metrics)
    if better < len(metrics) and len(metrics) > 1:
        which = "No metric is" if better == 0 else f"Only {better} {'metric is' if better == 1 else 'metrics are'}"
        sentence += f" {which} significantly better than that baseline ({better} of {len(metrics)})."
    return [sentence]


def significant_sign(contrast: AgreementContrast) -> int:
    """1 or -1 if the interval of a difference excludes zero, else 0."""
    interval = contrast.difference.interval
    return 0 if interval is None else int(interval.low > 0) - int(interval.high < 0)


def _defined_statistic(
    each: RatingAgreement, statistic: Statistic, scope: str = "pooled"
) -> AgreementCoefficient | None:
    found = each.get(statistic, scope)
    return found if found is not None and found.headline.value is not None else None


def _votes(findings: AgreementFindings) -> list[str]:
    metrics = [
        each
        for each in findings.preferences
        if each.accuracy.value is not None
        and each.measure in {measure.name for measure in findings.measures}
        and not MeasureName(each.measure).is_judgement
    ]
    if not metrics:
        return []
    sure_ones = above_chance([each.headline_kappa for each in metrics], 0.0)
    leading = [each for each, is_sure in zip(metrics, sure_ones, strict=True) if is_sure]
    best = max(leading or metrics, key=_kappa)
    lacking = f" ({best.votes - best.scored} without a value count as wrong)" if best.scored < best.votes else ""
    voters = findings.raters_of(VOTES)
    by = "" if voters in ((), (Raters.PEOPLE,)) else f" of {named_raters(voters)}"
    if not leading:
        return [
            (
                f"On {best.votes} pairwise votes{by}, no metric agrees significantly better than chance (0 of "
                f"{len(metrics)} after correction); the highest is {title_of(findings, best.measure)}: kappa "
                f"{render_estimate(best.headline_kappa)}{lacking}."
            )
        ]
    return [
        (
            f"On {best.votes} pairwise votes{by}, {title_of(findings, best.measure)} agrees best: kappa "
            f"{render_estimate(best.headline_kappa)}; it shares {render_estimate(best.headline_accuracy)} of the "
            f"decisive ones{lacking}."
        )
    ]


def _kappa(each: PreferenceAgreement) -> float:
    return -1.0 if (kappa := each.headline_kappa.value) is None else kappa


def warnings_of(findings: AgreementFindings) -> tuple[str, ...]:
    """Warnings to the reader: missing values, paradoxes, few clusters, halo effects, refusals."""
    found = [
        (
            f"{title_of(findings, each.measure)} has no value for {1 - each.coverage:.0%} of the {each.rated} "
            f"rated {each.level}s ({each.question}): they count as its worst guesses."
        )
        for each in findings.ratings
        if each.coverage < COVERED
    ]
    found += [
        f"{title_of(findings, each.measure)}, {each.question}: {each.note}."
        for each in findings.ratings
        if each.note is not None and each.note.code in PARADOXES
    ]
    found += [
        (
            f"{each.family} ({each.level}s) shows a halo effect: its aspects correlate with mean ρ "
            f"{each.measure:.2f}, {possessive_of(findings.all_raters)} with {each.people:.2f}."
        )
        for each in findings.discriminants
        if each.verdict == "halo"
    ]
    found += sorted({f"System rankings: {each.refusal}." for each in findings.rankings if each.refusal})
    few = [
        each
        for each in findings.ratings
        if (pooled := _defined_statistic(each, "spearman")) and (pooled.estimate.clusters or 0) < MIN_CLUSTERS
    ]
    if few:
        found.append(f"Fewer than {MIN_CLUSTERS} independent clusters: the intervals are too narrow to trust.")
    return tuple(dict.fromkeys(found))


STATISTICS = {"auc": "AUC", "spearman": "Spearman's ρ", "pearson": "Pearson's r", "kendall": "Kendall's τ"}


def agreement_section(found: AgreementFindings, *, page: str) -> Section:
    """Section on agreement with people: the first question's table, baselines marked.

    Args:
        found: the findings about agreement.
        page: page that has all of them.
    """
    first = next(((each.question, each.level) for each in found.ratings), None)
    ratings = [each for each in found.ratings if (each.question, each.level) == first]
    statistic = main_statistic(ratings)
    votes = {each.measure: each.accuracy for each in found.preferences}
    orders = {
        each.measure: (each.spearman, each.refusal) for each in found.rankings if first and each.against == first[0]
    }
    rows = []
    for each in sorted(ratings, key=lambda one: -_value(one)):
        name = title_of(found, each.measure) + (" (baseline)" if each.measure in found.baselines else "")
        order, refusal = orders.get(each.measure, (None, None))
        rows.append(
            (
                name,
                _estimate(each, "pooled"),
                _estimate(each, "within"),
                votes.get(each.measure),
                "too few systems" if refusal else order,
            )
        )
    return Section(
        title="Do measures agree with people?",
        sentences=found.answer,
        columns=columns(
            "Measure",
            f"{STATISTICS[statistic]}, all",
            "Within systems",
            "Decisive votes shared",
            "Ranking of systems, ρ",
        ),
        rows=tuple(rows),
        page=page,
    )


def _value(each: RatingAgreement) -> float:
    found = each.get(main_statistic([each]))
    return found.estimate.value if found and found.estimate.value is not None else -1.0


def _estimate(each: RatingAgreement, scope: str) -> Estimate | None:
    found = each.get(main_statistic([each]), scope)
    return found.estimate if found else None
