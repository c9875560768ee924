"""Analyse a whole study: all answers, one set of findings."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from trialogue.findings.records import Findings
from trialogue.findings.standings import League
from trialogue.findings.wording import list_names, not_people, render_estimate
from trialogue.inputs.study_data import (
    Scale,
    StudyData,
    countable_participants,
)
from trialogue.records import Manifest, MeasureName, Raters, Score
from trialogue.records.kinds.origins import kinds_of, named_raters
from trialogue.seeds import rng_for
from trialogue.subjects.people.choices import analyse_preferences, analyse_realism
from trialogue.subjects.people.labels import analyse_labels
from trialogue.subjects.people.methods import looks_of, methods_of
from trialogue.subjects.people.model_raters import model_choices, model_ratings
from trialogue.subjects.people.model_records import ModelChoices, ModelRatings
from trialogue.subjects.people.options import describe_options
from trialogue.subjects.people.participants import flow
from trialogue.subjects.people.ratings import analyse_ratings
from trialogue.subjects.people.records import (
    Answers,
    ChoiceFindings,
    LabelFindings,
    ParticipantFlow,
    RatingFindings,
    StudyFindings,
)


@dataclass(frozen=True)
class StudyEstimates:
    """Estimates of a study, before any conclusion."""

    data: StudyData
    flow: ParticipantFlow | None
    ratings: tuple[RatingFindings, ...]
    choices: ChoiceFindings | None
    labels: LabelFindings | None
    model_ratings: tuple[ModelRatings, ...]
    model_choices: tuple[ModelChoices, ...]
    alpha: float
    decision: Findings | None
    """The comparison of the systems by the ratings that count; None: there are none."""


Evaluate = Callable[[frozenset[str] | None], Findings | None]
"""Evaluates the ratings of some raters, as any other data; None: of all who count. None where there are no ratings."""


def infer_study(
    data: StudyData,
    evaluate: Evaluate,
    *,
    seed: int = 0,
    alpha: float = 0.05,
    models: bool = False,
    progress: Callable[[str], None] | None = None,
) -> StudyEstimates:
    """Estimate flow, ratings, choices and labels, with their uncertainty.

    Args:
        data: what was collected.
        evaluate: compares the systems by ratings.
        seed: random seed.
        alpha: significance level.
        models: whether to fit ordinal mixed models of the ratings, too.
        progress: called with what is being computed.
    """
    evaluate = cache(evaluate)

    def decide(raters: frozenset[str] | None) -> Sequence[League]:
        found = evaluate(raters)
        return () if found is None else found.leagues

    answered = {score.rater for score in data.scores} | {each.rater for each in data.preferences}
    answered |= {label.rater for label in data.labels} | {each.rater for each in data.options}
    people = flow(
        data.people, data.rules, {one for one in answered if one}, pages=_pages(data), rng=rng_for(seed, "minutes")
    )
    ratings = tuple(
        analyse_ratings(
            [score for score in data.system_ratings if score.measure == measure],
            decide,
            measure=measure,
            scale=data.scales.get(measure),
            people=data.people,
            rules=data.rules,
            presentations=data.presentations,
            seed=seed,
            alpha=alpha,
            models=models,
            progress=progress,
        )
        for measure in _measures(data, data.system_ratings)
    )
    choices = _choices(data, seed, alpha) if data.preferences else None
    labels = analyse_labels(data.counted_labels, seed=seed) if data.labels else None
    counted = data.countable_people
    beside = model_ratings(
        data.model_scores,
        [score for score in data.system_ratings if counted is None or score.rater in counted],
        scales=data.scales,
        seed=seed,
    )
    votes = [vote for vote in data.preferences if counted is None or vote.rater in counted]
    chosen = model_choices(data.model_preferences, votes, seed=seed)
    return StudyEstimates(data, people, ratings, choices, labels, beside, chosen, alpha, evaluate(None))


def conclude_study(estimates: StudyEstimates, *, manifest: Manifest) -> StudyFindings:
    """Turn estimates into findings with an answer in sentences.

    Args:
        estimates: estimates of the study.
        manifest: how the findings are made.
    """
    data, ratings = estimates.data, estimates.ratings
    raters = _raters(data)
    rehearsal = not_people(raters)
    counted = countable_participants(data.people, data.rules)
    options = describe_options(data.options, counted, data.titles, data.option_labels)
    by_system = any(each.system for each in data.options)
    decision = estimates.decision
    answer = _answer(decision, ratings, estimates.choices, estimates.labels, by_system=by_system)
    methods = methods_of(
        estimates.flow,
        decision,
        ratings,
        estimates.choices,
        estimates.labels,
        chosen=[each for each in options if each.answer_kind == "choice" and not each.system],
        raters=raters,
        alpha=estimates.alpha,
        versions=manifest.versions,
    )
    return StudyFindings(
        title=data.title,
        answer=(
            *rehearsal,
            *answer,
            *_model_rater_note(estimates),
        ),
        raters=raters,
        flow=estimates.flow,
        ratings=ratings,
        choices=estimates.choices,
        labels=estimates.labels,
        model_ratings=estimates.model_ratings,
        model_choices=estimates.model_choices,
        answers=tuple(_plain(data)),
        options=options,
        warnings=(*rehearsal, *data.notes, *_coverage(data, ratings)),
        primary=decision.primary if decision is not None else None,
        threats=decision.threats if decision is not None else (),
        methods=(*rehearsal, *methods[:-1], *looks_of(data.early_looks), *_model_rater_note(estimates), *methods[-1:]),
        alpha=estimates.alpha,
        study_hash=data.study_hash,
        early_looks=data.early_looks,
        manifest=manifest,
    )


def _model_rater_note(estimates: StudyEstimates) -> tuple[str, ...]:
    """That language models rated beside people, and that they count nowhere else; nothing where none did."""
    names = sorted({each.rater for each in estimates.model_ratings} | {each.rater for each in estimates.model_choices})
    if not names:
        return ()
    answers = sum(each.ratings for each in estimates.model_ratings)
    answers += sum(each.choices for each in estimates.model_choices)
    what = "a language model" if len(names) == 1 else "language models"
    return (
        f"{list_names(names)} ({what}, not people) gave {answers:,} answers to the same questions; they are compared with "
        "people's in a separate section and do not count elsewhere.",
    )


def _raters(data: StudyData) -> tuple[Raters, ...]:
    answered = [
        *(score.raters for score in data.scores),
        *(vote.raters for vote in data.preferences),
    ]
    return kinds_of([*answered, *([data.raters] if data.labels or not answered else [])])


def _pages(data: StudyData) -> dict[str, list[float]]:
    """Seconds per page by participant; units displayed together share one duration."""
    pages: dict[str, dict[object, float]] = {}
    for key, shown in data.presentations.items():
        if key[0] is not None and shown.seconds is not None:
            page = shown.trial if shown.trial is not None else (key[2], key[3], key[4])
            pages.setdefault(key[0], {})[page] = shown.seconds
    raters = {each.id: each.rater for each in data.preferences}
    for name, shown in data.shown.items():
        rater = raters.get(name)
        if rater is not None and shown.seconds is not None:
            pages.setdefault(rater, {})[("preference", name)] = shown.seconds
    return {rater: list(times.values()) for rater, times in pages.items()}


def _measures(data: StudyData, rated: Iterable[Score]) -> list[str]:
    found = sorted({score.measure for score in rated})
    return sorted(found, key=lambda name: (name != data.primary, name))


def _choices(data: StudyData, seed: int, alpha: float) -> ChoiceFindings:
    way = analyse_realism if data.task == "realism" else analyse_preferences
    found = way(
        data.preferences,
        people=data.people,
        rules=data.rules,
        presentations=data.shown,
        codes=data.codes,
        seed=seed,
        alpha=alpha,
    )
    return found.model_copy(update={"raters": kinds_of(vote.raters for vote in data.preferences)})


def _plain(data: StudyData) -> Iterable[Answers]:
    """Questions about no system, described."""
    counted = data.countable_people
    asked = [
        score
        for score in data.scores
        if score.system is None and score.value is not None and (counted is None or score.rater in counted)
    ]
    for measure in sorted({score.measure for score in asked}):
        values = [score.value for score in asked if score.measure == measure and score.value is not None]
        yield _describe_answers(measure, values, data.scales.get(measure))


def _describe_answers(measure: str, values: Sequence[float], scale: Scale | None) -> Answers:
    counts = Counter(values)
    labels = scale.labels if scale else {}
    return Answers(
        measure=measure,
        title=scale.title if scale else MeasureName(measure).prose.capitalize(),
        counts={_render_point(point): counts[point] for point in sorted({*counts, *labels})},
        labels={_render_point(point): words for point, words in labels.items()},
        spread=() if labels else tuple(map(float, np.quantile(values, (0, 0.25, 0.5, 0.75, 1)))),
    )


def _render_point(point: float) -> str:
    """No two numbers that people type are written alike."""
    return f"{point:.15g}"


def _coverage(data: StudyData, ratings: Sequence[RatingFindings]) -> Iterable[str]:
    if data.raters_per_item is None:
        return
    for each in ratings:
        total = sum(each.coverage.values())
        off = total - each.coverage.get(str(data.raters_per_item), 0)
        if off:
            yield (
                f"{each.title}: {off:,} of {total:,} rated units do not have the planned {data.raters_per_item} "
                "analysed ratings."
            )


def _answer(
    decision: Findings | None,
    ratings: Sequence[RatingFindings],
    choices: ChoiceFindings | None,
    labels: LabelFindings | None,
    *,
    by_system: bool = False,
) -> Iterable[str]:
    if decision is not None and any(each.league is not None for each in ratings):
        yield from (each.text for each in decision.answer)
    for each in ratings:
        if each.why is not None:
            yield f"{each.title}: systems were not compared: {each.why}."
    if choices is not None:
        yield from _choice_sentences(choices)
    if labels is not None and labels.agreement:
        alpha = labels.agreement[0]
        yield (
            f"{labels.annotators} annotators labelled {labels.utterances:,} utterances; "
            f"{alpha.name}: {render_estimate(alpha.estimate)}."
        )
    if not ratings and choices is None and labels is None:
        yield (
            "Systems are compared by what was chosen about each: see the shares below. They were not tested."
            if by_system
            else "The study collected nothing that compares systems."
        )


def _choice_sentences(found: ChoiceFindings) -> Iterable[str]:
    rows = [pair for pair in found.pairs if not pair.group]
    by = "" if found.raters in ((), (Raters.PEOPLE,)) else f" by {named_raters(found.raters)}"
    for pair in rows[:5]:
        estimate = render_estimate(pair.decisive)
        share = f"{pair.wins} of {pair.wins + pair.losses} decisive judgements ({estimate}; {pair.ties} ties)"
        if found.task == "realism":
            verdict = {
                "a": "is taken for the person more often than the person is",
                "b": "is recognised as simulated",
                "inconclusive": "was not significantly distinguished from a person",
            }.get(pair.verdict, "could not be compared")
            yield f"{pair.a} {verdict}{by}: it wins {share}."
        else:
            relation = "is preferred to" if pair.verdict in ("a", "b") else "and"
            tail = "" if pair.verdict in ("a", "b") else " do not differ significantly"
            yield f"{pair.a} {relation} {pair.b}{tail}{by}: it wins {share}."
    if len(rows) > 5:
        yield f"{len(rows) - 5} more pairs are in the table."
