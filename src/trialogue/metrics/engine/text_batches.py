"""Batches of dialogues for metrics of texts, without conversations and replies unless a metric asks for them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from trialogue.metrics.base import AnyMetric, Conversation
from trialogue.metrics.batch import Batch, BatchCountMetric, BatchSumMetric
from trialogue.metrics.engine.conversations import cluster_of, conversations_of
from trialogue.metrics.fit_uncertainty import sources_of
from trialogue.metrics.text.word_hashes import Vocabulary
from trialogue.records import Dialogue, Role
from trialogue.records.completion import UNNAMED
from trialogue.records.files.plain import PlainDialogue


def read_only_texts(metrics: Iterable[AnyMetric]) -> bool:
    """Whether measures are functions of the texts of replies alone, and take many at once."""
    return all(
        metric.card.level == "response"
        and not metric.card.needs
        and isinstance(metric, BatchSumMetric | BatchCountMetric)
        and sources_of(metric) is None
        for metric in metrics
    )


class TextBatch(Batch):
    """Dialogues of one system as texts."""

    def __init__(self, system: str, dialogues: Sequence[Dialogue | PlainDialogue], vocabulary: Vocabulary) -> None:
        super().__init__((), vocabulary)
        self.system = system
        """The system."""
        self.dialogues_read = dialogues
        """Its dialogues, as they were read."""

    @property
    def roles(self) -> set[Role]:
        """Whether the system is evaluated, or a baseline."""
        return {dialogue.role for dialogue in self.dialogues_read}

    @cached_property
    def clusters(self) -> list[str]:
        """The cluster of each dialogue."""
        return [
            cluster_of(each, self.system)
            if isinstance(each, Dialogue)
            else f"user:{each.user}"
            if each.user
            else f"dialogue:{self.system}/{each.id}"
            for each in self.dialogues_read
        ]

    @cached_property
    def user_texts(self) -> list[str]:
        """What users say, in order."""
        return [said.text for each in self.dialogues_read for said in each.utterances if said.speaker == "user"]

    @property
    def situations(self) -> Sequence[str]:
        """None."""
        return ()

    @property
    def is_of_dialogues(self) -> bool:
        """Whether all replies are utterances of dialogues."""
        return True

    @property
    def failed(self) -> list[int]:
        """None: dialogues fail, not their replies."""
        return []

    @cached_property
    def conversations(self) -> Sequence[Conversation]:
        """Conversations with records."""
        records = (each if isinstance(each, Dialogue) else each.record() for each in self.dialogues_read)
        return list(conversations_of(records, system=self.system))

    @cached_property
    def _texts_by_conversation(self) -> list[list[str]]:
        return [[said.text for said in each.utterances if said.speaker == "system"] for each in self.dialogues_read]


def text_batches(dialogues: Iterable[Dialogue | PlainDialogue], vocabulary: Vocabulary) -> Iterator[TextBatch]:
    """A batch of each system, in order of first occurrence."""
    groups: defaultdict[str, list[Dialogue | PlainDialogue]] = defaultdict(list)
    for dialogue in dialogues:
        groups[dialogue.system or UNNAMED].append(dialogue)
    for system, group in groups.items():
        yield TextBatch(system, group, vocabulary)
