"""Limits on language models hold before the request that would exceed them, across clients, threads and runs."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from trialogue.errors import UsageError
from trialogue.llm.chat import ChatClient, ChatOptions
from trialogue.llm.usage import (
    Budget,
    LimitReached,
    Limits,
    Price,
    Spent,
    dialogue_spend,
    most_prompt_tokens,
    use_budget,
)
from trialogue.transport.failures import AgentFailure
from trialogue.transport.retry import Retries

PRICE = Price(
    prompt_per_million=1_000_000, completion_per_million=2_000_000
)  # a unit for a token, two for one of an answer
ASKED = [{"role": "user", "content": "hello"}]
MOST = 5 + 16 + 2 * 10  # five bytes, the marks of a message, and ten tokens of an answer at twice the price


class Model(BaseHTTPRequestHandler):
    """Answers with three tokens to a prompt of four, or with a status."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        server: Any = self.server
        server.requests += 1
        answer = {"choices": [{"message": {"content": "hi"}}], "usage": server.usage}
        body = json.dumps(answer).encode()
        self.send_response(server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
        pass


@contextmanager
def model(*, status: int = 200, usage: object = None) -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.requests, server.status = 0, status
    server.usage = usage or {"prompt_tokens": 4, "completion_tokens": 3}
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def client(url: str, budget: Budget, **options: Any) -> ChatClient:
    fields = {"price": PRICE, "max_tokens": 10, "retries": Retries(most=0), **options}
    with use_budget(budget):
        return ChatClient(ChatOptions(url=url, model="m", **fields))


def ask(asked: ChatClient, number: int = 0) -> None:
    asked.complete(ASKED, seed=number, trial=str(number))


@pytest.mark.parametrize(
    ("limits", "requests"),
    [
        (Limits(max_calls=3), 3),
        (Limits(max_tokens=45), 3),  # 7 for each so far, and at most 31 for the next: 14 + 31 = 45, 21 + 31 = 52
        (Limits(max_cost=61), 3),  # 4 + 2 * 3 = 10 for each, and at most 41 for the next: 20 + 41 = 61
        (Limits(max_cost=MOST - 1), 0),
        (Limits(max_calls=0), 0),
    ],
)
def test_the_request_that_might_exceed_a_limit_is_not_made(limits: Limits, requests: int, tmp_path: Path) -> None:
    with model() as server:
        asked = client(server.url, Budget(limits, tmp_path / "b.json"))
        for number in range(requests):
            ask(asked, number)
        for _ in range(2):
            with pytest.raises(LimitReached, match="Raise the limit"):
                ask(asked)
        again = client(server.url, Budget(limits, tmp_path / "b.json"))  # the same command again
        with pytest.raises(LimitReached):
            ask(again)
        assert server.requests == requests


def test_threads_and_clients_share_a_budget(tmp_path: Path) -> None:
    with model() as server:
        budget = Budget(Limits(max_calls=10), tmp_path / "b.json")
        clients = [client(server.url, budget) for _ in range(4)]

        def attempt(number: int) -> bool:
            try:
                ask(clients[number % 4], number)
            except LimitReached:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(attempt, range(40))) == 10
        assert server.requests == 10
        assert budget.spent() == Spent(calls=10, tokens=70, cost=100.0, currency="USD")


def test_refused_requests_count_as_calls_that_cost_nothing_and_failed_ones_as_the_most(tmp_path: Path) -> None:
    for status, cost in ((429, 0.0), (401, 0.0), (400, 0.0), (500, float(MOST))):
        with model(status=status) as server:
            budget = Budget(Limits(max_calls=5), tmp_path / f"{status}.json")
            with pytest.raises(AgentFailure):
                ask(client(server.url, budget))
            assert budget.spent().calls == 1
            assert budget.spent().cost == cost


def test_an_answer_that_does_not_report_its_tokens_counts_as_the_most(tmp_path: Path) -> None:
    with model(usage={"none": 0}) as server:
        budget = Budget(Limits(max_calls=5), tmp_path / "b.json")
        ask(client(server.url, budget))
        assert budget.spent() == Spent(calls=1, tokens=31, cost=float(MOST), currency="USD")


@pytest.mark.parametrize("content", ["", "plain", "日本語のテキスト", "🎬" * 9, "\ud800"])
def test_no_prompt_has_more_tokens_than_are_reserved(content: str) -> None:
    size = len(content.encode("utf-8", "replace"))
    assert most_prompt_tokens({"messages": [{"role": "user", "content": content}] * 2}) == 2 * (size + 16)


def test_limits_that_cannot_be_kept_are_refused_before_the_first_request(tmp_path: Path) -> None:
    with model() as server:
        with pytest.raises(UsageError, match="max_cost needs the price of m"):
            client(server.url, Budget(Limits(max_cost=1), tmp_path / "b"), price=None)
        for limits in (Limits(max_cost=1), Limits(max_tokens=1)):
            with pytest.raises(UsageError, match="Set the option max_tokens of this model"):
                client(server.url, Budget(limits, tmp_path / "b"), max_tokens=None)
        client(server.url, Budget(Limits(max_calls=1), tmp_path / "b"), price=None, max_tokens=None)


def test_prices_in_two_currencies_are_refused_and_a_broken_file_is_named(tmp_path: Path) -> None:
    with model() as server:
        budget = Budget(Limits(max_cost=1000), tmp_path / "b")
        ask(client(server.url, budget))
        with pytest.raises(UsageError, match="in two currencies, USD and EUR"):
            ask(client(server.url, budget, price=PRICE.model_copy(update={"currency": "EUR"})))
        (tmp_path / "b").write_text("nonsense")
        with pytest.raises(UsageError, match="is not a record of what was spent"):
            ask(client(server.url, budget))


def test_answers_from_the_cache_are_free_and_told_apart(tmp_path: Path) -> None:
    with model() as server:
        asked = client(server.url, Budget(Limits(max_calls=1), tmp_path / "b"), cache=tmp_path / "cache")
        with dialogue_spend() as first:
            ask(asked)
        with dialogue_spend() as second:
            ask(asked)
        assert (first.answers, first.cached, first.prompt_tokens, first.cost) == (1, 0, 4, 10.0)
        assert (second.answers, second.cached, second.cost) == (1, 1, 0.0)
