"""Training-set fingerprints: short hashes that recognise a model's training data without revealing it.

Two kinds are kept. *Texts* (of a strategy model) are recognised individually. *Dialogues* (of a satisfaction estimator)
are recognised by their exchanges: a user's turn and the system's turn after it. A dialogue is recognised if at least half of
its exchanges are known, so renaming, reordering, taking a subset, and dropping or adding a turn do not prevent recognition.

Texts are compared after ``normalise``. Each hash has forty bits of SHA-256: with 10,000 texts and 10,000 training texts, a
false match occurs in about one case of 10,000 (1e8 / 2^40).
"""

import hashlib
import html
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path

from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Record, Utterance
from trialogue.records.files.opening import write_text

FILE = "fingerprints.json"
FORMER_FILE = "seen.json"
"""File name of versions before fingerprints, which had the key ``same_words``."""
DIGITS = 10  # of a hash, in hexadecimal
LONG = 6  # words from which two people hardly write the same by chance; shorter sentences recur in any dialogue
MUCH, MIN_LONG_SENTENCES = 0.2, 5  # share and number of long sentences that recur only where a model learned them
NEARLY_ALL = 0.9  # share of all sentences of which that is true, too
MAX_EXCHANGES = 0.5
"""Share of a dialogue's exchanges that must be known.

On CRSArena-Dial all 472 dialogues with an exchange are recognised, each as one of its own system. Of dialogues that are not
in the training set, 8 of 472 share half of their exchanges with others of the same system (all have at most four exchanges),
and none of 1,198 dialogues of INSPIRED and ReDial does.
"""
_APOSTROPHES = re.compile("['’‘`´ʼ]")
_WORDS = re.compile(r"\w+")
_ROLE = re.compile(r"^\s*(user|seeker|human|system|bot|assistant|agent|recommender)\s*:", re.IGNORECASE)
"""Speaker prefix of a turn in transcripts."""
_MARKUP = re.compile(r"&#?\w+;")


def normalise(text: str) -> str:
    """Normalise differences that a copy may have: case, punctuation, spacing, character forms (NFKC), HTML entities.

    UTF-8 that was read as Windows-1252 is read again. A text of punctuation alone stays as it is.

    >>> normalise("Me, too!") == normalise("me too") == "me too"
    True
    >>> normalise("It’s ﬁne &amp; good"), normalise("Itâ€™s fine")
    ('its fine good', 'its fine')
    """
    text = html.unescape(text) if _MARKUP.search(text) else text
    plain = unicodedata.normalize("NFKC", _redecode(text)).casefold()
    return " ".join(_WORDS.findall(_APOSTROPHES.sub("", plain))) or text.strip()


def _redecode(text: str) -> str:
    if text.isascii():
        return text
    for wrong in ("cp1252", "latin-1"):
        try:
            return text.encode(wrong).decode("utf-8")
        except UnicodeError:
            continue
    return text  # it was right as it is


def fingerprint(text: str) -> str:
    """Ten-digit hexadecimal fingerprint of a text's normalised words.

    >>> fingerprint("Me, too!") == fingerprint("me too"), len(fingerprint("me too"))
    (True, 10)
    """
    return _digest(normalise(text))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:DIGITS]


def fingerprints_of(texts: Iterable[str]) -> frozenset[str]:
    """Fingerprints of texts."""
    return frozenset(map(fingerprint, texts))


def exchanges_of(utterances: Sequence[Utterance]) -> dict[str, int]:
    """Fingerprints of each user turn with the system turn that follows, and their word counts.

    Several utterances of one speaker in a row are one turn, however they were cut. Empty where no system turn follows a
    user's.
    """
    turns = [(speaker, " ".join(each.text for each in run)) for speaker, run in groupby(utterances, key=_speaker)]
    pairs = [
        (normalise(_ROLE.sub("", said)), normalise(_ROLE.sub("", reply)))
        for (first, said), (second, reply) in pairwise(turns)
        if (first, second) == ("user", "system")
    ]
    return {_digest(f"{said}\x1f{reply}"): len(said.split()) + len(reply.split()) for said, reply in pairs}


def _speaker(utterance: Utterance) -> str:
    return utterance.speaker


@dataclass(frozen=True)
class RecognisedDialogue:
    """A dialogue recognised as training data."""

    fold: str
    """Group of training dialogues that are left out together, such as a system's."""
    known: int
    """Exchanges of it that are among the training data's."""
    exchanges: int
    """Exchanges that it has, of six words or more where there are such."""


class TrainingDialogues(Record):
    """Fingerprints of a model's training dialogues, by exchange and fold."""

    folds: dict[str, tuple[str, ...]]
    """Fingerprints of the exchanges of each fold, sorted; which exchanges make a dialogue cannot be read from them."""

    def recognise(self, dialogue: Dialogue) -> RecognisedDialogue | None:
        """The fold of a dialogue; None if it is not recognised or has no exchange.

        Its id, its system and its user do not matter. Of several folds, the one that knows most of its exchanges counts,
        then the first by name.
        """
        exchanges = exchanges_of(dialogue.utterances)
        # "Thanks!", "Bye!" occurs in any corpus: where a dialogue has longer exchanges, they alone decide.
        own = [each for each, words in exchanges.items() if words >= LONG] or list(exchanges)
        if not own:
            return None
        counts = Counter(fold for fold, known in self._sets.items() for exchange in own if exchange in known)
        fold = min(counts, key=lambda name: (-counts[name], name), default=None)
        if fold is None or counts[fold] < MAX_EXCHANGES * len(own):
            return None
        return RecognisedDialogue(fold, counts[fold], len(own))

    @cached_property
    def _sets(self) -> Mapping[str, frozenset[str]]:
        return {fold: frozenset(known) for fold, known in self.folds.items()}


def training_dialogues(dialogues: Iterable[tuple[str, Dialogue]]) -> TrainingDialogues:
    """Fingerprint dialogues, given with their folds."""
    folds: dict[str, set[str]] = {}
    for fold, dialogue in dialogues:
        folds.setdefault(fold, set()).update(exchanges_of(dialogue.utterances))
    return TrainingDialogues(folds={fold: tuple(sorted(known)) for fold, known in sorted(folds.items())})


class TrainingExposure(Record):
    """Number of a system's dialogues that are training data of a measure, and how these were scored."""

    measure: str
    """Full name of the measure that learned from them."""
    system: str
    """Name of the system in the measured data."""
    dialogues: int
    """Dialogues of the system."""
    recognised: int
    """Training dialogues among them."""
    out_of_fold: int
    """Recognised dialogues whose value comes from weights that never saw them."""

    @property
    def excluded_count(self) -> int:
        """Recognised dialogues without a value, because no weights were fitted without them."""
        return self.recognised - self.out_of_fold


def exposure_of(
    measure: str, dialogues: Iterable[Dialogue], training: TrainingDialogues, *, out_of_fold: Container[str]
) -> tuple[TrainingExposure, ...]:
    """One record per system with recognised dialogues, in alphabetical order.

    Args:
        measure: full name of the measure.
        dialogues: what it is to measure.
        training: what it was trained on.
        out_of_fold: folds for which it has weights that never saw them.
    """
    held, recognised, scored = Counter[str](), Counter[str](), Counter[str]()
    for dialogue in dialogues:
        system = dialogue.system or ""
        held[system] += 1
        if (match := training.recognise(dialogue)) is not None:
            recognised[system] += 1
            scored[system] += match.fold in out_of_fold
    return tuple(
        TrainingExposure(
            measure=measure,
            system=system,
            dialogues=held[system],
            recognised=recognised[system],
            out_of_fold=scored[system],
        )
        for system in sorted(recognised)
    )


def write_fingerprints(fingerprints: Iterable[str], folder: Path) -> None:
    """Write text fingerprints into a model folder."""
    write_text(folder / FILE, json.dumps({"texts": sorted(fingerprints)}) + "\n")


def read_fingerprints(folder: Path) -> frozenset[str] | None:
    """Read text fingerprints from a model folder; None if an early version wrote it, which stored none.

    Raises:
        DataError: the file is there and cannot be read.
    """
    for path, key in ((folder / FILE, "texts"), (folder / FORMER_FILE, "same_words")):
        if path.exists():
            return _read(path, key)
    return None


def _read(path: Path, key: str) -> frozenset[str]:
    try:
        stored = json.loads(path.read_text("utf-8"))[key]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(Problem(f"these hashes of training texts cannot be read: {error}.", str(path))) from error
    if not isinstance(stored, list) or not all(isinstance(one, str) for one in stored):
        raise DataError(Problem("not hashes of training texts. Restore the file, or train again.", str(path)))
    return frozenset(stored)


@dataclass(frozen=True)
class KnownTexts:
    """Number of distinct sentences that are in a model's training data."""

    known: int
    n: int
    long_known: int
    """Number of these with six words or more."""
    long: int

    @property
    def is_memorised(self) -> bool:
        """Whether the number exceeds chance.

        Of the long sentences of INSPIRED dev and test, half of the dialogues share 2% with the others; of references that a
        model was trained on, cut into sentences by our rules, it knows 93%.
        """
        much = self.long_known >= MIN_LONG_SENTENCES and self.long_known >= MUCH * self.long
        return much or (self.n > 0 and self.known >= NEARLY_ALL * self.n)

    @property
    def counts(self) -> str:
        """Counts in words, such as ``12 of 40 sentences (9 of 30 of six words or more)``."""
        return f"{self.known} of {self.n} different sentences ({self.long_known} of {self.long} of six words or more)"


def known_texts(fingerprints: frozenset[str], texts: Iterable[str]) -> KnownTexts:
    """Count the distinct sentences whose fingerprints are known.

    >>> trained = fingerprints_of(["It stars Tom Hanks and Meg Ryan."])
    >>> known_texts(trained, ["it stars Tom Hanks and Meg Ryan", "Me too!"])
    KnownTexts(known=1, n=2, long_known=1, long=1)
    """
    different = {words for text in texts if (words := normalise(text))}
    known = {words for words in different if fingerprint(words) in fingerprints}
    long, long_known = (sum(len(words.split()) >= LONG for words in group) for group in (different, known))
    return KnownTexts(len(known), len(different), long_known, long)
