"""Hypothesis strategies for every record: any text (lone surrogates aside), any finite number, any nesting."""

from typing import Any

from hypothesis import strategies as st

from trialogue.records import (
    NO_STRATEGY,
    STRATEGIES,
    ActOrigin,
    Card,
    Dialogue,
    DialogueAct,
    Ending,
    Estimate,
    Interval,
    ItemOpinion,
    Labeller,
    Manifest,
    Mention,
    MentionedBy,
    Preference,
    Raters,
    Rating,
    Reason,
    ReasonCode,
    Response,
    RetryCost,
    Score,
    Situation,
    SlotValue,
    StrategyDistribution,
    StrategyLabel,
    UnknownAct,
    Utterance,
    Variant,
)
from trialogue.records.kinds.endings import FAILURES

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
name = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
number = st.floats(allow_nan=False, allow_infinity=False, width=64)
share = st.floats(0, 1)
offset = st.integers(0, 500)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


def few(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, max_size=3).map(tuple)


json_value = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | number | text,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(text, inner, max_size=2),
    max_leaves=4,
)
meta = st.dictionaries(name, json_value, max_size=2)
slots = st.builds(SlotValue, slot=name, value=maybe(text), start=maybe(offset), end=maybe(offset))
acts = st.builds(DialogueAct, intent=text, slots=few(slots))
labels = st.builds(
    StrategyLabel,
    strategy=st.sampled_from([*STRATEGIES, NO_STRATEGY, "other"]),
    origin=name,
    by=maybe(st.sampled_from(Labeller)),
    probability=maybe(share),
    text=maybe(text),
)
distributions = st.builds(
    StrategyDistribution,
    origin=name,
    probabilities=st.tuples(name, name, share).map(
        lambda given: {given[0]: given[2], f"{given[1]}!{given[0]}": 1 - given[2]}
    ),
    matching=maybe(st.tuples(number, number)),
    matching_error=maybe(st.tuples(st.floats(0, 1e9), number, st.floats(0, 1e9))),
)
mentions = st.builds(
    Mention,
    title=name,
    item_id=maybe(name),
    start=maybe(offset),
    end=maybe(offset),
    origin=name,
    by=st.sampled_from(MentionedBy),
)


def rated(
    names: st.SearchStrategy[str],
    values: st.SearchStrategy[float],
    raters: st.SearchStrategy[str | None],
) -> st.SearchStrategy[Rating]:
    """Ratings on any scale that holds them, each end of which may be unknown."""

    def made(fields: tuple[str, list[float], str | None, Raters, bool, bool]) -> Rating:
        name, ends, rater, kind, has_low, has_high = fields
        low, value, high = sorted(ends)
        given = {"low": low if has_low else None, "high": high if has_high else None}
        return Rating(name=name, value=value, rater=rater, raters=kind, **given)

    three = st.lists(values, min_size=3, max_size=3)
    return st.tuples(names, three, raters, st.sampled_from(Raters), st.booleans(), st.booleans()).map(made)


ratings = rated(name, number, maybe(name))
opinions = st.builds(
    ItemOpinion,
    title=name,
    item_id=maybe(name),
    by=st.sampled_from(["user", "system"]),
    suggested=maybe(st.booleans()),
    seen=maybe(st.booleans()),
    liked=maybe(st.booleans()),
)


def utterances(speaker: st.SearchStrategy[str]) -> st.SearchStrategy[Utterance]:
    return st.builds(
        Utterance,
        speaker=speaker,
        text=text,
        id=maybe(name),
        acts=maybe(few(acts)),
        acts_by=maybe(st.sampled_from(ActOrigin)),
        acts_labeller=maybe(name),
        acts_unknown=maybe(st.sampled_from(UnknownAct)),
        strategies=maybe(few(labels)),
        strategy_distribution=maybe(distributions),
        mentions=maybe(few(mentions)),
        ranking=maybe(few(name)),
        ratings=few(ratings),
        meta=meta,
    )


user, system = utterances(st.just("user")), utterances(st.just("system"))
seconds = st.floats(min_value=0, max_value=1e6, allow_nan=False)
dialogues = st.builds(
    Dialogue,
    id=name,
    utterances=few(user | system),
    system=maybe(name),
    user=maybe(name),
    source=maybe(name),
    ratings=few(ratings),
    opinions=maybe(few(opinions)),
    outcome=st.dictionaries(name, text, max_size=2),
    ended_by=maybe(st.sampled_from(Ending)),
    ending_detail=maybe(text),
    retries=maybe(st.builds(RetryCost, count=offset, waited_s=seconds)),
    meta=meta,
)
situations = st.builds(
    Situation,
    id=name,
    context=st.tuples(few(user | system), user).map(lambda parts: (*parts[0], parts[1])),
    reference=maybe(system),
    targets=maybe(few(name)),
    dialogue_id=maybe(name),
    turn=maybe(offset),
    source=maybe(name),
    meta=meta,
)
responses = st.builds(
    Response,
    situation_id=name,
    system=name,
    utterance=system,
    failure=maybe(st.sampled_from(sorted(FAILURES))),
    meta=meta,
)
intervals = st.tuples(number, number).map(
    lambda ends: Interval(low=min(ends), high=max(ends), method="percentile", confidence=0.9)
)
reasons = st.builds(Reason, code=st.just(ReasonCode.OTHER), facts=st.fixed_dictionaries({"text": text})) | st.builds(
    Reason.of, st.just(ReasonCode.LEFT_OUT_FOR_ONE_REASON), st.just(Reason.of(ReasonCode.NO_REFERENCE)), units=offset
)
estimates = st.builds(
    Estimate,
    value=number,
    interval=maybe(intervals),
    n=offset,
    clusters=maybe(offset),
    why=maybe(reasons),
    p=maybe(share),
) | st.builds(Estimate, value=st.none(), why=reasons)
levels = st.sampled_from(["utterance", "response", "dialogue", "system", "difference"])
scores = st.builds(
    Score,
    measure=name,
    level=levels,
    value=number,
    system=maybe(name),
    versus=maybe(name),
    dialogue_id=maybe(name),
    situation_id=maybe(name),
    utterance=maybe(offset),
    rater=maybe(name),
    interval=maybe(intervals),
    n=maybe(offset),
    p=maybe(share),
    signature=maybe(name),
    left_out=maybe(reasons),
) | st.builds(Score, measure=name, level=levels, value=st.none(), why=reasons)
preferences = st.builds(
    Preference,
    id=name,
    a=st.just("left"),
    b=st.just("right"),
    choice=st.sampled_from(["a", "b", "tie"]),
    rater=maybe(name),
    dialogue_a=maybe(name),
    dialogue_b=maybe(name),
    situation_id=maybe(name),
    reason=maybe(text),
    source=maybe(name),
)
manifests = st.builds(
    Manifest,
    command=name,
    config=meta,
    seed=maybe(offset),
    inputs=st.dictionaries(name, name, max_size=2),
    outputs=st.dictionaries(name, name, max_size=2),
    versions=st.dictionaries(name, name, max_size=2),
)
cards = st.builds(
    Card,
    name=name,
    title=name,
    summary=text,
    unit=name,
    better=st.sampled_from(["higher", "lower", "neither"]),
    level=st.sampled_from(["response", "dialogue"]),
    variants=st.dictionaries(name, st.builds(Variant, summary=text, source=text), min_size=1, max_size=2),
    default=name,
    caveats=few(text),
)
lines = st.one_of(dialogues, situations, responses, scores, preferences, manifests)
