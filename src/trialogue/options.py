"""Options that commands, Python functions and files share: the bounds and the meaning of each, declared once.

``alpha: Alpha = 0.05`` reads the same in a command, in a function and in a record of a file. Typer prints the meaning and
the bounds, pydantic checks them in files, and ``arguments`` checks them where a function is called from Python.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt


@dataclass(frozen=True)
class Help:
    """What an option is for, in one line, and how the command line writes it."""

    text: str = ""
    """Empty: it stands under ``Args:`` of the function."""
    flags: tuple[str, ...] = ()
    """Names on the command line, such as ``--metric`` and ``-m``; empty: the parameter's name."""


class Setting(Help):
    """What a rarer option is for: the command line takes it as ``--set NAME=VALUE``, or from a file of settings."""


Alpha = Annotated[float, Gt(0), Le(0.5), Setting("Significance level.")]
Confidence = Annotated[float, Ge(0.5), Lt(1), Setting("Confidence level of the intervals.")]
Power = Annotated[float, Gt(0), Lt(1), Setting("Required probability of detecting a true difference (power).")]
Resamples = Annotated[int, Ge(100), Setting("Number of bootstrap resamples and permutations.")]
Simulations = Annotated[int, Ge(10), Setting("Number of simulated comparisons for each size.")]
StudySimulations = Annotated[
    int,
    Ge(10),
    Setting("Number of simulated studies per plan. 100 give an uncertainty of .08, and 1,000 give .025."),
]
Looks = Annotated[int, Ge(1), Setting("Planned number of looks at the results while you add labels.")]
Seed = Annotated[int, Ge(0), Help("Random seed.")]
Jobs = Annotated[int, Ge(1), Help("Number of processes. The results are the same for any number.", ("--jobs", "-j"))]
Cluster = Annotated[str, Help("Address of a Dask scheduler whose workers see the same files, or local.")]
Margin = Annotated[
    float,
    Ge(0),
    Setting("Non-inferiority margin in the unit of the measure: a loss up to this size is acceptable."),
]
FailureMargin = Annotated[float, Ge(0), Le(1), Setting("Largest acceptable increase in the share of failed dialogues.")]
CatalogueDate = Annotated[
    int, Ge(1000), Le(2999), Setting("Latest year that the catalogue covers (default: the year of its latest item).")
]
AnyLanguage = Annotated[bool, Setting("Also use metrics and models that do not support the language of the text.")]
Family = Annotated[
    Literal["questions", "measure", "measures"],
    Setting("Correct p-values over the pairs of one measure, also over people's questions, or over all measures."),
]
TieMargin = Annotated[
    Annotated[float, Ge(0)] | Literal["matched"],
    Setting("Largest difference that counts as a tie: a number, or 'matched' to give as many ties as people did."),
]
Title = Annotated[str, Setting("Title of the report.")]
Port = Annotated[int, Ge(0), Le(65535), Help("Port to listen on (0: any free port).")]
MaxCost = Annotated[
    float,
    Ge(0),
    Help("Maximum total cost of requests to language models (requires the option 'price' of each model)."),
]
MaxCalls = Annotated[int, Ge(0), Help("Maximum number of requests to language models.")]
MaxTokens = Annotated[int, Ge(0), Help("Maximum number of tokens of prompts and answers of language models.")]


def parts_of(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type and what annotates it; of ``Seed | None`` those of ``Seed``, with None among the types again."""
    if get_origin(annotation) is Annotated:
        inner, *notes = get_args(annotation)
        return inner, tuple(notes)
    if get_origin(annotation) in (Union, UnionType):
        members = get_args(annotation)
        notes = [note for member in members for note in parts_of(member)[1]]
        return Union[tuple(parts_of(member)[0] for member in members)], tuple(notes)  # noqa: UP007  # made when run
    return annotation, ()


BOUNDS = {Gt: "above", Ge: "at least", Lt: "below", Le: "at most"}


def out_of_bounds(value: Any, annotation: Any) -> str | None:
    """What the value of an option must be, such as "above 0 and at most 0.5"; None where it is within its bounds.

    Values of another type are within them: what they must be is said by their type.
    """
    bounds = bounds_of(annotation)
    if not isinstance(value, int | float) or isinstance(value, bool) or not bounds:
        return None
    if math.isfinite(value) and all(_is_within(value, bound) for bound in bounds):
        return None
    return words_of_bounds(bounds)


def bounds_of(annotation: Any) -> list[Any]:
    """The bounds of an option; empty if every value of its type will do."""
    return [note for note in parts_of(annotation)[1] if isinstance(note, tuple(BOUNDS))]


def words_of_bounds(bounds: Iterable[Any]) -> str:
    """Bounds in words, such as "above 0 and at most 0.5"; "" without any."""
    return " and ".join(f"{BOUNDS[type(bound)]} {_limit(bound):g}" for bound in bounds)


def _limit(bound: Any) -> float:
    return float(getattr(bound, type(bound).__name__.lower()))


def _is_within(value: float, bound: Any) -> bool:
    limit = _limit(bound)
    return {Gt: value > limit, Ge: value >= limit, Lt: value < limit, Le: value <= limit}[type(bound)]
