"""Texts about decision protocols and deviations from them. No other module words them."""

from collections.abc import Callable, Iterator, Mapping

from trialogue.findings.protocol import Correction, DecisionProtocol, Deviation, DeviationKind, ProtocolCheck
from trialogue.records import JsonValue, MeasureName

MAX_SHOWN = 4  # deviations in one sentence; protocol in summary.json has all


def status(check: ProtocolCheck) -> str:
    """One line: the protocol, and whether it was kept.

    >>> status(ProtocolCheck(sha256="0123456789abcdef"))
    'Decision protocol 0123456789ab: kept.'
    """
    if check.sha256 is None:
        return "There was no decision protocol."
    if check.is_kept:
        return f"Decision protocol {check.short_hash}: kept."
    return f"Decision protocol {check.short_hash}: not kept: {deviations_text(check.deviations)}."


def deviations_text(deviations: tuple[Deviation, ...], *, most: int = MAX_SHOWN) -> str:
    """Deviations as clauses, counting those beyond the first few."""
    texts = [TEXTS[deviation.what](deviation) for deviation in deviations]
    more = f"; and {len(texts) - most} more" if len(texts) > most else ""
    return "; ".join(texts[:most]) + more


def protocol_lines(protocol: DecisionProtocol) -> Iterator[str]:
    """Protocol as lines, for a dry run."""
    yield f"primary measure: {_measure(protocol.measure)}{_with_users(protocol.users)}"
    yield f"correction: {_family_text(protocol)}; level {protocol.alpha:g}"
    margins = protocol.margin.to_json()
    yield f"margins: {_pairs(margins) if margins else 'none'}"
    yield f"exclusions: {_exclusions([rule.to_json() for rule in protocol.exclude])}"
    yield (f"besides the usual threats, these block a verdict: {_names([code.value for code in protocol.blocks])}")
    yield f"dialogues of each system: {'open' if protocol.n is None else f'{protocol.n:,}'}"
    yield f"systems: {', '.join(protocol.systems) or 'open'}"
    if protocol.looks:
        looks = ", ".join(map(str, protocol.looks))
        yield f"looks at {looks} people or dialogues of each system, with O'Brien-Fleming spending"


def method_sentence(check: ProtocolCheck) -> str:
    """Methods sentence on how a protocol decided; "" without one."""
    if check.protocol is None:
        return ""
    when = "with the conversations already available" if check.data_existed else "before there were data"
    if any(each.what is DeviationKind.AFTER_RESULTS for each in check.deviations):
        when = "after there were results"
    text = "; ".join(protocol_lines(check.protocol))
    return f"A decision protocol was written {when} (protocol.json, sha256 {check.sha256}): {text}."


def _with_users(users: str | None) -> str:
    return "" if users is None else f" with simulated users ({users})"


def _measure(name: str) -> str:
    measure = MeasureName(name)
    return f"people's {measure.prose}" if measure.is_judgement else str(measure)


def _family_text(protocol: DecisionProtocol) -> str:
    if protocol.correction is Correction.WITHIN:
        return "over the pairs of systems of a measure"
    names = ", ".join(map(_measure, (protocol.measure, *protocol.measures)))
    return f"over the pairs of systems of {names} together"


def _pairs(values: Mapping[str, JsonValue]) -> str:
    return ", ".join(f"{name.replace('_', '-')} {value}" for name, value in values.items())


def _exclusions(rules: JsonValue) -> str:
    """Rules as JSON in words."""
    texts = []
    for rule in rules if isinstance(rules, list) else []:
        assert isinstance(rule, dict)
        if "user_turns_below" in rule:
            texts.append(f"dialogues with fewer than {rule['user_turns_below']} user utterances")
        else:
            texts.append(f"the participants {_names(rule['participants'])}")
    return ", ".join(texts) or "none"


def _names(names: JsonValue) -> str:
    return ", ".join(map(str, names)) if isinstance(names, list) and names else "none"


def _systems(names: JsonValue) -> str:
    return _names(names) if names else "open"


def _primary(value: JsonValue) -> str:
    assert isinstance(value, dict)
    users = value["users"]
    return _measure(str(value["measure"])) + _with_users(None if users is None else str(users))


def _correction(value: JsonValue) -> str:
    assert isinstance(value, dict)
    names = _names(value["measures"])
    return f"{value['correction']} (further measures: {names})"


def _margins(value: JsonValue) -> str:
    return _pairs(value) if isinstance(value, dict) and value else "none"


def _count(value: JsonValue) -> str:
    return "open" if value is None else f"{value:,}"


def _looks(value: JsonValue) -> str:
    return "at " + ", ".join(map(str, value)) if isinstance(value, list) and value else "one"


def _dialogues(value: JsonValue) -> str:
    return f"{value:,} {'dialogue' if value == 1 else 'dialogues'}"


def _change_text(title: str, written: Callable[[JsonValue], str] = str) -> Callable[[Deviation], str]:
    """The text of a choice that was changed."""

    def text(deviation: Deviation) -> str:
        return f"{title} changed from {written(deviation.planned)} to {written(deviation.actual)}"

    return text


TEXTS: Mapping[DeviationKind, Callable[[Deviation], str]] = {
    DeviationKind.PRIMARY_CHANGED: _change_text("the primary measure was", _primary),
    DeviationKind.FAMILY_CHANGED: _change_text("the family of the correction was", _correction),
    DeviationKind.ALPHA_CHANGED: _change_text("the level was"),
    DeviationKind.MARGIN_CHANGED: _change_text("the margins were", _margins),
    DeviationKind.EXCLUSIONS_CHANGED: _change_text("the exclusions were", _exclusions),
    DeviationKind.BLOCKS_CHANGED: _change_text("the threats that block were", _names),
    DeviationKind.SAMPLE_CHANGED: _change_text("the planned number of dialogues was", _count),
    DeviationKind.SYSTEMS_CHANGED: _change_text("the systems were", _systems),
    DeviationKind.LOOKS_CHANGED: _change_text("the planned looks were", _looks),
    DeviationKind.LOOK_TOO_EARLY: lambda d: (
        f"there are {d.actual:,} people or dialogues of a system, and the first look was planned at {d.planned:,}"
    ),
    DeviationKind.LOOK_TOO_LATE: lambda d: (
        f"there are {d.actual:,} people or dialogues of each system, and the last look was planned at {d.planned:,}"
    ),
    DeviationKind.WITHDRAWN: lambda _: "it was removed from the experiment's file after it was written",
    DeviationKind.DELETED: lambda _: "protocol.json, on which an earlier report in this folder rests, was deleted",
    DeviationKind.EDITED: lambda _: "protocol.json was edited: its content does not match its hash",
    DeviationKind.REPLACED: lambda d: f"the first report in this folder rests on another protocol ({d.planned})",
    DeviationKind.AFTER_RESULTS: lambda _: "it was written when the folder already had results",
    DeviationKind.MEASURE_MISSING: lambda d: f"{_measure(str(d.planned))} was not measured",
    DeviationKind.FEWER_DIALOGUES: lambda d: f"{d.system} has {_dialogues(d.actual)}, of {_count(d.planned)} planned",
    DeviationKind.MORE_DIALOGUES: lambda d: (
        f"{d.system} has {_dialogues(d.actual)}, more than the {_count(d.planned)} planned"
    ),
    DeviationKind.SYSTEM_MISSING: lambda d: f"{d.system} was planned but has no dialogues",
    DeviationKind.SYSTEM_ADDED: lambda d: f"{d.system} was not planned",
    DeviationKind.OTHER_USERS: lambda d: f"{d.system} met {_names(d.actual)}, where {d.planned} were planned",
}
