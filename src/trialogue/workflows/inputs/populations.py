"""Fingerprint the populations that systems were evaluated on."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

from trialogue.records import Dialogue, Population, PopulationKind, Response, Role, Situation, Utterance
from trialogue.simulation.source import users_of_source

SHORT = 32  # hex digits: 128 bits, beyond any coincidence


def populations_of(
    dialogues: Iterable[Dialogue], situations: Sequence[Situation] = (), responses: Iterable[Response] = ()
) -> tuple[Population, ...]:
    """Populations by system and kind, in alphabetical order; baselines and systems without a name have none.

    The order of records does not matter. Of situations, all that were given count, whether they were answered or not: a
    system that abstains has met them.
    """
    groups: defaultdict[tuple[str, str], list[Dialogue]] = defaultdict(list)
    for dialogue in dialogues:
        if dialogue.role is Role.SYSTEM and dialogue.system is not None:
            groups[dialogue.system, users_of_source(dialogue) or ""].append(dialogue)
    replies: defaultdict[str, list[Response]] = defaultdict(list)
    for response in responses:
        if response.role is Role.SYSTEM:
            replies[response.system].append(response)
    given = _fingerprint(map(_situation_text, situations)) if replies else ""
    found = [_of_dialogues(system, users or None, group) for (system, users), group in sorted(groups.items())]
    for system, own in sorted(replies.items()):
        found.append(
            Population(
                system=system,
                kind_of=PopulationKind.SITUATIONS,
                units=len({situation.id for situation in situations}) or len(own),
                sample=given if situations else None,
                replies=_fingerprint(f"{each.situation_id}\0{each.failure}\0{_text([each.utterance])}" for each in own),
            )
        )
    return tuple(found)


def _of_dialogues(system: str, users: str | None, group: Sequence[Dialogue]) -> Population:
    said = _fingerprint(f"{each.ended_by}\0{_text(each.utterances)}" for each in group)
    if users is None:
        people = _fingerprint(f"{each.id}\0{each.user}\0{_text(each.utterances)}" for each in group)
        return Population(system=system, kind_of=PopulationKind.PEOPLE, units=len(group), sample=people, replies=said)
    met = [f"{each.user}\0{each.need.id}" for each in group if each.need is not None]
    return Population(
        system=system,
        kind_of=PopulationKind.SIMULATED,
        users=users,
        units=len(group),
        sample=_fingerprint(met) if len(met) == len(group) else None,
        replies=said,
    )


def _situation_text(situation: Situation) -> str:
    reference = "" if situation.reference is None else _text([situation.reference])
    return "\0".join([situation.id, _text(situation.context), reference, *(situation.targets or ())])


def _text(utterances: Iterable[Utterance]) -> str:
    return "\1".join(f"{each.speaker}\0{each.text}\0{'|'.join(each.ranking or ())}" for each in utterances)


def _fingerprint(parts: Iterable[str]) -> str:
    """A hash of parts in any order; each part counts as often as it occurs."""
    digests = sorted(hashlib.sha256(part.encode("utf-8", "surrogatepass")).digest() for part in parts)
    return hashlib.sha256(b"".join(digests)).hexdigest()[:SHORT]
