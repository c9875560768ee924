"""The conformance fixture: numbers that peers' own functions gave for the same three replies."""

import pytest

from tests.metrics.replies import replies, value

FIRST = "have you seen The Matrix (1999) ?"
PAIRS = (
    (FIRST, "have you seen Inception (2010) ?"),
    ("i like it , i like it a lot", "it is a great movie"),
    (FIRST, "you should watch The Matrix (1999)"),
)

BLEU = "CRSLab BleuMetric.compute"
F1 = "CRSLab F1Metric.compute"
STANDARD = "CRSLab StandardEvaluator"
CONV = "CRSLab ConvEvaluator, UniCRS ConvEvaluator.report"
LAPS = "CRSArena-Dial tool/metrics.py"
MUSIC = "music-crs-evaluator metrics_diversity.py"

GOLD = (
    ("bleu(k=1)@crslab", 0.455026, BLEU),
    ("bleu(k=2)@crslab", 0.222222, BLEU),
    ("bleu(k=3)@crslab", 0.133333, BLEU),
    ("bleu(k=4)@crslab", 0.0, BLEU),
    ("token_f1@crslab", 0.505495, F1),
    ("distinct(n=1)@chars", 8.0, STANDARD),
    ("distinct(n=2)@chars", 14.666667, STANDARD),
    ("distinct(n=3)@chars", 16.0, STANDARD),
    ("distinct(n=4)@chars", 15.666667, STANDARD),
    ("distinct(n=1)@per_response", 4.333333, CONV),
    ("distinct(n=2)@per_response", 4.0, CONV),
    ("distinct(n=3)@per_response", 3.666667, CONV),
    ("distinct(n=4)@per_response", 3.333333, CONV),
    ("distinct(n=1)@laps", 0.565217, LAPS),
    ("distinct(n=2)@laps", 0.6, LAPS),
    ("distinct(n=2)@music_crs", 0.6, MUSIC),
)


@pytest.mark.parametrize(("name", "gold", "peer"), GOLD, ids=[f"{name}: {peer}" for name, _, peer in GOLD])
def test_the_value_of_the_peer_comes_out(name: str, gold: float, peer: str) -> None:
    assert value(name, replies(PAIRS)) == pytest.approx(gold, abs=1e-6), peer
