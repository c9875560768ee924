"""The headline over generated data: what only describes leads nothing; no verdict contradicts the values in the table."""

import numpy as np
import pytest

from trialogue.findings.systems.answer import primary_league
from trialogue.records import Basis, Dialogue, Rating, Utterance
from trialogue.subjects.evaluation.commands.evaluate import evaluate

WORDS = "heat alien joker film good bad new old you like try see dark night sun moon".split()  # noqa: SIM905


def generated(seed: int) -> list[Dialogue]:
    """Dialogues of two to four systems with unequal numbers, vocabularies and lengths, some with ratings."""
    rng = np.random.default_rng(seed)
    found = []
    for system in "abcd"[: rng.integers(2, 5)]:
        vocabulary = WORDS[: rng.integers(3, len(WORDS) + 1)]
        for number in range(rng.integers(4, 60)):
            texts = [" ".join(rng.choice(vocabulary, rng.integers(1, 25))) for _ in range(rng.integers(1, 4))]
            utterances = [each for text in texts for each in (said("user", "more"), said("system", text))]
            has_rating = seed % 2 and rng.random() < 0.6
            rating = Rating(name="csat", value=float(rng.integers(1, 6)), low=1, high=5)
            found.append(
                Dialogue(
                    id=f"{system}{number}",
                    system=system,
                    utterances=tuple(utterances),
                    ratings=(rating,) if has_rating else (),
                )
            )
    return found


def said(speaker: str, text: str) -> Utterance:
    return Utterance(speaker=speaker, text=text)


@pytest.mark.parametrize("seed", range(10))
def test_every_verdict_agrees_in_sign_with_the_values_beside_it(seed: int) -> None:
    metrics = ["distinct(n=2)@ratio", "distinct(n=1)@ratio", "length", "repetition@self"]
    findings = evaluate(generated(seed), resamples=200, metrics=metrics).findings
    for league in findings.leagues:
        values = {each.system: each.estimate.value for each in league.standings}
        sign = -1 if league.measure.better == "lower" else 1
        for contrast in league.contrasts:
            if contrast.leader is not None:
                loser = contrast.b if contrast.leader == contrast.a else contrast.a
                ahead, behind = values[contrast.leader], values[loser]
                assert ahead is not None
                assert behind is not None
                assert sign * (ahead - behind) > 0, (league.measure.name, contrast)
    leading = primary_league(findings.leagues)
    assert leading is None or leading.measure.basis is not Basis.REPLIES
    if leading is None:
        assert findings.answer[0].text.startswith("No measure here can decide")


def test_a_verdict_at_equal_amounts_of_text_that_contradicts_the_values_is_none() -> None:
    """v1 has few words over short replies, v2 many over long ones: the ratio and the rarefied ratio turn round."""
    rng = np.random.default_rng(1)
    words = {"v1": WORDS[:4], "v2": [f"word{n}" for n in range(60)]}
    lengths = {"v1": 2, "v2": 60}
    dialogues = [
        Dialogue(
            id=f"{system}{n}",
            system=system,
            utterances=(said("user", "hi"), said("system", " ".join(rng.choice(words[system], lengths[system])))),
        )
        for system in words
        for n in range(40)
    ]
    findings = evaluate(dialogues, resamples=200, metrics=["distinct(n=1)@ratio"]).findings
    (league,) = findings.leagues
    first, second = (standing.estimate.value or 0 for standing in league.standings)
    (contrast,) = league.contrasts
    opposed = (
        (contrast.difference.value or 0) * (1 if contrast.a == league.standings[0].system else -1) < 0 < first - second
    )
    assert opposed
    assert contrast.leader is None
    assert "the order is the opposite" in str(contrast.difference.why)
