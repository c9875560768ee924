"""Names of measures: parsed, written, and refused with a hint."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import UnknownNameError, UsageError
from trialogue.metrics.names import Name, full_name, parse
from trialogue.records import Card, Variant

CARD = Card(
    name="made_up",
    title="Made up",
    summary="For tests.",
    unit="share",
    better="higher",
    level="response",
    variants={"one": Variant(summary="One.", source="Here."), "two": Variant(summary="Two.", source="Here.")},
    default="one",
    parameters={"n": "a number", "strict": "yes or no", "weight": "a weight"},
    version=3,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("distinct", Name("distinct", {})),
        ("distinct()", Name("distinct", {})),
        (" distinct(n=2)@ratio ", Name("distinct", {"n": 2}, "ratio")),
        ("distinct( n = 2 , vocabulary = 100 )@ead", Name("distinct", {"n": 2, "vocabulary": 100}, "ead")),
        ("distinct(n=2)@ratio|v1", Name("distinct", {"n": 2}, "ratio")),
        ("rouge_l@f1_stem", Name("rouge_l", {}, "f1_stem")),
        ("my_package.metrics:Mine(weight=0.5)", Name("my_package.metrics:Mine", {"weight": 0.5})),
        ("made_up(strict=True)", Name("made_up", {"strict": True})),
        ("perplexity(model=models/gpt2)@exp_mean", Name("perplexity", {"model": "models/gpt2"}, "exp_mean")),
        ("perplexity(model='models/my gpt')", Name("perplexity", {"model": "models/my gpt"})),
    ],
)
def test_a_name_is_read(text: str, name: Name) -> None:
    assert parse(text) == name


@pytest.mark.parametrize(
    "text", ["", "@ratio", "distinct(", "distinct)n=2(", "distinct n=2", "2grams", "distinct@ratio@chars"]
)
def test_what_is_no_name_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not a metric name\. Write name\(parameter=value\)@variant"):
        parse(text)


@pytest.mark.parametrize("inside", ["2", "n=", "=2", "2n=1", "n 2"])
def test_what_is_no_parameter_is_refused_with_an_example(inside: str) -> None:
    with pytest.raises(UsageError, match=r"is not a parameter\. Write parameter=value, such as n=2"):
        parse(f"distinct({inside})")


def test_a_full_name_has_sorted_parameters_variant_and_version() -> None:
    written = full_name(CARD, "two", {"weight": 0.50, "n": 2, "strict": False})
    assert written == "made_up(n=2,strict=false,weight=0.5)@two|v3"


def test_a_full_name_without_parameters_has_no_brackets() -> None:
    assert full_name(CARD, "one", {}) == "made_up@one|v3"


def test_an_unknown_variant_or_parameter_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"no variant 'tow' of made_up\. Did you mean 'two'\? Known: one, two"):
        full_name(CARD, "tow", {})
    with pytest.raises(UnknownNameError, match=r"no parameter 'k' of made_up.* Known: n, strict, weight"):
        full_name(CARD, "one", {"k": 2})


@given(
    variant=st.sampled_from(["one", "two"]),
    parameters=st.dictionaries(
        st.sampled_from(["n", "strict", "weight"]),
        st.integers(-99, 99) | st.booleans() | st.sampled_from([0.5, 1.25, -3.75]) | st.sampled_from(["gpt2", "a/b"]),
    ),
)
def test_a_full_name_is_read_back_as_it_was_meant(
    variant: str, parameters: dict[str, int | float | str | bool]
) -> None:
    assert parse(full_name(CARD, variant, parameters)) == Name("made_up", parameters, variant)
