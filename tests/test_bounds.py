"""Probabilities and p-values of all records lie between 0 and 1, both ends included."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError

import trialogue.findings.records  # noqa: F401
from trialogue.records import DialogueAct, Estimate, PairBelief, Record, Score, StrategyDistribution, StrategyLabel

PROBABILITIES = {"p", "p_adjusted", "probability"}


def _kinds(base: type[Record]) -> Iterator[type[Record]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _kinds(kind)


FIELDS: dict[str, TypeAdapter[Any]] = {
    f"{kind.__name__}.{name}": TypeAdapter(Annotated[field.annotation, field])  # type: ignore[arg-type]  # known when run
    for kind in _kinds(Record)
    if kind.__module__.startswith("trialogue.")
    for name, field in kind.model_fields.items()
    if name in PROBABILITIES
}


def test_the_fields_of_this_test_are_found() -> None:
    assert {f"{kind.__name__}.probability" for kind in (DialogueAct, StrategyLabel, PairBelief)} <= FIELDS.keys()
    assert {f"{kind.__name__}.p" for kind in (Score, Estimate)} <= FIELDS.keys()
    assert {"Score.p_adjusted", "Contrast.p_adjusted", "Prediction.p"} <= FIELDS.keys()
    assert "RankingAgreement.p" in FIELDS


@pytest.mark.parametrize("name", FIELDS)
def test_a_probability_is_between_0_and_1(name: str) -> None:
    field = FIELDS[name]
    assert [field.validate_python(given) for given in (0, 0.5, 1)] == [0, 0.5, 1]
    for given in (-1e-9, 1 + 1e-9, -1, 2):
        with pytest.raises(ValidationError):
            field.validate_python(given)


@pytest.mark.parametrize(("share", "is_valid"), [(0, True), (1, True), (-1e-9, False), (1 + 1e-9, False)])
def test_beliefs_in_strategies_are_between_0_and_1(share: float, is_valid: bool) -> None:
    given = {"origin": "model", "probabilities": {"similarity": share, "no_strategy": 1 - share}}
    if is_valid:
        assert StrategyDistribution.model_validate(given).probabilities["similarity"] == share
        return
    with pytest.raises(ValidationError):
        StrategyDistribution.model_validate(given)
