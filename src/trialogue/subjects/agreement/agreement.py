"""Compute all agreement findings between measures and people from scores and preferences."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from trialogue.findings.resampling import DEFAULT, Resampling
from trialogue.findings.standings import Measure
from trialogue.findings.validity import Validity
from trialogue.findings.votes import DUPLICATE
from trialogue.options import TieMargin
from trialogue.records import VOTES, Estimate, Manifest, MeasureName, Preference, Raters, Score
from trialogue.records.kinds.origins import kinds_of, possessive_of
from trialogue.stats import association_difference
from trialogue.stats.association.correlation import Association
from trialogue.subjects.agreement.abstention import worst_guesses, worst_guesses_inside
from trialogue.subjects.agreement.answer import answer, warnings_of
from trialogue.subjects.agreement.ceilings import ceiling_of
from trialogue.subjects.agreement.discriminant import aspect_of, discriminant, families
from trialogue.subjects.agreement.preference_agreement import (
    noise_ceiling,
    pairs_of,
    preference_agreement,
    values_by_side,
)
from trialogue.subjects.agreement.ranking_agreement import ranking_agreement, vote_ranking
from trialogue.subjects.agreement.rating_agreement import rating_agreement, user_mean_agreement
from trialogue.subjects.agreement.records import (
    AgreementContrast,
    AgreementFindings,
    Discriminant,
    PreferenceAgreement,
    RankingAgreement,
    RatingAgreement,
    Statistic,
)
from trialogue.subjects.agreement.score_pairs import Floats, JudgedUnits, judgement_tables

PLURALS = {"person": "people", "dialogue": "dialogues"}  # what resamples draw


@dataclass(frozen=True)
class Plan:
    """Settings of an agreement analysis."""

    measures: Mapping[str, Measure] = field(default_factory=dict)
    """Titles, directions and cards by full name; measures that are not here are taken as higher is better."""
    baselines: Sequence[str] = ()
    """Full names of the measures that cost nothing."""
    group_of: Callable[[str], str] | None = None
    """The group of a system, such as its dataset."""
    margin: TieMargin = "matched"
    """Margin of ties in preference agreement."""
    duplicates: bool = False
    """Whether votes that a corpus holds twice count twice, as in published numbers."""
    resampling: Resampling = DEFAULT

    def lower(self, measure: str) -> bool:
        """Whether lower values of a measure are better."""
        known = self.measures.get(measure)
        return known is not None and known.better == "lower"


def agreement(
    scores: Iterable[Score],
    preferences: Sequence[Preference] = (),
    *,
    title: str,
    data: str,
    manifest: Manifest,
    plan: Plan | None = None,
) -> AgreementFindings:
    """Compute the agreement of measures with people, from scores of both and people's preferences.

    Args:
        scores: scores of people (with a rater) and of measures (without), of turns, dialogues and systems.
        preferences: people's choices between two dialogues, responses or systems.
        title: what was evaluated.
        data: description of the data, for the validity cards.
        manifest: how the scores were made.
        plan: measures, baselines, groups, margin, resampling.
    """
    plan = plan or Plan()
    held = list(scores)
    tables = judgement_tables(held, group_of=plan.group_of)
    votes = [vote for vote in preferences if plan.duplicates or DUPLICATE not in (vote.source or "")]
    ratings = [
        rating_agreement(table, measure, lower=plan.lower(measure), resampling=plan.resampling)
        for table in tables
        for measure in measures_compared(table)
    ]
    chosen = _preferences(held, votes, plan)
    raters = _raters(held, votes)
    names = {each.measure for each in ratings} | {each.measure for each in chosen}
    findings = AgreementFindings(
        title=title,
        answer=("",),
        measures=tuple(_measure(name, plan, raters.get(name, ())) for name in sorted(names)),
        baselines=tuple(name for name in plan.baselines if any(each.measure == name for each in ratings)),
        ratings=tuple(ratings),
        references=tuple(
            found for table in tables if (found := user_mean_agreement(table, resampling=plan.resampling)) is not None
        ),
        contrasts=tuple(contrast for table in tables for contrast in _contrasts(table, ratings, plan)),
        preferences=tuple(chosen),
        rankings=tuple(_rankings(tables, held, votes, plan)),
        ceilings=tuple(ceiling_of(table, resampling=plan.resampling) for table in tables),
        discriminants=tuple(_discriminants(tables, plan)),
        validity=tuple(validity_of(ratings, chosen, data=data, manifest=manifest)),
        raters=raters,
        methods=_methods(tables, plan),
        manifest=manifest,
    )
    return findings.model_copy(update={"answer": answer(findings), "warnings": warnings_of(findings)})


def _discriminants(tables: Sequence[JudgedUnits], plan: Plan) -> Iterable[Discriminant]:
    for level in ("turn", "dialogue"):
        same = [table for table in tables if table.level == level]
        for family in families(same):
            found = discriminant(same, family, resampling=plan.resampling)
            if found is not None:
                yield found


def measures_compared(table: JudgedUnits) -> list[str]:
    """Measures compared with a question: those without an aspect, and those of its own aspect."""
    aspect = aspect_of(table.question)
    return [name for name in table.values if _aspect(name) in (None, aspect)]


def _aspect(measure: str) -> str | None:
    """The aspect that a measure is about, as in ``RUN:ASPECT``; None for the others."""
    return MeasureName(measure).aspect


def _raters(scores: Iterable[Score], votes: Sequence[Preference]) -> dict[str, tuple[Raters, ...]]:
    """The kinds of raters of every question, and of the votes."""
    kinds: dict[str, set[Raters]] = {VOTES: {vote.raters for vote in votes}} if votes else {}
    for score in scores:
        if score.rater is not None:
            kinds.setdefault(score.measure, set()).add(score.raters)
    return {question: kinds_of(found) for question, found in sorted(kinds.items())}


def _measure(name: str, plan: Plan, raters: tuple[Raters, ...]) -> Measure:
    if name in plan.measures:
        return plan.measures[name]
    measured = MeasureName(name)
    if not measured.is_judgement:
        return Measure(name=name, title=name, by="metric", better="higher", unit="")
    title = f"{possessive_of(raters)} {measured.prose}"
    return Measure(name=name, title=title, by="people", better="higher", unit="", raters=raters)


def _preferences(scores: Sequence[Score], votes: Sequence[Preference], plan: Plan) -> list[PreferenceAgreement]:
    pairs = pairs_of(votes)
    if not pairs.votes:
        return []
    found = [
        preference_agreement(
            pairs, measure, sides, lower=plan.lower(measure), margin=plan.margin, resampling=plan.resampling
        )
        for measure, sides in sorted(values_by_side(scores).items())
    ]
    found = [each for each in found if each.scored]
    ceiling = noise_ceiling(pairs, resampling=plan.resampling)
    return [*found, ceiling] if ceiling else found


def _rankings(
    tables: Sequence[JudgedUnits], scores: Sequence[Score], votes: Sequence[Preference], plan: Plan
) -> Iterable[RankingAgreement]:
    of_systems: dict[str, dict[str, float]] = {}
    for score in scores:
        if score.level == "system" and score.value is not None and score.system and score.rater is None:
            of_systems.setdefault(score.measure, {})[score.system] = score.value
    for table in tables:
        for measure in measures_compared(table):
            lower, own = plan.lower(measure), of_systems.get(measure)
            found = ranking_agreement(table, measure, lower=lower, system_values=own, resampling=plan.resampling)
            if found is not None:
                yield found
    first = next((table for table in tables if table.level == "dialogue"), None)
    for measure in measures_compared(first) if first is not None and votes else ():
        found = (
            vote_ranking(votes, first, measure, lower=plan.lower(measure), resampling=plan.resampling)
            if first
            else None
        )
        if found is not None:
            yield found


def _contrasts(table: JudgedUnits, ratings: Sequence[RatingAgreement], plan: Plan) -> Iterable[AgreementContrast]:
    """Every measure against the best baseline, and the best measure against every other."""
    statistic: Association = "auc" if table.is_binary else "spearman"
    values = {
        each.measure: found.headline.value
        for each in ratings
        if (each.question, each.level) == (table.question, table.level)
        and (found := each.get(statistic)) is not None
        and found.headline.value is not None
    }
    baselines = [name for name in plan.baselines if name in values]
    best_baseline = max(baselines, key=lambda name: values[name] or 0.0, default=None)
    best = max(values, key=lambda name: values[name] or 0.0, default=None)
    pairs = [(name, best_baseline) for name in values if best_baseline and name != best_baseline]
    pairs += [(best, name) for name in values if best and name != best and (best, name) not in pairs]
    for a, b in pairs:
        for scope in ("pooled", "within") if statistic == "auc" else ("pooled",):
            yield _contrast(table, a, b, statistic, scope, plan)


def _contrast(table: JudgedUnits, a: str, b: str, statistic: Association, scope: str, plan: Plan) -> AgreementContrast:
    """One measure less another, over all rated units, and on the units that both have where either lacks some."""
    columns = [table.values[name] * (-1 if plan.lower(name) else 1) for name in (a, b)]
    groups = table.systems if scope == "within" else None

    def difference(one: Floats, other: Floats) -> Estimate:
        return association_difference(
            statistic,
            one,
            other,
            table.people,
            groups=groups,
            clusters=table.clusters,
            rng=plan.resampling.rng(table.question, "contrast", scope),
            resamples=plan.resampling.resamples,
            confidence=plan.resampling.confidence,
        )

    is_complete = not any(np.isnan(column).any() for column in columns)
    guessed = [
        worst_guesses_inside(column, table.people, groups) if groups else worst_guesses(column, table.people)
        for column in columns
    ]
    return AgreementContrast(
        a=a,
        b=b,
        question=table.question,
        level=table.level,
        statistic=statistic,
        scope=scope,
        difference=difference(guessed[0], guessed[1]),
        common=None if is_complete else difference(columns[0], columns[1]),
    )


def _methods(tables: Sequence[JudgedUnits], plan: Plan) -> tuple[str, ...]:
    ends = f"{50 * (1 - plan.resampling.confidence):g} to {50 * (1 + plan.resampling.confidence):g}%"
    drawn = " and ".join(sorted({PLURALS[table.clustered_by] for table in tables}))
    sentences = [
        (
            f"Intervals ({ends}) are percentiles of {plan.resampling.resamples:,} resamples of whole "
            f"{drawn or 'clusters'} (seed {plan.resampling.seed}); all measures share the same resamples."
        ),
        (
            "Within systems, the AUC compares only dialogues of the same system, and correlations use ranks "
            "within each system. Between systems, the systems' means are correlated; results hold for these "
            "systems only."
        ),
        (
            "Within users, the same is computed for people who rated at least two units. The reference, the "
            "mean rating of a user's other dialogues, uses no dialogue content: it shows how much of a "
            "rating depends on the rater alone."
        ),
        (
            "Penalised: computed over all rated units, with each missing value replaced with the guess that "
            "most lowers the rank correlation with people, so leaving out units cannot raise the number "
            "(worst-case bound, Manski 2003). Choices for which a measure has no values count as wrong. "
            "Where values are missing, the penalised number is reported first."
        ),
        "Measures for which lower is better are reversed.",
    ]
    if any(table.level == "turn" for table in tables):
        sentences.append("Turns are clustered by dialogue.")
    return tuple(sentences)


def validity_of(
    ratings: Sequence[RatingAgreement],
    preferences: Sequence[PreferenceAgreement],
    *,
    data: str,
    manifest: Manifest,
    remarks: dict[str, str] | None = None,
) -> list[Validity]:
    """One card per measure and question; votes are on those about dialogues."""
    votes = {each.measure: each.headline_accuracy for each in preferences if each.headline_accuracy.value is not None}
    version = manifest.versions.get("trialogue", "")
    source = f"trialogue {manifest.command}, version {version or 'unknown'}, data {manifest.data_hash}"
    return [
        Validity(
            measure=each.measure,
            data=data,
            question=each.question,
            level=each.level,
            auc=_headline(each, "auc", "pooled"),
            auc_within=_headline(each, "auc", "within"),
            spearman=_headline(each, "spearman", "pooled"),
            spearman_within=_headline(each, "spearman", "within"),
            votes=votes.get(each.measure) if each.level == "dialogue" else None,
            coverage=round(each.coverage, 4),
            remark=(remarks or {}).get(each.measure),
            source=source,
        )
        for each in ratings
    ]


def _headline(each: RatingAgreement, statistic: Statistic, scope: str) -> Estimate | None:
    found = each.get(statistic, scope)
    return found.headline if found is not None and found.headline.value is not None else None
