"""Bring records from outside into the one form in which everything measures them.

What a system thinks is taken out of what it says (``Utterance.thought``), and texts are in Unicode's composed form, so that
the same sentence is the same however it was typed. Names of systems that only differ in what nobody sees are one name.
Applied to every record of every entrance; a record that needs nothing is returned as it is.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from trialogue.datasets.base import AnyRecord
from trialogue.datasets.door.feedback import kind_of_name
from trialogue.errors import Problem
from trialogue.long_work import PerObject
from trialogue.records import Dialogue, Preference, Raters, Rating, Response, Score, Situation, Utterance
from trialogue.records.files.jsonl import Note
from trialogue.records.files.plain import PlainDialogue
from trialogue.records.spoken import in_one_form, may_hold_thought, settle_utterance, split_channels

THOUGHT = "messages held a model's reasoning (such as <think>), which is kept apart and not measured"
ONLY_THOUGHT = "replies hold reasoning and nothing that is said; they are blank"
COMPOSED = "texts were brought into Unicode's composed form (NFC)"
NAMED = {Dialogue: ("system",), Response: ("system",), Score: ("system", "versus"), Preference: ("a", "b")}
"""Fields that name a system, by kind of record."""
JOINERS = "\u200c\u200d"
_UNSEEN_JOINER = re.compile(rf"(?<![^\x00-\x7f\s{JOINERS}])[{JOINERS}]+|[{JOINERS}]+(?![^\x00-\x7f\s{JOINERS}])")
"""Joiners but those within words of Persian or Hindi, and within emoji, which change what is seen."""


@lru_cache(maxsize=1024)
def plain_name(name: str) -> str:
    """A system's name in Unicode's composed form, without invisible characters, and without spaces but single ones inside.

    Names for which this is the same are one system's. A name of which nothing is left stays as it is. Case, and letters that
    have several shapes, stay: they are seen.

    >>> [plain_name(each) for each in ("m ", "m\u200b", "\ufeffm", "GPT\u00a04  mini", "M", "\u200b")]
    ['m', 'm', 'm', 'GPT 4 mini', 'M', '\u200b']
    """
    composed = unicodedata.normalize("NFC", name)
    shown = (
        each for each in composed if each.isspace() or each in JOINERS or unicodedata.category(each) not in ("Cf", "Cc")
    )
    return " ".join(_UNSEEN_JOINER.sub("", "".join(shown)).split()) or name


def note_of_name(name: str) -> str:
    """What became of a system's name, in a note."""
    return f"have the system {name!a}, which is read as {plain_name(name)!r}: they differ in nothing that is seen"


@dataclass
class Admission:
    """Admits the records of one input, and counts what it changed."""

    file: str
    counts: Counter[str] = field(default_factory=Counter)
    _settled: PerObject[Utterance, Utterance] = field(default_factory=lambda: PerObject(settle_utterance))

    def all(self, records: Iterable[AnyRecord], note: Note) -> Iterator[AnyRecord]:
        """Admit records one by one; at the end, ``note`` gets what was changed, with counts."""
        for record in records:
            yield self.record(record)
        self.settle(note)

    def settle(self, note: Note) -> None:
        """Report what was changed."""
        for what, times in (+self.counts).items():
            note(Problem(f"{times:,} {what}.", self.file))

    def name(self, given: str) -> str:
        """A system's name in one form."""
        plain = plain_name(given)
        if plain != given:
            self.counts[f"records {note_of_name(given)}"] += 1
        return plain

    def record(self, record: AnyRecord) -> AnyRecord:
        """A record with its texts in one form, and the names of systems."""
        names = {each: given for each in NAMED.get(type(record), ()) if isinstance(given := getattr(record, each), str)}
        changed = {each: self.name(given) for each, given in names.items() if plain_name(given) != given}
        return self._texts(record.model_copy(update=changed) if changed else record)

    def _texts(self, record: AnyRecord) -> AnyRecord:
        if isinstance(record, Score):
            kind = _kind_of_rater(record.rater, record.raters)
            return record if kind is record.raters else record.model_copy(update={"raters": kind})
        if isinstance(record, Dialogue):
            texts = "\n".join([said.text for said in record.utterances])
            as_it_is = in_one_form(texts) is texts and not may_hold_thought(texts)
            if as_it_is and not record.ratings and not any(said.ratings for said in record.utterances):
                return record
            admitted = self._with(record, "utterances", tuple(map(self.utterance, record.utterances)))
            return self._with(admitted, "ratings", tuple(map(_with_kind, record.ratings)))
        if isinstance(record, Response):
            return self._with(record, "utterance", self.utterance(record.utterance))
        if isinstance(record, Situation):
            changed = self._with(record, "context", tuple(map(self.utterance, record.context)))
            further = tuple(map(self.utterance, record.further_references))
            changed = self._with(changed, "further_references", further)
            reference = record.reference
            return changed if reference is None else self._with(changed, "reference", self.utterance(reference))
        return record

    @staticmethod
    def _with(record: AnyRecord, name: str, value: object) -> AnyRecord:
        before = getattr(record, name)
        same = (
            all(old is new for old, new in zip(before, value, strict=True))
            if isinstance(value, tuple)
            else before is value
        )
        return record if same else record.model_copy(update={name: value})

    def plain(self, dialogues: Sequence[PlainDialogue]) -> Sequence[AnyRecord | PlainDialogue]:
        """Dialogues of plain texts; the usual records of those in which something is to be changed."""
        for dialogue in dialogues:
            if dialogue.system is not None and plain_name(dialogue.system) != dialogue.system:
                dialogue.system = self.name(dialogue.system)
        whole = "\n".join([said.text for dialogue in dialogues for said in dialogue.utterances])
        if whole.isascii() and not may_hold_thought(whole):
            return dialogues
        return [self.record(each.record()) if _is_to_change(each) else each for each in dialogues]

    def utterance(self, utterance: Utterance) -> Utterance:
        """An utterance with its text in one form, and its thought apart."""
        text = utterance.text
        as_it_is = text.isascii() and not may_hold_thought(text)
        admitted = utterance if as_it_is else self._settled(utterance)
        if admitted is not utterance:
            has_thought = len(admitted.text) < len(in_one_form(utterance.text))
            self.counts[THOUGHT] += has_thought
            self.counts[ONLY_THOUGHT] += has_thought and not admitted.text
            self.counts[COMPOSED] += not has_thought
        if not admitted.ratings:
            return admitted
        ratings = tuple(map(_with_kind, admitted.ratings))
        same = all(old is new for old, new in zip(admitted.ratings, ratings, strict=True))
        return admitted if same else admitted.model_copy(update={"ratings": ratings})


def _is_to_change(dialogue: PlainDialogue) -> bool:
    """Whether a text is not in one form, or holds what a system thinks."""
    return any(
        in_one_form(said.text) is not said.text
        or (said.speaker == "system" and split_channels(said.text).said is not said.text)
        for said in dialogue.utterances
    )


def _with_kind(rating: Rating) -> Rating:
    """A rating with the kind of rater that the rater's name gives away, where it is not declared."""
    kind = _kind_of_rater(rating.rater, rating.raters)
    return rating if kind is rating.raters else rating.model_copy(update={"raters": kind})


def _kind_of_rater(name: str | None, declared: Raters) -> Raters:
    is_open = name is not None and declared in (Raters.PEOPLE, Raters.UNKNOWN)
    return (kind_of_name(name) or declared) if is_open and name is not None else declared
