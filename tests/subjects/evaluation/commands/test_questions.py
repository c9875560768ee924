"""Several questions to people: none is chosen by its name, and the answer says where they disagree."""

import random
from collections.abc import Mapping, Sequence

import pytest

import trialogue
from trialogue.findings import StatementKind
from trialogue.findings.family import FamilyScope
from trialogue.subjects.evaluation.commands.evaluate import Run

SHIFTS = ((0.9, -0.9), (0.9, 0.9), (0.9, 0.0), (0.0, 0.9), (0.0, 0.0))


def _rated(shifts: Mapping[str, float], *, seed: int = 0, dialogues: int = 40) -> list[dict[str, object]]:
    """Dialogues of two systems, of which the second is shifted on each question."""
    found: list[dict[str, object]] = []
    for place, (system, sign) in enumerate((("v1", 0.0), ("v2", 1.0))):
        rng = random.Random(seed + place)
        for number in range(dialogues):
            ratings = {name: min(5, max(1, round(rng.gauss(3 + sign * shift, 1)))) for name, shift in shifts.items()}
            messages = [
                {"role": "user", "content": f"A film, number {number}?"},
                {"role": "assistant", "content": "Heat."},
            ]
            found.append({"id": f"{system}-{number}", "system": system, "messages": messages, "ratings": ratings})
    return found


def _evaluate(names: Sequence[str], shifts: Sequence[float], *, family: FamilyScope = FamilyScope.QUESTIONS) -> Run:
    rated = _rated(dict(zip(names, shifts, strict=True)))
    return trialogue.evaluate(rated, origin="person", metrics=["turns"], resamples=300, family=family)


@pytest.mark.parametrize("shifts", SHIFTS)
def test_renaming_questions_renames_them_in_the_answer_and_changes_nothing_else(shifts: tuple[float, float]) -> None:
    one, other = _evaluate(("alpha", "omega"), shifts), _evaluate(("omega", "alpha"), shifts)
    swapped = one.answer.replace("Alpha", "#").replace("Omega", "Alpha").replace("#", "Omega")
    assert swapped == other.answer


def test_questions_that_decide_a_pair_both_ways_give_no_winner() -> None:
    run = _evaluate(("ease", "trust"), (0.9, -0.9))
    first = str(run.findings.answer[0])
    assert run.findings.primary is None
    assert first.startswith("People's answers disagree on which system is better: on ")
    assert "on Ease, v2 is significantly better than v1" in first
    assert "on Trust, v1 is significantly better than v2" in first


def test_questions_that_agree_are_corrected_together_and_named() -> None:
    run, alone = (
        _evaluate(("ease", "trust"), (0.9, 0.9)),
        _evaluate(("ease", "trust"), (0.9, 0.9), family=FamilyScope.MEASURE),
    )
    sides = next(each for each in run.findings.answer if each.kind_of is StatementKind.SIDES)
    assert "agrees with this order" in str(sides)
    assert "over the 2 questions" in str(sides)
    for one, other in zip(run.findings.leagues[:2], alone.findings.leagues[:2], strict=True):
        assert one.questions == 2
        assert other.questions == 1
        assert one.contrasts[0].p_adjusted == pytest.approx(2 * (other.contrasts[0].p_adjusted or 0.0))


def test_one_question_is_not_corrected_for_others() -> None:
    run = _evaluate(("ease",), (0.9,))
    (league,) = [each for each in run.findings.leagues if each.measure.by == "people"]
    assert league.contrasts[0].p_adjusted == league.contrasts[0].difference.p


def test_equal_systems_are_called_different_on_any_question_at_the_declared_level() -> None:
    """Four questions, no difference: without the correction .19 of runs would name a better system."""
    named = 0
    for seed in range(60):
        rated = _rated(dict.fromkeys("abcd", 0.0), seed=2 * seed)
        run = trialogue.evaluate(rated, origin="person", metrics=["turns"], resamples=200)
        named += any(each.leader for league in run.findings.leagues[:4] for each in league.contrasts)
    assert named <= 6  # 60 runs at .05: more than 6 has a probability of .03; at .19, fewer has .06


def test_the_scope_is_a_choice() -> None:
    assert set(FamilyScope) == {"questions", "measure", "measures"}
