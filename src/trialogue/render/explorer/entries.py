"""Rows of the explorer: dialogues, and replies to situations with their history."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from trialogue.records import Dialogue, Preference, Response, Score, ScoreBlock, Situation, Utterance
from trialogue.records.kinds.suspicions import Gate

FaultsOfUsers = Mapping[tuple[str, str], Sequence[Gate]]
"""User faults by (system, dialogue); dialogues without faults have no entry."""


@dataclass(frozen=True)
class Part:
    """Records that were measured together: all of an evaluation, or those of one kind of users of an experiment."""

    scores: Iterable[Score | ScoreBlock]
    """Every score about them."""
    name: str = ""
    """Name of the part: ``"people"``, or a kind of simulated users; "" if there is only one part."""
    users: str | None = None
    """The kind of simulated users that columns of the report name; None: they name none."""
    dialogues: Sequence[Dialogue] = ()
    """Dialogues."""
    situations: Sequence[Situation] = ()
    """Situations."""
    responses: Sequence[Response] = ()
    """Replies to them."""
    preferences: Sequence[Preference] = ()
    """Votes."""
    faults: FaultsOfUsers = field(default_factory=dict)
    """Faults of users."""

    @property
    def size(self) -> int:
        """Number of rows; replies to unrecorded situations have none."""
        known = {situation.id for situation in self.situations}
        return len(self.dialogues) + sum(response.situation_id in known for response in self.responses)


@dataclass(frozen=True)
class Entry:
    """One row: a dialogue, or one system's reply to a situation."""

    dialogue: Dialogue
    """The dialogue; for a reply, its situation and the reply as one dialogue, under the situation's id."""
    shared: str | None
    """Need or situation shared with other systems; None: none recorded."""
    is_reply: bool = False
    """Whether the last utterance alone is the system's, in a situation that others met as well."""
    reference: Utterance | None = None
    """The human recommender's reply."""

    @property
    def system(self) -> str:
        """System."""
        return self.dialogue.system or ""


def entries_of(part: Part) -> Iterator[Entry]:
    """The rows of a part: dialogues, then replies, in the order of the records."""
    for dialogue in part.dialogues:
        yield Entry(dialogue, None if dialogue.need is None else f"need {dialogue.need.id}")
    situations = {situation.id: situation for situation in part.situations}
    for response in part.responses:
        situation = situations.get(response.situation_id)
        if situation is not None:
            yield _reply_entry(situation, response)


def _reply_entry(situation: Situation, response: Response) -> Entry:
    dialogue = Dialogue(
        id=situation.id,
        utterances=(*situation.context, response.utterance),
        system=response.system,
        role=response.role,
        source=situation.source,
        ended_by=response.failure,
        meta=response.meta,
    )
    return Entry(dialogue, f"situation {situation.id}", is_reply=True, reference=situation.reference)
