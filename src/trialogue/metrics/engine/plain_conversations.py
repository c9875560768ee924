"""Conversations of plain dialogues: metrics of texts need no records, and others get them on request."""

from itertools import takewhile

from trialogue.metrics.base import Conversation, Reply, replies_of
from trialogue.records import ClusterKind, Dialogue, Ending, Role
from trialogue.records.files.plain import PlainDialogue


class PlainConversation(Conversation):
    """Conversation of a dialogue that was read without records; they are made when a metric asks for them."""

    __slots__ = ("_made", "_said", "_system", "_texts", "_user_texts")

    _said: PlainDialogue
    _system: str
    _texts: list[str]
    _user_texts: list[str]
    _made: tuple[Dialogue, tuple[Reply, ...]] | None

    def __init__(self, said: PlainDialogue, system: str) -> None:
        """Wrap a dialogue as a conversation of a system."""
        texts, user_texts = said.texts()
        put = object.__setattr__  # frozen, as other conversations are
        put(self, "_said", said)
        put(self, "_system", system)
        put(self, "_texts", texts)
        put(self, "_user_texts", user_texts)
        put(self, "_made", None)

    @property
    def system(self) -> str:
        """The system."""
        return self._system

    @property
    def cluster(self) -> str:
        """What is drawn as one when estimating."""
        user = self._said.user
        return f"user:{user}" if user else f"dialogue:{self._system}/{self._said.id}"

    @property
    def cluster_kind(self) -> ClusterKind:
        """What the cluster is."""
        return ClusterKind.PERSON if self._said.user else ClusterKind.DIALOGUE

    @property
    def dialogue_id(self) -> str:
        """Id of the dialogue."""
        return self._said.id

    @property
    def role(self) -> Role:
        """Whether the system is evaluated, or a baseline."""
        return self._said.role

    @property
    def ended_by(self) -> Ending | None:
        """How it ended; None: not recorded."""
        return self._said.ended_by

    @property
    def texts(self) -> list[str]:
        """Texts of the replies."""
        return self._texts

    @property
    def user_texts(self) -> list[str]:
        """What the user says in the dialogue."""
        return self._user_texts

    @property
    def unanswered(self) -> list[str]:
        """What the user said last, without a reply; the latest first."""
        return [each.text for each in takewhile(lambda each: each.speaker == "user", reversed(self._said.utterances))]

    @property
    def is_plain(self) -> bool:
        """Always."""
        return True

    @property
    def dialogue(self) -> Dialogue:
        """The dialogue as a record."""
        return self._records[0]

    @property
    def replies(self) -> tuple[Reply, ...]:
        """Its replies, in order."""
        return self._records[1]

    @property
    def _records(self) -> tuple[Dialogue, tuple[Reply, ...]]:
        made = self._made
        if made is None:
            dialogue = self._said.record()
            made = dialogue, replies_of(dialogue, self.system)
            object.__setattr__(self, "_made", made)
        return made
