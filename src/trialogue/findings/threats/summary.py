"""Threats as a short list to read: the same threat to several measures or systems is one line."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trialogue.findings.threats.texts import clause, joined, sentence
from trialogue.findings.threats.threat import Severity, Threat

MOST_MEASURES = 3  # named in one line


@dataclass(frozen=True)
class ThreatLine:
    """One line of the list."""

    severity: Severity
    """What it does."""
    text: str
    """What it is, and what it is about."""


def threat_lines(threats: Sequence[Threat], titles: Mapping[str, str]) -> list[ThreatLine]:
    """Each threat once, in the order given; those that differ in the measure or the system only are one line.

    Args:
        threats: of a run.
        titles: what a measure is called, by the name of its column.
    """
    by_measure: dict[str, list[Threat]] = {}
    for threat in threats:
        by_measure.setdefault(threat.model_copy(update={"measure": None}).model_dump_json(), []).append(threat)
    groups: dict[str, tuple[Threat, list[str], list[str]]] = {}
    for group in by_measure.values():
        measures = [threat.measure for threat in group if threat.measure is not None]
        alone = group[0].model_copy(update={"measure": None, "systems": ()})
        key = group[0].model_dump_json() if group[0].is_of_pair else f"{alone.model_dump_json()} {measures}"
        _, systems, _ = groups.setdefault(key, (group[0], [], measures))
        systems += [system for system in group[0].systems if system not in systems]
    return [_line(threat, systems, measures, titles) for threat, systems, measures in groups.values()]


def _line(threat: Threat, systems: Iterable[str], measures: Sequence[str], titles: Mapping[str, str]) -> ThreatLine:
    threat = threat.model_copy(update={"systems": tuple(systems)})
    names = list(dict.fromkeys(titles.get(name, name) for name in measures))
    where = [f"with simulated users ({threat.users})"] if threat.users else []
    if names:
        more = f" and {len(names) - MOST_MEASURES} other measures" if len(names) > MOST_MEASURES else ""
        where.append("on " + (", ".join(names[:MOST_MEASURES]) + more if more else joined(names)))
    prefix = ", ".join(where)
    return ThreatLine(
        threat.severity,
        f"{prefix[0].upper()}{prefix[1:]}: {clause(threat)}." if prefix else sentence(threat),
    )
