"""Several references for a reply: each metric as its peer has it, and blank references, which are none."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trialogue
from tests.metrics.oracles import parlai
from tests.metrics.replies import TEXT
from trialogue.metrics import get_metric, measure, offline_conversations
from trialogue.records import Reason, ReasonCode, Response, Situation, Utterance

Case = tuple[str, Sequence[str]]
FILLED = TEXT.filter(lambda text: bool(text.strip()))
CASES = st.lists(st.tuples(TEXT, st.lists(FILLED, min_size=1, max_size=3)), min_size=1, max_size=3)


def said(text: str) -> Utterance:
    return Utterance(speaker="system", text=text)


def scored(name: str, cases: Sequence[Case]) -> Any:
    """The system's score."""
    user = (Utterance(speaker="user", text="hi"),)
    situations = [
        Situation(
            id=str(place),
            context=user,
            reference=said(references[0]) if references else None,
            further_references=tuple(map(said, references[1:])),
        )
        for place, (_, references) in enumerate(cases)
    ]
    responses = [
        Response(situation_id=str(place), system="A", utterance=said(text)) for place, (text, _) in enumerate(cases)
    ]
    return measure(offline_conversations(situations, responses), [get_metric(name)])[0]


def sacrebleu(metric: Any, cases: Sequence[Case]) -> float:
    most = max(len(references) for _, references in cases)
    streams = [[refs[place] if place < len(refs) else None for _, refs in cases] for place in range(most)]
    return float(metric.corpus_score([text for text, _ in cases], streams).score) / 100


def nltk(cases: Sequence[Case], cut: Callable[[str], list[str]], **options: Any) -> float:
    from nltk.translate.bleu_score import sentence_bleu

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [sentence_bleu([cut(each) for each in refs], cut(text), **options) for text, refs in cases]
    total: float = sum(map(float, found))
    return total / len(found)


def rouge(cases: Sequence[Case], part: str) -> float:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"])
    found = [float(getattr(scorer.score_multi(refs, text)["rougeL"], part)) for text, refs in cases]
    return sum(found) / len(found)


def best_f1(cases: Sequence[Case], cut: Callable[[str], list[str]]) -> float:
    """CRSLab's F1Metric.compute and ParlAI's F1 in a few words: the best of the references."""

    def one(reply: list[str], reference: list[str]) -> float:
        common = sum(min(reply.count(word), reference.count(word)) for word in set(reply))
        return 2 * common / (len(reply) + len(reference)) if common else 0.0

    return sum(max(one(cut(text), cut(each)) for each in refs) for text, refs in cases) / len(cases)


def peers() -> dict[str, Callable[[Sequence[Case]], float]]:
    from nltk.translate.bleu_score import SmoothingFunction
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    smoothing = SmoothingFunction()
    return {
        "bleu(k=4)@sacrebleu": lambda cases: sacrebleu(BLEU(), cases),
        "bleu(k=3)@zh": lambda cases: sacrebleu(BLEU(tokenize="zh", max_ngram_order=3), cases),
        "bleu(k=2)@sacrebleu": lambda cases: sacrebleu(BLEU(max_ngram_order=2), cases),
        "bleu(k=2)@nltk_method1": lambda cases: nltk(
            cases, str.split, weights=(0.5, 0.5), smoothing_function=smoothing.method1
        ),
        "bleu(k=2)@unicrs": lambda cases: nltk(cases, str.split, weights=(0, 1, 0, 0)),
        "chrf@sacrebleu": lambda cases: sacrebleu(CHRF(), cases),
        "chrf@plusplus": lambda cases: sacrebleu(CHRF(word_order=2), cases),
        "rouge_l@f1": lambda cases: rouge(cases, "fmeasure"),
        "rouge_l@recall": lambda cases: rouge(cases, "recall"),
        "token_f1@crslab": lambda cases: best_f1(cases, str.split),
        "token_f1@parlai": lambda cases: best_f1(cases, lambda text: parlai(text).split()),
    }


@pytest.mark.parametrize(("name", "peer"), peers().items(), ids=peers())
@given(cases=CASES)
@settings(max_examples=40)
def test_several_references_are_scored_as_by_the_peer(
    name: str, peer: Callable[[Sequence[Case]], float], cases: list[Case]
) -> None:
    if "unicrs" in name or name == "token_f1@crslab":
        cases = [(text, refs) for text, refs in cases if text.strip()]  # others are left out, which has its own test
    if cases:
        assert scored(name, cases).value == pytest.approx(peer(cases), abs=1e-9)


def test_the_order_of_references_matters_only_where_nothing_else_decides() -> None:
    cases = [("a b c", ["a b", "c d e f g"]), ("x", ["y", "x"])]
    turned = [(text, refs[::-1]) for text, refs in cases]
    for name in peers():
        assert scored(name, cases).value == pytest.approx(scored(name, turned).value)


@pytest.mark.parametrize("name", ["bleu", "chrf", "rouge_l", "token_f1"])
def test_a_blank_reference_is_left_out_with_the_reason_and_is_no_zero(name: str) -> None:
    alone = scored(name, [("a b", [" "])])
    assert alone.value is None
    assert alone.why == Reason.of(ReasonCode.REFERENCE_BLANK)
    whole = scored(name, [("good film indeed yes", ["good film indeed yes"]), ("a b", [""])])
    assert whole.value == 1.0
    assert (whole.n, whole.skipped) == (1, 1)
    assert scored(name, [("a b", [])]).why == Reason.of(ReasonCode.NO_REFERENCE)
    assert scored(name, [("good film indeed yes", ["", "good film indeed yes"])]).value == 1.0


def test_lists_of_references_are_taken_in_memory() -> None:
    one = trialogue.score(["a b c d"], references=[["x", "a b c d"]], metric="bleu")[0].value
    assert one == 1.0
    blank = trialogue.score(["a b", "c d e f"], references=["", "c d e f"], metric="bleu")
    assert blank[0].value == 1.0
    decomposed = "Ame\u0301lie est un tre\u0300s joli film"
    composed = "Amélie est un très joli film"
    for name in ("bleu", "chrf", "token_f1@crslab"):
        assert trialogue.score([decomposed], references=[["x", composed]], metric=name, note=print)[0].value == 1.0
        assert trialogue.score([composed], references=[["x", decomposed]], metric=name, note=print)[0].value == 1.0
    with pytest.raises(trialogue.errors.DataError, match=r"references\[0\].*a string, or a list of strings, got null"):
        trialogue.score(["a"], references=[None], metric="bleu")  # type: ignore[list-item]


def test_lists_of_references_are_taken_in_rows() -> None:
    rows = [
        {"situation": place, "system": "A", "context": "hi", "response": "a b c d", "reference": references}
        for place, references in enumerate([["x", "a b c d"], "a b c d", ["", "a b c d"]])
    ]
    assert trialogue.score(rows, metric="bleu", note=print)[0].value == 1.0
