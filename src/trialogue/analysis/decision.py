"""Read the decision protocol of a command, and apply its exclusion rules."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from trialogue.errors import DataError, TrialogueError, UsageError
from trialogue.findings import Findings, League
from trialogue.findings.decision.check import check_protocol
from trialogue.findings.protocol import DecisionProtocol, Exclusion, ProtocolCheck
from trialogue.findings.wording import list_names
from trialogue.inputs.inputs import InputRecords
from trialogue.inputs.study_answers import DeclaredStudy
from trialogue.metrics import get_metric
from trialogue.records import Dialogue, MeasureName, Rating, Response
from trialogue.records.files.yaml_file import Lines, lines_of, problems_of_fields, read_fields

Decision: TypeAlias = DecisionProtocol | Mapping[str, Any] | str | Path
"""A decision protocol: as a record, as its fields, or as a YAML file that holds them (or an experiment with ``decide``)."""
HINT = "The smallest one is one line: measure: human:satisfaction"


def read_decision(given: Decision | None) -> DecisionProtocol | None:
    """The protocol with the full names of its measures; None for none.

    Raises:
        DataError: a file that holds no protocol; all its mistakes at once.
        UsageError: fields that are none, or a metric that there is not or that has no direction.
    """
    if given is None:
        return None
    if isinstance(given, DecisionProtocol):
        return _with_full_names(given)
    fields, file, lines = given, "decide", Lines()
    if isinstance(given, str | Path):
        fields, file, lines = read_fields(Path(given), hint=HINT), str(given), lines_of(Path(given))
        if isinstance(fields.get("decide"), Mapping):
            fields, lines = fields["decide"], lines.nested("decide")
    assert isinstance(fields, Mapping)
    try:
        return _with_full_names(DecisionProtocol.model_validate(dict(fields)))
    except ValidationError as error:
        raise DataError(problems_of_fields(error, fields, DecisionProtocol, file=file, lines=lines)) from error


def _with_full_names(protocol: DecisionProtocol) -> DecisionProtocol:
    return protocol.model_copy(
        update={"measure": _full(protocol.measure), "measures": tuple(map(_full, protocol.measures))}
    )


def _full(name: MeasureName) -> MeasureName:
    if name.is_judgement:
        return name
    try:
        metric = get_metric(name)
    except TrialogueError as error:
        raise UsageError(f"the decision protocol names an unknown measure: {error}") from error
    if metric.card.better == "neither":
        raise UsageError(
            f"{metric.measure} has no direction (neither higher nor lower is better), so a decision protocol cannot use it."
        )
    return MeasureName(metric.measure)


def refuse_other_exclusions(protocol: DecisionProtocol | None, runs: Mapping[str, Findings]) -> None:
    """Refuse runs in which not the protocol's dialogues were left out: what is measured cannot be left out any more.

    Args:
        protocol: the one that decides; None: there is none.
        runs: findings of the runs by name.

    Raises:
        UsageError: some run has other exclusions.
    """
    if protocol is None:
        return
    wrong = [
        name
        for name, run in runs.items()
        if _rules(run.protocol.protocol if run.protocol is not None else None) != _rules(protocol)
    ]
    if wrong:
        planned = "; ".join(map(_describe_rule, protocol.exclude)) or "nothing"
        raise UsageError(
            f"the decision protocol excludes {planned}, and {list_names(wrong)} {'was' if len(wrong) == 1 else 'were'} "
            "evaluated with other exclusions. Evaluate again with the protocol (trialogue evaluate --decide)."
        )


def _rules(protocol: DecisionProtocol | None) -> set[str]:
    return {rule.model_dump_json() for rule in protocol.exclude} if protocol is not None else set()


def declared_protocol(study: DeclaredStudy, leagues: Iterable[League], *, alpha: float) -> DecisionProtocol:
    """The protocol that a study declared: it rests on one criterion, of dialogues or of replies."""
    asked = [each.measure.measured for each in leagues if each.measure.by == "people"]
    primary = next((each for each in asked if each.question == study.primary.question), study.primary)
    return DecisionProtocol(measure=primary, alpha=alpha)


def protocol_check(
    findings: Findings, protocol: DecisionProtocol | None, study: DeclaredStudy | None
) -> ProtocolCheck | None:
    """The protocol that decides, and what deviates from it; None: there is none.

    Args:
        findings: what was measured.
        protocol: the one that decides.
        study: the study that declared it; None: it was given with the data.
    """
    if protocol is None:
        return None
    check = check_protocol(findings, protocol)
    if study is None or study.sha256 is None:
        return check
    return check.model_copy(update={"sha256": study.sha256, "data_existed": False})  # launched: chosen before the data


def exclude(material: InputRecords, rules: Sequence[Exclusion]) -> tuple[InputRecords, list[str]]:
    """Records after exclusion rules, and a line per rule with the numbers of excluded dialogues and votes.

    A dialogue that failed is never left out for being short: failures are outcomes, and a rule that hides them would favor
    the systems that fail.
    """
    lines = []
    for rule in rules:
        left = replace(
            material,
            dialogues=[_drop_ratings(each, rule) for each in material.dialogues if not _leaves_out(rule, each)],
            responses=[_rated_response(each, rule) for each in material.responses],
            preferences=[each for each in material.preferences if each.rater not in rule.participants],
            scores=[each for each in material.scores if each.rater not in rule.participants],
        )
        counts = (
            (len(material.dialogues), len(left.dialogues), "dialogues"),
            (len(material.preferences), len(left.preferences), "votes"),
        )
        parts = [f"{before - after:,} of {before:,} {what}" for before, after, what in counts if after < before]
        if parts:
            lines.append(f"Excluded by the decision protocol ({_describe_rule(rule)}): {' and '.join(parts)}.")
        material = left
    return material, lines


def _leaves_out(rule: Exclusion, dialogue: Dialogue) -> bool:
    if rule.user_turns_below is not None:
        turns = sum(utterance.speaker == "user" for utterance in dialogue.utterances)
        return dialogue.fault is None and turns < rule.user_turns_below
    return dialogue.user in rule.participants


def _drop_ratings(dialogue: Dialogue, rule: Exclusion) -> Dialogue:
    """A dialogue without the ratings of people who are left out."""
    if not rule.participants:
        return dialogue
    utterances = tuple(
        utterance.model_copy(update={"ratings": _kept_ratings(utterance.ratings, rule)})
        for utterance in dialogue.utterances
    )
    return dialogue.model_copy(update={"ratings": _kept_ratings(dialogue.ratings, rule), "utterances": utterances})


def _rated_response(response: Response, rule: Exclusion) -> Response:
    if not rule.participants:
        return response
    utterance = response.utterance
    kept = utterance.model_copy(update={"ratings": _kept_ratings(utterance.ratings, rule)})
    return response.model_copy(update={"utterance": kept})


def _kept_ratings(ratings: Iterable[Rating], rule: Exclusion) -> tuple[Rating, ...]:
    return tuple(rating for rating in ratings if rating.rater not in rule.participants)


def _describe_rule(rule: Exclusion) -> str:
    if rule.user_turns_below is not None:
        return f"fewer than {rule.user_turns_below} user utterances"
    return f"participants {', '.join(rule.participants)}"
