"""What a model was trained on, kept beside it as short hashes: enough to tell what it knows by heart, not to read it.

Two texts are the same if their words are (``folds.same_words``). Forty bits of SHA-256 each: of 10,000 texts beside 10,000
training sentences, one is mistaken for one of them in about one case of 10,000 (1e8 / 2^40).
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trialogue.errors import DataError, Problem
from trialogue.records.files import write_text
from trialogue.strategies.folds import same_words
from trialogue.strategies.taxonomy import bundled_examples

if TYPE_CHECKING:
    from trialogue.strategies.models import Model

FILE = "seen.json"
DIGITS = 10  # of a hash, in hexadecimal
LONG = 6  # words from which two people hardly say the same by chance; shorter sentences recur in any talk
MUCH, LEAST = 0.2, 5  # share and number of long sentences that recur only where a model learned them
NEARLY_ALL = 0.9  # share of all sentences of which that is true, too


def hash_of(text: str) -> str:
    """Ten hexadecimal digits that two texts of the same words share.

    >>> hash_of("Me, too!") == hash_of("me too"), len(hash_of("me too"))
    (True, 10)
    """
    return hashlib.sha256(same_words(text).encode("utf-8", "replace")).hexdigest()[:DIGITS]


def hashes_of(texts: Iterable[str]) -> frozenset[str]:
    """The hashes of texts."""
    return frozenset(map(hash_of, texts))


def write_seen(hashes: Iterable[str], folder: Path) -> None:
    """Write hashes into a model's folder."""
    write_text(folder / FILE, json.dumps({"same_words": sorted(hashes)}) + "\n")


def read_seen(folder: Path) -> frozenset[str] | None:
    """The hashes in a model's folder; None where an earlier version wrote it, which kept none.

    Raises:
        DataError: the file is there and cannot be read.
    """
    path = folder / FILE
    try:
        stored = json.loads(path.read_text("utf-8"))["same_words"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(Problem(f"these hashes of training texts cannot be read: {error}.", str(path))) from error
    if not isinstance(stored, list) or not all(isinstance(one, str) for one in stored):
        raise DataError(Problem("these are no hashes of training texts.", str(path)))
    return frozenset(stored)


@dataclass(frozen=True)
class Known:
    """How many of some different sentences a model was trained on."""

    seen: int
    n: int
    long_seen: int
    """Of those of six words or more."""
    long: int

    @property
    def by_heart(self) -> bool:
        """Whether that cannot be chance.

        Of the long sentences of INSPIRED dev and test, half of the dialogues share 2 % with the others; of references that a
        model was trained on, cut into sentences by our rules, it has seen 93 %.
        """
        much = self.long_seen >= LEAST and self.long_seen >= MUCH * self.long
        return much or (self.n > 0 and self.seen >= NEARLY_ALL * self.n)

    @property
    def counts(self) -> str:
        """In words, such as ``12 of 40 sentences (9 of 30 of six words or more)``."""
        return f"{self.seen} of {self.n} different sentences ({self.long_seen} of {self.long} of six words or more)"


def known(hashes: frozenset[str], texts: Iterable[str]) -> Known:
    """How many of the different sentences are among the hashes.

    >>> known(hashes_of(["It stars Tom Hanks and Meg Ryan."]), ["it stars Tom Hanks and Meg Ryan", "Me too!"])
    Known(seen=1, n=2, long_seen=1, long=1)
    """
    different = {words for text in texts if (words := same_words(text))}
    seen = {words for words in different if hash_of(words) in hashes}
    long, long_seen = (sum(len(words.split()) >= LONG for words in each) for each in (different, seen))
    return Known(len(seen), len(different), long_seen, long)


def trained_hashes(model: "Model") -> frozenset[str] | None:
    """What a model was trained on, as hashes: its own, or those of the bundled sentences; None where it is not known."""
    if model.seen is None and set(model.card.sources) == {"bundled"}:
        return hashes_of(example.text for example in bundled_examples())
    return model.seen
