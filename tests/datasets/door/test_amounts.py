"""Time, tokens and cost are found under any usual name, and what is none is left where it is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.datasets.door.traces import amounts_in
from trialogue.records.trace import Trace


@pytest.mark.parametrize(
    ("fields", "trace"),
    [
        ({"latency_ms": 1200}, Trace(latency_s=1.2)),
        ({"latencyMs": "1200"}, Trace(latency_s=1.2)),
        ({"total_duration_seconds": 2}, Trace(latency_s=2.0)),
        ({"timing": {"total_ms": 900, "ttft_ms": 90}}, Trace(latency_s=0.9)),
        ({"responseTimeMs": 5}, Trace(latency_s=0.005)),
        ({"latency": "1.2 s"}, Trace(latency_s=1.2)),
        ({"duration": "850ms"}, Trace(latency_s=0.85)),
        (
            {"usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}},
            Trace(input_tokens=3, output_tokens=4),
        ),
        ({"token_usage": {"input": 3, "output": 4}}, Trace(input_tokens=3, output_tokens=4)),
        ({"usage_metadata": {"promptTokenCount": 3}}, Trace(input_tokens=3)),
        ({"metrics": {"tokens": {"prompt": 3, "completion": 4}}}, Trace(input_tokens=3, output_tokens=4)),
        ({"usage": {"total_tokens": 7}}, Trace(total_tokens=7)),
        ({"stats": {"cost": {"usd": 0.5}}}, Trace(cost=0.5)),
        ({"totalCostUSD": "$0.50"}, Trace(cost=0.5)),
        ({"cost_cents": 50}, Trace(cost=0.5)),
        ({"price_usd": "0,5"}, Trace(cost=0.5)),
        ({"cost": 0}, Trace(cost=0.0)),
    ],
)
def test_an_amount_is_known_by_the_words_of_its_path(fields: dict[str, Any], trace: Trace) -> None:
    assert amounts_in(fields) == trace


@pytest.mark.parametrize(
    "fields",
    [
        {"max_tokens": 500}, {"price": 20}, {"ttft_ms": 90}, {"time_ms": 1795766409039}, {"item": {"cost": 3}},
        {"cost_limit": 5}, {"typing_time_ms": 90}, {"tokens": "abc def"}, {"budget_usd": 5}, {"token": 3},
        {"usage": {"cache_read_input_tokens": 9}}, {"latency": 1.2}, {"cost": -1}, {"latency_ms": -5}, {"cost": 1e300},
        {"input_tokens": 1.5}, {"latency_ms": None}, {"cost": True}, {"latency": "fast"}, {"cost": [1]},
        {"duration": "3 films"}, {"cost": "3 ms"},
    ],
)  # fmt: skip
def test_what_is_no_amount_stays_where_it_is(fields: dict[str, Any]) -> None:
    given = {**fields}
    assert amounts_in(given) is None
    assert given == fields


@pytest.mark.parametrize(
    ("fields", "paths"),
    [
        ({"cost": -1}, ["cost"]),
        ({"usage": {"input_tokens": 1.5}}, ["usage.input_tokens"]),
        ({"latency": "fast"}, ["latency"]),
        ({"latency": 1.2}, []),
        ({"latency_ms": None}, []),
        ({"cost": "n/a"}, []),
        ({"max_tokens": -1}, []),
    ],
)
def test_an_amount_that_cannot_be_read_is_reported_by_its_path(fields: dict[str, Any], paths: list[str]) -> None:
    found: list[str] = []
    amounts_in(fields, wrong=found.append)
    assert found == paths


def test_the_first_fields_count_and_a_second_value_stays() -> None:
    first, second = {"cost": 1.0}, {"cost": 2.0, "latency_s": 1}
    assert amounts_in(first, second) == Trace(cost=1.0, latency_s=1.0)
    assert (first, second) == ({}, {"cost": 2.0})


NAMES = st.sampled_from(
    ["usage", "cost", "tokens", "prompt", "total", "ms", "latency", "s", "usd", "count", "max", "timing"]
)
VALUES = (
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
)


@given(
    st.recursive(VALUES, lambda inner: st.dictionaries(st.lists(NAMES, max_size=3).map("_".join), inner, max_size=4))
)
def test_no_fields_break_the_reader_and_amounts_are_never_negative(fields: Any) -> None:
    found = amounts_in(fields) if isinstance(fields, dict) else None
    assert found is None or all(value is None or value >= 0 for value in found.model_dump().values())
