"""``align`` recognises texts from another corpus than the model's, and says what that means for each system."""

import re
from dataclasses import replace

import pytest

from trialogue.findings.threat import Severity, ThreatCode
from trialogue.findings.threats.texts import sentence
from trialogue.records import ReasonCode, Response, Situation, Utterance
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.learning.corpus_profile import ELSEWHERE
from trialogue.strategies.models import Model
from trialogue.strategies.taxonomy import bundled_examples
from trialogue.subjects.alignment.commands import align as aligning
from trialogue.subjects.alignment.commands.align import align
from trialogue.subjects.alignment.commands.result import AlignmentRun

FILMS = [each.text for each in bundled_examples() if each.label != "no_strategy"][::12][:300]
TOOLS = "The cordless torque wrench ships with lithium cells and a ratcheting chuck calibrated for drywall anchors."


def said(text: str) -> Utterance:
    return Utterance(speaker="system", text=text)


def asked(text: str) -> Utterance:
    return Utterance(speaker="user", text=text)


BEFORE = (asked("A film?"), said("Which genre do you like?"), asked("Horror"))


def aligned(replies: dict[str, list[str]]) -> AlignmentRun:
    situations = [
        Situation(
            id=f"s{place}",
            dialogue_id=f"d{place // 3}",
            turn=3,
            context=BEFORE,
            reference=said(text),
        )
        for place, text in enumerate(FILMS[:150])
    ]
    responses = [
        Response(situation_id=f"s{place}", system=system, utterance=said(text))
        for system, texts in replies.items()
        for place, text in enumerate(texts[:150])
    ]
    return align(situations, responses, metrics=["implicit_alignment"], baselines=False, resamples=200)


@pytest.fixture(scope="module")
def run() -> AlignmentRun:
    return aligned({"films": FILMS[150:], "tools": [f"{TOOLS} {place}" for place in range(150)]})


def test_each_system_has_a_threat_with_its_distances(run: AlignmentRun) -> None:
    threats = {each.systems: each for each in run.findings.threats if each.code is ThreatCode.CORPUS_SHIFT}
    tools = threats["tools",]
    assert tools.severity is Severity.BLOCKS
    assert tools.facts["unknown_words"] > tools.facts["unknown_words_limit"]  # type: ignore[operator]
    assert set(tools.facts) == {
        "sentences", "unknown_words", "unknown_words_limit", "mix_distance", "mix_distance_limit"
    }  # fmt: skip
    assert re.search(
        r"texts of tools are from a different corpus .* \(unknown words \d+%, usually at most 1\d%;", sentence(tools)
    )


def test_texts_that_are_too_far_have_no_estimate(run: AlignmentRun) -> None:
    score = next(each for each in run.scores if each.level == "system" and each.system == "tools")
    assert score.value is None
    assert score.why is not None
    assert score.why.code is ReasonCode.CORPUS_TOO_FAR


def test_the_interval_of_texts_from_elsewhere_is_wider(run: AlignmentRun, monkeypatch: pytest.MonkeyPatch) -> None:
    with_error = next(each for each in run.scores if each.level == "system" and each.system == "films")
    monkeypatch.setattr(aligning, "with_shifts", lambda material, _model: material)
    without = aligned({"films": FILMS[150:]})
    alone = next(each for each in without.scores if each.level == "system" and each.system == "films")
    assert not any(each.code is ThreatCode.CORPUS_SHIFT for each in without.findings.threats)
    assert with_error.value == alone.value
    assert with_error.interval is not None
    assert alone.interval is not None
    p = with_error.value or 0.0
    sides = [(each.interval.high - p) / 1.959964 for each in (with_error, alone) if each.interval is not None]
    added = ELSEWHERE.variance_along(1 - p, p) + ELSEWHERE.of_system
    assert sides[0] ** 2 - sides[1] ** 2 == pytest.approx(added, rel=1e-3)


def test_a_model_without_a_profile_says_that_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    model = default_model()
    bare = model.card.model_copy(update={"calibration": model.card.calibration.model_copy(update={"profile": None})})
    old: Model = replace(model, card=bare)
    monkeypatch.setattr(aligning, "find_model", lambda _given: old)
    run = aligned({"films": FILMS[150:]})
    assert any("has no profile of its calibration data" in each for each in run.findings.warnings)
    assert not any(each.code is ThreatCode.CORPUS_SHIFT for each in run.findings.threats)
