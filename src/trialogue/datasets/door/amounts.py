"""Read time, tokens and cost of a message or a conversation from fields of any usual name, however deep they stand.

A field is known by the words of its path: ``usage.promptTokens``, ``token_usage.input`` and ``prompt_token_count`` are all
tokens that a model read. A time needs a unit, in its name (``latency_ms``) or its value ("1.2 s").
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from trialogue.datasets.door.values import is_absent, plain_number
from trialogue.datasets.json_objects import JsonObject
from trialogue.records.trace import Trace

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WRITTEN = re.compile(r"\s*[$€£]?\s*(-?[\d.,]+(?:e-?\d+)?)\s*([a-zA-Z]*)\s*")
_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), 0.001),
}
"""Seconds of one unit."""
_TIMES = {"latency", "duration", "elapsed", "elapsed_time", "response_time", "processing_time", "generation_time"}
_TIMED = _TIMES | {"timing", "timings", "runtime", "took"}
"""Names that are times only with a unit among them."""
_READ, _WROTE = frozenset({"prompt", "input", "in"}), frozenset({"completion", "output", "out", "generated"})
_COUNTED = frozenset({"token", "tokens", "count", "num"})
_CURRENCIES = frozenset({"usd", "eur", "gbp", "dollars", "euros", "cents"})
_COSTS = frozenset({"cost", "costs", "price", "spend"})
_GENERAL = frozenset({"usage", "metrics", "stats", "total", "llm", "model", "api", "telemetry", "perf", "performance"})
_GENERAL |= {"metadata", "meta", "info", "estimated"}
"""Words that say nothing of what a field is."""
_NESTED = _GENERAL | _COSTS | _COUNTED | {"timing", "timings", "latency"}
"""Words of objects that may hold amounts."""
SECONDS, TOKENS, COST = "latency_s", "total_tokens", "cost"
LARGEST = 1e12  # more is a time of the clock, or a mistake
DEEPEST = 3  # objects within each other


@lru_cache(maxsize=4_096)
def _kind_of(path: str) -> tuple[str, float | None] | None:
    """(field of a trace, factor) by a path; a time without a unit has no factor; None: it is no amount.

    >>> _kind_of("usage.promptTokens"), _kind_of("timing.total_ms"), _kind_of("latency"), _kind_of("max_tokens")
    (('input_tokens', 1.0), ('latency_s', 0.001), ('latency_s', None), None)
    """
    words = [word.lower() for word in _WORD.findall(path)]
    own = [word for word in words if word not in _GENERAL]
    if own and own[-1] in _UNITS and "_".join(own[:-1]) in _TIMED:
        return SECONDS, _UNITS[own[-1]]
    if "_".join(own) in _TIMES:
        return SECONDS, None
    rest = frozenset(own) - _COUNTED
    if not _COUNTED.isdisjoint(own) and ("token" in own or "tokens" in own):
        if not rest:
            return (TOKENS, 1.0) if "tokens" in own or "total" in words else None
        return ("input_tokens", 1.0) if rest <= _READ else ("output_tokens", 1.0) if rest <= _WROTE else None
    spent = frozenset(own) - _CURRENCIES
    is_cost = bool(spent) and spent <= _COSTS and (spent != {"price"} or len(own) > 1)
    return (COST, 0.01 if "cents" in own else 1.0) if is_cost else None


def amounts_in(*given: JsonObject, wrong: Callable[[str], None] = lambda path: None) -> Trace | None:
    """Time, tokens and cost of a message or a conversation, taken out of its fields; None: it records none.

    Args:
        given: its fields, the first of which count most.
        wrong: called with the path of each amount that is negative or no number, which stays where it is.
    """
    taken: dict[str, Any] = {}
    for fields in given:
        _take(fields, taken, "", wrong, is_sum=False)
    if "input_tokens" not in taken and "output_tokens" not in taken:
        for fields in given:
            _take(fields, taken, "", wrong, is_sum=True)
    return Trace(**taken) if taken else None


def _take(fields: JsonObject, taken: dict[str, Any], above: str, wrong: Callable[[str], None], *, is_sum: bool) -> None:
    """Move amounts from fields to what was taken: sums of tokens, or all others."""
    for key in list(fields):
        path = f"{above}{key}"
        if isinstance(fields[key], dict):
            words = {word.lower() for word in _WORD.findall(key)}
            if words and words <= _NESTED and path.count(".") < DEEPEST:
                fields[key] = dict(fields[key])
                _take(fields[key], taken, f"{path}.", wrong, is_sum=is_sum)
                if not fields[key]:
                    del fields[key]
            continue
        found = _kind_of(path)
        if (
            found is None
            or (found[0] == TOKENS) is not is_sum
            or isinstance(fields[key], list)
            or is_absent(fields[key])
        ):
            continue
        amount = _amount(*found, fields[key])
        if amount is None:
            if not is_time_without_unit(path, fields[key]):  # which is reported by its name
                wrong(path)
        elif taken.setdefault(found[0], amount) == amount:
            del fields[key]


def _amount(name: str, factor: float | None, value: object) -> float | int | None:
    """A value in the unit of a trace; None: it is negative, no number, or a time without a unit."""
    number = plain_number(value)
    if number is None and isinstance(value, str) and (match := _WRITTEN.fullmatch(value)):
        unit = match[2].lower()
        factor = _UNITS.get(unit, factor if not unit else None) if name == SECONDS else factor
        is_unit = not unit or (unit in _UNITS if name == SECONDS else unit in _CURRENCIES and name == COST)
        number = plain_number(match[1]) if is_unit else None
    if number is None or not 0 <= number <= LARGEST or factor is None:
        return None
    if name in (SECONDS, COST):
        return number * factor
    return int(number) if number == int(number) else None


def seconds_in(fields: Mapping[str, Any]) -> float | None:
    """How long something took, by its fields, which stay as they are; None: not recorded."""
    found = amounts_in({key: value for key, value in fields.items() if not isinstance(value, dict)})
    return None if found is None else found.latency_s


def is_time_without_unit(key: str, value: object) -> bool:
    """Whether a field is a time whose unit nothing says."""
    return _kind_of(key) == (SECONDS, None) and plain_number(value) is not None
