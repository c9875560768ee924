"""Descriptive statistics of dialogues: length, user act ratio and words per turn. Not for ranking systems.

A *turn* is a run of utterances of one speaker. The field counts turns, utterances and half the speaker changes
under the same name.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import ClassVar

from trialogue.metrics.base import RatioMetric, Undefined
from trialogue.records import Card, Dialogue, FailurePolicy, Reason, ReasonCode, Speaker, TextUse, Utterance, Variant

KDD2020 = "Zhang & Balog (KDD 2020), 'Evaluating Conversational Recommender Systems via User Simulation'"
DIALOGUEKIT = "DialogueKit, utils/dialogue_evaluation.py"

_card = partial(Card, low=0, better="neither", level="dialogue", failed=FailurePolicy.UNDEFINED, family="dialogue")
"""What the cards of this module have in common."""

TURNS = _card(
    name="turns",
    title="Turns per dialogue",
    summary="How long dialogues are. Neither long nor short is good in itself.",
    unit="turns",
    variants={
        "user_utterances": Variant(
            summary="Utterances of the user, greetings included.",
            source="AvgTurns of KDD 2020, Table 4: its 'real users' row is reproduced exactly (9.20, 14.84, 20.24).",
        ),
        "dialoguekit": Variant(
            summary="Half the number of times that the speaker changes.",
            source=f"{DIALOGUEKIT}, avg_turns: 8.64, 14.30, 19.74 on the same dialogues.",
        ),
        "utterances": Variant(summary="Utterances of both.", source="Common practice."),
        "system_turns": Variant(
            summary="Number of system turns; consecutive system utterances are one turn.", source="Common practice."
        ),
    },
    default="user_utterances",
    caveats=(
        "Two counts called AvgTurns give 9.20 and 8.64 for the same 25 dialogues.",
        ("The number of utterances does not separate satisfied from frustrated users (AUC .497 on CRSArena-Dial)."),
    ),
    citation=KDD2020,
)


def turns_of(utterances: Sequence[Utterance], speaker: Speaker) -> int:
    """Number of runs of utterances of one speaker."""
    speakers = [utterance.speaker for utterance in utterances]
    return sum(now == speaker != before for before, now in zip([None, *speakers], speakers, strict=False))


def _count_utterances(dialogue: Dialogue, speaker: Speaker) -> int:
    return sum(utterance.speaker == speaker for utterance in dialogue.utterances)


def _count_half_switches(dialogue: Dialogue) -> float:
    speakers = [utterance.speaker for utterance in dialogue.utterances]
    return sum(before != now for before, now in pairwise(speakers)) / 2


LENGTHS: dict[str, Callable[[Dialogue], float]] = {
    "user_utterances": lambda dialogue: _count_utterances(dialogue, "user"),
    "dialoguekit": _count_half_switches,
    "utterances": lambda dialogue: len(dialogue.utterances),
    "system_turns": lambda dialogue: turns_of(dialogue.utterances, "system"),
}


class Turns(RatioMetric):
    """Mean length of dialogues; an empty dialogue has length 0."""

    card = TURNS
    of_variants: ClassVar = {
        "user_utterances": {"unit": "user utterances"},
        "dialoguekit": {"unit": "half the number of speaker changes"},
        "utterances": {"unit": "utterances"},
        "system_turns": {"unit": "system turns"},
    }

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(length, 1)."""
        return (float(LENGTHS[self.variant](unit)), 1.0)


USER_ACT_RATIO = _card(
    name="user_act_ratio",
    title="User act ratio",
    summary="The user's share of the utterances in a dialogue. In the corpus of the original paper, each utterance "
    "has one act.",
    unit="share of utterances",
    is_share=True,
    variants={
        "kdd2020": Variant(
            summary="User utterances over all utterances of a dialogue, averaged over dialogues.",
            source="KDD 2020, Table 4: its 'real users' row is reproduced exactly (.374, .501, .500).",
        ),
        "pooled": Variant(
            summary="User utterances over all utterances, pooled over dialogues.",
            source="Another reading of the paper; it gives .375 instead of the published .374.",
        ),
        "dialoguekit": Variant(
            summary="User utterances over system utterances, pooled over dialogues; 1 means as many of each.",
            source=f"{DIALOGUEKIT}, user_act_ratio: .599, 1.003, 1.000 on the same dialogues.",
        ),
    },
    default="kdd2020",
    caveats=(
        "DialogueKit's ratio of the same name divides by the system's utterances: .599 instead of the paper's .374.",
    ),
    citation=KDD2020,
)


class UserActRatio(RatioMetric):
    """User's share of the utterances; undefined for an empty dialogue."""

    card = USER_ACT_RATIO
    dialogue_means = ("kdd2020",)
    of_variants: ClassVar = {
        "kdd2020": {"high": 1.0},
        "pooled": {"high": 1.0},
        "dialoguekit": {"unit": "user utterances per system utterance"},
    }

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(user utterances, all utterances or those of the system)."""
        if not unit.utterances:
            return Undefined(Reason.of(ReasonCode.DIALOGUE_EMPTY))
        user = _count_utterances(unit, "user")
        whole = len(unit.utterances)
        return (float(user), float(whole - user if self.variant == "dialoguekit" else whole))


WORDS_PER_TURN = _card(
    name="words_per_turn",
    title="Words per turn",
    summary="Number of words that a speaker utters in a turn. A useful metric must agree better with people than "
    "this trivial baseline.",
    unit="words per turn",
    variants={
        "system": Variant(
            summary="Words of the system over its turns, pooled over dialogues.",
            source="Words separated by white space; a turn is a run of utterances.",
            text=TextUse(unit="word"),
        ),
        "user": Variant(
            summary="Words of the user over the user's turns, pooled over dialogues.",
            source="Words separated by white space; a turn is a run of utterances.",
            text=TextUse(unit="word", speakers=("user",)),
        ),
    },
    default="system",
    caveats=(
        "The system's words per turn alone separate satisfied from frustrated users with AUC .749 [.688, "
        ".804] on CRSArena-Dial (.632 within systems): either verbosity pleases, or good systems are "
        "verbose.",
    ),
)


class WordsPerTurn(RatioMetric):
    """Mean number of words per turn; undefined for a dialogue without turns of the speaker."""

    card = WORDS_PER_TURN

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(words, turns)."""
        speaker: Speaker = "user" if self.variant == "user" else "system"
        turns = turns_of(unit.utterances, speaker)
        if not turns:
            return Undefined(Reason.of(ReasonCode.SPEAKER_SILENT, speaker=speaker))
        words = sum(len(said.text.split()) for said in unit.utterances if said.speaker == speaker)
        return (float(words), float(turns))
