"""How the expressions of the lists begin, and that looking for all at once finds what each one finds."""

import random
import re
from importlib import import_module
from importlib.resources import files
from typing import Any

import pytest

from trialogue.metrics.gates.phrases import Phrases, patterns

LISTS = sorted(
    each.name[:-4] for each in files("trialogue.metrics.gates.phrases").iterdir() if each.name[-4:] == ".txt"
)


def begins_with_word(tokens: Any) -> bool:
    """Whether the first letter of whatever a parsed expression matches is one of a word."""
    for kind, value in tokens:
        name = str(kind)
        if name in ("AT", "ASSERT", "ASSERT_NOT"):
            continue
        if name == "BRANCH":
            return all(map(begins_with_word, value[1]))
        if name == "SUBPATTERN":
            return begins_with_word(value[3])
        if name.endswith("_REPEAT"):
            if value[0] or not begins_with_word(value[2]):
                return begins_with_word(value[2])
            continue
        return all(map(is_of_word, value)) if name == "IN" else is_of_word((kind, value))
    return False


def is_of_word(token: Any) -> bool:
    """Whether a token, or a part of a class, matches letters and digits alone."""
    name, value = str(token[0]), token[1]
    if name == "CATEGORY":
        return str(value) in ("CATEGORY_WORD", "CATEGORY_DIGIT")
    return all(chr(each).isalnum() for each in (value if name == "RANGE" else [value] if name == "LITERAL" else [0]))


@pytest.mark.parametrize("name", LISTS)
def test_what_begins_with_a_word_or_the_text_does_so_in_each_alternative(name: str) -> None:
    for line in patterns(name):
        tokens = import_module("re._parser").parse(re.sub("@[A-Z]+@", "§", line))
        if line.startswith(r"\A"):
            assert str(tokens[0][1]) == "AT_BEGINNING_STRING", line
        if line.startswith(r"\b"):
            assert str(tokens[0][1]) == "AT_BOUNDARY", line
            assert begins_with_word(tokens), line


@pytest.mark.parametrize("name", ["assistant_signs", "assistant_hints", "assistant_moves", "told_needs"])
def test_all_at_once_find_what_each_one_finds(name: str) -> None:
    rng = random.Random(0)
    lines = patterns(name)
    words = ["i", "you", "your", "my", "would", "the", "a", "movie", "profile", "\n", "Q: ", "*", "1.", ":", "1", "{"]
    words += re.findall(r"[a-z]{2,}", " ".join(lines))
    texts = [" ".join(rng.choices(words, k=rng.randrange(1, 12))) for _ in range(2_000)]
    texts += [rng.choice((text.upper(), text.title(), f'"{text}"')) for text in texts]
    every, single = Phrases(lines), [re.compile(line, re.IGNORECASE) for line in lines]
    found = [every.search(text) is not None for text in texts]
    assert found == [any(each.search(text) for each in single) for text in texts]
    assert any(found)
