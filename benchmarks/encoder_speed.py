"""How quickly neural models of strategies align responses, beside a cross-encoder of BERT-large's shape: a part of
``benchmarks/ENCODERS.md``, which ``benchmarks/encoders.py`` writes."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.kept import Kept
from benchmarks.strategies import table, timed
from trialogue.records import STRATEGIES, Response, Utterance
from trialogue.strategies.base import Example, Floats
from trialogue.strategies.classifiers import encoder_linear
from trialogue.strategies.classifiers.finetuned import drop_general
from trialogue.strategies.classifiers.tfidf import TfidfFit
from trialogue.strategies.labelling import label_records
from trialogue.strategies.learning.calibration import same_probability
from trialogue.strategies.learning.training import train
from trialogue.strategies.taxonomy import bundled_examples

PAIRS, DISTINCT = 100_000, 5_000
LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
LARGE_PAIRS = 8


def speed_part(net: Kept, examples: list[Example]) -> str:
    """Seconds, all in one run; ``net`` is a fine-tuned network that was trained before."""
    extra = [each for each in bundled_examples() if each.label in STRATEGIES]
    whole = [*examples, *extra]
    trained: dict[str, Any] = {"TF-IDF": TfidfFit()(whole), "fine-tuned, one network": net(whole)}
    encoder_linear._OPEN.clear()
    encoder_s, encoder = timed(lambda: train(examples, kind="encoder", extra=extra))
    trained["encoder"] = encoder.raw
    large = large_pairs_per_second()
    rows = [f"| cross-encoder of BERT-large's shape, random weights, 128 tokens | {large:.2f} | | 1 |"]
    for name, model in trained.items():
        seconds, sentences = alignment_seconds(model, examples)
        rows.append(f"| {name} | {PAIRS / seconds:,.0f} | {seconds:.1f} | {PAIRS / seconds / large:,.0f} |")
        print(rows[-1], flush=True)
    return f"""## Seconds of CPU, one core, one run

{PAIRS:,} pairs (human response, system response) over {DISTINCT:,} different responses of two sentences each
({sentences:,} different sentences), labelled as records, and the probability of each pair to share a strategy. The
cross-encoder reads every pair anew; {LARGE_PAIRS} pairs were timed.

{table("| model | pairs/s | s for all | times the cross-encoder |" + chr(10), rows)}
| what | s |
|---|---|
| training the encoder model, {len(whole)} sentences, calibration (five more models) and card included | {encoder_s:.0f} |
| training one fine-tuned network once, five epochs, {len(drop_general(whole))} sentences | {net.seconds(whole):.0f} |
"""


def alignment_seconds(model: Any, examples: Sequence[Example]) -> tuple[float, int]:
    """Seconds of CPU for all pairs, nothing remembered from before; and how many different sentences there are."""
    rng = np.random.default_rng(0)
    texts = [example.text for example in examples]
    replies = [" ".join(texts[place] for place in rng.integers(0, len(texts), 2)) for _ in range(DISTINCT)]
    left, right = rng.integers(0, DISTINCT, (2, PAIRS))
    responses = [
        Response(situation_id=str(place), system="a", utterance=Utterance(speaker="system", text=reply))
        for place, reply in enumerate(replies)
    ]
    forget(model)

    def run() -> Floats:
        rows = [
            [one.utterance.strategy_distribution.probabilities.get(label, 0.0) for label in model.classes]
            for one in label_records(responses, model)
            if one.utterance.strategy_distribution is not None
        ]
        beliefs = np.array(rows)
        return same_probability(beliefs[left], beliefs[right], (1.0, 0.0))

    seconds, _ = timed(run)
    return seconds, len(set(texts))


def forget(model: Any) -> None:
    """Vectors of sentences that were met in training are not to be had for nothing."""
    for encoder in [getattr(model, "encoder", None), *(one.encoder for one in getattr(model, "members", ()))]:
        if encoder is not None:
            encoder._known.clear()


def large_pairs_per_second() -> float:
    """Pairs a second of CPU that a classifier of BERT-large's shape reads, padded to 128 tokens as in the released code."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    module = BertForSequenceClassification(BertConfig(**LARGE, num_labels=2)).eval()
    ids = torch.randint(1000, 20000, (1, 128))
    mask = torch.ones_like(ids)
    read: Callable[[], Any] = lambda: module(input_ids=ids, attention_mask=mask)  # noqa: E731
    with torch.inference_mode():
        read()
        start = time.process_time()
        for _ in range(LARGE_PAIRS):
            read()
    return LARGE_PAIRS / (time.process_time() - start)
