"""Dialogue endings and failure rates, to be read beside every score of a simulation, which includes the failures."""

from collections.abc import Collection, Sequence
from functools import partial

from trialogue.metrics.base import RatioMetric, Undefined
from trialogue.records import Card, Dialogue, Ending, FailurePolicy, Fault, Reason, ReasonCode, Variant
from trialogue.records.kinds.endings import FAILURES, failures_of

NOT_RECORDED = Reason.of(ReasonCode.ENDING_NOT_RECORDED)
SOURCE = "The ending recorded with the dialogue."
TEXTS = {
    Ending.AGENDA_EMPTY: "the user had done everything on the agenda",
    Ending.USER_GAVE_UP: "the user gave up",
    Ending.USER_ENDED: "the user left",
    Ending.AGENT_ENDED: "the system ended the dialogue",
    Ending.TURN_LIMIT: "the dialogue reached the maximum number of turns",
    Ending.OTHER: "something else happened that is not a failure",
    Ending.AGENT_ERROR: "the system raised an error, returned one, or closed the connection",
    Ending.AGENT_TIMEOUT: "the system did not answer in time",
    Ending.AGENT_UNREACHABLE: "the system could not be reached or started",
    Ending.AGENT_INVALID_REPLY: "the system's answer violated its protocol or was empty",
    Ending.AGENT_TOOL_CALL: "the system answered with a call of a tool that nobody ran",
    Ending.RATE_LIMITED: "a server refused further requests (HTTP 429)",
    Ending.USER_ERROR: "the simulated user failed",
    Ending.JUDGE_ERROR: "a judge used during the dialogue failed",
    Ending.LOST: "the process that ran it died on every attempt",
    Ending.HARNESS_ERROR: "the machine or its configuration failed",
    Ending.UNKNOWN_FAILURE: "something failed for an unknown reason, or an old file does not say whether anything "
    "failed",
}
CAUSES = {
    Fault.AGENT: "caused by the system",
    Fault.USER: "caused by the simulated user",
    Fault.JUDGE: "caused by a judge",
    Fault.HARNESS: "caused by no party to the dialogue (rate limits, lost processes, the machine)",
    Fault.UNKNOWN: "whose cause is unknown",
}

_card = partial(
    Card,
    unit="share of dialogues",
    is_share=True,
    low=0,
    high=1,
    level="dialogue",
    failed=FailurePolicy.AS_IS,
    needs=("ended_by",),
    version=2,
    family="simulation",
)
"""What the cards of this module have in common."""

ENDING = _card(
    name="ending",
    title="Why dialogues end",
    summary="Share of dialogues that ended for a given reason.",
    better="neither",
    variants={ending.value: Variant(summary=f"Because {what}.", source=SOURCE) for ending, what in TEXTS.items()},
    default="agenda_empty",
    caveats=("Why dialogues end determines how far their other scores can be trusted.",),
)

FAILED = _card(
    name="failures",
    title="Failed dialogues",
    summary="Share of dialogues that ended in a failure. Those caused by the system count as the worst outcome in "
    "other metrics.",
    better="lower",
    variants={
        "all": Variant(summary="All failures, regardless of which party caused them.", source=SOURCE),
        **{fault.value: Variant(summary=f"Failures {cause}.", source=SOURCE) for fault, cause in CAUSES.items()},
        **{
            ending.value: Variant(summary=f"Because {what}.", source=SOURCE)
            for ending, what in TEXTS.items()
            if ending.is_failure
        },
    },
    default="all",
    caveats=(
        "A system that fails early has short dialogues: read it together with length and turns.",
        "Only @agent counts against the system; the others are missing data.",
        (
            "The denominator is all dialogues: one without a recorded ending counts as finished, unless no dialogue "
            "has a recorded ending."
        ),
    ),
)


WAYS: dict[str, Collection[Ending]] = {
    "all": FAILURES,
    **{fault.value: failures_of(fault) for fault in CAUSES},
    **{ending.value: (ending,) for ending in TEXTS},
}
"""By variant: the endings that count."""


class EndingShare(RatioMetric):
    """Share of a system's dialogues that ended in a given way; undefined if no dialogue of the system records its ending.

    The denominator is every dialogue of the system, as in the threats to validity: one without a recorded ending counts as
    finished, unless no ending of the system is recorded at all.
    """

    card = ENDING
    default_row = (0.0, 1.0)

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(1 if it ended so, 1)."""
        if unit.ended_by is None:
            return Undefined(NOT_RECORDED)
        return (float(unit.ended_by in WAYS[self.variant]), 1.0)


class Failures(EndingShare):
    """Share of failed dialogues; undefined if no dialogue of the system records its ending."""

    card = FAILED
