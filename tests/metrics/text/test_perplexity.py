"""Perplexity: the two means everywhere; the reading where torch is installed."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.metrics import tiny_models
from tests.metrics.replies import of, reply, scores, value, why
from trialogue.errors import MissingExtraError
from trialogue.metrics import get_metric
from trialogue.metrics.text.neural import FORMULAS, Perplexity


@pytest.mark.parametrize(("variant", "expected"), [("exp_mean", 20.09), ("mean_exp", 27.36)])
def test_losses_2_3_4_have_two_perplexities(variant: str, expected: float) -> None:
    # exp(3) against (exp(2) + exp(3) + exp(4)) / 3, each loss being a reply of one token
    statistics, combine = FORMULAS[variant]
    sums = np.array([statistics([loss]) for loss in (2.0, 3.0, 4.0)]).sum(axis=0)
    assert float(combine(sums)) == pytest.approx(expected, abs=0.005)


def test_the_mean_over_tokens_weighs_long_replies_more() -> None:
    statistics, combine = FORMULAS["exp_mean"]
    sums = np.array([statistics([1.0]), statistics([3.0, 3.0, 3.0])]).sum(axis=0)
    assert float(combine(sums)) == pytest.approx(math.exp(10 / 4))


def test_without_torch_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"torch is needed to compute perplexity, .* 'trialogue\[neural\]'"):
        Perplexity(model=str(tmp_path))


@pytest.fixture
def model(tmp_path: Path) -> str:
    return tiny_models.causal(tmp_path)


def test_one_reply_is_read_as_transformers_reads_it(model: str) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    letters = "abcdefghijklmnopqrstuvwxyz .,?!"
    ids = torch.tensor(
        [[1, *(2 + letters.index(letter) for letter in "a good film.")]]
    )  # behind the begin-of-text token
    with torch.inference_mode():
        loss = float(AutoModelForCausalLM.from_pretrained(model)(input_ids=ids, labels=ids).loss)
    for variant in FORMULAS:
        assert of(f"perplexity(model={model})@{variant}", "A good film.") == pytest.approx(math.exp(loss), rel=1e-5)


def test_replies_are_pooled_by_tokens_or_averaged(model: str) -> None:
    metric, units = Perplexity(model=model), [reply("ok"), reply("what do you like?")]
    short, long = (float(np.log(of(metric, unit.text))) for unit in units)
    assert value(metric, units) == pytest.approx(math.exp((2 * short + 17 * long) / 19), rel=1e-5)
    other = Perplexity(model=model, variant="mean_exp")
    assert value(other, units) == pytest.approx((math.exp(short) + math.exp(long)) / 2, rel=1e-5)
    assert value(other, units[::-1]) == pytest.approx(value(other, units))


def test_what_cannot_be_read_is_left_out_with_a_reason(model: str) -> None:
    metric = Perplexity(model=model)
    assert why(metric, " ") == "the reply is empty"
    assert why(metric, "a" * 32) == "the reply is longer than the 32 tokens that the model can read"
    assert of(metric, "a" * 31) >= 1
    assert of(metric, "神 🙂") >= 1
    assert scores(metric, [reply(""), reply("fine")])[0].skipped == 1


def test_without_a_first_token_the_first_of_the_reply_is_not_scored(tmp_path: Path) -> None:
    metric = Perplexity(model=tiny_models.causal(tmp_path, first=False))
    assert why(metric, "a") == "the reply has too few tokens to score"
    assert of(metric, "ab") >= 1


def test_the_name_holds_the_model_and_not_its_path(model: str) -> None:
    measure = get_metric(f"perplexity(model={model})").measure
    assert measure.startswith(f"perplexity(model={Path(model).name}-")
    assert str(Path(model).parent) not in measure
