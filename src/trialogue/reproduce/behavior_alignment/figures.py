"""Figures 2 and 3: agreement with people and differentiation, on the pairs that are available."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trialogue.datasets import get_corpus
from trialogue.datasets.store import is_here
from trialogue.findings.resampling import Resampling
from trialogue.inputs.inputs import gather
from trialogue.metrics import (
    Conversation,
    Reply,
    Settings,
    conversations_of,
    get_metrics,
    measure,
    offline_conversations,
)
from trialogue.records import MeasureName, Preference, Score, Situation
from trialogue.reproduce.behavior_alignment.rows import Row
from trialogue.seeds import rng_for
from trialogue.strategies.base import StrategyClassifier
from trialogue.strategies.labelling import label_records
from trialogue.subjects.agreement.preference_agreement import pairs_of, preference_agreement, values_by_side
from trialogue.subjects.alignment.differentiation import (
    Differentiation,
    PreferredPair,
    differentiation,
    preferred_pairs,
)

PART2, PART3 = "Figure 2: agreement with people's preferences", "Figure 3: from the worst system to the ideal one"
IDEAL, WORST = 0.88, 0.11  # Behavior Alignment of the paper's two ends
PRINTED_KAPPA = 0.74
COMMAND = "trialogue reproduce behavior-alignment --pairs FILE"
OFFLINE = ("behavior_alignment", "implicit_alignment", "bleu(k=2)@sacrebleu", "bleu(k=4)@sacrebleu", "rouge_l@f1")
ANYWHERE = ("distinct(n=1)@ratio", "distinct(n=2)@ratio", "distinct(n=2)@per_response", "length@words")


@dataclass(frozen=True)
class JudgedPairs:
    """Replies or dialogues of two systems that people chose between, with strategies."""

    title: str
    """Names of the files."""
    conversations: tuple[Conversation, ...]
    """Both sides of each choice."""
    preferences: tuple[Preference, ...]


def judged_pairs(pairs: Sequence[str | Path], labeller: StrategyClassifier) -> JudgedPairs:
    """Read people's choices, and label the strategies of both sides."""
    material = gather(pairs)
    situations = list(label_records(material.situations, labeller))
    responses = list(label_records(material.responses, labeller, situations=situations))
    online = conversations_of(label_records(material.dialogues, labeller))
    conversations = (*online, *offline_conversations(situations, responses))
    title = "Pairs of " + ", ".join(Path(one).name for one in pairs)
    return JudgedPairs(title, conversations, tuple(material.preferences))


def agreement_rows(judged: JudgedPairs | None, *, seed: int, resamples: int) -> Iterator[Row]:
    """Figure 2: the published kappa, and the kappa of each metric's choices with the people's who judged the given pairs."""
    why = "replies and preferences were not released"
    why += f"; with your own: {COMMAND}" if judged is None else "; below: the pairs given"
    on = "1,000 cases of INSPIRED"
    yield Row(part=PART2, what="kappa of Behavior Alignment", on=on, paper=PRINTED_KAPPA, status="impossible", why=why)
    if judged is None:
        return
    scores: list[Score] = []
    metrics = get_metrics([*OFFLINE, *ANYWHERE])
    measure(judged.conversations, metrics, settings=Settings(seed=seed, resamples=resamples), sink=scores.append)
    values, choices = values_by_side(scores), pairs_of(judged.preferences)
    for metric in metrics:
        found = preference_agreement(
            choices,
            metric.measure,
            values.get(metric.measure, {}),
            resampling=Resampling(seed=seed, resamples=resamples),
        )
        if found.scored:
            what = f"kappa of {MeasureName(metric.measure).short}"
            note = f"{found.scored} of {found.votes} choices; as many ties as people have"
            yield Row(part=PART2, what=what, on=judged.title, ours=found.kappa, status="ours", why=note)


def rows(figures: dict[str, tuple[Differentiation, ...]]) -> Iterator[Row]:
    """Figure 3: the paper's numbers, and the slope of each metric."""
    why = f"replies and preferences were not released; with your own: {COMMAND}"
    for what, value in (("Behavior Alignment of the worst system", WORST), ("of the ideal system", IDEAL)):
        yield Row(part=PART3, what=what, on="100 pairs", paper=value, status="impossible", why=why)
    for title, found in figures.items():
        for one in found:
            name = one.measure.measured.short
            verdict = {True: "separates good from bad", False: "does not", None: "inconclusive"}[one.tells]
            yield Row(
                part=PART3,
                what=f"{name}: ideal minus worst",
                on=title,
                ours=one.gain,
                status="ours",
                why=str(one.why or one.gain.why or verdict),
            )


def figures(
    judged: JudgedPairs | None, labeller: StrategyClassifier, *, seed: int, resamples: int
) -> dict[str, tuple[Differentiation, ...]]:
    """Figure 3 on the given pairs, on pairs made of human sentences, and on CRSArena-Dial's votes."""
    found: dict[str, tuple[Differentiation, ...]] = {}
    if judged is not None:
        own = preferred_pairs(judged.conversations, judged.preferences)
        found[judged.title] = _differ(own, [*OFFLINE, *ANYWHERE], seed, resamples)
    source = "inspired" if is_here(get_corpus("inspired")) else "demo"
    made = construct_pairs(_situations(source, labeller), seed=seed)
    title = f"Replies composed of human sentences ({source}), {IDEAL:.0%} and {WORST:.0%} with the human's strategy"
    found[title] = _differ(made, [*OFFLINE, *ANYWHERE], seed, resamples)
    if is_here(get_corpus("crsarena-dial")):
        arena = gather(["crsarena-dial"])
        voted = preferred_pairs(conversations_of(arena.dialogues), arena.preferences)
        names = [*ANYWHERE, "turns@user_utterances", "success_rate@satisfied"]
        found["CRSArena-Dial: dialogues of one person with two systems, by their vote"] = _differ(
            voted, names, seed, resamples
        )
    return found


def _differ(
    pairs: Sequence[PreferredPair], names: Sequence[str], seed: int, resamples: int
) -> tuple[Differentiation, ...]:
    return differentiation(pairs, get_metrics(names), seed=seed, resamples=resamples)


def _situations(source: str, labeller: StrategyClassifier) -> list[Situation]:
    from trialogue.inputs.inputs import situations_in

    return list(label_records(situations_in(gather([source])), labeller))


def construct_pairs(
    situations: Sequence[Situation], *, seed: int = 0, ideal: float = IDEAL, worst: float = WORST, most: int = 1_000
) -> list[PreferredPair]:
    """Construct pairs whose better and worse replies use the human's strategy with different probabilities.

    Replies are what human recommenders said in other dialogues. That Behavior Alignment rises is by construction; what
    the pairs show is whether metrics of words notice.
    """
    known = [one for one in situations if one.reference is not None and one.reference.strategies]
    rng = rng_for(seed, "constructed pairs")
    chosen = [known[place] for place in rng.permutation(len(known))[:most]]
    found = []
    for situation in chosen:
        sides = [_borrow_reply(situation, known, share, rng) for share in (ideal, worst)]
        if sides[0] is not None and sides[1] is not None:
            found.append(PreferredPair(sides[0], sides[1]))
    return found


def _borrow_reply(
    situation: Situation, known: Sequence[Situation], share: float, rng: np.random.Generator
) -> Conversation | None:
    """A reply from another dialogue, with the reference's first strategy in this share of cases."""
    wanted = rng.random() < share
    for place in rng.permutation(len(known)).tolist():
        other = known[place]
        if other.cluster != situation.cluster and (_strategy(other) == _strategy(situation)) == wanted:
            assert other.reference is not None
            reply = Reply(
                "mixed",
                other.reference,
                context=situation.context,
                reference=situation.reference,
                turn=max(2, situation.turn or 0),  # pairs are cases, not conversations: none is a first turn
                situation_id=situation.id,
            )
            return Conversation("mixed", situation.cluster, (reply,), dialogue_id=situation.dialogue_id)
    return None


def _strategy(situation: Situation) -> str:
    assert situation.reference is not None
    assert situation.reference.strategies
    return situation.reference.strategies[0].strategy
