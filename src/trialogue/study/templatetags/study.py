"""Template tags for authors' prose, replies, quoted items and cached page fragments. All of them escape their input."""

from collections.abc import Sequence

from django import template
from django.template import Context
from django.utils.safestring import SafeString

from trialogue.study.pages import fragments
from trialogue.study.pages.fragments import Message, with_items
from trialogue.study.pages.fragments import prose as as_prose
from trialogue.study.pages.fragments import reply as as_reply

register = template.Library()


@register.filter
def prose(text: str) -> SafeString:
    """Paragraphs and lists of a plain text."""
    return as_prose(text)


@register.filter
def items(text: str) -> SafeString:
    """A text with the items that stand in quotes marked."""
    return with_items(text)


@register.simple_tag(takes_context=True)
def reply(context: Context, text: str) -> SafeString:
    """What a system wrote, with its Markdown; images only from where the study declares them."""
    return as_reply(text, context.get("images") or ())


@register.simple_tag(takes_context=True)
def talk(context: Context, messages: Sequence[Message], label: str = "") -> SafeString:
    """Dialogue of an item."""
    return fragments.render_dialogue(messages, label, images=context.get("images") or ())


register.simple_tag(fragments.question, name="question")
