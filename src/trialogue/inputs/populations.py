"""Fingerprint what systems were evaluated on: each population as a whole, and its single units."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from trialogue.findings.sample.collect import look_across
from trialogue.findings.sample.fields import FieldAudit
from trialogue.findings.sample.units import UnitAudit, source_of
from trialogue.metrics import Conversation, Reply
from trialogue.metrics.engine.conversations import fingerprint_of
from trialogue.records import (
    ClusterKind,
    Dialogue,
    Ending,
    MeasuredUnits,
    Population,
    PopulationKind,
    Response,
    Role,
    Situation,
    Utterance,
)
from trialogue.simulation.source import users_of_source

SHORT = 32  # hex digits: 128 bits, beyond any coincidence


def populations_of(
    dialogues: Iterable[Dialogue], situations: Sequence[Situation] = (), responses: Iterable[Response] = ()
) -> tuple[Population, ...]:
    """Populations by system and kind, in alphabetical order; baselines and systems without a name have none.

    The order of records does not matter. Of situations, all that were given count, whether they were answered or not: a
    system that abstains has met them.
    """
    groups: defaultdict[tuple[str, str], _Group] = defaultdict(_Group)
    for dialogue in dialogues:
        if dialogue.role is Role.SYSTEM and dialogue.system is not None:
            users = users_of_source(dialogue)
            groups[dialogue.system, users or ""].add(dialogue, is_simulated=bool(users))
    replies: defaultdict[str, list[Response]] = defaultdict(list)
    for response in responses:
        if response.role is Role.SYSTEM:
            replies[response.system].append(response)
    given = _fingerprint(map(_situation_text, situations)) if replies else ""
    found = [groups[system, users].population(system, users or None) for system, users in sorted(groups)]
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


@dataclass
class _Group:
    """Hashes of the dialogues of a system with one kind of users, 32 bytes each."""

    units: int = 0
    said: bytearray = field(default_factory=bytearray)
    """Of how each ended, and its text."""
    sample: bytearray = field(default_factory=bytearray)
    """Of whom the system met: of people, those who came to it; of simulated users, their needs."""
    lacks_needs: bool = False
    """Whether the needs of some simulated users are unknown."""

    def add(self, dialogue: Dialogue, *, is_simulated: bool) -> None:
        self.units += 1
        text = _text(dialogue.utterances)
        self.said += _digest(f"{dialogue.ended_by}\0{text}")
        if not is_simulated:
            self.sample += _digest(f"{dialogue.id}\0{dialogue.user}\0{text}")
        elif dialogue.need is None:
            self.lacks_needs = True
        else:
            self.sample += _digest(f"{dialogue.user}\0{dialogue.need.id}")

    def population(self, system: str, users: str | None) -> Population:
        return Population(
            system=system,
            kind_of=PopulationKind.PEOPLE if users is None else PopulationKind.SIMULATED,
            users=users,
            units=self.units,
            sample=None if self.lacks_needs else _hash_of_digests(self.sample),
            replies=_hash_of_digests(self.said),
        )


@dataclass
class _Audited:
    """The dialogues of a system with one kind of users."""

    audit: UnitAudit
    ids: list[str] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    numbers: list[int | None] = field(default_factory=list)
    """Of each dialogue, among those with people; None: with nobody, or nothing but its text is known."""

    def times(self, every: Sequence[float | None]) -> tuple[float | None, ...]:
        found = tuple(None if at is None else every[at] for at in self.numbers)
        return found if any(each is not None for each in found) else ()

    def addresses(self, every: Iterable[tuple[str, Sequence[int]]]) -> dict[str, tuple[str, ...]]:
        places = {at: name for name, at in zip(self.ids, self.numbers, strict=True) if at is not None}
        found = {address: tuple(places[at] for at in numbers if at in places) for address, numbers in every}
        return {address: own for address, own in found.items() if own}


def _number_of(conversation: Conversation, fields: FieldAudit) -> int | None:
    dialogue = conversation.dialogue
    if dialogue is None:
        return None
    first = dialogue.utterances[0].meta if dialogue.utterances else {}
    return fields.add(conversation.cluster, conversation.system, dialogue.meta, first)


def measured_units(
    online: Iterable[Conversation],
    offline: Sequence[Conversation],
    situations: Iterable[Situation],
    chances: Mapping[tuple[str, str], float] = MappingProxyType({}),
) -> Iterator[MeasuredUnits]:
    """Dialogues by system and kind of users, then answered situations by system; in alphabetical order.

    Args:
        online: dialogues with systems.
        offline: replies to situations.
        situations: the situations.
        chances: with which chance units, by system and id, were drawn to be rated.
    """
    dialogues: dict[tuple[str, str, ClusterKind], _Audited] = {}
    fields = FieldAudit()
    for each in online:
        users = None if each.dialogue is None else users_of_source(each.dialogue)
        key = (each.system, users or "", _cluster_kind(each))
        own = dialogues.setdefault(key, _Audited(UnitAudit(key[2], each.system)))
        own.ids.append(each.dialogue_id or "")
        own.clusters.append(each.cluster)
        own.numbers.append(_number_of(each, fields) if users is None else None)
        _look_at_dialogue(each, own.audit)
    times, addresses = fields.times(), list(fields.addresses())
    yield from look_across(
        [
            MeasuredUnits(
                system=system,
                kind_of=PopulationKind.SIMULATED if users else PopulationKind.PEOPLE,
                users=users or None,
                ids=tuple(own.ids),
                clustered_by=clustered_by,
                clusters=tuple(own.clusters),
                times=own.times(times),
                chances=tuple(chances.get((system, name)) for name in own.ids) if chances else (),
                addresses=own.addresses(addresses) if clustered_by is ClusterKind.PERSON else {},
                **own.audit.facts(are_people=not users),
            )
            for (system, users, clustered_by), own in sorted(dialogues.items(), key=lambda each: each[0])
        ]
    )
    contents = {each.id: _content(each) for each in situations} if offline else {}
    answered: dict[str, tuple[list[tuple[str, str]], UnitAudit]] = {}
    for each in offline:
        rows, audit = answered.setdefault(each.system, ([], UnitAudit(ClusterKind.SITUATION)))
        for reply in each.replies:
            rows.append((str(reply.situation_id), each.cluster))
            _look_at_reply(reply, each.cluster, audit)
    for system, (rows, audit) in sorted(answered.items(), key=lambda each: each[0]):
        yield MeasuredUnits(
            system=system,
            kind_of=PopulationKind.SITUATIONS,
            ids=tuple(name for name, _ in rows),
            clustered_by=ClusterKind.SITUATION,
            clusters=tuple(cluster for _, cluster in rows),
            contents=tuple(contents.get(name, name) for name, _ in rows),
            chances=tuple(chances.get((system, name)) for name, _ in rows) if chances else (),
            **audit.facts(),
        )


def _look_at_dialogue(conversation: Conversation, audit: UnitAudit) -> None:
    asked, said = conversation.user_texts, conversation.utterances
    replies = [each.text for each in said]
    dialogue = conversation.dialogue
    audit.add(
        conversation.dialogue_id or "",
        conversation.cluster,
        asked=asked,
        replies=replies,
        last=_last(conversation),
        source="" if dialogue is None else source_of(dialogue.source, dialogue.meta),
        names_items=bool(said and (said[-1].ranking or said[-1].mentions)),
        is_answered=dialogue is not None and dialogue.fault is None and bool(asked or replies),
    )


def _last(conversation: Conversation) -> Sequence[str]:
    """What the user said after the last reply, unless a record says that something else ended the dialogue."""
    ended_by = None if conversation.dialogue is None else conversation.dialogue.ended_by
    return conversation.unanswered if ended_by in (None, Ending.USER_ENDED) else ()


def _look_at_reply(reply: Reply, cluster: str, audit: UnitAudit) -> None:
    """Of a reply to a situation, the situation is what may be copied: with the words of the person who replied in it."""
    said = reply.utterance
    last = [each.text for each in reply.context[-1:]]
    audit.add(
        str(reply.situation_id),
        cluster,
        asked=last,
        content=[*last, *reply.reference_texts],
        references=reply.reference_texts,
        replies=[said.text],
        names_items=bool(said.ranking or said.mentions),
        is_answered=reply.failure is None,
    )


def _cluster_kind(conversation: Conversation) -> ClusterKind:
    return ClusterKind.DIALOGUE if conversation.dialogue is None else conversation.dialogue.cluster_kind


def _content(situation: Situation) -> str:
    """Fingerprint of all that a reply is judged by."""
    return fingerprint_of(_text(situation.context), _text(situation.references), *(situation.targets or ()))


def _situation_text(situation: Situation) -> str:
    return "\0".join([situation.id, _text(situation.context), _text(situation.references), *(situation.targets or ())])


def _text(utterances: Iterable[Utterance]) -> str:
    return "\1".join(
        [f"{each.speaker}\0{each.text}\0{'|'.join(ranked) if (ranked := each.ranking) else ''}" for each in utterances]
    )


def _fingerprint(parts: Iterable[str]) -> str:
    """A hash of parts in any order; each part counts as often as it occurs."""
    return _hash_of_digests(bytearray().join(map(_digest, parts)))


def _digest(part: str) -> bytes:
    return hashlib.sha256(part.encode("utf-8", "surrogatepass")).digest()


def _hash_of_digests(digests: bytearray) -> str:
    """A hash of the sorted digests, from as many as were added."""
    if not digests:
        return hashlib.sha256().hexdigest()[:SHORT]
    size = hashlib.sha256().digest_size
    rows = np.frombuffer(digests, dtype=f"V{size}")
    # Bytes are compared as big-endian numbers, four of them in turn; numpy would sort a type of bytes without its zeros.
    order = np.lexsort(rows.view(">u8").reshape(-1, size // 8).T[::-1])
    return hashlib.sha256(rows[order].tobytes()).hexdigest()[:SHORT]
