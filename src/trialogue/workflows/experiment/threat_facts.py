"""Facts from all stages that threat detection needs: counts of systems, labels, domains, training data.

Facts about a column of dialogues with simulated users name the column as the combined report does. If two stages
provide the same fact, the last one counts, as for leagues.
"""

from collections.abc import Iterable

from trialogue.findings import Findings, League, Sensitivity, SystemFacts
from trialogue.findings.label_origins import LabelCounts
from trialogue.findings.standings import column_name
from trialogue.fingerprints import TrainingExposure
from trialogue.records import DomainFit, LanguageMismatch, MeasureName, Population
from trialogue.records.kinds.suspicions import Gate
from trialogue.workflows.experiment.parts import Parts


def joined_systems(parts: Iterable[Findings]) -> tuple[SystemFacts, ...]:
    """Counts of each system over all parts, by name."""
    found: dict[str, SystemFacts] = {}
    for part in parts:
        for facts in part.systems:
            found[facts.system] = _both(found[facts.system], facts) if facts.system in found else facts
    return tuple(found[name] for name in sorted(found))


def _both(one: SystemFacts, other: SystemFacts) -> SystemFacts:
    """A system in two parts; the same people may have taken part in both, so that their numbers do not add up."""
    people = [each.people for each in (one, other) if each.people is not None]
    completed = [each.completion for each in (one, other) if each.completion is not None]
    return SystemFacts(
        system=one.system,
        dialogues=one.dialogues + other.dialogues,
        replies=one.replies + other.replies,
        people=max(people, default=None),
        simulated=one.simulated + other.simulated,
        models=tuple(sorted({*one.models, *other.models})),
        completion=completed[0] + completed[1] if len(completed) == 2 else next(iter(completed), None),
        gates={gate: count for gate in Gate if (count := one.gates.get(gate, 0) + other.gates.get(gate, 0))},
        gated=one.gated + other.gated,
    )


def joined_populations(parts: Iterable[Findings]) -> tuple[Population, ...]:
    """What each system was evaluated on, in all parts; each once."""
    return tuple(dict.fromkeys(each for part in parts for each in part.populations))


def joined_labels(parts: Iterable[Findings]) -> tuple[LabelCounts, ...]:
    """Label counts by system and side."""
    return tuple({(each.system, each.side): each for part in parts for each in part.labels}.values())


def joined_domains(parts: Parts) -> tuple[DomainFit, ...]:
    """Domain fit of each part's dialogues."""
    fits = [
        fit.model_copy(update={"measure": column_name(fit.measure, users)})
        for users, part in parts.labelled_findings
        for fit in part.domains
    ]
    return tuple({fit.measure: fit for fit in fits}.values())


def joined_training_data(parts: Parts) -> tuple[TrainingExposure, ...]:
    """Training-data overlap of each part's dialogues."""
    exposures = [
        exposure.model_copy(update={"measure": column_name(exposure.measure, users)})
        for users, part in parts.labelled_findings
        for exposure in part.training_data
    ]
    return tuple({(each.measure, each.system): each for each in exposures}.values())


def joined_sensitivity(parts: Parts) -> tuple[Sensitivity, ...]:
    """Variant sensitivity of metrics, one family per part."""
    return tuple(
        family if users is None else _with_users(family, users)
        for users, part in parts.labelled_findings
        for family in part.sensitivity
    )


def _with_users(family: Sensitivity, users: str) -> Sensitivity:
    leagues = tuple(_league_with_users(league, users) for league in family.leagues)
    flips = tuple(
        flip.model_copy(
            update={
                "for_a": tuple(column_name(name, users) for name in flip.for_a),
                "for_b": tuple(column_name(name, users) for name in flip.for_b),
            }
        )
        for flip in family.flips
    )
    return Sensitivity(metric=f"{family.metric} ({users})", leagues=leagues, flips=flips)


def _league_with_users(league: League, users: str) -> League:
    return league.model_copy(update={"measure": league.measure.with_simulated(users)})


def joined_mismatches(parts: Parts) -> tuple[LanguageMismatch, ...]:
    """Language mismatches of each part."""
    return tuple(
        mismatch.model_copy(
            update={"measures": tuple(MeasureName(column_name(name, users)) for name in mismatch.measures)}
        )
        for users, part in parts.labelled_findings
        for mismatch in part.language_mismatches
    )
