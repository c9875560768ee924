"""How a system spreads its recommendations: share of the catalogue, concentration, popularity, diversity in a reply."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from typing import ClassVar

import numpy as np

from trialogue.catalogue import Catalogue, read_ratings
from trialogue.errors import UsageError
from trialogue.metrics.base import Array, DistinctTypes, RatioMetric, Reply, Undefined
from trialogue.metrics.names import Parameter, full_name, whole_number
from trialogue.metrics.recommendation.items import item_key, mentions_in
from trialogue.records import Card, FailurePolicy, Reason, ReasonCode, Variant

_card = partial(Card, low=0, better="neither", level="response", family="recommendation")
"""What the cards of this module have in common."""

COVERAGE = _card(
    name="coverage",
    title="Catalogue coverage",
    summary="Share of the catalogue that the system recommends at least once.",
    unit="share of the catalogue",
    failed=FailurePolicy.AS_IS,
    needs=("ranking", "mentions"),
    variants={
        "ranking": Variant(
            summary="Distinct items among the first k of any ranking, over the size of the catalogue.",
            source="RecSys Challenge 2026 (Music-CRS), metrics_diversity.py: unique recommended tracks / catalogue.",
        ),
        "mentions": Variant(
            summary="Distinct items named in any reply, over the size of the catalogue.",
            source="The same formula, for items in the text that the user reads.",
        ),
    },
    default="ranking",
    parameters={
        "size": "number of items in the catalogue; without it the value is undefined",
        "k": "how many items of each ranking count (default 10; ignored by @mentions)",
    },
    caveats=(
        "Coverage grows with the number of replies, so compare systems only on the same situations.",
        "A system that recommends at random covers most of the catalogue, so read coverage together with recall.",
    ),
    citation="Ge et al. (RecSys 2010), 'Beyond accuracy: evaluating recommender systems by coverage and serendipity'",
)


class Coverage:
    """Distinct items recommended over the size of the catalogue."""

    card = COVERAGE

    def __init__(self, *, variant: str = COVERAGE.default, size: int | None = None, k: int = 10) -> None:
        card = type(self).card
        whole_number(k, "k")
        parameters: dict[str, Parameter] = {"k": k} if variant == "ranking" else {}
        if size is not None:
            parameters["size"] = whole_number(size, "size")
        self.measure = full_name(card, variant, parameters)
        self.card = card.model_copy(update={"needs": (variant,)})
        self._size, self._k, self._ranked = size, k, variant == "ranking"

    def types(self, unit: Reply) -> DistinctTypes | Undefined:
        """Items of one reply."""
        if self._size is None:
            return Undefined(Reason.of(ReasonCode.CATALOGUE_SIZE_UNKNOWN))
        if not self._ranked:
            found = mentions_in(unit.utterance)
            return found if isinstance(found, Undefined) else DistinctTypes([item_key(mention) for mention in found])
        if unit.utterance.ranking is None:
            return Undefined(Reason.of(ReasonCode.NO_RANKING))
        return DistinctTypes(unit.utterance.ranking[: self._k])

    def value(self, distinct: Array, total: Array, extra: Array) -> Array:
        """Distinct items over the size of the catalogue."""
        self._refuse_more_than_all(float(distinct.max(initial=0)))
        share: Array = distinct / float(self._size or 0)
        return share

    def _refuse_more_than_all(self, different: float) -> None:
        """Raise UsageError if more items occur than the catalogue is said to have."""
        if self._size is not None and different > self._size:
            raise UsageError(
                f"{self.card.name}(size={self._size}): {different:.0f} different items are recommended, more than the "
                "catalogue is said to have. Give the number of all items of the catalogue as size."
            )


RECTOOLS = "RecTools 0.19 (MTS AI, github.com/MobileTeleSystems/RecTools)"
GINI = _card(
    name="gini",
    title="Gini coefficient of recommended items",
    summary="How unequally a system recommends the items of the catalogue: 0 if it recommends all equally often, 1 "
    "if always the same item.",
    unit="Gini coefficient",
    high=1,
    failed=FailurePolicy.AS_IS,
    needs=("ranking", "mentions"),
    variants={
        "mentions": Variant(
            summary="Inequality of the number of dialogues (or of users, if known) in which each item of the "
            "catalogue is named.",
            source="LensKit 2025.8, ListGini: of the number of lists that each item appears in.",
        ),
        "ranking": Variant(
            summary="As @mentions, for items among the first k of any ranking.", source="The same formula."
        ),
    },
    default="mentions",
    parameters={
        "size": "number of items in the catalogue; without it the value is undefined",
        "k": "how many items of each ranking count (default 10; ignored by @mentions)",
    },
    caveats=("The coefficient falls with the number of dialogues, so compare systems only on the same situations.",),
    citation="Fleder & Hosanagar (Management Science 2009), 'Blockbuster culture's next rise or fall'",
)


class Gini(Coverage):
    """Gini coefficient of the numbers of lists that each item of the catalogue appears in."""

    card = GINI

    def __init__(self, *, variant: str = GINI.default, size: int | None = None, k: int = 10) -> None:
        super().__init__(variant=variant, size=size, k=k)

    def value(self, distinct: Array, total: Array, extra: Array) -> Array:
        """NaN: it is a function of how often each item occurs, and one list says nothing of that."""
        return np.full_like(distinct, np.nan)

    def concentration(self, occurrences: Array, items: Array) -> float:
        """The coefficient, where ``items[i]`` items are in ``occurrences[i]`` lists each, in ascending order; NaN for none.

        >>> Gini(size=4).concentration(np.array([1.0, 3.0]), np.array([1.0, 1.0]))  # of 0, 0, 1 and 3
        0.625
        """
        self._refuse_more_than_all(float(items.sum()))
        size, whole = float(self._size or 0), float((occurrences * items).sum())
        below = size - items.sum() + np.cumsum(items) - items
        return (
            float((occurrences * items * (2 * below + items - size)).sum() / (size * whole)) if whole else float("nan")
        )


POPULARITY = _card(
    name="popularity",
    title="Popularity of recommended items",
    summary="Average popularity of the items that replies name.",
    unit="ratings per item",
    failed=FailurePolicy.UNDEFINED,
    needs=("mentions",),
    variants={
        "count": Variant(
            summary="Mean over replies of the mean number of ratings of the items named in each; unrated items have 0.",
            source=f"{RECTOOLS}, AvgRecPopularity, a reply being a list.",
        ),
        "share": Variant(
            summary="As @count, for each item's share of all ratings.",
            source=f"{RECTOOLS}, AvgRecPopularity(normalize=True).",
        ),
    },
    default="count",
    parameters={"ratings": "a file of ratings (users, items, values); without it the value is undefined"},
    caveats=("Ratings of another time or platform say little about what is popular among a system's users.",),
    citation="Yin et al. (VLDB 2012), 'Challenging the long tail recommendation'",
)


class _OfLists(RatioMetric, ABC):
    """Mean over replies of a value of the items that each names, every item once."""

    file: Path | None
    """What is known of items; None: not given, and no value is defined."""
    fewest = 1
    """Items that a reply has to name."""

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(value of the reply's items, 1)."""
        found = mentions_in(unit.utterance)
        if isinstance(found, Undefined):
            return found
        if self.file is None:
            return Undefined(Reason.of(ReasonCode.FILE_NOT_GIVEN, parameters=", ".join(self.card.parameters)))
        keys = [key for key in dict.fromkeys(map(item_key, found)) if self.has(key)]
        if len(keys) < self.fewest:
            return Undefined(Reason.of(ReasonCode.FEW_ITEMS_NAMED, fewest=self.fewest))
        return (self.of_items(keys), 1.0)

    def has(self, key: str) -> bool:
        """Whether an item counts."""
        return True

    @abstractmethod
    def of_items(self, keys: Sequence[str]) -> float:
        """Value of a list."""


class Popularity(_OfLists):
    """Average popularity of recommended items."""

    card = POPULARITY
    of_variants: ClassVar = {"share": {"unit": "share of ratings"}}

    def __init__(self, *, variant: str | None = None, ratings: str = "") -> None:
        self.file = Path(ratings) if ratings else None
        self.declare(variant, **({"ratings": Path(ratings).name} if ratings else {}))

    @cached_property
    def _counts(self) -> Mapping[str, float]:
        counts = read_ratings(self.file).popularity() if self.file else {}
        whole = sum(counts.values()) if self.variant == "share" else 1
        return {item: count / whole for item, count in counts.items()}

    def of_items(self, keys: Sequence[str]) -> float:
        """Their mean popularity."""
        return float(np.mean([self._counts.get(key, 0.0) for key in keys]))


DIVERSITY = _card(
    name="intra_list_diversity",
    title="Diversity within replies",
    summary="How much the items that a reply names differ in an attribute, such as genre.",
    unit="values by which two items differ",
    failed=FailurePolicy.UNDEFINED,
    needs=("mentions",),
    variants={
        "hamming": Variant(
            summary="Mean distance between the items of a reply, averaged over replies that name at least two. The "
            "distance of two items is the number of values that only one of them has.",
            source=f"{RECTOOLS}, IntraListDiversity with PairwiseHammingDistanceCalculator on indicators of the values, "
            f"with a reply as the list. RecTools gives a list of one item 0; here it is omitted.",
        )
    },
    default="hamming",
    parameters={
        "items": "the catalogue, a file of items; without it the value is undefined",
        "by": "attribute (default genre)",
    },
    caveats=("Items that are not in the catalogue are left out.",),
    citation="Ziegler et al. (WWW 2005), 'Improving recommendation lists through topic diversification'",
)


class IntraListDiversity(_OfLists):
    """Mean pairwise distance of the items of a reply."""

    card = DIVERSITY
    fewest = 2

    def __init__(self, *, variant: str | None = None, items: str = "", by: str = "genre") -> None:
        self.file = Path(items) if items else None
        self.declare(variant, by=by, **({"items": Path(items).name} if items else {}))
        self._by = by

    @cached_property
    def _values(self) -> Mapping[str, frozenset[Hashable]]:
        catalogue = Catalogue.read(self.file) if self.file else Catalogue({})
        if self._by not in catalogue.attributes:
            raise UsageError(
                f"the items of {self.file and self.file.name} have no attribute {self._by!r}. "
                f"They have: {', '.join(catalogue.attributes)}."
            )
        return {item.id: frozenset(item.attributes.get(self._by, ())) for item in catalogue.values()}

    def has(self, key: str) -> bool:
        """Whether the catalogue has it."""
        return key in self._values

    def of_items(self, keys: Sequence[str]) -> float:
        """Mean number of values that one item of a pair has and the other has not."""
        return float(np.mean([len(self._values[one] ^ self._values[other]) for one, other in combinations(keys, 2)]))
