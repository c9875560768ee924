"""Cached page fragments that are the same for everyone: questions, and dialogues of items.

The cache key contains everything that a fragment depends on, and the language. No fragment contains participants' input.
"""

from collections.abc import Sequence
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from trialogue.study.pages.fields import Field
from trialogue.study.pages.messages import Message

MAX_QUESTIONS, MAX_TALKS = 2_000, 1_000


def question(field: Field) -> SafeString:
    """Render a question with its options or field; cached while unanswered."""
    answered = field.value or field.error or any(option.chosen for option in field.options)
    return _question(field) if answered else _kept_question(field, get_language())


def render_dialogue(messages: Sequence[Message], label: str = "", *, images: Sequence[str] = ()) -> SafeString:
    """Dialogue as a list; cached, so not for conversations that participants have themselves.

    Args:
        messages: of the dialogue.
        label: name of the list, for screen readers.
        images: beginnings of addresses from which images are shown.
    """
    return _kept_talk(tuple(messages), label, get_language(), tuple(images))


def _question(field: Field) -> SafeString:
    return render_to_string("study/parts/question.html", {"field": field})


@lru_cache(maxsize=MAX_QUESTIONS)
def _kept_question(field: Field, language: str | None) -> SafeString:
    return _question(field)


@lru_cache(maxsize=MAX_TALKS)
def _kept_talk(messages: tuple[Message, ...], label: str, language: str | None, images: tuple[str, ...]) -> SafeString:
    return render_to_string("study/parts/talk.html", {"talk": messages, "talk_label": label, "images": images})
