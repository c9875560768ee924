"""Second implementations of the metrics of text: the libraries that they reproduce, or plain loops.

``python -m tests.metrics.oracles`` prints their values for ``replies.PAIRS`` as JSON: ``tests/golden/text_metrics.json``.
"""

import json
import re
import string
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from tests.metrics.replies import PAIRS

Pairs = Sequence[tuple[str, str]]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _grams(units: Sequence[str], n: int) -> list[Hashable]:
    return [tuple(units[start : start + n]) for start in range(len(units) - n + 1)]


def _without_punctuation(text: str) -> list[str]:
    return "".join(mark for mark in text.lower() if mark not in string.punctuation).split()


def parlai(text: str) -> str:
    """ParlAI's normal form, word by word."""
    spaced = "".join(" " if mark in string.punctuation else mark for mark in text.lower())
    return " ".join(word for word in spaced.split() if word not in ("a", "an", "the"))


def _laps(text: str) -> list[str]:
    return [word for word in re.split(" +", re.sub("[.\n]", "", text.lower())) if word]


def distinct(pairs: Pairs, variant: str, n: int) -> float:
    """Distinct-n by plain loops."""
    texts = [text for text, _ in pairs if text.strip() or variant == "mese"]
    cut: dict[str, Callable[[str], Sequence[str]]] = {
        "chars": list,
        "laps": _laps,
        "laps_all": _laps,
        "music_crs": lambda text: text.lower().split(),
        "mese": lambda text: _without_punctuation(text)[1:],
    }
    grams = [_grams(cut.get(variant, str.split)(text), n) for text in texts]
    if variant == "intra":
        return _mean([len(set(one)) / len(one) for one in grams if one])
    kinds, total = len({gram for one in grams for gram in one}), sum(map(len, grams))
    if variant == "ead":
        possible = 30522**n
        return float(kinds / (possible * (1 - ((possible - 1) / possible) ** total)))
    return kinds / (len(texts) if variant in ("per_response", "chars", "mese") else total)


def bleu(pairs: Pairs, variant: str, k: int) -> float:
    """BLEU-k by NLTK or sacreBLEU, called as the peers call them."""
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
    from sacrebleu.metrics.bleu import BLEU

    if variant == "sacrebleu":
        hypotheses, references = [reply for reply, _ in pairs], [reference for _, reference in pairs]
        return float(BLEU(max_ngram_order=k).corpus_score(hypotheses, [references]).score) / 100
    weights = (1 / k,) * k
    cut: Callable[[str], list[str]] = str.split
    smooth: Any = None
    if variant == "crslab":
        pairs, weights, cut = (
            [pair for pair in pairs if pair[0]],
            (0.0,) * (k - 1) + (1.0,),
            lambda text: text.split(" "),
        )
    elif variant == "unicrs":
        pairs, weights = [pair for pair in pairs if pair[0].strip()], (0.0,) * (k - 1) + (1.0,)
    elif variant == "mese":
        smooth, cut = SmoothingFunction().method7, lambda text: _without_punctuation(text)[1:]
    elif variant == "kbrd":
        smooth, cut = SmoothingFunction(epsilon=1e-12).method1, lambda text: parlai(text).split(" ")
    elif variant == "nltk_method1":
        smooth = SmoothingFunction().method1
    sides = [(cut(reply), cut(reference)) for reply, reference in pairs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NLTK warns of orders without a match
        if variant == "nltk_corpus":
            return float(corpus_bleu([[b] for _, b in sides], [a for a, _ in sides], weights=weights))
        return _mean([float(sentence_bleu([b], a, weights=weights, smoothing_function=smooth)) for a, b in sides])


def rouge_l(pairs: Pairs, variant: str) -> float:
    """ROUGE-L by rouge_score."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], use_stemmer=variant == "f1_stem")
    found = [scorer.score(reference, reply)["rougeL"] for reply, reference in pairs]
    return _mean([one.recall if variant == "recall" else one.fmeasure for one in found])


def chrf(pairs: Pairs, variant: str) -> float:
    """chrF by sacreBLEU."""
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF(word_order=2 if variant == "plusplus" else 0)
    hypotheses, references = [reply for reply, _ in pairs], [reference for _, reference in pairs]
    return float(metric.corpus_score(hypotheses, [references]).score) / 100


def token_f1(pairs: Pairs, variant: str) -> float:
    """Token F1 by precision and recall."""
    cut: Callable[[str], list[str]] = str.split if variant == "crslab" else lambda text: parlai(text).split()
    found = []
    for reply, reference in pairs:
        if not reply and variant == "crslab":
            continue
        ours, theirs = Counter(cut(reply)), Counter(cut(reference))
        same = (ours & theirs).total()
        precision, recall = same / max(ours.total(), 1), same / max(theirs.total(), 1)
        found.append(2 * precision * recall / (precision + recall) if same else 0.0)
    return _mean(found)


def meteor(pairs: Pairs, variant: str) -> float:
    """METEOR without synonyms: greedy alignment from the end, equal words first, then equal stems."""
    from nltk.stem.porter import PorterStemmer
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    cut, stem = Tokenizer13a(), PorterStemmer().stem  # type: ignore[no-untyped-call]
    found = []
    for reply, reference in pairs:
        ours, theirs = cut(reply.rstrip()).lower().split(), cut(reference.rstrip()).lower().split()
        aligned: dict[int, int] = {}
        for form in (str, stem):
            for i in reversed(range(len(ours))):
                free = [j for j in range(len(theirs)) if j not in aligned.values() and form(theirs[j]) == form(ours[i])]
                if i not in aligned and free:
                    aligned[i] = max(free)
        if not aligned:
            found.append(0.0)
            continue
        chunks = sum(aligned.get(i - 1) != j - 1 for i, j in aligned.items())
        precision, recall = len(aligned) / len(ours), len(aligned) / len(theirs)
        penalty = 0.5 * (chunks / len(aligned)) ** 3
        found.append((1 - penalty) * 10 * precision * recall / (recall + 9 * precision))
    return _mean(found)


def nist(pairs: Pairs, variant: str) -> float:
    """NIST by NLTK, which divides by zero where the reply is shorter than n-grams: those lengths add nothing."""
    from nltk.translate.nist_score import sentence_nist

    found = []
    for reply, reference in pairs:
        ours, theirs = ((text.lower() if variant == "nltk_lower" else text).split() for text in (reply, reference))
        found.append(float(sentence_nist([theirs], ours, n=min(5, len(ours)))) if ours and theirs else 0.0)
    return _mean(found)


def oracles() -> dict[str, Callable[[Pairs], float]]:
    """By measure: a second implementation."""
    calls: dict[str, Callable[[Pairs], float]] = {}
    for n in (1, 2, 3, 4):
        for variant in ("ratio", "per_response", "chars", "laps", "laps_all", "music_crs", "mese", "intra"):
            version = 2 if variant == "laps" else 1
            calls[f"distinct(n={n})@{variant}|v{version}"] = lambda pairs, v=variant, n=n: distinct(pairs, v, n)  # type: ignore[misc]
        for variant in ("sacrebleu", "crslab", "unicrs", "mese", "kbrd", "nltk_corpus", "nltk_method1"):
            calls[f"bleu(k={n})@{variant}|v1"] = lambda pairs, v=variant, n=n: bleu(pairs, v, n)  # type: ignore[misc]
    calls["distinct(n=1,vocabulary=30522)@ead|v1"] = lambda pairs: distinct(pairs, "ead", 1)
    for name, function, variants in (
        ("rouge_l", rouge_l, ("f1", "recall", "f1_stem")),
        ("chrf", chrf, ("sacrebleu", "plusplus")),
        ("token_f1", token_f1, ("parlai", "crslab")),
        ("meteor", meteor, ("exact_stem",)),
        ("nist(n=5)", nist, ("nltk", "nltk_lower")),
    ):
        for variant in variants:
            calls[f"{name}@{variant}|v1"] = lambda pairs, f=function, v=variant: f(pairs, v)  # type: ignore[misc]
    return calls


if __name__ == "__main__":
    values = {measure: round(oracle(PAIRS), 12) for measure, oracle in oracles().items()}
    json.dump(values, sys.stdout, indent=1)
    sys.stdout.write("\n")
