"""Token usage and cost of language-model calls. An unknown price or unreported token count is None, never 0.

Limits on what language models may cost, shared by all clients, threads and processes of a run.

The running totals are in one small file under a lock. Before each request, the most that it can cost is added to them, or
the request is not made; afterwards, that is replaced by what the answer reports. A process that is killed during a request
leaves the larger number. Answers from a cache and models in this process cost nothing and are not counted.
"""

import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from trialogue.errors import TrialogueError, UsageError
from trialogue.records import Record
from trialogue.records.files.locks import file_lock

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

    def add(self, usage: Usage) -> None:
        """Count what another process took of the same model."""
        with self._lock:
            for name in self._counts:
                self._counts[name] += getattr(usage, name)
            self._tokens[0] += usage.prompt_tokens
            self._tokens[1] += usage.completion_tokens

    def usage(self, *, taken: bool = False) -> Usage:
        """Snapshot of the counters; ``taken``: they begin again at 0."""
        with self._lock:
            counts, (prompt, completion) = dict(self._counts), self._tokens
            if taken:
                self._counts, self._tokens = dict.fromkeys(counts, 0), [0, 0]
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


BUDGET = "budget.json"
"""Name of the file in a run's folder."""
MESSAGE_TOKENS = 16  # for the role and the marks around one message, above those of all known templates


class Limits(Record):
    """What a run's requests to language models may come to in total, earlier attempts at the run included."""

    max_cost: Annotated[float, Field(ge=0)] | None = None
    """Cost of all requests, in the currency of the models' prices; None: unlimited."""
    max_calls: Annotated[int, Field(ge=0)] | None = None
    """Number of requests, repeated ones included; None: unlimited."""
    max_tokens: Annotated[int, Field(ge=0)] | None = None
    """Tokens of prompts and answers; None: unlimited."""

    @property
    def are_set(self) -> bool:
        """Whether there is any limit."""
        return any(limit is not None for limit in (self.max_cost, self.max_calls, self.max_tokens))


@dataclass(frozen=True)
class Spent:
    """Running totals."""

    calls: int = 0
    """Requests."""
    tokens: int = 0
    """Tokens of prompts and answers; at most, where an answer does not report them."""
    cost: float = 0.0
    """Cost of requests to models with a price."""
    currency: str | None = None
    """Currency of the cost; None: no priced request was made."""

    def plus(self, calls: int, tokens: int, cost: float, currency: str | None) -> "Spent":
        """Sum."""
        return Spent(self.calls + calls, self.tokens + tokens, round(self.cost + cost, 10), currency or self.currency)

    def __str__(self) -> str:
        """In words, such as ``12 requests, 3,400 tokens, 0.021 USD``."""
        cost = f", {self.cost:,.4g} {self.currency}" if self.currency else ""
        return f"{self.calls:,} requests, {self.tokens:,} tokens{cost}"


class LimitReached(TrialogueError):  # noqa: N818 - a state of the run, which the user resumes
    """The next request might exceed a limit, so it was not made."""

    def __init__(self, limit: str, most: float, spent: Spent) -> None:
        super().__init__(
            f"Stopped before the next request to a language model, which might exceed {limit} {most:g}. "
            f"So far: {spent}. Raise the limit and run the same command again to resume."
        )
        self.limit, self.most, self.spent = limit, most, spent

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle support."""
        return type(self), (self.limit, self.most, self.spent)


@dataclass(frozen=True)
class Budget:
    """Limits with the totals so far; safe for threads and processes, and picklable."""

    limits: Limits
    """The limits."""
    file: Path
    """Holds the totals; made when it is first needed."""

    def check(self, model: str, *, price: Price | None, longest_answer: int | None) -> None:
        """Raise UsageError if the limits cannot be enforced for a model."""
        if self.limits.max_cost is not None and price is None:
            raise UsageError(f"max_cost needs the price of {model}: give its option price (see language-model users).")
        if (self.limits.max_cost, self.limits.max_tokens) != (None, None) and longest_answer is None:
            raise UsageError(
                f"max_cost and max_tokens cannot be enforced without a maximum length of {model}'s answers. "
                "Set the option max_tokens of this model as well."
            )

    def reserve(self, tokens: tuple[int, int], price: Price | None) -> "Reservation":
        """Add the most that a request can take, before it is made.

        Args:
            tokens: most tokens of the prompt, and of the answer.
            price: of the model.

        Raises:
            LimitReached: it might exceed a limit.
            UsageError: prices are in different currencies.
        """
        cost = 0.0 if price is None else price.cost_of(*tokens)
        currency = None if price is None else price.currency
        with self._totals() as (before, write):
            if currency and before.currency and currency != before.currency:
                raise UsageError(
                    f"max_cost cannot cover prices in two currencies, {before.currency} and {currency}. Use one."
                )
            after = before.plus(1, sum(tokens), cost, currency)
            for name, value in (("max_calls", after.calls), ("max_tokens", after.tokens), ("max_cost", after.cost)):
                most = getattr(self.limits, name)
                if most is not None and value > most:
                    raise LimitReached(name, most, before)
            write(after)
        return Reservation(self, sum(tokens), cost)

    def spent(self) -> Spent:
        """Totals so far."""
        with self._totals() as (totals, _):
            found: Spent = totals
        return found

    def correct(self, tokens: int, cost: float) -> None:
        """Add a difference to the totals."""
        with self._totals() as (before, write):
            write(before.plus(0, tokens, cost, None))

    @contextmanager
    def _totals(self) -> Iterator[Any]:
        """(totals, function that stores others), while nobody else changes them."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            with file_lock(descriptor):
                yield self._read(os.read(descriptor, 1 << 12)), lambda totals: _store(descriptor, totals)
        finally:
            os.close(descriptor)

    def _read(self, text: bytes) -> Spent:
        try:
            return Spent(**json.loads(text)) if text.strip() else Spent()
        except (ValueError, TypeError) as error:
            raise UsageError(f"{self.file} is not a record of what was spent; restore it, or delete it.") from error


@dataclass
class Reservation:
    """The most that one request can take, until it is known what it took."""

    budget: Budget
    tokens: int
    cost: float

    def settle(self, tokens: tuple[int | None, int | None], price: Price | None) -> None:
        """Replace it by what an answer reports; one that does not report its tokens stays at the most."""
        prompt, completion = tokens
        if prompt is None or completion is None:
            return
        cost = 0.0 if price is None else price.cost_of(prompt, completion)
        self.budget.correct(prompt + completion - self.tokens, cost - self.cost)

    def release(self) -> None:
        """The request was refused before a model saw it: it counts as a request that cost nothing."""
        self.budget.correct(-self.tokens, -self.cost)


def _store(descriptor: int, totals: Spent) -> None:
    text = json.dumps(totals.__dict__).encode().ljust(1 << 8) + b"\n"
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, text)  # always as long, so that nothing of a longer one is left


def most_prompt_tokens(body: Mapping[str, Any]) -> int:
    """More tokens than the prompt of a request can have: byte-level tokenizers use at most one for each byte."""
    messages = body.get("messages", [])
    return sum(len(str(each.get("content", "")).encode("utf-8", "replace")) + MESSAGE_TOKENS for each in messages)


_active: ContextVar[Budget | None] = ContextVar("budget", default=None)


def active_budget() -> Budget | None:
    """Budget of clients that are created now; None: unlimited."""
    return _active.get()


@contextmanager
def use_budget(budget: Budget | None) -> Iterator[None]:
    """Context manager: clients created inside share a budget."""
    token = _active.set(budget)
    try:
        yield
    finally:
        _active.reset(token)


@dataclass
class DialogueSpend:
    """What one dialogue took of language models, answers from a cache included."""

    answers: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unreported: int = 0
    cost: float | None = 0.0
    currency: str | None = None

    def add(self, tokens: tuple[int | None, int | None], price: Price | None, *, cached: bool) -> None:
        """Count an answer."""
        prompt, completion = tokens
        self.answers += 1
        if cached:
            self.cached += 1
            return
        if prompt is None or completion is None:
            self.unreported += 1
            self.cost = None
            return
        self.prompt_tokens += prompt
        self.completion_tokens += completion
        if price is None or self.cost is None or self.currency not in (None, price.currency):
            self.cost = None
            return
        self.cost, self.currency = round(self.cost + price.cost_of(prompt, completion), 10), price.currency


_tally: ContextVar[DialogueSpend | None] = ContextVar("tally", default=None)


@contextmanager
def dialogue_spend() -> Iterator[DialogueSpend]:
    """Context manager: counts what clients take in this thread inside it."""
    spend = DialogueSpend()
    token = _tally.set(spend)
    try:
        yield spend
    finally:
        _tally.reset(token)


def tally(tokens: tuple[int | None, int | None], price: Price | None, *, cached: bool) -> None:
    """Count an answer for the dialogue that runs in this thread, if any."""
    if (spend := _tally.get()) is not None:
        spend.add(tokens, price, cached=cached)
