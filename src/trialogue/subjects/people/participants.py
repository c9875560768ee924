"""Participants of a study: flow, exclusions, and whose answers count."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from trialogue.inputs.study_data import STAGES, Participant, Rules, countable_participants
from trialogue.records import Estimate
from trialogue.stats import bootstrap
from trialogue.subjects.people.records import Attrition, Exclusion, ManualExclusion, ParticipantFlow


def known_rules(people: Iterable[Participant], rules: Rules | None) -> dict[str, str]:
    """All rules that are planned or were hit, planned ones first."""
    found = dict(rules or {})
    for flag in sorted({flag for person in people for flag in person.flags}):
        found.setdefault(flag, "")
    return found


def flow(
    people: Sequence[Participant],
    rules: Rules | None,
    answered: Collection[str],
    *,
    pages: Mapping[str, Sequence[float]] | None = None,
    rng: np.random.Generator,
) -> ParticipantFlow | None:
    """Participant flow by stage; None without a participants table.

    Args:
        people: the table.
        rules: planned rules; None: every flag excludes.
        answered: codes of those with answers.
        pages: seconds on each page, by participant.
        rng: source of randomness for intervals of times.
    """
    if not people:
        return None
    furthest = {person.participant: person.furthest(answered) for person in people}
    place = {stage: index for index, stage in enumerate(STAGES)}
    reached = {stage: sum(place[furthest[person.participant]] >= place[stage] for person in people) for stage in STAGES}
    losses = Counter(
        (furthest[person.participant], _reason(person)) for person in people if person.state != "completed"
    )
    # Someone without an answer or excluded by rule has completed the study, but is not analysed.
    counted = countable_participants(people, rules) or frozenset()
    done = [person for person in people if person.state == "completed"]
    return ParticipantFlow(
        reached=reached,
        losses=tuple(
            Attrition(stage=stage, reason=reason, count=count)
            for (stage, reason), count in sorted(losses.items(), key=lambda one: (place[one[0][0]], one[0][1]))
        ),
        excluded=len(done) - len(counted),
        analysed=len(counted),
        rules=tuple(
            Exclusion(
                rule=rule,
                meaning=meaning,
                planned=rules is None or rule in rules,
                participants=sum(rule in person.flags for person in done),
            )
            for rule, meaning in known_rules(people, rules).items()
        ),
        by_hand=tuple(
            ManualExclusion(reason=reason, participants=count)
            for reason, count in sorted(Counter(person.by_hand for person in done if person.by_hand).items())
        ),
        minutes=_minutes(done, rng),
        page_seconds=_median([float(np.median(pages[code])) for code in sorted(counted) if pages.get(code)], rng)
        if pages
        else None,
    )


def _reason(person: Participant) -> str:
    if person.state == "failed":
        return f"failed: {person.reason.replace('_', ' ')}" if person.reason else "failed"
    return "under way" if person.state in STAGES else person.state.replace("_", " ")


def _minutes(done: Sequence[Participant], rng: np.random.Generator) -> Estimate | None:
    spans = [
        (person.finished_at - person.started_at).total_seconds() / 60
        for person in done
        if person.started_at is not None and person.finished_at is not None
    ]
    return _median(spans, rng)


def _median(values: Sequence[float], rng: np.random.Generator) -> Estimate | None:
    if not values:
        return None
    return bootstrap(values, lambda drawn: np.median(drawn, axis=-1), rng=rng, resamples=2_000)
