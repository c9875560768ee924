"""Placeholders and paths: how a request and an answer are described in YAML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.agents import AgentFailure
from trialogue.agents.protocols.exchange import (
    check_placeholders,
    fill_template,
    required_value,
    secrets_of,
    values_of,
)
from trialogue.errors import UsageError
from trialogue.records import JsonValue, Utterance
from trialogue.records.files.json_paths import ABSENT, value_at
from trialogue.transport.answers import redactor

HISTORY = [
    Utterance(speaker="system", text="Welcome!"),
    Utterance(speaker="user", text="hi"),
    Utterance(speaker="system", text="Hello."),
    Utterance(speaker="system", text="What do you like?"),
    Utterance(speaker="user", text="{seed} films"),
]


def test_every_placeholder_says_what_it_should() -> None:
    values = values_of(HISTORY, "d1", 7)
    assert fill_template("{message}|{dialogue_id}|{seed}|{turn}", values, {}) == "{seed} films|d1|7|2"
    assert fill_template("{seed}", values, {}) == 7
    assert fill_template({"c": "{context}"}, values, {}) == {"c": ["hi", "Hello. What do you like?"]}
    assert fill_template("{messages}", values, {}) == [
        {"role": "assistant", "content": "Welcome!"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "Hello."},
        {"role": "assistant", "content": "What do you like?"},
        {"role": "user", "content": "{seed} films"},
    ]
    assert len(fill_template("{history}", values, {})) == 5  # type: ignore[arg-type]


def test_other_json_and_doubled_braces_stay() -> None:
    template: JsonValue = {"a": [1, None, True, "{{message}}"], "b": {"c": "{"}}
    assert fill_template(template, values_of(HISTORY, "d", 0), {}) == {
        "a": [1, None, True, "{message}"],
        "b": {"c": "{"},
    }


@given(st.text())
def test_what_the_user_says_is_never_read_as_a_template(text: str) -> None:
    values = values_of([Utterance(speaker="user", text=text)], "d", 0)
    assert fill_template({"t": "{message}", "u": "> {message}"}, values, {}) == {"t": text, "u": f"> {text}"}


def test_context_alternates_and_begins_with_the_user() -> None:
    assert values_of(HISTORY[:2], "d", 0)["context"] == []
    assert values_of([], "d", 0)["context"] == []


def test_unknown_placeholders_are_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no placeholder 'mesage'. Did you mean 'message'"):
        check_placeholders({"a": ["{mesage}"]})
    check_placeholders({"a": ["{message}", "{env:ANY}", "{{mesage}}", 1]})


def test_secrets_come_from_the_environment_and_missing_ones_are_all_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE", "s3cr3t")
    assert secrets_of({"Authorization": "Bearer {env:ONE}"}) == {"ONE": "s3cr3t"}
    assert fill_template("Bearer {env:ONE}", {}, {"ONE": "s3cr3t"}) == "Bearer s3cr3t"
    with pytest.raises(UsageError, match="THREE, TWO"):
        secrets_of(["{env:TWO}", "{env:ONE}", "{env:THREE}"])


def test_secrets_are_hidden_in_texts() -> None:
    hide = redactor({"A": "s3cr3t", "B": "s3cr3t-longer", "C": "ab"})
    assert hide("a key s3cr3t-longer, s3cr3t, ab") == "a key ***, ***, ab"
    assert redactor({})("s3cr3t") == "s3cr3t"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("", {"a": {"b": [1, {"c": "x"}]}, "d.e": 2, "f": None}),
        ("a.b.0", 1),
        ("a.b.1.c", "x"),
        ("/a/b/1/c", "x"),
        ("/d.e", 2),
        ("f", None),
        ("a.c", ABSENT),
        ("a.b.2", ABSENT),
        ("a.b.x", ABSENT),
        ("f.g", ABSENT),
        ("/*", ABSENT),
    ],
)
def test_paths_with_dots_or_slashes_lead_into_an_answer(path: str, value: object) -> None:
    assert value_at({"a": {"b": [1, {"c": "x"}]}, "d.e": 2, "f": None}, path) == value


def test_a_star_is_every_member_of_a_list() -> None:
    assert value_at([{"m": [{"t": "a"}, {"t": "b"}]}, {"m": []}], "*.m.*.t") == [["a", "b"], []]


def test_json_pointer_escapes_are_read() -> None:
    assert value_at({"a/b": {"~": 1}}, "/a~1b/~0") == 1


def test_what_is_not_there_is_reported_with_what_is() -> None:
    with pytest.raises(AgentFailure, match="nothing at 'reply'; it is an object with the keys version, output"):
        required_value({"version": 3, "output": 1}, "reply", "raw")
    with pytest.raises(AgentFailure, match="an empty object"):
        required_value([], "reply", "raw")
    with pytest.raises(AgentFailure):
        required_value([{"t": "a"}, {}], "*.t", "raw")
