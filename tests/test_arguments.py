"""Wrong arguments of public functions are named, and nothing else is."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, Protocol

import pytest

import trialogue
from trialogue.arguments import explains_arguments, wrong_arguments
from trialogue.errors import UsageError
from trialogue.records import Utterance

REPLIES = {"A": ["a b c", "d e f"] * 3, "B": ["d e", "f g"] * 3}
WRONG = [3, ["x"], [3], object(), {"a": 1}, "nonsense", -1, True, float("nan"), [], "", b"x"]


class Speaks(Protocol):
    """A thing with a method."""

    def speak(self) -> str:
        """Say something."""
        ...


def takes(
    *texts: str,
    names: Sequence[str] = (),
    kind: Literal["a", "b"] = "a",
    share: float | None = None,
    said: Utterance | None = None,
    by: Mapping[str, int] | None = None,
    who: Speaks | str = "x",
    then: Callable[[int], int] = abs,
) -> None:
    """A function that fails in any case."""
    raise TypeError("inside")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"names": 3}, "names must be Sequence[str], got 3."),
        ({"names": "text"}, "names must be Sequence[str], got 'text'."),
        ({"kind": "c"}, "kind must be Literal['a', 'b'], got 'c'."),
        ({"share": "x"}, "share must be float | None, got 'x'."),
        ({"said": 1}, "said must be Utterance | None, got 1."),
        ({"by": {"a": "b"}}, "by must be Mapping[str, int] | None, got {'a': 'b'}."),
        ({"who": 4}, "who must be Speaks | str, got 4."),
        ({"then": 4}, "then must be Callable[[int], int], got 4."),
    ],
)
def test_an_argument_that_does_not_fit_its_annotation_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        explains_arguments(takes)(**given)
    assert str(caught.value) == message


def test_all_of_them_are_named_at_once_with_those_in_a_row() -> None:
    found = wrong_arguments(takes, ("a", 4), {"names": 3})
    assert found == ["texts must be str, got ('a', 4).", "names must be Sequence[str], got 3."]


def test_a_failure_with_fitting_arguments_stays_what_it_is() -> None:
    given: dict[str, Any] = {
        "names": ("a",), "share": 1, "said": Utterance(speaker="user", text=""), "by": {"a": 1}, "who": "x",
    }  # fmt: skip
    with pytest.raises(TypeError, match="inside"):
        explains_arguments(takes)("a", **given)
    with pytest.raises(TypeError, match="unexpected keyword"):
        explains_arguments(takes)(nothing=1)  # type: ignore[call-arg]


def calls() -> list[tuple[str, dict[str, Any]]]:
    of_score = ("metrics", "metric", "references", "contexts", "format_name", "mapping", "settings", "jobs")
    of_evaluate = ("metrics", "seed", "alpha", "family", "title", "resamples", "steps")
    given: dict[str, Any] = {"metrics": ["length"]}
    found = [("score", given | {key: value}) for key in of_score for value in WRONG]
    return found + [("evaluate", given | {"resamples": 5, key: value}) for key in of_evaluate for value in WRONG]


def test_no_wrong_argument_of_score_and_evaluate_fails_inside() -> None:
    for name, given in calls():
        with suppress(trialogue.TrialogueError):  # or it works: a name of one letter is a name
            getattr(trialogue, name)(REPLIES, **given)


@pytest.mark.parametrize("side", WRONG, ids=lambda value: type(value).__name__)
def test_a_wrong_side_of_a_comparison_is_refused_or_compared(side: Any) -> None:
    with suppress(trialogue.TrialogueError):
        trialogue.compare(side, {"A": REPLIES["A"]}, resamples=5)


def test_the_name_of_a_metric_is_a_text() -> None:
    with pytest.raises(UsageError, match=r"metric must be str \| None, got \['length'\]"):
        trialogue.score(["a b"], metric=["length"])  # type: ignore[arg-type]
