"""Satisfaction learned on some rated corpora and judged on others, in two languages; a part of ``LEARNED_JUDGES.md``.

``python -m benchmarks.learned_satisfaction MIRROR`` prints this part alone.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from benchmarks.person_intervals import interval, pooled_spearman
from benchmarks.rated_corpora import recllmsim, uss
from benchmarks.tables import table
from trialogue.inputs.inputs import gather
from trialogue.languages import with_spaces
from trialogue.metrics.base import Array, Undefined
from trialogue.metrics.satisfaction.corpora import RatedCorpus, fit_corpora
from trialogue.metrics.satisfaction.features import FEATURES
from trialogue.metrics.satisfaction.fit import Domain, domain_of, matrix
from trialogue.metrics.satisfaction.metric import Satisfaction
from trialogue.records import Dialogue
from trialogue.seeds import rng_for
from trialogue.stats.arrays import midranks

USER_SIDE = tuple(place for place, name in enumerate(FEATURES) if name.partition("_")[0] == "user")
EVERYTHING = tuple(range(len(FEATURES)))
SIGNS = np.array([feature.sign for feature in FEATURES.values()])
FOLDS = 10
MIN_DIALOGUES = 20  # dialogues for a correlation
CHINESE = "RecLLMSim"
CORPORA: Mapping[str, Callable[[Path], list[Dialogue]]] = {
    "CRSArena-Dial": lambda mirror: list(gather([mirror / "crsarena_dial"]).dialogues),
    "CCPE (USS)": lambda mirror: uss(mirror / "uss" / "CCPE.txt"),
    "SGD (USS)": lambda mirror: uss(mirror / "uss" / "SGD.txt"),
    CHINESE: lambda mirror: recllmsim(mirror / "recllmsim"),
}
"""By name, its rated dialogues."""

DOMAIN_TEXT = """\
A trained judge has the domain of all its training dialogues together, in which the largest corpus has the most weight.
The alternative takes a dialogue for inside if it is between the percentiles of at least one training corpus (and about
films, where that corpus is). It is no better: inside, the judge agrees more with people than outside on SGD alone, and
less on CRSArena-Dial and CCPE. The pooled domain has the higher correlation inside in five of six cases, but not where
the judge is trained on CCPE and SGD and used on CRSArena-Dial (.20 against .41), and most intervals overlap. So the
simpler one stays, and neither is a reason to trust a value: correct the judge with labels. Trained on: all other
corpora (3), or the other English ones (2). Near: share of the dialogues that are in the domain of each training corpus."""
CHINESE_TEXT = """\
RecLLMSim is in Chinese, the other corpora are in English. The features read Chinese badly: a word is what stands
between marks or spaces, so that a reply of 900 characters has some two hundred; the words of pleasure, displeasure and
"no" are English, so that these five features of the user's side are 0 in every dialogue, and "yes" is in nearly all.
What is left (variety of the replies, their length, lists, repetition) orders dialogues of other people with .16. JDDC,
the Chinese part of USS, is not in the mirror and was not measured. Characters: every Chinese character is taken for a
word, in all features. That is within the error of what is shipped everywhere, and no part of the product."""
TRANSFER_TEXT = """\
Between the languages little transfers: from Chinese to CCPE nothing is shown, to SGD less than half of what English
corpora give, and from English to Chinese .10, where Chinese dialogues of other people give .16. An exception is
CRSArena-Dial (.34), whose systems differ in variety and repetition. So a judge abstains in languages that none of its
corpora is in: its file and its card name them, and `evaluate` leaves it out elsewhere. Adding Chinese to English
corpora is worth .02 on CCPE and SGD and costs .06 on CRSArena-Dial; adding the English ones to Chinese costs .03 there."""

Rows = Callable[["Corpus"], Array]


@dataclass(frozen=True)
class Corpus:
    """A rated corpus with features."""

    name: str
    dialogues: list[Dialogue]

    @cached_property
    def rows(self) -> Array:
        """Features of the product, shape (n, k)."""
        return matrix(self.dialogues)

    @cached_property
    def spaced_rows(self) -> Array:
        """The same with every Chinese character taken for a word."""
        return matrix([_with_spaces(each) for each in self.dialogues])

    @cached_property
    def rated(self) -> Array:
        """Mean rating of each dialogue."""
        return np.array([np.mean([rating.value for rating in each.ratings]) for each in self.dialogues])

    @cached_property
    def ranks(self) -> Array:
        """Signed midranks of the features inside the corpus."""
        ranks: Array = _rank_columns(self.rows) * SIGNS
        return ranks

    @property
    def people(self) -> list[str]:
        """Who rated; the dialogue where people are unknown."""
        return [each.user or each.id for each in self.dialogues]

    def part(self, rows: Rows, kept: Array | None = None) -> RatedCorpus:
        """What a fit gets, of the dialogues of a mask."""
        mask = np.ones(len(self.dialogues), dtype=bool) if kept is None else kept
        dialogues = tuple(each for each, is_kept in zip(self.dialogues, mask, strict=True) if is_kept)
        return RatedCorpus(self.name, dialogues, rows(self)[mask], _shares(self.rated)[mask])

    def agreement(self, points: Array, kept: Array | None = None) -> str:
        """Correlation with the ratings, of the dialogues of a mask."""
        mask = np.ones(len(points), dtype=bool) if kept is None else kept
        people = [name for name, is_kept in zip(self.people, mask, strict=True) if is_kept]
        if len(people) < MIN_DIALOGUES:
            return "–"
        return interval(pooled_spearman, (points[mask], self.rated[mask]), [""] * len(people), people)


def satisfaction(mirror: Path) -> list[str]:
    """The sections on satisfaction."""
    corpora = [Corpus(name, read(mirror)) for name, read in CORPORA.items()]
    return [*_left_out(corpora), *_domains(corpora), *_languages(corpora)]


def _left_out(corpora: Sequence[Corpus]) -> list[str]:
    rows = []
    for target in corpora:
        others = [each for each in corpora if each is not target]
        shipped = np.array([]) if target is corpora[0] else _shipped(target.dialogues)
        candidates = {
            "length (characters)": _lengths(target.dialogues),
            "shipped `satisfaction` (trained on CRSArena-Dial)": shipped,
            "**`judge train --satisfaction` on the other corpora**": _learned(others, target, _usual),
            "all features, ranks in the corpus left out": target.ranks @ _fit(others, EVERYTHING),
            "the user's side alone, ranks in the corpus left out": target.ranks[:, USER_SIDE] @ _fit(others, USER_SIDE),
        }
        rows += [
            (target.name, name, f"{len(values):,}", target.agreement(values))
            for name, values in candidates.items()
            if len(values)
        ]
    return [
        "## Satisfaction, each corpus left out in turn",
        "",
        "`judge train --satisfaction` on the other corpora: weights with the declared signs, fitted to ranks inside each",
        "training corpus. Beside it, a measurement that is no part of the product: the same weights for ranks inside the",
        "corpus left out, of all features and of the user's side alone (that this side transfers was seen on these",
        "corpora; so was that values in place of ranks have .12 on CCPE). The goal was .25 on films (CCPE). Halves of its",
        "raters correlate .31, so that .69 is the most that a judge could reach.",
        "",
        *table(("left out", "judge", "n", "ρ"), rows),
    ]


def _domains(corpora: Sequence[Corpus]) -> list[str]:
    rows = []
    for english in (False, True):
        chosen = [each for each in corpora if not english or each.name != CHINESE]
        for target in chosen:
            others = [each for each in chosen if each is not target]
            points = _learned(others, target, _usual)
            together = domain_of([each for corpus in others for each in corpus.dialogues])
            alone = [domain_of(corpus.dialogues) for corpus in others]
            for criterion, domains in (("all together (product)", [together]), ("any corpus by its own", alone)):
                inside = np.array([any(not one.departures(each) for one in domains) for each in target.dialogues])
                cells = (target.agreement(points, inside), target.agreement(points, ~inside))
                rows.append(
                    (
                        target.name,
                        f"{len(others)}",
                        criterion,
                        f"{inside.mean():.2f}",
                        *cells,
                        _near(others, alone, target),
                    )
                )
    return [
        "### The domain of training corpora",
        "",
        *DOMAIN_TEXT.splitlines(),
        "",
        *table(("left out", "trained on", "criterion", "inside", "ρ inside", "ρ outside", "near"), rows),
    ]


def _near(others: Sequence[Corpus], domains: Sequence[Domain], target: Corpus) -> str:
    shares = {
        corpus.name: float(np.mean([not domain.departures(each) for each in target.dialogues]))
        for corpus, domain in zip(others, domains, strict=True)
    }
    return ", ".join(f"{name} {share:.2f}" for name, share in shares.items() if share >= 0.005) or "none"


def _languages(corpora: Sequence[Corpus]) -> list[str]:
    return [
        "### Chinese",
        "",
        *CHINESE_TEXT.splitlines(),
        "",
        *table(("trained on", "judged on", "n", "ρ", "ρ, characters"), _language_rows(corpora)),
        *TRANSFER_TEXT.splitlines(),
        "",
    ]


def _language_rows(corpora: Sequence[Corpus]) -> Iterator[tuple[str, ...]]:
    english = [each for each in corpora if each.name != CHINESE]
    (chinese,) = (each for each in corpora if each.name == CHINESE)
    groups = {
        "other dialogues": [each.id for each in chinese.dialogues],
        "other people": chinese.people,
        "other assistants": [each.system or "" for each in chinese.dialogues],
    }
    for name, held in groups.items():
        yield _row(f"{CHINESE}, {name}", chinese, partial(_cross_validated, chinese, held, ()))
    both = "other people, and the three English corpora"
    yield _row(f"{CHINESE}, {both}", chinese, partial(_cross_validated, chinese, chinese.people, english))
    yield _row("the three English corpora", chinese, partial(_learned, english, chinese))
    for target in english:
        others = [each for each in english if each is not target]
        two = "the two other English corpora"
        yield _row(CHINESE, target, partial(_learned, [chinese], target))
        yield _row(two, target, partial(_learned, others, target))
        yield _row(f"{two} and {CHINESE}", target, partial(_learned, [*others, chinese], target))


def _row(trained: str, target: Corpus, points: Callable[[Rows], Array]) -> tuple[str, ...]:
    cells = (target.agreement(points(_usual)), target.agreement(points(_spaced)))
    return (trained, target.name, f"{len(target.dialogues):,}", *cells)


def _cross_validated(corpus: Corpus, groups: Sequence[str], others: Sequence[Corpus], rows: Rows) -> Array:
    """Points of each dialogue from the dialogues of other groups (ten folds of them at most) and from other corpora."""
    names = sorted(set(groups))
    count = min(FOLDS, len(names))
    folds = dict(zip(names, rng_for(0, "folds").permutation(np.arange(len(names)) % count).tolist(), strict=True))
    fold = np.array([folds[name] for name in groups])
    points = np.zeros(len(groups))
    for number in range(count):
        inside = fold == number
        parts = [corpus.part(rows, ~inside), *(each.part(rows) for each in others)]
        points[inside] = fit_corpora(parts).points(rows(corpus)[inside])
    return points


def _learned(others: Sequence[Corpus], target: Corpus, rows: Rows) -> Array:
    return fit_corpora([each.part(rows) for each in others]).points(rows(target))


def _usual(corpus: Corpus) -> Array:
    return corpus.rows


def _spaced(corpus: Corpus) -> Array:
    return corpus.spaced_rows if corpus.name == CHINESE else corpus.rows


def _with_spaces(dialogue: Dialogue) -> Dialogue:
    said = tuple(each.model_copy(update={"text": with_spaces(each.text)}) for each in dialogue.utterances)
    return dialogue.model_copy(update={"utterances": said})


def _lengths(dialogues: Sequence[Dialogue]) -> Array:
    return np.array([sum(len(said.text) for said in each.utterances) for each in dialogues], dtype=float)


def _shipped(dialogues: Sequence[Dialogue]) -> Array:
    metric = Satisfaction()
    found = [metric.statistics(each) for each in dialogues]
    return np.array([np.nan if isinstance(each, Undefined) else each[0] for each in found])


def _shares(rated: Array) -> Array:
    """Ratings as shares of their scale: 0 and 1, or 1 to 5."""
    return rated if rated.max() <= 1 else (rated - 1) / 4


def _rank_columns(rows: Array) -> Array:
    """Midranks of each feature in a corpus, from -1/2 to 1/2: corpora differ in levels."""
    return np.column_stack([(midranks(column) - 0.5) / len(column) - 0.5 for column in rows.T])


def _fit(corpora: Sequence[Corpus], columns: Sequence[int]) -> NDArray[np.float64]:
    """Weights of at least 0 of signed ranks; every corpus counts the same."""
    shares = [np.sqrt(12 / len(each.rated) / len(corpora)) for each in corpora]
    rows = [each.ranks[:, columns] * share for each, share in zip(corpora, shares, strict=True)]
    answers = [_rank_columns(each.rated[:, None])[:, 0] * share for each, share in zip(corpora, shares, strict=True)]
    penalty = np.sqrt(0.1) * np.eye(len(columns))
    weights: Array = nnls(np.vstack([*rows, penalty]), np.concatenate([*answers, np.zeros(len(columns))]))[0]
    return weights


if __name__ == "__main__":
    print("\n".join(satisfaction(Path(sys.argv[1]))))
