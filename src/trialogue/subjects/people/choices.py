"""Choices between two sides: preferences of systems, and realism (which of two dialogues was with a person).

Judgements of one pair of dialogues are correlated, and so are judgements of one person. Where both repeat, the test is the
two-way one (``crossed_raters``); where one does, signs of its clusters are flipped.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np

from trialogue.errors import DataError, Problem
from trialogue.findings.standings import Verdict
from trialogue.findings.votes import DUPLICATE, votes_of
from trialogue.inputs.study_data import Code, Participant, Presentation, Rules, countable_participants
from trialogue.records import Estimate, Preference, Reason, ReasonCode
from trialogue.seeds import rng_for
from trialogue.stats import bonferroni, cohen_kappa, win_lose_tie
from trialogue.stats.comparison.crossed_raters import two_way_p
from trialogue.stats.ranking.battles import Choice
from trialogue.subjects.people.agreement import Table, nominal_agreement
from trialogue.subjects.people.exclusions import PLANNED, repeat_analyses
from trialogue.subjects.people.records import (
    Agreement,
    ChoiceFindings,
    ChoicePair,
    ChoiceSensitivity,
    CodeFindings,
)

RESAMPLES = 2_000
FLIPPED: dict[Choice, Choice] = {"a": "b", "b": "a", "tie": "tie"}

Task = Literal["choice", "realism"]
Judged = list[tuple[Preference, Choice]]
"""Judgements, and what each says of the sides as they are ordered here."""


def analyse_preferences(
    preferences: Iterable[Preference],
    *,
    people: Sequence[Participant] = (),
    rules: Rules | None = None,
    presentations: Mapping[str, Presentation] | None = None,
    codes: Iterable[Code] = (),
    seed: int = 0,
    alpha: float = 0.05,
) -> ChoiceFindings:
    """Analyse which system people prefer.

    Args:
        preferences: choices; two dialogues of one system rank nothing and are left out.
        people: participants; none: everybody's choices count.
        rules: planned exclusion rules; None: every flag excludes.
        presentations: presentations by id of the preference; position 1 where a was shown first.
        codes: codes given to explanations.
        seed: random seed for the bootstrap and the permutations.
        alpha: significance level.

    Raises:
        DataError: two choices under one id.
    """
    everything = list(preferences)
    single = [choice for choice in everything if DUPLICATE not in (choice.source or "")]
    given, left = _countable_choices(single, people, rules)
    votes = [choice for choice in given if choice.a != choice.b]
    if len(single) < len(everything):
        left.append(f"{len(everything) - len(single)} choices that occur twice in their corpus are counted once.")
    findings = _findings("choice", votes, presentations or {}, codes, seed, alpha)
    systems = {name for choice in votes for name in (choice.a, choice.b)}
    update: dict[str, object] = {
        "warnings": (*left, *_same_system_note(len(given) - len(votes)), *findings.warnings),
        "sensitivity": _sensitivity([one for one in single if one.a != one.b], people, rules, findings, seed, alpha),
    }
    if len(systems) > 2:
        update["votes"] = votes_of(votes, seed=seed, resamples=RESAMPLES)
    return findings.model_copy(update=update)


def _same_system_note(count: int) -> Iterable[str]:
    if count:
        yield f"{count} choices between two dialogues of the same system do not rank systems and are left out."


def analyse_realism(
    preferences: Iterable[Preference],
    *,
    people: Sequence[Participant] = (),
    rules: Rules | None = None,
    presentations: Mapping[str, Presentation] | None = None,
    codes: Iterable[Code] = (),
    seed: int = 0,
    alpha: float = 0.05,
) -> ChoiceFindings:
    """Analyse how often a simulated user's dialogue is taken for a person's (Zhang & Balog, KDD 2020, sec. 6.3).

    ``a`` is the simulator, ``b`` the person, ``choice`` what was taken for the person's. Judgements without an explanation
    are left out, as there. One row for each simulator, and for each simulator and recommender (``source``).

    Raises:
        DataError: two judgements under one id.
    """
    everything = list(preferences)
    given, left = _countable_choices(everything, people, rules)
    explained = [choice for choice in given if _has_explanation(choice)]
    findings = _findings("realism", explained, presentations or {}, codes, seed, alpha)
    update = {
        "without_reason": len(given) - len(explained),
        "warnings": (*left, *findings.warnings),
        "sensitivity": _sensitivity(list(filter(_has_explanation, everything)), people, rules, findings, seed, alpha),
    }
    return findings.model_copy(update=update)


def _has_explanation(choice: Preference) -> bool:
    return bool((choice.reason or "").strip())


def _sensitivity(
    everything: Sequence[Preference],
    people: Sequence[Participant],
    rules: Rules | None,
    found: ChoiceFindings,
    seed: int,
    alpha: float,
) -> tuple[ChoiceSensitivity, ...]:
    """The pairs under every other exclusion; nothing where the main analysis has none."""
    pairs = tuple(pair for pair in found.pairs if not pair.group)
    if not pairs:
        return ()

    def row(raters: frozenset[str], again: tuple[ChoicePair, ...] | None = None) -> ChoiceSensitivity:
        left = [choice for choice in everything if choice.rater in raters]
        return ChoiceSensitivity(
            name=PLANNED,
            participants=len({choice.rater for choice in left}),
            judgements=len(left),
            why=None if left else Reason.of(ReasonCode.NO_JUDGEMENTS_LEFT),
            pairs=repeat_pairs(found.task, left, pairs, seed=seed, alpha=alpha) if again is None else again,
        )

    main = row(countable_participants(people, rules) or frozenset(), pairs)
    return repeat_analyses(people, rules, [choice.rater for choice in everything], main, row)


def _countable_choices(
    preferences: Iterable[Preference], people: Sequence[Participant], rules: Rules | None
) -> tuple[list[Preference], list[str]]:
    """Choices in the main analysis, and the excluded ones."""
    given = list(preferences)
    seen: set[str] = set()
    doubled = sorted({choice.id for choice in given if choice.id in seen or seen.add(choice.id)})  # type: ignore[func-returns-value]
    if doubled:
        raise DataError([Problem(f"two choices have the id {name!r}.", field="id") for name in doubled])
    counted = countable_participants(people, rules)
    if counted is None:
        return given, []
    kept = [choice for choice in given if choice.rater in counted]
    left = len(given) - len(kept)
    return kept, [f"{left} choices of excluded or unfinished participants are left out."] if left else []


def _findings(
    task: Task,
    given: Sequence[Preference],
    presentations: Mapping[str, Presentation],
    codes: Iterable[Code],
    seed: int,
    alpha: float,
) -> ChoiceFindings:
    first, first_p = _first_side_rate(given, presentations, seed)
    return ChoiceFindings(
        task=task,
        pairs=pairs_of(task, given, seed=seed, alpha=alpha),
        agreement=_agreement(given, seed),
        first=first,
        first_p=first_p,
        judgements=len(given),
        without_reason=0,
        codes=summarise_codes(codes, {choice.id: choice.a for choice in given}, seed=seed),
        warnings=tuple(_warnings(given)),
    )


def _warnings(given: Sequence[Preference]) -> Iterable[str]:
    nobody = sum(choice.rater is None for choice in given)
    if nobody:
        yield f"For {nobody} judgements the rater is unknown; each is treated as given by a different person."


def _first_side_rate(
    given: Sequence[Preference], presentations: Mapping[str, Presentation], seed: int
) -> tuple[Estimate, float | None]:
    """Share of choices of the side displayed first."""
    sides: list[Choice] = []
    raters: list[Hashable] = []
    for choice in given:
        position = presentations.get(choice.id, Presentation()).position
        if position in (1, 2) and choice.choice != "tie":
            sides.append("a" if (choice.choice == "a") == (position == 1) else "b")
            raters.append(rater_of(choice))
    if not sides:
        return Estimate(value=None, why=Reason.of(ReasonCode.SIDE_NOT_RECORDED)), None
    found = win_lose_tie(sides, clusters=raters, rng=rng_for(seed, "first"), resamples=RESAMPLES)
    return found.decisive, found.clustered.p


def _agreement(given: Sequence[Preference], seed: int) -> tuple[Agreement, ...]:
    """Agreement of raters on the chosen side of the same pair."""
    table: dict[Hashable, dict[str, str]] = {}
    for choice in given:
        if choice.rater is not None:
            side = {"a": choice.dialogue_a or choice.a, "b": choice.dialogue_b or choice.b, "tie": "tie"}[choice.choice]
            order = sorted([choice.dialogue_a or choice.a, choice.dialogue_b or choice.b])
            said = "tie" if side == "tie" else "first" if side == order[0] else "second"
            table.setdefault(item_of(choice), {})[choice.rater] = said
    if not table:
        return ()
    rows: Table = table
    return nominal_agreement(rows, {item: item for item in table}, rng=rng_for(seed, "agreement of choices"))


def summarise_codes(codes: Iterable[Code], explained: Mapping[str, str], *, seed: int = 0) -> tuple[CodeFindings, ...]:
    """Frequency of explanation codes by coder, and kappa of two coders on what both coded.

    Args:
        codes: what coders gave.
        explained: first side of each judgement that counts, by its id; codes of others are left out.
        seed: random seed for the bootstrap.
    """
    by_coder: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for one in codes:
        if one.preference_id in explained:
            by_coder[one.coder][one.preference_id].update([one.code] if one.code else [])
    coders = sorted(by_coder)
    # Codes nest: coder -> judgement -> set of codes; an empty set means that the coder found no code to fit.
    given = Counter(code for each in by_coder.values() for found in each.values() for code in found)
    return tuple(
        CodeFindings(
            code=name,
            counts={coder: sum(name in found for found in by_coder[coder].values()) for coder in coders},
            by_side=dict(
                sorted(
                    Counter(
                        explained[one] for each in by_coder.values() for one, found in each.items() if name in found
                    ).items()
                )
            ),
            share=given[name] / given.total(),
            kappa=_kappa([by_coder[coder] for coder in coders], name, rng_for(seed, "code", name)),
        )
        for name in sorted(given, key=lambda code: (-given[code], code))
    )


def _kappa(coders: Sequence[Mapping[str, set[str]]], name: str, rng: np.random.Generator) -> Estimate:
    if len(coders) != 2:
        return Estimate(value=None, why=Reason.of(ReasonCode.NOT_TWO_CODERS, coders=len(coders)))
    both = sorted(set(coders[0]) & set(coders[1]))
    if not both:
        return Estimate(value=None, why=Reason.of(ReasonCode.NO_SHARED_EXPLANATION))
    left, right = ([name in coder[one] for one in both] for coder in coders)
    return cohen_kappa(left, right, rng=rng, resamples=RESAMPLES)


def item_of(choice: Preference) -> Hashable:
    """Cluster of a choice: the situation or the two dialogues; otherwise the choice itself."""
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
        seed: random seed for the bootstrap and the permutations.
        alpha: significance level.
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
    leads = np.array([{"a": 1.0, "b": -1.0}.get(side, 0.0) for side in sides])
    one_way = [one for one in (by_item.clustered.p, by_rater.clustered.p) if one is not None]
    both_ways = two_way_p(leads, items, raters)
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
        p=max(one_way, default=None) if both_ways is None else both_ways,
        p_adjusted=None,
        items=by_item.clusters,
        raters=by_rater.clusters,
        verdict="undefined",
    )


def _correct_pairs(rows: Sequence[ChoicePair], alpha: float) -> list[ChoicePair]:
    adjusted = bonferroni([row.p for row in rows])
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
