"""Methods paragraph of a study: how the numbers were computed, in sentences for a paper."""

from collections.abc import Iterable, Mapping, Sequence

from trialogue.findings.family import correction_over
from trialogue.findings.records import Findings
from trialogue.findings.wording import list_names
from trialogue.inputs.study_data import InterimLook
from trialogue.records import Raters
from trialogue.records.kinds.origins import one_and_many
from trialogue.subjects.people.exclusions import EVERY, ONLY, WITHOUT
from trialogue.subjects.people.records import (
    ChoiceFindings,
    LabelFindings,
    OptionFindings,
    ParticipantFlow,
    RatingFindings,
)


def methods_of(
    flow: ParticipantFlow | None,
    decision: Findings | None,
    ratings: Sequence[RatingFindings],
    choices: ChoiceFindings | None,
    labels: LabelFindings | None,
    *,
    chosen: Sequence[OptionFindings] = (),
    raters: tuple[Raters, ...] = (),
    alpha: float,
    versions: Mapping[str, str],
) -> tuple[str, ...]:
    """Sentences on the methods that were actually used."""
    return (
        *_people(flow, raters),
        *map(_chosen, chosen),
        *_ratings(decision, ratings, alpha),
        *_choices(choices),
        *_labels(labels),
        f"Analyses were run with Trialogue {versions.get('trialogue', '')}".rstrip() + ".",
    )


def _people(flow: ParticipantFlow | None, raters: tuple[Raters, ...]) -> Iterable[str]:
    if flow is None:
        return
    reached = flow.reached
    yield (
        f"Of {reached['arrived']:,} {one_and_many(raters)[1]} who arrived, {reached['consented']:,} consented and "
        f"{reached['completed']:,} completed the study; {flow.excluded:,} were excluded {_exclusion_means(flow)}, "
        f"leaving {flow.analysed:,}."
    )
    planned = [f"{rule.meaning or rule.rule} ({rule.participants:,})" for rule in flow.rules if rule.planned]
    if planned:
        yield f"Exclusion rules: {'; '.join(planned)}."
    if flow.by_hand:
        reasons = "; ".join(f"{each.reason} ({each.participants:,})" for each in flow.by_hand)
        yield (f"Participants were also excluded by hand, for reasons that no rule had named before launch: {reasons}.")
    if flow.minutes is not None and flow.minutes.value is not None:
        page = flow.page_seconds
        each = f", {page.value:.0f} seconds per page" if page is not None and page.value is not None else ""
        yield f"The median participant took {flow.minutes.value:.1f} minutes{each}."


def _chosen(found: OptionFindings) -> str:
    """Counts and shares of the answers to a question of a questionnaire, such as one about the participants."""
    shares = [
        f"{row.option} {row.count:,} ({100 * row.estimate.value:.0f}%)"
        for row in found.options
        if row.count is not None and row.estimate.value is not None
    ]
    missing = f"; no answer {found.missing:,}" if found.missing else ""
    return f"“{found.title}” ({found.raters:,} answers): {', '.join(shares)}{missing}."


def looks_of(looks: Sequence[InterimLook]) -> tuple[str, ...]:
    """Sentence about interim looks at the results; empty without any."""
    if not looks:
        return ()
    many = "once" if len(looks) == 1 else f"{len(looks)} times"
    counts = ", ".join(f"{look.done:,}" for look in looks)
    return (
        f"Results were inspected {many} before the planned number of answers was reached (at {counts} of "
        f"{looks[-1].needed:,}). If the study had been stopped because of them, its p-values and "
        "intervals would be invalid.",
    )


def _exclusion_means(flow: ParticipantFlow) -> str:
    by_hand = sum(each.participants for each in flow.by_hand)
    rules = "by rules fixed before launch"
    return f"{rules} or by hand ({by_hand:,} by hand)" if by_hand else rules


def _ratings(decision: Findings | None, ratings: Sequence[RatingFindings], alpha: float) -> Iterable[str]:
    compared = [each.league for each in ratings if each.league is not None]
    if not compared or decision is None:
        return
    gaps = [pair.difference.interval for league in compared for pair in league.contrasts]
    ways = list(dict.fromkeys(gap.method for gap in gaps if gap is not None))
    yield f"Systems were compared by differences of mean ratings{f' ({list_names(ways)})' if ways else ''}."
    correction = correction_over(compared[0].correction.value, compared[0].questions)
    yield f"p-values of pairs were corrected ({correction}) at α = {alpha:g}; intervals are of {100 * (1 - alpha):g}%."
    if decision.protocol is not None and decision.protocol.protocol is not None:
        yield f"The study declared that {decision.protocol.protocol.measure.prose} decides."
    if any(each.model is not None for each in ratings):
        yield (
            "Beside it, ratings were described by a cumulative-link mixed model (logit), fitted by maximum likelihood with "
            "Laplace's approximation; odds ratios have Wald intervals, and p-values are corrected by Bonferroni's method."
        )
    yield "Agreement was measured by Krippendorff's alpha and intraclass correlations from variance components."
    yield from _sensitivity("ratings", [row.name for each in ratings for row in each.sensitivity])


def _sensitivity(what: str, names: Sequence[str]) -> Iterable[str]:
    """Description of the sensitivity analysis."""
    ways = {
        WITHOUT: "without each planned rule in turn",
        ONLY: "with each exclusion rule alone",
        EVERY: "with every exploratory flag",
    }
    done = [words for start, words in ways.items() if any(name.startswith(start) for name in names)]
    if names:
        ways_done = ["without exclusions (with and without unfinished participants)", *done]
        last = f" and {ways_done.pop()}" if done else ""
        yield f"The comparison of {what} was repeated {', '.join(ways_done)}{last}."


def _choices(choices: ChoiceFindings | None) -> Iterable[str]:
    if choices is None:
        return
    yield (
        f"{choices.judgements:,} judgements were counted as wins, losses and ties. Shares have cluster "
        "bootstrap intervals. Where both pairs of dialogues and raters repeat, wins were tested against losses "
        "with the variance over both (Cameron, Gelbach and Miller 2011), else by flipping the signs of the "
        "clusters that repeat (Bonferroni's correction over rows)."
    )
    if choices.without_reason:
        yield f"{choices.without_reason:,} judgements without an explanation were left out."
    yield from _sensitivity("judgements", [row.name for row in choices.sensitivity])
    if choices.votes is not None:
        yield "Systems were ranked by a Bradley-Terry model with ties (Davidson 1970)."


def _labels(labels: LabelFindings | None) -> Iterable[str]:
    if labels is None:
        return
    yield (
        f"{labels.annotators} annotators labelled {labels.utterances:,} utterances; {labels.disputed:,} "
        f"were disputed and {labels.adjudicated:,} adjudicated. Agreement is Krippendorff's alpha "
        "(nominal), clustered by dialogue."
    )
