"""Reasons: codes and facts in records, words in one catalogue."""

import ast
from collections import Counter
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from pydantic import ValidationError

import trialogue
from trialogue.records import Estimate, Reason, ReasonCode, Score
from trialogue.records.reasons.codes import _texts

SOURCES = Path(trialogue.__file__).parent
CATALOGUE = ("codes.py",)
GIVEN = ("Estimate", "Score", "Standing", "Test", "Undefined")
"""Records that are given reasons."""


def _facts_of(text: str) -> frozenset[str]:
    """The names of the facts that a template takes; ``cause`` among them."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name)


def _given(call: ast.Call) -> frozenset[str]:
    """The names of the facts that a call of ``Reason.of`` gives; ``cause`` for a second argument."""
    names = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
    return frozenset(names | ({"cause"} if len(call.args) > 1 else set()))


@cache
def _nodes() -> tuple[tuple[Path, ast.Attribute | ast.Call], ...]:
    """Attributes, and calls of what is given reasons, in modules that name any of these."""
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path.name not in CATALOGUE and any(name in text for name in ("ReasonCode", "Reason.of", *GIVEN)):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Attribute) or (
                    isinstance(node, ast.Call) and ast.unparse(node.func) in {"Reason.of", *GIVEN}
                ):
                    found.append((path, node))
    return tuple(found)


def _code(node: ast.AST) -> ReasonCode | None:
    named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ReasonCode"
    return ReasonCode[node.attr] if named and isinstance(node, ast.Attribute) else None


def test_every_code_has_one_text_of_its_own() -> None:
    assert list(_texts()) == [code.value for code in ReasonCode]
    assert [text for text, times in Counter(code.text for code in ReasonCode).items() if times > 1] == []


def test_texts_are_parts_of_sentences() -> None:
    for text in (code.text for code in ReasonCode):
        assert text == text.strip()
        assert not text.endswith(".")


def test_every_code_is_used() -> None:
    used = {code for _, node in _nodes() if (code := _code(node)) is not None} | {ReasonCode.OTHER}
    assert set(ReasonCode) - used == set()


def test_every_reason_gets_the_facts_that_its_text_takes() -> None:
    wrong = []
    for path, node in _nodes():
        if not isinstance(node, ast.Call) or ast.unparse(node.func) != "Reason.of":
            continue
        code = _code(node.args[0])
        if code is not None and _given(node) != _facts_of(code.text):
            wrong.append(f"{path.relative_to(SOURCES)}:{node.lineno} {code}")
    assert wrong == []


def test_no_reason_is_given_in_words() -> None:
    """Pydantic would take a string for a reason; strings are for plug-ins and files."""
    wrong = []
    for path, node in _nodes():
        if isinstance(node, ast.Call) and ast.unparse(node.func) in GIVEN:
            given = [keyword.value for keyword in node.keywords if keyword.arg in {"why", "left_out"}]
            given += node.args if ast.unparse(node.func) == "Undefined" else []
            if any(
                isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and value.value) for value in given
            ):
                wrong.append(f"{path.relative_to(SOURCES)}:{node.lineno}")
    assert wrong == []


def test_a_number_stands_with_its_noun() -> None:
    assert (
        str(Reason.of(ReasonCode.REPLY_TOO_LONG, tokens=1))
        == "the reply is longer than the 1 token that the model can read"
    )
    assert "1,024 tokens" in str(Reason.of(ReasonCode.REPLY_TOO_LONG, tokens=1024))


def test_a_list_has_commas_and_a_cause_its_own_words() -> None:
    assert str(Reason.of(ReasonCode.SYSTEMS_WITHOUT_VALUE, places=[1, 3])).endswith("missing: number 1, 3")
    empty = Reason.of(ReasonCode.REPLY_EMPTY)
    several = Reason.of(ReasonCode.LEFT_OUT_FOR_SEVERAL_REASONS, empty, units=3, times=2)
    assert str(several) == "3 units left out, 2 of them because the reply is empty"
    assert several.cause is empty


def test_equal_reasons_count_as_one() -> None:
    made = [Reason.of(ReasonCode.ACTS_OF_OTHER_SPACE, speaker="user", acts=["a", "b"]) for _ in range(3)]
    assert Counter(made) == {made[0]: 3}
    assert Reason.of(ReasonCode.REPLY_TOO_SHORT, n=2) != Reason.of(ReasonCode.REPLY_TOO_SHORT, n=3)


def test_a_reason_without_facts_is_made_once() -> None:
    assert Reason.of(ReasonCode.NO_DATA) is Reason.of(ReasonCode.NO_DATA)


def test_a_bare_text_is_a_reason_in_the_words_of_a_plug_in() -> None:
    score = Score.model_validate(
        {"measure": "m", "level": "system", "value": None, "why": "nobody asked; nor answered"}
    )
    assert score.why == Reason.other("nobody asked; nor answered")
    assert str(score.why) == "nobody asked; nor answered"


def test_a_reason_is_written_as_an_object() -> None:
    assert Estimate(value=None, why=Reason.of(ReasonCode.NO_DATA)).to_json() == {
        "value": None,
        "why": {"code": "no_data"},
    }


def test_a_missing_value_with_an_empty_reason_is_refused() -> None:
    with pytest.raises(ValidationError, match="a reason needs a text"):
        Estimate.model_validate({"value": None, "why": ""})
