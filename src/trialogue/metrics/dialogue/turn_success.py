"""Turn-level success: how often the system's response satisfies the user's act."""

from collections.abc import Sequence

from trialogue.metrics.base import RatioMetric, Undefined
from trialogue.metrics.dialogue.exchanges import NO_WORDS, Exchange, exchanges, why_unlabelled
from trialogue.metrics.dialogue.turns import KDD2020
from trialogue.records import Card, Dialogue, FailurePolicy, Variant
from trialogue.records.kinds.acts import answers, spelt_right

TURN_SUCCESS = Card(
    name="turn_success",
    title="Turn-level success rate",
    summary="How often the system does what the user's act asks for, such as listing items after a "
    "preference is disclosed.",
    unit="share of user turns",
    is_share=True,
    low=0,
    high=1,
    better="higher",
    level="dialogue",
    failed=FailurePolicy.WORST,
    needs=("acts", "user_acts"),
    variants={
        "kdd2020": Variant(
            summary="Share of user utterances whose very next utterance is an acceptable act of the system, averaged over "
            "dialogues.",
            source="KDD 2020, Table 5: its 'real users' row is reproduced exactly (.833, .864, .727).",
        ),
        "pooled": Variant(
            summary="The same over all user utterances, pooled over dialogues.",
            source="The other reading; it gives .800, .846, .743.",
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
    default="kdd2020",
    caveats=(
        "It rewards systems for following a map of acts, whatever they recommend.",
        ("Unknown labels and user utterances right after another user utterance count as failures, as in the paper."),
        ("Its ranking of the paper's three systems holds in about three of four resamples of its 75 dialogues."),
    ),
    citation=KDD2020,
    family="simulation",
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
