"""The units of each system as a run stores them, so that another run can tell which of its own are the same."""

from collections.abc import Iterable, Iterator, Sequence

from trialogue.metrics import Conversation
from trialogue.metrics.engine.conversations import fingerprint_of
from trialogue.metrics.engine.plain_conversations import PlainConversation
from trialogue.records import ClusterKind, MeasuredUnits, PopulationKind, Situation, Utterance
from trialogue.simulation.source import users_of_source


def measured_units(
    online: Iterable[Conversation], offline: Sequence[Conversation], situations: Iterable[Situation]
) -> Iterator[MeasuredUnits]:
    """Dialogues by system and kind of users, then answered situations by system; in alphabetical order.

    Args:
        online: dialogues with systems.
        offline: replies to situations.
        situations: the situations.
    """
    dialogues: dict[tuple[str, str, ClusterKind], tuple[list[str], list[str]]] = {}
    for each in online:
        users = None if each.is_plain or each.dialogue is None else users_of_source(each.dialogue)
        ids, clusters = dialogues.setdefault((each.system, users or "", _clustered_by(each)), ([], []))
        ids.append(each.dialogue_id or "")
        clusters.append(each.cluster)
    for (system, users, clustered_by), (ids, clusters) in sorted(dialogues.items()):
        yield MeasuredUnits(
            system=system,
            kind_of=PopulationKind.SIMULATED if users else PopulationKind.PEOPLE,
            users=users or None,
            ids=tuple(ids),
            clustered_by=clustered_by,
            clusters=tuple(clusters),
        )
    contents = {each.id: _content(each) for each in situations} if offline else {}
    answered: dict[str, list[tuple[str, str]]] = {}
    for each in offline:
        answered.setdefault(each.system, []).extend((str(reply.situation_id), each.cluster) for reply in each.replies)
    for system, rows in sorted(answered.items()):
        yield MeasuredUnits(
            system=system,
            kind_of=PopulationKind.SITUATIONS,
            ids=tuple(name for name, _ in rows),
            clustered_by=ClusterKind.SITUATION,
            clusters=tuple(cluster for _, cluster in rows),
            contents=tuple(contents[name] for name, _ in rows),
        )


def _clustered_by(conversation: Conversation) -> ClusterKind:
    if isinstance(conversation, PlainConversation):
        return conversation.cluster_kind
    return ClusterKind.DIALOGUE if conversation.dialogue is None else conversation.dialogue.cluster_kind


def _content(situation: Situation) -> str:
    """Fingerprint of all that a reply is judged by."""
    return fingerprint_of(_text(situation.context), _text(situation.references), *(situation.targets or ()))


def _text(utterances: Iterable[Utterance]) -> str:
    return "\1".join(f"{each.speaker}\0{each.text}\0{'|'.join(each.ranking or ())}" for each in utterances)
