"""BLEU of Chinese, Japanese and Korean, against sacreBLEU; and which measures read segmented text."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trialogue
from tests.metrics.replies import replies, scores
from trialogue.errors import DataError, MissingExtraError
from trialogue.metrics import all_variants, get_metric
from trialogue.metrics.text.tokens import PACKAGES, sacrebleu_words

PAIRS = {
    "zh": [
        ("我喜欢科幻电影，你呢？", "我也喜欢看科幻电影。"),
        ("看 Heat (1995) 吧", "你可以看 Heat。"),
        ("好", "好的！"),
    ],
    "ja-mecab": [("面白い映画を探しています。", "面白い映画を見たいです。"), ("Heat を見ました", "Heat を見た")],
    "ko-mecab": [("재미있는 영화를 보고 싶어요.", "재미있는 영화를 찾고 있어요."), ("Heat 봤어요", "Heat 보았어요")],
}


def sacrebleu(pairs: Sequence[tuple[str, str]], tokenize: str, k: int) -> float:
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(tokenize=tokenize, max_ngram_order=k)
    return float(metric.corpus_score([one for one, _ in pairs], [[other for _, other in pairs]]).score) / 100


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("variant", PAIRS)
def test_bleu_is_that_of_sacrebleu(variant: str, k: int) -> None:
    for package in PACKAGES.get(variant, ("", ()))[1]:
        pytest.importorskip(package)
    found = scores(f"bleu(k={k})@{variant}", replies(PAIRS[variant]))[0]
    assert found.value == pytest.approx(sacrebleu(PAIRS[variant], variant, k), abs=1e-12)
    assert found.value


MIXED = st.text("我喜欢。，看 aB.,1-\u2019\u3042\uff01\t\n", max_size=12)


@given(pairs=st.lists(st.tuples(MIXED, MIXED.filter(str.strip)), min_size=1, max_size=4))
def test_chinese_bleu_of_any_text_is_that_of_sacrebleu(pairs: list[tuple[str, str]]) -> None:
    assert scores("bleu@zh", replies(pairs))[0].value == pytest.approx(sacrebleu(pairs, "zh", 4), abs=1e-12)


def test_without_mecab_the_extra_is_named_and_the_other_variants_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str, *, extra: str, purpose: str) -> None:
        raise MissingExtraError(f"{module} is needed to {purpose}: pip install 'trialogue[{extra}]'")

    monkeypatch.setattr("trialogue.metrics.text.tokens.need", missing)
    sacrebleu_words.cache_clear()
    with pytest.raises(MissingExtraError, match=r"bleu@ja-mecab: pip install 'trialogue\[japanese\]'"):
        get_metric("bleu@ja-mecab")
    assert "bleu(k=4)@zh|v1" in [each.measure for each in all_variants("bleu")]
    sacrebleu_words.cache_clear()


CHINESE = [
    "我 已经 看 过 了 ，非常 好看 。",
    "你 可以 看 星际 穿越 。",
    "那 部 电影 讲 的 是 太空 旅行 。",
    "好 的 ， 谢谢 你 的 推荐 ！",
]


def test_segmented_chinese_is_read_by_measures_of_words_and_other_chinese_by_those_of_characters() -> None:
    segmented = trialogue.score(CHINESE, references=CHINESE, metrics=["bleu", "distinct", "length"])
    assert [each.value for each in segmented if each.measure.startswith("bleu")] == [1.0]
    assert len([each for each in segmented if each.value is not None]) == 3
    joined = ["".join(text.split()) for text in CHINESE]
    with pytest.raises(DataError, match=r"words between spaces.*bleu@zh"):
        trialogue.score(joined, references=joined, metrics=["bleu", "distinct"])
    found = trialogue.score(joined, references=joined, metrics=["bleu@zh", "chrf", "distinct@chars"])
    assert [each.value for each in found[:2]] == [1.0, 1.0]
