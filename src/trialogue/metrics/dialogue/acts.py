"""Exchanges of acts, and what is measured of them: turn-level success and reward.

An exchange has the act labels of a user turn and of the system turn that follows. An utterance's label is the intent of its
first act that has one, as in corpora with one act per utterance.
"""

from collections.abc import Collection, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from trialogue.errors import UnknownNameError, UsageError
from trialogue.long_work import PerObject
from trialogue.metrics.base import RatioMetric, Undefined
from trialogue.metrics.dialogue.turns import KDD2020
from trialogue.metrics.names import Parameter
from trialogue.records import Card, Dialogue, FailurePolicy, Reason, ReasonCode, Speaker, Utterance, Variant
from trialogue.records.kinds.acts import (
    ACCEPTABLE,
    AGENT_LABELS,
    USERSIMCRS_AGENT,
    answers,
    paper_label,
    replayed_system,
    spelt_right,
)

NO_WORDS = Reason.of(ReasonCode.SPEAKER_SILENT, speaker="user")
_KNOWN: dict[Speaker, Collection[str]] = {
    "user": ACCEPTABLE,
    "system": {*AGENT_LABELS, *USERSIMCRS_AGENT, "Explain"},
}


class Exchange(NamedTuple):
    """One user utterance and the system's messages directly after it."""

    act: str | None
    """The user's act; None: not annotated, or not recognised."""
    burst: tuple[str | None, ...]
    """Acts of each system message; () if the user speaks again, or the dialogue ends."""
    place: int
    """Index of the user utterance in the dialogue."""


def _label_of(utterance: Utterance) -> str | None:
    intent = next((act.intent for act in utterance.acts or () if act.intent), None)
    return None if intent is None else paper_label(intent, of_user=utterance.speaker == "user")


label_of = PerObject(_label_of)
"""Intent of the first act that has one, mapped to the paper's label if it is UserSimCRS'; None without any."""


def _exchanges(dialogue: Dialogue) -> list[Exchange]:
    said = dialogue.utterances
    labels = tuple(map(label_of, said))
    places = [place for place, utterance in enumerate(said) if utterance.speaker == "user"]
    ends = [*places[1:], len(said)]
    return [Exchange(labels[place], labels[place + 1 : end], place) for place, end in zip(places, ends, strict=False)]


exchanges = PerObject(_exchanges, 512)
"""One exchange per user utterance, in order; system messages before the first are not included."""


def user_acts(dialogue: Dialogue) -> list[str | None] | Undefined:
    """Label of every user utterance, or the reason if none is in the action space."""
    missing = why_unlabelled(dialogue.utterances, "user")
    return missing or [label_of(said) for said in dialogue.utterances if said.speaker == "user"]


def why_unlabelled(utterances: Sequence[Utterance], speaker: Speaker) -> Undefined | None:
    """Reason why a speaker's labels are unusable; None if they are usable.

    A speaker who says nothing, whom nobody annotated, or whose labels are all of another action space. Single unknown
    labels (typos) are labels like others, that answer nothing and are answered by nothing.
    """
    own = [said for said in utterances if said.speaker == speaker]
    if not own:
        return Undefined(Reason.of(ReasonCode.SPEAKER_SILENT, speaker=speaker))
    if all(said.acts is None for said in own):
        return Undefined(Reason.of(ReasonCode.ACTS_MISSING, speaker=speaker))
    labels = set[str]()
    for label in map(label_of, own):
        if label is not None:
            labels.add(spelt_right(label))
            if not labels.isdisjoint(_KNOWN[speaker]):
                return None  # most often at the first
    if not labels:
        return None
    return Undefined(Reason.of(ReasonCode.ACTS_OF_OTHER_SPACE, speaker=speaker, acts=sorted(labels)[:3]))


_card = partial(
    Card,
    low=0,
    better="higher",
    level="dialogue",
    failed=FailurePolicy.WORST,
    default="kdd2020",
    citation=KDD2020,
    family="simulation",
)
"""What the cards of this module have in common."""

TURN_SUCCESS = _card(
    name="turn_success",
    title="Turn-level success rate",
    summary="How often the system does what the user's act asks for, such as listing items after a "
    "preference is disclosed.",
    unit="share of user turns",
    is_share=True,
    high=1,
    needs=("acts", "user_acts"),
    variants={
        "kdd2020": Variant(
            summary="Share of user utterances whose very next utterance is an acceptable act of the system, averaged over "
            "dialogues.",
            source="KDD 2020, Table 5: its 'real users' row is reproduced exactly (.833, .864, .727).",
        ),
        "pooled": Variant(
            summary="The same over all user utterances, pooled over dialogues.",
            source="Another reading of the paper; it gives .800, .846, .743.",
        ),
        "last": Variant(
            summary="As @kdd2020, with the last of several consecutive system messages instead of the first.",
            source="Used by simulated users in the paper's code; .782 where the paper has .833.",
        ),
        "any": Variant(
            summary="As @kdd2020, with any of several consecutive system messages.",
            source="The most lenient reading; .857 where the paper has .833.",
        ),
        "mended": Variant(
            summary="As @kdd2020, with the two typos of the published labels corrected.",
            source="Suggesnt and Clairfy count as failures in the published figures.",
        ),
    },
    caveats=(
        "The rate rewards systems for following a map of acts, whatever they recommend.",
        ("Unknown labels and user utterances right after another user utterance count as failures, as in the paper."),
        (
            "The rate ranks the paper's three systems in the same order in about three of four resamples of its 75 "
            "dialogues."
        ),
    ),
)


JUDGED = {"last": slice(-1, None), "any": slice(None)}
"""By variant: which labels of the system's messages may answer the user; the first alone in the others."""


class TurnSuccess(RatioMetric):
    """Share of the user's turns that are answered; undefined without acts on both sides."""

    card = TURN_SUCCESS
    dialogue_means = ("kdd2020", "last", "any", "mended")

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(answered user utterances, user utterances)."""
        turns = exchanges(unit)
        if not turns:
            return Undefined(NO_WORDS)
        if (missing := why_unlabelled(unit.utterances, "user")) is not None:
            return missing
        spoken = any(said.speaker == "system" for said in unit.utterances)
        if spoken and (missing := why_unlabelled(unit.utterances, "system")) is not None:
            return missing
        return (float(sum(map(self._is_answered, turns))), float(len(turns)))

    def _is_answered(self, turn: Exchange) -> bool:
        given: Sequence[str | None] = turn.burst[JUDGED.get(self.variant, slice(1))]
        if self.variant == "mended":
            given = [spelt_right(label) if label else label for label in given]
        return turn.act is not None and any(answers(turn.act, label) for label in given)


FULL, FUNCTION_POINTS = 20, 4  # KDD 2020, sec. 6.2: "Full points (20)", and 4 for each of five functions
NAVIGATE = "Repeat"

FUNCTIONS: dict[str, frozenset[str]] = {
    "disclosure": frozenset({"Disclose", "Non-disclose", "Disclose-review", "Disclose-repeat"}),
    "refinement": frozenset({"Revise", "Refine", "Expand"}),
    "inquiry": frozenset({"Inquire", "List", "Compare", "Subset", "Similar"}),
    "navigation": frozenset({NAVIGATE}),
    "initiative": frozenset({"Interrupt", "Interrogate"}),
}
"""The functions of a conversation, with the user acts that show that it is there."""

CHECKED = {"and-chill": "refinement", "kelly": "refinement+navigation", "jmrs1": "navigation"}
"""Values checked against the published row, by system: a fit, because the paper does not state them (see the card)."""

LITERAL_FULL = {"and-chill": 16, "kelly": 20, "jmrs1": 20}
"""Full points of the three systems where the text is taken at its word: And chill has no navigation."""

REWARD = _card(
    name="reward",
    title="Reward",
    summary="20 points, minus 4 for each missing function and 1 for each user turn; never below 0.",
    unit="points",
    high=FULL,
    needs=("user_acts",),
    variants={
        "kdd2020": Variant(
            summary="4 points are deducted from a dialogue for each checked function that does not occur in it. Where "
            "navigation is checked, a run of Repeat is one turn.",
            source="Fitted to KDD 2020, Table 5, whose 'real users' row it reproduces exactly (8.88, 7.56, 6.04); "
            "the paper does not state which functions were checked, nor that this was done per dialogue.",
        ),
        "literal": Variant(
            summary="Full points are the same for all dialogues of a system: 20, minus 4 for each function it lacks. "
            "A run of Repeat is one turn.",
            source="KDD 2020, sec. 6.2, taken literally; it gives 6.96, 7.56, 6.36, which match neither Table 5 nor "
            "its "
            "ranking.",
        ),
    },
    parameters={
        "checks": "functions to check, joined by +: disclosure, refinement, inquiry, navigation, initiative "
        "(@kdd2020; default refinement+navigation, or for the paper's three systems those that fit its table)",
        "full": "full score of the system (@literal; default 20, or 16 for And chill, which has no navigation)",
    },
    caveats=(
        "Short dialogues score high: if the user says one thing and leaves, the dialogue scores at least 11 of 20 "
        "points.",
        (
            "The reward ranks the paper's three systems in the same order in about four of five resamples of its 75 "
            "dialogues."
        ),
        "DialogueKit has another reward of this name, with different values.",
    ),
)


class Reward(RatioMetric):
    """Mean reward; undefined for a dialogue without user acts."""

    card = REWARD

    def __init__(self, *, variant: str = REWARD.default, checks: str | None = None, full: float | None = None) -> None:
        given: dict[str, Parameter | None] = {"checks": checks, "full": full}
        self.declare(variant, **{name: value for name, value in given.items() if value is not None})
        _check(variant, checks, full)
        self._checks, self._full = checks, full

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(reward, 1)."""
        acts = user_acts(unit)
        if isinstance(acts, Undefined):
            return acts
        points = self._points(acts, replayed_system(unit.system or ""))
        return (max(0.0, points), 1.0)

    def _points(self, acts: Sequence[str | None], system: str) -> float:
        if self.variant == "literal":
            full = LITERAL_FULL.get(system, FULL) if self._full is None else self._full
            return full - _turns(acts, runs=True)
        checks = (self._checks or CHECKED.get(system, "refinement+navigation")).split("+")
        lacking = sum(FUNCTIONS[name].isdisjoint(acts) for name in checks)
        return FULL - FUNCTION_POINTS * lacking - _turns(acts, runs="navigation" in checks)


def _turns(acts: Sequence[str | None], *, runs: bool) -> int:
    """User utterances; if ``runs``, a run of Repeat counts once."""
    if not runs:
        return len(acts)
    return sum(1 if act == NAVIGATE else len(list(group)) for act, group in groupby(acts))


def _check(variant: str, checks: str | None, full: float | None) -> None:
    strange = [name for name in (checks.split("+") if checks else ()) if name not in FUNCTIONS]
    if strange:
        raise UnknownNameError("function of a conversation", strange[0], FUNCTIONS)
    if checks is not None and variant != "kdd2020":
        raise UsageError("'checks' requires @kdd2020; the literal reward takes 'full'.")
    if full is not None and (variant != "literal" or isinstance(full, bool) or not 0 < full <= FULL):
        raise UsageError(
            f"'full' requires @literal and must be above 0 and at most {FULL}, got {full!r} for @{variant}."
        )
