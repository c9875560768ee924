"""Token usage and cost of language-model calls. An unknown price or unreported token count is None, never 0."""

import threading
from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from trialogue.records import Record

Tokens = Annotated[int, Field(ge=0)]
MILLION = 1_000_000


class Price(Record):
    """Price of a model, from its provider's price list."""

    prompt_per_million: Annotated[float, Field(ge=0)]
    """For a million tokens of prompts."""
    completion_per_million: Annotated[float, Field(ge=0)]
    """For a million tokens of completions."""
    currency: str = "USD"
    """In which money."""

    def cost_of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Cost of a number of tokens.

        >>> Price(prompt_per_million=2, completion_per_million=8).cost_of(1_000_000, 500_000)
        6.0
        """
        tokens = prompt_tokens * self.prompt_per_million + completion_tokens * self.completion_per_million
        return tokens / MILLION


class Usage(Record):
    """Usage of a model by one process."""

    kind: ClassVar[str] = "usage"

    model: str
    """The model."""
    calls: int = 0
    """Requests that the endpoint answered, readably or not, and charges for."""
    cached: int = 0
    """Completions that came from the cache and cost nothing."""
    retries: int = 0
    """Requests that failed and were made again."""
    failures: int = 0
    """Requests that failed for good."""
    prompt_tokens: int = 0
    """Tokens of prompts, over the calls that reported them."""
    completion_tokens: int = 0
    """Tokens of completions, over the calls that reported them."""
    unreported: int = 0
    """Calls whose answer did not say how many tokens it took."""
    cost: float | None = None
    """Cost of the calls; None: unknown, see ``why``."""
    currency: str | None = None
    """The money of ``cost``; None where that is unknown."""
    why: str | None = None
    """Why the cost is unknown."""


def sum_usage(parts: Sequence[Usage]) -> Usage:
    """Usage of one model by several clients together; its cost is unknown where that of one of them is.

    >>> sum_usage([Usage(model="m", calls=1, cost=0.5), Usage(model="m", calls=2, cost=0.25)]).cost
    0.75
    """
    costs = [each.cost for each in parts if each.cost is not None]
    is_known = len(costs) == len(parts)
    counts = ("calls", "cached", "retries", "failures", "prompt_tokens", "completion_tokens", "unreported")
    return parts[0].model_copy(
        update={
            **{field: sum(getattr(each, field) for each in parts) for field in counts},
            "cost": sum(costs) if is_known else None,
            "currency": parts[0].currency if is_known else None,
            "why": None if is_known else next(each.why for each in parts if each.cost is None),
        }
    )


def combine_usage(parts: Sequence[Usage]) -> Usage:
    """Usage of several models together, named after all of them; the cost is unknown where that of one of them is.

    >>> one, other = Usage(model="a", calls=1, cost=0.5, currency="EUR"), Usage(model="b", calls=2, cost=1, currency="EUR")
    >>> both = combine_usage([one, other])
    >>> both.model, both.calls, both.cost
    ('a + b', 3, 1.5)
    """
    models = list(dict.fromkeys(part.model for part in parts))
    found = sum_usage(parts).model_copy(update={"model": " + ".join(models)})
    currencies = {part.currency for part in parts if part.cost is not None and (part.calls or part.cached)}
    if found.cost is None or not currencies:
        return found
    if len(currencies) == 1:
        return found.model_copy(update={"currency": currencies.pop()})
    why = f"prices are in several currencies ({', '.join(sorted(str(each) for each in currencies))})"
    return found.model_copy(update={"cost": None, "currency": None, "why": why})


class Ledger:
    """Thread-safe usage counters."""

    def __init__(self, model: str, price: Price | None = None) -> None:
        self._model, self._price = model, price
        self._lock = threading.Lock()
        self._counts = dict.fromkeys(("calls", "cached", "retries", "failures", "unreported"), 0)
        self._tokens = [0, 0]

    def record_call(self, prompt_tokens: int | None, completion_tokens: int | None) -> None:
        """Count a call and its tokens; None: the endpoint did not report them."""
        with self._lock:
            self._counts["calls"] += 1
            if prompt_tokens is None or completion_tokens is None:
                self._counts["unreported"] += 1
            else:
                self._tokens[0] += prompt_tokens
                self._tokens[1] += completion_tokens

    def count(self, what: str) -> None:
        """Increment ``cached``, ``retries`` or ``failures``."""
        with self._lock:
            self._counts[what] += 1

    def usage(self) -> Usage:
        """Snapshot of the counters."""
        with self._lock:
            counts, (prompt, completion) = dict(self._counts), self._tokens
        why = None
        if self._price is None:
            why = f"the price of {self._model} is not given (option price)"
        elif counts["unreported"]:
            why = f"{counts['unreported']} of {counts['calls']} answers do not state their number of tokens"
        cost = self._price.cost_of(prompt, completion) if self._price and why is None else None
        return Usage(
            model=self._model,
            **counts,
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost=cost,
            currency=self._price.currency if self._price and cost is not None else None,
            why=why,
        )
