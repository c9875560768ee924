"""Ask a model many questions concurrently: each distinct one once per sample, and none that is in the cache.

The first questions are asked by this process, which learns from them whether a server takes a schema and answers at all; the
rest by threads, in other processes, or on a cluster, whose workers share the cache and the limits on cost as files.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trialogue.dask_cluster import ALONE, Workers
from trialogue.errors import Problem, UsageError
from trialogue.judges.judgement import JudgingProgress, Watch
from trialogue.judges.options import AnyJudgeOptions
from trialogue.llm.cache import Cache
from trialogue.llm.chat import Completion, EmptyAnswer
from trialogue.llm.local import LocalOptions
from trialogue.llm.models import AnyModel, cache_key, open_model
from trialogue.llm.usage import Budget, Ledger, LimitReached, Usage, active_budget, use_budget
from trialogue.records import JsonValue, Reason, ReasonCode
from trialogue.seeds import seed_for
from trialogue.transport.failures import AgentFailure, PassingFailure
from trialogue.transport.retry import RetryPolicy

AT_ONCE = 8
BATCH = 8  # questions for each request at once that a worker takes together: few, as a killed worker's are asked again
PROBES = (
    5  # first questions, asked one by one: on them it is learned whether a server takes a schema, and answers at all
)
TOP = 20  # log-probabilities of so many tokens, the most that OpenAI gives
CHARACTERS_PER_TOKEN = 4  # of UTF-8 bytes, for prices in advance
HOPELESS = ("harness", "unreachable")
"""Failures that the next question will meet as well: a refused key, no network."""

Answer = Completion | Reason
"""What came back: a completion, or why there is none."""
Question = tuple[str, int]
"""A text, and which sample of the answer to it."""


@dataclass(frozen=True)
class Cost:
    """What questions will cost, in advance."""

    requests: int
    """Requests to be made."""
    cached: int
    """Answers that are in the cache already."""
    prompt_tokens: int
    """Tokens of their prompts, estimated from their length."""
    most_completion_tokens: int | None
    """Tokens of their answers, at most; None: there is no limit."""
    least: float | None
    """What the prompts cost; None: the price is not known."""
    most: float | None
    """What they cost with the longest answers; None: the price or the limit is not known."""
    currency: str | None
    """The money."""


class Asker:
    """Asks one model with one instruction; thread-safe."""

    def __init__(
        self,
        options: AnyJudgeOptions,
        instruction: str,
        schema: Mapping[str, Any],
        *,
        seed: int = 0,
        retry_policy: RetryPolicy | None = None,
        takes_schema: bool | None = None,
        workers: Workers = ALONE,
    ) -> None:
        """Store the settings; the key is needed, and the address checked, when something is asked."""
        self._options, self._instruction, self._schema, self._seed = options, instruction, dict(schema), seed
        self._retry_policy, self._workers = retry_policy, workers
        self._made: AnyModel | None = None
        self._cache = Cache(options.cache) if options.cache else None
        self._takes_schema = takes_schema if options.structured else False

    @property
    def _client(self) -> AnyModel:
        """The model, opened when it is first needed: prices are known without a key.

        Raises:
            UsageError: the key's environment variable is not set, the address is none, or a folder holds no model.
        """
        if self._made is None:
            self._made = open_model(self._options, retry_policy=self._retry_policy)
        return self._made

    def open(self) -> None:
        """Open the model, which threads need to be open; errors as of ``open_model``."""
        _ = self._client

    def usage(self, *, taken: bool = False) -> Usage:
        """What was used so far; ``taken``: from now on counted from 0."""
        ledger = Ledger(self._options.model, self._options.price) if self._made is None else self._made.ledger
        return ledger.usage(taken=taken)

    def close(self) -> None:
        """Close the connections."""
        if self._made is not None:
            self._made.close()

    def cost(self, texts: Iterable[str]) -> Cost:
        """What answers to some texts will cost; makes no request."""
        options = self._options
        self._recall_schema()
        requests = cached = tokens = 0
        for text in dict.fromkeys(texts):
            size = len(f"{self._instruction}{text}".encode("utf-8", "surrogatepass"))
            for sample in range(options.samples):
                if self._is_cached(text, sample):
                    cached += 1
                else:
                    requests += 1
                    tokens += -(-size // CHARACTERS_PER_TOKEN)
        longest = None if options.max_tokens is None else requests * options.max_tokens
        price = options.price
        return Cost(
            requests=requests,
            cached=cached,
            prompt_tokens=tokens,
            most_completion_tokens=longest,
            least=None if price is None else price.cost_of(tokens, 0),
            most=None if price is None or longest is None else price.cost_of(tokens, longest),
            currency=None if price is None else price.currency,
        )

    def ask(self, texts: Iterable[str], watch: Watch | None = None) -> dict[str, tuple[Answer, ...]]:
        """Answers to each distinct text, one per sample.

        Args:
            texts: what is judged.
            watch: called after each answer.

        Raises:
            UsageError: the key is not set, the endpoint cannot be reached or refuses the key; what was answered before is in
                the cache.
        """
        self.open()
        questions = [(text, sample) for text in dict.fromkeys(texts) for sample in range(self._options.samples)]
        answers: dict[Question, Answer] = {}
        start, failed = time.monotonic(), 0

        def note_answer(question: Question, answer: Answer) -> None:
            nonlocal failed
            answers[question] = answer
            failed += isinstance(answer, Reason)
            if watch is not None:
                cached = self.usage().cached
                elapsed = time.monotonic() - start
                watch(JudgingProgress(len(answers), len(questions), min(cached, len(answers)), failed, elapsed))

        if not (self._workers and isinstance(self._options, LocalOptions)):  # a cluster has the memory for the weights
            self._ask_first(questions, note_answer)
        rest = [each for each in questions if each not in answers]
        if self._workers and rest:
            self._ask_workers(rest, note_answer)
        else:
            self.ask_here(rest, note_answer)
        return {
            text: tuple(answers[text, sample] for sample in range(self._options.samples))
            for text in dict.fromkeys(text for text, _ in questions)
        }

    def ask_here(self, questions: Sequence[Question], note: Callable[[Question, Answer], None]) -> None:
        """Ask questions by threads of this process; ``note`` is called with each answer."""
        pool = ThreadPoolExecutor(self._options.requests_at_once or AT_ONCE)
        try:
            futures = {pool.submit(self._answer, *each): each for each in questions}
            for future in as_completed(futures):
                note(futures[future], future.result())
        except LimitReached:
            pool.shutdown(cancel_futures=True)  # what is on its way is paid for, and goes to the cache
            raise
        except BaseException:
            # Without this, an interruption would wait for every question in flight and then for all that are queued.
            pool.shutdown(wait=False, cancel_futures=True)
            self._client.close()
            raise
        pool.shutdown()

    def _ask_workers(self, questions: Sequence[Question], note: Callable[[Question, Answer], None]) -> None:
        """Ask questions in other processes or on a cluster.

        Raises:
            UsageError: a batch could not be asked; what was answered is in the cache.
        """
        task = self._task()
        problems: list[Problem] = []
        batches = _batches_of(questions, self._workers, task.options.requests_at_once or AT_ONCE)
        try:
            for batch, found in self._workers.map(answers_to, batches, task, purpose="judge on a Dask cluster"):
                if isinstance(found, Answers):
                    self._client.ledger.add(found.usage)
                    for question, answer in zip(batch.asked, found.answers, strict=True):
                        note(question, answer)
                else:
                    problems += found
        finally:
            if (own := _ASKERS.pop(0, None)) is not None:
                own[1].close()
        if problems:
            named = "; ".join(f"{each.file}: {each.what}" for each in problems)
            raise UsageError(
                f"Some questions could not be asked ({named}) Other answers are in the cache, if there is one; run the same "
                "command again to resume."
            )

    def _task(self) -> "Asking":
        """How workers ask: with absolute paths, and their shares of the rate where it is known how many they are."""
        options, count = self._options, self._workers.count
        paths: dict[str, Path | None] = {name: getattr(options, name, None) for name in ("cache", "folder")}
        changes: dict[str, Any] = {name: path.resolve() for name, path in paths.items() if path is not None}
        if count is not None and not isinstance(options, LocalOptions):
            changes["requests_at_once"] = max(1, (options.requests_at_once or AT_ONCE * count) // count)
            if options.requests_per_minute is not None:
                changes["requests_per_minute"] = options.requests_per_minute / count
        budget = active_budget()
        return Asking(
            options.model_copy(update=changes),
            self._instruction,
            self._schema,
            self._seed,
            takes_schema=bool(self._takes_schema),
            budget=None if budget is None else Budget(budget.limits, budget.file.resolve()),
        )

    def _ask_first(self, questions: Sequence[Question], note: Callable[[Question, Answer], None]) -> None:
        """Ask the first questions one after the other until one is answered, and learn whether a schema is accepted.

        Raises:
            UsageError: the server refused all of them: a wrong model name or option, which the next would meet as well.
        """
        self._recall_schema()
        refusals: list[AgentFailure] = []
        for question in questions[:PROBES]:
            try:
                note(question, self._complete_first(*question))
                break
            except AgentFailure as failure:
                note(question, _reason_of(failure))
                if isinstance(failure, EmptyAnswer):
                    break
                if failure.kind == "error" and not isinstance(failure, PassingFailure):
                    refusals.append(failure)
        if len(refusals) == PROBES:
            raise UsageError(f"The judge refused the first {PROBES} questions: {refusals[-1].detail}")
        if self._takes_schema is None:
            self._takes_schema = True

    def _complete_first(self, text: str, sample: int) -> Completion:
        """A completion with a schema, if the server is not known to refuse it; else without.

        Raises:
            AgentFailure: there is no answer either way; an ``EmptyAnswer`` is one.
        """
        if self._takes_schema is not None:
            return self._complete(text, sample, schema=self._takes_schema)
        try:
            return self._complete(text, sample, schema=True)
        except EmptyAnswer:
            raise
        except AgentFailure as refusal:
            # A 5xx counts, too: llama-cpp-python answers 500 where a server of another make says 400.
            if refusal.kind != "error":
                raise
            try:
                found: Completion | EmptyAnswer = self._complete(text, sample, schema=False)
            except EmptyAnswer as empty:
                found = empty
            except AgentFailure:
                raise refusal from None  # it is not the schema that was refused
            if isinstance(refusal, PassingFailure):
                again = self._again_with_schema(text, sample)
                if again is not None:
                    return again  # it was not the schema
            self._takes_schema = False
            if self._cache is not None:
                self._cache.put(self._schema_key(), {"takes_schema": False}, model=self._options.model)
            if isinstance(found, EmptyAnswer):
                raise found from None
            return found

    def _again_with_schema(self, text: str, sample: int) -> Completion | None:
        """A completion from a server that failed with a schema and answered without; None: it failed with it once more.

        Raises:
            AgentFailure: another failure than before; an ``EmptyAnswer`` is one.
        """
        try:
            return self._complete(text, sample, schema=True)
        except AgentFailure as failure:
            if failure.kind != "error":
                raise
            return None

    def _recall_schema(self) -> None:
        """What an earlier run found out, so that a rerun sends the same requests and finds them in the cache."""
        if self._takes_schema is None and self._cache is not None:
            kept = self._cache.get(self._schema_key())
            self._takes_schema = False if kept is not None else None

    def _schema_key(self) -> str:
        body = {"model": self._options.model, "response_format": self._schema, "asked": "whether it takes a schema"}
        return cache_key(self._options, body, "")

    def _answer(self, text: str, sample: int) -> Answer:
        try:
            return self._complete(text, sample, schema=bool(self._takes_schema))
        except AgentFailure as failure:
            return _reason_of(failure)

    def _complete(self, text: str, sample: int, *, schema: bool) -> Completion:
        return self._client.complete(
            self._messages(text),
            seed=seed_for(self._seed, "judge", str(sample)),
            trial=_trial(sample),
            fields=self._fields(schema=schema),
            keep_empty=True,
        )

    def _is_cached(self, text: str, sample: int) -> bool:
        if self._cache is None:
            return False
        seed = seed_for(self._seed, "judge", str(sample))
        body = self._options.body(self._messages(text), seed) | self._fields(schema=self._takes_schema is not False)
        return self._cache.get(cache_key(self._options, body, _trial(sample))) is not None

    def _messages(self, text: str) -> list[dict[str, str]]:
        role = self._options.instruction_role
        if role == "user":
            return [{"role": "user", "content": f"{self._instruction}\n\n{text}"}]
        return [{"role": role, "content": self._instruction}, {"role": "user", "content": text}]

    def _fields(self, *, schema: bool) -> dict[str, JsonValue]:
        fields: dict[str, JsonValue] = {"response_format": self._schema} if schema else {}
        if self._options.expected:
            fields |= {"logprobs": True, "top_logprobs": TOP}
        return fields


@dataclass(frozen=True)
class Questions:
    """A batch of questions for a worker."""

    asked: tuple[Question, ...]
    first: int

    @property
    def given(self) -> str:
        """Which ones, for messages."""
        return f"the batch that begins with question {self.first:,}"


@dataclass(frozen=True)
class Answers:
    """Answers to a batch, in the order of its questions, and what they took."""

    answers: tuple[Answer, ...]
    usage: Usage


@dataclass(frozen=True)
class Asking:
    """How questions are asked, wherever that is done."""

    options: AnyJudgeOptions
    instruction: str
    schema: Mapping[str, Any]
    seed: int
    takes_schema: bool
    budget: Budget | None


_ASKERS: dict[int, tuple[Asking, Asker]] = {}
"""The asker of the task that this process works on, kept between batches with its connections, its pace or its weights."""
_MAKING = threading.Lock()


def answers_to(batch: Questions, task: Asking) -> Answers | list[Problem]:
    """Answers to a batch, in any process.

    Raises:
        UsageError: the endpoint cannot be reached from here, or refuses the key, which is read from this machine's
            environment.
        LimitReached: the next request might exceed a limit of the run.
    """
    asker = _asker_for(task)
    found: dict[Question, Answer] = {}
    asker.ask_here(batch.asked, found.__setitem__)
    return Answers(tuple(found[each] for each in batch.asked), asker.usage(taken=True))


def _asker_for(task: Asking) -> Asker:
    with _MAKING:
        kept, asker = _ASKERS.get(0, (None, None))
        if asker is None or kept != task:
            asker = Asker(task.options, task.instruction, task.schema, seed=task.seed, takes_schema=task.takes_schema)
            with use_budget(task.budget):
                asker.open()
            _ASKERS[0] = task, asker
        return asker


def _batches_of(questions: Sequence[Question], workers: Workers, at_once: int) -> Iterator[Questions]:
    """Batches that are small enough for every worker to have several."""
    size = BATCH * at_once
    if workers.count is not None:
        size = max(1, min(size, len(questions) // (2 * workers.count)))
    for first in range(0, len(questions), size):
        yield Questions(tuple(questions[first : first + size]), first + 1)


def _trial(sample: int) -> str:
    """Equal texts have equal answers, whatever dialogue and system they come from; samples have not."""
    return f"judge:{sample}"


def _reason_of(failure: AgentFailure) -> Reason:
    """Why there is no answer.

    Raises:
        UsageError: the next question would fail in the same way.
    """
    if failure.kind in HOPELESS:
        raise UsageError(
            f"The judge cannot be asked: {failure.detail} Answers so far are in the cache, if there is one; run the "
            "same command again to resume."
        ) from failure
    if isinstance(failure, EmptyAnswer):
        if failure.is_refusal:
            return Reason.of(ReasonCode.JUDGE_REFUSED)
        if failure.finish_reason is not None and not failure.is_whole:
            return Reason.of(ReasonCode.JUDGE_CUT, finish_reason=failure.finish_reason)
    return Reason.of(ReasonCode.MODEL_DID_NOT_ANSWER, kind=failure.kind)
