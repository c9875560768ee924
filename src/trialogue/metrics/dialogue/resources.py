"""What dialogues take, in logs that record it: the user's waiting time, calls of tools, money and tokens."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import ClassVar

from trialogue.errors import UsageError
from trialogue.metrics.base import RatioMetric, Undefined
from trialogue.records import Card, Dialogue, FailurePolicy, Fault, Raters, Reason, ReasonCode, Utterance, Variant
from trialogue.records.trace import ToolCall, Trace

FIELD = "latency_s"
"""Key in an utterance's ``meta`` for the seconds taken by the turn that it begins."""

_card = partial(Card, low=0, better="neither", level="dialogue", failed=FailurePolicy.AS_IS, family="simulation")
"""What the cards of this module have in common."""

LATENCY = _card(
    name="latency",
    title="Latency",
    summary="How long the user waits for the system's turn.",
    unit="seconds",
    failed=FailurePolicy.UNDEFINED,
    needs=("latency",),
    variants={
        "mean": Variant(
            summary="Mean over all turns of the system, pooled over dialogues.",
            source="Seconds that a log records with a turn; trialogue simulate --set latency=true records them.",
        ),
        "longest": Variant(
            summary="The longest wait in a dialogue, averaged over dialogues.",
            source="The longest wait, which users remember.",
        ),
        "over": Variant(
            summary="Share of turns that take longer than 'seconds', pooled over dialogues.",
            source="Seconds as in @mean.",
        ),
    },
    default="mean",
    parameters={"seconds": "wait in seconds above which a turn counts as slow (@over; default 5)"},
    caveats=(
        "It measures the machine, its load and the network as much as the system.",
        "Latency decides no verdict: a log that records the times of fast turns only would flatter its system.",
        ("Simulated dialogues contain no times unless requested: with them, no two runs are identical byte for byte."),
    ),
)


class Latency(RatioMetric):
    """Seconds per turn; undefined without measurements."""

    card = LATENCY
    dialogue_means = ("longest",)
    of_variants: ClassVar = {"over": {"unit": "share of turns", "high": 1.0, "is_share": True}}

    def __init__(self, *, variant: str = LATENCY.default, seconds: float | None = None) -> None:
        self.declare(variant, **({} if seconds is None else {"seconds": seconds}))
        if seconds is not None and (variant != "over" or isinstance(seconds, bool) or not seconds >= 0):
            raise UsageError(f"'seconds' requires @over and must be at least 0, got {seconds!r} for @{variant}.")
        self._seconds = 5.0 if seconds is None else float(seconds)

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(seconds or slow turns, turns); (the longest, 1)."""
        waits = [wait for wait in map(wait_of, unit.utterances) if wait is not None]
        if not waits:
            return Undefined(Reason.of(ReasonCode.LATENCY_NOT_MEASURED))
        if self.variant == "longest":
            return (max(waits), 1.0)
        slow = sum(wait > self._seconds for wait in waits)
        return (float(slow) if self.variant == "over" else sum(waits), float(len(waits)))


def wait_of(said: Utterance) -> float | None:
    """Latency in seconds of the turn that an utterance begins; None if not recorded."""
    if said.speaker == "system" and said.trace is not None and said.trace.latency_s is not None:
        return said.trace.latency_s
    value = said.meta.get(FIELD) if said.speaker == "system" else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None


NO_CALLS = Reason.of(ReasonCode.NO_TOOL_CALLS)
LEAST_LETTERS = 3  # of a word that two texts may share for a reason
NO_CONTENT = frozenset(
    {"success", "successful", "successfully", "true", "done", "null", "none", "completed", "accepted"}
)
"""Words of results that only say that a call worked."""
WORD = re.compile(r"\w+")
THOUSANDS = re.compile(r"(?<=\d)[,.'\u00a0\u202f ](?=\d{3}(?!\d))")
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
HALF = 0.5  # of a scale, above which a rating says that somebody was satisfied

TOOL_CALLS = _card(
    name="tool_calls",
    title="Tool calls",
    summary="How a system uses its tools.",
    unit="share of calls",
    high=1,
    is_share=True,
    needs=("tool_calls",),
    variants={
        "failed": Variant(
            summary="Share of calls whose tool returned an error, pooled over dialogues.",
            source="An error is marked (is_error, status, error), or the result begins with the word error.",
        ),
        "repeated": Variant(
            summary="Share of calls with the name and arguments of an earlier call of the same dialogue.",
            source="Arguments as JSON, whatever the order of their names.",
        ),
        "invalid": Variant(
            summary="Share of calls that their declared JSON Schema refuses, or whose tool is not declared.",
            source="JSON Schema; only of logs that declare tools.",
        ),
        "unanswered": Variant(
            summary="Share of calls without a recorded result.",
            source="A result is joined by id, else by the order of calls.",
        ),
        "ignored": Variant(
            summary="Share of calls whose result is not used, among calls with an informative result.",
            source="A result is used if one of its words of at least three letters, its numbers or its Chinese or "
            "Japanese letter pairs occurs in a later reply or in the arguments of a later call. Errors, empty "
            "results and acknowledgements (ok, true, null) are not informative.",
        ),
        "per_dialogue": Variant(summary="Calls per dialogue.", source="Calls as the log records them."),
    },
    default="failed",
    caveats=(
        "If a tool reports an error as an ordinary result, the error is not recognised.",
        "Harmless calls lower every share of calls, so no verdict is based on them.",
        "For @ignored, any common word counts as use, and a reply in another language than the result counts as no "
        "use.",
    ),
)
COST = _card(
    name="cost",
    title="Cost",
    summary="What dialogues with the system cost.",
    unit="per dialogue, in the currency of the log",
    needs=("cost",),
    variants={
        "per_dialogue": Variant(
            summary="Recorded cost per dialogue.", source="Costs of turns, or of the whole dialogue."
        ),
        "per_satisfied": Variant(
            summary="Recorded cost of rated and failed dialogues, divided by the number of dialogues whose mean rating "
            "by people is in the upper half of its scale.",
            source="A dialogue that failed because of the system satisfied nobody, and its cost counts.",
        ),
    },
    default="per_dialogue",
    caveats=(
        "If a dialogue records a cost for some turns only, the other turns count as free.",
        "A system that fails early is cheap. @per_satisfied includes the cost of failed dialogues.",
        "No verdict is based on costs, because a log that records costs only for satisfied people would favour its "
        "system.",
    ),
)
TOKENS = _card(
    name="tokens",
    title="Tokens",
    summary="Tokens of the system's language models per dialogue.",
    unit="tokens per dialogue",
    needs=("tokens",),
    variants={
        "all": Variant(summary="Tokens read and written.", source="Usage that the log records."),
        "input": Variant(summary="Tokens read.", source="Usage that the log records."),
        "output": Variant(summary="Tokens written.", source="Usage that the log records."),
    },
    default="all",
)


def traces_of(dialogue: Dialogue) -> Iterator[Trace]:
    """The traces of a dialogue, of turns and of the whole."""
    yield from (said.trace for said in dialogue.utterances if said.trace is not None)
    if dialogue.trace is not None:
        yield dialogue.trace


def calls_of(dialogue: Dialogue) -> list[ToolCall] | None:
    """The calls of tools in a dialogue, in order; None: not recorded."""
    known = [each.calls for each in traces_of(dialogue) if each.calls is not None]
    return [call for calls in known for call in calls] if known else None


def cost_of(dialogue: Dialogue) -> float | None:
    """The recorded cost of a dialogue; None: not recorded."""
    return _sum_known([each.cost for each in traces_of(dialogue)])


def tokens_of(dialogue: Dialogue, variant: str = TOKENS.default) -> float | None:
    """The recorded tokens of a dialogue, read (``"input"``), written (``"output"``) or both; None: not recorded."""
    traces = list(traces_of(dialogue))
    read = [each.input_tokens for each in traces] if variant != "output" else []
    written = [each.output_tokens for each in traces] if variant != "input" else []
    sums = [each.total_tokens for each in traces] if variant not in ("input", "output") else []
    return _sum_known([*read, *written, *sums])


def uses_of_results(dialogue: Dialogue) -> list[bool]:
    """Of each call with a result that says something, whether the dialogue uses any of it afterwards."""
    found: list[bool] = []
    later: set[str] = set()
    for said in reversed(dialogue.utterances):
        if said.speaker != "system":
            continue
        later |= _pieces(said.text)
        for call in reversed((said.trace and said.trace.calls) or ()):
            pieces = set() if call.error is not None else _pieces(call.result) - NO_CONTENT
            if pieces:
                found.append(not pieces.isdisjoint(later))
            later |= _pieces(call.arguments)
    return found[::-1]


def _pieces(value: object) -> set[str]:
    """Words of three letters or more, numbers, and letter pairs of scripts without spaces, of a text or values of JSON."""
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return {piece for part in parts for piece in _pieces(part)}
    if value is None or isinstance(value, bool):
        return set()
    text = str(value)
    if text.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return _pieces(json.loads(text))
    words = WORD.findall(THOUSANDS.sub("", text.casefold()))
    pairs = {word[at : at + 2] for word in words if UNSPACED.search(word) for at in range(len(word) - 1)}
    return pairs | {word for word in words if len(word) >= LEAST_LETTERS or word.isdigit()}


def _sum_known(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(sum(known)) if known else None


class ToolCalls(RatioMetric):
    """Shares of calls, or calls per dialogue; undefined where no calls are recorded."""

    card = TOOL_CALLS
    dialogue_means = ("per_dialogue",)
    of_variants: ClassVar = {
        "failed": {"title": "Failed tool calls"},
        "repeated": {"title": "Repeated tool calls"},
        "invalid": {"title": "Invalid tool calls"},
        "unanswered": {"title": "Unanswered tool calls"},
        "ignored": {"title": "Ignored tool results"},
        "per_dialogue": {"title": "Tool calls per dialogue", "unit": "calls", "high": None, "is_share": False},
    }

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(calls that count, calls); (calls, 1)."""
        calls = calls_of(unit)
        if calls is None:
            return Undefined(Reason.of(ReasonCode.CALLS_NOT_RECORDED))
        if self.variant == "per_dialogue":
            return (float(len(calls)), 1.0)
        if self.variant == "ignored":
            uses = uses_of_results(unit)
            return (float(uses.count(False)), float(len(uses))) if uses else Undefined(NO_CALLS)
        if self.variant == "invalid":
            calls = [call for call in calls if call.is_declared]
        if not calls:
            return Undefined(NO_CALLS)
        if self.variant == "repeated":
            kinds = Counter(json.dumps([call.name, call.arguments], sort_keys=True) for call in calls)
            return (float(len(calls) - len(kinds)), float(len(calls)))
        return (float(sum(map(COUNTS[self.variant], calls))), float(len(calls)))


COUNTS: dict[str, Callable[[ToolCall], bool]] = {
    "failed": lambda call: call.error is not None,
    "invalid": lambda call: call.refused is not None,
    "unanswered": lambda call: not call.has_result,
}


class Cost(RatioMetric):
    """Recorded cost per dialogue, or per satisfied person; undefined where it is not recorded."""

    card = COST
    dialogue_means = ("per_dialogue",)
    of_variants: ClassVar = {
        "per_dialogue": {"title": "Cost per dialogue"},
        "per_satisfied": {
            "title": "Cost per satisfied person",
            "unit": "in the currency of the log",
            "needs": ("cost", "ratings"),
        },
    }

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(cost, 1); (cost, 1 if people were satisfied)."""
        found = cost_of(unit)
        if found is None:
            return Undefined(Reason.of(ReasonCode.AMOUNT_NOT_RECORDED))
        satisfied = 1.0 if self.per_dialogue else satisfaction_in(unit)
        if satisfied is None:
            return Undefined(Reason.of(ReasonCode.NO_RATINGS_OF, question="satisfaction"))
        return (found, satisfied)


def satisfaction_in(dialogue: Dialogue) -> float | None:
    """1 if people's ratings of a dialogue are on average in the upper half of their scales, else 0; None: nobody rated it.

    One that failed because of the system satisfied nobody.
    """
    if dialogue.fault is Fault.AGENT:
        return 0.0
    shares = [
        abs(each.value - (each.low if each.better == "higher" else each.high)) / (each.high - each.low)
        for each in dialogue.ratings
        if each.raters is Raters.PEOPLE and each.low is not None and each.high is not None and each.low < each.high
    ]
    return float(sum(shares) / len(shares) > HALF) if shares else None


class Tokens(RatioMetric):
    """Recorded tokens per dialogue; undefined where none are recorded."""

    card = TOKENS
    dialogue_means = TOKENS.variants

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(tokens, 1)."""
        found = tokens_of(unit, self.variant)
        return Undefined(Reason.of(ReasonCode.AMOUNT_NOT_RECORDED)) if found is None else (found, 1.0)
