"""An option means the same, with the same bounds, in every command, function and file."""

import inspect
import math
from collections.abc import Iterator
from typing import Any, get_type_hints

import pytest
from pydantic import TypeAdapter, ValidationError
from typer.testing import CliRunner

import trialogue
from tests.cli.test_surface import COMMANDS
from trialogue import options
from trialogue.cli.app import app
from trialogue.errors import UsageError
from trialogue.findings.protocol import DecisionProtocol
from trialogue.options import Help, out_of_bounds, parts_of
from trialogue.records import Record
from trialogue.simulation.batch.simulation_file import SimulationFile
from trialogue.subjects.comparison.commands.ci import ComparisonFields
from trialogue.workflows.experiment.file import Experiment

SHARED = {
    "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_"): kind
    for name, kind in vars(options).items()
    if any(isinstance(note, Help) for note in parts_of(kind)[1])
}
"""Shared options by the name that they have everywhere."""
BOUNDED = sorted(name for name, kind in SHARED.items() if len(parts_of(kind)[1]) > 1)
NUMBERS = (-math.inf, -5, -1e-9, 0, 1e-9, 0.5, 0.95, 1, 10, 99, 100, 1000, 2999, 3000, math.inf, math.nan)


FUNCTIONS = {name: found for name in trialogue.__all__ if inspect.isfunction(found := getattr(trialogue, name))}
FILES: dict[str, type[Record]] = {
    each.__name__: each for each in (DecisionProtocol, Experiment, SimulationFile, ComparisonFields)
}
JUDGING = ("judge systems", "judge probe", "judge pairs")
WITH_CLUSTERS = ("evaluate", "score", "simulate", "strategies label", *JUDGING)
OTHERWISE = {
    ("trialogue simulate", "seed"): "a number or the word fresh",
    **{(f"trialogue {name}", "jobs"): "a number of processes, or a cluster" for name in WITH_CLUSTERS},
    ("DecisionProtocol", "looks"): "the size of each look, not how many there are",
    ("DecisionProtocol", "margin"): "margins of superiority, non-inferiority and equivalence",
}
"""Options of the same name that are something else, each with what."""


def _places() -> Iterator[tuple[str, str, Any]]:
    for name, command in COMMANDS.items():
        for parameter, each in command.parameters.items():
            if parameter in SHARED:
                yield f"trialogue {name}", parameter, each.kind
    for name, function in FUNCTIONS.items():
        for parameter, hint in get_type_hints(function, include_extras=True).items():
            if parameter in SHARED:
                yield name, parameter, hint
    for name, record in FILES.items():
        for field, hint in get_type_hints(record, include_extras=True).items():
            if field in SHARED:
                yield name, field, hint


PLACES = [place for place in _places() if place[:2] not in OTHERWISE]


def test_options_are_shared_widely() -> None:
    assert len(SHARED) >= 15
    assert {name for name, _, _ in PLACES} >= {"evaluate", "compare", "trialogue compare versions", *FILES}
    assert len(PLACES) > 100


@pytest.mark.parametrize(("where", "name", "hint"), PLACES, ids=[f"{where}: {name}" for where, name, _ in PLACES])
def test_an_option_has_its_bounds_wherever_it_is_taken(where: str, name: str, hint: Any) -> None:
    expected = parts_of(SHARED[name])[1]
    assert [note for note in parts_of(hint)[1] if not isinstance(note, Help)][: len(expected) - 1] == [
        note for note in expected if not isinstance(note, Help)
    ]


@pytest.mark.parametrize("name", BOUNDED)
def test_files_and_functions_draw_the_line_at_the_same_value(name: str) -> None:
    kind = SHARED[name]
    in_files = TypeAdapter(kind)
    for number in NUMBERS:
        given = int(number) if parts_of(kind)[0] is int and math.isfinite(number) else number
        if isinstance(given, float) and parts_of(kind)[0] is int:
            continue
        try:
            in_files.validate_python(given)
        except ValidationError:
            assert out_of_bounds(given, kind) is not None, given
        else:
            assert out_of_bounds(given, kind) is None or math.isinf(given), given


def test_a_call_out_of_bounds_names_every_mistake() -> None:
    with pytest.raises(UsageError) as error:
        trialogue.evaluate("demo", alpha=0.9, resamples=10, seed=-1)
    assert str(error.value) == (
        "seed must be at least 0, got -1.\nresamples must be at least 100, got 10.\n"
        "alpha must be above 0 and at most 0.5, got 0.9."
    )


@pytest.mark.parametrize("given", ["0", "0.9", "nan", "inf", "-1"])
def test_the_command_line_refuses_what_a_function_refuses(given: str) -> None:
    result = CliRunner().invoke(app, ["evaluate", "demo", "--set", f"alpha={given}"])
    assert isinstance(result.exception, UsageError)
    assert "alpha must be a number above 0 and at most" in str(result.exception)
    with pytest.raises(UsageError, match="alpha must be above 0 and at most"):
        trialogue.evaluate("demo", alpha=float(given))
