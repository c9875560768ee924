"""Default metrics of a run: those whose requirements the data meet, one variant each."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache

from trialogue.analysis.domains import domain_fits
from trialogue.long_work import OnePass, PerObject
from trialogue.metrics import AnyMetric, Conversation, get_metric
from trialogue.metrics.base import Reply
from trialogue.metrics.dialogue.acts import why_unlabelled
from trialogue.metrics.dialogue.resources import calls_of, cost_of, tokens_of, traces_of, wait_of
from trialogue.records import Dialogue, DomainFit, MentionedBy, Utterance

BASELINES = ("length@words", "distinct(n=2)@per_response_marks")
"""Trivial baselines, which any metric must beat before its agreement with people means anything."""

FOR_ITEMS = (  # replies in which titles were looked for; beside what leads the answer
    "unrecognised_titles@presented",
    "unrecognised_titles@outside",
    "unrecognised_titles@newer",
    "contradicted_facts@stated",
)
# One declared variant of each family. Distinct-n as a ratio and repetition agree with people's satisfaction no better than
# chance (benchmarks/AGREEMENT.md), so they are measured where they are named.
FOR_REPLIES = (
    "length@words",
    "distinct(n=2)@per_response",
    "item_ratio@any",
)
LEARNED = ("satisfaction@linear",)
"""Learned metric that agrees better with people's satisfaction than those below, so that it leads answers without people;
omitted outside its domain."""
FOR_DIALOGUES = (
    "turns@user_utterances",
    "user_act_ratio@kdd2020",
    "turns_before_recommendation",
    "success_rate@accept_rating_good",
    AGAIN := "repeated_recommendations@again",
)
FOR_NEEDS = (  # dialogues whose users have a known need; the first choice for the answer
    "lift(turns=10)@named",
    "need_met(turns=10)@named",
    "need_met_by_chance(turns=10)@drawn",
    "turns_until_need_met(turns=10)@capped",
    "constraints_satisfied(turns=10)@best",
    "need_recall(k=10,turn=1)@last",
    "need_recall(k=10,turn=5)@last",
    "need_recall(k=10,turn=10)@last",
    "repeated_recommendations@named",
    "out_of_catalogue@declared",
)
FOR_ACTS = (  # dialogues with known user acts, as with simulated users
    "rounds_until_acceptance@accepted",
    "failures@all",
    "latency@mean",
    "cost@per_dialogue",
    "cost@per_satisfied",
    "tokens@all",
    "tokens@input",
    "tokens@output",
    "tool_calls@per_dialogue",
    "tool_calls@failed",
    "tool_calls@repeated",
    "tool_calls@invalid",
    "tool_calls@ignored",
)
WITH_REFERENCES = (
    "behavior_alignment",
    "bleu(k=4)@sacrebleu",
    "rouge_l@f1",
    "chrf@sacrebleu",
    "token_f1@parlai",
)
WITH_RANKINGS = ("recall(k=1)@per_label", "recall(k=10)@per_label", "ndcg(k=10)@per_label", "mrr(k=10)@per_label")

OF_AGENTS = frozenset({"tool_calls", "cost", "tokens"})
"""What only logs of running systems record."""
NOT_OF_LOGS = (*FOR_REPLIES[1:], *FOR_DIALOGUES[1:])
"""Descriptions of replies that do not help the owner of an agent; they are measured where they are named."""

REPLY = "reply"
"""What units of response metrics are: a table of scores alone has none."""


def with_leaders(metrics: Sequence[AnyMetric]) -> list[AnyMetric]:
    """Metrics with lift before an outcome by needs that was asked for alone, which a list that ignores its user can win."""
    outcomes = {metric.card.name for metric in metrics}
    lift = get_metric(FOR_NEEDS[0])
    return [lift, *metrics] if lift.card.beside in outcomes and lift.card.name not in outcomes else list(metrics)


def default_metrics(
    conversations: Iterable[Conversation],
    look: Callable[[Iterable[Conversation]], None] = lambda _items: None,
    keep: Callable[[tuple[DomainFit, ...]], None] = lambda _fits: None,
) -> list[AnyMetric]:
    """Default metrics with at least one defined unit and a domain that fits the dialogues of every system.

    Of every one, not of all together: a small system outside it would hide among the others, and be compared with them.

    Args:
        conversations: those that are measured.
        look: what else is to be found out in the same pass.
        keep: takes the fits to the domains of learned metrics.
    """
    names = (
        *FOR_NEEDS,
        *FOR_ACTS,
        *WITH_RANKINGS,
        *WITH_REFERENCES,
        *LEARNED,
        *FOR_ITEMS,
        *FOR_REPLIES,
        *FOR_DIALOGUES,
    )
    metrics = {name: get_metric(name) for name in names}
    with OnePass(conversations) as once:
        needs, looked = once.use(needs_met), once.use(look)
        fits = once.use(lambda items: domain_fits([metrics[name] for name in LEARNED], items))
    looked.result()
    keep(fits.result())
    outside = {fit.measure for fit in fits.result() if not fit.fits}
    held = needs.result()
    is_log = "need" not in held and not OF_AGENTS.isdisjoint(held)
    return [
        metric
        for name, metric in metrics.items()
        if not (name == AGAIN and "need" in held)  # of needs there is another variant
        and not (is_log and name in NOT_OF_LOGS)
        and set(metric.card.needs) <= held
        and (REPLY if metric.card.level == "response" else "dialogue") in held
        and metric.measure not in outside
    ]


def needs_met(conversations: Iterable[Conversation]) -> frozenset[str]:
    """Requirements named on cards that the data meet."""
    held: set[str] = set()
    by_utterances = set[frozenset[str]]()  # a few different ones
    for conversation in conversations:
        if conversation.dialogue is not None:
            held.update(_held_by_dialogue(conversation.dialogue, held))
            by_utterances.update(map(_held_by_utterance, conversation.utterances))
        else:
            for reply in conversation.replies:
                held.update(_held_by_reply(reply))
    return frozenset(held.union(*by_utterances))


def _held_by_dialogue(dialogue: Dialogue, known: Collection[str]) -> Iterator[str]:
    """What a dialogue has; what is known already need not be looked for in its messages."""
    said = dialogue.utterances
    if said or not dialogue.ratings:  # of a table of scores, only ratings
        yield "dialogue"
    if "context" not in known and any(each.speaker == "system" for each in said[1:]):
        yield "context"
    if "user_acts" not in known and why_unlabelled(said, "user") is None:
        yield "user_acts"
    for name in ("need", "opinions", "ended_by"):
        if getattr(dialogue, name) is not None:
            yield name
    for name in ("outcome", "ratings"):
        if getattr(dialogue, name):
            yield name
    if not OF_AGENTS.issubset(known) and next(traces_of(dialogue), None) is not None:
        known = {"tool_calls": calls_of(dialogue), "cost": cost_of(dialogue), "tokens": tokens_of(dialogue)}
        yield from (need for need, value in known.items() if value is not None)


def _held_by_reply(reply: Reply) -> Iterator[str]:
    reference = reply.reference
    held = _held_by_utterance(reply.utterance)
    if reference is not None:
        yield "reference"
        # A match needs labels on both sides; without a reference, a system's own labels still describe it.
        held -= OF_PAIRS - _held_by_utterance(reference)
    yield from held - OF_DIALOGUES
    if reply.context:
        yield "context"
    if reply.targets is not None:
        yield "targets"


OF_PAIRS = frozenset({"strategies", "strategy_distribution"})
OF_DIALOGUES = frozenset({"dialogue_ranking", "latency"})
"""What an utterance has for measures of dialogues alone."""


@PerObject
def _held_by_utterance(utterance: Utterance) -> frozenset[str]:
    held = {
        REPLY: True,
        "mentions": utterance.mentions is not None,
        # looked for, also where none is recognisable
        "unrecognised": utterance.unrecognised is not None or utterance.claims is not None,
        "newer": any(each.by is MentionedBy.NEWER for each in utterance.unrecognised or ()),
        "outside": utterance.outside is not None,
        "claims": bool(utterance.claims),
        "ranking": utterance.ranking is not None,
        "dialogue_ranking": utterance.ranking is not None,
        "acts": utterance.acts is not None,
        "same_as_reference": utterance.same_as_reference is not None,
        "strategies": utterance.strategies is not None,
        "strategy_distribution": utterance.strategy_distribution is not None,
        "latency": wait_of(utterance) is not None,
    }
    return _as_one_object(frozenset(name for name, is_so in held.items() if is_so))


@cache
def _as_one_object(names: frozenset[str]) -> frozenset[str]:
    """Equal names as one object: of every utterance there is one set, which takes 728 bytes."""
    return names
