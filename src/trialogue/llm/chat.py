"""Client for OpenAI-compatible chat endpoints (OpenAI, vLLM, Ollama, llama.cpp, transformers serve, ...).

One ``POST {url}/chat/completions`` per completion. A response that cannot be parsed is kept as received; an answer without
text is a failure, never an empty reply.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from trialogue.errors import UsageError
from trialogue.llm.cache import Cache, key_of
from trialogue.llm.machine_text import tool_called_by
from trialogue.llm.tokens import Token, tokens_of
from trialogue.llm.usage import Ledger, Price, Reservation, active_budget, most_prompt_tokens, tally
from trialogue.records import JsonValue, Record, RetryCost
from trialogue.transport.answers import (
    MODEL_IS_OURS_TO_MEND,
    check_success,
    checked_text,
    hidden,
    is_stream,
    redactor,
    whole_answer,
)
from trialogue.transport.failures import AgentFailure, FailureKind, PassingFailure, UnreadableAnswer
from trialogue.transport.http import MAX_BYTES, ConnectionPool
from trialogue.transport.retry import AtOnce, Retries, RetryPolicy, Seconds

Message = Mapping[str, Any]
"""``{"role": "system", "user", "assistant" or "tool", "content": text}``, with the calls of tools and their ids."""
SEEDS = 1 << 31  # seeds are cut to 31 bits, which every server takes
TOO_MANY, SERVER_ERROR = 429, 500  # HTTP statuses
CUT = frozenset({"length", "content_filter"})
"""The ``finish_reason`` of an answer that is not whole: its tokens were used up, or a filter took out the rest."""


class RequestedCall(Record):
    """A call of a tool that a model asks for."""

    id: str | None = None
    """Id that the model gave it; None: none."""
    name: str
    """Name of the tool; "": none."""
    arguments: str
    """Its arguments as the model wrote them, which need be no JSON."""


class Completion(Record):
    """A model's answer."""

    text: str
    """Its words, without blanks around them; "" only if it calls tools."""
    calls: tuple[RequestedCall, ...] = Field(default=(), exclude=True)
    """Tools that it calls, if it was offered any; recorded with the turn."""
    finish_reason: str | None = None
    """Why it stopped; None: not said."""
    prompt_tokens: int | None = None
    """Tokens of the prompt; None: not said."""
    completion_tokens: int | None = None
    """Tokens of the answer; None: not said."""
    model: str | None = None
    """The model that answered, as the server calls it."""
    system_fingerprint: str | None = None
    """The server's configuration. Even with a seed, only answers with the same fingerprint can be expected to be equal."""
    tokens: tuple[Token, ...] = Field(default=(), exclude=True)
    """Its tokens with their probabilities, where these were asked for and given; they are not stored with records."""

    @property
    def is_whole(self) -> bool:
        """Whether the answer is complete; False if the token limit or a content filter cut it off."""
        return self.finish_reason not in CUT


class EmptyAnswer(AgentFailure):
    """Answer of a model without text: it refused, was cut off before the first word, or said nothing."""

    def __init__(
        self, detail: str, *, is_refusal: bool = False, finish_reason: str | None = None, kind: FailureKind = "empty"
    ) -> None:
        super().__init__(kind, detail)
        self.is_refusal = is_refusal
        """Whether the model said that it refuses."""
        self.finish_reason = finish_reason
        """Why it stopped; None: not said."""

    @property
    def is_whole(self) -> bool:
        """Whether it was not cut off by the token limit or a content filter."""
        return self.finish_reason not in CUT

    def __reduce__(self) -> tuple[Callable[..., AgentFailure], tuple[object, ...]]:
        """Pickle support."""
        return _empty_answer, (self.detail, self.is_refusal, self.finish_reason, self.kind)


def _empty_answer(detail: str, is_refusal: bool, finish_reason: str | None, kind: FailureKind) -> EmptyAnswer:
    return EmptyAnswer(detail, is_refusal=is_refusal, finish_reason=finish_reason, kind=kind)


class ChatOptions(Record):
    """Endpoint, model and sampling parameters."""

    url: str
    """Base URL of the API, such as ``http://localhost:8000/v1`` or ``https://api.openai.com/v1``."""
    model: str = Field(min_length=1)
    """The model, as the server calls it; a version-pinned name where there is one."""
    api_key_env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """The environment variable that holds the key; None: no key is sent."""
    temperature: Annotated[float, Field(ge=0, le=10)] | None = None
    """None: the server's default."""
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    """Tokens that an answer may have; None: the server's default."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """Name of the server's parameter; OpenAI's reasoning models require the second."""
    stop: tuple[str, ...] = ()
    """Texts before which the model stops."""
    more: dict[str, JsonValue] = Field(default_factory=dict)
    """Further fields of the request, such as ``top_p``; ``stream: true`` works, too."""
    send_seed: bool = True
    """Whether to send a seed, for each dialogue another; a server that refuses the field is rare."""
    timeout_s: Seconds = 120
    """Seconds a request may take."""
    retries: Retries = Retries()
    """Number of retries after 429, 5xx, a time-out or a broken connection."""
    requests_at_once: AtOnce | None = 8
    """Requests at the same time; None: any number."""
    requests_per_minute: Annotated[float, Field(gt=0)] | None = None
    """Requests a minute, evenly spaced; None: any number."""
    cache: Path | None = None
    """Folder of the cache; None: nothing is kept."""
    price: Price | None = None
    """Price of the model; None: unknown, as is the cost."""

    @property
    def place(self) -> str:
        """Where the model runs, in messages to people: its endpoint."""
        return self.url

    def body(self, messages: Sequence[Message], seed: int | None) -> dict[str, Any]:
        """Request body: everything that could change the answer."""
        given: dict[str, Any] = {
            "model": self.model,
            "messages": [dict(message) for message in messages],
            "temperature": self.temperature,
            self.max_tokens_field: self.max_tokens,
            "stop": list(self.stop) or None,
            "seed": seed % SEEDS if self.send_seed and seed is not None else None,
        }
        return {key: value for key, value in given.items() if value is not None} | self.more


class ChatClient:
    """Client of one model at one endpoint; thread-safe."""

    def __init__(self, options: ChatOptions, *, retry_policy: RetryPolicy | None = None) -> None:
        """Store the options; no request is made yet.

        Raises:
            UsageError: the environment variable of the key is not set, or the address is none.
        """
        self.options = options
        self.ledger = Ledger(options.model, options.price)
        self._headers = {"Content-Type": "application/json"}
        secrets = {}
        if options.api_key_env:
            key = os.environ.get(options.api_key_env)
            if not key:
                raise UsageError(
                    f"Environment variable {options.api_key_env} is not set; it must contain the API key for "
                    f"{options.url}. Set it: export {options.api_key_env}=..."
                )
            self._headers["Authorization"] = f"Bearer {key}"
            secrets = {options.api_key_env: key}
        self._hide: Callable[[str], str] = redactor(secrets)
        self._wire = ConnectionPool(options.url, timeout_s=options.timeout_s)
        self._budget = active_budget()
        if self._budget is not None:
            longest_answer = _longest_answer(options.body((), None))
            self._budget.check(options.model, price=options.price, longest_answer=longest_answer)
        self._cache = Cache(options.cache) if options.cache else None
        self._retry_policy = retry_policy or RetryPolicy(
            options.retries, at_once=options.requests_at_once, per_minute=options.requests_per_minute
        )

    def complete(
        self,
        messages: Sequence[Message],
        *,
        seed: int | None,
        trial: str,
        note: Callable[[RetryCost], None] = lambda cost: None,
        fields: Mapping[str, JsonValue] | None = None,
        keep_empty: bool = False,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Completion:
        """Request a completion, or take it from the cache if this trial was answered before.

        Args:
            messages: the conversation so far.
            seed: seed for the model's draws; None: not sent.
            trial: names the repetition that this answer belongs to, such as the dialogue's id.
            note: called with the cost of every further try.
            fields: further fields of this request, such as ``response_format``.
            keep_empty: whether an answer without text is cached as well, as what the model has to say; otherwise it is asked
                again in the next run.
            tools: that the model may call; then an answer of calls alone is one, too.

        Raises:
            AgentFailure: there is no answer with text in it, after all tries.
            LimitReached: the request might exceed a limit of the run (``budget``).
        """
        body = self.options.body(messages, seed) | dict(fields or {}) | ({"tools": list(tools)} if tools else {})
        has_tools = bool(tools)
        key = key_of(self.options.url, body, trial)
        if self._cache is not None and (kept := self._cache.get(key)) is not None:
            self.ledger.count("cached")
            tally((None, None), None, cached=True)
            return completion_in(kept, "", has_tools=has_tools)
        try:
            answer, text = self._request(body, note)
            self.ledger.record_call(*tokens_in(answer))
            tally(tokens_in(answer), self.options.price, cached=False)
            try:
                completion = completion_in(answer, text, has_tools=has_tools)
            except EmptyAnswer:
                if self._cache is not None and keep_empty:
                    self._cache.put(key, answer, model=self.options.model)
                raise
            if self._cache is not None:
                stored = self._cache.put(key, answer, model=self.options.model)
                completion = completion_in(stored, "", has_tools=has_tools)
        except AgentFailure as failure:
            self.ledger.count("failures")
            clean = hidden(failure, self._hide)
            if clean is failure:
                raise
            raise clean from None
        return completion

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()

    def models(self) -> list[str]:
        """Names of the models at the endpoint.

        Raises:
            AgentFailure: it does not say.
        """
        answer = check_success(self._wire.ask("GET", "/models", headers=self._headers), self.options.url)
        data = _json_of(answer.text()).get("data")
        return [str(entry.get("id")) for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []

    def _reserve(self, body: Mapping[str, Any]) -> Reservation | None:
        """Room for a request in the budget of the run; None where there is none."""
        if self._budget is None:
            return None
        return self._budget.reserve((most_prompt_tokens(body), _longest_answer(body) or 0), self.options.price)

    def _request(self, body: Mapping[str, Any], note: Callable[[RetryCost], None]) -> tuple[dict[str, Any], str]:
        """(answer as JSON, as it came)."""
        raw = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")

        def request() -> tuple[dict[str, Any], str]:
            reservation = self._reserve(body)
            try:
                answer = self._wire.ask("POST", "/chat/completions", body=raw, headers=self._headers)
                text = check_success(answer, self.options.url, ours=MODEL_IS_OURS_TO_MEND).text()
                found = _without_error(_json_of(text), self.options.url)
            except AgentFailure as failure:
                # A refused key or request reached no model; an answer that cannot be read was paid for.
                was_answered = getattr(failure, "heard", isinstance(failure, UnreadableAnswer))
                if reservation is not None and not was_answered:
                    reservation.release()
                raise
            if reservation is not None:
                reservation.settle(tokens_in(found), self.options.price)
            return found, text

        def count(cost: RetryCost) -> None:
            self.ledger.count("retries")
            note(cost)

        return self._retry_policy.ask(request, repeatable=True, note=count)


def _longest_answer(body: Mapping[str, Any]) -> int | None:
    """Most tokens of all answers to a request; None: unlimited."""
    most = body.get("max_completion_tokens", body.get("max_tokens"))
    return most * int(body.get("n") or 1) if isinstance(most, int) else None


def _json_of(text: str) -> dict[str, Any]:
    if is_stream(text):
        return whole_answer(text)
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = " Is this the address of the API (it often ends in /v1)?" if text.lstrip().startswith("<") else ""
        raise UnreadableAnswer(f"the endpoint's answer is not JSON.{hint}", text) from error
    if not isinstance(answer, dict):
        raise UnreadableAnswer("the endpoint's answer is JSON, but not an object.", text)
    return answer


def _without_error(answer: dict[str, Any], url: str) -> dict[str, Any]:
    """The response, unless its body reports an error under status 200, as gateways do.

    Raises:
        AgentFailure: it does; a code that is an HTTP status counts as that status would.
    """
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    error = answer.get("error") or (first.get("error") if isinstance(first, dict) else None)
    if not error:
        return answer
    fields = error if isinstance(error, dict) else {"message": error}
    code, message = _status(fields.get("code")), str(fields.get("message") or json.dumps(fields))
    what = f"{url} answered with status 200 and an error: {' '.join(message.split())[:500]}"
    what += f" (code {fields['code']})" if fields.get("code") else ""
    if code == TOO_MANY or code >= SERVER_ERROR:
        # A rate limit refuses a request before the model sees it, so it may be sent again even to an agent with a state.
        raise PassingFailure("rate_limited" if code == TOO_MANY else "error", what, heard=code != TOO_MANY)
    raise AgentFailure("harness" if code in MODEL_IS_OURS_TO_MEND else "error", what)


def _status(code: object) -> int:
    """A code as an HTTP status; 0 for a word, and for none."""
    return int(code) if isinstance(code, int | str) and str(code).isdecimal() else 0


def completion_in(answer: Mapping[str, Any], raw: str, *, has_tools: bool = False) -> Completion:
    """Parse the completion in a response; ``has_tools``: the model was offered tools, which it may call.

    Raises:
        AgentFailure: malformed (no choices, no message; the answer as it came is kept), or empty.
    """
    raw = raw or json.dumps(answer)
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise UnreadableAnswer("the endpoint's answer has no choices.", raw)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise UnreadableAnswer("the endpoint's first choice has no message.", raw)
    text, reason = message.get("content"), choice.get("finish_reason")
    if text is not None and not isinstance(text, str):
        raise UnreadableAnswer("the content of the endpoint's message is not text.", raw)
    calls = tuple(_calls(message, raw)) if has_tools else ()
    if not calls and (not text or not text.strip()):
        raise EmptyAnswer(
            _empty_answer_reason(message, reason),
            is_refusal=isinstance(message.get("refusal"), str),
            finish_reason=_text(reason),
            kind="empty" if tool_called_by(message) is None else "tool_call",
        )
    prompt_tokens, completion_tokens = tokens_in(answer)
    return Completion(
        text=checked_text((text or "").strip(), longest=MAX_BYTES),
        calls=calls,
        finish_reason=_text(reason),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        model=_text(answer.get("model")),
        system_fingerprint=_text(answer.get("system_fingerprint")),
        tokens=tokens_of(choice),
    )


def _calls(message: Mapping[str, Any], raw: str) -> Iterator[RequestedCall]:
    """The tools that a model calls; arguments that servers give as an object are written as JSON."""
    given = message.get("tool_calls") or ()
    for each in given if isinstance(given, list) else ():
        function = each.get("function") if isinstance(each, dict) else None
        if not isinstance(function, dict):
            raise UnreadableAnswer("a call of a tool in the endpoint's message has no function.", raw)
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else json.dumps({} if arguments is None else arguments)
        yield RequestedCall(id=_text(each.get("id")) or None, name=_text(function.get("name")) or "", arguments=text)


def tokens_in(answer: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """(prompt tokens, completion tokens) reported in a response; None where missing."""
    usage = answer.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))


def _empty_answer_reason(message: Mapping[str, Any], reason: object) -> str:
    why = f"the model answered without text (finish_reason {reason!r})."
    if isinstance(message.get("refusal"), str):
        why += f" It refused: {message['refusal'][:300]}"
    elif (tool := tool_called_by(message)) is not None:
        why += (
            f" It called the tool {tool!r}, which nobody runs: do not offer it tools, or run them and answer with text."
        )
    elif reason == "length":
        why += " It used up its tokens first, perhaps for reasoning: raise max_tokens."
    return why


def _text(value: object) -> str | None:
    return value.encode(errors="replace").decode() if isinstance(value, str) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
