"""Fingerprint what systems were evaluated on: each population as a whole, and its single units."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

import numpy as np

from trialogue.findings.sample.collect import look_across
from trialogue.findings.sample.units import UnitAudit, source_of
from trialogue.metrics import Conversation, Reply
from trialogue.metrics.engine.conversations import fingerprint_of
from trialogue.metrics.engine.plain_conversations import PlainConversation
from trialogue.records import (
    ClusterKind,
    Dialogue,
    MeasuredUnits,
    Population,
    PopulationKind,
    Response,
    Role,
    Situation,
    Utterance,
)
from trialogue.simulation.source import users_of_source

TIMES = (
    "started_at",
    "start_time",
    "created_at",
    "timestamp",
    "time",
    "date",
    "datetime",
    "started",
    "when",
    "finished_at",
    "ended_at",
    "completed_at",
    "submitted_at",
    "rated_at",
    "position",
    "order",
    "session",
    "round",
    "visit",
)
"""Fields that say when a dialogue began, or the how-manieth of a person's it is."""
_DAYS = ("%Y/%m/%d", "%d.%m.%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%a, %d %b %Y")
FORMS = ("", *(f"{day}{hour}" for day in _DAYS for hour in ("", " %H:%M", " %H:%M:%S", " %H:%M:%S %z")))
"""Times that people and programs write; "": ISO 8601."""
SAME_DIGITS = dict.fromkeys(map(ord, "0123456789"), "1")
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


def measured_units(
    online: Iterable[Conversation], offline: Sequence[Conversation], situations: Iterable[Situation]
) -> Iterator[MeasuredUnits]:
    """Dialogues by system and kind of users, then answered situations by system; in alphabetical order.

    Args:
        online: dialogues with systems.
        offline: replies to situations.
        situations: the situations.
    """
    dialogues: dict[tuple[str, str, ClusterKind], tuple[list[str], list[str], UnitAudit]] = {}
    for each in online:
        users = None if each.is_plain or each.dialogue is None else users_of_source(each.dialogue)
        key = (each.system, users or "", _cluster_kind(each))
        ids, clusters, audit = dialogues.setdefault(key, ([], [], UnitAudit(key[2])))
        ids.append(each.dialogue_id or "")
        clusters.append(each.cluster)
        _look_at_dialogue(each, audit)
    yield from look_across(
        [
            MeasuredUnits(
                system=system,
                kind_of=PopulationKind.SIMULATED if users else PopulationKind.PEOPLE,
                users=users or None,
                ids=tuple(ids),
                clustered_by=clustered_by,
                clusters=tuple(clusters),
                **audit.facts(are_people=not users),
            )
            for (system, users, clustered_by), (ids, clusters, audit) in sorted(
                dialogues.items(), key=lambda each: each[0]
            )
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
            **audit.facts(),
        )


def _look_at_dialogue(conversation: Conversation, audit: UnitAudit) -> None:
    name, cluster, asked, replies = (
        conversation.dialogue_id or "",
        conversation.cluster,
        conversation.user_texts,
        conversation.texts,
    )
    if isinstance(conversation, PlainConversation):
        is_answered = bool(asked or replies) and (conversation.ended_by is None or not conversation.ended_by.is_failure)
        audit.add(name, cluster, asked=asked, replies=replies, is_answered=is_answered)
        return
    dialogue = conversation.dialogue
    last = conversation.replies[-1].utterance if conversation.replies else None
    audit.add(
        name,
        cluster,
        asked=asked,
        replies=replies,
        source="" if dialogue is None else source_of(dialogue.source, dialogue.meta),
        time=None if dialogue is None else began_at(dialogue),
        names_items=last is not None and bool(last.ranking or last.mentions),
        is_answered=dialogue is not None and dialogue.fault is None and bool(asked or replies),
    )


def began_at(dialogue: Dialogue) -> float | None:
    """When a dialogue with a person began, as its file says; None: unknown, or with a simulated user."""
    if users_of_source(dialogue):
        return None
    first = dialogue.utterances[0].meta if dialogue.utterances else {}
    given = next((meta[name] for meta in (dialogue.meta, first) for name in TIMES if meta.get(name) is not None), None)
    return seconds_of(given)


def seconds_of(value: object) -> float | None:
    """A number, or a time (ISO 8601), as a number to sort by; None if it is neither.

    Of numbers alone, the order of day and month is not known: "3/4/2024" is no time.

    >>> seconds_of(5), seconds_of("1970-01-01T00:01:00Z"), seconds_of("soon"), seconds_of(None)
    (5.0, 60.0, None, None)
    >>> seconds_of("1714730000"), seconds_of("1 Jan 1970 00:02"), seconds_of("3/4/2024")
    (1714730000.0, 120.0, None)
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if math.isfinite(value) else None
    if not isinstance(value, str):
        return None
    if value.strip().isdecimal():
        return float(value)
    form = _form_of(value.strip().translate(SAME_DIGITS))  # one look for a whole file
    found = None if form is None else _moment(value.strip(), form)
    if found is None:
        return None
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()


@lru_cache(maxsize=256)
def _form_of(text: str) -> str | None:
    """The form of a time; None: it is none."""
    return next((form for form in FORMS if _moment(text, form) is not None), None)


def _moment(text: str, form: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if not form else datetime.strptime(text, form)
    except ValueError:
        return None


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
    if isinstance(conversation, PlainConversation):
        return conversation.cluster_kind
    return ClusterKind.DIALOGUE if conversation.dialogue is None else conversation.dialogue.cluster_kind


def _content(situation: Situation) -> str:
    """Fingerprint of all that a reply is judged by."""
    return fingerprint_of(_text(situation.context), _text(situation.references), *(situation.targets or ()))


def _situation_text(situation: Situation) -> str:
    return "\0".join([situation.id, _text(situation.context), _text(situation.references), *(situation.targets or ())])


def _text(utterances: Iterable[Utterance]) -> str:
    return "\1".join(f"{each.speaker}\0{each.text}\0{'|'.join(each.ranking or ())}" for each in utterances)


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
