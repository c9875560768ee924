"""How a system spreads its recommendations: concentration on few items, popularity, and diversity within a reply."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import ClassVar

import numpy as np

from trialogue.catalogue import Catalogue, read_ratings
from trialogue.errors import UsageError
from trialogue.metrics.base import Array, RatioMetric, Reply, Undefined
from trialogue.metrics.recommendation.items import Coverage, item_key, mentions_in
from trialogue.records import Card, FailurePolicy, Reason, ReasonCode, Variant

RECTOOLS = "RecTools 0.19 (MTS AI, github.com/MobileTeleSystems/RecTools)"
GINI = Card(
    name="gini",
    title="Gini coefficient of recommended items",
    summary="How unequally a system recommends the items of the catalogue: 0 if all equally often, 1 if always the same "
    "item.",
    unit="Gini coefficient",
    low=0,
    high=1,
    better="neither",
    level="response",
    failed=FailurePolicy.AS_IS,
    needs=("ranking", "mentions"),
    variants={
        "mentions": Variant(
            summary="Of the numbers of dialogues (or users, where they are known) in which a reply names each item of the "
            "catalogue.",
            source="LensKit 2025.8, ListGini: of the number of lists that each item appears in.",
        ),
        "ranking": Variant(summary="The same, of items among the first k of some ranking.", source="The same formula."),
    },
    default="mentions",
    parameters={
        "size": "number of items in the catalogue; without it the value is undefined",
        "k": "how many items of each ranking count (default 10; ignored by @mentions)",
    },
    caveats=("It falls with the number of dialogues: compare systems only on the same situations.",),
    citation="Fleder & Hosanagar (Management Science 2009), 'Blockbuster culture's next rise or fall'",
    family="recommendation",
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
        size, whole = float(self._size or 0), float((occurrences * items).sum())
        below = size - items.sum() + np.cumsum(items) - items
        return (
            float((occurrences * items * (2 * below + items - size)).sum() / (size * whole)) if whole else float("nan")
        )


POPULARITY = Card(
    name="popularity",
    title="Popularity of recommended items",
    summary="How popular the items are that replies name, on average.",
    unit="ratings per item",
    low=0,
    better="neither",
    level="response",
    failed=FailurePolicy.UNDEFINED,
    needs=("mentions",),
    variants={
        "count": Variant(
            summary="Mean over replies of the mean number of ratings of the items named in each; unrated items have 0.",
            source=f"{RECTOOLS}, AvgRecPopularity, a reply being a list.",
        ),
        "share": Variant(
            summary="The same, of each item's share of all ratings.",
            source=f"{RECTOOLS}, AvgRecPopularity(normalize=True).",
        ),
    },
    default="count",
    parameters={"ratings": "a file of ratings (users, items, values); without it the value is undefined"},
    caveats=("Ratings of another time or platform say little about what is popular among a system's users.",),
    citation="Yin et al. (VLDB 2012), 'Challenging the long tail recommendation'",
    family="recommendation",
)


class _OfLists(RatioMetric, ABC):
    """Mean over replies of a value of the items that each names, every item once."""

    file: Path | None
    """What is known of items; None: not given, and no value is defined."""
    fewest = 1
    """Items that a reply has to name."""

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(value of the reply's items, 1)."""
        found = mentions_in(unit)
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


DIVERSITY = Card(
    name="intra_list_diversity",
    title="Diversity within replies",
    summary="How much the items that a reply names differ in an attribute, such as genre.",
    unit="values by which two items differ",
    low=0,
    better="neither",
    level="response",
    failed=FailurePolicy.UNDEFINED,
    needs=("mentions",),
    variants={
        "hamming": Variant(
            summary="Mean over replies that name two items or more of the mean distance of their pairs: the number of "
            "values that one item has and the other has not.",
            source=f"{RECTOOLS}, IntraListDiversity with PairwiseHammingDistanceCalculator on indicators of the values, "
            f"with a reply as the list. RecTools gives a list of one item 0; here it is omitted.",
        )
    },
    default="hamming",
    parameters={
        "items": "the catalogue, a file of items; without it the value is undefined",
        "by": "attribute (default genre)",
    },
    caveats=("Items that the catalogue does not have are left out.",),
    citation="Ziegler et al. (WWW 2005), 'Improving recommendation lists through topic diversification'",
    family="recommendation",
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
