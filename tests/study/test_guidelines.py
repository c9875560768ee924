"""Guidelines of the strategies: complete in every language that there is, and shown in the reader's."""

import re

import pytest
from django.utils import translation

from tests.study.pages.made import html, page
from trialogue.strategies.taxonomy import TAXONOMY, bundled_examples
from trialogue.study.design.file import strategy_labels
from trialogue.study.design.guidelines import EXAMPLES, guidelines, languages
from trialogue.study.design.pages import LabelShown, Line, Part, Step
from trialogue.study.design.questions import Question, text_in
from trialogue.study.pages.contents import guideline_of

OTHERS = [language for language in languages() if language != "en"]


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_every_strategy_with_every_text_neighbor_and_example_of_the_english(language: str) -> None:
    ours, english = guidelines(language), guidelines("en")
    assert list(ours) == list(english) == list(TAXONOMY)
    for name, there in ours.items():
        assert list(there.neighbors) == list(english[name].neighbors), name
        assert len(there.examples) == len(english[name].examples) == EXAMPLES
        texts = [there.title, there.definition, there.use, there.avoid, *there.neighbors.values(), *there.examples]
        same = [english[name].title, english[name].definition, english[name].use, english[name].avoid]
        assert all(text.strip() for text in texts)
        assert not set(texts) & {*same, *english[name].neighbors.values(), *english[name].examples}, name
    assert len({there.title for there in ours.values()}) == len(ours)


def test_english_is_that_of_the_taxonomy_with_our_own_sentences() -> None:
    sentences = {(each.label, each.text) for each in bundled_examples()}
    for name, there in guidelines().items():
        assert there.definition == TAXONOMY[name].definition
        assert {(name, text) for text in there.examples} <= sentences


def test_a_dialect_reads_its_language_and_an_unknown_one_english() -> None:
    assert guidelines("de-at") == guidelines("de")
    assert guidelines("fr") == guidelines("en")


def test_what_the_study_file_says_of_a_label_comes_first() -> None:
    option = strategy_labels()[0].model_copy(update={"help": "Ours.", "examples": ({"en": "Yes.", "de": "Ja."},)})
    found = guideline_of(option, "de")
    assert (found["definition"], found["examples"]) == ("Ours.", ["Ja."])
    assert found["use"] == guidelines("de")[option.value].use


@pytest.mark.parametrize("language", languages())
def test_annotators_read_labels_examples_and_limits_in_their_language(language: str) -> None:
    label = Question(name="label", question={"en": "What?", "de": "Was?"}, choice=strategy_labels())
    content = LabelShown((Line("user", "..."), Line("system", "...")), 1)
    step = Step("task:1", "task", 1, 3, "t", (Part("", (label,)),), item="labelling", content=content)
    with translation.override(language):  # and back to what it was
        shown = html(page(step, language=language))
    there = guidelines(language)
    for name, guideline in there.items():
        assert f"<b>{guideline.title}</b>" in shown
        for text in (guideline.definition, guideline.use, guideline.avoid, *guideline.examples):
            assert re.sub("['\"&]", "", text) in re.sub("&#x27;|&quot;|&amp;", "", shown), (name, text)
    for other in set(languages()) - {language}:
        assert guidelines(other)["similarity"].definition not in shown
    assert text_in(strategy_labels()[0].label, language) == there["acknowledgment"].title
