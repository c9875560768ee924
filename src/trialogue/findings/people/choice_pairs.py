"""Pairwise choices between two sides: shares, and tests clustered by item and by rater."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Literal

from trialogue.findings.people.records import ChoicePair, Verdict
from trialogue.records import Estimate, Preference
from trialogue.seeds import rng_for
from trialogue.stats import holm, win_lose_tie
from trialogue.stats.ranking.battles import Choice

RESAMPLES = 2_000
FLIPPED: dict[Choice, Choice] = {"a": "b", "b": "a", "tie": "tie"}

Task = Literal["choice", "realism"]
Judged = list[tuple[Preference, Choice]]
"""Judgements, and what each says of the sides as they are ordered here."""


def item_of(choice: Preference) -> Hashable:
    """Cluster of what was compared: the situation, or the two dialogues; otherwise the choice itself."""
    if choice.situation_id is not None:
        return (choice.situation_id, frozenset((choice.a, choice.b)))
    if choice.dialogue_a is not None and choice.dialogue_b is not None:
        return frozenset((choice.dialogue_a, choice.dialogue_b))
    return ("choice", choice.id)


def rater_of(choice: Preference) -> Hashable:
    """Cluster of the rater; a unique one if unknown."""
    return ("rater", choice.rater) if choice.rater else ("choice", choice.id)


def pairs_of(task: Task, given: Sequence[Preference], *, seed: int, alpha: float) -> tuple[ChoicePair, ...]:
    """All pairs of sides, the more frequent winner first; realism also by recommender (``source``).

    Args:
        task: preferences, or realism, where a stays first.
        given: judgements that count.
        seed: of the bootstrap and the permutations.
        alpha: level at which differences are called.
    """
    rows = [_pair(*_orient_leader(*sides, choices), seed) for sides, choices in _group_choices(task, given).items()]
    whole, parts = [row for row in rows if not row.group], [row for row in rows if row.group]
    return (*_correct_pairs(whole, alpha), *_correct_pairs(parts, alpha))


def repeat_pairs(
    task: Task, given: Sequence[Preference], like: Sequence[ChoicePair], *, seed: int, alpha: float
) -> tuple[ChoicePair, ...]:
    """The same pairs and orientation from other judgements; pairs without judgements are omitted."""
    grouped = _group_choices(task, given)
    rows = []
    for pair in like:
        turned = [(choice, FLIPPED[side]) for choice, side in grouped.get((pair.b, pair.a, pair.group), [])]
        choices = grouped.get((pair.a, pair.b, pair.group)) or turned
        if choices:
            rows.append(_pair(pair.a, pair.b, pair.group, choices, seed))
    return tuple(_correct_pairs(rows, alpha))


def _group_choices(task: Task, given: Sequence[Preference]) -> dict[tuple[str, str, str], Judged]:
    """Choices by their two sides, each turned to the side that comes first; realism also by recommender."""
    found: dict[tuple[str, str, str], Judged] = defaultdict(list)
    for choice in given:
        a, b = (choice.a, choice.b) if task == "realism" or choice.a < choice.b else (choice.b, choice.a)
        turned = choice.choice if a == choice.a else FLIPPED[choice.choice]
        found[a, b, ""].append((choice, turned))
        if task == "realism" and choice.source:
            found[a, b, choice.source].append((choice, turned))
    return dict(sorted(found.items()))


def _orient_leader(a: str, b: str, group: str, choices: Judged) -> tuple[str, str, str, Judged]:
    """Turned so that the side with more wins comes first, unless the second one is the person."""
    sides = [side for _, side in choices]
    if sides.count("b") > sides.count("a") and b != "human":
        return b, a, group, [(choice, FLIPPED[side]) for choice, side in choices]
    return a, b, group, choices


def _pair(a: str, b: str, group: str, choices: Judged, seed: int) -> ChoicePair:
    sides = [side for _, side in choices]
    items, raters = [item_of(choice) for choice, _ in choices], [rater_of(choice) for choice, _ in choices]
    by_item = win_lose_tie(sides, clusters=items, rng=rng_for(seed, a, b, group, "item"), resamples=RESAMPLES)
    by_rater = win_lose_tie(sides, clusters=raters, rng=rng_for(seed, a, b, group, "rater"), resamples=RESAMPLES)
    p = [one for one in (by_item.clustered.p, by_rater.clustered.p) if one is not None]
    return ChoicePair(
        a=a,
        b=b,
        group=group,
        wins=by_item.wins,
        losses=by_item.losses,
        ties=by_item.ties,
        shares={name: _wider(by_item.shares[name], by_rater.shares[name]) for name in by_item.shares},
        decisive=_wider(by_item.decisive, by_rater.decisive),
        exact=by_item.exact,
        p_by_item=by_item.clustered.p,
        p_by_rater=by_rater.clustered.p,
        p=max(p) if p else None,
        p_adjusted=None,
        items=by_item.clusters,
        raters=by_rater.clusters,
        verdict="undefined",
    )


def _correct_pairs(rows: Sequence[ChoicePair], alpha: float) -> list[ChoicePair]:
    adjusted = holm([row.p for row in rows])
    return [
        row.model_copy(update={"p_adjusted": p, "verdict": _verdict(row, p, alpha)})
        for row, p in zip(rows, adjusted, strict=True)
    ]


def _wider(one: Estimate, other: Estimate) -> Estimate:
    if one.interval is None or other.interval is None:
        return one if one.interval is None else other
    widths = [each.interval.high - each.interval.low for each in (one, other) if each.interval]
    return one if widths[0] >= widths[1] else other


def _verdict(row: ChoicePair, p: float | None, alpha: float) -> Verdict:
    if p is None or row.decisive.value is None:
        return "undefined"
    if p >= alpha:
        return "inconclusive"
    return "a" if row.decisive.value > 0.5 else "b"
