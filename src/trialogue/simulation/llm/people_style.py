"""How people write in a corpus: length of messages, typing errors, and examples, for users that a language model plays.

What people wished for stays out: the examples are few, short, and shown as a way of writing only.

Personas from ratings: how much people have tried, of how many kinds, and how hard they are to please.

What they like is left out on purpose: that is the need's, which is drawn for each case, and a persona with tastes of its own
would contradict it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from annotated_types import Ge
from pydantic import Field, ValidationError

from trialogue.catalogue import Catalogue, Ratings
from trialogue.errors import DataError, Problem, UsageError
from trialogue.options import Seed
from trialogue.records import Dialogue, Record
from trialogue.records.files.opening import write_text
from trialogue.seeds import rng_for
from trialogue.simulation.language.styles import NEIGHBORS, add_typos
from trialogue.simulation.profiles import Thresholds
from trialogue.simulation.random_source import RandomSource

MOSTLY = 0.8  # quantile of the words of a message: the prompt asks for "mostly under" so many
MAX_EXAMPLES = 5  # messages of one person in a prompt
LONGEST_EXAMPLE = 30  # words; longer ones tell a story, and cost tokens
MAX_PEOPLE = 200  # whose examples are kept: more make files that nobody reads
COMMON = 10  # occurrences of a word in a corpus that make it a word, and not a slip itself
MIN_WORDS = 1_000  # of four letters or more; of fewer the rate of slips is mostly noise
PLANTED = 0.02  # share of words with a planted slip: as few as people make, so that what is common stays so
MIN_RECALL = 0.1  # share of planted slips that must be noticed; below it the rate is mostly noise
_WORD = re.compile(r"[^\W\d_]{4,}")
_INFLECTED = re.compile(r"(?:s|d|ed|ing|ly|er|y)\Z")


class PeopleStyle(Record):
    """How the people of a corpus write."""

    kind: ClassVar[str] = "people_style"

    people: int = Field(ge=1)
    """Number of people, or of dialogues where they are not identified."""
    messages: int = Field(ge=1)
    """Number of their messages with a word."""
    mean_words: float
    """Mean number of words of a message."""
    words: int = Field(ge=1)
    """Words that four of five messages do not exceed: what the prompt asks for."""
    typos: float | None = None
    """Share of words of four letters or more with a slip; None: there are too few words to estimate it."""
    examples: tuple[tuple[str, ...], ...] = ()
    """Messages by person, as they were written."""


def style_of_people(dialogues: Iterable[Dialogue], *, seed: int = 0) -> PeopleStyle:
    """Measure how the users of some dialogues write.

    Args:
        dialogues: dialogues with people; a person is a cluster of the corpus.
        seed: seed for the choice of people and messages that are kept as examples.

    Raises:
        UsageError: no user says a word.
    """
    by_person: dict[str, list[str]] = {}
    for dialogue in dialogues:
        said = [" ".join(each.text.split()) for each in dialogue.utterances if each.speaker == "user"]
        own = by_person.setdefault(dialogue.user or dialogue.id, [])
        own += [text for text in said if re.search(r"\w", text)]
    by_person = {person: own for person, own in by_person.items() if own}
    texts = [text for own in by_person.values() for text in own]
    if not texts:
        raise UsageError("the users of these dialogues write no words, so their writing style cannot be measured.")
    lengths = np.array([len(text.split()) for text in texts])
    return PeopleStyle(
        people=len(by_person),
        messages=len(texts),
        mean_words=round(float(lengths.mean()), 2),
        words=max(1, int(np.quantile(lengths, MOSTLY, method="inverted_cdf"))),
        typos=typo_rate(texts, seed=seed),
        examples=tuple(_examples(list(by_person.values()), seed)),
    )


def _examples(people: Sequence[Sequence[str]], seed: int) -> Iterable[tuple[str, ...]]:
    rng = rng_for(seed, "examples of writing")
    for place in rng.permutation(len(people))[:MAX_PEOPLE].tolist():
        short = [text for text in people[place] if len(text.split()) <= LONGEST_EXAMPLE]
        kept = sorted(rng.permutation(len(short))[:MAX_EXAMPLES].tolist())
        if kept:
            yield tuple(short[each] for each in kept)


def typo_rate(texts: Sequence[str], *, seed: int = 0) -> float | None:
    """Share of words of four letters or more that are slips; None below 1,000 such words, or where too few are noticed.

    A slip is noticed where a word occurs once, in lower case, and one dropped, doubled, swapped or neighbouring letter makes
    it of a word that occurs ten times or more; inflected forms are none. The share of slips that are noticed (a quarter to
    two fifths) is measured on the same texts, with slips of these kinds planted in them, and the rate is divided by it.
    """
    noticed, words = _count_slips(texts), sum(len(_WORD.findall(text)) for text in texts)
    if words < MIN_WORDS:
        return None
    rng = RandomSource(rng_for(seed, "planted slips"))
    planted = _count_slips([add_typos(text, PLANTED, rng) for text in texts])
    recall = (planted - noticed) / (PLANTED * words)
    return round(min(1.0, noticed / words / recall), 4) if recall >= MIN_RECALL else None


def _count_slips(texts: Sequence[str]) -> int:
    """Number of words that look like slips."""
    written = [word for text in texts for word in _WORD.findall(text)]
    counts = Counter(word.lower() for word in written)
    slips = {slip for word, count in counts.items() if count >= COMMON for slip in slips_of(word)}
    lower = {word for word in written if word.islower()}
    return sum(count == 1 and word in slips and word in lower for word, count in counts.items())


def slips_of(word: str) -> set[str]:
    """Words that one slip makes of a word of four letters or more, without forms that differ in one ending.

    >>> sorted(slips_of("film"))[:4]
    ['fiilm', 'fikm', 'fil', 'fillm']
    >>> "movie" in slips_of("movies"), "thrilelr" in slips_of("thriller")
    (False, True)
    """
    found = set()
    for at in range(1, len(word)):
        before, letter, after = word[:at], word[at], word[at + 1 :]
        found |= {before + after, before + letter + letter + after}
        found |= {before + near + after for near in NEIGHBORS.get(letter, "")}
        if after:
            found.add(before + after[0] + letter + after[1:])
    stem = _INFLECTED.sub("", word)
    return {slip for slip in found if slip != word and _INFLECTED.sub("", slip) != stem}


def write_style(style: PeopleStyle, path: Path) -> None:
    """Write a style to a JSON file."""
    write_text(path, style.model_dump_json(indent=1) + "\n")


def read_style(path: Path) -> PeopleStyle:
    """Read a style from a JSON file.

    Raises:
        DataError: it cannot be read, or is none.
    """
    hint = "Write one with: trialogue users fit --method style --dialogues DATA --out FILE"
    try:
        return PeopleStyle.model_validate_json(path.read_bytes())
    except OSError as error:
        raise DataError(Problem(f"cannot be read: {error.strerror or error}.", str(path), hint=hint)) from error
    except ValidationError as error:
        what = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise DataError(Problem(f"contains no writing style ({what}).", str(path), hint=hint)) from error


def describe_examples(examples: Sequence[str]) -> str:
    """A person's messages for a prompt; "" without any.

    >>> print(describe_examples(["hi", "smth funny pls"]))
    You type as the person who wrote these messages did. Take over their way of writing, not what they say:
    > hi
    > smth funny pls
    """
    head = "You type as the person who wrote these messages did. Take over their way of writing, not what they say:"
    return "\n".join([head, *(f"> {each}" for each in examples)]) if examples else ""


MIN_RATED = 8  # items; a share of likes of fewer says nothing, and profiles have as many
HARD, EASY = 0.35, 0.65  # shares of likes below and above which somebody is hard or easy to please


@dataclass(frozen=True)
class RatingHabits:
    """Rating behavior of one user of a ratings file."""

    rated: int
    """Items of the catalogue that they rated."""
    liked: float
    """Share of them that they like."""
    kinds: int
    """Different values of the attribute that these items have."""

    def text(self, *, things: str) -> str:
        """The persona in words.

        >>> RatingHabits(40, 0.2, 9).text(things="films")
        'You have rated 40 films of 9 kinds. You are hard to please: you like 20 % of what you try.'
        """
        mood = "hard" if self.liked < HARD else "easy" if self.liked > EASY else "neither hard nor easy"
        share = f"you like {round(100 * self.liked)} % of what you try"
        return f"You have rated {self.rated} {things} of {self.kinds} kinds. You are {mood} to please: {share}."


def rating_personas(
    catalogue: Catalogue,
    ratings: Ratings,
    *,
    n: Annotated[int, Ge(1)] = 50,
    attribute: str = "genre",
    things: str = "films",
    seed: Seed = 0,
) -> tuple[str, ...]:
    """Personas of random users who rated at least eight items of the catalogue, one for each user.

    Args:
        catalogue: the items.
        ratings: who liked what.
        n: number of personas. Fewer where there are not so many such users.
        attribute: personas: attribute whose values are kinds of items.
        things: personas: plural noun for the items.
        seed: seed for the choice.

    Raises:
        UsageError: nobody rated enough, the attribute has no values, or ``n`` is below 1.
    """
    if n < 1 or not catalogue.values_of(attribute):
        what = f"{n} personas were requested" if n < 1 else f"no item of the catalogue has the attribute {attribute!r}"
        raise UsageError(f"{what}: at least one of each is needed.")
    thresholds = Thresholds.for_scale(ratings.scale)
    found: list[str] = []
    for place in rng_for(seed, "rating personas").permutation(len(ratings.users)).tolist():
        own = {item: value for item, value in ratings.of_user(ratings.users[place]).items() if item in catalogue}
        if len(own) >= MIN_RATED:
            tried = {value for item in own for value in catalogue[item].attributes.get(attribute, ())}
            liked = float(np.mean([value >= thresholds.like for value in own.values()]))
            found.append(RatingHabits(len(own), liked, len(tried)).text(things=things))
        if len(found) == n:
            break
    if not found:
        what = f"no user rated at least {MIN_RATED} items of the catalogue"
        raise UsageError(f"{what}, so there are no rating personas. Use ratings of this catalogue with more per user.")
    return tuple(found)
