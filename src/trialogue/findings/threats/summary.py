"""Summarise threats: the same threat to several measures or systems becomes one line."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from trialogue.findings.threat import VALIDITY_BY_SEVERITY, Severity, Threat, Validity
from trialogue.findings.threats.texts import TEXTS, clause, sentence
from trialogue.findings.wording import list_names
from trialogue.records import MeasureName

MAX_MEASURES = 3  # named in one line
MAX_LINES_OF_A_KIND = 3  # 12 systems have 66 pairs; more lines than that become one, with two as examples
N_EXAMPLES = 2
MAX_REASONS = 3  # in one sentence; the list of threats has the others


def demoting_clauses(threats: Iterable[Threat]) -> str:
    """Clauses, to follow "but", on what demotes a verdict: at most ``MAX_REASONS``; "" if nothing does."""
    said = _demoting(threats)
    more = f"; and {len(said) - MAX_REASONS} more" if len(said) > MAX_REASONS else ""
    return "; ".join(text for text, _ in said[:MAX_REASONS]) + more


def stated_threats(threats: Iterable[Threat]) -> list[Threat]:
    """Threats whose clauses ``demoting_clauses`` writes, so that a list beside the sentence can omit them."""
    return [threat for _, group in _demoting(threats)[:MAX_REASONS] for threat in group]


def _demoting(threats: Iterable[Threat]) -> list[tuple[str, list[Threat]]]:
    """Clauses on threats that demote, in the order given."""
    return joint_clauses(each for each in threats if VALIDITY_BY_SEVERITY[each.severity] is Validity.CONDITIONAL)


def conditional_sentence(text: str, threats: Iterable[Threat]) -> str:
    """A verdict and its conditions in one sentence.

    Args:
        text: the verdict, one sentence.
        threats: those that concern it; those that do not demote are ignored.
    """
    reasons = demoting_clauses(threats)
    return f"Conditional: {text.rstrip('.')}, but {reasons}." if reasons else f"Conditional: {text}"


@dataclass(frozen=True)
class ThreatLine:
    """One line of the threat list."""

    severity: Severity
    text: str
    """Threat and its subject."""


def threat_lines(threats: Sequence[Threat], titles: Mapping[str, str]) -> list[ThreatLine]:
    """Threats without duplicates, in order; those that differ only in measure or system share a line.

    Of one kind at most ``MAX_LINES_OF_A_KIND`` lines are shown; more become one line that counts them and quotes the first
    two. The findings hold every threat.

    Args:
        threats: threats of a run.
        titles: what a measure is called, by the name of its column.
    """
    # Merge in three steps: threats that differ only in the measure, then those that differ only in the systems,
    # then many of one kind into one line with examples. Records are compared by their JSON, since they are not hashable.
    by_measure: dict[str, list[Threat]] = {}
    for threat in threats:
        by_measure.setdefault(threat.model_copy(update={"measure": None}).model_dump_json(), []).append(threat)
    groups: dict[str, tuple[Threat, list[str], list[str]]] = {}
    for group in by_measure.values():
        measures = [threat.measure for threat in group if threat.measure is not None]
        without_subject = group[0].model_copy(update={"measure": None, "systems": ()})
        # A threat to a pair names both systems in its clause, so pairs are never merged.
        key = group[0].model_dump_json() if group[0].is_of_pair else f"{without_subject.model_dump_json()} {measures}"
        _, systems, _ = groups.setdefault(key, (group[0], [], measures))
        systems += [system for system in group[0].systems if system not in systems]
    by_kind: dict[tuple[object, ...], list[tuple[Threat, list[str]]]] = {}
    for threat, systems, measures in groups.values():
        kind = (threat.code, threat.severity, threat.is_of_pair, threat.users, *measures)
        by_kind.setdefault(kind, []).append((threat.model_copy(update={"systems": tuple(systems)}), measures))
    lines: list[ThreatLine] = []
    for similar in by_kind.values():
        said = joint_clauses(threat for threat, _ in similar)
        measures = similar[0][1]
        if len(said) > MAX_LINES_OF_A_KIND:
            lines.append(_example_line([threats[0] for _, threats in said], measures, titles))
        else:
            lines += [_line(threats[0], measures, titles, text) for text, threats in said]
    return lines


def _example_line(threats: Sequence[Threat], measures: Sequence[str], titles: Mapping[str, str]) -> ThreatLine:
    """Many threats of one kind: how many there are, and the first two."""
    what = "pairs of systems" if threats[0].is_of_pair else "cases"
    quoted = "; ".join(clause(threat) for threat in threats[:N_EXAMPLES])
    text = f"{len(threats)} {what}, such as: {quoted}; and {len(threats) - N_EXAMPLES} more"
    return _line(threats[0], measures, titles, text, is_list=True)


def _line(
    threat: Threat, measures: Sequence[str], titles: Mapping[str, str], text: str, *, is_list: bool = False
) -> ThreatLine:
    names = list(dict.fromkeys(titles.get(name) or MeasureName(name).prose for name in measures))
    where = [f"with simulated users ({threat.users})"] if threat.users else []
    if names:
        others = len(names) - MAX_MEASURES
        many = ", ".join(names[:MAX_MEASURES]) + f" and {others} other measures"
        where.append("on " + (many if others > 1 else list_names(names, most=None)))
    prefix = ", ".join(where)
    return ThreatLine(
        threat.severity,
        f"{prefix[0].upper()}{prefix[1:]}: {text}." if prefix else f"{text}." if is_list else sentence(threat, text),
    )


def joint_clauses(threats: Iterable[Threat]) -> list[tuple[str, list[Threat]]]:
    """Clauses with the threats that each states, in order; pairs of systems that share one are named together."""
    kinds: dict[tuple[object, ...], list[Threat]] = {}
    for threat in threats:
        joins = threat.is_of_pair and TEXTS[threat.code].joins_pairs
        same = (threat.code, threat.severity, threat.users, json.dumps(threat.facts)) if joins else (clause(threat),)
        kinds.setdefault(same, []).append(threat)
    return [found for similar in kinds.values() for found in _join(similar)]


def _join(similar: Sequence[Threat]) -> Iterator[tuple[str, list[Threat]]]:
    """One clause if their pairs can be named together, else one for each."""
    joins = similar[0].is_of_pair and TEXTS[similar[0].code].joins_pairs
    pairs = list(dict.fromkeys(threat.systems for threat in similar)) if joins else []
    names = _names_of_pairs(pairs, has_sides=bool(similar[0].facts.get("others"))) if len(pairs) > 1 else None
    if names is not None:
        yield clause(similar[0].model_copy(update={"systems": names})), list(similar)
        return
    groups: dict[str, list[Threat]] = {}
    for threat in similar:
        groups.setdefault(clause(threat), []).append(threat)
    yield from groups.items()


def _names_of_pairs(pairs: Sequence[tuple[str, ...]], *, has_sides: bool) -> tuple[str, ...] | None:
    """The systems of several pairs in words; None where only a list of the pairs would say which they are.

    Args:
        pairs: pairs, each once.
        has_sides: whether something is said of the first of each pair, and something else of the second.
    """
    firsts, seconds = (list(dict.fromkeys(pair[side] for pair in pairs)) for side in (0, 1))
    if has_sides:
        is_whole = len(pairs) == len(firsts) * len(seconds)
        return (list_names(firsts), list_names(seconds)) if is_whole else None
    every = list(dict.fromkeys([*firsts, *seconds]))
    if len(pairs) == len(every) * (len(every) - 1) // 2:
        return (list_names(every),)
    for center in every:
        if all(center in pair for pair in pairs):
            return (f"{center} and any of {list_names([name for name in every if name != center])}",)
    return None
