"""Build the conversations that metrics score from dialogues, or from situations and responses."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar

from trialogue.errors import DataError, Problem
from trialogue.metrics.base import Conversation, Reply, replies_of
from trialogue.records import ClusterKind, Dialogue, Response, Role, Score, Situation, Utterance
from trialogue.records.completion import UNNAMED
from trialogue.records.files.dialogue_store import StoredDialogues, as_stored
from trialogue.records.spoken import is_blank

T = TypeVar("T")

NOT_OF_A_NEED = {"source", "catalogue_size", "fits", "is_resolved"}  # where it is from, and what the agent named
FINGERPRINT = 16  # hex digits: 64 bits tell apart the units of two runs
SHOWN = 3  # responses to unknown situations that are named


def conversations_of(dialogues: Iterable[Dialogue], *, system: str | None = None) -> Iterator[Conversation]:
    """Wrap each dialogue as a conversation of its system; ``system`` is the default name."""
    for dialogue in dialogues:
        name = dialogue.system or system or UNNAMED
        cluster = cluster_of(dialogue, name)
        yield Conversation(name, cluster, replies_of(dialogue, name), dialogue, dialogue.id, dialogue.role)


def cluster_of(dialogue: Dialogue, system: str) -> str:
    """The cluster of a dialogue among those of all systems: equal names are the same need, person or task.

    A need counts by its content. Two systems' dialogues that share an id and nothing else
    are not the same: ids are often counted from 1 in each file.

    >>> said = Dialogue(id="1", utterances=(), user="ann")
    >>> cluster_of(said, "v1"), cluster_of(said.model_copy(update={"user": None}), "v1")
    ('user:ann', 'dialogue:v1/1')
    """
    match dialogue.cluster_kind:
        case ClusterKind.NEED:
            assert dialogue.need is not None
            content = dialogue.need.model_dump_json(exclude=NOT_OF_A_NEED)
            return f"{dialogue.cluster}/{fingerprint_of(content)}"
        case ClusterKind.DIALOGUE:
            return f"dialogue:{system}/{dialogue.id}"
        case _:
            return dialogue.cluster


def fingerprint_of(*texts: str) -> str:
    """Short hash of texts, equal for equal ones."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:FINGERPRINT]


class ConversationStream(Collection[Conversation]):
    """Conversations of dialogues: made anew for each pass, and not kept."""

    def __init__(self, dialogues: StoredDialogues, roles: Collection[Role]) -> None:
        """Take the dialogues of systems in some roles."""
        self._dialogues, self._roles = dialogues, frozenset(roles)

    def __iter__(self) -> Iterator[Conversation]:
        return conversations_of(self.dialogues())

    def __len__(self) -> int:
        return sum(count for (_, role), count in self._dialogues.roles.items() if role in self._roles)

    def __contains__(self, one: object) -> bool:
        return any(each == one for each in self)

    @property
    def systems(self) -> set[str]:
        """Names of the systems."""
        return {system or UNNAMED for (system, role) in self._dialogues.roles if role in self._roles}

    def dialogues(self) -> Iterator[Dialogue]:
        """The dialogues alone."""
        return self._dialogues.of_roles(*self._roles)


def dialogues_in(conversations: Iterable[Conversation]) -> Iterator[Dialogue]:
    """Dialogues of conversations that have one."""
    if isinstance(conversations, ConversationStream):
        return conversations.dialogues()
    return (each.dialogue for each in conversations if each.dialogue is not None)


def evaluated_conversations(dialogues: Sequence[Dialogue]) -> ConversationStream:
    """Conversations of evaluated systems; those of baselines only if there is nothing else."""
    dialogues = as_stored(dialogues)
    return conversations_by_role(dialogues, Role.SYSTEM) or conversations_by_role(dialogues, *Role)


def conversations_by_role(dialogues: Sequence[Dialogue], *roles: Role) -> ConversationStream:
    """Conversations of systems in some roles."""
    return ConversationStream(as_stored(dialogues), roles)


class Joined(Collection[T]):
    """Collections one after the other, without a copy."""

    def __init__(self, *parts: Collection[T]) -> None:
        self.parts = parts
        """The collections."""

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self.parts)

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __contains__(self, one: object) -> bool:
        return any(one in part for part in self.parts)


def offline_conversations(situations: Iterable[Situation], responses: Iterable[Response]) -> list[Conversation]:
    """Group responses to situations by system and dialogue, in the order of the situations.

    Raises:
        DataError: two situations of one id, responses to unknown situations (counted, the first ones named), or two of one
            system to the same one; all of them at once.
    """
    problems: list[Problem] = []
    unknown: list[Response] = []
    known = _index_by_id(situations, problems)
    grouped: defaultdict[tuple[str, str], dict[str, Response]] = defaultdict(dict)
    for response in responses:
        situation = known.get(response.situation_id)
        if situation is None:
            unknown.append(response)
            continue
        group = grouped[response.system, situation.cluster]
        if situation.id in group:
            what = f"{response.system} answers situation {situation.id!r} twice; keep one of the two."
            problems.append(Problem(what, kind=f"{response.system} answers twice"))
        group[situation.id] = response
    if unknown:
        problems.append(_unknown(unknown, len(known)))
    if problems:
        raise DataError(problems)
    order = {identifier: place for place, identifier in enumerate(known)}
    conversations = []
    for (system, cluster), group in grouped.items():
        ordered = sorted(group.values(), key=lambda response: order[response.situation_id])
        replies = tuple(_make_reply(known[response.situation_id], response) for response in ordered)
        conversations.append(
            Conversation(
                system,
                cluster,
                replies,
                dialogue_id=known[ordered[0].situation_id].dialogue_id,
                role=ordered[0].role,
            )
        )
    return conversations


def answered_conversations(answers: Iterable[Score]) -> list[Conversation]:
    """What people's answers are about, where there is nothing else: dialogues and replies without texts.

    Args:
        answers: scores with a rater, a system, and a dialogue or situation; others are left out.
    """
    grouped: dict[tuple[str, str], dict[tuple[str | None, str | None, int | None], Score]] = {}
    for score in answers:
        place = score.situation_id if score.level == "response" else score.dialogue_id
        if score.system is not None and place is not None and score.level in ("dialogue", "response", "utterance"):
            own = score.dialogue_id or score.situation_id
            kind = "situation" if score.dialogue_id is None else "dialogue"
            cluster = f"{kind}:{own}" if score.level == "response" else f"dialogue:{score.system}/{own}"
            unit = (score.situation_id, score.dialogue_id, score.utterance if score.level == "utterance" else None)
            grouped.setdefault((score.system, cluster), {})[unit] = score
    return [
        _conversation_of_answers(system, cluster, tuple(units.values()))
        for (system, cluster), units in sorted(grouped.items())
    ]


def _conversation_of_answers(system: str, cluster: str, units: Sequence[Score]) -> Conversation:
    said = Utterance(speaker="system", text="")
    replies = tuple(
        Reply(system, said, index=each.utterance, dialogue_id=each.dialogue_id, situation_id=each.situation_id)
        for each in units
        if each.level != "dialogue"
    )
    first = units[0]
    if first.level == "response":
        return Conversation(system, cluster, replies, dialogue_id=first.dialogue_id)
    dialogue = Dialogue(id=str(first.dialogue_id), system=system, utterances=())
    return Conversation(system, cluster, replies, dialogue, first.dialogue_id)


def _index_by_id(situations: Iterable[Situation], problems: list[Problem]) -> dict[str, Situation]:
    known: dict[str, Situation] = {}
    for situation in situations:
        if known.setdefault(situation.id, situation) != situation:
            what = f"Two different situations have the id {situation.id!r}; give each its own id."
            problems.append(Problem(what))
    return known


def _unknown(responses: Sequence[Response], known: int) -> Problem:
    """Responses to situations that were not given, as one problem: a forgotten file would else fill the screen."""
    many = f"{len(responses)} response{'s' if len(responses) > 1 else ''}"
    if not known:
        what = f"no situations were given for {many}, the first of which answers {responses[0].situation_id!r}."
        return Problem(what, hint="Give the file of situations too.")
    examples = ", ".join(f"{each.system} answers {each.situation_id!r}" for each in responses[:SHOWN])
    more = f" and {len(responses) - SHOWN} more" if len(responses) > SHOWN else ""
    what = f"{many} answer none of the {known} given situations: {examples}{more}."
    return Problem(what, hint="Give the file of situations too, or correct situation_id.")


def _make_reply(situation: Situation, response: Response) -> Reply:
    return Reply(
        response.system,
        response.utterance,
        context=situation.context,
        reference=situation.reference,
        references=tuple(each.text for each in situation.references if not is_blank(each.text)),
        targets=situation.targets,
        turn=situation.turn if situation.turn is not None else _turns_before(situation),
        situation_id=situation.id,
        failure=response.failure,
        role=response.role,
    )


def _turns_before(situation: Situation) -> int:
    speakers = [utterance.speaker for utterance in situation.context]
    return sum(now == "system" and before != "system" for before, now in zip([None, *speakers], speakers, strict=False))
