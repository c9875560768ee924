"""Sentences of corpora that models have not seen, with what each member of an ensemble says of them.

Corpora are INSPIRED (a half of it by models of the other), ReDial's released sample, two domains of the bundled general
sentences (those that speak of films, and the others), and MG-ShopDial by kind of goods, which has intents in the place of
strategies. ``benchmarks/by_corpus.py`` chooses ensembles on them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kept import Once, finetuned
from benchmarks.pooling import WEIGHTS
from benchmarks.shift import shop_domains
from trialogue.records import STRATEGIES
from trialogue.seeds import rng_for
from trialogue.strategies.base import Example, Floats, Ints, data_hash, ordered_classes
from trialogue.strategies.classifiers.encoder_linear import EncoderFit
from trialogue.strategies.classifiers.finetuned import drop_general
from trialogue.strategies.classifiers.tfidf import TfidfFit
from trialogue.strategies.learning.calibration import codes
from trialogue.strategies.learning.dyads import Pairs, draw_pairs
from trialogue.strategies.learning.folds import ask, normalise_words, places_of
from trialogue.strategies.paper_data import JudgedTexts
from trialogue.strategies.taxonomy import general_examples, habitual_examples

FILMS = re.compile(
    r"\b(films?|movies?|cinema|theaters?|trailers?|actors?|actress|director|directed|oscars?|sequel|remake|horror|comedy|"
    r"comedies|romcom|thrillers?|westerns?|documentar\w+|netflix|dvd|watch\w*|scenes?|cast|stars?|starring|plot)\b",
    re.IGNORECASE,
)
"""Words by which a general sentence counts as one about films."""
INSPIRED, REDIAL, SHOP = "INSPIRED", "ReDial", "MG-ShopDial"
DOMAINS = ("ours: films", "ours: others")
HALVES = ("dev", "test")
PAIRS = 5_000  # of either kind and set of tested sentences, at most
NETWORKS: dict[str, dict[str, Any]] = {
    "n": {"seed": 0},
    "h": {"seed": 0, "use_context": True},
    "g": {"seed": 0, "general": True},
    "s": {"seed": 0, "smoothing": 0.1},
}
"""Settings of the networks."""
LEARNS_GENERAL = "gte"  # members whose training has the general sentences


@dataclass(frozen=True, eq=False)
class Trial:
    """What models of one training set say of sentences that are not in it."""

    corpus: str
    """Of the sentences."""
    half: str
    """Of INSPIRED, that models were trained on; empty for models of MG-ShopDial."""
    hidden: str | None
    """Domain of ours that they were not trained on."""
    classes: tuple[str, ...]
    """Columns of the rows."""
    rows: Mapping[str, Floats]
    """Probabilities by member, each of shape (n, n_classes)."""
    labelled: Ints
    """Rows that have a label."""
    truth: Ints
    """Their columns."""
    pairs: Pairs
    """Pairs of rows with and without one strategy, as many of either."""
    groups: tuple[str, ...]
    """Dialogue or, where there is none, words of each row."""

    def is_unseen_by(self, other: "Trial") -> bool:
        """Whether a choice that is to be scored here may look at the other: another corpus, and models without this one."""
        if self.corpus == other.corpus:
            return False
        if self.corpus == INSPIRED and other.half not in (self.half, ""):
            return False
        if other.corpus in DOMAINS:
            return self.corpus not in DOMAINS  # a model without both domains has no general sentences
        return other.corpus == SHOP or other.hidden == (self.corpus if self.corpus in DOMAINS else None)


@dataclass(frozen=True)
class Members:
    """What ensembles are made of, by letter, and the folder that keeps what they said."""

    fits: Mapping[str, Once]
    kept: Path

    @classmethod
    def of(cls, kept: Path, *, may_train: bool) -> "Members":
        networks = {name: Once(finetuned(kept, may_train=may_train, **own)) for name, own in NETWORKS.items()}
        return cls(networks | {"t": Once(TfidfFit(use_context=True)), "e": Once(EncoderFit(use_context=True))}, kept)

    def rows(self, train: Sequence[Example], tested: Sequence[Example], classes: Sequence[str]) -> dict[str, Floats]:
        """What members say, by letter, without those whose networks are not kept and may not be trained.

        Nothing if one of the shipped ensemble's is missing: then there is nothing to compare with.
        """
        found = {}
        for name in self.fits:
            try:
                found[name] = self._said(name, train, tested, classes)
            except LookupError as error:
                print(f"left out: {error}", flush=True)
                if name in WEIGHTS[-1]:
                    return {}
        return found

    def _said(self, name: str, train: Sequence[Example], tested: Sequence[Example], classes: Sequence[str]) -> Floats:
        """A member's probabilities, asked now or before."""
        learned = train if name in LEARNS_GENERAL else drop_general(train)
        file = self.kept / "rows" / f"{name}-{data_hash(learned)}-{data_hash(tested)}.npy"
        if not file.is_file():
            found = ask(self.fits[name](learned), tested, classes)
            file.parent.mkdir(parents=True, exist_ok=True)
            np.save(file, found)
        return np.asarray(np.load(file), dtype=np.float64)


def trials(
    members: Members,
    halves: Mapping[str, Sequence[Example]],
    redial: Sequence[Example],
    released: JudgedTexts,
    mirror: Path,
) -> Iterator[Trial]:
    """All of them; rows of members whose networks are not kept are left out if these may not be trained."""
    for half, other in zip(HALVES, reversed(HALVES), strict=True):
        for hidden in (None, *DOMAINS):
            train = trained_on(halves[half], hidden)
            yield _labelled(members, train, halves[other], (INSPIRED, half, hidden))
            yield _of_redial(members, train, redial, released, (REDIAL, half, hidden))
            if hidden is not None:
                yield _labelled(members, train, of_domain(hidden), (hidden, half, hidden))
    for train, tested in shop_splits(mirror):
        yield _labelled(members, train, tested, (SHOP, "", None))


def trained_on(half: Sequence[Example], without: str | None = None) -> list[Example]:
    """A half of INSPIRED and the bundled sentences, of 13 strategies, without the general ones of a domain."""
    kept = [each for each in general_examples() if domain_of(each) != without]
    return [*half, *(each for each in (*habitual_examples(), *kept) if each.label in STRATEGIES)]


def domain_of(example: Example) -> str:
    """One of DOMAINS."""
    return DOMAINS[0] if FILMS.search(example.text) else DOMAINS[1]


def of_domain(domain: str) -> list[Example]:
    """The general sentences of a domain, of 13 strategies."""
    return [each for each in general_examples() if domain_of(each) == domain and each.label in STRATEGIES]


def shop_splits(mirror: Path) -> Iterator[tuple[list[Example], list[Example]]]:
    """The assistants' sentences on all goods but one kind, and on that one."""
    domains = shop_domains(mirror)
    for left_out in sorted(domains):
        rest = [each for name, own in domains.items() if name != left_out for each in own]
        known = {each.label for each in rest}
        yield rest, [each for each in domains[left_out] if each.label in known]


def _labelled(
    members: Members, train: Sequence[Example], tested: Sequence[Example], names: tuple[str, str, str | None]
) -> Trial:
    classes = ordered_classes(each.label for each in train)
    truth = codes([each.label for each in tested], classes)
    groups = tuple(each.dialogue_id or normalise_words(each.text) for each in tested)
    rows = members.rows(train, tested, classes)
    pairs = draw_pairs(truth, PAIRS, rng=rng_for(0, "pairs", names[0]))
    return Trial(*names, classes, rows, np.arange(len(tested)), truth, pairs, groups)


def _of_redial(
    members: Members,
    train: Sequence[Example],
    labelled: Sequence[Example],
    released: JudgedTexts,
    names: tuple[str, str, str | None],
) -> Trial:
    """Labels of some sentences, and the released pairs of others."""
    classes = ordered_classes(each.label for each in train)
    asked = [
        *labelled,
        *(Example(text=text, label=STRATEGIES[0]) for text in released.texts),
    ]  # labels are not looked at
    rows = members.rows(train, asked, classes)
    pairs = Pairs(released.left + len(labelled), released.right + len(labelled), released.same)
    groups = tuple(normalise_words(each.text) for each in asked)
    truth = codes([each.label for each in labelled], classes)
    return Trial(*names, classes, rows, np.arange(len(labelled)), truth, pairs, groups)


def clusters(of: Sequence[Trial]) -> tuple[int, list[Ints]]:
    """Number of different groups in trials, and the number of each row's, by trial."""
    numbers = places_of([group for trial in of for group in trial.groups])
    ends = np.cumsum([len(trial.groups) for trial in of])
    return int(numbers.max()) + 1, np.split(numbers, ends[:-1])
