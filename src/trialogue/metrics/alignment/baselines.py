"""Recommendation baselines that ignore the user, as responses to the same situations.

* ``copy-context`` ranks the items mentioned in the context, the last mention first, then popular items.
* ``popularity`` ranks popular items.

Neither reads the reference or the targets of the situation it answers. Popularity counts should come from training data.
Without them, they are counted from the targets of the *other* dialogues among the situations: no dialogue sees its
own answers, but the baselines then know the distribution of the test set, which makes them harder to beat, not easier.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from trialogue.metrics.recommendation.items import whole_number
from trialogue.records import Response, Role, Situation, Utterance

COPY_CONTEXT = "copy-context"
POPULARITY = "popularity"
DEPTH = 100  # items ranked: more than any k the field reports (50)


def recommendation_baselines(
    situations: Iterable[Situation], popularity: Mapping[str, float] | None = None, *, depth: int = DEPTH
) -> Iterator[Response]:
    """Two baseline responses to every situation: copy-context, then popularity.

    Their text is empty; they only rank. Where nobody looked for items in the context, there is nothing to copy, and
    copy-context gives no ranking (None). Ties of popularity go by item id.

    Args:
        situations: situations with mentions in their contexts.
        popularity: how often each item is recommended, best counted in training data; None: counted from the targets of
            the other dialogues among the situations (of the other situations, where they name no dialogue).
        depth: items per ranking, at least 1.

    Raises:
        UsageError: depth is no whole number of at least 1.
    """
    whole_number(depth, "depth")
    situations = list(situations)
    counts = _Counts(situations) if popularity is None else _Counts((), popularity)
    for situation in situations:
        popular = counts.best_without(situation.cluster, depth)
        yield _response(COPY_CONTEXT, situation, _copy_mentions(situation, popular, depth))
        yield _response(POPULARITY, situation, popular)


class _Counts:
    """Popularity, and popularity without one dialogue's own targets."""

    def __init__(self, situations: Sequence[Situation], given: Mapping[str, float] | None = None) -> None:
        self._own: dict[str, Counter[str]] = {}
        self._all: Counter[str] = Counter()
        for situation in situations:
            targets = set(situation.targets or ())
            self._own.setdefault(situation.cluster, Counter()).update(targets)
            self._all.update(targets)
        self._counts: Mapping[str, float] = self._all if given is None else given
        self._order = sorted(self._counts, key=lambda item: (-self._counts[item], item))

    def best_without(self, cluster: str, depth: int) -> tuple[str, ...]:
        """Most popular items without the cluster's own targets; items recommended in this cluster only are excluded."""
        own = self._own.get(cluster, Counter())
        rest = {item: self._counts[item] - count for item, count in own.items() if self._counts[item] > count}
        for item in self._order:
            if len(rest) >= depth + len(own):
                break
            if item not in own:
                rest[item] = self._counts[item]
        return tuple(sorted(rest, key=lambda item: (-rest[item], item))[:depth])


def _copy_mentions(situation: Situation, popular: Sequence[str], depth: int) -> tuple[str, ...] | None:
    mentioned: list[str] = []
    for utterance in situation.context:
        if utterance.mentions is None:
            return None
        mentioned.extend(mention.item_id for mention in utterance.mentions if mention.item_id is not None)
    return tuple(dict.fromkeys([*reversed(mentioned), *popular]))[:depth]


def _response(system: str, situation: Situation, ranking: tuple[str, ...] | None) -> Response:
    utterance = Utterance(speaker="system", text="", mentions=(), ranking=ranking)
    return Response(situation_id=situation.id, system=system, utterance=utterance, role=Role.BASELINE)
